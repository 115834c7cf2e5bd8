#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Designs the matrices of `--mechanism matrix`, to standard output: tools/matrix-table.csv.

For b rounds a pass and E passes a lower-triangular C >= 0 is sought whose noise costs the
learner least. A record is in rounds q, q + b, ...; columns are scaled so that every record
has sensitivity 1 (docs/design/wall.md). Three targets:

  sums  noise of the prefix sums theta_t = sum g_i of coin betting, g_t = sum of differences
        with bounds t^k - (t-1)^k; theta_t counts t/R (one pass: all the same)
  last  noise of the last iterate (one pass: of a weighted average) of heavy ball on a
        quadratic with a given spectrum, for steps that grow 1, 4 or 16 times, with
        checkpoints on the way
  steps noise of the weighted average of the points of heavy ball whose steps are shares
        of the step to the minimum, so that most directions turn alike, and a little of
        the points on the way, which decide which slopes are clipped

It needs NumPy and SciPy, which no build needs: tools/matrix_table.py makes the C file from
the CSV file. Prices are noise of the target over that of `banded`, for the exact matrix and
for the whole numbers that are kept.
"""
import math
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy  # noqa: E402
from scipy.optimize import minimize  # noqa: E402

BITS = 12  # 0.05% more noise than the exact matrix; see the lines on standard error
# b, E, arguments of the target
SUMS = [(24, 1, 1.25, 0), (16, 2, 1.5, 1), (16, 3, 1.5, 1), (16, 4, 1.5, 1), (8, 5, 1.5, 1),
        (8, 6, 1.5, 1), (8, 7, 1.5, 1), (8, 8, 1.5, 1)]
LAST = [(32, 1, 0.7, 3), (16, 2, 0.8, 0), (16, 4, 0.85, 0), (8, 8, 0.85, 0)]
STEPS = [(8, 8, 0.35, 0.85, 3)]  # b, E, share of a step, momentum, exponent of the average
TURNS, ON_THE_WAY = numpy.array([1, 1, 1, 0.5, 0.2, 0.08]), 0.15
SPECTRUM = numpy.r_[numpy.geomspace(8e-3, 2e-4, 20), numpy.geomspace(2e-4, 1e-6, 40)]
SPECTRUM *= 0.05 / SPECTRUM.sum()
LENGTH, GROWTHS, CHECKPOINTS = 4000.0, (1.0, 4.0, 16.0), 8


def target_sums(rounds, power, exponent):
    """theta_t, weighted, from the noise of the rounds in units of their bounds."""
    weights = numpy.arange(1, rounds + 1.0) ** power
    rises = numpy.diff(weights, prepend=0)
    ones = numpy.tril(numpy.ones((rounds, rounds)))
    count = (numpy.arange(1, rounds + 1) / rounds) ** exponent
    return (ones @ (ones * rises)) * count[:, None]


def response(until, rounds, momentum, average, growth):
    """How the output after `until` rounds moves for a unit error in the gradient of each."""
    x = numpy.zeros((until, len(SPECTRUM)))
    v, mean = x.copy(), x.copy()
    norm = 1 if growth == 1 else (growth - 1) / math.log(growth)
    for t in range(1, until + 1):
        gradient = SPECTRUM * x
        gradient[t - 1] += 1
        step = LENGTH * growth ** (t / rounds) / norm * (1 - momentum) / rounds
        v = momentum * v - step * gradient
        x = x + v
        if average:
            mean = mean + (x - mean) * (average + 1) / (t + average)
    return mean if average else x


def target_last(rounds, momentum, average):
    parts = []
    for growth in GROWTHS:
        for q in range(1, CHECKPOINTS + 1):
            until = rounds * q // CHECKPOINTS
            share = SPECTRUM if q == CHECKPOINTS else SPECTRUM / (CHECKPOINTS - 1)
            part = numpy.zeros((rounds, len(SPECTRUM)))
            part[:until] = response(until, rounds, momentum, average, growth) * numpy.sqrt(share)
            parts.append(part)
    return numpy.hstack(parts).T


def target_steps(rounds, share, momentum, average):
    x = numpy.zeros((len(TURNS), rounds))
    v, mean, parts = x.copy(), x.copy(), []
    for t in range(1, rounds + 1):
        gradient = TURNS[:, None] * x
        gradient[:, t - 1] += 1
        v = momentum * v - share * (1 - momentum) * gradient
        x = x + v
        mean = mean + (x - mean) * (average + 1) / (t + average)
        if t % 4 == 0:
            parts.append(x * ON_THE_WAY / 4)
    return numpy.vstack([mean, *parts])


def phases(b, rounds):
    return numpy.eye(b)[numpy.arange(rounds) % b]


def banded(b, rounds, p=0.7, width=4):
    """BIFR(p, width), every record at the same cost."""
    inverse = numpy.ones(width)
    for k in range(1, width):
        inverse[k] = inverse[k - 1] * (k - 1 - p) / k
    c = numpy.linalg.inv(sum(inverse[k] * numpy.eye(rounds, k=-k) for k in range(width)))
    return equal_cost(numpy.maximum(c, 0), b)


def equal_cost(c, b):
    rounds = len(c)
    norms = numpy.sqrt(((c @ phases(b, rounds)) ** 2).sum(0))
    return c / norms[numpy.arange(rounds) % b]


def noise(target, c, b):
    """Root of the sum of squares of the target's noise for sensitivity 1."""
    sens = numpy.sqrt(((c @ phases(b, len(c))) ** 2).sum(0)).max()
    return sens * numpy.linalg.norm(numpy.linalg.solve(c.T, target.T))


