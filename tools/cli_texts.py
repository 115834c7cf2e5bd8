#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes C with what help and man pages say of the commands: cli_texts.py OUT.c NAME.txt...

A text has paragraphs, whose lines are joined, separated by empty lines, then a line
"Examples:" and the lines to paste.
"""
import json
import pathlib
import sys


def main(out, *names):
    lines = ['#include "options.h"']
    for path in map(pathlib.Path, names):
        prose, found, examples = path.read_text(encoding="ascii").partition("\n\nExamples:\n")
        if not found or not examples.strip():
            sys.exit(f"{path}: there is no line \"Examples:\" with examples below")
        prose = "\n\n".join(" ".join(part.split()) for part in prose.split("\n\n"))
        name = f"cli_prose_{path.stem}"
        lines += [f"extern const struct cli_prose {name};", f"const struct cli_prose {name} = {{"]
        lines += [f"    {json.dumps(line)}" for line in prose.splitlines(keepends=True)] + ["    ,"]
        lines += [f"    {json.dumps(line)}" for line in examples.splitlines(keepends=True)] + ["};"]
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="ascii")


main(*sys.argv[1:])
