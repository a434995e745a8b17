# make demo   the main job on the embedded table, with a report at the end
# make test   every test
# make lint   ruff, mypy, import-linter
# make bench  the benchmarks (MERCER_DATA=folder with the public tables)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := CMakeLists.txt pyproject.toml $(shell find native -name '*.[ch]pp')

.PHONY: demo test lint bench clean
.DELETE_ON_ERROR:

demo: $(VENV)/.built
	$(BIN)/mercer train --out demo-out

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.lint
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) build

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
