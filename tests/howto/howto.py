#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""howto.py PROGRAM PAGE…: runs the pages of docs/howto. Prints TAP, a line per block.

A block that begins with "```sh run" is run by sh -eu, in a new folder per page, with `tacit` on the
path; it must end with 0. A block "```out" that comes next says what it prints: each of its lines is
a line of the output, in this order, and "…" stands for anything. A page whose blocks call psql
gets a PostgreSQL server of its own; one that calls duckdb is left out where there is none.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "ledger"))
from server import Server  # noqa: E402

count = 0


def report(ok, name, note=""):
    global count
    count += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {name}")
    for line in note.splitlines()[-25:] if not ok else []:
        print("# " + line)
    sys.stdout.flush()


def blocks_of(page):
    """(line, script, expected lines) of the blocks that are to be run."""
    blocks, open_kind = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if open_kind is None:
            open_kind = line[3:].strip() if line.startswith("```") else None
            if open_kind == "sh run":
                blocks.append((number, [], []))
            continue
        if line == "```":
            open_kind = None
        elif open_kind == "sh run":
            blocks[-1][1].append(line)
        elif open_kind == "out":
            blocks[-1][2].append(line)
    return blocks


def lacks(output, expected):
    """The first expected line that the output lacks, or None."""
    lines = iter(output.splitlines())
    for line in expected:
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        if not any(re.fullmatch(pattern, found) for found in lines):
            return line
    return None


def run_page(page, blocks, folder, environment):
    for number, script, expected in blocks:
        name = f"{page.name}:{number}"
        run = subprocess.run(["sh", "-eu", "-c", "\n".join(script)], cwd=folder, env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        missing = lacks(run.stdout, expected)
        if run.returncode != 0:
            report(False, name, f"exit code {run.returncode}\n{run.stdout}")
        elif missing is not None:
            report(False, name, f"{run.stdout}\nno line like: {missing}")
        else:
            report(True, name)


def try_page(page, program):
    blocks = blocks_of(page)
    scripts = "\n".join("\n".join(script) for _, script, _ in blocks)
    report(bool(blocks), f"{page.name} has blocks to run")
    server = None
    with tempfile.TemporaryDirectory(prefix="tacit-howto-") as folder, \
         tempfile.TemporaryDirectory(prefix="tacit-pg-") as place, \
         tempfile.TemporaryDirectory(prefix="tacit-bin-") as programs:
        os.symlink(program, os.path.join(programs, "tacit"))
        path = os.pathsep.join([programs, os.path.dirname(sys.executable), os.environ["PATH"]])
        environment = dict(os.environ, PATH=path, LC_ALL="C.UTF-8")
        if re.search(r"\bduckdb\b", scripts) and shutil.which("duckdb", path=path) is None:
            report(True, f"{page.name} # SKIP there is no duckdb; make python-extra runs this page")
            return
        if re.search(r"\bpsql\b", scripts):
            try:
                server = Server(place)
            except (FileNotFoundError, KeyError) as missing:
                report(True, f"{page.name} # SKIP {missing}")
                return
            environment.update(PGHOST=place, PGUSER="tacit", PGDATABASE="postgres")
        try:
            run_page(page, blocks, folder, environment)
        finally:
            if server is not None:
                server.stop()


def main():
    program, *pages = sys.argv[1:]
    for page in pages:
        try_page(pathlib.Path(page), os.path.abspath(program))
    print(f"1..{count}")


main()
