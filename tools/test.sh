#!/bin/sh
# test.sh DIR JOBS SUITES [PYTHON]: builds DIR and runs its tests; with PYTHON, a build folder,
# also the tests of the Python package. SUITES are options of `meson test` that select tests,
# or "". The last line is "N passed, M failed".
set -eu

dir=$1
jobs=$2
suites=$3
package=${4:-}
python=/usr/bin/python3
[ -x "$python" ] || python=python3
# The time limits are for tests that hang; they are four times as long for busy machines.
slower=${SLOWER:-4}

ninja -C "$dir" -j "$jobs" --quiet
# The log of an earlier run must not be counted.
rm -f "$dir/meson-logs/testlog.json"
status=0
# shellcheck disable=SC2086
expected=$(meson test -C "$dir" --no-rebuild --list $suites | grep -c ' / ') || true
# The tests of the package run one after the other, so all of them run in parallel to the
# others. The shell makes background processes ignore SIGINT, which some of the tests need.
hearing='import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])'
if [ -n "$package" ]; then
  mkdir -p "$package"
  "$python" -c "$hearing" tools/python.sh debian "$package" "$dir/tacit" \
    >"$package/output" 2>&1 &
fi
# Two more processes than cores, because MPI jobs mostly wait.
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
