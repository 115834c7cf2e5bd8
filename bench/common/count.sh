#!/bin/sh
# count.sh FUNCTION PROGRAM ARGUMENT…: the instructions inside FUNCTION by callgrind, divided by
# the number that PROGRAM prints. The count does not depend on the load of the machine.
set -eu

function=$1
shift
out=$(mktemp)
trap 'rm -f "$out"' EXIT
units=$(valgrind -q --tool=callgrind --callgrind-out-file="$out" \
  --toggle-collect="$function" "$@" 2>/dev/null)
awk -v units="$units" '/^(summary|totals):/ { total = $2 }
  END { if (total > 0) printf "%.2f\n", total / units; else exit 1 }' "$out"
