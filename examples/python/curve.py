#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a CSV file to a private curve: curve.py [FIGURE]

Makes a registry whose risk is a curve, not a line: it is lowest at a body mass index of 23 and a
blood pressure of 115, and rises to both sides. Trains on it with ε = 1 through a schema, and draws
the shapes that the model found beside those that made the data. docs/howto/curve.md explains it.
"""
import csv
import pathlib
import sys
import tempfile

import numpy as np

import tacit

ROWS = 20_000
MANY = (22, 91), (17.8, 34.2), (98, 158)  # of age, bmi, systolic: where 90% of the rows are


def true_shapes(age, bmi, systolic):
    """The log-odds that made the data, by column."""
    return (0.03 * (age - 50),
            np.where(bmi < 23, 0.035 * (23 - bmi) ** 2, 0.012 * (bmi - 23) ** 2),
            np.where(systolic < 115, 0.05, 0.03) * np.abs(systolic - 115))


def write_registry(path, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 96, ROWS)
    bmi = np.clip(rng.normal(26, 5, ROWS), 15, 45).round(1)
    systolic = np.clip(rng.normal(128, 18, ROWS), 80, 190).round()
    ward = rng.choice(["surgery", "medicine", "maternity"], ROWS)
    odds = sum(true_shapes(age, bmi, systolic)) + 0.7 * (ward == "surgery") - 1.6
    back = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-odds)), "yes", "no")
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "bmi", "systolic", "ward", "readmitted"])
        writer.writerows(zip(age, bmi, systolic, ward, back, strict=True))


def read(path):
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def main(figure=None):
    schema = tacit.Schema(
        age=tacit.Numeric(18, 95, curve="hats+line"),
        bmi=tacit.Numeric(15, 45, curve="hats+line"),
        systolic=tacit.Numeric(80, 190, curve="hats+line"),
        ward=tacit.Category("surgery", "medicine", "maternity"),
        readmitted=tacit.Classes("no", "yes"),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "registry.csv"
        write_registry(path)
        table = read(path)                                # pandas.read_csv(path) does as well
    report = tacit.check(table, schema)                   # not private, for the data holder
    assert report["trains"]
    model = tacit.TableClassifier(schema, epsilon=1).fit(table)
    print(model.privacy_)
    print(f"accuracy {model.score(table):.3f} (on the same rows, not private)")
    if figure is not None:
        draw(model, figure)


def draw(model, name):
    import matplotlib

    matplotlib.use("Agg")
    figure = model.plot(["age", "bmi", "systolic"])
    for axis, place in zip(figure.axes, range(3), strict=True):
        line = axis.lines[-1]
        line.set_label("private, ε = 1")
        x, found = line.get_data()
        y = true_shapes(*(x if i == place else np.full_like(x, 50) for i in range(3)))[place]
        # The height of a shape is arbitrary: both have the same mean where 90% of the rows are.
        many = (x >= MANY[place][0]) & (x <= MANY[place][1])
        axis.plot(x, y - y[many].mean() + found[many].mean(), color="0.4", linestyle="--",
                  label="made the data")
        axis.axvspan(*MANY[place], color="0.95", zorder=-1)
    figure.axes[0].legend(frameon=False)
    figure.savefig(name)


if __name__ == "__main__":
    main(*sys.argv[1:2])
