#!/bin/sh
# check.sh JOBS: what `make test` cannot see. All tests under the address and undefined
# behaviour sanitizers, a run of the program under Valgrind, memory that ends anywhere, and builds in which every
# warning is an error. Ends with the count of the sanitizer tests.
set -eu

jobs=$1

echo '== warnings are errors: gcc'
CC=gcc tools/configure.sh build-gcc -Dwerror=true -Dtests=enabled --
ninja -C build-gcc -j "$jobs" --quiet
if command -v clang >/dev/null 2>&1; then
  echo '== warnings are errors: clang'
  CC=clang tools/configure.sh build-clang -Dwerror=true -Dtests=enabled --
  ninja -C build-clang -j "$jobs" --quiet
fi

echo '== Valgrind'
tools/smoke.sh build-gcc/tacit valgrind -q --error-exitcode=99 --leak-check=full \
  --errors-for-leak-kinds=definite,indirect,possible

echo '== every request for memory fails once'
/usr/bin/python3 tests/alloc/sweep.py build-gcc/tacit build-gcc/tests/alloc/libtacit_alloc_shim.so 1

echo '== address and undefined behaviour sanitizers'
tools/configure.sh build-asan -Db_sanitize=address,undefined -Db_lundef=false \
  -Dtests=enabled -Dmpi=enabled --
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 tools/test.sh build-asan "$jobs"
