# Every target works alone on a fresh clone that has python3, pip and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench clean

help: ## Say what each target does
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,countries]'
	touch $@

demo: $(STAMP) ## Train on real geography, judge the model, ask it three questions
	$(BIN)/q2b demo

test: $(STAMP) ## Run the whole test suite
	scripts/install_chromium.sh
	$(BIN)/python -m pytest -n $(JOBS)

check: $(STAMP) ## Lint, check types, check import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP) ## Format the code and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) ## Measure against the plain way, on DATA (default: countries); wants an idle machine
	for case in sample train evaluate; do $(BIN)/q2b bench $$case $(DATA) || exit 1; done

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
