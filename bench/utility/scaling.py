# SPDX-License-Identifier: MIT
"""scaling.py PROGRAM [--other PROGRAM] [--first SEED] [--tables N] [--scales own,same,spread] [--seeds N]: how rows of classes are scaled.

Trains on tables made here (replace, delta = min(1/n^2, 1e-6), seeds 1 to N, nothing else given): 5 to 100 columns, 1,000 to 50,000
rows, 2 to 20 classes, declared bounds 1 to 50 times the spread of the data, none to 90% zeros; half of the tables with zeros
have bounds that begin at 0. Prints the test log-loss of each scaling over that of --scale own (or over the default of
--other), a table per line, then a summary. Seeds below 1000 were used to choose constants; the table in docs/results/scaling.md
has seeds 5000 to 5059, which were not looked at before. Needs numpy.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

TEST = 8000


def table(seed):
    rng = np.random.default_rng(seed)
    d = int(np.exp(rng.uniform(np.log(5), np.log(100))))
    n = int(np.exp(rng.uniform(np.log(1000), np.log(50000))))
    classes = int(rng.choice([2, 2, 2, 3, 5, 10, 20]))
    wide, zeros, total = np.exp(rng.uniform(0, np.log(50))), rng.choice([0, 0, 0.3, 0.6, 0.85, 0.9]), n + TEST
    load = rng.normal(size=(d, max(1, int(rng.integers(1, 6))))) * rng.choice([0, 0.5, 1])
    g = rng.normal(size=(total, d)) + rng.normal(size=(total, load.shape[1])) @ load.T
    g /= g.std(0)
    kind = rng.integers(3)
    if kind == 1:  # skewed
        g = np.exp(0.8 * g)
        g /= g.std(0)
    if zeros > 0:
        g = (np.abs(g) if kind == 0 else g) * (rng.random((total, d)) > zeros)
        g /= np.maximum(g.std(0), 1e-9)
    w = rng.normal(size=(d, classes if classes > 2 else 1)) * (rng.random((d, 1)) < rng.uniform(0.1, 1))
    w[0] += 0.5
    score = (g - g.mean(0)) @ w
    score *= rng.uniform(0.7, 4) / np.maximum(score.std(0).mean(), 1e-9)
    score = score + rng.normal(size=score.shape[1]) * 0.7
    if classes == 2:
        y = (rng.random(total) < 1 / (1 + np.exp(-score[:, 0]))).astype(np.int64)
    else:
        y = np.argmax(score + rng.gumbel(size=score.shape), axis=1).astype(np.int64)
    half = 3 * wide
    if zeros > 0 or kind == 1:
        low, high = (0.0, 2 * half) if rng.random() < 0.5 else (-half, half)
    else:
        middle = rng.uniform(-0.7, 0.7) * (half - 3)
        low, high = middle - half, middle + half
    x = np.clip(2 * (g - low) / (high - low) - 1, -1, 1)
    return f"{seed} | {n} | {d} | {classes} | {wide:.0f} | {zeros:.2g}", classes, x, y, n


def loss(program, folder, classes, epsilon, scale, seeds):
    return np.mean([loss_of(program, folder, classes, epsilon, scale, seed) for seed in range(1, seeds + 1)])


def loss_of(program, folder, classes, epsilon, scale, seed):
    at = folder + "/"
    several = ["--classes", str(classes)] if classes > 2 else []
    options = ["--scale", scale] if scale else []
    subprocess.run([program, "train", "-q", "--epsilon", str(epsilon), "--label-file", at + "y.npy", "--seed", str(seed), "-o",
                    at + "m.json", at + "x.npy", *several, *options], stdout=subprocess.DEVNULL, check=True)
    out = subprocess.run([program, "eval", at + "m.json", at + "xt.npy", "--label-file", at + "yt.npy", "--json"],
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)["loss"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--other")
    parser.add_argument("--first", type=int, default=5000)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--scales", default="spread")
    parser.add_argument("--epsilons", default="0.5,1,3")
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    scales = args.scales.split(",")
    print("| table | rows | columns | classes | bounds over spread | zeros | ε | before | " + " | ".join(scales) + " |")
    ratios = {scale: [] for scale in scales}
    for seed in range(args.first, args.first + args.tables):
        name, classes, x, y, n = table(seed)
        with tempfile.TemporaryDirectory() as folder:
            for part, rows in (("", slice(0, n)), ("t", slice(n, None))):
                np.save(os.path.join(folder, f"x{part}.npy"), x[rows])
                np.save(os.path.join(folder, f"y{part}.npy"), y[rows])
            for epsilon in args.epsilons.split(","):
                base = loss(args.other or args.program, folder, classes, epsilon, None if args.other else "own", args.seeds)
                cells = [loss(args.program, folder, classes, epsilon, None if s == "default" else s, args.seeds) / base for s in scales]
                for scale, cell in zip(scales, cells):
                    ratios[scale].append(cell)
                print(f"| {name} | {epsilon} | {base:.4f} | " + " | ".join(f"{c:.3f}" for c in cells) + " |", flush=True)
    for scale, cells in ratios.items():
        cells = np.array(cells)
        print(f"{scale}: geometric mean {np.exp(np.log(cells).mean()):.4f}, better in {np.mean(cells < 1):.2f}, "
              f"largest {np.sort(cells)[-5:].round(3)}, smallest {cells.min():.3f}, {len(cells)} cells")


if __name__ == "__main__":
    main()
