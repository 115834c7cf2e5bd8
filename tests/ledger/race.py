#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""race.py RACE PLANTED REPETITIONS: runs the race on an SQLite file and on a PostgreSQL
server that is started for it in a temporary folder; then on the planted fault, which the
race must find. Prints TAP."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile

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


class Server:
    """A PostgreSQL server on a socket in a folder of its own. It refuses to run as root,
    so root starts it as the user that Debian's package makes."""

    def __init__(self, folder):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise FileNotFoundError("no PostgreSQL server is installed")
        self.bin, self.folder, self.user = programs[-1], folder, None
        if os.geteuid() == 0:
            self.user = pwd.getpwnam("postgres")
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
            os.chmod(folder, 0o755)
        self.call("initdb", "-D", folder + "/data", "-A", "trust", "-U", "tacit", "-N")
        options = f"-k {folder} -c listen_addresses= -c max_connections=200"
        self.call("pg_ctl", "-D", folder + "/data", "-w", "-l", folder + "/log",
                  "-o", options, "start")

    def call(self, program, *words):
        switch = {}
        if self.user is not None:
            switch = dict(user=self.user.pw_uid, group=self.user.pw_gid, extra_groups=[])
        subprocess.run([f"{self.bin}/{program}", *words], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **switch)

    def address(self):
        return f"postgresql://tacit@/postgres?host={self.folder}"

    def stop(self):
        self.call("pg_ctl", "-D", self.folder + "/data", "-m", "immediate", "stop")


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
