#!/bin/sh
# dist.sh JOBS: makes the files of a release in build-dist from the commit that is checked out: source
# archive, wheel, Debian packages, static program, SPDX list of parts, SHA256SUMS. The same commit gives
# the same bytes in any folder with the same compiler and packages.
set -eu

[ -z "$(git status --porcelain)" ] || {
  echo "dist.sh: commit or remove what git status lists; a release is made of a commit" >&2
  exit 2
}
version=$(tools/version.sh)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
out=$PWD/build-dist
tree=$out/tree/tacit-$version
rm -rf "$out"
mkdir -p "$out/tree"
git archive --format=tar --prefix="tacit-$version/" HEAD | gzip -9 -n >"$out/tacit-$version.tar.gz"
# Program and wheel are built from the archive, so it is known to be complete. Meson names sources by
# relative paths and nothing keeps debug symbols, so the folder leaves no trace; a flag that maps it away
# would, because `tacit version` prints the flags.
tar -xzf "$out/tacit-$version.tar.gz" -C "$out/tree"
(
  cd "$tree"
  tools/static.sh "$1"
  tools/wheel.sh
)
tools/deb.sh "$1"
mv "$tree/build-onefile/tacit" "$out/tacit-$version-$(uname -m)"
mv "$tree"/build-wheel/*.whl "$out/"
cp build-deb/*.deb "$out/"
/usr/bin/python3 tools/sbom.py "$version" "$SOURCE_DATE_EPOCH" docs/dependencies.md >"$out/tacit-$version.spdx.json"
rm -rf "$out/tree"
(cd "$out" && sha256sum -- * >SHA256SUMS)
cat "$out/SHA256SUMS"
