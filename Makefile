# The environment is made on first use. Set PYTHON to a Python 3.11 or newer, or VENV to an
# environment that exists.
PYTHON ?= python3
VENV ?= .venv
ifeq ($(strip $(VENV)),)
$(error VENV is empty: name the folder of an environment, or leave VENV= out for .venv)
endif
ifeq ($(strip $(PYTHON)),)
$(error PYTHON is empty: name a Python 3.11 or newer, or leave PYTHON= out for python3)
endif
ifneq ($(filter ~/%,$(firstword $(VENV))),)  # not every shell replaces ~ after a =
override VENV := $(subst ~/,$(HOME)/,$(VENV))
endif
# The recipes read both from the shell's variables, so that a path may have spaces and quotes.
export PYTHON VENV
BIN := "$$VENV"/bin
READY := ready
# Written into an environment that make creates; only such a one is ever removed.
MADE := .made-by-make
# A process per core, at most four, since each holds torch; the tests of a file share what they made.
PARALLEL := --numprocesses=auto --maxprocesses=4 --dist=loadfile

NOTEBOOKS ?= notebooks/[0-9]*.ipynb
PORT ?= 8000
WHEELS ?=

.PHONY: figures paper redraw test test-all coverage mutants lab sync outputs assignments grade bench claims proofs
.PHONY: book book-pdf book-lite serve sphinx pages ready environment clean

figures: $(READY)  ## the paper's three figures at quick scale, into results/
	$(BIN)/bandits figures --scale quick

paper: $(READY)  ## every experiment at paper scale, into figures/ (hours; goes on where it stopped)
	$(BIN)/bandits figures low_noise high_noise --scale paper
	$(BIN)/bandits figures convergence convergence_repeats --scale paper
	$(BIN)/bandits figures architecture_study --scale paper
	$(BIN)/bandits figures training_study exponent pixel_scale linear_failure random_branch_only \
		predictors --scale paper
	$(BIN)/bandits figures bounded_training --scale paper
	$(BIN)/bandits figures long_low_noise long_exponent long_high_noise --scale paper
	$(BIN)/bandits figures error_causes long_convergence --scale paper
	$(BIN)/bandits figures bounds undrawn --scale paper
	$(BIN)/bandits figures ranks --scale paper

redraw: $(READY)  ## the committed figures again, from their data alone
	$(BIN)/bandits figures --scale paper --from-data

test: $(READY) sphinx  ## everything that CI runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check bandits book course/*.py course/tests tools tests
	$(BIN)/mypy
	$(BIN)/python -m pytest $(PARALLEL)

test-all: $(READY) sphinx  ## the long batteries too
	$(BIN)/python -m pytest $(PARALLEL) -m "slow or not slow" --cov --cov-report=term:skip-covered --cov-fail-under=95
	$(BIN)/python tools/installs.py oldest
	$(BIN)/python tools/installs.py newest
	$(MAKE) mutants

coverage: $(READY)  ## lines and branches of bandits/ that the default suite reaches
	$(BIN)/python -m pytest $(PARALLEL) --cov --cov-report=term-missing:skip-covered --cov-fail-under=95

mutants: $(READY)  ## which changes to the algorithms no test notices
	$(BIN)/python -m pip install --quiet --editable ".[mutants]"
	$(BIN)/python tools/mutants.py

claims: $(READY)  ## check every claim of the paper
	$(BIN)/bandits claims

proofs:  ## check by machine what proofs/ proves; needs Coq, and make test does without
	@command -v coqc >/dev/null || \
		{ echo "make proofs needs coqc: install Coq (Debian's package is coq)" >&2; exit 2; }
	cd proofs && coqc sums.v && coqc lemma.v && coqc anytime.v

lab: sync  ## JupyterLab at the reading path
	$(BIN)/jupyter lab notebooks/01_the_problem.ipynb

