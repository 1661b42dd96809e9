# Everything a checkout needs is made in .venv: `make demo` runs the main sample, `make test` the suite.
# Stamp files in .venv remember what is installed; they are renewed when the pins or pyproject.toml change.

VENV ?= .venv
JOBS ?= 2
PYTHON ?= $(shell for p in python3 python python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

BIN := $(VENV)/bin
COMMA := ,
# Each worker begins with a part of the suite that hangs together: what the tests of a file share is made once.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
PINS := requirements/constraints.txt
# The build tools come first and are pinned too, so the package itself is built without an isolated environment.
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --constraint $(PINS)
PACKAGES := pellucid compiler runtime

.PHONY: demo test test-long test-portable test-pythons cuda-check gpu sanitize bench docs lint fuzz fuzz-seeds fuzz-hypothesis clean

demo: $(VENV)/.installed-demo
	$(BIN)/python samples/digits.py

test: $(VENV)/.installed-test
	$(PYTEST)

# What takes seconds each, above all in LLVM, and of the tests that are `drawn` the cases that `make test` leaves to
# other days: programs as they are written, samples, all programs of a table; but for those that are resting today.
test-long: $(VENV)/.installed-test
	$(PYTEST) -m "long and not resting"

# A part of the suite without the native part, as where there is no C compiler; of its tables all cases.
test-portable: $(VENV)/.installed-test
	PELLUCID_NATIVE=0 $(PYTEST) -m "not long or drawn" tests/test_portable.py tests/test_api.py tests/test_growing_lists.py \
		tests/test_known.py tests/test_vjp_of_lists.py tests/test_tracebacks.py

# Kernels for GPUs, compiled and assembled with pip's tools: no GPU and no driver are needed.  It ends with a table of what
# each kernel costs.
cuda-check: $(VENV)/.installed-cuda-check
	$(BIN)/python -m pytest -m cuda -rs -n $(JOBS) tests/test_cuda_assembly.py tests/test_cuda_rows.py
	$(BIN)/python -m tests.cuda_kernels

# What a GPU computes and how fast, in one run of at most four minutes on a machine that has one: `make gpu ARGUMENTS="--only
# correct"`.  JAX and CuPy are measured beside ours where they are installed.
gpu: ARGUMENTS = --markdown docs/benchmarks-gpu.md
gpu: $(VENV)/.installed-cuda-check
	$(BIN)/python benchmarks/gpu.py $(ARGUMENTS)

# A part of the suite on every CPython from 3.11 on that this machine has, each in an environment of its own.
PYTHONS ?= $(shell for p in python3.11 python3.12 python3.13 python3.14; do $$p -c 'import venv' 2>/dev/null && echo $$p; done)
PART := tests/test_api.py tests/test_array.py tests/test_cache.py tests/test_classes.py tests/test_dispatch.py \
	tests/test_parsing.py tests/test_samples.py tests/test_threads.py tests/test_tracebacks.py tests/test_world.py
test-pythons:
	@test -n "$(PYTHONS)" || { echo "no CPython from 3.11 on with the venv module was found" >&2; exit 1; }
	set -e; for python in $(PYTHONS); do \
		$(MAKE) VENV=build/pythons/$$python PYTHON=$$python build/pythons/$$python/.installed-test; \
		build/pythons/$$python/bin/python -m pytest -n $(JOBS) --dist worksteal $(PART); \
	done

# The native part under AddressSanitizer and UndefinedBehaviorSanitizer, then under ThreadSanitizer.  CPython's own
# allocator would hide what is wrong; what it and others never free is not ours.
SANITIZED := build/sanitized
BUILD_SANITIZED = PELLUCID_SANITIZERS="-fsanitize=$(1) -fno-omit-frame-pointer -g" $(BIN)/python setup.py -q build_ext \
	--force --build-lib $(SANITIZED)/$(2) --build-temp $(SANITIZED)/$(2)/objects
EXTENSION = PELLUCID_TEST_EXTENSION=$$(find $(SANITIZED)/$(1) -name "_native*.so")
WITH_ADDRESSES = LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 PYTHONMALLOC=malloc $(call EXTENSION,addresses)
WITH_THREADS = LD_PRELOAD=$$(cc -print-file-name=libtsan.so) TSAN_OPTIONS=exitcode=66 $(call EXTENSION,threads)
CALLS ?= 1000000
sanitize: $(VENV)/.installed-test
	$(call BUILD_SANITIZED,address$(COMMA)undefined,addresses)
	$(WITH_ADDRESSES) $(BIN)/python -m pytest -q -n 0 tests/test_dispatch.py tests/test_growing_lists.py \
		tests/test_asynchronous.py tests/test_cuda_runtime.py
	$(WITH_ADDRESSES) $(BIN)/python -m pytest -q -n 0 tests/test_many_devices.py -k "remembered or launches"
	$(WITH_ADDRESSES) $(BIN)/python -m tests.fuzz.entry --calls $(CALLS)
	$(call BUILD_SANITIZED,thread,threads)
	$(WITH_THREADS) $(BIN)/python -m tests.fuzz.regions
	$(WITH_THREADS) PELLUCID_CPU_DEVICES=2 $(BIN)/python -m tests.fuzz.tasks

# The peers are installed for this alone.  `make bench ARGUMENTS="--only sum --json"` passes options on.
ARGUMENTS ?= --markdown docs/benchmarks.md
bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/run.py $(ARGUMENTS)

# The site: build/docs/html/index.html.  A link that leads nowhere and anything else that Sphinx warns of fails the build.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/docs/read docs build/docs/html
	@echo "the site is build/docs/html/index.html"

# Programs of the generators for as long as asked: `make fuzz MINUTES=10 GENERATORS="numpy containers corpus"`, those of
# the day if no SEED is named.  What fails is shrunk and written into build/fuzz, and drawn first the next time.
# `make fuzz-hypothesis` draws the tests of tests/fuzz at length, and `make fuzz-seeds` what the suite draws by seeds.
# Their programs as kernels, in lockstep: `.venv/bin/python -m tests.fuzz.run --kernels --short --count 60`.
# Dependences of random nests: `.venv/bin/python -m tests.fuzz.dependences --minutes 10`.
# Every pair of transformations on fifty programs: `.venv/bin/python -m tests.fuzz.pairs`.
MINUTES ?= 5
GENERATORS ?= numpy containers corpus
SEED ?=
fuzz: $(VENV)/.installed-test
	$(BIN)/python -m tests.fuzz.run --minutes $(MINUTES) $(GENERATORS:%=--generator %) $(SEED:%=--seed %) --jobs $(JOBS)

# The seeds of the suite and those behind them, TIMES as many, and all programs of the corpus where the suite has some.
TIMES ?= 10
fuzz-seeds: $(VENV)/.installed-test
	PELLUCID_DRAWS=$(TIMES) $(BIN)/python -m pytest tests -m "" -k "random or every_stage or every_program or test_gradient" -n $(JOBS)

fuzz-hypothesis: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/fuzz -n $(JOBS) --hypothesis-profile=long

# mypy reads names from paths, and two of the packages do not lie under `pellucid/` here: it is shown a folder of links
# in which they do.
lint: $(VENV)/.installed-test
	$(BIN)/python -m ruff check $(PACKAGES) tests samples benchmarks docs
	rm -rf build/typed
	mkdir -p build/typed/pellucid
	ln -s "$(CURDIR)"/pellucid/* "$(CURDIR)/compiler" "$(CURDIR)/runtime" build/typed/pellucid/
	MYPYPATH=build/typed:typings $(BIN)/python -m mypy --package pellucid
	MYPYPATH=build/typed:typings $(BIN)/python -m mypy --strict --follow-imports=silent tests/types/usage.py
	MYPYPATH=build/typed:typings $(BIN)/python -m mypy --check-untyped-defs --follow-imports=silent samples/*.py

$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with the venv module is needed; name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.build-tools: $(VENV)/.created $(PINS)
	$(INSTALL) setuptools wheel numpy
	touch $@

# What the package is built from: the native part is compiled when it is installed.
BUILT_FROM := pyproject.toml setup.py $(wildcard runtime/native/*.[ch])

$(VENV)/.installed-demo: $(VENV)/.build-tools $(PINS) $(BUILT_FROM)
	$(INSTALL) --no-build-isolation --editable ".[demo]"
	touch $@

$(VENV)/.installed-test: $(VENV)/.build-tools $(PINS) $(BUILT_FROM)
	$(INSTALL) --no-build-isolation --editable ".[test]"
	touch $(VENV)/.installed-demo $@

$(VENV)/.installed-bench: $(VENV)/.build-tools $(PINS) $(BUILT_FROM)
	$(INSTALL) --no-build-isolation --editable ".[bench]"
	touch $@

$(VENV)/.installed-cuda-check: $(VENV)/.build-tools $(PINS) $(BUILT_FROM)
	$(INSTALL) --no-build-isolation --editable ".[cuda-check]"
	touch $(VENV)/.installed-demo $(VENV)/.installed-test $@

$(VENV)/.installed-docs: $(VENV)/.build-tools $(PINS) $(BUILT_FROM)
	$(INSTALL) --no-build-isolation --editable ".[docs]"
	touch $(VENV)/.installed-demo $@

clean:
	rm -rf $(VENV) build dist *.egg-info runtime/_native*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis samples/output docs/gallery
