# Needs Python 3.11 or newer and make, nothing else. The second run of a target installs nothing.
PYTHON ?= python3
VENV ?= .venv
TEST_PROCESSES ?= 2
# Where `make serve` keeps its workspace; made from the sample files on the first start.
WORKSPACE ?= workspace

BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -c constraints.txt
CORE := $(VENV)/.installed-core
DEV := $(VENV)/.installed-dev

.PHONY: demo test lint pytest serve bench constraints clean help

help:
	@echo "make demo   install and answer sample questions with their evidence"
	@echo "make test   ruff, mypy and all tests"
	@echo "make lint   ruff and mypy only"
	@echo "make bench  the measurements, printed as ratios"
	@echo "make serve  the web service, on a workspace with the sample files"
	@echo "make constraints  write constraints.txt anew from what pyproject.toml allows today"
	@echo "make clean  remove the virtual environment and caches"

demo: $(CORE)
	@$(BIN)/beleg demo

test: lint pytest

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/mypy

pytest: $(DEV)
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile

bench: $(DEV)
	$(BIN)/python -m benchmarks

serve: $(CORE)
	@$(BIN)/beleg serve --demo --workspace $(WORKSPACE)

constraints:
	rm -rf $(VENV)-fresh
	$(PYTHON) -m venv $(VENV)-fresh
	$(VENV)-fresh/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -e '.[dense,dev,mcp,otel,postgresql,qdrant]'
	@{ echo "# Exact versions of everything that an installation with all extras brings; written by 'make constraints'."; \
	   $(VENV)-fresh/bin/python -m pip freeze --exclude-editable; } > constraints.txt
	rm -rf $(VENV)-fresh

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

# ---- installation: once, and again when what is to be installed changes

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Beleg needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Say which one to take: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)

$(CORE): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e '.[dense]' || $(INSTALL) -e .
	@touch $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e '.[dense,dev,mcp,otel,postgresql,qdrant]'
	@touch $(CORE) $@
