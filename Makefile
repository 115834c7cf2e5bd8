# The front door. Meson builds; this file sets up what is missing and calls it.
# Variables: PREFIX, DESTDIR (install), BUILD (build folder), JOBS, MESON_FLAGS, ONLY (mutants),
# PARTS (check, style).
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
MESON_FLAGS ?=
PARTS ?=
SECONDS_EACH ?= 60

.PHONY: r-install r-page r-test all setup build demo test test-quick python-test python-extra spark-test report-test example-pages check check-cross mutants audit-faults theory bench bench-speed bench-noise bench-python bench-utility bench-intervals bench-blt bench-protection bench-audit bench-parse bench-kernels bench-mpi install static deb wheel packages-test clean style fuzz coverage docs abi dist help help-all
.NOTPARALLEL:

all: build

help:
	@echo 'make            build the program $(BUILD)/tacit and the library'
	@echo 'make demo       train a private model on made-up patients, and show how good it is'
	@echo 'make test       build and run the tests (5 minutes on two idle cores)'
	@echo 'make test-quick those that tell most in 40 seconds, while you work'
	@echo 'make check      more: sanitizers, Valgrind, dispatch levels, slow tests (over an hour; PARTS=name, needs PyPI)'
	@echo 'make mutants    plant privacy bugs, one at a time: a test must fail (8 minutes; ONLY=name)'
	@echo 'make style      format, types, spelling, clang-tidy (minutes; PARTS=name, needs PyPI)'
	@echo 'make docs       render pages, man pages and the Python reference to build-docs/site (needs PyPI)'
	@echo 'make install    into PREFIX (default /usr/local), below DESTDIR if given'
	@echo 'make help-all   every other target'

help-all: help
	@echo
	@echo 'make setup      install the Debian packages that are missing, for build, test, python and check'
	@echo 'make python-test   the tests of the Python package alone'
	@echo 'make python-extra  the same with the newest packages of PyPI'
	@echo 'make spark-test    tacit.spark on PyPI'\''s pyspark (needs PyPI and Java)'
	@echo 'make r-install      the R package of r/, against $(BUILD)'
	@echo 'make r-page         the vignette with what it prints, to docs/howto/r-regression.md'
	@echo 'make r-test         R CMD check --as-cran and the tests of the R package'
	@echo 'make report-test   pages in headless Chromium; screenshots in $(BUILD)/pages'
	@echo 'make check-cross   tests on aarch64 and s390x under qemu, the same bytes as here (40 minutes)'
	@echo 'make audit-faults  tacit audit on programs with privacy bugs, planted or not: each must be found (4 minutes)'
	@echo 'make fuzz          every fuzz target for SECONDS_EACH seconds (60); needs clang'
	@echo 'make coverage      lines and branches that make test runs, to docs/results'
	@echo 'make abi           exported names and sizes of structs beside those of the tree'
	@echo 'make theory        check every theorem of the paper, draw docs/figures (3 minutes)'
	@echo 'make example-pages the pages that the documentation shows, to docs/examples'
	@echo 'make bench         the same as make bench-speed QUICK=1 PEERS=none'
	@echo 'make bench-speed   seconds from file to model beside other tools, to docs/results (25 minutes; QUICK=1: 2)'
	@echo 'make bench-utility accuracy beside other methods, to docs/results (40 minutes; QUICK=1: 1)'
	@echo 'make bench-intervals  coverage and width of the intervals of tacit infer, to build/intervals (an hour; after make python-test)'
	@echo 'make bench-NAME    noise, parse, kernels, mpi, blt, protection, audit, python: bench/README.md'
	@echo 'make static        one program without shared libraries, build-onefile/tacit'
	@echo 'make deb           Debian packages, checked by lintian, in build-deb'
	@echo 'make wheel         a Python wheel with its libraries inside, in build-wheel (needs PyPI)'
	@echo 'make packages-test those three on a fresh Debian without build tools (needs root; 5 minutes)'
	@echo 'make dist          all files of a release, reproducibly, in build-dist (needs PyPI)'
	@echo 'make clean         remove the build folders'

setup:
	@tools/setup.sh build test python check

build:
	@tools/setup.sh build
	@tools/configure.sh $(BUILD) -- -Dtests=disabled $(MESON_FLAGS)
	@ninja -C $(BUILD) -j $(JOBS) --quiet

demo: build
	@$(BUILD)/tacit demo

test:
	@tools/setup.sh build test python
	@tools/configure.sh $(BUILD) -Dtests=enabled -Dmpi=enabled -- $(MESON_FLAGS)
	@tools/test.sh $(BUILD) $(JOBS) '--no-suite slow' build-python

test-quick:
	@tools/setup.sh build test
	@tools/configure.sh $(BUILD) -Dtests=enabled -Dmpi=enabled -- $(MESON_FLAGS)
	@tools/test.sh $(BUILD) $(JOBS) '--suite unit --suite contract --suite lint --suite quick'

python-test: build
	@tools/setup.sh build python
	@tools/python.sh debian build-python $(BUILD)/tacit

python-extra: build
	@tools/setup.sh build python
	@tools/python.sh pypi build-python $(BUILD)/tacit

spark-test: build
	@tools/setup.sh build python spark
	@tools/python.sh spark build-python $(BUILD)/tacit

