#!/bin/sh
# compile.sh BUILD SOURCE OUT: compiles a C file of bench/ with the static library in the Meson
# folder BUILD, the private headers of src/ and extra/, and those of tests/.
set -eu

libraries=$(pkg-config --libs libsodium jansson zlib)
if pkg-config --exists libzstd; then
  libraries="$libraries $(pkg-config --libs libzstd)"
fi
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -D_GNU_SOURCE -O3 -ffp-contract=off -Wno-psabi -Iinclude \
  -I"$1/include" -Isrc -I. -Itests "$2" "$1/src/libtacit.a" $libraries -pthread -lm -o "$3"
