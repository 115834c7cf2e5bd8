# Sourced by the benches in Python: sets $python to that of the virtual environment of the
# peers, and defines `has MODULE` and `want MODULE PACKAGE…`.
# shellcheck shell=sh

# NumPy from PyPI has a fast BLAS. Without a venv or PyPI, Debian's NumPy is used, which may be
# ten times slower, and the methods that come from PyPI are left out.
venv=build-bench-venv
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

# want MODULE PACKAGE…: installs from PyPI what is missing; goes on if that fails.
want() {
  module=$1
  shift
  if [ "${PEERS:-}" = none ] || [ ! -e "$venv/ready" ] || has "$module"; then return 0; fi
  echo "Installing $1 from PyPI (PEERS=none leaves it out)" >&2
  pip "$@" || echo "$1 could not be installed: left out" >&2
}

if ! has numpy; then
  echo 'The bench needs NumPy. Run: apt-get install python3-numpy (or python3-venv)' >&2
  exit 1
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=bench/common