r-install: build
	@tools/setup.sh r
	@tools/r.sh install $(BUILD)

r-page: build
	@tools/setup.sh r
	@tools/r.sh page $(BUILD)

r-test: build
	@tools/setup.sh r
	@tools/r.sh test $(BUILD)

report-test: build
	@tools/setup.sh build test browser
	@PYTHONDONTWRITEBYTECODE=1 $(firstword $(wildcard /usr/bin/python3) python3) tests/golden/browser.py $(BUILD)/tacit $(BUILD)/pages

example-pages: build
	@tools/setup.sh browser
	@tools/example_pages.sh $(BUILD)/tacit docs/examples

check:
	@tools/setup.sh build test check
	@tools/check.sh $(JOBS) $(PARTS)

style:
	@tools/setup.sh build test style
	@tools/style.sh $(PARTS)

fuzz:
	@tools/setup.sh build fuzz
	@tools/fuzz.sh $(JOBS) $(SECONDS_EACH)

coverage:
	@tools/setup.sh build test python coverage
	@tools/coverage.sh $(JOBS)

docs: build
	@tools/setup.sh docs
	@tools/docs.sh $(BUILD)

abi: build
	@tools/setup.sh test
	@tools/abi.sh $(BUILD)

check-cross: build
	@tools/setup.sh build test cross
	@tools/cross.sh $(BUILD) $(JOBS)

mutants:
	@tools/setup.sh build test python
	@PYTHONDONTWRITEBYTECODE=1 $(firstword $(wildcard /usr/bin/python3) python3) tests/mutants/run.py . build-mutants $(JOBS) $(ONLY)

audit-faults:
	@tools/setup.sh build test python
	@PYTHONDONTWRITEBYTECODE=1 $(firstword $(wildcard /usr/bin/python3) python3) tests/mutants/audit_faults.py . build-mutants $(JOBS)

theory:
	@tools/setup.sh build
	@tools/configure.sh $(BUILD) -- -Dtests=disabled $(MESON_FLAGS)
	@ninja -C $(BUILD) -j $(JOBS) --quiet theory/theory
	@$(BUILD)/theory/theory --figures docs/figures

bench: export QUICK = 1
bench: export PEERS = none
bench: bench-speed

bench-speed: build
	@tools/setup.sh bench || true
	@bench/speed/run.sh $(BUILD)/tacit $(BUILD)

bench-intervals: build
	@cd bench/intervals && OPENBLAS_NUM_THREADS=1 $(abspath build-python)/debian/bin/python intervals.py --out $(abspath $(BUILD))/intervals
	@cd bench/intervals && /usr/bin/python3 table.py $(abspath $(BUILD))/intervals

bench-noise: build
	@bench/speed/noise.sh $(BUILD)

bench-parse: build
	@bench/speed/parse.sh $(BUILD)

bench-kernels: build
	@bench/speed/kernels.sh $(BUILD)

bench-mpi:
	@tools/setup.sh build test
	@tools/configure.sh $(BUILD) -Dmpi=enabled -- -Dtests=disabled $(MESON_FLAGS)
	@ninja -C $(BUILD) -j $(JOBS) --quiet
	@bench/speed/mpi.sh $(BUILD)

bench-utility: build
	@bench/utility/run.sh $(BUILD)/tacit $(BUILD)

bench-protection:
	@tools/setup.sh build test
	@tools/configure.sh $(BUILD) -Dtests=enabled -- $(MESON_FLAGS)
	@ninja -C $(BUILD) -j $(JOBS) --quiet tacit tests/stats/stats_set_attack
	@PYTHONDONTWRITEBYTECODE=1 python3 bench/protection/bench.py $(BUILD)/tests/stats/stats_set_attack $(BUILD)/tacit $${OUT:-docs/results}

bench-audit: build
	@PYTHONDONTWRITEBYTECODE=1 python3 bench/audit/bench.py $(BUILD)/tacit $${OUT:-docs/results} $${KEEP:-}

bench-blt: build
	@bench/utility/blt_long.sh $(BUILD)

bench-python: python-test
	@build-python/debian/bin/python bench/speed/python.py
	@$$([ -x build-python/pypi/bin/python ] && echo build-python/pypi || echo build-python/debian)/bin/python bench/speed/frames.py $(BUILD)/tacit

install:
	@tools/setup.sh build
	@tools/configure.sh $(BUILD) -Dprefix='$(PREFIX)' -- -Dtests=disabled $(MESON_FLAGS)
	@ninja -C $(BUILD) -j $(JOBS) --quiet
	@tools/install.sh $(BUILD) '$(DESTDIR)'

static:
	@tools/setup.sh build
	@tools/static.sh $(JOBS)

deb:
	@tools/setup.sh build deb
	@tools/deb.sh $(JOBS)

wheel:
	@tools/setup.sh build python wheel
	@tools/wheel.sh

dist:
	@tools/setup.sh build python wheel deb
	@tools/dist.sh $(JOBS)

packages-test: static deb wheel
	@tools/setup.sh packages
	@tools/packages.sh

clean:
	rm -rf $(BUILD) build-onefile build-deb build-wheel build-root build-asan build-gcc build-clang build-fuzz build-static build-cross build-python build-mutants build-style build-r build-coverage build-docs build-dist
