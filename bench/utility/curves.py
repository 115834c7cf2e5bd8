#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines, hats and steps: curves.py PROGRAM ADULT ADULT_TEST [SEEDS [KIND]]

Trains with the defaults on raw Adult (two CSV files with a header, perhaps compressed) and on
synthetic tables, and prints the tables of docs/results/curves.md: mean AUC / log-loss on the
test rows over seeds 1 to SEEDS (5), of all kinds of curves or of one. Needs nothing but Python.
"""

import csv
import gzip
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

KINDS = {
    "line": None,
    "4 knots": {"knots": 4},
    "8 knots": {"knots": 8},
    "8 knots and a line": {"knots": 8, "line": True},
    "16 knots": {"knots": 16},
    "16 steps": 16,
}
EPSILONS = [0.1, 0.5, 1, 2, 8]

# What the data dictionary of UCI says, with round bounds where it says "continuous".
ADULT = {
    "age": (17, 90),
    "fnlwgt": (0, 1500000),
    "education_num": (1, 16),
    "capital_gain": (0, 99999),
    "capital_loss": (0, 5000),
    "hours_per_week": (1, 99),
}


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", newline="") as file:
        return list(csv.reader(file))


def adult(train, test):
    """The union of the categories of both files is that of the data dictionary."""
    train, test = read(train), read(test)
    numbers = {name: ADULT[name] for name in train[0] if name in ADULT}
    categories = {
        name: sorted({row[i] for row in train[1:] + test[1:]})
        for i, name in enumerate(train[0][:-1])
        if name not in ADULT
    }
    return {
        "train": train,
        "test": test,
        "numbers": numbers,
        "categories": categories,
        "classes": ["<=50K", ">50K"],
    }


SHAPES = {
    "line": lambda x: x,
    "bump": lambda x: 2.25 * (math.exp(-x * x) - 0.58),
    "wave": lambda x: 1.4 * math.sin(2 * x),
    "flat": lambda x: 0,
    "step": lambda x: 1.0 if x > 0.5 else -0.45,
}


def synthetic(columns, shapes, rows=20000, seed=11):
    """Standard normal columns, each with one of the shapes, in a logistic model."""
    draw = random.Random(seed)
    chosen = [SHAPES[draw.choice(shapes)] for _ in range(columns)]
    weights = [draw.gauss(0, 1) for _ in range(columns)]
    size = math.sqrt(sum(w * w for w, f in zip(weights, chosen) if f is not SHAPES["flat"]))

    def table(count):
        out = [[f"x{i}" for i in range(columns)] + ["y"]]
        for _ in range(count):
            x = [draw.gauss(0, 1) for _ in range(columns)]
            score = 1.8 * sum(w * f(v) for w, f, v in zip(weights, chosen, x)) / size - 0.4
            label = "yes" if draw.random() < 1 / (1 + math.exp(-score)) else "no"
            out.append([f"{v:.3f}" for v in x] + [label])
        return out

    return {
        "train": table(rows),
        "test": table(10000),
        "categories": {},
        "numbers": {f"x{i}": (-4, 4) for i in range(columns)},
        "classes": ["no", "yes"],
    }


def schema(table, curve):
    columns = []
    for name in table["train"][0][:-1]:
        if name in table["numbers"]:
            low, high = table["numbers"][name]
            column = {"name": name, "type": "numeric", "min": low, "max": high}
            columns.append(column | ({"curve": curve} if curve else {}))
        else:
            columns.append({"name": name, "type": "category", "values": table["categories"][name]})
    label = {"column": table["train"][0][-1], "classes": table["classes"]}
    return {"tacit_schema": 2, "label": label, "columns": columns}


def measure(program, folder, epsilon, seeds):
    found = []
    for seed in range(1, seeds + 1):
        subprocess.run(
            [
                program,
                "train",
                "train.csv",
                "--schema",
                "schema.json",
                "--epsilon",
                str(epsilon),
                "--seed",
                str(seed),
                "-q",
                "-o",
                "model.json",
            ],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        said = subprocess.run(
            [program, "eval", "model.json", "test.csv"],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        found.append([float(re.search(rf"^{key} (\S+)", said, re.M)[1]) for key in ("auc", "loss")])
    return " / ".join(f"{statistics.mean(x):.4f}"[1:] for x in zip(*found))


def report(program, name, table, seeds, kinds, rows=None):
    train = table["train"][: rows + 1] if rows else table["train"]
    print(
        f"\n**{name}** ({len(train) - 1:,} rows, {len(table['numbers'])} numbers, "
        f"{len(table['categories'])} categories)\n"
    )
    print("| | " + " | ".join(f"ε = {e}" for e in EPSILONS) + " |")
    print("|---" * (len(EPSILONS) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for part, lines in (("train", train), ("test", table["test"])):
            with open(folder / f"{part}.csv", "w", newline="") as file:
                csv.writer(file).writerows(lines)
        for kind, curve in kinds.items():
            (folder / "schema.json").write_text(json.dumps(schema(table, curve)))
            cells = [measure(program, folder, epsilon, seeds) for epsilon in EPSILONS]
            print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    seeds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    kinds = {sys.argv[5]: KINDS[sys.argv[5]]} if len(sys.argv) > 5 else KINDS
    census = adult(sys.argv[2], sys.argv[3])
    report(program, "Adult", census, seeds, kinds)
    report(program, "Adult, the first 8,000 rows", census, seeds, kinds, 8000)
    report(program, "Adult, the first 2,000 rows", census, seeds, kinds, 2000)
    every = list(SHAPES)
    report(program, "Shapes, few columns", synthetic(12, every), seeds, kinds)
    report(program, "Shapes, many columns", synthetic(40, every), seeds, kinds)
    report(program, "Lines only", synthetic(40, ["line"]), seeds, kinds)


if __name__ == "__main__":
    main()
