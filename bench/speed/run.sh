#!/bin/sh
# run.sh PROGRAM BUILD: the speed bench. Variables:
#   QUICK=1      a twentieth of the rows, two minutes; results to BUILD/bench-speed
#   DATA=FOLDER  holds a9a.gz, a9a.t.gz and adult.csv.gz (default ../shared/data)
#   PEERS=none   Tacit alone, nothing from PyPI (PyTorch is several GB)
#   ONLY=NAMES   some of a9a,dense,sparse,adult, separated by commas
#   OUT=FOLDER   where the results go (default docs/results)
# The data stays in BUILD/bench-speed/data and takes less than 6 GB.
set -eu

program=$1
build=$2
here=bench/speed
work=$build/bench-speed
. bench/common/venv.sh
want sklearn 'scikit-learn<1.6' # diffprivlib, of the other bench, has this bound
want vowpalwabbit vowpalwabbit
want interpret 'interpret-core<0.7' 'scikit-learn<1.6'
[ -n "${QUICK:-}" ] || want opacus opacus

mkdir -p "$work/bin"
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 "$here/make_data.c" -lm -o "$work/bin/make_data"
for source in kernels parse noise; do
  if [ -e "$here/$source.c" ]; then
    bench/common/compile.sh "$build" "$here/$source.c" "$work/bin/$source"
  fi
done

set -- --program "$program" --work "$work" --data "${DATA:-../shared/data}"
[ -z "${ONLY:-}" ] || set -- "$@" --only "$ONLY"
[ -z "${PEERS:-}" ] || set -- "$@" --peers "$PEERS"
if [ -n "${QUICK:-}" ]; then
  set -- "$@" --quick --command 'make bench-speed QUICK=1' --out "${OUT:-$work}"
else
  set -- "$@" --out "${OUT:-docs/results}"
fi
exec "$python" -W ignore "$here/bench.py" "$@"
