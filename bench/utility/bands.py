#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Coverage of the noise bands: bands.py PROGRAM ADULT ADULT_TEST [RUNS [KIND]]

Trains RUNS (200) seeded models with the defaults and counts the points of their shapes whose
value without noise is inside the 95% band, as `tacit show --json` gives it. Prints the tables of
docs/results/bands.md. KIND is a kind of curve of curves.py ("8 knots"). Needs nothing but Python.
"""

import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import curves

EPSILONS = [0.1, 1, 8]


def shapes(model, program):
    """[(name, shape less its mean, half the band)] of every term."""
    said = subprocess.run([program, "show", model, "--json"], check=True, capture_output=True)
    said = json.loads(said.stdout)
    found = []
    for term in said["terms"]:
        shape = term["shape"][0] if "shape" in term else [said["scale"] * w for w in term["weights"][0]]
        mean = statistics.fmean(shape)
        found.append((term["name"], [y - mean for y in shape], term.get("band", [None])[0]))
    return found


def train(program, folder, seed, *options):
    model = str(folder / "model.json")
    subprocess.run(
        [program, "train", "train.csv", "--schema", "schema.json", "--seed", str(seed), "-q"]
        + ["-o", model, "--threads", "1", *options],
        cwd=folder, check=True, capture_output=True,
    )
    return shapes(model, program)


def inside(runs, centre):
    """Share of points within the band of their run: one number per term, and of all."""
    terms = []
    for i, (name, *_) in enumerate(runs[0]):
        hits = [abs(y - c) <= b for run in runs
                for y, b, c in zip(run[i][1], run[i][2], centre[i])]
        terms.append((name, statistics.fmean(hits)))
    return terms, statistics.fmean(share for _, share in terms)


def width(runs, centre):
    """Root of the mean of the squared half bands over 1.96, over that of the deviations."""
    bands = [(b / 1.96) ** 2 for run in runs for _, _, band in run for b in band]
    apart = [(y - c) ** 2 for run in runs for i, (_, shape, _) in enumerate(run)
             for y, c in zip(shape, centre[i])]
    return (statistics.fmean(bands) / statistics.fmean(apart)) ** 0.5


def numbers(table, seed=12):
    """The same columns with a number as label: the sum of three of them, and noise."""
    draw = random.Random(seed)
    rows = [table["train"][0]]
    for row in table["train"][1:]:
        x = [float(cell) for cell in row[:3]]
        label = math.sin(2 * x[0]) + 0.5 * x[1] + math.exp(-x[2] * x[2]) + draw.gauss(0, 0.7)
        rows.append(row[:-1] + [f"{label:.3f}"])
    return table | {"train": rows, "label": {"column": "y", "min": -5, "max": 5}}


def report(program, name, table, curve, count, *extra):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with open(folder / "train.csv", "w", newline="") as file:
            csv.writer(file).writerows(table["train"])
        (folder / "schema.json").write_text(json.dumps(
            curves.schema(table, curve) | ({"label": table["label"]} if "label" in table else {})))
        for epsilon in EPSILONS:
            runs = [train(program, folder, seed, "--epsilon", str(epsilon), *extra)
                    for seed in range(1, count + 1)]
            centre = [[statistics.fmean(column) for column in zip(*(run[i][1] for run in runs))]
                      for i in range(len(runs[0]))]
            none = [shape for _, shape, _ in train(program, folder, 1, "--mechanism", "none", *extra)]
            terms, share = inside(runs, centre)
            _, share_none = inside(runs, none)
            terms.sort(key=lambda term: term[1])
            low, high = terms[0], terms[-1]
            print(f"| {name} | {epsilon} | {share:.3f} | {low[1]:.3f} ({low[0]}) | "
                  f"{high[1]:.3f} ({high[0]}) | {width(runs, centre):.2f} | {share_none:.3f} |",
                  flush=True)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 200
    curve = curves.KINDS[sys.argv[5] if len(sys.argv) > 5 else "8 knots"]
    print("| table | ε | inside | least (term) | most (term) | width | of no budget |")
    print("|---" * 7 + "|")
    table = curves.synthetic(12, list(curves.SHAPES))
    report(program, "shapes, classes", table, curve, count)
    report(program, "shapes, numbers", numbers(table), curve, count, "--loss", "squared")
    report(program, "shapes, median", numbers(table), curve, count, "--loss", "quantile")
    report(program, "Adult", curves.adult(sys.argv[2], sys.argv[3]), curve, count)


if __name__ == "__main__":
    main()
