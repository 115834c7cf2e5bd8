# SPDX-License-Identifier: MIT
"""counts.py PROGRAM [--other PROGRAM] [--seeds N]: how near the default for counts comes to the best model.

Trains Poisson models (`tacit train --loss poisson`, replace, nothing else given) on tables made here:
counts whose rate has a gamma factor (overdispersed) and true Poisson counts. Prints, per table and epsilon,
the r2 on 20,000 rows apart over that of the true mean, and the Poisson deviance less that of the true
mean, means over the seeds; with --other also those of another program. Needs numpy. The table is in
docs/results/defaults.md.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

TEST = 20000
# name: (rows, columns, shape of the gamma factor or None, log of the mean count, strength, largest label, seed)
TABLES = {
    "over-a": (20000, 4, 0.7, 0.4, 0.7, 60, 11),
    "over-b": (10000, 8, 0.4, 1.0, 0.5, 100, 12),
    "over-c": (50000, 15, 1.5, 0.0, 0.6, 50, 13),
    "over-d": (5000, 3, 1.0, 1.5, 0.5, 200, 14),
    "over-e": (30000, 25, 0.5, -0.5, 0.8, 40, 15),
    "over-f": (100000, 6, 0.3, 2.0, 0.6, 500, 16),
    "true-a": (20000, 4, None, 0.4, 0.7, 60, 21),
    "true-b": (10000, 8, None, 1.0, 0.5, 30, 22),
    "true-c": (50000, 15, None, -0.5, 0.6, 15, 23),
    "true-d": (30000, 25, None, 1.5, 0.5, 100, 24),
}


def table(rows, columns, shape, mean, strength, most, seed):
    rng = np.random.default_rng(seed)
    x = np.clip(rng.normal(size=(rows + TEST, columns)), -4, 4)
    w = rng.normal(size=columns)
    rate = np.exp(mean + x @ (w * strength / np.linalg.norm(w)))
    factor = rng.gamma(shape, 1 / shape, len(x)) if shape else 1
    return x, np.minimum(rng.poisson(np.minimum(rate * factor, most)), most), rate


def deviance(y, mean):
    part = np.where(y > 0, y * np.log(np.maximum(y, 1) / mean), 0)
    return float(np.mean(2 * (part - (y - mean))))


def run(program, folder, epsilon, seed):
    model = f"{folder}/m.json"
    subprocess.run([program, "train", "-q", "--loss", "poisson", "--epsilon", str(epsilon), "--seed", str(seed), "--schema",
                    f"{folder}/schema.json", "-o", model, f"{folder}/train.csv"], check=True, stdout=subprocess.DEVNULL)
    scores = subprocess.run([program, "predict", model, f"{folder}/test.csv"], check=True, capture_output=True, text=True)
    return np.array([float(line.split(",")[-1]) for line in scores.stdout.split() if line[0].isdigit()])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--other")
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    programs = [p for p in (args.other, args.program) if p]
    print("| table | best r² | ε | " + " | ".join(["r² over the best", "deviance above the best"] * len(programs)) + " |")
    for name, facts in TABLES.items():
        with tempfile.TemporaryDirectory() as folder:
            x, y, rate = table(*facts)
            columns = [f"x{j}" for j in range(x.shape[1])]
            for part, rows in (("train", slice(None, -TEST)), ("test", slice(-TEST, None))):
                np.savetxt(os.path.join(folder, part + ".csv"), np.c_[x[rows], y[rows]], "%.6g", ",",
                           header=",".join(columns + ["y"]), comments="")
            schema = {"tacit_schema": 2, "label": {"column": "y", "min": 0, "max": facts[5]},
                      "columns": [{"name": c, "type": "numeric", "min": -4, "max": 4} for c in columns]}
            with open(os.path.join(folder, "schema.json"), "w") as file:
                json.dump(schema, file)
            truth, mean = y[-TEST:], rate[-TEST:]
            squares = np.mean((truth - truth.mean()) ** 2)
            best = 1 - np.mean((truth - mean) ** 2) / squares
            for epsilon in (0.5, 1, 3):
                cells = []
                for program in programs:
                    runs = [run(program, folder, epsilon, seed) for seed in range(1, args.seeds + 1)]
                    r2 = np.mean([1 - np.mean((truth - p) ** 2) / squares for p in runs])
                    cells += [f"{r2 / best:.3f}", f"{np.mean([deviance(truth, p) for p in runs]) - deviance(truth, mean):.4f}"]
                print(f"| {name} | {best:.3f} | {epsilon} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
