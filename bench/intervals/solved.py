#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""solved.py TACIT [RUNS]: tables at epsilon 1000 against their own equation, solved to the end in NumPy
without noise, and against maximum likelihood (least squares for a number).

The equation of a table has constants that its releases set: the metric, the size r of rows, tau, and for
counts the deviations at the last point. They are computed here from exact sums, by the recipe of
docs/results/intervals.md. Differences are in standard errors of the table."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy import stats

import designs
import intervals

BINS, TAIL_MAX = 44, 3
UP = 2 * 2.0 ** (-np.arange(BINS - 1, -1, -1) / 4)
LOW = UP * 2**-0.25


def histogram(v):
    k = np.clip(np.floor(4 * np.log2(2 / np.maximum(np.abs(v), 1e-9))), 0, BINS - 1).astype(int)
    return np.bincount(k, minlength=BINS)[::-1]


def spread(counts):
    n, sums = counts.sum(), np.cumsum(counts)
    i = int(np.argmax(sums >= 0.68 * n))
    below = sums[i - 1] if i else 0
    return max(2.0**-10, LOW[i] + (UP[i] - LOW[i]) * (0.68 * n - below) / max(sums[i] - below, 1))


def tail(counts, t):
    n = counts.sum()
    over = np.cumsum(counts[::-1])[::-1] - 0.002 * n
    seen = np.where(over > 0)[0]
    if not len(seen) or seen[-1] == BINS - 1:
        return 1.0
    i = seen[-1]
    edge = LOW[i] * 2 ** (0.25 * over[i] / (over[i] - over[i + 1]))
    return min(max(1.0, edge / (stats.norm.isf(0.001) * t) / 1.1), TAIL_MAX)


def slopes(kind, eta, y, tau, most, v=None):
    """Slope, curvature and weight of rows; v holds the deviations of counts fast."""
    if kind == "logistic":
        p = 1 / (1 + np.exp(-eta))
        return p - y, p * (1 - p), 1.0
    if kind == "squared":
        t, rise, weight = (eta - y) / tau, 1.0, 1.0
    else:
        mean = np.exp(np.clip(eta, -30, 30))
        v = 1 / np.sqrt(1 + mean) if v is None else v
        t, rise, weight = (mean - y) * v / tau, mean * v / most, np.minimum(1, most / (mean * v))
    return t * (1 + t**6) ** (-1 / 6), (1 + t**6) ** (-7 / 6) * rise, weight


def solve(kind, x, y, label):
    """The coefficients per unit of x, whose columns are declared -1 to 1."""
    n, d = len(y), x.shape[1] + 1
    centre, scale = x.mean(0), np.array([spread(histogram(c - c.mean())) for c in x.T])
    z = np.column_stack([np.ones(n), (x - centre) / scale])
    theta, tau, most = np.zeros(d), 1.0, 1.0
    high = label.get("max", 1)
    if kind == "logistic":
        theta[0] = np.log(y.mean() / (1 - y.mean()))
    elif kind == "squared":
        y = y / high
        counts = histogram(y - y.mean())
        theta[0], tau = y.mean(), 3 * spread(counts) * tail(counts, spread(counts))
    else:
        counts = histogram(y / high)
        mean = max(0.05, 0.7 * spread(counts) * high)
        theta[0], most = np.log(mean), 3 * mean / np.sqrt(1 + mean)
        tau = 3 * tail(counts, spread(counts)) * np.sqrt(mean / (1 + mean))
    last = None
    for part in (1,) if kind == "squared" else (0.05, 0.07, 0.1, 0.18, 0.6):
        psi, h, weight = slopes(kind, z @ theta, y, tau, most)
        w = np.minimum(1, d / (z**2).sum(1)) * weight
        h_now = (z * (w * h)[:, None]).T @ z
        h_mean = h_now if last is None else (last[1] * last[0] + part * h_now) / (last[1] + part)
        last = (h_now, part)
        theta = theta - np.linalg.solve(h_mean, z.T @ (w * psi)) * tau / most
    eta = z @ theta
    if kind != "logistic":
        unit = high if kind == "poisson" else 1
        error = (y - np.exp(eta)) / np.sqrt(1 + np.exp(eta)) if kind == "poisson" else y - eta
        counts = histogram(error / (2 * unit))
        tau = 3 * spread(counts) * tail(counts, spread(counts)) ** 3 * 2 * unit
    values, vectors = np.linalg.eigh(h_mean)
    metric = vectors / np.sqrt(values / h_mean[0, 0] + 0.001)
    z2, theta2 = z @ metric, np.linalg.solve(metric, theta)
    weight, v = slopes(kind, eta, y, tau, most)[2], 1 / np.sqrt(1 + np.exp(np.clip(eta, -30, 30)))
    w = np.minimum(1, 16 * d / (z2**2).sum(1)) * weight
    for _ in range(50):
        psi, h, _ = slopes(kind, z2 @ theta2, y, tau, most, v)
        theta2 = theta2 - np.linalg.solve((z2 * (w * h)[:, None]).T @ z2, z2.T @ (w * psi)) * tau / most
    return (metric @ theta2)[1:] / scale * (high if kind == "squared" else 1)


def differences(tacit, kind, n, seed, folder):
    drawn = designs.plain(kind, 5)(np.random.default_rng(seed), n)
    table = np.column_stack([drawn.matrix, drawn.y])
    names = ",".join([*drawn.truth, "y"])
    np.savetxt(folder / "d.csv", table, fmt="%.9g", delimiter=",", header=names, comments="")
    (folder / "s.json").write_text(json.dumps(intervals.columns_of(drawn)[1]))
    command = [tacit, "infer", folder / "d.csv", "--schema", folder / "s.json", "--epsilon", 1000,
               "--seed", seed, "--loss", kind, "--json"]
    lines = json.loads(subprocess.run([str(c) for c in command], capture_output=True, check=True).stdout)
    estimates, errors = (np.array([line[key] for line in lines["coefficients"]]) for key in ("estimate", "se"))
    likelihood = intervals.classical(drawn, kind)[0]
    own = solve(kind, drawn.matrix, np.asarray(drawn.y, float), drawn.label)
    return (estimates - own) / errors, (estimates - likelihood) / errors


def main():
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    print("| loss | n | rms, own equation | largest | rms, maximum likelihood | largest |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("logistic", "squared", "poisson"):
            for n in (20000, 200000):
                both = [differences(sys.argv[1], kind, n, seed, pathlib.Path(folder)) for seed in range(runs if n < 1e5 else 3)]
                cells = [f"{100 * f(np.array(part)):.1f}%" for part in zip(*both)
                         for f in (lambda e: np.sqrt((e**2).mean()), lambda e: np.abs(e).max())]
                print(f"| {kind} | {n:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
