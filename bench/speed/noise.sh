#!/bin/sh
# noise.sh BUILD [RUNS]: nanoseconds per sample of noise (noise.c), and instructions per sample by
# callgrind, if installed. The counts do not depend on the load of the machine.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bench/common/compile.sh "$build" bench/speed/noise.c "$tmp/noise"
"$tmp/noise" "$@"

command -v valgrind >/dev/null 2>&1 || exit 0
printf '%-36s %8.1f\n' 'instructions per sample' \
  "$(bench/common/count.sh exact_add "$tmp/noise" --count)"
