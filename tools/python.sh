#!/bin/sh
# python.sh debian|pypi|spark|export DIR PROGRAM: builds the Python package, installs it into a
# virtual environment below DIR and runs its tests; results go to DIR/MODE.xml. "debian" uses
# Debian's packages, "pypi" the newest packages of PyPI, and "spark" runs the tests of
# tacit.spark with PyPI's pyspark on Debian's Java. "export" does without the Tacit package: it
# exports models of 2,000 random schemas and scores them in PyPI's duckdb and onnxruntime.
set -eu

mode=$1
dir=$2
program=$3
python=/usr/bin/python3
[ -x "$python" ] || python=python3
venv=$dir/$mode
results=$dir/$mode.xml
needs='numpy scipy scikit-learn pandas polars pyarrow duckdb duckdb-cli onnxruntime matplotlib nbclient ipykernel tqdm pytest meson-python meson ninja'
tests=tests/python
if [ "$mode" = spark ]; then
  needs='pyspark[sql] numpy scikit-learn pytest meson-python meson ninja'
  tests=tests/spark
fi
[ "$mode" != export ] || needs='numpy duckdb onnxruntime'

rm -f "$results"
mkdir -p "$dir"
pip() { "$python" -m pip --python "$venv/bin/python" --disable-pip-version-check "$@"; }

if [ "$mode" = debian ]; then
  [ -x "$venv/bin/python" ] || "$python" -m venv --system-site-packages --without-pip "$venv"
else
  [ -x "$venv/bin/python" ] || "$python" -m venv --without-pip "$venv"
  # shellcheck disable=SC2086
  if ! pip install --quiet --upgrade --retries 1 --timeout 20 $needs >"$dir/$mode.log" 2>&1; then
    tail -n 3 "$dir/$mode.log" >&2
    if [ "$mode" != spark ]; then
      echo "The packages of PyPI cannot be had, so the tests with them ($mode) did not run." >&2
      exit 1
    fi
    echo "skipped: PyPI not reachable, so the tests with its packages ($mode) did not run"
    exit 0
  fi
  PATH=$(cd "$venv/bin" && pwd):$PATH
fi

if [ "$mode" = export ]; then
  # shellcheck disable=SC2086
  PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" tests/golden/export.py "$program" 2000 \
    C,SQLite,SQL,PostgreSQL,DuckDB,ONNX ${CC:-cc}
  exit
fi

# Installs again if a source is newer than the last installation.
stamp=$venv/installed
if [ ! -e "$stamp" ] || [ -n "$(find python src include \
  meson.build meson_options.txt pyproject.toml -newer "$stamp" -type f | head -n 1)" ]; then
  rm -rf "$dir/$mode-build"
  if ! pip install --quiet --no-build-isolation --no-deps --no-index --force-reinstall \
    --config-settings "builddir=$dir/$mode-build" . >"$dir/install.log" 2>&1; then
    cat "$dir/install.log" >&2
    echo 'The Python package could not be built.' >&2
    exit 1
  fi
  # Some versions of meson-python leave this file.
  rm -f .mesonpy-native-file.ini
  touch "$stamp"
fi

PYTHONDONTWRITEBYTECODE=1 TACIT_PROGRAM=$program TACIT_PACKAGES=$mode \
  "$venv/bin/python" -m pytest -q -rfE --junit-xml="$results" "$tests"
