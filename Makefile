# aivemu needs Python 3.11 or newer, pip and make.  Everything else is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
BENCH_STAMP := $(VENV)/installed-bench
JOBS ?= auto

.PHONY: help demo test lint bench clean

help:
	@echo "make demo    the official example and a 16 Mi-element run, with tiling, progress and error"
	@echo "make test    format, lint, types, layers and all tests"
	@echo "make bench   speed against NumPy (and PyTorch where installed)"
	@echo "make clean   remove .venv and caches of this folder"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "aivemu needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "this Python lacks the venv module (Debian: apt install python3-venv)"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

demo: $(STAMP)
	$(BIN)/aivemu demo

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n $(JOBS)

bench: $(BENCH_STAMP)
	$(BIN)/pytest benchmarks -s --override-ini python_files="bench_*.py" --benchmark-only --benchmark-columns=min,median,iqr,rounds

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
