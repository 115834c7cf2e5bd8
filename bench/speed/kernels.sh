#!/bin/sh
# kernels.sh BUILD [OPTION…]: compares a pass over rows in memory with the sum of the same array
# (kernels.c; the options are its options), and counts the instructions per row of each kernel at
# each level with callgrind, if installed. The counts do not depend on the load of the machine.
# With --json only the object of kernels.c is printed.
set -eu

build=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bench/common/compile.sh "$build" bench/speed/kernels.c "$tmp/kernels"
case " $* " in *" --json "*)
  "$tmp/kernels" "$@"
  exit 0
  ;;
esac
sed -n 's/^model name[^:]*: /processor: /p' /proc/cpuinfo 2>/dev/null | head -n 1
"$tmp/kernels" "$@"

command -v valgrind >/dev/null 2>&1 || exit 0
echo "instructions a row: 128 dense features, or 40 entries of 2^20; 1 or 10 outputs"
# Valgrind does not support AVX-512.
for level in plain baseline avx2; do
  for kernel in dense32 dense64 sparse32 sparse64 dense32-outputs; do
    count=$(TACIT_DISPATCH=$level bench/common/count.sh tacit_delta_add "$tmp/kernels" \
      --count "$kernel") || continue
    printf '%-28s %10.1f\n' "$level $kernel" "$count"
  done
done
