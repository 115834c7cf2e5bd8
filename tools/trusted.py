#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trusted.py [--write] [ROOT]: the tables of docs/privacy.md and docs/design.md, made from TRUSTED.

Without --write it prints what is wrong with TRUSTED and which page is not what it says.
"""
import pathlib
import re
import sys
import textwrap

BEGIN, END = "<!-- made from TRUSTED by tools/trusted.py -->\n", "<!-- end of what is made -->\n"
NO_PRIVACY = "A"
OF_THE_VAULT = {"T1", "T4", "T5", "T6"}


class Fact:
    def __init__(self, name, text):
        self.name, self.text, self.files = name, text, []  # files: (path, functions, what it does)
        self.lists = {"proofs": [], "tests": [], "bugs": []}


def facts_of(text):
    """The blocks of TRUSTED."""
    facts = []
    for line in text.splitlines():
        block, part = re.match(r"(\w+): (.*)", line), re.match(r"  (proofs|tests|bugs): (.*)", line)
        if block:
            facts.append(Fact(*block.groups()))
        elif part:
            facts[-1].lists[part.group(1)] = part.group(2).split()
        elif line.startswith("  "):
            path, *functions, what = line.strip().split(" | ")
            facts[-1].files.append((path, functions[0].split(", ") if functions else [], what))
        elif line and not line.startswith("#"):
            raise SystemExit(f"TRUSTED: a line that is no part of a block: {line}")
    return facts


def link(path, up="../"):
    return f"[{path.removeprefix('src/')}]({up}{path})"


def listed(word, items):
    """One list per line of the page, its items on lines of their own."""
    return [f"{word}:\n" + ",\n".join(items) + ".", ""] if items else []


def table(facts):
    """A block per fact for docs/privacy.md; every cell fits in a line."""
    out = []
    for fact in facts:
        out += [textwrap.fill(f"**{fact.name}.** {fact.text[0].upper()}{fact.text[1:]}.", 110), ""]
        out += ["| file | function | what it does |", "|---|---|---|"]
        for path, functions, what in fact.files:
            names = ", ".join(f"`{name}`" for name in functions)
            out.append(f"| {link(path)} | {names} | {what.partition('none:')[0].rstrip('; ')} |")
        out.append("")
        out += listed("Proofs", [f"[{name}](proofs/{name}.md)" for name in fact.lists["proofs"]])
        out += listed("Tests", [link("tests/" + name).replace("[tests/", "[") for name in fact.lists["tests"]])
        out += listed("Planted bugs, for example", [f"`{name}`" for name in fact.lists["bugs"]])
    return "\n".join(out)


def privacy_page(page, facts):
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return page[:begin] + "\n" + table(facts) + page[end:]


def design_page(page, facts):
    """The last column of the table of rooms: which facts a bug there costs."""
    names = {}
    for fact in facts:
        for path, _, _ in fact.files:
            room = path.removeprefix("src/").removeprefix("extra/").split("/")[0] + "/"
            if path.startswith(("src/", "extra/")) and fact.name != NO_PRIVACY and fact.name not in names.setdefault(room, []):
                names[room].append(fact.name)

    def row(match):
        cost = re.sub(r",? ?\*\*privacy\*\*( \([^)]*\))?", "", match.group(3)).strip()
        if match.group(2) in names:
            cost = cost.replace("nothing private", "")
            cost = (cost + ", " if cost else "") + f"**privacy** ({' '.join(names[match.group(2)])})"
        return f"{match.group(1)} | {cost} |"

    return re.sub(r"^(\| `(\w+/)` \| [^|\n]*?) \| ([^|\n]*) \|$", row, page, flags=re.M)


PAGES = (("docs/privacy.md", privacy_page), ("docs/design.md", design_page))


def stem(path):
    return re.sub(r"\.[ch]$", "", path)


def faults(root):
    """What TRUSTED says that is not so, as "file: what is wrong"."""
    root = pathlib.Path(root)
    facts = facts_of((root / "TRUSTED").read_text(encoding="utf-8"))
    files = [(fact, *file) for fact in facts for file in fact.files]
    planted = {}
    for path in sorted((root / "tests" / "mutants").glob("*.mutant")):
        for file in re.findall(r"^file: (.*)", path.read_text(encoding="utf-8"), re.M):
            planted.setdefault(stem(file.strip()), path.stem)
    for fact, path, functions, what in files:
        if not (root / path).is_file():
            yield f"TRUSTED: {path} is not there"
            continue
        both = "".join(p.read_text(encoding="utf-8") for p in {root / path, (root / path).with_suffix(".h")}
                       if p.is_file())
        yield from (f"TRUSTED: {path} has no {name}" for name in functions
                    if not re.search(rf"\b{name}\b", both))
        if (stem(path) in planted) == ("none: " in what):
            yield f"TRUSTED: {path}: a planted bug or \"none: why\", and not both"
        if path.startswith("src/vault/") != (fact.name in OF_THE_VAULT) and not path.startswith("src/base/"):
            yield f"TRUSTED: {path} cannot carry {fact.name}"
    known = {stem(path) for _, path, _, _ in files}
    for file, name in sorted(planted.items()):
        if file not in known:
            yield f"TRUSTED: {file} is missing, where {name} plants a bug"
    for path in sorted((root / "src" / "vault").glob("*.[ch]")):
        name = path.relative_to(root).as_posix()
        if stem(name) not in known:
            yield f"TRUSTED: {name} is missing"
    for fact in facts:
        for kind, pattern in (("proofs", "docs/proofs/{}.md"), ("tests", "tests/{}"), ("bugs", "tests/mutants/{}.mutant")):
            for item in fact.lists[kind]:
                if not (root / pattern.format(item)).is_file():
                    yield f"TRUSTED: {fact.name}: no {pattern.format(item)}"
    for name, make in PAGES:
        if (root / name).is_file() and make((root / name).read_text(encoding="utf-8"), facts) != (
                root / name).read_text(encoding="utf-8"):
            yield f"{name}: not what TRUSTED says: run tools/trusted.py --write"


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    root = pathlib.Path(words[0] if words else pathlib.Path(__file__).resolve().parent.parent)
    if "--write" in sys.argv:
        facts = facts_of((root / "TRUSTED").read_text(encoding="utf-8"))
        for name, make in PAGES:
            (root / name).write_text(make((root / name).read_text(encoding="utf-8"), facts), encoding="utf-8")
    found = list(faults(root))
    print("".join(f"{fault}\n" for fault in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
