#!/bin/sh
# mpi.sh BUILD: tacit-mpi on one rank and on two, one thread each, on one LIBSVM text file
# (ROWS rows, 40 of 10,000 columns each), and the bytes a round. The two take turns; best
# of TURNS. The time of a job that does nothing is shown and taken off: it is mpirun's.
set -eu

build=$(cd "$1" && pwd)
rows=${ROWS:-400000}
turns=${TURNS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

awk -v rows="$rows" 'BEGIN {
  srand(1)
  for (i = 0; i < rows; ++i) {
    line = ""
    for (j = 0; j < 40; ++j)
      line = line " " (250 * j + int(250 * rand()) + 1) ":" sprintf("%.5f", 2 * rand() - 1)
    print (rand() < 0.5) line
  }
}' >rows.svm

now() { date +%s%N; }
job() { mpirun -n "$@" >out.json; }
train() { job "$1" "$build/tacit-mpi" train rows.svm --features 10000 --epsilon 1 --seed 1 \
  --threads 1 -q --json -o model.json; }
best() { # best NAME MILLISECONDS: keeps the smallest in a file
  if [ ! -f "$1" ] || [ "$2" -lt "$(cat "$1")" ]; then echo "$2" >"$1"; fi
}
timed() { # timed NAME COMMAND…
  name=$1
  shift
  start=$(now)
  "$@"
  best "$name" $((($(now) - start) / 1000000))
}

for _ in $(seq "$turns"); do
  timed empty1 job 1 "$build/tacit-mpi" --version
  timed empty2 job 2 "$build/tacit-mpi" --version
  timed one train 1
  timed two train 2
done

one=$(cat one) two=$(cat two) empty1=$(cat empty1) empty2=$(cat empty2)
echo "$rows rows, $(wc -c <rows.svm) bytes of text, $(nproc) cores, best of $turns"
awk -v one="$one" -v two="$two" -v e1="$empty1" -v e2="$empty2" 'BEGIN {
  printf "%-28s %8.3f s   (an empty job: %.3f s)\n", "1 rank", one / 1000, e1 / 1000
  printf "%-28s %8.3f s   (an empty job: %.3f s)\n", "2 ranks", two / 1000, e2 / 1000
  printf "%-28s %8.2f    (%.2f without the empty job)\n", "speed-up", one / two,
    (one - e1) / (two - e2)
}'
for n in 2 3 4; do
  train "$n"
  awk -v n="$n" '/"rounds":/ { gsub(/[^0-9]/, ""); rounds = $0 }
    /"sent_bytes":/ { gsub(/[^0-9]/, ""); if ($0 > most) most = $0 }
    END { printf "%-28s %8.0f     (%.3f vectors of 8 d bytes)\n",
      "bytes a round, " n " ranks", most / rounds, most / rounds / (8 * 10001) }' out.json
done
