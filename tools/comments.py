#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints random comments of the tree, each with its line of code, to be read out of context.

comments.py [--seed N] [--count N] [FOLDER…]: the same seed prints the same comments of the same
tree. Comments of C, Python and shell files count; licence lines do not.
"""
import argparse
import pathlib
import random
import re
import subprocess

C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(/\*.*?\*/)', re.S)
HASH_COMMENT = re.compile(r'((?:^[ \t]*#(?!!)[^\n]*\n)+|^[ \t]*(?:r?)""".*?""")', re.S | re.M)


def comments(path):
    """(line number, comment, its line of code) of a file: the line it ends, or the next one."""
    text = path.read_text(encoding="utf-8", errors="replace")
    pattern = C_COMMENT if path.suffix in {".c", ".h"} else HASH_COMMENT
    for match in pattern.finditer(text):
        if match.group(1) is None or "SPDX" in match.group(1):
            continue
        before = text[:match.start(1)].rpartition("\n")[2].strip()
        after = text[match.end():].lstrip("\n").split("\n", 1)[0].strip()
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1).rstrip(), before or after


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
