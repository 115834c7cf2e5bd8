#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py ROOT: every planted bug still fits the tree, one TAP line each. Quick: it builds
nothing. `make mutants` plants them."""
import pathlib
import sys

import plan

MIN_MUTANTS = 304


def fault_of(mutant, root):
    try:
        mutant.texts(root)
    except plan.Broken as fault:
        return str(fault)
    for test in mutant.tests:
        suite, _, name = test.partition("/")
        folder, name = root / "tests" / suite, name.partition("::")[0]
        if not any(any(folder.rglob(file)) for file in (name, name + ".c", name + ".py")):
            return f"{test}: no such test"
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    mutants, faults = plan.load(root / "tests" / "mutants")
    lines = [f"not ok {fault}" for fault in faults]
    for mutant in mutants:
        fault = fault_of(mutant, root)
        lines.append(f"not ok {mutant.name}: {fault}" if fault else f"ok {mutant.name}")
    few = len(mutants) < MIN_MUTANTS
    lines.append(f"{'not ok' if few else 'ok'} there are at least {MIN_MUTANTS} planted bugs")
    print(f"1..{len(lines)}")
    for number, line in enumerate(lines, 1):
        ok, _, text = line.rpartition("ok ")
        print(f"{ok}ok {number} - {text}")
    return any(line.startswith("not") for line in lines)


if __name__ == "__main__":
    sys.exit(main())
