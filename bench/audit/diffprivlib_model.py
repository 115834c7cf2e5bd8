# SPDX-License-Identifier: MIT
"""diffprivlib_model.py DATA OUT RUNS EPSILON: logistic regression of diffprivlib, for `tacit audit`.

Trains RUNS times on the CSV file DATA, for EPSILON, and writes the weights of each run on a line of OUT. Rows of the
file have a norm of at most 1.
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
            model = diffprivlib.models.LogisticRegression(epsilon=float(epsilon), data_norm=1.0)
            model.fit(table[:, :-1], table[:, -1])
            print(*model.coef_[0], file=file)


if __name__ == "__main__":
    main()
