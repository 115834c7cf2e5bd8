#!/bin/sh
# check.sh JOBS [PART…]: checks beyond `make test`, all of them or the named parts, in this order.
#   warnings    builds with gcc, and clang if it is there, in which every warning is an error
#   corpora     the corpora of the fuzz targets under clang's sanitizers, if clang is there
#   valgrind    a run of the program under Valgrind
#   memory      memory that runs out at any point
#   exports     exported models of 2,000 random schemas, in DuckDB and onnxruntime of PyPI too
#   static      a build with only a static library
#   row         docs/follow-a-row.md is what a traced run does
#   levels      unit tests and results at every dispatch level; `plain`, `baseline` and `avx2` name one of them
#   slow        the slow tests
#   sanitizers  the tests of `make test` that run the library or the program, under the address and undefined behaviour
#               sanitizers
# The last line of each test run counts its tests.
set -eu

jobs=$1
shift
[ $# -gt 0 ] || set -- warnings corpora valgrind memory exports static row levels slow sanitizers

strict_gcc() {
  CC=gcc tools/configure.sh build-gcc -Dwerror=true -Dtests=enabled --
  ninja -C build-gcc -j "$jobs" --quiet
}

check_warnings() {
  strict_gcc
  command -v clang >/dev/null 2>&1 || return 0
  CC=clang tools/configure.sh build-clang -Dwerror=true -Dtests=enabled --
  ninja -C build-clang -j "$jobs" --quiet
}

check_corpora() {
  if ! command -v clang >/dev/null 2>&1; then
    echo "left out: no clang"
    return 0
  fi
  CC=clang tools/configure.sh build-fuzz -Dfuzz=enabled -Dcli=disabled -Dtests=disabled --
  ninja -C build-fuzz -j "$jobs" --quiet
  for corpus in tests/fuzz/corpus/*; do
    UBSAN_OPTIONS=halt_on_error=1 \
      "build-fuzz/tests/fuzz/libfuzzer/libfuzzer_$(basename "$corpus")" -runs=0 "$corpus"
  done
}

check_valgrind() {
  strict_gcc
  tools/smoke.sh build-gcc/tacit valgrind -q --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite,indirect,possible
}

check_memory() {
  strict_gcc
  /usr/bin/python3 tests/alloc/sweep.py build-gcc/tacit build-gcc/tests/alloc/libtacit_alloc_shim.so 1 "$jobs"
}

check_exports() {
  strict_gcc
  tools/python.sh export build-python build-gcc/tacit
}

check_static() {
  tools/configure.sh build-static -Ddefault_library=static -Dtests=enabled -Dmpi=disabled --
  tools/test.sh build-static "$jobs" '--suite unit --suite examples --suite install'
}

check_row() {
  CC=gcc tools/configure.sh build-row -Doptimization=g -Ddebug=true -Dtests=disabled -Dmpi=disabled --
  ninja -C build-row -j "$jobs" --quiet tacit
  if TACIT_DISPATCH=avx2 build-row/tacit plan --rows 100 --features 2 --epsilon 1 >/dev/null 2>&1; then
    /usr/bin/python3 tools/follow_row.py --check build-row/tacit
  else
    echo "left out: this processor has no level avx2"
  fi
}

check_level() {
  strict_gcc
  if TACIT_DISPATCH=$1 build-gcc/tacit plan --rows 100 --features 2 --epsilon 1 >/dev/null 2>&1; then
    TACIT_DISPATCH=$1 tools/test.sh build-gcc "$jobs" \
      '--no-suite slow --suite unit --suite contract --suite level'
  else
    echo "left out: this processor or build has no level $1"
  fi
}

check_slow() {
  strict_gcc
  tools/test.sh build-gcc "$jobs" '--suite slow'
}

check_sanitizers() {
  tools/configure.sh build-asan -Db_sanitize=address,undefined -Db_lundef=false \
    -Dtests=enabled -Dmpi=enabled --
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 tools/test.sh build-asan "$jobs" '--no-suite slow --no-suite lint --no-suite abi'
}

for part in "$@"; do
  echo "== $part"
  case $part in
    warnings | corpora | valgrind | memory | exports | static | row | slow | sanitizers) "check_$part" ;;
    levels)
      for level in plain baseline avx2; do
        echo "== TACIT_DISPATCH=$level"
        check_level "$level"
      done
      ;;
    plain | baseline | avx2) check_level "$part" ;;
    *)
      echo "check.sh: no part '$part'; the head of this file lists them" >&2
      exit 2
      ;;
  esac
done
