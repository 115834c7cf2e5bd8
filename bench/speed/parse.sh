#!/bin/sh
# parse.sh BUILD [OPTION…]: megabytes per second of text parsed by one thread (parse.c), and
# instructions per byte by callgrind, if installed: at level avx2, which most processors have, and
# at the best level of this one. With --json only the times, as JSON; with --exact N only the
# comparison with strtod.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bench/common/compile.sh "$build" bench/speed/parse.c "$tmp/parse"
case " $* " in *' --json '* | *' --exact '*)
  "$tmp/parse" "$@"
  exit 0
  ;;
esac

best=$("$build/tacit" version | sed -n 's/^dispatch //p')
levels=$best
if [ "$best" != avx2 ] && TACIT_DISPATCH=avx2 "$build/tacit" version >/dev/null 2>&1; then
  levels="avx2 $best"
fi
sed -n 's/^model name[^:]*: /processor: /p' /proc/cpuinfo 2>/dev/null | head -n 1
for level in $levels; do
  echo "level $level"
  TACIT_DISPATCH=$level "$tmp/parse" "$@"
  command -v valgrind >/dev/null 2>&1 || continue
  printf '%-32s %9s\n' 'instructions per byte' parse
  "$tmp/parse" --cases | while read -r name function; do
    # callgrind has no AVX-512
    count=$(TACIT_DISPATCH=$level bench/common/count.sh "$function" "$tmp/parse" --count "$name") ||
      count=-
    printf '%-32s %9s\n' "$name" "$count"
  done
done
