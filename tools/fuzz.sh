#!/bin/sh
# fuzz.sh JOBS SECONDS [TARGET…]: runs each fuzz target, or the named ones, for SECONDS from its corpus,
# under clang's address and undefined behaviour sanitizers. Findings are in build-fuzz/findings.
set -eu

jobs=$1
seconds=$2
shift 2
CC=clang tools/configure.sh build-fuzz -Dfuzz=enabled -Dcli=disabled -Dtests=disabled --
ninja -C build-fuzz -j "$jobs" --quiet
[ $# -gt 0 ] || for corpus in tests/fuzz/corpus/*; do set -- "$@" "$(basename "$corpus")"; done
mkdir -p build-fuzz/findings
for target in "$@"; do
  echo "== $target"
  mkdir -p "build-fuzz/new/$target"
  UBSAN_OPTIONS=halt_on_error=1 "build-fuzz/tests/fuzz/libfuzzer/libfuzzer_$target" \
    -max_total_time="$seconds" -artifact_prefix=build-fuzz/findings/ -print_final_stats=1 \
    "build-fuzz/new/$target" "tests/fuzz/corpus/$target" 2>"build-fuzz/new/$target.log" || {
    tail -40 "build-fuzz/new/$target.log"
    exit 1
  }
  grep -E 'number_of_executed_units' "build-fuzz/new/$target.log"
done
