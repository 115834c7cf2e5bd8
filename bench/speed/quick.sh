#!/bin/sh
# quick.sh PROGRAM: what a private run costs, as ratios measured in one go on one
# synthetic LIBSVM file (ROWS rows, 20 of 100 columns each). Best of three runs.
set -eu

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
rows=${ROWS:-100000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

awk -v rows="$rows" 'BEGIN {
  srand(1)
  for (i = 0; i < rows; ++i) {
    margin = 0; line = ""
    for (j = 0; j < 20; ++j) {
      column = 5 * j + int(5 * rand()) + 1
      value = 2 * rand() - 1
      margin += (column % 3 - 1) * value
      line = line " " column ":" sprintf("%.6f", value)
    }
    print (margin + 2 * rand() - 1 > 0) line
  }
}' >rows.svm

best_of_three() { # milliseconds
  best=
  for _ in 1 2 3; do
    start=$(date +%s%N)
    "$@" >/dev/null
    took=$((($(date +%s%N) - start) / 1000000))
    if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
  done
  echo "$best"
}

train() { "$program" train rows.svm --features 100 -q -o model.json "$@"; }

base=$(best_of_three train --mechanism none --threads 1)
show() { # show NAME MILLISECONDS
  awk -v name="$1" -v ms="$2" -v base="$base" \
    'BEGIN { printf "%-36s %8.3f s %8.2f\n", name, ms / 1000, ms / (base > 0 ? base : 1) }'
}

echo "$rows rows, $(wc -c <rows.svm) bytes, $(nproc) cores"
printf '%-36s %10s %8s\n' '' time ratio
show 'no noise, 1 thread' "$base"
show 'epsilon 1, 1 thread' "$(best_of_three train --epsilon 1 --threads 1)"
show 'epsilon 1, all cores' "$(best_of_three train --epsilon 1)"
show 'epsilon 1, 4 passes, 1 thread' "$(best_of_three train --epsilon 1 --passes 4 --threads 1)"
show 'double-precision noise, 1 thread' "$(best_of_three train --epsilon 1 --noise fast --threads 1)"
show 'reading the bytes (cat)' "$(best_of_three cat rows.svm)"