sync: $(READY)  ## both forms of each notebook as the one saved later; what it replaces is kept
	$(BIN)/python tools/pairs.py --keep
	$(BIN)/jupytext --quiet --sync notebooks/[0-9]*

outputs: sync  ## run the notebooks (or make outputs NOTEBOOKS=...) and store what they show
	env -u MPLBACKEND -u PYTHONWARNINGS -u PYTHONOPTIMIZE BANDITS_MNIST=sample BANDITS_SCALE=glance \
		OMP_NUM_THREADS=1 BANDITS_RESULTS="$$(mktemp -d)" $(BIN)/jupyter nbconvert \
		--to notebook --inplace --execute --ExecutePreprocessor.record_timing=False $(NOTEBOOKS)
	$(BIN)/jupyter nbconvert --to notebook --inplace --coalesce-streams $(NOTEBOOKS)

book: book-lite  ## the study as web pages, into results/book/html
	$(BIN)/python -m book

book-pdf: pages  ## the whole book as one PDF, into results/book; needs Chromium
	$(BIN)/python -m book --pdf

book-lite: pages  ## the notebooks that run in the pages (WHEELS= names where Pyodide's wheels are)
	$(BIN)/python -m book.lite $(WHEELS:%=--from %)

serve:  ## the pages that make book made, to this machine only
	@test -e results/book/html/index.html || { echo "there are no pages: make book" >&2; exit 2; }
	"$$PYTHON" -m http.server --bind 127.0.0.1 --directory results/book/html $(PORT)

assignments: $(READY)  ## the students' release as a zip, into results/assignments/
	$(BIN)/python -m course release

grade: $(READY)  ## make grade SUBMISSIONS=folder
	@test -n "$(SUBMISSIONS)" || { echo "make grade needs SUBMISSIONS=folder" >&2; exit 2; }
	$(BIN)/python -m course grade --submissions "$(SUBMISSIONS)" --out results/grades -j 2

bench: $(READY)  ## timings and ratios; nothing else should be running
	$(BIN)/python tools/bench.py

ready:
	@test "$$VENV/.ready" -nt pyproject.toml || $(MAKE) --no-print-directory environment

environment:
	@if test -e "$$VENV/$(MADE)" || test -z "$$(ls -A -- "$$VENV" 2>/dev/null)"; then \
		mkdir -p -- "$$VENV" && touch -- "$$VENV/$(MADE)" && \
		{ test -x $(BIN)/python || "$$PYTHON" -m venv "$$VENV"; }; \
	elif ! test -x $(BIN)/python || ! { test -e "$$VENV/pyvenv.cfg" || test -e "$$VENV/conda-meta"; }; \
	then \
		echo "VENV=$$VENV is neither an environment (venv or conda) nor a new folder" >&2; exit 2; \
	fi
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[notebooks,teach,test,cluster]"
	touch "$$VENV/.ready"

# What the pages are made with: the extra `book` of this package, and npm's part of it.
sphinx: $(READY)
	@test "$$VENV/.book" -nt pyproject.toml || \
		{ $(BIN)/python -m pip install --quiet --editable ".[book,lite]" && touch "$$VENV/.book"; }

pages: sphinx
	@command -v npm >/dev/null || \
		{ echo "make book needs npm, which comes with Node.js, for the pages' MathJax" >&2; exit 2; }
	@test book/node_modules/.package-lock.json -nt book/package-lock.json || \
		{ npm ci --prefix book --no-audit --no-fund --loglevel=error && \
		touch book/node_modules/.package-lock.json; }

clean:  ## everything under results/, what npm brought, and the environment if make created it
	rm -rf results book/node_modules
	@if test -e "$$VENV/$(MADE)"; then \
		echo "rm -rf $$VENV" && rm -rf -- "$$VENV"; \
	elif test -e "$$VENV"; then \
		rm -f -- "$$VENV/.ready" "$$VENV/.book" 2>/dev/null; echo "$$VENV stays, since make did not create it" >&2; \
	fi
