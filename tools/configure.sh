#!/bin/sh
# configure.sh DIR [OPTION…] -- [OPTION…]
# Makes the Meson build folder DIR. The options before "--" are always set. Those after it are
# set only in a new folder: an existing one keeps what was chosen for it.
set -eu

dir=$1
shift
before=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  before="$before $1"
  shift
done
[ $# -eq 0 ] || shift

if [ ! -f "$dir/build.ninja" ]; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # Later options win, so those that are always set come last.
  # shellcheck disable=SC2086
  if ! meson setup "$dir" "$@" $before >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
  exit 0
fi

# Meson writes the options that were given to this file as "key = value".
changed=
for option in $before; do
  pair=${option#-D}
  grep -qxF "${pair%%=*} = ${pair#*=}" "$dir/meson-private/cmd_line.txt" ||
    changed="$changed $option"
done
# shellcheck disable=SC2086
[ -z "$changed" ] || meson configure "$dir" $changed
