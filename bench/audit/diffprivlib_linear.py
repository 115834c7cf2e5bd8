# SPDX-License-Identifier: MIT
"""diffprivlib_linear.py DATA OUT RUNS EPSILON: linear regression of diffprivlib, for `tacit audit`.

Trains RUNS times on the CSV file DATA, for EPSILON, and writes weights and intercept of each run on a line of OUT.
Columns and labels of the file are in [0, 1].
"""
import csv
import sys
import warnings

import diffprivlib.models
import numpy


def main():
    data, out, runs, epsilon = sys.argv[1:]
    warnings.simplefilter("ignore")
    with open(data, newline="", encoding="ascii") as file:
        table = numpy.array([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
    with open(out, "w", encoding="ascii") as file:
        for _ in range(int(runs)):
            model = diffprivlib.models.LinearRegression(epsilon=float(epsilon), bounds_X=(0, 1), bounds_y=(0, 1))
            model.fit(table[:, :-1], table[:, -1])
            print(*model.coef_, model.intercept_, file=file)


if __name__ == "__main__":
    main()
