#!/bin/sh
# compile.sh BUILD SOURCE OUT: builds one C file of bench/ against the static library in the
# Meson folder BUILD, its inner headers included.
set -eu

libraries=$(pkg-config --libs libsodium jansson zlib)
if pkg-config --exists libzstd; then
  libraries="$libraries $(pkg-config --libs libzstd)"
fi
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off -Iinclude -I"$1/include" -Isrc \
  "$2" "$1/src/libtacit.a" $libraries -pthread -lm -o "$3"
