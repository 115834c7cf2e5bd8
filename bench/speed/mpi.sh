#!/bin/sh
# mpi.sh BUILD: times tacit-mpi on one rank and on two, one thread each, on one LIBSVM text file
# (ROWS rows, 40 of 10,000 columns each), and prints the bytes per round, with and without a
# checkpoint. The two take turns; best of TURNS. The time of an empty job, which is that of mpirun, is shown and subtracted. On a
# busy machine compare the processor time of the busiest rank.
set -eu

build=$(cd "$1" && pwd)
rows=${ROWS:-2000000}
turns=${TURNS:-3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

# Makes a tenth of the rows and repeats them ten times.
awk -v rows="$rows" 'BEGIN {
  srand(1)
  for (i = 0; i < rows / 10; ++i) {
    line = ""
    for (j = 0; j < 40; ++j)
      line = line " " (250 * j + int(250 * rand()) + 1) ":" sprintf("%.5f", 2 * rand() - 1)
    print (rand() < 0.5) line
  }
}' >tenth.svm
for _ in 1 2 3 4 5 6 7 8 9 10; do cat tenth.svm; done >rows.svm

now() { date +%s%N; }
best() { # best NAME NUMBER: keeps the smallest in a file
  if [ ! -f "$1" ] || [ "$2" -lt "$(cat "$1")" ]; then echo "$2" >"$1"; fi
}
# Every rank runs under a shell, which prints its processor time.
job() { # job NAME RANKS WORDS…
  name=$1 ranks=$2
  shift 2
  start=$(now)
  mpirun -n "$ranks" sh -c '"$@" || exit; times >&2' sh "$build/tacit-mpi" "$@" \
    >out.json 2>./times || { cat ./times >&2; exit 1; }
  best "$name" $((($(now) - start) / 1000000))
  # The second line of `times` is for the children: 0m1.20s 0m0.30s.
  best "$name.cpu" "$(tr 'ms' '  ' <./times | awk 'NF == 4 {
    ms = 60000 * ($1 + $3) + 1000 * ($2 + $4); if (ms > most) most = ms }
    END { printf "%d", most }')"
}
train() { # train NAME RANKS WORDS…
  name_=$1 ranks_=$2
  shift 2
  job "$name_" "$ranks_" train rows.svm --features 10000 --epsilon 1 --seed 1 --threads 1 \
    -q --json -o model.json "$@"
}

for _ in $(seq "$turns"); do
  job empty1 1 --version
  job empty2 2 --version
  train one 1
  train two 2
done

echo "$rows rows, $(wc -c <rows.svm) bytes of text, $(nproc) cores, best of $turns"
show() { # show NAME FILE
  awk -v name="$1" -v wall="$(cat "$2")" -v cpu="$(cat "$2.cpu")" \
    'BEGIN { printf "%-28s %8.3f s %8.3f s\n", name, wall / 1000, cpu / 1000 }'
}
printf '%-28s %10s %10s\n' '' time 'cpu, most'
show 'an empty job, 1 rank' empty1
show 'an empty job, 2 ranks' empty2
show '1 rank' one
show '2 ranks' two
awk -v one="$(cat one)" -v two="$(cat two)" -v e1="$(cat empty1)" -v e2="$(cat empty2)" \
  -v c1="$(cat one.cpu)" -v c2="$(cat two.cpu)" 'BEGIN {
  printf "%-28s %8.2f   %8.2f    (%.2f with the empty job)\n", "speed-up",
    (one - e1) / (two - e2), c1 / c2, one / two
}'
head -c 32 /dev/urandom >run.key
chmod 600 run.key
bytes() { # bytes RANKS WHAT WORDS…: of the rank that sends or receives most
  n=$1 what=$2
  shift 2
  train "ranks$n" "$n" "$@"
  awk -v n="$n" -v what="$what" '/"rounds":/ { gsub(/[^0-9]/, ""); rounds = $0 }
    /"(sent|received)_bytes":/ { gsub(/[^0-9]/, ""); if ($0 + 0 > most) most = $0 + 0 }
    END { printf "%-28s %8.0f     (%.3f vectors of 8 d bytes)\n",
      what ", " n " ranks", most / rounds, most / rounds / (8 * 10001) }' out.json
}
for n in 2 3 4; do bytes "$n" 'bytes a round'; done
for n in 2 3 4; do bytes "$n" 'with checkpoint' --checkpoint run.ckpt --key-file run.key; done
