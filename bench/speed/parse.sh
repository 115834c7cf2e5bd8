#!/bin/sh
# parse.sh BUILD [OPTION…]: megabytes per second of text parsed by one thread (parse.c), and
# instructions per byte by callgrind, if installed. With --json only the times, as JSON; with
# --exact N only the comparison with strtod.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bench/common/compile.sh "$build" bench/speed/parse.c "$tmp/parse"
"$tmp/parse" "$@"
case " $* " in *' --json '* | *' --exact '*) exit 0 ;; esac

command -v valgrind >/dev/null 2>&1 || exit 0
printf '%-32s %9s\n' 'instructions per byte' parse
"$tmp/parse" --cases | while read -r name function; do
  printf '%-32s %9.2f\n' "$name" \
    "$(bench/common/count.sh "$function" "$tmp/parse" --count "$name")"
done
