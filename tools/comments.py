#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints random comments of the tree, each with its line of code, to be read out of context.

comments.py [--seed N] [--count N] [FOLDER…]: equal seeds print equal comments of an unchanged
tree. Comments of C, Python and shell files count; licence lines do not.

comments.py --check: holds the comments of C files in CHECKED to some rules of CONTRIBUTING.md
("Comments"). The lint suite runs it. Prints each comment that breaks one, and exits with 1.
"""
import argparse
import ast
import io
import pathlib
import random
import re
import subprocess
import sys
import tokenize

# Folders whose comments keep the rules. A room is added here when its comments are rewritten.
CHECKED = (
    "cli/",
    "demo/",
    "extra/",
    "include/tacit/extra/",
    "mpi/",
    "src/admit/",
    "src/algorithm1/",
    "src/base/",
    "src/batch/",
    "src/centre/",
    "src/checkpoint/",
    "src/data/array/",
    "src/data/bytes/",
    "src/data/cache/",
    "src/data/reader/",
    "src/data/schema/",
    "src/data/text/",
    "src/gradient/",
    "src/kernel/",
    "src/learner/",
    "src/loss/",
    "src/mechanism/",
    "src/model/",
    "src/norm/",
    "src/not_private/",
    "src/privacy/",
    "src/ranks/",
    "src/run/",
    "src/vault/",
    "theory/",
)
# (number of the rule in CONTRIBUTING.md, what matches a comment on one line, what to write)
STUMBLES = [(rule, re.compile(pattern), advice) for rule, pattern, advice in (
    (2, r"(?:^|[.,;] )(?:-?[01]|NULL): ", "write \"Returns X if Y\", or \"X, or 0 if Y\""),
    (2, r"\b(?:0|NULL): (?:none|no|not|there)\b", "write \", or NULL\" and when"),
    (3, r"\b(?:[Tt]hat|[Tt]hose) of\b", "name the thing again"),
    (3, r"\b(?:is|are|was|were|be|has|have) none\b", "say what it is then"),
    (5, r"^(?:The same\b|Likewise\b|Ditto\b|As above\b|And\b|Also\b|…)", "name the subject"),
    (5, r"[.;:] [Tt]he same(?:[,.;:]| as\b| for\b| of\b| by\b| with\b)", "name the subject"),
    (5, r"; …|…$|\blikewise\b", "complete the sentence"),
    (8, r"\bin place of\b", "write \"instead of\""),
    (8, r", too(?=[.,;:)]|$)", "write \"also\""),
    (8, r"\bbehind\b", "write \"after\""),
    (8, r"\b(?:bits|bytes|numbers|rows|cells|calls|times|digits|lines|records|sums) an? "
        r"(?:row|column|cell|coordinate|round|pass|day|batch|block|chunk|thread|rank|second|"
        r"person|number|file|record|group)\b", "write \"per\""),
)]

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


def stumbles(name, text):
    """(line, what is wrong) of the comments of a C file that break a rule, if the file is checked."""
    if not name.startswith(CHECKED) or not name.endswith((".c", ".h")):
        return
    for match in C_COMMENT.finditer(text):
        words = re.sub(r"\n[ *]*", " ", match.group(1) or "").strip("/*< ")
        for rule, pattern, advice in STUMBLES:
            found = pattern.search(words)
            if found:
                line = text.count("\n", 0, match.start(1)) + 1
                yield line, f"comment rule {rule}: \"{found.group(0).strip(' .,;')}\": {advice}"


def check(paths):
    """Prints the comments that break a rule. Returns the exit code."""
    found = [f"{path}:{line}: {what}" for path in paths
             for line, what in stumbles(path.as_posix(), path.read_text(encoding="utf-8"))]
    print("\n".join(found) if found else "every comment keeps the rules")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folders", nargs="*", default=["."])
    options = parser.parse_args()
    tracked = subprocess.run(["git", "ls-files", "--", *options.folders], check=True,
                             capture_output=True, text=True).stdout.splitlines()
    paths = [pathlib.Path(name) for name in tracked if re.search(r"\.(c|h|py|sh)$", name)]
    if options.check:
        return check([path for path in paths if path.suffix in {".c", ".h"}])
    found = [(path, *comment) for path in paths for comment in comments(path)]
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    for path, line, comment, code in sorted(chosen):
        print(f"{path}:{line}\n{comment}\n{code}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
