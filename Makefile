# Everything on a fresh clone: Python 3.11 or newer, make and a C++ compiler are all that is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard native/*/*.hpp native/*/*.cpp) CMakeLists.txt
SANITIZE := build/sanitize
SANITIZE_THREADS := build/sanitize-threads

RUNS ?= 20
AT_ONCE ?= 1
COUNT ?= 1000000
SEED ?= 0
# Two processes take tests from each other, so that neither waits for the other at the end.
PYTEST := $(BIN)/pytest -n 2 --dist worksteal

.PHONY: help install demo test campaign fuzz test-under-load lint check-types unit bench bench-paper-scale bench-smoke sanitize sanitize-threads format clean

help:
	@echo "make install      build and install into .venv, in a few minutes"
	@echo "make demo         run both halves of the papers on the embedded synthetic corpus, in about three minutes"
	@echo "make test         what every change must pass: lint, types, tests"
	@echo "make campaign     the long tests: kills at every step, thousands of examples, the whole demo, toy benchmarks"
	@echo "make fuzz         COUNT=1000000 damaged files of all formats, loaded and used; SEED=0 is the first"
	@echo "make test-under-load   the tests RUNS=20 times on a busy machine, AT_ONCE=1, in different surroundings"
	@echo "make bench        the benchmarks at full size (SOURCE=… TARGET=… ALIGNMENT=… for real text)"
	@echo "make bench-paper-scale   47.2 million phrase pairs of the synthetic corpus, or SOURCE=… as above"
	@echo "make sanitize     native tests under AddressSanitizer and UBSan"
	@echo "make sanitize-threads   native tests that use threads, under ThreadSanitizer"
	@echo "make format       format Python and C++"
	@echo "make clean        remove the virtual environment and all that was built"

$(VENV)/tools: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tartib needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "scikit-build-core>=0.10" "nanobind>=2.4" "cmake>=3.24" ninja
	touch $@

$(VENV)/installed: $(VENV)/tools $(NATIVE)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[dev]"
	touch $@

install: $(VENV)/installed

demo: install
	$(BIN)/tartib demo

test: lint check-types unit

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror native/*/*.hpp native/*/*.cpp

check-types: install
	$(BIN)/mypy

unit: install
	$(PYTEST)

# Tests with Hypothesis are in both: here with all their examples.
campaign: install bench-smoke
	$(PYTEST) -m "campaign or hypothesis" --hypothesis-profile=campaign

# One process: an hour or so for a million. Beside it: python -m tests.campaign.kills, and signals.
fuzz: install
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -W ignore -m tests.campaign.fuzz --total $(COUNT) --seed $(SEED)

test-under-load: install
	$(BIN)/python -m tests.support.under_load $(RUNS) $(AT_ONCE)

TEXT := $(if $(SOURCE),--source $(SOURCE) --target $(TARGET) --alignment $(ALIGNMENT))

bench: install
	$(BIN)/python -m benchmarks $(TEXT)

bench-paper-scale: install
	$(BIN)/python -m benchmarks.features --paper-scale
	$(BIN)/python -m benchmarks.classifiers --paper-scale $(TEXT)

bench-smoke: install
	$(BIN)/python -m benchmarks --toy

# A second environment, where the core is built with checks; the sanitizers must be loaded before Python. SIGBUS is ours
# (native/base/mapped_files.hpp).
sanitize:
	$(PYTHON) -m venv $(SANITIZE)
	$(SANITIZE)/bin/python -m pip install --quiet --upgrade pip
	$(SANITIZE)/bin/python -m pip install --quiet --config-settings=cmake.define.TARTIB_SANITIZE=ON \
		--config-settings=build-dir=$(SANITIZE)/cmake ".[dev]"
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	ASAN_OPTIONS=detect_leaks=0:handle_sigbus=0 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SANITIZE)/bin/python -m pytest -p no:cacheprovider -m "native and not campaign" --hypothesis-profile=campaign

# Threads of Python itself are not seen by the sanitizer, so only what our own code does is reported.
sanitize-threads:
	$(PYTHON) -m venv $(SANITIZE_THREADS)
	$(SANITIZE_THREADS)/bin/python -m pip install --quiet --upgrade pip
	$(SANITIZE_THREADS)/bin/python -m pip install --quiet --config-settings=cmake.define.TARTIB_SANITIZE_THREADS=ON \
		--config-settings=build-dir=$(SANITIZE_THREADS)/cmake ".[dev]"
	LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	TSAN_OPTIONS="halt_on_error=0 exitcode=66 ignore_noninstrumented_modules=1" \
	$(SANITIZE_THREADS)/bin/python -m pytest -p no:cacheprovider -m "native and not campaign"

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i native/*/*.hpp native/*/*.cpp

clean:
	rm -rf $(VENV) build dist
