#!/bin/sh
# parse.sh BUILD [OPTION…]: megabytes a second of text parsed by one thread (parse.c), and
# instructions a byte by callgrind where it is there. With --json the times alone, as
# JSON; with --exact N the comparison with strtod alone.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
libraries=$(pkg-config --libs libsodium jansson zlib)
if pkg-config --exists libzstd; then
  libraries="$libraries $(pkg-config --libs libzstd)"
fi
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Iinclude -I"$build/include" -Isrc -Itests/unit \
  bench/speed/parse.c "$build/src/libtacit.a" $libraries -pthread -lm -o "$tmp/parse"
"$tmp/parse" "$@"
case " $* " in *' --json '* | *' --exact '*) exit 0 ;; esac

command -v valgrind >/dev/null 2>&1 || exit 0
printf '%-32s %9s\n' 'instructions a byte' parse
"$tmp/parse" --cases | while read -r name function; do
  bytes=$(valgrind -q --tool=callgrind --callgrind-out-file="$tmp/$name" \
    --toggle-collect="$function" "$tmp/parse" --count "$name" 2>/dev/null)
  awk -v name="$name" -v bytes="$bytes" '/^(summary|totals):/ { total = $2 }
    END { printf "%-32s %9.2f\n", name, total / bytes }' "$tmp/$name"
done
