#!/bin/sh
# run.sh PROGRAM BUILD: the utility bench. Variables:
#   QUICK=1      two problems, few seeds, small grids; results to BUILD/bench-utility
#   DATA=FOLDER  holds a9a.gz and a9a.t.gz (default ../shared/data)
#   PEERS=none   do not install Opacus and diffprivlib from PyPI (PyTorch is large)
#   ONLY=NAMES   some problems, separated by commas; JOBS=N: parallel processes
#   OUT=FOLDER   where the results go (default docs/results)
set -eu

program=$1
build=$2
here=bench/utility
. bench/common/venv.sh

if [ -z "${QUICK:-}" ]; then
  want diffprivlib diffprivlib 'scikit-learn<1.6'
  want opacus opacus # with PyTorch: several GB
fi

set -- --program "$program" --data "${DATA:-../shared/data}"
[ -z "${JOBS:-}" ] || set -- "$@" --jobs "$JOBS"
[ -z "${ONLY:-}" ] || set -- "$@" --only "$ONLY"
if [ -n "${QUICK:-}" ]; then
  set -- "$@" --quick --command 'make bench-utility QUICK=1' --out "${OUT:-$build/bench-utility}"
else
  set -- "$@" --out "${OUT:-docs/results}"
fi
exec "$python" -W ignore "$here/bench.py" "$@"
