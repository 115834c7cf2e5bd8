# SPDX-License-Identifier: MIT
"""Accuracy against epsilon, and how much budget the whole comparison spent.

    python epsilons.py [FIGURE]

A comparison of budgets on the same people spends all of them. The accountant keeps the total;
in practice one would compare on synthetic or public records.
"""
import sys

import numpy as np
import tacit

EPSILONS = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
REPEATS = 5


def rows(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20)).astype(np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    weights = np.linspace(-8, 8, 20)
    return X, rng.random(n) < 1 / (1 + np.exp(-X @ weights))


def main():
    X, y = rows(20_000, 0)
    X_new, y_new = rows(20_000, 1)
    table = np.empty((len(EPSILONS), REPEATS))
    with tacit.BudgetAccountant(delta=1e-9) as accountant:
        for i, epsilon in enumerate(EPSILONS):
            for j in range(REPEATS):
                est = tacit.LogisticRegression(epsilon, delta=1e-9, classes=[False, True],
                                               data_norm=1.5)
                table[i, j] = est.fit(X, y).score(X_new, y_new)
            print(f"epsilon = {epsilon:<5} accuracy {table[i].mean():.3f} ± {table[i].std():.3f}")
    total = accountant.total()
    print(f"all {len(accountant)} fits together: epsilon = {total.epsilon:.2f} at delta = "
          f"{total.delta:g}; added up it would be {REPEATS * sum(EPSILONS):.2f}")
    best = limit(X, y, X_new, y_new)
    print(f"without noise         {best:.3f}")
    if len(sys.argv) > 1:
        draw(table, best, sys.argv[1])
    assert table[-1].mean() > best - 0.02
    assert table[0].mean() < table[-1].mean()
    assert total.epsilon < REPEATS * sum(EPSILONS)


def limit(X, y, X_new, y_new):
    est = tacit.LogisticRegression(classes=[False, True], data_norm=1.5,
                                   options={"mechanism": "none"})
    return est.fit(X, y).score(X_new, y_new)


def draw(table, best, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    axes.axhline(best, color="0.5", linestyle=":", label="without noise")
    axes.plot(EPSILONS, table.mean(axis=1), "-", color="#1f5fa8", label="mean")
    for i, epsilon in enumerate(EPSILONS):
        axes.plot([epsilon] * REPEATS, table[i], "o", color="#1f5fa8", alpha=0.4, markersize=4,
                  label="one fit" if i == 0 else None)
    axes.set_xscale("log")
    axes.set_xticks(EPSILONS, [f"{e:g}" for e in EPSILONS])
    axes.minorticks_off()
    axes.set_xlabel("ε (δ = 1e-9)")
    axes.set_ylabel("accuracy on new rows")
    axes.set_title("20,000 rows, 20 features")
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
