# SPDX-License-Identifier: MIT
"""Data that the bench makes itself, from fixed seeds: badly conditioned, small, and with numbers as
labels (with one real table, the diabetes data of scikit-learn)."""

import json
import os

import numpy as np
from problems import Problem, Raw, as_rows, write_libsvm


def logistic_labels(random, margins):
    return (random.random(len(margins)) < 1 / (1 + np.exp(-margins))).astype(int)


def ill_conditioned(folder, d, power):
    """Logistic labels on Gaussian features whose covariance has condition number 1e4
    in a random basis. The weight of a direction of standard deviation s is s^-power up
    to sign: at power 1 every direction carries the same share of the signal, at 1/2
    its share falls from 1 to 0.01. The margin has standard deviation 3."""
    n, n_test, digits = 50000, 20000, 5
    random = np.random.Generator(np.random.PCG64(1000 * d + int(10 * power)))
    s = 10.0 ** np.linspace(0, -2, d)
    basis, _ = np.linalg.qr(random.standard_normal((d, d)))
    features = (random.standard_normal((n + n_test, d)) * s) @ basis.T
    features /= 1.5 * np.sqrt(np.sum(s * s))
    weights = basis @ (s**-power * np.where(random.random(d) < 0.5, -1, 1))
    margins = features @ weights
    margins *= 3 / margins.std()
    labels = logistic_labels(random, margins)
    name = f"ill-{d}" if power != 1 else f"ill-{d}-flat"
    train, test = (os.path.join(folder, f"{name}.{part}.svm") for part in ("train", "test"))
    write_libsvm(train, features[:n], labels[:n], digits)
    write_libsvm(test, features[n:], labels[n:], digits)
    signal = "the same signal in every direction" if power == 1 else "signal falling with variance"
    return Problem(
        name=name,
        title=f"Synthetic, condition number 1e4, d = {d}, {signal}",
        delta=1 / n**2,
        train=train,
        test=test,
        options=["--features", str(d)],
        x=as_rows(features[:n]),
        y=labels[:n],
        x_test=as_rows(features[n:]),
        y_test=labels[n:],
        epsilons=(0.1, 1.0),
        steps=(300, 1000),
        peer_seeds=5,
        batches=((4096, 20),),
        all_peers=False,
    )


SMALL = {  # name: rows, columns, deviation of the margin, share of positives
    "small-1k": (1000, 10, 2.0, 0.5),
    "small-3k": (3000, 16, 2.0, 0.12),
    "small-10k": (10000, 25, 8.0, 0.3),
}


def shift_for(margins, share):
    """What must be added to the margins for this share of positives."""
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        if (1 / (1 + np.exp(-np.clip(margins + middle, -50, 50)))).mean() < share:
            low = middle
        else:
            high = middle
    return low


def small(folder, name):
    """Bounded, correlated columns with means; logistic labels."""
    n, d, deviation, share = SMALL[name]
    n_test = 10000
    random = np.random.default_rng([n, d])
    mix = random.standard_normal((d, d)) * (np.arange(1, d + 1) ** -0.5)
    z = random.standard_normal((n + n_test, d)) @ mix.T
    features = np.tanh(z / z.std(axis=0) / 2 + random.uniform(-0.5, 0.5, d))
    margins = (features - features.mean(axis=0)) @ random.standard_normal(d)
    margins *= deviation / margins.std()
    labels = logistic_labels(random, np.clip(margins + shift_for(margins, share), -50, 50))
    train, test = (os.path.join(folder, f"{name}.{part}.svm") for part in ("train", "test"))
    write_libsvm(train, features[:n], labels[:n], 5)
    write_libsvm(test, features[n:], labels[n:], 5)
    kind = "nearly separable" if deviation > 4 else f"{100 * share:.0f}% positives"
    return Problem(
        name=name,
        title=f"Small, synthetic: {n} rows, {d} columns, {kind}",
        delta=1 / n**2,
        train=train,
        test=test,
        options=["--features", str(d)],
        x=as_rows(features[:n]),
        y=labels[:n],
        x_test=as_rows(features[n:]),
        y_test=labels[n:],
        raw=Raw(features[:n], features[n:], {j: (-1, 1) for j in range(d)}, ["continuous"] * d),
        epsilons=(0.1, 0.5, 1.0),
        batches=((64, 10), (256, 20), (1000, 40)),
        seeds=20,
        peer_seeds=20,
        slow_seeds=5,
    )


