#!/bin/sh
# test.sh DIR JOBS SUITES [PYTHON]: builds DIR and runs its tests, and with PYTHON, a build
# folder, those of the Python package. SUITES: options of `meson test` that choose, or "".
# The last line is "N passed, M failed".
set -eu

dir=$1
jobs=$2
suites=$3
package=${4:-}
python=/usr/bin/python3
[ -x "$python" ] || python=python3
# The time limits are there to end what hangs; a busy machine gets four times as long.
slower=${SLOWER:-4}

ninja -C "$dir" -j "$jobs" --quiet
# A log of an earlier run must not be counted.
rm -f "$dir/meson-logs/testlog.json"
status=0
# shellcheck disable=SC2086
expected=$(meson test -C "$dir" --no-rebuild --list $suites | grep -c ' / ') || true
# The package's tests run one after the other, so they run beside the others. The shell makes
# what runs in the background deaf to SIGINT, which some of them send themselves.
hearing='import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])'
if [ -n "$package" ]; then
  mkdir -p "$package"
  "$python" -c "$hearing" tools/python.sh debian "$package" "$dir/tacit" \
    >"$package/output" 2>&1 &
fi
# Two more than cores: jobs of MPI mostly wait.
# shellcheck disable=SC2086
meson test -C "$dir" --no-rebuild --num-processes "$((jobs + 2))" --timeout-multiplier "$slower" \
  $suites || status=$?
set -- "$dir" "$expected"
if [ -n "$package" ]; then
  wait $! || status=1
  cat "$package/output"
  set -- "$@" "$package/debian.xml"
fi
"$python" tools/summary.py "$@" || status=1
exit "$status"
