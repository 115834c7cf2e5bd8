#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/mechanism/matrix_table.c from tools/matrix-table.csv, to standard output.

The CSV file is the output of tools/matrix_design.py, which needs NumPy and SciPy. The C
file is committed, so that a build needs no Python; tests/lint checks that it is what this
script writes.
"""
import pathlib
import sys
import textwrap

HEAD = """/* SPDX-License-Identifier: MIT */
/* Made by tools/matrix_table.py from tools/matrix-table.csv: do not edit. Lower triangles,
   row by row, in units of 2^-12. */
#include "mechanism/matrix_table.h"
"""
DESIGNS = {"sums": "TACIT_DESIGN_SUMS", "last": "TACIT_DESIGN_LAST", "steps": "TACIT_DESIGN_STEPS"}
BITS = "12"


def read(path):
    """(design, b, E, price, rows) of every matrix."""
    matrices = []
    for line in path.read_text().splitlines():
        fields = line.split(",")
        if fields[0] in DESIGNS:
            if fields[3] != BITS:
                raise SystemExit(f"{path.name}: {fields[0]} {fields[1]} x {fields[2]} has {fields[3]} bits")
            matrices.append((fields[0], int(fields[1]), int(fields[2]), fields[5], []))
        elif line and not line.startswith("#"):
            matrices[-1][4].append(fields)
    for design, b, passes, _, rows in matrices:
        if [len(row) for row in rows] != list(range(1, b * passes + 1)):
            raise SystemExit(f"{path.name}: {design} {b} x {passes} is not a triangle")
    return matrices


def main() -> int:
    matrices = read(pathlib.Path(__file__).resolve().parent / "matrix-table.csv")
    sys.stdout.write(HEAD)
    for design, b, passes, _, rows in matrices:
        numbers = ", ".join(entry for row in rows for entry in row)
        sys.stdout.write(f"\nstatic const uint16_t {design}_{b}_{passes}[] = {{\n")
        sys.stdout.write(textwrap.fill(numbers, 88, initial_indent="    ", subsequent_indent="    "))
        sys.stdout.write("};\n")
    sys.stdout.write("\nconst struct tacit_matrix_row tacit_matrix_table[] = {\n")
    for design, b, passes, price, _ in matrices:
        sys.stdout.write(f"    {{{DESIGNS[design]}, {b}, {passes}, {price}, {design}_{b}_{passes}}},\n")
    sys.stdout.write("    {0, 0, 0, 0, NULL},\n};\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
