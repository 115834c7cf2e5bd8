# SPDX-License-Identifier: MIT
"""laplace_sum.py DATA OUT RUNS SCALE [seed]: the sum of x1 with Laplace noise, for `tacit audit`.

Values are cut to [-1, 1], so that one row replaced moves the sum by at most 2, and noise of scale 2/epsilon keeps
(epsilon, 0). "seed" makes the noise a function of the data, for tests.
"""
import csv
import math
import random
import sys


def main():
    data, out, runs, scale, *seed = sys.argv[1:]
    with open(data, newline="", encoding="ascii") as file:
        total = sum(max(-1.0, min(1.0, float(row["x1"]))) for row in csv.DictReader(file))
    draw = random.Random(f"{total}") if seed else random.SystemRandom()
    with open(out, "w", encoding="ascii") as file:
        for _ in range(int(runs)):
            print(total + float(scale) * math.log(1 - draw.random()) * draw.choice((-1, 1)), file=file)


if __name__ == "__main__":
    main()
