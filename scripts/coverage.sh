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
    # The comparison with the reference by its module of other tables: ten thousand more reach nothing else.
    "$folder/env/bin/python" -m pytest -q -n 0 -p no:cacheprovider tests/reliability/test_r08*.py tests/ensemble tests/tree tests/growing \
        --ignore=tests/growing/test_core_equals_reference.py --deselect=tests/growing/test_core_equals_c45.py::test_random_tables_grow_equal_trees \
        tests/estimators/test_{same_tree,boosting,forests,forest_growth,custom_criterion,constraints,chaid,cart,adaboost,profile,combining}.py \
        tests/estimators/test_interrupts.py tests/estimators/test_threads_and_signals.py::test_forests_and_boosting_of_several_threads_mix \
        tests/estimators/test_threads_and_signals.py::test_all_cores_and_more_threads_than_cores \
        tests/reliability/test_r12_scale.py::test_without_the_threads_that_it_asks_for_a_fit_goes_on \
        tests/reliability/test_r09*.py tests/reliability/test_r11*.py tests/test_information.py tests/explain tests/golden/test_c45.py
    "${PYTHON:-python3}" -m venv build/gcovr
    build/gcovr/bin/python -m pip install -q gcovr
    # Branches of exceptions that the compiler adds to every call are not counted; a line of a template counts once.
    build/gcovr/bin/gcovr --root . --filter native/ --exclude-throw-branches --merge-lines --txt-metric line "$folder"
    build/gcovr/bin/gcovr --root . --filter native/ --exclude-throw-branches --merge-lines --txt-metric branch "$folder"
fi
