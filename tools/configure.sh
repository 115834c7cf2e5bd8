#!/bin/sh
# configure.sh DIR [OPTION…] -- [OPTION…]
# Makes the Meson build folder DIR. The options before "--" hold from now on, those after
# it only where DIR is new: what was chosen for an existing folder stays.
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
  # Later options win, so those that must hold come last.
  # shellcheck disable=SC2086
  if ! meson setup "$dir" "$@" $before >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
  exit 0
fi

# Meson notes the options given by hand as "key = value".
changed=
for option in $before; do
  pair=${option#-D}
  grep -qxF "${pair%%=*} = ${pair#*=}" "$dir/meson-private/cmd_line.txt" ||
    changed="$changed $option"
done
# shellcheck disable=SC2086
[ -z "$changed" ] || meson configure "$dir" $changed
