# `make help` lists the targets.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := CMakeLists.txt pyproject.toml $(shell find native -name '*.[ch]pp')

.PHONY: attack docs help demo environment test native-test lint tidy oldest reference sanitize bench clean
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

help:  ## what can be made
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F'\t' '{ printf "make %-12s %s\n", $$1, $$2 }'

demo: $(VENV)/.built  ## the main job on the embedded table, with a report at the end
	$(BIN)/mercer train --out demo-out

# A process for each of two cores, so that BLAS has one thread in each: two in both wait for each other, and tests of
# kernel least squares take 2.3 times the processor time.
PYTEST = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(1)/bin/python -m pytest -n 2 --dist worksteal

# COVERAGE=1 measures branch coverage too; CI leaves it out to end within 20 minutes.
test: $(VENV)/.clients  ## every test
	$(call PYTEST,$(VENV)) $(if $(COVERAGE),--cov --cov-report=term:skip-covered)

# A program per header, by ctest; PLAIN=ON takes arrays in place of vector types, as MSVC does.
PLAIN ?= OFF
native-test: $(VENV)/.tools  ## the tests of the C++ half by itself
	$(BIN)/cmake -S . -B build/native-$(PLAIN) -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DCMAKE_BUILD_TYPE=Release \
		-DMERCER_TESTS=ON -DMERCER_ISAS=$${MERCER_ISAS:-v3} -DMERCER_PLAIN_VECTORS=$(PLAIN) > build/native-$(PLAIN).log
	$(BIN)/cmake --build build/native-$(PLAIN)
	$(BIN)/ctest --test-dir build/native-$(PLAIN) --output-on-failure

lint: $(VENV)/.lint  ## ruff, mypy --strict, import-linter, numpydoc, clang-format
	$(BIN)/ruff check src tests benchmarks tools docs/conf.py
	$(BIN)/ruff format --check src tests benchmarks tools docs/conf.py
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_docstrings.py
	$(BIN)/clang-format --dry-run --Werror $(filter native/%,$(NATIVE))

tidy: native-test  ## clang-tidy on the C++ half
	$(BIN)/clang-tidy -p build/native-$(PLAIN) --quiet native/tests/*.cpp

# The tests borrowed from scikit-learn, and its checks, are those of its newest version.
oldest: $(VENV)/.made  ## the tests with the oldest dependencies that pyproject.toml allows
	$(PYTHON) -m venv .venv-oldest
	$(BIN)/python tools/oldest.py > .venv-oldest/constraints.txt
	MERCER_ISAS=v3 .venv-oldest/bin/python -m pip install --quiet --constraint .venv-oldest/constraints.txt --editable '.[test]'
	$(call PYTEST,.venv-oldest) -W default --disable-warnings \
		--ignore tests/reference --ignore tests/contracts/test_sklearn_checks.py tests

# Trees and support vector machines are left out: in NumPy their tests take hours.
reference: $(VENV)/.test  ## the tests without the compiled half, on its NumPy twins
	MERCER_CORE=off $(call PYTEST,$(VENV)) tests/distances tests/encode tests/kernels tests/likelihoods \
		$(addprefix tests/estimators/,bayes common linear neighbours perceptron)

# An own environment, which borrows the packages of the other one: only the native module is built again.
CHECKED := .venv-sanitize
ROUNDS  ?= 1000
preload  = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)

sanitize: $(CHECKED)/.built  ## attack the native code under AddressSanitizer and UBSan (ROUNDS=1000 draws a function)
	LD_PRELOAD="$(preload)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 MERCER_FUZZ_ROUNDS=$(ROUNDS) \
		$(CHECKED)/bin/python -m pytest tests/_core tests/solvers -p no:cacheprovider --no-header -q --capture=sys

$(CHECKED)/.built: $(VENV)/.test $(NATIVE)
	$(PYTHON) -m venv --without-pip $(CHECKED)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
		> $$($(CHECKED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth
	MERCER_SANITIZE=ON MERCER_ISAS=$${MERCER_ISAS:-v3} $(BIN)/python -m pip --python $(CHECKED)/bin/python install --quiet \
		--no-deps --config-settings=build-dir=build/sanitize --config-settings=install.strip=false --editable .
	@touch $@

# Without a network; any warning, such as a link that leads nowhere, ends the build.
docs: $(VENV)/.docs  ## the documentation site, in build/docs/index.html
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --jobs 2 docs build/docs
	@echo "build/docs/index.html"

MINUTES ?= 5
attack: $(VENV)/.test  ## random hostile model files, tables, frames, parameters and arguments (MINUTES=5, or ATTEMPTS of fixed seeds)
	$(BIN)/python -m tests.attack $(if $(ATTEMPTS),--attempts $(ATTEMPTS),--minutes $(MINUTES))

environment: $(VENV)/.all $(VENV)/.compiled  ## everything that test, lint, docs and native-test install, so that they can run side by side

bench: $(VENV)/.test  ## the benchmarks (MERCER_DATA=folder with the public tables)
	$(BIN)/python benchmarks/run.py

clean:  ## remove environments and builds
	rm -rf $(VENV) $(CHECKED) .venv-oldest build

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mercer needs Python 3.11 or later; found $$($(PYTHON) --version). Try: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Extras of pyproject.toml, what it requires without them, or what it builds with, on top of what is installed.
extra = $(BIN)/python tools/required.py $(1) > $@.txt && $(BIN)/python -m pip install --quiet --requirement $@.txt

$(VENV)/.tools: | $(VENV)/.made
	$(call extra,build-system native)
	@mkdir -p build
	@touch $@

# Editable: a change in src/ needs no reinstall, a change in native/ or pyproject.toml does. What builds stays in the
# environment: in one of its own, at another path each time, every file would be compiled again. Without dependencies,
# so that they can be installed while it compiles.
$(VENV)/.compiled: $(NATIVE) | $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.core: pyproject.toml | $(VENV)/.tools
	$(call extra,core)
	@touch $@

$(VENV)/.built: $(VENV)/.compiled $(VENV)/.core
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.built
	$(call extra,test)
	@touch $@

$(VENV)/.clients: pyproject.toml | $(VENV)/.test
	$(call extra,clients browser)
	@touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.test
	$(call extra,docs)
	@touch $@

$(VENV)/.lint: pyproject.toml | $(VENV)/.test
	$(call extra,lint)
	@touch $@

$(VENV)/.all: pyproject.toml | $(VENV)/.tools
	$(call extra,core test clients browser docs lint)
	@touch $(addprefix $(VENV)/.,core test clients docs lint all)
