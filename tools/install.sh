#!/bin/sh
# install.sh DIR DESTDIR: installs what was built in DIR.
set -eu

dir=$1
destdir=$2
if [ -n "$destdir" ]; then
  case $destdir in /*) ;; *) destdir=$PWD/$destdir ;; esac
  meson install -C "$dir" --no-rebuild --quiet --destdir "$destdir"
  exit 0
fi
meson install -C "$dir" --no-rebuild --quiet
# The loader finds a new library in a standard folder only after its cache is updated.
if [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null 2>&1; then ldconfig; fi
