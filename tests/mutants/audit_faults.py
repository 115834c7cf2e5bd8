#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""audit_faults.py ROOT BUILD JOBS: `tacit audit` on programs with a privacy bug.

Builds the program as it is and with some of the bugs of this folder, one at a time, in the copy
that run.py uses. The audit must find every bug (exit code 5) and nothing in the program as it
is. The same for other programs, 20 audits each. The last line is "N of N found".
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


# Other programs: what they are, whether the claim is true, the program and options. A true claim is contradicted
# with probability 0.0002 in an audit, so by chance in one of 40 audits once in 120 times that this is run.
AUDITS = 20
MODELS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "audit"
BOXES = (("Laplace noise for (1, 0)", True, "laplace_sum.py {data} {out} {runs} 2",
          "--trials 2000 --runs 1000 --epsilon 1 --delta 0"),
         ("Laplace noise for (1, 0), claimed with a delta", True, "laplace_sum.py {data} {out} {runs} 2",
          "--trials 2000 --runs 1000 --epsilon 1 --delta 1e-5"),
         ("a quarter of the Laplace noise for (4, 0)", False, "laplace_sum.py {data} {out} {runs} 0.125",
          "--runs 2100 --epsilon 4 --delta 0"),
         ("LinearRegression of diffprivlib 0.6.6", False, "diffprivlib_linear.py {data} {out} {runs} 1",
          "--trials 800 --runs 800 --epsilon 1 --delta 0 --features 1 --ranges 0,1"))
PACKAGES = ("diffprivlib==0.6.6", "scikit-learn>=1.4,<1.7")


SCHEMA = {"tacit_schema": 2, "label": {"column": "outcome", "classes": ["well", "ill"]},
          "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100},
                      {"name": "ward", "type": "category", "values": ["a", "b", "c"]}]}


def audit(program, options, *more):
    """Exit code and report of one audit."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
        json.dump(SCHEMA, schema)
        schema.flush()
        words = [schema.name if word == "SCHEMA" else word for word in options.split()]
        done = subprocess.run([program, "audit", "--json", "-q", *words, *more], capture_output=True, text=True,
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


def python_with(packages, folder):
    """A Python with these packages of PyPI, or None if they cannot be had."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    done = subprocess.run([sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install",
                           "--quiet", "--only-binary", ":all:", "--retries", "1", "--timeout", "20", *packages],
                          capture_output=True, text=True, check=False)
    return python if done.returncode == 0 else None


def try_box(program, python, what, is_true, command, options):
    """A line about the audits of another program, and whether all were right."""
    start = time.monotonic()
    reports = [audit(program, options, "--command", f"{python} {MODELS}/{command}") for _ in range(AUDITS)]
    broken = sum(code != 0 for code, _ in reports)
    right = broken == (0 if is_true else AUDITS)
    found = sorted(report["attacks"][0]["epsilon_sure"] for _, report in reports)
    return (f"{'ok' if right else 'WRONG':8}  {what}: contradicted in {broken} of {AUDITS}, epsilon >= {found[0]:.3f} to "
            f"{found[-1]:.3f}, claimed {reports[0][1]['epsilon']:g} ({time.monotonic() - start:.0f} s)"), right


def try_boxes(program, folder):
    """Whether each was right, by name; prints a line for each."""
    rights = {}
    for what, is_true, command, options in BOXES:
        python = python_with(PACKAGES, folder) if "diffprivlib" in command else sys.executable
        if python is None:
            print(f"left out  {what}: PyPI has no packages for this machine, or cannot be reached", flush=True)
            continue
        line, rights[what, is_true] = try_box(program, python, what, is_true, command, options)
        print(line, flush=True)
    return rights


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    copy = run.Copy(root, build / "0", int(sys.argv[3]))
    rights = []
    try:
        copy.sync()
        copy.configure()
        for name, options in [(None, options) for _, options in FAULTS]:
            line, right = try_fault(copy, name, options)
            print(line, flush=True)
            rights.append((right, False))
        for (_, is_true), right in try_boxes(copy.build / "tacit", build / "diffprivlib").items():
            rights.append((right, not is_true))
        for name, options in FAULTS:
            line, right = try_fault(copy, name, options)
            print(line, flush=True)
            rights.append((right, True))
    except (run.Trouble, plan.Broken) as fault:
        print(f"ERROR     {fault}")
        return 1
    print(f"{sum(right for right, bug in rights if bug)} of {sum(bug for _, bug in rights)} found")
    return 0 if all(right for right, _ in rights) else 1


if __name__ == "__main__":
    sys.exit(main())
