#!/bin/sh
# coverage.sh JOBS: runs `make test` on a build that counts lines and branches, and writes the figures
# of each room to docs/results/coverage.md. Tests in which a disk is full or files may not grow fail here,
# because the counters cannot be written either: `make test` says whether they pass.
set -eu

tools/configure.sh build-coverage -Db_coverage=true -Dtests=enabled -Dmpi=enabled -Dbuildtype=debug \
  -Doptimization=g -Dc_args=-fprofile-update=atomic --
find build-coverage -name '*.gcda' -delete
tools/test.sh build-coverage "$1" '--no-suite slow' || echo 'tests failed: see above, and the head of tools/coverage.sh'
gcovr --root . --filter 'src/' --filter 'extra/' --filter 'cli/' --exclude-throw-branches \
  --gcov-ignore-parse-errors --json-summary build-coverage/coverage.json build-coverage
/usr/bin/python3 tools/coverage.py build-coverage/coverage.json docs/results/coverage.md
