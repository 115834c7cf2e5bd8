#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""audit_faults.py ROOT BUILD JOBS: `tacit audit` on programs with a privacy bug.

Builds the program as it is and with some of the bugs of this folder, one at a time, in the copy
that run.py uses. The audit must find every bug (exit code 5) and nothing in the program as it
is. The last line is "N of N found".
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import plan
import run

# A bug, and options of a plan that it shows in. Half the noise shows everywhere; the clip is the
# last bound only where rows are not centred; an order that is known, where mu is small. Without the
# root of 2, or with the whole budget for every part, evaluations have 1.37 and 1.41 times their mu.
FAULTS = (("scale-of-half-the-bound", "--trials 1000 --epsilon 8"),
          ("scale-of-half-the-bound", "--trials 2000 --epsilon 8 --release eval --rows 40"),
          ("scale-of-half-the-bound", "--trials 2000 --epsilon 8 --release describe --schema SCHEMA --units 40"),
          ("counts-one-for-all", "--trials 4000 --epsilon 8 --release eval --rows 40"),
          ("counts-one-for-all", "--trials 4000 --epsilon 8 --release describe --schema SCHEMA --rows 40"),
          ("tally-not-divided", "--trials 4000 --epsilon 8 --release eval --units 40 --adjacency zero-out"),
          ("tally-forgets-persons", "--trials 4000 --epsilon 8 --release eval --units 40"),
          ("clip-not-applied", "--trials 400 --epsilon 1 --preset anytime --rows 4000"),
          ("order-public", "--trials 800 --epsilon 1 --preset anytime --rows 1000"))


SCHEMA = {"tacit_schema": 2, "label": {"column": "outcome", "classes": ["well", "ill"]},
          "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100},
                      {"name": "ward", "type": "category", "values": ["a", "b", "c"]}]}


def audit(program, options):
    """Exit code and report of one audit."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
        json.dump(SCHEMA, schema)
        schema.flush()
        words = [schema.name if word == "SCHEMA" else word for word in options.split()]
        done = subprocess.run([program, "audit", "--json", "-q", *words], capture_output=True, text=True,
                              check=False)
    if done.returncode not in (0, 5):
        raise run.Trouble(f"the audit itself failed: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def found_by(report):
    return ", ".join(f"{attack['name']} mu >= {attack['mu_sure']:.3f}" for attack in report["attacks"]
                     if attack["mu_sure"] > report["mu"])


def try_fault(copy, name, options):
    """A line about it, and whether the audit was right."""
    mutant = plan.Mutant(copy.root / "tests" / "mutants" / f"{name}.mutant") if name else None
    before, start = {}, time.monotonic()
    try:
        for file, text in (mutant.texts(copy.tree) if mutant else {}).items():
            before[file] = (copy.tree / file).read_text(encoding="utf-8")
            (copy.tree / file).write_text(text, encoding="utf-8")
        code, text = copy.make({"tacit"})
        if code != 0:
            raise run.Trouble("it does not compile:\n" + text)
        code, report = audit(copy.build / "tacit", options)
    finally:
        for file, text in before.items():
            (copy.tree / file).write_text(text, encoding="utf-8")
    right = code == (5 if mutant else 0)
    what = f"found by {found_by(report)}" if code else "nothing found"
    seconds = time.monotonic() - start
    return f"{'ok' if right else 'WRONG':8}  {name or 'no bug'} ({options}): stated mu {report['mu']:.3f}, {what} " \
           f"({seconds:.0f} s)", right


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    copy = run.Copy(root, build / "0", int(sys.argv[3]))
    found = 0
    try:
        copy.sync()
        copy.configure()
        rights = []
        for name, options in [(None, options) for _, options in FAULTS] + list(FAULTS):
            line, right = try_fault(copy, name, options)
            print(line, flush=True)
            rights.append(right)
            found += right and name is not None
    except (run.Trouble, plan.Broken) as fault:
        print(f"ERROR     {fault}")
        return 1
    print(f"{found} of {len(FAULTS)} found")
    return 0 if all(rights) else 1


if __name__ == "__main__":
    sys.exit(main())
