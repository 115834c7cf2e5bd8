#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""untuned.py: how much of a tuned rival's gain a rule that is not tuned can be sure of.

The simplest model of a private fit: s = theta + noise, one noisy number per weight, and a model
w = f s whose loss is |w - theta|^2, so that its gain over w = 0 is 2 theta.w - |w|^2. The rival
knows the best factor f for |theta|; it is tuned. A rule that is not tuned has to take f from
|s| alone. q is the signal to noise ratio, |theta|^2 over the mean of |noise|^2. Printed: the
share of the rival's mean gain that the best such rule has for the q where it does worst.

The best rule is found as the value of a game: weights on q are raised where the rule is worst
(multiplicative weights), and the answer to weights has a closed form. Both sides of the game are
printed: a rule that was found, and a share that no rule exceeds which looks at |s| as finely as
BINS bins do. Means are over SAMPLES draws, so the third digit is not certain. Needs NumPy."""

import numpy as np

SAMPLES, BINS, ROUNDS, STEP = 200000, 60, 4000, 0.05


def gains(random, weights, ratios):
    """Gains are sums over bins of |s|: 2 f A - f^2 B. Returns A and B, by ratio and bin."""
    noise = random.standard_normal((SAMPLES, weights))
    drawn = []
    for q in ratios:
        length = np.sqrt(q * weights)
        s = noise.copy()
        s[:, 0] += length  # the noise has no direction
        drawn.append(((s**2).sum(axis=1), length * s[:, 0]))
    edges = np.quantile(np.concatenate([square for square, _ in drawn]), np.linspace(0, 1, BINS + 1))
    along, squares = [], []
    for square, product in drawn:
        own = np.clip(np.searchsorted(edges, square) - 1, 0, BINS - 1)
        along.append(np.bincount(own, product, BINS) / SAMPLES)
        squares.append(np.bincount(own, square, BINS) / SAMPLES)
    return np.array(along), np.array(squares)


def best_rule(along, squares, tuned):
    """The least share over all ratios of the best rule found, and a share that none exceeds."""
    weights, mean, most = np.full(len(tuned), 1 / len(tuned)), 0, 1.0
    for step in range(1, ROUNDS + 1):
        a, b = (weights / tuned) @ along, (weights / tuned) @ squares
        factor = a / np.maximum(b, 1e-300)
        most = min(most, float((a * factor).sum()))  # the best answer to these weights
        mean = mean + (factor - mean) / step
        weights = weights * np.exp(-STEP * (2 * along @ factor - squares @ factor**2) / tuned)
        weights /= weights.sum()
    return float(((2 * along @ mean - squares @ mean**2) / tuned).min()), most


def main():
    random = np.random.default_rng(1)
    ratios = np.exp(np.linspace(np.log(0.1), np.log(10), 17))
    print("| weights | signal to noise | share of the rule found | no rule has more |")
    print("|---|---|---|---|")
    for weights in (5, 11, 17, 50):
        along, squares = gains(random, weights, ratios)
        tuned = (ratios * weights) ** 2 / (ratios * weights + weights)
        for least in (0.1, 0.3):
            there = ratios >= least * 0.99
            found, most = best_rule(along[there], squares[there], tuned[there])
            print(f"| {weights} | {least:g} to 10 | {found:.3f} | {most:.3f} |")


if __name__ == "__main__":
    main()
