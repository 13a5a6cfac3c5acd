#!/usr/bin/env bash
# Which lines and branches the tests reach: of the core by gcov, of the model loader (all of its branches are asked for).
#     scripts/coverage.sh [core|loader]
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-both}
if [ "$what" != core ]; then
    .venv/bin/python -m pytest -q -n 0 -p no:cacheprovider tests/store tests/reliability/test_r03_mutated_files.py \
        tests/reliability/test_r14_loading.py --cov=bough.store --cov-branch --cov-report=term-missing --cov-fail-under=100
fi
if [ "$what" != loader ]; then
    folder=$PWD/build/gcov
    scripts/other_core.sh "$folder" "-O1 -g1 --coverage -fprofile-update=atomic"
    find "$folder" -name '*.gcda' -delete
    "$folder/env/bin/python" -m pytest -q -n 0 -p no:cacheprovider tests/growing tests/ensemble tests/tree \
        tests/estimators/test_same_tree.py tests/estimators/test_boosting.py tests/reliability/test_r0[69]*.py
    "${PYTHON:-python3}" -m venv build/gcovr
    build/gcovr/bin/python -m pip install -q gcovr
    # Branches of exceptions that the compiler adds to every call are not counted.
    build/gcovr/bin/gcovr --root . --filter native/ --exclude-throw-branches --txt-metric line "$folder"
    build/gcovr/bin/gcovr --root . --filter native/ --exclude-throw-branches --txt-metric branch "$folder"
fi
