#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""race.py RACE PLANTED REPETITIONS: runs the race on an SQLite file and on a PostgreSQL
server that is started for it in a temporary folder; then on the planted fault, which the
race must find. Prints TAP."""
import shutil
import signal
import subprocess
import sys
import tempfile

from server import Server

race, planted, repetitions = sys.argv[1:]
count = 0


def report(ok, name, note=""):
    global count
    count += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {name}")
    if note:
        print("\n".join("# " + line for line in note.splitlines()))
    sys.stdout.flush()


def run(program, where, times):
    result = subprocess.run([program, where, times], capture_output=True, text=True)
    good = sum(line.startswith("ok ") for line in result.stdout.splitlines())
    return result.returncode == 0 and good == int(times), result.stdout + result.stderr


signal.signal(signal.SIGINT, signal.default_int_handler)
folder = tempfile.mkdtemp(prefix="tacit-ledger-")
try:
    ok, note = run(race, folder + "/team.db", repetitions)
    report(ok, "processes race for an SQLite ledger", "" if ok else note)
    ok, note = run(planted, folder + "/planted", "2")
    report(not ok, "the race finds a ledger without transactions", "" if not ok else note)
    with tempfile.TemporaryDirectory(prefix="tacit-pg-") as place:
        try:
            server = Server(place)
        except (FileNotFoundError, KeyError) as missing:
            report(True, f"PostgreSQL # SKIP {missing}")
        else:
            try:
                ok, note = run(race, server.address(), repetitions)
                report(ok, "processes race for a PostgreSQL ledger", "" if ok else note)
            finally:
                server.stop()
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{count}")
