# Two commands: `make demo` shows the main job on this machine, `make test` runs everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check docs clean

demo: $(VENV)/.demo
	@$(BIN)/profdb demo

test: check
	$(BIN)/python -m pytest

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.test  ## write docs/schema.md and docs/cli.md from the code
	$(BIN)/python -m profdb.sql.reference
	$(BIN)/python -m profdb.cli.reference

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[capture]'
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) -e '.[all,dev]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info
