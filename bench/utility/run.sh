#!/bin/sh
# run.sh PROGRAM BUILD: the utility bench. Variables:
#   QUICK=1      three problems, few seeds; results to BUILD/bench-utility
#   TUNE=1       first find the settings of the tuned peers anew (tuned.json)
#   DATA=FOLDER  holds a9a.gz, a9a.t.gz, adult.csv.gz, adult-test.csv.gz (default ../shared/data)
#   PEERS=none   install nothing from PyPI (Opacus needs PyTorch, which is large)
#   ONLY=NAMES   some problems, separated by commas; JOBS=N: parallel processes
#   MADE=1       instead runs the scripts whose tables are made: scaling, embedding, counts, curved; a table per script to
#                BUILD/bench-made (hours; docs/results/scaling.md and defaults.md have them)
#   RESUME=FILE  holds finished cells (default BUILD/bench-utility.cells), so that an interrupted
#                run goes on; cells of another program or of other settings are computed anew
#   OUT=FOLDER   where the results go (default docs/results)
set -eu

program=$1
build=$2
here=bench/utility
. bench/common/venv.sh

if [ -n "${MADE:-}" ]; then
  mkdir -p "$build/bench-made"
  made() { # NAME SCRIPT ARGUMENTS…
    table=$build/bench-made/$1.txt script=$here/$2.py
    shift 2
    "$python" -W ignore "$script" "$program" "$@" >"$table"
  }
  made scaling scaling --tables 60 --seeds 3 --scales spread
  made spiky embedding --spiky --seeds 10 --epsilons 0.5,1,3,8
  made embedding embedding
  made counts counts
  made curved curved 1000 1040
  exit
fi

if [ -z "${QUICK:-}" ]; then
  want diffprivlib diffprivlib 'scikit-learn<1.6'
  want interpret 'interpret-core<0.7' 'scikit-learn<1.6' # newer ones do not go with diffprivlib
  want opacus opacus                                     # with PyTorch: several GB
fi

set -- --program "$program" --data "${DATA:-../shared/data}"
[ -z "${JOBS:-}" ] || set -- "$@" --jobs "$JOBS"
[ -z "${ONLY:-}" ] || set -- "$@" --only "$ONLY"
set -- "$@" --resume "${RESUME:-$build/bench-utility.cells}"
[ -z "${TUNE:-}" ] || set -- "$@" --tune
if [ -n "${QUICK:-}" ]; then
  set -- "$@" --quick --command 'make bench-utility QUICK=1' --out "${OUT:-$build/bench-utility}"
else
  set -- "$@" --out "${OUT:-docs/results}"
fi
exec "$python" -W ignore "$here/bench.py" "$@"
