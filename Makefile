# Everything a newcomer needs: `make demo`, `make test`. The first call makes .venv and builds the core.
PYTHON ?= python3
BIN := .venv/bin
NATIVE := CMakeLists.txt pyproject.toml $(shell find native -name '*.hpp' -o -name '*.cpp')

.PHONY: demo test fuzz soak sanitize coverage oldest newest audit licences lint format bench quality clean
.DEFAULT_GOAL := demo

.venv/made:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q cmake ninja nanobind scikit-build-core
	@touch $@

.venv/built: .venv/made $(NATIVE)
	$(BIN)/python -m pip install -q --no-build-isolation --editable .
	@touch $@

.venv/ready: .venv/built pyproject.toml
	$(BIN)/python -m pip install -q --group dev
	@touch $@

demo: .venv/built
	$(BIN)/bough fit demo:titanic --target survived

test: .venv/ready
	$(BIN)/python -m pytest -n 2

fuzz: .venv/ready
	$(BIN)/python tests/reliability/mutate.py 1000000

soak: .venv/ready
	$(BIN)/python tests/reliability/faults.py kill 1000
	$(BIN)/python tests/reliability/faults.py interrupt 250
	$(BIN)/python tests/reliability/faults.py processes 500
	$(BIN)/python tests/reliability/faults.py memory 400
	$(BIN)/python tests/reliability/scale.py
	BOUGH_TABLES=200 $(BIN)/python -m pytest -n 2 tests/reliability/test_r06_same_model.py
	BOUGH_TABLES=100000 $(BIN)/python -m pytest -n 2 tests/reliability/test_r08_core_equals_reference.py

sanitize: .venv/ready
	scripts/sanitize.sh address
	scripts/sanitize.sh thread

# Following every line takes the tests twice as long.
coverage: .venv/ready
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term
	scripts/coverage.sh

# The lower bounds of pyproject.toml, and what is newest today, in environments of their own.
oldest newest: .venv/built
	scripts/versions.sh $@

# Known vulnerabilities of what is installed; without the network, or without an answer, it fails.
audit: .venv/ready
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install -q pip-audit
	$(BIN)/python -m pip freeze --exclude-editable > build/audit/installed.txt
	build/audit/bin/python scripts/audit.py build/audit/installed.txt

licences: .venv/ready
	$(BIN)/python scripts/licences.py

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $$(git ls-files native)

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(git ls-files native)

# The peers get an environment of their own.
.venv-bench/ready: $(NATIVE) $(shell find src -name '*.py')
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q --upgrade pip
	.venv-bench/bin/python -m pip install -q . -C build-dir=build/bench
	.venv-bench/bin/python -m pip install -q --group bench
	@touch $@

# Speed; then how good the models are, which takes longer.
bench: .venv-bench/ready
	.venv-bench/bin/python -m benchmarks

quality: .venv-bench/ready
	.venv-bench/bin/python -m benchmarks --task quality --task folds --task out-of-bag

clean:
	rm -rf .venv .venv-bench build
