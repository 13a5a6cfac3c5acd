#!/usr/bin/env bash
# Runs the core part of the suite with the oldest versions that pyproject.toml allows, or with the newest there are.
#     scripts/versions.sh [oldest|newest] [pytest arguments]
set -euo pipefail
cd "$(dirname "$0")/.."
which=${1:-oldest}
shift || true
case $which in oldest | newest) ;; *) echo "versions.sh: oldest or newest, not $which" >&2 && exit 2 ;; esac
tests=(tests/data tests/tree tests/store tests/growing/test_precision.py tests/estimators/test_sklearn_api.py
    tests/estimators/test_forests.py tests/ensemble/test_forest.py tests/plotting tests/view/test_svg.py
    tests/exporting/test_formats.py tests/cli/test_cli_main.py tests/reliability/test_r06_same_model.py
    tests/reliability/test_r10_one_answer.py tests/reliability/test_r14_loading.py)
if [ $# -gt 0 ]; then tests=("$@"); fi
env=$PWD/build/$which
"${PYTHON:-python3}" -m venv --clear "$env"
"$env/bin/python" -m pip install -q --upgrade pip
"$env/bin/python" scripts/bounds.py "$which" > "$env/wanted.txt"
"$env/bin/python" -m pip install -q --upgrade -r "$env/wanted.txt"
"$env/bin/python" -m pip install -q --no-build-isolation --no-deps . -C build-dir="build/$which/core"
"$env/bin/python" -m pip list
# Old packages warn of newer ones around them, which is not what is tested here.
warnings=()
if [ "$which" = oldest ]; then warnings=(-o filterwarnings=ignore); fi
exec "$env/bin/python" -m pytest -q "${warnings[@]}" -n "${JOBS:-2}" -p no:cacheprovider "${tests[@]}"