class Numbers:
    """A table with a number as label: columns and label with their declared bounds."""

    def __init__(self, x, y, bounds, label_bounds, n):
        self.x, self.y, self.bounds, self.label_bounds, self.n = x, y, bounds, label_bounds, n

    def mapped(self):
        """Columns and label mapped to [-1, 1]."""
        low, high = np.array(self.bounds, float).T
        floor, top = self.label_bounds
        x = 2 * (np.clip(self.x, low, high) - low) / (high - low) - 1
        return x, 2 * (np.clip(self.y, floor, top) - floor) / (top - floor) - 1

    def write(self, folder, name):
        """The schema and the two CSV files; returns their paths."""
        names = [f"x{j + 1}" for j in range(len(self.bounds))]
        schema, train, test = (
            os.path.join(folder, name + end) for end in (".json", ".csv", ".test.csv")
        )
        columns = [
            {"name": c, "type": "numeric", "min": low, "max": high}
            for c, (low, high) in zip(names, self.bounds)
        ]
        floor, top = self.label_bounds
        label = {"column": "y", "min": floor, "max": top}
        with open(schema, "w") as file:
            json.dump(
                {"tacit_schema": 1, "format": "csv", "label": label, "columns": columns}, file
            )
        for path, rows in ((train, slice(self.n)), (test, slice(self.n, None))):
            with open(path, "w") as file:
                file.write(",".join(names + ["y"]) + "\n")
                for row, y in zip(self.x[rows].tolist(), self.y[rows].tolist()):
                    file.write(",".join("%.6g" % value for value in row + [y]) + "\n")
        return schema, train, test


def linear(top=100, n=20000, n_test=5000):
    """y = 10 + 5 x1 + N(0, 2), three columns in [-1, 1]; label bounds 0 to `top`."""
    random = np.random.default_rng(5)
    x = random.uniform(-1, 1, (n + n_test, 3))
    y = 10 + 5 * x[:, 0] + random.normal(0, 2, n + n_test)
    return Numbers(x, y, [(-1, 1)] * 3, (0, top), n)


def mixed(n=16000, n_test=5000):
    """Ten columns of very different scales, some skewed."""
    random = np.random.default_rng(6)
    z = random.standard_normal((n + n_test, 10))
    z[:, 1:] += 0.5 * z[:, :-1]
    scale = 10.0 ** random.uniform(-1, 3, 10)
    x = np.where(np.arange(10) % 3 == 0, np.exp(z / 2), z) * scale
    y = (x / scale) @ random.standard_normal(10) + random.normal(0, 2, n + n_test)
    bounds = [(0, 6 * s) if j % 3 == 0 else (-4 * s, 4 * s) for j, s in enumerate(scale)]
    return Numbers(x, y, bounds, (-40, 40), n)


def counts(n=20000, n_test=5000, d=6, seed=7):
    """Poisson counts whose mean is exp of a linear form."""
    random = np.random.default_rng([seed, d])
    x = random.uniform(-1, 1, (n + n_test, d))
    y = random.poisson(np.exp(1 + x @ random.standard_normal(d) * (1.2 / np.sqrt(d))))
    return Numbers(x, np.minimum(y, 20).astype(float), [(-1, 1)] * d, (0, 20), n)


def diabetes():
    """442 patients of scikit-learn's diabetes data, 353 to train on, or None without it."""
    try:
        from sklearn.datasets import load_diabetes
    except ImportError:
        return None
    x, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(8).permutation(len(y))
    # Columns have norm 1 and mean 0; +-0.2 is four standard deviations.
    return Numbers(x[order], y[order], [(-0.2, 0.2)] * x.shape[1], (0, 400), 353)


REGRESSION = {  # name: title, maker
    "linear": ("y = 10 + 5 x1 + N(0, 2), label bounds 0 to 100", linear),
    "mixed": ("Ten columns of mixed scales", mixed),
    "diabetes": ("Diabetes (scikit-learn)", diabetes),
}


def regression(folder, name):
    title, make = REGRESSION[name]
    table = make()
    if table is None:
        return "scikit-learn is not installed"
    schema, train, test = table.write(folder, name)
    x, y = table.mapped()
    n, d = table.n, x.shape[1]
    rows = as_rows(x, same=True)
    return Problem(
        name=name,
        title=f"Regression: {title}",
        delta=min(1e-6, 1 / n**2),
        train=train,
        test=test,
        options=["--schema", schema, "--loss", "squared"],
        x=rows[:n],
        y=y[:n].astype(np.float32),
        x_test=rows[n:],
        y_test=y[n:].astype(np.float32),
        classes=0,
        raw=Raw(x[:n], x[n:], {j: (-1, 1) for j in range(d)}, ["continuous"] * d),
        epsilons=(0.3, 1.0, 10.0),
        batches=((256, 20), (1024, 40)) if n > 1000 else ((64, 20), (353, 60)),
        seeds=20 if n < 1000 else 10,
        peer_seeds=20,
    )