def design(target, b, steps=600):
    """Entries below the diagonal are squares, the diagonal is 1; L-BFGS from `banded`."""
    rounds = target.shape[1]
    u, s, _ = numpy.linalg.svd((target / numpy.abs(target).max()).T, full_matrices=False)
    rows = u * s
    below = numpy.tril_indices(rounds, -1)
    phase = numpy.arange(rounds) % b
    h = phases(b, rounds)

    def cost(root):
        c = numpy.eye(rounds)
        c[below] = root**2
        sums = c @ h
        norms = numpy.sqrt((sums**2).sum(0))
        y = numpy.linalg.solve(c.T, norms[phase][:, None] * rows)
        q = numpy.linalg.solve(c, y)
        total = (y**2).sum()
        slope = 2 * ((q * rows).sum(1) @ h)
        gradient = -2 * y @ q.T + (sums * (slope / norms)) @ h.T
        return math.log(total), gradient[below] * 2 * root / total

    start = banded(b, rounds)
    start = start / numpy.diag(start)
    found = minimize(cost, numpy.sqrt(numpy.maximum(start[below], 1e-4)), jac=True,
                     method="L-BFGS-B", options={"maxiter": steps})
    c = numpy.eye(rounds)
    c[below] = found.x**2
    return equal_cost(c, b)


def whole(c, bits):
    return numpy.maximum(numpy.rint(c * 2**bits), numpy.eye(len(c))).astype(int)


def main() -> int:
    print("# name,b,E,bits,price,price of the exact matrix; then the rows of C 2^bits")
    wanted = [("sums", b, e, target_sums(b * e, *rest)) for b, e, *rest in SUMS]
    wanted += [("last", b, e, target_last(b * e, *rest)) for b, e, *rest in LAST]
    wanted += [("steps", b, e, target_steps(b * e, *rest)) for b, e, *rest in STEPS]
    for name, b, e, target in wanted:
        c = design(target, b)
        base = noise(target, banded(b, b * e), b)
        for bits in range(8, 19, 2):  # what the whole numbers cost
            price = noise(target, whole(c, bits) / 2**bits, b) / base
            print(f"{name} {b} x {e}: {bits} bits {price:.5f}", file=sys.stderr)
        k = whole(c, BITS)
        print(f"{name},{b},{e},{BITS},{noise(target, k / 2**BITS, b) / base:.5f},"
              f"{noise(target, c, b) / base:.5f}", flush=True)
        for t, row in enumerate(k):
            print(",".join(str(entry) for entry in row[: t + 1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
