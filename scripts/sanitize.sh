#!/usr/bin/env bash
# Builds the core with sanitizers and runs the tests that reach it: ASan + UBSan, then TSan for the threads.
#     scripts/sanitize.sh [address|thread] [pytest arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-address}
shift || true
case $kind in
address)
    flags=address,undefined library=libasan.so
    tests=(tests/growing tests/tree tests/store tests/ensemble tests/estimators/test_same_tree.py
        tests/estimators/test_threads_and_signals.py tests/reliability/test_r0[3479]*.py tests/reliability/test_r1[01]*.py)
    ;;
thread)
    flags=thread library=libtsan.so
    tests=(tests/estimators/test_threads_and_signals.py tests/estimators/test_same_tree.py
        tests/ensemble/test_forest.py tests/reliability/test_r06_same_model.py)
    ;;
*) echo "sanitize.sh: address or thread, not $kind" >&2 && exit 2 ;;
esac
if [ $# -gt 0 ]; then tests=("$@"); fi
folder=$PWD/build/$kind
scripts/other_core.sh "$folder" "-O1 -g1 -fsanitize=$flags -fno-sanitize-recover=all -fno-omit-frame-pointer"
# Python itself leaks at exit; what the core does wrong is reported all the same. What is reported goes to files as well,
# because the output of a child process may not be seen.
rm -f "$folder"/report.*
export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$folder/report
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$folder/report TSAN_OPTIONS=report_signal_unsafe=0:log_path=$folder/report
# The standard library of C++ comes too: ASan looks for `__cxa_throw` in it when it starts, which is before Python loads the core.
LD_PRELOAD="$("${CXX:-g++}" -print-file-name=$library) $("${CXX:-g++}" -print-file-name=libstdc++.so)"
passed=0
"$folder/env/bin/python" -m pytest -q -p no:cacheprovider -n 0 "${tests[@]}" || passed=$?
LD_PRELOAD=
if compgen -G "$folder/report.*" > /dev/null; then
    cat "$folder"/report.*
    exit 1
fi
echo "$kind: no reports"
exit $passed
