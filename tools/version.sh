#!/bin/sh
# version.sh [pip|debian|r|plain]: prints the version of the tree, which meson.build says, as Meson, pip, Debian
# or R spell it: 0.2.0-dev, 0.2.0.dev0, 0.2.0~dev, 0.2.0.9000; "plain" is the release that it leads to, 0.2.0.
# version.sh set VERSION: writes VERSION into every file that names it; the lint suite compares them.
set -eu

cd "$(dirname "$0")/.."
version=$(sed -n "s/^  version: '\([^']*\)',.*/\1/p" meson.build)
case ${1:-} in
  pip) echo "$version" | sed 's/-dev$/.dev0/' ;;
  debian) echo "$version" | sed 's/-/~/' ;;
  r) echo "$version" | sed 's/-dev$/.9000/' ;;
  plain) echo "${version%-dev}" ;;
  set)
    sed -i "s/^  version: '[^']*',/  version: '$2',/" meson.build
    sed -i "s/^version: .*/version: $2/" CITATION.cff
    sed -i "s/^Version: .*/Version: $(tools/version.sh r)/" r/DESCRIPTION
    sed -i "1s/.*/# tacit $(tools/version.sh r)/" r/NEWS.md
    plain=$(tools/version.sh plain)
    sed -i "s/^  version: .*/  version: $plain/" packaging/conda/recipe.yaml
    sed -i "s/tacit-[0-9.]*\.tar/tacit-$plain.tar/" packaging/homebrew/tacit.rb
    ;;
  *) echo "$version" ;;
esac
