# make demo   the main job on the embedded table, with a report at the end
# make test   every test
# make lint   ruff, mypy, import-linter
# make sanitize  attack the native code under AddressSanitizer and UBSan
# make bench  the benchmarks (MERCER_DATA=folder with the public tables)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := CMakeLists.txt pyproject.toml $(shell find native -name '*.[ch]pp')

.PHONY: demo test lint sanitize bench clean
.DELETE_ON_ERROR:

demo: $(VENV)/.built
	$(BIN)/mercer train --out demo-out

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.lint
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports

# An own environment, which borrows the packages of the other one: only the native module is built again.
CHECKED := .venv-sanitize
ROUNDS  ?= 1000
preload  = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)

sanitize: $(CHECKED)/.built
	LD_PRELOAD="$(preload)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 MERCER_FUZZ_ROUNDS=$(ROUNDS) \
		$(CHECKED)/bin/python -m pytest tests/_core tests/solvers -p no:cacheprovider --no-header -q --capture=sys

$(CHECKED)/.built: $(VENV)/.test $(NATIVE)
	$(PYTHON) -m venv --without-pip $(CHECKED)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
		> $$($(CHECKED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth
	MERCER_SANITIZE=ON MERCER_ISAS=$${MERCER_ISAS:-v3} $(BIN)/python -m pip --python $(CHECKED)/bin/python install --quiet \
		--no-deps --config-settings=build-dir=build/sanitize --config-settings=install.strip=false --editable .
	@touch $@

bench: $(VENV)/.test
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) $(CHECKED) build

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mercer needs Python 3.11 or later; found $$($(PYTHON) --version). Try: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Editable: a change in src/ needs no reinstall, a change in native/ or pyproject.toml does.
$(VENV)/.built: $(VENV)/.made $(NATIVE)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# An extra of pyproject.toml on top of what is installed, without building mercer again.
extra = $(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$(1)'], sep='\n')" \
	> $(VENV)/$(1).txt && $(BIN)/python -m pip install --quiet --requirement $(VENV)/$(1).txt

$(VENV)/.test: $(VENV)/.built
	$(call extra,test)
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	$(call extra,lint)
	@touch $@
