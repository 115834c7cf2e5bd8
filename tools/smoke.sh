#!/bin/sh
# smoke.sh PROGRAM [WRAPPER…]: runs all commands of the program on tiny synthetic files, each
# under WRAPPER (for example valgrind). Fails if a command fails.
set -eu

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

wrapper=$*
run() {
  echo "tacit $*"
  # shellcheck disable=SC2086
  if ! $wrapper "$program" "$@" >out 2>err; then
    cat out err >&2
    echo "failed: tacit $*" >&2
    exit 1
  fi
}

# 300 rows; the label is mostly the sign of the first column.
awk 'BEGIN {
  print "dose,ward,ill" > "rows.csv"
  for (i = 1; i <= 300; ++i) {
    dose = sin(i); other = cos(3 * i); ill = (dose + 0.3 * other > 0)
    ward = (other > 0) ? "north" : "south"
    printf "%d 1:%.6f 3:%.6f\n", ill, dose, other > "rows.svm"
    printf "%.6f,%s,%s\n", dose, ward, (ill ? "yes" : "no") > "rows.csv"
  }
}'
gzip -k rows.svm

run version
run account --mu 1 --delta 1e-5 --json
run plan --rows 300 --features 3 --epsilon 1
run train rows.svm.gz --features 3 --epsilon 1 --threads 2 -q -o svm.json
run predict svm.json rows.svm
run eval svm.json rows.svm --json
run train rows.svm --features 3 --epsilon 1 --passes 2 --learner adagrad --loss huber \
  --labels 0,1 -q -o number.json
run eval number.json rows.svm
run schema --header rows.csv
cat >schema.json <<'END'
{"tacit_schema": 1, "label": {"column": "ill", "classes": ["no", "yes"]}, "columns": [
  {"name": "dose", "type": "numeric", "min": -1, "max": 1},
  {"name": "ward", "type": "category", "values": ["north", "south"]}]}
END
run train rows.csv --schema schema.json --epsilon 1 -q --json -o csv.json
run predict csv.json rows.csv -o predictions.csv
run eval csv.json rows.csv
