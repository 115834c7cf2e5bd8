#!/bin/sh
# static.sh JOBS: builds one program without shared libraries, build-onefile/tacit. It runs in an
# empty folder of any Linux of this processor family. PostgreSQL ledgers are left out: Debian has
# no static libraries of what libpq needs.
set -eu

dir=build-onefile
tools/configure.sh "$dir" -Ddefault_library=static -Dprefer_static=true -Dpostgresql=disabled \
  -Dmpi=disabled -Dtests=disabled -Dbuildtype=release -Db_pie=false -Dc_link_args=-static --
ninja -C "$dir" -j "$1" --quiet tacit
if readelf -dW "$dir/tacit" 2>/dev/null | grep -q NEEDED; then
  echo "$dir/tacit still needs shared libraries" >&2
  exit 1
fi
strip "$dir/tacit"
ls -l "$dir/tacit" | awk '{ printf "%s: %.1f MB, needs nothing\n", $NF, $5 / 1e6 }'
