# SPDX-License-Identifier: MIT
"""streams.py PROGRAM: one pass over standard input, with the defaults, without a round 0, and with the
preset of 0.1.0. Test loss, mean of the seeds 1 to 3; the table of docs/results/defaults.md."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from outlook import TEST, constant, loss_of, margins_of, rows_of, table, without
from problems import write_libsvm

WAYS = [[], ["--centre", "off"], ["--preset", "anytime"]]
TABLES = [("separable", 100000, 30), ("sparse", 60000, 120), ("rare", 100000, 30), ("noisy", 20000, 10),
          ("two kinds", 100000, 60)]


def two_kinds(n, d):
    """Ones and zeros whose rates differ between two classes, 20% positives: nearly separable."""
    rng = np.random.default_rng(5)
    y = (rng.random(n + TEST) < 0.2).astype(int)
    shift = rng.normal(size=(2, d)) * (rng.random((1, d)) < 0.3) * 1.2
    return (rng.random((n + TEST, d)) < 1 / (1 + np.exp(2 - 2 * shift[y]))) / np.sqrt(d / 4), y


def loss(program, folder, data, options, x, y):
    model = os.path.join(folder, "model.json")
    with open(data) as source:
        subprocess.run([program, "train", "-q", "-o", model, *map(str, options), "-"], stdin=source,
                       stdout=subprocess.DEVNULL, check=True)
    with open(model) as file:
        return loss_of("", margins_of(json.load(file), x, ""), y)


def main():
    program = os.path.abspath(sys.argv[1])
    print("| data | rows | columns | ε | practical | centre off | anytime | without privacy |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, n, d in TABLES:
        x, y = two_kinds(n, d) if kind == "two kinds" else table(kind, n, d, 7)
        rows = rows_of(x)
        plain = without("", rows[:n], y[:n], rows[n:], y[n:])
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "rows.svm")
            write_libsvm(data, x[:n], 2 * y[:n] - 1, 6)
            for epsilon in (0.3, 2, 8):
                fixed = ["--features", d, "--rows", n, "--epsilon", epsilon]
                means = [np.mean([loss(program, folder, data, [*fixed, "--seed", seed, *way], x[n:], y[n:])
                                  for seed in (1, 2, 3)]) for way in WAYS]
                cells = " | ".join(f"{mean:.4f}".lstrip("0") for mean in (*means, plain))
                print(f"| {kind} (constant {constant('', y[:n], y[n:]):.3f}) | {n:,} | {d} | {epsilon} | {cells} |",
                      flush=True)


if __name__ == "__main__":
    main()
