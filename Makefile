# Everything runs in a virtual environment of its own; the only needs are Python >= 3.11 with pip, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Without compiled files every process that a test starts would compile the package anew, and pytest its tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo docs quick test test-portable test-processes test-engines test-slow fuzz lint types contracts bench bench-guard lock clean clean-kernels
demo: $(VENV)/ready
	$(BIN)/discriminant demo

# The handbook, docs/_build/html/index.html: every code block runs, and a warning is an error. `rm -r docs/_build` starts anew.
# All pages are written each time (-a): the search knows index entries of pages written with it alone.
# Then the built pages are tried in a browser (DISCRIMINANT_CHROMIUM): links, search, figures that move.
docs: $(VENV)/ready
	$(BIN)/python -m sphinx -b html -a -j 2 -q -W --keep-going docs docs/_build/html
	$(BIN)/python -m pytest -q tests/docs/built

# What matters for a change, in a minute or so: the core, and the rooms that changed since main (tests/quick.py).
quick: lint types contracts $(VENV)/ready
	$(BIN)/python -m pytest -n auto -m "not slow" $$($(BIN)/python -m tests.quick)

test: lint types contracts $(VENV)/ready
	$(BIN)/python -m pytest -n auto -m "not slow"
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -k "array_api or test_scikit_learn.py or test_basis.py" \
		tests/contract/test_estimator_checks.py tests/contract/test_scikit_learn.py tests/test_basis.py \
		tests/foreign/test_logistic_own.py tests/foreign/test_ridge_own.py
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto tests/kernels
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/checked-kernels $(BIN)/python -m pytest -n auto tests/kernels

# The numerical tests with the arithmetic of other processors: kernels of BLAS, vector units, threads.
test-portable: $(VENV)/ready
	$(BIN)/python tests/portability.py $(ARGS)

# Processes started in every way, cold kernel caches, installs that cannot be written: slow because each imports anew.
test-processes: $(VENV)/ready
	$(BIN)/python -m pytest -m slow tests/processes

# Clusters, which take longer to start than the tests on them: Spark and Ray, from PyPI by name since they are 700 MB that few need.
test-engines: $(VENV)/engines-ready
	$(BIN)/python -m pytest -m slow tests/rows tests/sources tests/cli/test_beyond_memory.py \
		tests/cli/test_answers_elsewhere.py

test-slow: $(VENV)/ready
	$(BIN)/python -m pytest -m slow
	$(BIN)/python -m pytest -n auto -m "hypothesis and not slow" --hypothesis-profile=thorough

# Hostile input of every kind, from a seed; ARGS="--kind tables --seconds 60 --seed 7".
fuzz: $(VENV)/ready
	$(BIN)/python -m tests.fuzz $(ARGS)

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.docstrings

types: $(VENV)/ready
	$(BIN)/mypy

contracts: $(VENV)/ready
	$(BIN)/lint-imports

bench: $(VENV)/bench-ready
	$(BIN)/python -m benchmarks $(ARGS)

# Has a kernel or a fit become slower by half? Against benchmarks/guard.json; ARGS=--store on another kind of machine.
bench-guard: $(VENV)/ready
	$(BIN)/python -m benchmarks.guard $(ARGS)

# `--without-pip` and `pip --python`: some systems ship Python without ensurepip.
$(VENV)/ready: requirements.lock pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed: make PYTHON=python3.12 ...')"
	$(PYTHON) -m venv --without-pip --clear $(VENV)
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check --no-deps --editable .
	-$(BIN)/python -m compileall -q -j 0 $(VENV)/lib > /dev/null  # where pip leaves it out, every start would compile anew
	$(BIN)/discriminant demo --out $(VENV)/first-run > /dev/null  # compiles the kernels, once
	touch $@

$(VENV)/bench-ready: $(VENV)/ready
	$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check scikit-learn-intelex glum
	touch $@

# Ray is not made for every Python: its tests are skipped, and say so, where it cannot be had.
$(VENV)/engines-ready: $(VENV)/ready
	$(BIN)/python -c "import pyspark" 2> /dev/null || \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check "pyspark>=4.0"
	-$(BIN)/python -c "import ray" 2> /dev/null || \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check --only-binary ray ray
	touch $@

# Pins for every Python we support, with markers where they differ; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --group test --extra plot --extra docs --no-emit-index-url --no-header \
		--generate-hashes --upgrade pyproject.toml --output-file requirements.lock

clean-kernels:
	find src -name "*.nb[ic]" -delete

clean: clean-kernels
	rm -rf $(VENV) docs/_build docs/reference/names docs/pictures .mypy_cache .ruff_cache .hypothesis .pytest_cache
