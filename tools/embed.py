#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C header with texts as macros, so that compilers check formats: embed.py OUT.h FILE...

NAME.txt has several texts: a name in capitals on a line of its own, and indented lines below, which
are joined with blanks. PART becomes TEXT_PART. Any other file is one text, TEXT_NAME for NAME.css;
in a style sheet an indented line continues the one above, and the comment at the head is left out.
"""
import json
import pathlib
import re
import sys


def texts_of(path):
    text = path.read_text(encoding="utf-8")
    name = path.name.split(".")[0].upper()
    if path.suffix == ".css":
        yield name, text.split("*/\n")[1].replace("\n  ", "")
    elif path.suffix != ".txt":
        yield name, text
    else:
        for block in filter(None, text.strip("\n").split("\n\n")):
            name, *lines = block.split("\n")
            if not re.fullmatch("[A-Z][A-Z_]*", name) or not all(line.startswith("  ") for line in lines):
                sys.exit(f"{path}: {name}: not a name in capitals with indented lines below")
            yield name, " ".join(line.strip() for line in lines)


def main(out, *names):
    lines = [f"#define TEXT_{name} {json.dumps(text, ensure_ascii=False)}"
             for path in names for name, text in texts_of(pathlib.Path(path))]
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


main(*sys.argv[1:])
