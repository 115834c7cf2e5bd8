#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Second moments against the bettor on made-up tables of numbers, to standard output.

  curved.py TACIT FIRST LAST [ADJACENCY]   tables FIRST … LAST-1; docs/results/defaults.md has 7000 to 7039

Truths are linear with a curve, columns are normal, skewed, 0/1 or heavy-tailed with common factors and bounds up to
three times as wide as the column, errors are normal, skewed or heavy-tailed, and labels fill 5 to 90% of their bounds.
A line per table and epsilon: rows, columns, n mu/(kappa (columns + 1)), 1 - r2 of least squares on the test rows, and
what `--moments off` and `auto` lose to it (mean of two seeds). It needs NumPy and SciPy.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

TEST, SEEDS, EPSILONS = 8000, 2, (0.5, 1, 3)
COLUMNS = (
    lambda s, r: s,
    lambda s, r: np.exp(0.7 * s),
    lambda s, r: (s > r.uniform(-0.5, 1.5)).astype(float),
    lambda s, r: np.sign(s) * np.abs(s) ** 1.5,
)
CURVES = (lambda u: np.tanh(2 * u), lambda u: u * u / 2, np.abs, lambda u: np.exp(0.5 * u))
ERRORS = (
    lambda r, n: r.normal(size=n),
    lambda r, n: r.exponential(size=n) - 1,
    lambda r, n: r.standard_t(4, size=n) / 1.4,
    lambda r, n: np.exp(r.normal(size=n) * 0.8),
)


def standard(values):
    return (values - values.mean(0)) / (values.std(0) + 1e-9)


def columns(random, rows, d):
    factors = int(random.integers(2, 7))
    loads = random.normal(size=(factors, d)) * random.uniform(0.2, 1.5)
    z = random.normal(size=(rows, factors)) @ loads / np.sqrt(factors) + random.normal(size=(rows, d))
    kinds = random.integers(0, 4, d)
    x = np.column_stack([COLUMNS[k](z[:, j] / z[:, j].std(), random) for j, k in enumerate(kinds)])
    low, high = x.min(0), x.max(0)
    half = (high - low) / 2 * np.where(kinds == 2, 1, np.exp(random.uniform(0, np.log(3), d)))
    return x, np.clip((x - (low + high) / 2) / half, -1, 1)


def labels(random, x):
    rows, d = x.shape
    x = standard(x)
    weights = random.normal(size=d) * (random.random(d) < random.uniform(0.3, 1))
    truth = standard(x @ weights)
    curve = CURVES[random.integers(0, 4)](standard(x @ random.normal(size=d)))
    truth = standard(truth + random.uniform(0, 0.7) * curve)
    error = standard(ERRORS[random.integers(0, 4)](random, rows))
    share = random.uniform(0.15, 0.95)
    y = truth * np.sqrt(share) + error * np.sqrt(1 - share)
    reach = (y.max() - y.min()) / 2
    half = reach / random.uniform(0.05, 0.9)
    middle = (y.max() + y.min()) / 2 + random.uniform(-1, 1) * (half - reach)
    return np.clip((y - middle) / half, -1, 1)


def table(seed):
    random = np.random.default_rng([seed, 77])
    n = int(np.exp(random.uniform(np.log(1500), np.log(50000))))
    d = int(np.exp(random.uniform(np.log(5), np.log(60))))
    raw, x = columns(random, n + TEST, d)
    return x, labels(random, raw), n


def write(path, x, y):
    names = ",".join([f"x{j}" for j in range(x.shape[1])] + ["y"])
    np.savetxt(path, np.column_stack([x, y]), fmt="%.6g", delimiter=",", header=names, comments="")


def call(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def loss_of(tacit, folder, options, least):
    losses = []
    for seed in range(SEEDS):
        call(tacit, "train", "-q", f"{folder}/train.csv", "--schema", f"{folder}/schema.json", *options,
             "--seed", 100 + seed, "--threads", 1, "-o", f"{folder}/model.json")
        losses.append(1 - json.loads(call(tacit, "eval", "-q", "--json", f"{folder}/model.json", f"{folder}/test.csv"))["r2"])
    return np.mean(losses) - least


def least_squares(x, y, n):
    design = np.column_stack([x, np.ones(len(x))])
    weights = np.linalg.lstsq(design[:n], y[:n], rcond=None)[0]
    return np.mean((design[n:] @ weights - y[n:]) ** 2) / y[n:].var()


def main() -> int:
    tacit, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    adjacency = sys.argv[4] if len(sys.argv) > 4 else "zero-out"
    found = []
    for seed in range(first, last):
        x, y, n = table(seed)
        least, delta = least_squares(x, y, n), min(1 / n**2, 1e-6)
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "train.csv"), x[:n], y[:n])
            write(os.path.join(folder, "test.csv"), x[n:], y[n:])
            numbers = [{"name": f"x{j}", "type": "numeric", "min": -1, "max": 1} for j in range(x.shape[1])]
            with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
                json.dump({"tacit_schema": 2, "label": {"column": "y", "min": -1, "max": 1}, "columns": numbers}, file)
            for epsilon in EPSILONS:
                budget = ["--epsilon", epsilon, "--delta", delta, "--adjacency", adjacency]
                mu = json.loads(call(tacit, "account", "--epsilon", epsilon, "--delta", delta, "--json"))["mu"]
                signal = n * mu / (x.shape[1] + 1) / (1 if adjacency == "zero-out" else 2)
                if signal < 100:
                    continue
                off, auto = (loss_of(tacit, folder, [*budget, "--moments", name], least) for name in ("off", "auto"))
                print(f"{seed} n {n} d {x.shape[1]} epsilon {epsilon} signal {signal:.0f} least {least:.3f} "
                      f"off {off:.4f} auto {auto:.4f}", flush=True)
                found.append((off, auto))
    off, auto = np.array(found).T
    print(f"{len(off)} cells: off mean {off.mean():.4f} worst {off.max():.4f}; auto mean {auto.mean():.4f} "
          f"worst {auto.max():.4f}, better in {np.mean(auto < off):.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
