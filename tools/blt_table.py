#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/mechanism/blt_table.c from tools/blt-table.csv, to standard output.

The C file is committed, so that a build needs no Python; tests/lint checks that it is
what this script writes.
"""
import pathlib
import sys

HEAD = """/* SPDX-License-Identifier: MIT */
/* Made by tools/blt_table.py from tools/blt-table.csv: do not edit. For T = 2^log2_rounds
   rounds, the interlaced numbers lambda_j < mu_j of the best buffered Toeplitz matrix. */
#include "mechanism/blt.h"

const struct tacit_blt_row tacit_blt_table[] = {
"""
TAIL = """    {0, 0, {0}, {0}},
};
"""


def main() -> int:
    folder = pathlib.Path(__file__).resolve().parent
    sys.stdout.write(HEAD)
    for line in (folder / "blt-table.csv").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        fields = line.split(",")
        exponent, buffers = int(fields[0]), int(fields[1])
        numbers = fields[3:]
        if len(numbers) != 2 * buffers:
            raise SystemExit(f"blt-table.csv: 2^{exponent} has {len(numbers)} numbers")
        lam, mu = numbers[:buffers], numbers[buffers:]
        sys.stdout.write(f"    {{{exponent},\n     {buffers},\n")
        sys.stdout.write("     {" + ",\n      ".join(lam) + "},\n")
        sys.stdout.write("     {" + ",\n      ".join(mu) + "}},\n")
    sys.stdout.write(TAIL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
