#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints random comments of the tree, each with its line of code, to be read out of context.

comments.py [--seed N] [--count N] [FOLDER…]: the same seed prints the same comments of the same
tree. Comments of C, Python and shell files count; licence lines do not.
"""
import argparse
import ast
import io
import pathlib
import random
import re
import subprocess
import tokenize

C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(/\*.*?\*/)', re.S)
SHELL_COMMENT = re.compile(r"((?:^[ \t]*#(?!!)[^\n]*\n)+)", re.M)


def python_spans(text):
    """(first line, last line) of the docstrings and comments of a Python file, from 1."""
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            if isinstance(getattr(body[0].value, "value", None), str):
                yield body[0].lineno, body[0].end_lineno
    last = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            if last and last[1] == token.start[0] - 1:
                last = last[0], token.start[0]
                continue
            if last:
                yield last
            last = token.start[0], token.start[0]
    if last:
        yield last


def comments(path):
    """(line number, comment, its line of code) of a file: the line it ends, or the next one."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    if path.suffix == ".py":
        found = [(a, "\n".join(lines[a - 1:b]), "", lines[b:]) for a, b in python_spans(text)]
    else:
        pattern = C_COMMENT if path.suffix in {".c", ".h"} else SHELL_COMMENT
        found = []
        for match in pattern.finditer(text):
            if match.group(1):
                number = text.count("\n", 0, match.start(1))
                before = text[:match.start(1)].rpartition("\n")[2].strip()
                found.append((number + 1, match.group(1), before, text[match.end():].split("\n")))
    for number, comment, before, after in found:
        if not re.search("SPDX|shellcheck", comment):
            code = before or next((line.strip() for line in after if line.strip()), "")
            yield number, comment.rstrip(), code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("folders", nargs="*", default=["."])
    options = parser.parse_args()
    tracked = subprocess.run(["git", "ls-files", "--", *options.folders], check=True,
                             capture_output=True, text=True).stdout.splitlines()
    paths = [pathlib.Path(name) for name in tracked if re.search(r"\.(c|h|py|sh)$", name)]
    found = [(path, *comment) for path in paths for comment in comments(path)]
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    for path, line, comment, code in sorted(chosen):
        print(f"{path}:{line}\n{comment}\n{code}\n")


if __name__ == "__main__":
    main()
