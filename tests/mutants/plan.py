# SPDX-License-Identifier: MIT
"""Reads the planted bugs: what each one edits, and which tests must catch it.

A file NAME.mutant has lines "key: value", then one block for each edit:

    bug: what goes wrong, in one sentence
    breaks: the fact of the guarantee that no longer holds
    caught by: unit/delta, sensitivity/neighbours
    file: src/gradient/delta.c
    find:
    the text to be replaced
    put:
    its replacement
    end

"caught by" names tests as suite/name, python/FILE.py or python/FILE.py::TEST, the quickest first. "hangs: yes"
says that running into the time limit counts as caught. The text must be in its file exactly
once; blanks and line breaks do not count, so that formatting the code moves nothing.
"""
import pathlib
import re

KEYS = ("bug", "breaks", "caught by")


class Broken(Exception):
    """A mutant that cannot be used as it stands."""


class Edit:
    def __init__(self, file):
        self.file, self.find, self.put = file, "", ""

    def pattern(self):
        """The text to find, with any blanks between its words and signs."""
        words = re.findall(r"\w+|[^\w\s]", self.find)
        return re.compile(r"\s*".join(re.escape(word) for word in words))

    def apply(self, text):
        places = list(self.pattern().finditer(text))
        if len(places) != 1:
            raise Broken(f"{self.file}: the text to replace is there {len(places)} times, not once")
        start, end = places[0].span()
        changed = text[:start] + self.put + text[end:]
        if changed == text:
            raise Broken(f"{self.file}: the replacement changes nothing")
        return changed


class Mutant:
    def __init__(self, path):
        self.name, self.edits, self.facts = path.stem, [], {}
        self.read(path.read_text(encoding="utf-8").splitlines())
        for key in KEYS:
            if not self.facts.get(key):
                raise Broken(f"the line '{key}:' is missing")
        self.tests = [test.strip() for test in self.facts["caught by"].split(",")]
        self.hangs = self.facts.get("hangs") == "yes"
        if not self.edits or any(not edit.find for edit in self.edits):
            raise Broken("no edit, or one without a text to find")

    def read(self, lines):
        part = None
        for line in lines:
            if line == "find:" or line == "put:":
                part = line[:-1]
            elif line == "end":
                part = None
            elif part:
                before = getattr(self.edits[-1], part)
                setattr(self.edits[-1], part, before + ("\n" if before else "") + line)
            elif line.strip():
                key, colon, value = line.partition(":")
                if not colon or key not in (*KEYS, "file", "hangs"):
                    raise Broken(f"'{line}' is no line of a mutant")
                if key == "file":
                    self.edits.append(Edit(value.strip()))
                else:
                    self.facts[key] = value.strip()

    def texts(self, root):
        """{file: its text with the bug in it}"""
        out = {}
        for edit in self.edits:
            path = pathlib.Path(root) / edit.file
            if edit.file not in out and not path.is_file():
                raise Broken(f"{edit.file}: no such file")
            out[edit.file] = edit.apply(out.get(edit.file) or path.read_text(encoding="utf-8"))
        return out


def load(folder, only=()):
    """(mutants, faults) of a folder; a fault is "name: what is wrong"."""
    mutants, faults = [], []
    for path in sorted(pathlib.Path(folder).glob("*.mutant")):
        if only and path.stem not in only:
            continue
        try:
            mutants.append(Mutant(path))
        except Broken as fault:
            faults.append(f"{path.stem}: {fault}")
    for name in only:
        if not (pathlib.Path(folder) / f"{name}.mutant").is_file():
            faults.append(f"{name}: there is no such mutant")
    return mutants, faults
