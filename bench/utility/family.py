# SPDX-License-Identifier: MIT
"""40 synthetic tables: the presets practical and anytime on tables that nobody looked at while
choosing constants. Seeds start at FIRST; other tables than these served for choosing."""

import os
import tempfile

import numpy as np
from problems import write_libsvm
from synthetic import logistic_labels, shift_for

TABLES, FIRST = 40, 990000
SEEDS = {0.1: 40, 1.0: 10}  # by epsilon


def columns(random, z, d):
    """Gaussian columns with means, bounded ones, binary ones, or a mix with skewed ones."""
    kind = random.integers(4)
    if kind == 0:
        return z + random.uniform(-1, 1, d)
    if kind == 1:
        return np.tanh(z / 2 + random.uniform(-0.5, 0.5, d))
    if kind == 2:
        return (z > random.normal(0, 1, d)).astype(float)
    half = d // 2
    binary = z[:, :half] > random.normal(0, 0.8, half)
    return np.hstack([binary, 2 * np.clip(np.exp(0.7 * z[:, half:]) / 5, 0, 1) - 1])


def table(number, n_test=5000):
    """Columns, rows, positives and noise are drawn from the number of the table."""
    random = np.random.default_rng(FIRST + number)
    d = int(random.choice([5, 8, 12, 20, 35, 50]))
    n = int(random.choice([1000, 2000, 5000, 15000, 50000]))
    share = float(random.choice([0.03, 0.1, 0.25, 0.5]))
    deviation = float(random.choice([0.5, 1, 2, 4, 10]))  # noisy to separable
    spectrum = np.arange(1, d + 1.0) ** -random.choice([0, 0.5, 1])
    basis, _ = np.linalg.qr(random.standard_normal((d, d)))
    z = (random.standard_normal((n + n_test, d)) * np.sqrt(spectrum)) @ basis.T
    x = columns(random, z / z.std(axis=0), d)
    weights = random.standard_normal(d) * (random.random(d) < random.choice([0.3, 1]))
    weights[0] += not weights.any()
    margins = (x - x.mean(axis=0)) @ weights
    margins *= deviation / margins.std()
    y = logistic_labels(random, np.clip(margins + shift_for(margins, share), -50, 50))
    about = {"columns": d, "rows": n, "positives": share, "deviation": deviation}
    return x[:n], y[:n], x[n:], y[n:], about


class Files:
    """What Program.train_and_eval needs to know of a problem."""

    def __init__(self, folder, x, y, x_test, y_test, delta, options, digits=6):
        self.delta, self.options = delta, options
        self.train, self.test = (os.path.join(folder, part) for part in ("train.svm", "test.svm"))
        write_libsvm(self.train, x, y, digits)
        write_libsvm(self.test, x_test, y_test, digits)


def cell(program, number):
    """Mean losses of both presets by epsilon."""
    x, y, x_test, y_test, about = table(number)
    result = {"family": number, **about}
    with tempfile.TemporaryDirectory() as folder:
        files = Files(
            folder, x, y, x_test, y_test, 1 / len(y) ** 2, ["--features", str(x.shape[1])]
        )
        for preset in ("practical", "anytime"):
            for epsilon, seeds in SEEDS.items():
                options = ("--passes", "8", "--preset", preset)
                losses = [
                    program.train_and_eval(files, epsilon, seed, *options)[0]
                    for seed in range(1, seeds + 1)
                ]
                result.setdefault(preset, {})[f"{epsilon:g}"] = float(np.mean(losses))
    return result


def summary(cells):
    """By epsilon: number of tables, the share with at most 1.01 times the loss of anytime, the
    geometric mean of the ratios and the largest."""
    lines = []
    for epsilon in SEEDS if cells else ():
        key = f"{epsilon:g}"
        ratios = np.array([c["practical"][key] / c["anytime"][key] for c in cells])
        share, mean = (ratios <= 1.01).mean(), np.exp(np.log(ratios).mean())
        lines.append((epsilon, len(ratios), share, mean, ratios.max()))
    return lines
