#!/bin/sh
# test.sh DIR JOBS [PYTHON]: builds DIR and runs its tests, and with PYTHON, a build folder,
# those of the Python package. The last line is "N passed, M failed".
set -eu

dir=$1
jobs=$2
python=/usr/bin/python3
[ -x "$python" ] || python=python3

ninja -C "$dir" -j "$jobs" --quiet
# A log of an earlier run must not be counted.
rm -f "$dir/meson-logs/testlog.json"
status=0
# The time limits are there to end what hangs; a busy machine gets four times as long.
meson test -C "$dir" --no-rebuild --num-processes "$jobs" --timeout-multiplier 4 ||
  status=$?
set -- "$dir" "${3:-}"
if [ -n "$2" ]; then
  tools/python.sh debian "$2" "$dir/tacit" || status=1
  set -- "$dir" "$2/debian.xml"
fi
"$python" tools/summary.py "$@" || status=1
exit "$status"
