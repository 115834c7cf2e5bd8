# The front door. Meson builds; this file sets up what is missing and calls it.
# Variables: PREFIX, DESTDIR (install), BUILD (build folder), JOBS, MESON_FLAGS, ONLY (mutants).
PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
MESON_FLAGS ?=

.PHONY: all setup build demo test test-quick python-test python-extra spark-test report-test example-pages check check-cross mutants audit-faults theory bench bench-speed bench-noise bench-python bench-utility bench-intervals bench-blt bench-protection bench-audit bench-parse bench-kernels bench-mpi install static deb wheel packages-test clean help
.NOTPARALLEL:

all: build

help:
	@echo 'make            the same as make build'
	@echo 'make setup      install the Debian packages that are missing, for everything below'
	@echo 'make build      build the program $(BUILD)/tacit and the library'
	@echo 'make demo       build, then train a private model on made-up patients'
	@echo 'make test       build and run the tests (5 minutes on two idle cores)'
	@echo 'make test-quick   those that tell most in 40 seconds, while you work'
	@echo 'make python-test   the tests of the Python package alone'
	@echo 'make python-extra  the same with the newest packages of PyPI'
	@echo 'make spark-test    tacit.spark on PyPI'\''s pyspark (needs PyPI and Java)'
	@echo 'make report-test   pages in headless Chromium; screenshots in $(BUILD)/pages'
	@echo 'make example-pages the pages that the documentation shows, to docs/examples'
	@echo 'make check      more: builds with -Werror, Valgrind, every dispatch level, a static library, exported models, slow tests; all under ASan and UBSan (needs PyPI)'
	@echo 'make check-cross  tests on aarch64 and s390x under qemu, the same bytes as here (40 minutes)'
	@echo 'make mutants    plant privacy bugs, one at a time: a test must fail (8 minutes; ONLY=name)'
	@echo 'make audit-faults  tacit audit on programs with privacy bugs, planted or not: each must be found (4 minutes)'
	@echo 'make theory     check every theorem of the paper, draw docs/figures (3 minutes)'
	@echo 'make bench      the same as make bench-speed QUICK=1 PEERS=none'
	@echo 'make bench-speed  seconds from file to model beside other tools, to docs/results (25 minutes; QUICK=1: 2)'
	@echo 'make bench-noise  nanoseconds and instructions a sample of noise'
	@echo 'make bench-parse  megabytes a second of text parsed by one thread'
	@echo 'make bench-kernels  a pass over rows in memory beside the sum of the same array; instructions a row'
	@echo 'make bench-mpi  one rank against two of tacit-mpi, bytes a round'
	@echo 'make bench-utility  accuracy beside other methods, to docs/results (40 minutes; QUICK=1: 1)'
	@echo 'make bench-intervals  coverage and width of the intervals of tacit infer, to build/intervals (2 hours)'
	@echo 'make bench-blt  2^26 rounds of the buffered mechanism in constant memory (10 minutes)'
	@echo 'make bench-protection  an attack on sorted files, class weights on a rare class, to docs/results (2 minutes)'
	@echo 'make bench-audit  audits of plans and of other programs, to docs/results (20 minutes; OPACUS=, DIFFPRIVLIB= their Python)'
	@echo 'make install    into PREFIX (default /usr/local), below DESTDIR if given'
	@echo 'make static     one program without shared libraries, build-onefile/tacit'
	@echo 'make deb        Debian packages, checked by lintian, in build-deb'
	@echo 'make wheel      a Python wheel with its libraries inside, in build-wheel (needs PyPI)'
	@echo 'make packages-test  those three on a fresh Debian without build tools (needs root; 5 minutes)'
	@echo 'make clean      remove the build folders'

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

report-test: build
	@tools/setup.sh build test browser
	@PYTHONDONTWRITEBYTECODE=1 $(firstword $(wildcard /usr/bin/python3) python3) tests/golden/browser.py $(BUILD)/tacit $(BUILD)/pages

example-pages: build
	@tools/setup.sh browser
	@tools/example_pages.sh $(BUILD)/tacit docs/examples

check:
	@tools/setup.sh build test check
	@tools/check.sh $(JOBS)

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
	@cd bench/intervals && /usr/bin/python3 intervals.py --tacit $(abspath $(BUILD))/tacit --out $(abspath $(BUILD))/intervals
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

packages-test: static deb wheel
	@tools/setup.sh packages
	@tools/packages.sh

clean:
	rm -rf $(BUILD) build-onefile build-deb build-wheel build-root build-asan build-gcc build-clang build-fuzz build-static build-cross build-python build-mutants
