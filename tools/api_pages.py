#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/api: a page per public header, made from its declarations and the comments over them.

api_pages.py --check  one TAP line: the pages are what the headers say now
api_pages.py --write  writes the pages and their list, docs/api/README.md
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/api"
INCLUDE = ROOT / "include/tacit"
MARKS = r"\b(?:TACIT_API|TACIT_NODISCARD)\s+"


def prose(comment):
    """The text of a /** comment */, with its paragraphs."""
    lines = [re.sub(r"^\s*(?:\*(?!/) ?)?", "", line) for line in comment[3:-2].splitlines()]
    return "\n".join(line.rstrip() for line in lines).strip().replace("*", "\\*")


def pieces(text):
    """(comment, declaration) of the top level: comment is "" if there is none. A macro needs one."""
    text = re.sub(r'extern "C" \{|^\}\s*$', "", text, flags=re.M)
    pattern = (r"(/\*\*(?!<).*?\*/)|(/\*.*?\*/|^#(?!define)[^\n]*$)|(^#define(?:[^\n]*\\\n)*[^\n]*$|"
               r"(?:[^;{/#]|/(?!\*))+(?:\{(?:[^{}]|\{[^{}]*\})*\}[^;]*)?;)")
    comment = ""
    for match in re.finditer(pattern, text, re.S | re.M):
        doc, _, code = match.groups()
        if doc:
            comment = doc
        elif code and code.strip() and (comment or not code.startswith("#")):
            yield comment, code.strip()
            comment = ""


def name_of(code):
    """What a declaration declares."""
    patterns = (r"^#define (\w+)", r"^typedef [^{]*\(\*(\w+)\)\(", r"^typedef .*\b(\w+);$", r"^struct (\w+)",
                r"^enum \{\s*(?:/\*.*?\*/\s*)?(\w+)", r"\b(tacit_\w+)\s*\(")
    return next(match.group(1) for match in (re.search(p, code, re.S) for p in patterns) if match)


def page(header):
    """The text of the page of a header."""
    name = header.relative_to(INCLUDE).as_posix()
    up = "../" * (name.count("/") + 2)
    lines = [f"# tacit/{name}", "", f"Made from [{name}]({up}include/tacit/{name}) by tools/api_pages.py.", ""]
    for comment, code in pieces(header.read_text(encoding="utf-8")):
        code = re.sub(MARKS, "", code)
        if "{" not in code and code[0] != "#":
            code = re.sub(r"\(\s+", "(", re.sub(r"\s*\n\s*", " ", code))
        lines += [f"## {name_of(code)}", "", *([prose(comment), ""] if comment else []), "```c", code, "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def pages():
    """{path: text} of all pages and their list."""
    made, listed = {}, []
    for header in [*sorted(INCLUDE.glob("*.h")), *sorted(INCLUDE.glob("extra/*.h"))]:
        name = header.relative_to(INCLUDE).with_suffix(".md").as_posix()
        text = page(header)
        names = re.findall(r"^## (\w+)", text, re.M)
        if names and name != "export.md":  # its macros are for compilers
            made[PAGES / name] = text
            listed.append(f"- [{name[:-3]}.h]({name}): " + ", ".join(f"`{n.removeprefix('tacit_')}`" for n in names))
    head = ("# The C interface\n\nA page per header. Names are without the prefix `tacit_`. `<tacit/tacit.h>` includes "
            "the headers outside extra/.\n\n")
    made[PAGES / "README.md"] = head + "\n".join(listed) + "\n"
    return made


def main():
    made = pages()
    if "--write" in sys.argv:
        for path, text in made.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for path in set(PAGES.rglob("*.md")) - set(made):
            path.unlink()
        return 0
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    stale += set(PAGES.rglob("*.md")) - set(made)
    print("1..1")
    print(f"{'not ok' if stale else 'ok'} 1 - docs/api says what the headers say")
    for path in stale:
        print(f"# {path.relative_to(ROOT)} is stale: run tools/api_pages.py --write")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
