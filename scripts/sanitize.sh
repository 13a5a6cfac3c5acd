#!/usr/bin/env bash
# Builds the core with sanitizers and runs the tests that reach it: ASan + UBSan, then TSan for the threads.
#     scripts/sanitize.sh [address|thread] [pytest arguments]
# JOBS=2: so many compilers, and so many processes that test.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-address}
shift || true
case $kind in
address)
    flags=address,undefined library=libasan.so
    # What reaches the core or loads files, once each: the comparison with the reference by its module of other tables, and
    # nothing that only Python does.
    tests=(tests/reliability/test_r03*.py tests/store/test_broken_files.py tests/store/test_golden.py tests/store/test_store.py
        tests/ensemble tests/growing tests/tree/test_best_first.py tests/tree/test_ensemble.py tests/tree/test_graft.py
        tests/tree/test_prediction_ways.py tests/tree/test_one_row.py tests/tree/test_tree.py tests/estimators/test_same_tree.py
        tests/estimators/test_custom_criterion.py tests/reliability/test_r08*.py
        tests/reliability/test_r09*.py tests/reliability/test_r11*.py tests/estimators/test_threads_and_signals.py
        tests/reliability/test_r07*.py --ignore=tests/growing/test_core_equals_reference.py)
    ;;
thread)
    flags=thread library=libtsan.so
    # None that imports polars, which crashes under TSan while it is imported, before a test begins.
    tests=(tests/estimators/test_threads_and_signals.py tests/ensemble/test_lean.py tests/ensemble/test_packed_trees.py
        tests/ensemble/test_boosting_layouts.py tests/tree/test_one_row.py
        tests/tree/test_prediction_ways.py tests/reliability/test_r07*.py)
    ;;
*) echo "sanitize.sh: address or thread, not $kind" >&2 && exit 2 ;;
esac
# A thread may hold the lock of the sanitizer's allocator when another one forks; then the child waits for it for ever.
tests+=(--deselect=tests/estimators/test_threads_and_signals.py::test_a_fork_while_another_thread_fits_leaves_a_child_that_fits
    --deselect=tests/reliability/test_r07_processes_and_signals.py::test_forks_while_other_threads_fit_and_predict)
# The sanitizer's own memory is more than the fit's.
tests+=(--deselect=tests/ensemble/test_boosting_memory.py::test_peak_over_the_data)
if [ $# -gt 0 ]; then tests=("$@"); fi
folder=$PWD/build/$kind
scripts/other_core.sh "$folder" "-O1 -g1 -fsanitize=$flags -fno-sanitize-recover=all -fno-omit-frame-pointer"
# Python itself leaks at exit; what the core does wrong is reported all the same. What is reported goes to files as well,
# because the output of a child process may not be seen. UBSan writes only to the output when ASan is loaded before it, so
# pytest must leave the output alone.
rm -f "$folder"/report.*
export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$folder/report
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$folder/report
export TSAN_OPTIONS=report_signal_unsafe=0:die_after_fork=0:log_path=$folder/report
# The standard library of C++ comes too: ASan looks for `__cxa_throw` in it when it starts, which is before Python loads the core.
LD_PRELOAD="$("${CXX:-g++}" -print-file-name=$library) $("${CXX:-g++}" -print-file-name=libstdc++.so)"
# What may take a second without sanitizers takes several with them.
export BOUGH_SLOWER=10
passed=0
"$folder/env/bin/python" -m pytest -q -p no:cacheprovider -n "${JOBS:-0}" --capture=sys "${tests[@]}" > "$folder/report.output" 2>&1 || passed=$?
LD_PRELOAD=
grep -qE 'runtime error:|Sanitizer' "$folder/report.output" || mv "$folder/report.output" "$folder/output"
if compgen -G "$folder/report.*" > /dev/null; then
    cat "$folder"/report.*
    exit 1
fi
cat "$folder/output"
if [ $passed = 0 ]; then echo "$kind: no reports"; fi
exit $passed
