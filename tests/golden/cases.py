#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the command lines of cases/*.case: cases.py PROGRAM FILE...

A case is a block of "key: value" lines, blocks are separated by empty lines:

  case     its name
  setup    a line of sh that must succeed; as many as needed
  run      the line of sh that is tested
  exit     its exit code (0)
  stdout   a pattern that some line matches as a whole; patterns come in order; "none"
  stderr   the same for standard error
  json     keys that the object on standard output has
  file     a file that is there afterwards
  same     two files with the same bytes

Every case has a folder of its own with the files of golden.py. A case that fails
(exit is not 0) must print nothing on standard output and exactly one line, which begins
with "tacit", on standard error; it must leave the folder as it was and repeat no value
of a record.
"""
import json
import pathlib
import re
import sys

from golden import SECRETS, check, run_tap

KEYS = ["case", "setup", "run", "exit", "stdout", "stderr", "json", "file", "same"]


def parse(path):
    cases, case = [], {}
    for number, line in enumerate(path.read_text().splitlines() + [""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if case:
                cases.append(case)
            case = {}
            continue
        key, colon, value = line.partition(": ")
        if not colon or key not in KEYS:
            sys.exit(f"{path}:{number}: not a line of a case")
        case.setdefault(key, []).append(value.strip())
    for case in cases:
        if len(case.get("case", [])) != 1 or len(case.get("run", [])) != 1:
            sys.exit(f"{path}: a block needs one case and one run: {case}")
    return cases


def check_lines(what, text, patterns):
    lines = text.splitlines()
    if patterns == ["none"]:
        check(not lines, f"{what} should be empty:\n{text}")
        return
    at = 0
    for pattern in patterns:
        while at < len(lines) and not re.fullmatch(pattern, lines[at]):
            at += 1
        check(at < len(lines), f"{what} has no line (in order) like {pattern}\n{text}")
        at += 1


def check_failure(place, before, out, err):
    check(out == "", f"a failure printed on standard output:\n{out}")
    check(re.fullmatch(r"tacit[^\n]*\n", err), f"not one line that begins with tacit:\n{err}")
    left = sorted(set(place.files()) - set(before))
    check(not left, f"left behind: {left}")


def run_case(case, place):
    for line in case.get("setup", []):
        code, out, err = place.shell(line)
        check(code == 0, f"setup failed ({code}): {line}\n{out}{err}")
    before = place.files()
    code, out, err = place.shell(case["run"][0])
    expected = int(case.get("exit", ["0"])[0])
    check(code == expected, f"exit code {code}, not {expected}\n{out}{err}")
    if expected != 0:
        check_failure(place, before, out, err)
    for secret in SECRETS:
        check(secret not in err, f"a value of a record in the message:\n{err}")
    check_lines("standard output", out, case.get("stdout", []))
    check_lines("standard error", err, case.get("stderr", []))
    if "json" in case:
        try:
            value = json.loads(out)
        except ValueError as fault:
            check(False, f"standard output is not JSON: {fault}\n{out}")
        check(isinstance(value, dict), "standard output is not one JSON object")
        for key in case["json"][0].split():
            check(key in value, f"the JSON object has no {key}:\n{out}")
    for name in case.get("file", []):
        check((place.work / name).exists(), f"{name} is missing")
    for pair in case.get("same", []):
        a, b = ((place.work / name).read_bytes() for name in pair.split())
        check(a == b, f"these files differ: {pair}")


def main():
    tests = []
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        for case in parse(path):
            tests.append((f"{path.stem}: {case['case'][0]}",
                          lambda place, case=case: run_case(case, place)))
    return run_tap(sys.argv[1], tests)


sys.exit(main())
