#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""groups.py TACIT [RUNS]: how often the intervals of `tacit eval --epsilon --by` hold the truth.

A model is trained once on made-up people of four regions. Each run draws test rows, or persons with
one to three rows, from a population of 400,000 rows whose accuracy, recall and calibration are known for every
region, and evaluates with the seed of the run. Prints a table in Markdown.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 400
REGIONS, SHARES, SHIFTS = ["north", "east", "south", "west"], [0.5, 0.3, 0.15, 0.05], [0.4, 0.0, -0.6, 0.2]
PERSONS, TESTED, EPSILON, BINS = 200000, 6000, 2, 16
SCHEMA = {"tacit_schema": 2, "label": {"column": "y", "classes": ["no", "yes"]},
          "columns": [{"name": "id", "type": "ignore"}, {"name": "a", "type": "numeric", "min": -3, "max": 3},
                      {"name": "b", "type": "numeric", "min": -3, "max": 3},
                      {"name": "region", "type": "category", "values": REGIONS}]}


def people(draw, persons):
    """Rows of persons: id, a, b, region, label."""
    rows = draw.integers(1, 4, persons)
    ids = np.repeat(np.arange(persons), rows)
    n = len(ids)
    base = np.repeat(draw.normal(size=persons), rows)
    a, b = np.clip(0.7 * base + 0.7 * draw.normal(size=n), -3, 3), np.clip(draw.normal(size=n), -3, 3)
    region = draw.choice(4, n, p=SHARES)
    y = draw.random(n) < 1 / (1 + np.exp(-(1.5 * a - b + np.array(SHIFTS)[region])))
    return ids, a, b, region, y


def write(path, table, chosen):
    ids, a, b, region, y = table
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "a", "b", "region", "y"])
        out.writerows([int(ids[i]), f"{a[i]:.5f}", f"{b[i]:.5f}", REGIONS[region[i]], "yes" if y[i] else "no"]
                      for i in chosen)


def tacit(*words):
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


def ratio(top, bottom):
    return top / bottom if bottom > 0 else np.nan


def truth(table, scores, weights):
    """Accuracy, recall and the rate in each bin of scores, for every region."""
    region, y = table[3], table[4]
    bins = np.clip(np.ceil(scores * BINS).astype(int) - 1, 0, BINS - 1)
    found = []
    for g in range(4):
        mine = region == g
        right = ratio(np.sum(weights[mine] * ((scores > 0.5) == y)[mine]), np.sum(weights[mine]))
        recall = ratio(np.sum(weights[mine & y] * (scores > 0.5)[mine & y]), np.sum(weights[mine & y]))
        rates = [ratio(np.sum(weights[mine & y & (bins == b)]), np.sum(weights[mine & (bins == b)]))
                 for b in range(BINS)]
        found.append((right, recall, rates))
    return found


def main():
    draw = np.random.default_rng(5)
    table = people(draw, PERSONS)
    ids = table[0]
    counts = np.bincount(ids, minlength=PERSONS)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "s.json").write_text(json.dumps(SCHEMA))
        write(folder / "train.csv", people(draw, 10000), range(15000))
        tacit("train", folder / "train.csv", "--schema", folder / "s.json", "--epsilon", 4, "--seed", 1, "-q", "-o",
              folder / "m.json")
        write(folder / "all.csv", table, range(len(ids)))
        shown = tacit("predict", folder / "m.json", folder / "all.csv").splitlines()
        scores = np.array([float(line.split(",")[1]) for line in shown[1:]])
        starts = np.concatenate([[0], np.cumsum(counts)])
        print("| protected | measure | group | intervals | hold the truth | said “too noisy” or “too small” |")
        print("|---|---|---|---:|---:|---:|")
        for unit in ("rows", "persons"):
            weights = np.ones(len(ids)) if unit == "rows" else 1 / counts[ids]
            facts = truth(table, scores, weights)
            held = {}
            for run in range(RUNS):
                if unit == "rows":
                    chosen = draw.choice(len(ids), TESTED, replace=False)
                    more = []
                else:
                    persons = draw.choice(PERSONS, TESTED, replace=False)
                    chosen = np.concatenate([np.arange(starts[p], starts[p + 1]) for p in persons])
                    (folder / "ids").write_text("".join(f"{ids[i]}\n" for i in chosen))
                    more = ["--unit", folder / "ids"]
                write(folder / "t.csv", table, chosen)
                result = json.loads(tacit("eval", folder / "m.json", folder / "t.csv", "--epsilon", EPSILON, "--seed", run,
                                          "--by", "region", "--json", *more))
                for g, group in enumerate(result["groups"][:4]):
                    metrics = group.get("metrics", {})
                    rates = [point["rate"] for point in group.get("calibration", [{"rate": None}] * BINS)]
                    tests = [("accuracy", metrics.get("accuracy"), facts[g][0]), ("recall", metrics.get("recall"), facts[g][1])]
                    tests += [("calibration", rate, fact) for rate, fact in zip(rates, facts[g][2])]
                    for measure, interval, fact in tests:
                        noisy = interval is None or interval["value"] is None
                        inside = not noisy and interval["low"] <= fact <= interval["high"]
                        held.setdefault((measure, g), []).append((inside, noisy))
            for (measure, g), seen in sorted(held.items()):
                said = [inside for inside, noisy in seen if not noisy]
                share = f"{100 * sum(said) / len(said):.1f}%" if said else "–"
                print(f"| {unit} | {measure} | {REGIONS[g]} ({100 * SHARES[g]:g}%) | {len(seen)} | {share} |"
                      f" {100 - 100 * len(said) / len(seen):.1f}% |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
