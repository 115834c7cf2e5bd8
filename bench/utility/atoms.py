#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Declared atoms: atoms.py PROGRAM ADULT ADULT_TEST [SEEDS [TABLE]]

Trains with the defaults on raw Adult, with 0 as an atom of the two capital columns, on amounts of
which half of the columns are 0 in 60% of the rows (edges.py), on such amounts that are 0 in 90%,
and on columns that have no atom but declare one. Prints the tables of docs/results/curves.md: mean
AUC / log-loss on the test rows over seeds 1 to SEEDS (10). Needs NumPy and SciPy, as edges.py does.
"""

import csv
import json
import math
import pathlib
import random
import sys
import tempfile

import curves
import edges

LINE = {"knots": 8, "line": True}
KINDS = {
    "8 knots and a line": (LINE, None),
    "atoms, 8 knots and a line": (LINE, [0]),
    "atoms, 8 knots": ({"knots": 8}, [0]),
    "atoms, 64 steps": (64, [0]),
}


def spiky(columns=20, zeros=0.9, rows=20000, seed=31):
    """Amounts that are 0 in most rows; to have one counts, and so does its logarithm."""
    draw = random.Random(seed)
    weights = [(draw.gauss(0, 0.7), draw.gauss(0, 0.7)) for _ in range(columns)]

    def table(count):
        out = [[f"x{i}" for i in range(columns)] + ["y"]]
        for _ in range(count):
            x = [0.0 if draw.random() < zeros else min(math.exp(draw.gauss(3, 1.3)), 10000)
                 for _ in range(columns)]
            score = sum(a + b * (math.log(v) - 3) / 1.3 for v, (a, b) in zip(x, weights) if v)
            label = "yes" if draw.random() < 1 / (1 + math.exp(-score)) else "no"
            out.append([f"{v:.2f}" for v in x] + [label])
        return out

    return {"train": table(rows), "test": table(10000), "categories": {},
            "numbers": {f"x{i}": (0, 10000) for i in range(columns)}, "classes": ["no", "yes"]}


def report(program, name, table, atomic, seeds):
    rows = len(table["train"]) - 1
    print(f"\n**{name}** ({rows:,} rows, {len(table['numbers'])} numbers, "
          f"{len(table['categories'])} categories, {len(atomic)} with atoms)\n")
    print("| | " + " | ".join(f"ε = {e}" for e in curves.EPSILONS) + " |")
    print("|---" * (len(curves.EPSILONS) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for part in ("train", "test"):
            with open(folder / f"{part}.csv", "w", newline="") as file:
                csv.writer(file).writerows(table[part])
        for kind, (curve, atoms) in KINDS.items():
            schema = curves.schema(table, LINE)
            for column in schema["columns"]:
                if atoms and column["name"] in atomic:
                    column |= {"curve": curve, "atoms": atoms}
            (folder / "schema.json").write_text(json.dumps(schema))
            cells = [curves.measure(program, folder, epsilon, seeds) for epsilon in curves.EPSILONS]
            print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    seeds = int(sys.argv[4]) if len(sys.argv) > 4 else 10
    tables = {
        "Adult": lambda: (curves.adult(*sys.argv[2:4]), ["capital_gain", "capital_loss"]),
        "Amounts, 60% zeros": lambda: (edges.skewed(), [f"x{i}" for i in range(1, 8, 2)]),
        "Amounts, 90% zeros": lambda: (spiky(), [f"x{i}" for i in range(20)]),
        "No atom where one is declared": lambda: (
            curves.synthetic(12, list(curves.SHAPES)), [f"x{i}" for i in range(12)]),
    }
    for name in sys.argv[5:] or tables:
        report(program, name, *tables[name](), seeds)


if __name__ == "__main__":
    main()
