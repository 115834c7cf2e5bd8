#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plan.py refuses what cannot be planted, one TAP line each."""
import pathlib
import sys
import tempfile

import plan

HEAD = "bug: b\nbreaks: f\ncaught by: unit/one, unit/two\n"
GOOD = HEAD + "file: a.c\nfind:\nif (x > 0)\n  return 1;\nput:\nreturn 2;\nend\n"
CODE = "int f(int x) {\n  if (x>0) return   1;\n  return 0;\n}\n"


def planted(mutant, code=CODE):
    """The code with the bug in it, or the word of what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "one.mutant").write_text(mutant, encoding="utf-8")
        (place / "a.c").write_text(code, encoding="utf-8")
        mutants, faults = plan.load(place)
        try:
            return faults[0] if faults else mutants[0].texts(place)["a.c"]
        except plan.Broken as fault:
            return str(fault)


CASES = [
    ("blanks and line breaks do not count", planted(GOOD) == CODE.replace("if (x>0) return   1;", "return 2;")),
    ("a text that is gone is refused", "0 times" in planted(GOOD, "int f;\n")),
    ("a text that is there twice is refused", "2 times" in planted(GOOD, CODE + CODE)),
    ("a replacement that changes nothing is refused",
     "nothing" in planted(GOOD.replace("return 2;", "if (x>0) return   1;"))),
    ("a file that is gone is refused", "no such file" in planted(GOOD.replace("a.c", "b.c"))),
    ("a mutant without tests is refused", "caught by" in planted(GOOD.replace("caught by: unit/one, unit/two\n", ""))),
    ("a mutant without an edit is refused", "no edit" in planted(HEAD)),
    ("an unknown line is refused", "no line" in planted("why: not\n" + GOOD)),
    ("a name that does not exist is refused", plan.load(".", ["none"])[1] != []),
]

print(f"1..{len(CASES)}")
for number, (name, holds) in enumerate(CASES, 1):
    print(f"{'ok' if holds else 'not ok'} {number} - {name}")
sys.exit(not all(holds for _, holds in CASES))
