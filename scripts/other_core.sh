#!/usr/bin/env bash
# Builds the core in another way and makes FOLDER/env, an environment in which `bough` is the sources with that core.
#     scripts/other_core.sh FOLDER COMPILER_FLAGS
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
python=$PWD/.venv/bin/python
launcher=$(command -v ccache || true)
mkdir -p "$folder"
.venv/bin/cmake -S . -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DPython_EXECUTABLE="$python" \
    -DCMAKE_BUILD_TYPE=None -DBOUGH_LEVEL= -DCMAKE_CXX_FLAGS="$2" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" > "$folder/cmake.log"
.venv/bin/cmake --build "$folder" ${JOBS:+-j "$JOBS"}
rm -rf "$folder/env"
"$python" -m venv --without-pip "$folder/env"
mkdir "$folder/env/src"
cp -r src/bough "$folder/env/src/"
rm -f "$folder"/env/src/bough/_core*
cp "$folder"/_core*.so "$folder/env/src/bough/"
{
    echo "$folder/env/src"
    "$python" -c 'import sys; print(*[path for path in sys.path if path.endswith("site-packages")], sep="\n")'
} > "$(ls -d "$folder"/env/lib/python*/site-packages)/bough.pth"
