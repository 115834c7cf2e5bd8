#!/bin/sh
# blt_long.sh BUILD [LOG2_ROUNDS [DIM]]: builds blt_long.c with the static library in the Meson
# folder BUILD and runs it, by default with 2^26 rounds of 16 coordinates.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bench/common/compile.sh "$build" bench/utility/blt_long.c "$tmp/blt_long"
"$tmp/blt_long" "$@"
