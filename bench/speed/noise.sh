#!/bin/sh
# noise.sh BUILD [RUNS]: nanoseconds a sample of noise (noise.c), and instructions a
# sample by callgrind where it is there: those do not depend on who else uses the machine.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bench/common/compile.sh "$build" bench/speed/noise.c "$tmp/noise"
"$tmp/noise" "$@"

command -v valgrind >/dev/null 2>&1 || exit 0
count() { # count KIND FUNCTION
  samples=$(valgrind -q --tool=callgrind --callgrind-out-file="$tmp/$1" \
    --toggle-collect="$2" "$tmp/noise" --count "$1" 2>/dev/null)
  awk -v kind="$1" -v samples="$samples" '/^(summary|totals):/ { total = $2 }
    END { printf "%-36s %8.1f\n", kind ", instructions a sample", total / samples }' \
    "$tmp/$1"
}
count exact tacit_noise_exact
count fast tacit_noise_fast
