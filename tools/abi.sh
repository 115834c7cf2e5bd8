#!/bin/sh
# abi.sh BUILD: compares exported names and sizes of public structs with tests/abi/symbols.txt and, where
# abidiff is installed, the library with that of the last tag that has one.
set -eu

/usr/bin/python3 tests/abi/symbols.py "$1"
tag=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)
if [ -z "$tag" ] || ! command -v abidiff >/dev/null 2>&1; then
  echo "left out: abidiff needs abigail-tools and a tag v* (found: ${tag:-no tag})"
  exit 0
fi
rm -rf build-abi
git worktree prune
git worktree add --quiet --detach build-abi/tree "$tag"
trap 'git worktree remove --force build-abi/tree' EXIT
(cd build-abi/tree && tools/configure.sh build -- -Dtests=disabled -Dcli=disabled && ninja -C build --quiet)
abidiff --headers-dir1 build-abi/tree/include --headers-dir2 include \
  build-abi/tree/build/src/libtacit.so "$1/src/libtacit.so"
