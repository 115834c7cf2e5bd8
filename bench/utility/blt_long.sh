#!/bin/sh
# blt_long.sh BUILD [LOG2_ROUNDS [DIM]]: builds blt_long.c against the static library in
# the Meson folder BUILD and runs it. 2^26 rounds of 16 coordinates unless told.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
libraries=$(pkg-config --libs libsodium jansson zlib)
if pkg-config --exists libzstd; then
  libraries="$libraries $(pkg-config --libs libzstd)"
fi
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off -Iinclude -I"$build/include" -Isrc \
  bench/utility/blt_long.c "$build/src/libtacit.a" $libraries -pthread -lm \
  -o "$tmp/blt_long"
"$tmp/blt_long" "$@"
