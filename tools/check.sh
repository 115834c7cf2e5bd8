#!/bin/sh
# check.sh JOBS: checks beyond `make test`. Builds in which every warning is an error, the corpora
# of the fuzz targets under clang if it is there, a run of the program under Valgrind, memory that
# runs out at any point, exported models in DuckDB and onnxruntime of PyPI, a build with only a
# static library, results at every dispatch level, the slow tests, and the tests of `make test` under
# the address and undefined behaviour sanitizers. The last line counts the latter.
set -eu

jobs=$1

echo '== warnings are errors: gcc'
CC=gcc tools/configure.sh build-gcc -Dwerror=true -Dtests=enabled --
ninja -C build-gcc -j "$jobs" --quiet
if command -v clang >/dev/null 2>&1; then
  echo "== corpora under clang's sanitizers, which see more than gcc's"
  CC=clang tools/configure.sh build-fuzz -Dfuzz=enabled -Dcli=disabled -Dtests=disabled --
  ninja -C build-fuzz -j "$jobs" --quiet
  for corpus in tests/fuzz/corpus/*; do
    UBSAN_OPTIONS=halt_on_error=1 \
      "build-fuzz/tests/fuzz/libfuzzer/libfuzzer_$(basename "$corpus")" -runs=0 "$corpus"
  done
  echo '== warnings are errors: clang'
  CC=clang tools/configure.sh build-clang -Dwerror=true -Dtests=enabled --
  ninja -C build-clang -j "$jobs" --quiet
fi

echo '== Valgrind'
tools/smoke.sh build-gcc/tacit valgrind -q --error-exitcode=99 --leak-check=full \
  --errors-for-leak-kinds=definite,indirect,possible

echo '== every request for memory fails once'
/usr/bin/python3 tests/alloc/sweep.py build-gcc/tacit build-gcc/tests/alloc/libtacit_alloc_shim.so 1 "$jobs"

echo '== exported models of 2,000 random schemas, in DuckDB and onnxruntime too'
tools/python.sh export build-python build-gcc/tacit

echo '== a static library alone'
tools/configure.sh build-static -Ddefault_library=static -Dtests=enabled -Dmpi=disabled --
tools/test.sh build-static "$jobs" '--suite unit --suite examples --suite install'

for level in plain baseline avx2; do
  echo "== TACIT_DISPATCH=$level"
  if TACIT_DISPATCH=$level build-gcc/tacit plan --rows 100 --features 2 --epsilon 1 >/dev/null 2>&1; then
    TACIT_DISPATCH=$level tools/test.sh build-gcc "$jobs" \
      '--no-suite slow --suite unit --suite contract --suite golden'
  else
    echo "left out: this processor or build has no level $level"
  fi
done

echo '== slow tests'
tools/test.sh build-gcc "$jobs" '--suite slow'

echo '== address and undefined behaviour sanitizers'
tools/configure.sh build-asan -Db_sanitize=address,undefined -Db_lundef=false \
  -Dtests=enabled -Dmpi=enabled --
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 tools/test.sh build-asan "$jobs" '--no-suite slow'
