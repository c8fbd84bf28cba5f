# `make paper` reproduces the paper, `make play` opens the table, `make test` checks everything.
# All set up .venv first; nothing outside this folder is touched.

PYTHON ?= python3
BIN := .venv/bin
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: paper play test browser setup lint format docs golden clean

paper: .venv/core
	$(BIN)/tribridge paper

play: .venv/web
	$(BIN)/tribridge play

test: lint browser
	$(BIN)/pytest -q -n auto --dist loadfile

# The tests in a browser need Chromium; it is installed where that is possible, else they are skipped.
browser:
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && apt-get update -q && apt-get install -y -q --no-install-recommends chromium; } \
	  || echo "no Chromium here: the tests in a browser will be skipped"

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

setup: .venv/core

# The documentation as a site, in out/site.
docs: .venv/docs
	$(BIN)/mkdocs build -q

# The golden traces and node counts are renewed by this command alone.
golden: .venv/dev
	$(BIN)/python -m tests.golden

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install -q -e .
	touch $@

.venv/web: .venv/core
	$(BIN)/pip install -q -e '.[web]'
	touch $@

.venv/docs: .venv/core
	$(BIN)/pip install -q -e '.[docs]'
	touch $@

.venv/dev: .venv/core
	$(BIN)/pip install -q -e '.[dev]'
	touch $@
