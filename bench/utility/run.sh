#!/bin/sh
# run.sh PROGRAM BUILD: the utility bench. Variables:
#   QUICK=1      two problems, few seeds, small grids; results to BUILD/bench-utility
#   DATA=FOLDER  holds a9a.gz and a9a.t.gz (default ../shared/data)
#   PEERS=none   do not install Opacus and diffprivlib from PyPI (PyTorch is large)
#   ONLY=NAMES   problems, with commas between; JOBS: processes at a time
#   OUT=FOLDER   where the results go (default docs/results)
set -eu

program=$1
build=$2
here=bench/utility
venv=build-bench-venv

# NumPy from PyPI brings a fast BLAS. Without a venv or PyPI Debian's will do, which may be
# ten times slower, and the methods that come from PyPI are left out.
if [ ! -e "$venv/ready" ]; then
  for python in /usr/bin/python3 python3; do
    rm -rf "$venv"
    if "$python" -m venv "$venv" >/dev/null 2>&1 &&
      "$venv/bin/pip" install --quiet --disable-pip-version-check numpy; then
      touch "$venv/ready"
      break
    fi
  done
fi
python=$venv/bin/python
[ -e "$venv/ready" ] || python=/usr/bin/python3

has() { "$python" -c "import $1" >/dev/null 2>&1; }
pip() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }

if ! has numpy; then
  echo 'The bench needs NumPy. Run: apt-get install python3-numpy (or python3-venv)' >&2
  exit 1
fi
if [ "${PEERS:-}" != none ] && [ -z "${QUICK:-}" ] && [ -e "$venv/ready" ]; then
  has diffprivlib || pip diffprivlib 'scikit-learn<1.6' ||
    echo 'diffprivlib could not be installed: left out' >&2
  if ! has opacus; then
    echo 'Installing Opacus with PyTorch from PyPI (several GB; PEERS=none leaves it out)' >&2
    pip opacus || echo 'Opacus could not be installed: left out' >&2
  fi
fi

set -- --program "$program" --data "${DATA:-../shared/data}"
[ -z "${JOBS:-}" ] || set -- "$@" --jobs "$JOBS"
[ -z "${ONLY:-}" ] || set -- "$@" --only "$ONLY"
if [ -n "${QUICK:-}" ]; then
  set -- "$@" --quick --command 'make bench-utility QUICK=1' --out "${OUT:-$build/bench-utility}"
else
  set -- "$@" --out "${OUT:-docs/results}"
fi
PYTHONDONTWRITEBYTECODE=1 exec "$python" -W ignore "$here/bench.py" "$@"
