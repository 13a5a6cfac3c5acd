#!/usr/bin/env bash
# Builds the core with sanitizers and runs the tests that reach it: ASan + UBSan, then TSan for the threads.
#     scripts/sanitize.sh [address|thread] [pytest arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-address}
shift || true
python=$PWD/.venv/bin/python
folder=$PWD/build/$kind
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
case $kind in
address)
    flags=address,undefined library=libasan.so
    tests=(tests/growing tests/tree tests/store tests/ensemble tests/estimators/test_same_tree.py
        tests/reliability/test_r0[349]*.py tests/reliability/test_r1[01]*.py)
    ;;
thread)
    flags=thread library=libtsan.so
    tests=(tests/estimators/test_threads_and_signals.py tests/estimators/test_same_tree.py
        tests/ensemble/test_forest.py tests/reliability/test_r06_same_model.py)
    ;;
*) echo "sanitize.sh: address or thread, not $kind" >&2 && exit 2 ;;
esac
if [ $# -gt 0 ]; then tests=("$@"); fi
mkdir -p "$folder"
.venv/bin/cmake -S . -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DPython_EXECUTABLE="$python" \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS="-fsanitize=$flags -fno-sanitize-recover=all -fno-omit-frame-pointer" \
    >"$folder/cmake.log"
.venv/bin/cmake --build "$folder"
# An environment of its own in which `bough` is the sources with this core; the packages are those of .venv.
rm -rf "$folder/env"
"$python" -m venv --without-pip "$folder/env"
mkdir "$folder/env/src"
cp -r src/bough "$folder/env/src/"
rm -f "$folder"/env/src/bough/_core*
cp "$folder"/_core*.so "$folder/env/src/bough/"
printf '%s\n' "$folder/env/src" "$packages" >"$(ls -d "$folder"/env/lib/python*/site-packages)/bough.pth"
# Python itself leaks at exit; what the core does wrong is reported all the same.
export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=report_signal_unsafe=0
LD_PRELOAD=$("${CXX:-g++}" -print-file-name=$library)
exec "$folder/env/bin/python" -m pytest -q -p no:cacheprovider -n 0 "${tests[@]}"
