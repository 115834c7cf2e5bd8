#!/bin/sh
# version.sh [pip|debian]: prints the version of the tree, which meson.build says, as Meson, pip or
# Debian spell it: 0.2.0-dev, 0.2.0.dev0, 0.2.0~dev.
set -eu

version=$(sed -n "s/^  version: '\([^']*\)',.*/\1/p" "$(dirname "$0")/../meson.build")
case ${1:-} in
  pip) echo "$version" | sed 's/-dev$/.dev0/' ;;
  debian) echo "$version" | sed 's/-/~/' ;;
  *) echo "$version" ;;
esac
