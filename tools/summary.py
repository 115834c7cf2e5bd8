#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the single tests of the last `meson test` of a build folder.

summary.py DIR EXPECTED [RESULTS]: EXPECTED is the number of test programs that should have run;
each must have a result. RESULTS is a JUnit file of further tests, which are added; if it is
missing or cannot be read, that is a failure.

Every TAP line is one test; a program without TAP is one test. A program that crashed, timed out
or ended before its plan is a failure even if all its lines say ok. The exit status is 1 if
anything failed or nothing ran.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

MOST_LINES = 200
GOOD = {"OK", "EXPECTEDFAIL"}
LINE = re.compile(r"(ok|not ok)\b(?:\s+\d+)?\s*-?\s*([^#]*)(?:#\s*(\w+)\s*(.*))?")

NOTE = re.compile(r"^# left out: (.*)$", re.M)  # LEAVE_OUT of tests/check.h


def tap_counts(text):
    """Passed, names of failed, names of skipped among the TAP lines of a program."""
    passed, failed, skipped = 0, [], []
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        verdict, name, directive, reason = match.groups()
        if (directive or "").upper() == "SKIP":
            skipped.append(name.strip() or reason)
        elif verdict == "ok":
            passed += 1
        else:
            failed.append(name.strip())
    return passed, failed, skipped


def count(test, speaks_tap):
    """The same for one program, together with Meson's result for it."""
    passed, failed, skipped = 0, [], []
    if speaks_tap:
        passed, failed, skipped = tap_counts(test.get("stdout", ""))
    if test["result"] == "SKIP":
        if not skipped:
            skipped.append("all of it")
    elif test["result"] in GOOD:
        if not speaks_tap:
            passed = 1
        elif passed + len(failed) + len(skipped) == 0:
            failed.append("it said nothing")
    elif not failed:
        failed.append("the whole program: " + test["result"].lower())
    return passed, failed, skipped


def show(test):
    """Prints the output of a failing program without the lines that passed."""
    print(f"---- {test['name']}: {test['result'].lower()}")
    for stream in ("stdout", "stderr"):
        lines = [x for x in test.get(stream, "").splitlines() if not x.startswith("ok ")]
        if len(lines) > MOST_LINES:
            print(f"(the last {MOST_LINES} of {len(lines)} lines of {stream})")
        print("\n".join(lines[-MOST_LINES:]))


def junit_counts(path):
    """Passed, names of failed, number of skipped in a JUnit file."""
    try:
        cases = list(xml.etree.ElementTree.parse(path).iter("testcase"))
    except (OSError, xml.etree.ElementTree.ParseError):
        return 0, [f"{path}: the tests left no result"], 0
    passed, failed, skipped = 0, [], 0
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname')}::{case.get('name')}")
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed or ([] if cases else [f"{path}: no test ran"]), skipped


def main():
    build, expected = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    log = build / "meson-logs" / "testlog.json"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    tests = [json.loads(line) for line in lines]
    known = json.loads((build / "meson-info" / "intro-tests.json").read_text("utf-8"))
    protocol = {tuple(test["cmd"]): test["protocol"] for test in known}

    n_passed, n_failed, n_skipped = 0, 0, 0
    failures = []
    for test in tests:
        command = tuple(test["command"])
        passed, failed, skipped = count(test, protocol.get(command, "tap") == "tap")
        n_passed += passed
        n_failed += len(failed)
        n_skipped += len(skipped)
        if failed:
            show(test)
            failures += [f"FAILED {test['name']}: {name}" for name in failed]
        for name in skipped:
            print(f"skipped {test['name']}: {name}")
        for note in NOTE.findall(test.get("stdout", "")):
            print(f"left out of {test['name']}: {note}")
    if len(sys.argv) > 3:
        passed, failed, skipped = junit_counts(sys.argv[3])
        n_passed += passed
        n_failed += len(failed)
        n_skipped += skipped
        failures += [f"FAILED {name}" for name in failed]
    for line in failures:
        print(line)
    # A program that was started but left no line in the log counts as failed.
    if len(tests) < expected:
        n_failed += expected - len(tests)
        print(f"FAILED {expected - len(tests)} test programs left no result")
    if n_skipped:
        print(f"{n_skipped} skipped")
    print(f"{n_passed} passed, {n_failed} failed")
    return 0 if n_passed > 0 and n_failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
