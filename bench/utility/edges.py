#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Knots from a private histogram: edges.py PROGRAM ADULT ADULT_TEST [BANK CREDIT] [SEEDS]

Trains with hats on 8 knots at equal distances, and with knots from noisy counts of 256 cells per
number that take a share of the budget (a fifth of mu, so 2% of it is missing in the training), and
prints the tables of docs/results/curves.md: AUC on the test rows, mean over seeds 1 to SEEDS (5) and
the difference with its standard error. "mixed" is the rule of src/data/schema/knots.c. BANK and
CREDIT are bank-full.csv and UCI_Credit_Card.csv of the UCI repository. Needs NumPy and SciPy.
"""

import csv
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

import curves
import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

CELLS, SHARE, EPSILONS = 256, 0.2, [0.5, 1, 2, 8]


def delta_of(epsilon, mu):
    return norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2)


def mu_of(epsilon, delta):
    return brentq(lambda mu: delta_of(epsilon, mu) - delta, 1e-4, 100)


def epsilon_of(mu, delta):
    return brentq(lambda epsilon: delta_of(epsilon, mu) - delta, 0, 200)


def knots_of(counts, sigma, low, high, knots, mixed):
    """Inner knots: the atoms (cells with more than a knot's share of all), then quantiles of the
    rest, or of a half of it and a half that is even."""
    n, width = max(counts.sum(), 1), (high - low) / CELLS
    atoms = [i for i in range(CELLS) if counts[i] > max(n / knots, 5 * sigma)]
    rest = counts.copy()
    rest[atoms] = 0
    if mixed:
        rest += max(rest.sum(), 0) / CELLS
    below = np.maximum.accumulate(np.concatenate([[0], np.cumsum(rest)]))
    below = np.minimum(below / max(below[-1], 1), 1)
    wanted = [q / (knots - 1) for q in range(1, knots - 1)]
    places = [low + width * float(np.interp(q, below, np.arange(CELLS + 1))) for q in wanted]
    places += [low + width * (i + 0.5) for i in atoms if 0 < i < CELLS - 1]
    kept = []
    for place in sorted(places):
        if place - (kept[-1] if kept else low) >= width and high - place >= width:
            kept.append(place)
    return kept


def edges_of(table, mu, draw, mixed, knots=8):
    """mu is that of the histograms, all columns in one release; infinite: without noise."""
    names = table["train"][0]
    sigma = math.sqrt(2 * len(table["numbers"])) / mu
    found = {}
    for name, (low, high) in table["numbers"].items():
        column = np.array([float(row[names.index(name)]) for row in table["train"][1:]])
        cells = np.clip((column - low) / (high - low) * CELLS, 0, CELLS - 1).astype(int)
        counts = np.bincount(cells, minlength=CELLS) + sigma * draw.standard_normal(CELLS)
        found[name] = knots_of(counts, sigma, low, high, knots, mixed)
    return found


def schema_with(table, edges):
    schema = curves.schema(table, {"knots": 8})
    for column in schema["columns"]:
        if edges.get(column["name"]):
            column |= {"edges": edges[column["name"]], "curve": {"kind": "linear"}}
    return schema


def measure(program, folder, schema, epsilon, delta, seed):
    (folder / "schema.json").write_text(json.dumps(schema))
    train = [program, "train", "train.csv", "--schema", "schema.json", "--epsilon", repr(epsilon)]
    train += ["--delta", repr(delta), "--seed", str(seed), "-q", "-o", "model.json"]
    subprocess.run(train, cwd=folder, check=True, capture_output=True)
    said = subprocess.run([program, "eval", "model.json", "test.csv"], cwd=folder, check=True,
                          capture_output=True, text=True).stdout
    return float(re.search(r"^auc (\S+)", said, re.M)[1])


def variants(table, epsilon, delta, seed):
    """(name, schema, epsilon that is left)."""
    mu, draw = mu_of(epsilon, delta), np.random.default_rng(seed)
    rest = epsilon_of(mu * math.sqrt(1 - SHARE**2), delta)
    yield "even", curves.schema(table, {"knots": 8}), epsilon
    yield "private, mixed", schema_with(table, edges_of(table, SHARE * mu, draw, True)), rest
    yield "private, quantiles", schema_with(table, edges_of(table, SHARE * mu, draw, False)), rest


def report(program, name, table, seeds):
    rows = len(table["train"]) - 1
    print(f"\n**{name}** ({rows:,} rows, {len(table['numbers'])} numbers, "
          f"{len(table['categories'])} categories)\n")
    print("| | " + " | ".join(f"ε = {e}" for e in EPSILONS) + " |")
    print("|---" * (len(EPSILONS) + 1) + "|")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for part in ("train", "test"):
            with open(folder / f"{part}.csv", "w", newline="") as file:
                csv.writer(file).writerows(table[part])
        for epsilon in EPSILONS:
            for seed in range(1, seeds + 1):
                for kind, schema, left in variants(table, epsilon, 1 / rows**2, seed):
                    auc = measure(program, folder, schema, left, 1 / rows**2, seed)
                    found.setdefault((kind, epsilon), []).append(auc)
    for kind in dict.fromkeys(kind for kind, _ in found):
        cells = []
        for epsilon in EPSILONS:
            own, base = found[kind, epsilon], found["even", epsilon]
            gaps = [a - b for a, b in zip(own, base)]
            cell = f"{statistics.mean(own):.4f}"[1:]
            if own is not base:
                cell += f" ({statistics.mean(gaps):+.4f} ± {statistics.stdev(gaps) / seeds**0.5:.4f})"
            cells.append(cell)
        print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)


def split(rows, numbers, categories, classes, label, test):
    """A table of the columns that are named, in a random order."""
    header, rows = rows[0], rows[1:]
    random.Random(5).shuffle(rows)
    names = [*numbers, *categories, label]
    picked = [[row[header.index(name)] for name in names] for row in rows]
    values = {name: sorted({row[names.index(name)] for row in picked} - {"other"})
              for name in categories}
    cut = len(picked) - test
    return {"train": [names, *picked[:cut]], "test": [names, *picked[cut:]], "numbers": numbers,
            "categories": values, "classes": classes}


def bank(path):
    numbers = {"age": (18, 100), "balance": (-10000, 110000), "day": (1, 31), "duration": (0, 5000),
               "campaign": (1, 65), "pdays": (-1, 900), "previous": (0, 300)}
    with open(path, newline="") as file:  # the original has semicolons, copies have commas
        rows = list(csv.reader(file.read().replace(";", ",").splitlines()))
    categories = [name for name in rows[0][:-1] if name not in numbers]
    return split(rows, numbers, categories, ["no", "yes"], "y", 11000)


def credit(path):
    numbers = {"LIMIT_BAL": (0, 1000000), "AGE": (20, 80)}
    numbers |= {f"PAY_{i}": (-2, 9) for i in (0, 2, 3, 4, 5, 6)}
    numbers |= {f"BILL_AMT{i}": (-400000, 1800000) for i in range(1, 7)}
    numbers |= {f"PAY_AMT{i}": (0, 1800000) for i in range(1, 7)}
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return split(rows, numbers, ["SEX", "EDUCATION", "MARRIAGE"], ["0", "1"], rows[0][-1], 7500)


def skewed(columns=8, rows=20000, seed=21):
    """Amounts with a long tail, half of them mostly zero; what counts is their logarithm."""
    draw = random.Random(seed)
    weights = [draw.gauss(0, 1) for _ in range(columns)]

    def amount(i):
        return 0.0 if i % 2 and draw.random() < 0.6 else math.exp(draw.gauss(3, 1.3))

    def table(count):
        out = [[f"x{i}" for i in range(columns)] + ["y"]]
        for _ in range(count):
            x = [min(amount(i), 10000) for i in range(columns)]
            parts = ((math.log1p(v) - 3) / 1.3 if v else -1.5 for v in x)
            score = 0.8 * sum(w * f for w, f in zip(weights, parts))
            label = "yes" if draw.random() < 1 / (1 + math.exp(-score)) else "no"
            out.append([f"{v:.2f}" for v in x] + [label])
        return out

    return {"train": table(rows), "test": table(10000), "categories": {},
            "numbers": {f"x{i}": (0, 10000) for i in range(columns)}, "classes": ["no", "yes"]}


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    paths = [a for a in sys.argv[4:] if not a.isdigit()]
    seeds = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 5
    report(program, "Amounts with long tails", skewed(), seeds)
    report(program, "Shapes of normal columns", curves.synthetic(12, list(curves.SHAPES)), seeds)
    if paths:
        report(program, "Bank marketing", bank(paths[0]), seeds)
        report(program, "Credit card clients", credit(paths[1]), seeds)
    report(program, "Adult", curves.adult(sys.argv[2], sys.argv[3]), seeds)


if __name__ == "__main__":
    main()
