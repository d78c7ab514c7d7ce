# The environment is made on first use. Set PYTHON to a Python 3.11 or newer, or VENV to an
# environment that exists.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# A process per core, at most four, since each holds torch; the tests of a file share what they made.
PARALLEL := --numprocesses=auto --maxprocesses=4 --dist=loadfile

.PHONY: figures paper redraw test test-all coverage mutants lint lab sync assignments grade bench claims clean

figures: $(READY)  ## the paper's three figures at quick scale, into results/
	$(BIN)/bandits figures --scale quick

paper: $(READY)  ## every experiment at paper scale, into figures/ (hours; goes on where it stopped)
	$(BIN)/bandits figures low_noise high_noise --scale paper
	$(BIN)/bandits figures convergence convergence_repeats --scale paper
	$(BIN)/bandits figures architecture_study --scale paper
	$(BIN)/bandits figures training_study exponent pixel_scale linear_failure random_branch_only \
		predictors --scale paper

redraw: $(READY)  ## the committed figures again, from their data alone
	$(BIN)/bandits figures --scale paper --from-data

test: $(READY)  ## everything that CI runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check bandits tools tests
	$(BIN)/mypy
	$(BIN)/python -m pytest $(PARALLEL)

test-all: $(READY)  ## the long batteries too
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

lab: $(READY)  ## JupyterLab at the reading path
	$(BIN)/python tools/sync.py
	$(BIN)/jupyter lab notebooks/01_the_problem.ipynb

sync: $(READY)  ## pair the notebooks and their scripts, in whichever direction is newer by content
	$(BIN)/python tools/sync.py

assignments: $(READY)  ## the students' release as a zip, into results/assignments/
	$(BIN)/python tools/assignments.py release

grade: $(READY)  ## make grade SUBMISSIONS=folder
	@test -n "$(SUBMISSIONS)" || { echo "make grade needs SUBMISSIONS=folder" >&2; exit 2; }
	$(BIN)/python tools/assignments.py grade --submissions "$(SUBMISSIONS)" --out results/grades

bench: $(READY)  ## timings and ratios; nothing else should be running
	$(BIN)/python tools/bench.py

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[notebooks,teach,test,cluster]"
	touch $(READY)

clean:  ## the environment and everything under results/
	rm -rf $(VENV) results
