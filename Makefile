# `make paper` reproduces the paper, `make play` opens the table, `make test` checks everything but what needs a GPU,
# which is for `make test-gpu`.
# All set up .venv first and touch nothing outside this folder, but for `make test`: as root, on Debian and its like, it
# also installs Chromium and PostgreSQL (`make system`), which some tests need and which are skipped without them.

# `make PYTHON=python3.13 ...` makes .venv with that Python, again if it was made with another one.
# Without PYTHON, an existing .venv is used; otherwise one is made with python3.
ifdef PYTHON
MADE := .venv/made-with-$(subst /,-,$(PYTHON))
else
PYTHON := python3
MADE := $(firstword $(wildcard .venv/made-with-*) .venv/made-with-python3)
endif
BIN := .venv/bin
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: paper play test test-library test-club test-lab test-all quick test-gpu test-matrix system setup lint style format docs mutants golden results messages clean
.NOTPARALLEL: # two installations at once would spoil .venv

paper: .venv/lab
	$(BIN)/tribridge paper

play: .venv/club
	$(BIN)/tribridge play

TESTS := $(BIN)/pytest -q -n auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0
# Types are checked beside the tests: mypy has one process, which alone would leave the other cores idle.
CHECKED = $(BIN)/mypy & types=$$!; $(TESTS)$(1); tests=$$?; wait $$types && exit $$tests
test: style system
	$(call CHECKED)

# One house alone, with its doctests.
test-library: .venv/dev
	$(TESTS) tests/library $(addprefix src/tribridge/,common cards game capture double_dummy forecast beliefs advice networks \
	  strategies arena reviews envs api cli)
test-club: .venv/dev system
	$(TESTS) tests/club src/tribridge/club
test-lab: .venv/dev
	$(TESTS) tests/lab src/tribridge/lab

# The whole of it: also the tests marked `full`, which are whole grids, coverage of intervals, clusters and kill -9.
test-all: style system
	$(call CHECKED, -m '')

# The fast loop while you work: lint, and the tests that are not slow.
quick: lint
	$(TESTS) -m 'not slow and not full'

# What needs PyTorch or a GPU, with a Python that has them: nothing is installed, and tests whose packages are missing
# are skipped.
test-gpu:
	PYTHONPATH=src$${PYTHONPATH:+:$$PYTHONPATH} $(PYTHON) -m pytest -q -m '' --skip-missing $(GPU)
GPU := tests/lab/training tests/lab/commands/test_train.py tests/lab/test_gpu.py tests/library/forecast/test_defence.py tests/test_gallery.py

# The tests on every supported Python of this machine, with the lowest and the newest versions.
# ARGS='3.11-lowest -- -x tests/library/game' runs part of them.
test-matrix:
	$(PYTHON) -m tools.matrix $(ARGS)

# The tests in a browser need Chromium, best of all its headless shell, which takes a third less time and which not
# every distribution has; those of servers that share a database need PostgreSQL. As root, on Debian and its like, they
# are installed; elsewhere those tests are skipped.
INSTALL := apt-get install -y -q --no-install-recommends
system:
	@command -v chromium-headless-shell > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && apt-get update -q && { $(INSTALL) chromium chromium-headless-shell || $(INSTALL) chromium; }; } \
	  || command -v chromium > /dev/null || echo "no Chromium here: the tests in a browser will be skipped"
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || { [ "$$(id -u)" = 0 ] \
	  && command -v apt-get > /dev/null && apt-get update -q && $(INSTALL) postgresql; } \
	  || echo "no PostgreSQL here: the tests of servers that share a database will be skipped"

lint: style
	$(BIN)/mypy

style: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

setup: .venv/core

# The documentation as a site, in out/site.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q

# Small errors put into the source, one at a time, and the test that finds each: ARGS='10 7' draws ten with seed 7.
mutants: .venv/dev
	$(BIN)/python -m tools.mutants $(ARGS)

# The golden traces and node counts are renewed by this command alone.
golden: .venv/dev
	$(BIN)/python -m tools.golden

# The arena results in the package are played again by this command, where other strategies or other
# versions of them made them. ARGS='--processes 4 ladder' plays one of them, whatever made it.
results: .venv/lab
	$(BIN)/python -m tools.results $(ARGS)

# The message catalogues of the pages: collected, brought up to date and compiled. It says what is
# left to translate; LANGUAGES=fr starts another one.
messages: .venv/dev
	$(BIN)/python -m tools.messages $(LANGUAGES)

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .matrix out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The stamp is written last, so that an installation that was interrupted starts again.
$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit("$(PYTHON) is Python %d.%d, and 3.11 or newer is needed: make PYTHON=..." % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --clear .venv
	touch $@

.venv/core: $(MADE) pyproject.toml constraints.txt
	$(BIN)/pip install -q -e .
	touch $@

.venv/lab: .venv/core
	$(BIN)/pip install -q -e '.[lab]'
	touch $@

.venv/club: .venv/core
	$(BIN)/pip install -q -e '.[club]'
	touch $@

.venv/docs: .venv/core
	$(BIN)/pip install -q -e '.[docs]'
	touch $@

.venv/dev: .venv/core
	$(BIN)/pip install -q -e '.[dev]'
	touch $@
