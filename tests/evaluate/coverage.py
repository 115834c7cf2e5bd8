#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py TACIT RUNS: 95% intervals of private evaluations at epsilon 0.5 contain the exact
numbers, and are narrow. On the test file of the demo, with two classes, and on made-up rows with
three classes, numbers, persons and weights. Prints TAP.

At least 93% of 400 runs, the demo's must; for fewer runs the limit leaves four standard errors,
so that a seed that is unlucky does not fail."""
import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Script  # noqa: E402

script, runs = Script(sys.argv[1], "coverage"), int(sys.argv[2])
least = 0.93 if runs >= 400 else 0.95 - 4 * math.sqrt(0.95 * 0.05 / runs)


def call(*words):
    code, out, line = script.call(*words)
    if code != 0:
        raise SystemExit(f"Bail out! {' '.join(words)}: {line}")
    return out


def covers(model, data, names, seeds, *options):
    """Coverage and mean half width of each metric, and how often it was too noisy."""
    exact = json.loads(call("eval", model, data, "--json", "-q"))
    inside, half, noisy = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
    for seed in range(seeds):
        result = json.loads(call("eval", model, data, "--epsilon", "0.5", "--seed", str(seed), "--json", *options))
        for name in names:
            metric = result["metrics"][name]
            if metric["value"] is None:
                noisy[name] += 1
                continue
            inside[name] += metric["low"] <= exact[name] <= metric["high"]
            half[name] += (metric["high"] - metric["low"]) / 2
    for name in names:
        kept = max(1, seeds - noisy[name])
        yield name, inside[name] / kept, half[name] / kept, noisy[name]


def train(name, rows, schema, *options):
    with open(name + ".csv", "w") as file:
        file.write("\n".join(rows) + "\n")
    with open(name + ".schema", "w") as file:
        json.dump(schema, file)
    call("train", "--epsilon", "2", "--schema", name + ".schema", "-o", name + ".json", name + ".csv", "-q",
         "--seed", "1", *options)


call("demo", "--folder", "demo", "--rows", "80000", "--seed", "1", "-q")
for name, share, half, noisy in covers("demo/private.json", "demo/test.csv", ("accuracy", "auc"), runs):
    script.check(share >= least and half < 0.012 and noisy == 0,
                 f"demo, 20,000 rows: the exact {name} is in its interval, which is narrower than 0.012",
                 f"{share:.4f} of {runs} runs, half width {half:.4f}")

draw = random.Random(7)
columns = [{"name": name, "type": "numeric", "min": -4, "max": 4} for name in "ab"]
points = [(draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(6000)]
three = [max(range(3), key=lambda k: (1.5 * a, 1.5 * b, -a - b)[k] + draw.gauss(0, 1)) for a, b in points]
two = ["yes" if a - b + draw.gauss(0, 0.8) > 0 else "no" for a, b in points]
classes = {"column": "y", "classes": ["no", "yes"]}
train("three", ["a,b,y"] + [f"{a:.3f},{b:.3f},c{c}" for (a, b), c in zip(points, three)],
      {"tacit_schema": 1, "label": {"column": "y", "classes": ["c0", "c1", "c2"]}, "columns": columns})
train("number", ["a,b,y"] + [f"{a:.3f},{b:.3f},{3 * a - 2 * b + draw.gauss(0, 1.5):.3f}" for a, b in points],
      {"tacit_schema": 1, "label": {"column": "y", "min": -15, "max": 15}, "columns": columns})
train("persons", ["id,a,b,y"] + [f"p{i // 2},{a:.3f},{b:.3f},{c}" for i, ((a, b), c) in enumerate(zip(points, two))],
      {"tacit_schema": 2, "unit": "id", "label": classes, "columns": columns})
train("weights", ["a,b,w,y"] + [f"{a:.3f},{b:.3f},{draw.random():.3f},{c}" for (a, b), c in zip(points, two)],
      {"tacit_schema": 2, "weight": {"column": "w", "max": 1}, "label": classes, "columns": columns})
train("hinge", ["a,b,y"] + [f"{a:.3f},{b:.3f},{c}" for (a, b), c in zip(points, two)],
      {"tacit_schema": 1, "label": classes, "columns": columns}, "--loss", "hinge")
for name, names, *options in (("three", ("accuracy", "loss")), ("persons", ("accuracy", "auc", "loss")),
                              ("weights", ("accuracy", "auc", "loss")), ("hinge", ("accuracy", "auc")),
                              ("number", ("rmse", "mae", "r2"), "--max-error", "6")):
    for metric, share, half, noisy in covers(name + ".json", name + ".csv", names, runs // 2, *options):
        limit = 0.93 if runs >= 400 else 0.95 - 4 * math.sqrt(0.95 * 0.05 * 2 / runs)
        script.check(share >= limit - 0.02 and noisy == 0, f"{name}: the exact {metric} is in its interval",
                     f"{share:.4f} of {runs // 2} runs, half width {half:.4f}")
script.end()
