#!/bin/sh
# test.sh DIR JOBS: builds DIR and runs its tests. The last line is "N passed, M failed".
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
"$python" tools/summary.py "$dir" || status=1
exit "$status"
