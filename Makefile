# Needs make and Python 3.11 or newer with venv, nothing else: no root, no Java. Writes to this folder only.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo editable compiled lint check test test-compiled test-slow bench growth docs pictures viewer constraints clean

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Tried in this order. `make PYTHON=/path/to/python` overrides the choice.
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11

# Relative names only: make takes a space in a path for the end of it.
BIN := .venv/bin
MADE := .venv/.made
RUNTIME := .venv/.runtime
TEST := .venv/.test
BENCH := .venv/.bench
DOCS := .venv/.docs
TOOLS := .venv/.compile
COMPILED := .venv/.compiled
FRESH := build/constraints

# `make demo` and `make bench` run with the compiled core; MOBILESIM_PURE=1 forbids it. After `make demo`, the commands
# in .venv/bin do so as well: a path file puts the compiled copy before the working tree. The targets for development
# remove this file, so that changes of the source have an effect.
CORE := $(if $(filter 1,$(MOBILESIM_PURE)),,$(CURDIR)/.venv/compiled)
WITH_CORE := $(if $(CORE),$(COMPILED))
PATH_FILE = $(wildcard .venv/lib/python3*/site-packages)/00-mobilesim-compiled.pth
IF_CURRENT = $(shell $(MAKE) -q $(COMPILED) >/dev/null 2>&1 && ls .venv/compiled/*.so >/dev/null 2>&1 && echo .venv/compiled)
SOURCES = $(shell find protocols mobilesim analysis scenarios compiled_core -type f -not -name '*.pyc')

help:
	@echo "make demo         run scenarios/quickstart.yaml and say where its report is"
	@echo "make editable     let mobilesim in .venv/bin run the working tree (after make demo, it runs a compiled copy)"
	@echo "make compiled     compile the core into .venv/compiled, if there is a C compiler (demo and bench do)"
	@echo "make check        ruff, mypy and the quick tests (under a minute)"
	@echo "make test         ruff, mypy and every test but the slow ones"
	@echo "make test-compiled  the quick tests with the compiled core"
	@echo "make test-slow    the slow tests"
	@echo "make lint         ruff and mypy alone"
	@echo "make bench        speed, side by side with SimPy and ns.py"
	@echo "make growth       time and memory against the numbers of hosts, stations and messages"
	@echo "make docs         build the documentation as a web site"
	@echo "make pictures     write the generated pages and pictures of docs/ again"
	@echo "make viewer       build the viewer of runs again, from viewer/ (needs Node.js with npm)"
	@echo "make constraints  pin the newest dependencies that fit, from a fresh environment"
	@echo "make clean        remove .venv/, caches and build products (results/ stays)"
	@echo
	@echo "What a target needs is installed into .venv/ first. PYTHON=... chooses the Python for it."

demo: $(RUNTIME) $(WITH_CORE)
	@rm -f $(PATH_FILE)
	@if [ -n "$(CORE)" ] && ls .venv/compiled/*.so >/dev/null 2>&1; then echo "$(CORE)" >$(PATH_FILE); fi
	@$(BIN)/mobilesim run scenarios/quickstart.yaml

# The commands in .venv/bin run the working tree.
editable: $(RUNTIME)
	@rm -f $(PATH_FILE)

compiled: $(COMPILED)

# Tests start many Pythons. Where bytecode is not written, each of them would compile all modules again.
check test test-slow: export PYTHONDONTWRITEBYTECODE :=

lint: $(TEST) editable
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict

check: lint
	$(BIN)/python -m pytest -q -n 2 -m "not slow and not full"

# Three workers, because tests with Spark and subprocesses often wait. tests/conftest.py says which tests stay together.
# The comparison of both cores takes the core of `make compiled` if it is up to date; otherwise it compiles one.
test: lint
	MOBILESIM_COMPILED=$(IF_CURRENT) $(BIN)/python -m pytest -n 3

# The quick tests, and the pages on protocols of one's own: their classes are interpreted, and the core is compiled.
test-compiled: $(TEST) $(COMPILED) editable
	PYTHONSAFEPATH=1 $(BIN)/python -m pytest -q -n 2 -m "not slow and not full" --ignore tests/house $(WITH_COMPILED)
	PYTHONSAFEPATH=1 $(BIN)/python -m pytest -q tests/house/test_docs.py -k "tutorial or adding-a-protocol" $(WITH_COMPILED)

test-slow: $(TEST) editable
	$(BIN)/python -m pytest -m slow

# Without PYTHONSAFEPATH, the working tree would precede the compiled core.
bench: $(BENCH) $(WITH_CORE) editable
	@PYTHONSAFEPATH=1 PYTHONPATH="$(CORE)" $(BIN)/python -m benchmarks

growth: $(BENCH) $(WITH_CORE) editable
	@PYTHONSAFEPATH=1 PYTHONPATH="$(CORE)" $(BIN)/python -m benchmarks.growth

docs: $(DOCS)
	@$(BIN)/python -m zensical build --strict --clean
	@echo "open build/site/index.html; its search needs a server: $(BIN)/python -m http.server --directory build/site"

pictures: $(TEST) editable
	@$(BIN)/python -m tests.house.reference
	@$(BIN)/python -m tests.house.pictures
	@$(BIN)/python -m tests.house.report_picture
	@$(BIN)/python -m tests.house.viewer_picture
	@$(BIN)/python -m tests.house.layers
	@$(BIN)/python -m tests.house.glossary

# The built files are under version control, so that nothing else needs Node.js.
viewer:
	@cd viewer && npm ci --omit-lockfile-registry-resolved --no-audit --no-fund && npm run build

$(MADE):
	@set -- $(CANDIDATES); if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; fi; bare=; \
	for python do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  "$$python" -c 'import ensurepip, venv' 2>/dev/null || { bare=$$python; continue; }; \
	  "$$python" -m venv --clear .venv && touch $@; exit; \
	done; \
	if [ -n "$$bare" ]; then echo "mobilesim: $$bare has no venv; install it (on Debian: apt-get install python3-venv)"; \
	else echo "mobilesim: none of '$$*' is Python 3.11 or newer; install one, or name it: make PYTHON=..."; fi >&2; \
	exit 1

# Silent when it works, all of pip's words when it does not. Each stamp waits for another, so that `make -j` never
# lets two pips loose on one environment.
define install
@echo "installing $(WHAT)…"
@MOBILESIM_PURE=1 $(BIN)/python -m pip install --editable '.$(EXTRA)' --constraint constraints.txt >.venv/install.log 2>&1 \
  || { cat .venv/install.log >&2; echo "mobilesim: the installation failed, see above" >&2; exit 1; }
@touch $@
endef

$(RUNTIME): WHAT := what mobilesim needs (600 MB to fetch, 1 GB on disk: a minute or two, once)
$(RUNTIME): EXTRA :=
$(RUNTIME): $(MADE) pyproject.toml constraints.txt
	$(install)

$(TEST): WHAT := what the tests need (some seconds, once)
$(TEST): EXTRA := [test]
$(TEST): $(RUNTIME)
	$(install)

$(BENCH): WHAT := what the benchmarks need (some seconds, once)
$(BENCH): EXTRA := [bench]
$(BENCH): $(TEST)
	$(install)

$(DOCS): WHAT := what the web site needs (some seconds, once)
$(DOCS): EXTRA := [docs]
$(DOCS): $(RUNTIME)
	$(install)

$(TOOLS): WHAT := what compiles the core (some seconds, once)
$(TOOLS): EXTRA := [compile]
$(TOOLS): $(RUNTIME)
	$(install)

WITH_COMPILED := -o pythonpath=".venv/compiled . examples/probabilistic-causal-broadcast/src"

# A copy of the product beside the working tree, which itself always runs as pure Python.
$(COMPILED): $(TOOLS) $(SOURCES) pyproject.toml
	@rm -rf .venv/compiled && mkdir .venv/compiled
	@if $(BIN)/python -m compiled_core.build_hook; then \
	  echo "compiling the core (two to four minutes, once)…"; \
	  $(BIN)/python -m pip install --no-deps --no-build-isolation --no-index --target .venv/compiled . \
	    >.venv/compile.log 2>&1 || { cat .venv/compile.log >&2; exit 1; }; \
	else echo "no C compiler or no header files of Python: mobilesim runs as pure Python"; fi
	@touch $@

# Names and versions only; the environment is the oldest Python's that is supported, if it is at hand.
constraints: CANDIDATES := python3.11 $(CANDIDATES)
constraints:
	@rm -rf $(FRESH)
	@for python in "$$PYTHON" $(CANDIDATES); do "$$python" -m venv $(FRESH) 2>/dev/null && break; done
	@echo "resolving anew (several minutes)…"
	@$(FRESH)/bin/python -m pip install --quiet '.[test,bench,compile,docs]'
	@$(FRESH)/bin/python -m pip freeze --all --exclude mobilesim --exclude pip | grep '^[A-Za-z0-9._-]*==[^ ]*$$' >$(FRESH)/pins
	@mv $(FRESH)/pins constraints.txt
	@rm -rf $(FRESH)
	@echo "constraints.txt: $$(wc -l <constraints.txt) pins"

clean:
	rm -rf .venv build dist viewer/node_modules .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis spark-warehouse metastore_db derby.log
	find protocols mobilesim analysis compiled_core tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
