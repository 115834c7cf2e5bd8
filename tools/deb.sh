#!/bin/sh
# deb.sh: builds the Debian packages tacit, libtacit1, libtacit-dev and python3-tacit in build-deb
# and checks them with lintian. The source is what git knows of this folder, changes included.
set -eu

version=$(tools/version.sh debian)
# A date of the sources, not of this day: the same sources give the same packages.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
source=build-deb/tacit-$version
rm -rf build-deb
mkdir -p "$source"
git ls-files -z | grep -zv '^packaging/' | xargs -0 cp --parents -t "$source"
cp -r packaging/debian "$source/debian"
cat >"$source/debian/changelog" <<END
tacit ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- Tacit maintainers <maintainers@tacit.invalid>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
log=$PWD/build-deb/log
if ! (cd "$source" && dpkg-buildpackage --build=binary --no-sign --jobs="$1" >"$log" 2>&1); then
  tail -40 "$log" >&2
  exit 1
fi
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs build-deb/*.changes
ls build-deb/*.deb
