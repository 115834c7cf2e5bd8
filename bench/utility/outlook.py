# SPDX-License-Identifier: MIT
"""outlook.py PROGRAM [--seeds N] [--json]: whether the outlook of `tacit plan` is true.

Trains on tables made here, with the options of `tacit train` and the seeds 1 to N, and compares what
the plan said before with the share of the gain that the noise cost: (loss of the private model - loss
without privacy) / (loss of the best constant - loss without privacy), on rows apart. Needs numpy and
scipy. The table is docs/results/outlook.md.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from problems import write_libsvm
from scipy.optimize import minimize

TEST = 20000
# What each verdict promises: at most this share of the gain is lost.
PROMISES = {"near non-private": 0.03, "a little": 0.15, "clearly": 0.50, "no promise": np.inf}


def classes_of(kind):
    """How many classes tables of this kind have, if more than two; else 0."""
    name, _, count = kind.partition(" ")
    return int(count or 4) if name in ("classes", "embedding") else 0


def table(kind, n, d, seed):
    """(rows, labels) with the rows of the test at the end."""
    rng = np.random.default_rng(seed)
    total = n + TEST
    if kind.startswith("embedding"):  # class means and noise with one power law, turned, beside a constant
        classes, size = classes_of(kind), (1 + np.arange(d)) ** -0.6
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
        y = rng.integers(0, classes, total)
        x = (rng.normal(size=(classes, d))[y] + 3 * rng.normal(size=(total, d))) * size
        x = x @ turn.T + 0.9 / np.sqrt(d)
        return x / np.linalg.norm(x, axis=1)[:, None], y
    if kind == "sparse":  # as one-hot columns of a census: 14 ones in a row
        x = np.zeros((total, d))
        for group in np.array_split(np.arange(d), 14):
            rate = 1 / np.arange(1, len(group) + 1) ** 1.5
            x[np.arange(total), group[0] + rng.choice(len(group), total, p=rate / rate.sum())] = 1
    else:
        x = rng.normal(size=(total, d)) / np.sqrt(d)
    w = rng.normal(size=d) * np.sqrt(1 if kind == "sparse" else d / min(d, 10))
    if kind != "sparse":
        w[10:] *= 0.2
    score = x @ w
    if kind == "number":
        return x, np.clip(5 + score + rng.normal(size=total), 0, 20)
    if classes_of(kind):
        shape = (d, classes_of(kind))
        return x, np.argmax(x @ (3 * rng.normal(size=shape)) + rng.gumbel(size=(total, shape[1])), axis=1)
    sharp, shift = {"separable": (12, 0), "rare": (2, -3.5)}.get(kind, (2, 0))
    rate = 1 / (1 + np.exp(-sharp * (score - score.mean()) - shift))
    return x, (rng.random(total) < rate).astype(int)


def rows_of(x):
    """As Tacit takes them: with a one, and scaled down to norm 1."""
    x = np.hstack([x, np.ones((len(x), 1))])
    return x / np.maximum(1, np.linalg.norm(x, axis=1))[:, None]


def loss_of(kind, margins, y):
    if kind == "number":
        return float(np.mean((margins[:, 0] - y) ** 2) / 2)
    if kind == "hinge":
        return float(np.mean(np.maximum(0, 1 - (2 * y - 1) * margins[:, 0])))
    if margins.shape[1] == 1:
        margins = np.hstack([np.zeros_like(margins), margins])
    top = margins.max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(margins - top).sum(axis=1)) + top[:, 0] - margins[np.arange(len(y)), y]))


def without(kind, x, y, x_test, y_test):
    """The test loss without privacy, of the ridge that is best on the test: the strictest reference."""
    return min(loss_of(kind, x_test @ fitted(kind, x, y, ridge), y_test) for ridge in (1e-8, 1e-6, 1e-5, 1e-4))


def fitted(kind, x, y, ridge):
    """Weights without privacy."""
    if kind == "number":
        return np.linalg.lstsq(x, y, rcond=None)[0][:, None]
    outputs = 1 if y.max() == 1 else y.max() + 1
    targets = y[:, None] if outputs == 1 else np.eye(outputs)[y]

    def value(flat):
        w = flat.reshape(-1, outputs)
        margins = x @ w
        if kind == "hinge":
            sign = 2 * y - 1
            part = np.clip((1 - sign * margins[:, 0]) / 0.1, 0, 1)
            slope = (-sign * part)[:, None]
            loss = np.mean(np.where(part < 1, 0.05 * part**2, 1 - sign * margins[:, 0] - 0.05))
        else:
            both = np.hstack([np.zeros_like(margins), margins]) if outputs == 1 else margins
            top = np.exp(both - both.max(axis=1, keepdims=True))
            rates = top / top.sum(axis=1, keepdims=True)
            slope = (rates[:, 1:] if outputs == 1 else rates) - targets
            loss = loss_of(kind, margins, y)
        return loss + ridge / 2 * flat @ flat, (x.T @ slope / len(y)).ravel() + ridge * flat

    found = minimize(value, np.zeros(x.shape[1] * outputs), jac=True, method="L-BFGS-B",
                     options={"maxiter": 500})
    return found.x.reshape(-1, outputs)


def constant(kind, y, y_test):
    """The loss of the best constant of the training rows."""
    if kind == "number":
        return loss_of(kind, np.full((len(y_test), 1), y.mean()), y_test)
    if kind == "hinge":
        return float(2 * min(np.mean(y_test), 1 - np.mean(y_test)))
    rates = np.bincount(y) / len(y)
    return float(-np.mean(np.log(rates[y_test])))


# kind, rows, columns, epsilon, further options
SETTINGS = [
    ("noisy", 1000, 5, 1, []), ("noisy", 5000, 10, 0.1, []), ("noisy", 5000, 10, 1, []),
    ("noisy", 50000, 10, 0.1, []), ("noisy", 50000, 10, 1, []), ("noisy", 5000, 50, 1, []),
    ("noisy", 50000, 50, 0.1, []), ("noisy", 50000, 50, 1, []), ("noisy", 50000, 50, 8, []),
    ("sparse", 30000, 120, 0.1, []), ("sparse", 30000, 120, 1, []), ("sparse", 30000, 120, 8, []),
    ("separable", 20000, 20, 0.5, []), ("separable", 20000, 20, 2, []), ("rare", 20000, 10, 1, []),
    ("noisy", 10000, 1000, 1, []), ("classes", 20000, 20, 0.3, []), ("classes", 20000, 20, 2, []),
    ("pipe", 50000, 10, 0.3, []), ("number", 20000, 5, 0.3, []), ("number", 20000, 5, 1, []),
    ("hinge", 20000, 20, 1, []), ("noisy", 50000, 10, 1, ["--preset", "anytime"]),
    ("noisy", 50000, 50, 1, ["--passes", "1"]), ("noisy", 50000, 50, 0.3, ["--preset", "anytime"]),
    ("noisy", 5000, 10, 1, ["--preset", "anytime"]),
    ("classes 10", 20000, 20, 0.5, []), ("classes 10", 20000, 20, 2, []), ("classes 10", 5000, 20, 2, []),
    ("classes 20", 50000, 10, 0.5, []), ("classes 20", 50000, 10, 3, []), ("classes 20", 20000, 50, 1, []),
    ("classes 20", 20000, 50, 8, []), ("classes 50", 50000, 20, 1, []), ("classes 50", 50000, 20, 8, []),
    ("classes 50", 20000, 20, 1, []), ("classes 100", 50000, 10, 2, []), ("classes 5", 5000, 30, 1, []),
    ("embedding 10", 10000, 64, 1, []), ("embedding 10", 10000, 64, 8, []), ("embedding 20", 20000, 64, 1, []),
    ("embedding 20", 20000, 64, 3, []), ("embedding 20", 20000, 128, 8, []), ("embedding 50", 20000, 64, 3, []),
    ("embedding 50", 20000, 64, 8, []), ("embedding 10", 40000, 128, 3, []),
]


def call(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def measured(program, folder, place, seeds):
    kind, n, d, epsilon, more = SETTINGS[place]
    x, y = table(kind, n, d, 300 + place)  # 100 + place: the tables that the limits were chosen on
    data = os.path.join(folder, "train.svm")
    labels = y[:n] if kind == "number" or classes_of(kind) else 2 * y[:n] - 1
    write_libsvm(data, x[:n], labels, 6)
    options = ["--features", d, "--epsilon", epsilon, "--delta", repr(1 / n**2), *more]
    rows = rows_of(x)
    if kind == "number":  # one scale for all rows: the largest norm that is declared
        options += ["--labels", "0,20", "--row-norm", 3]
        rows = np.hstack([x, np.ones((len(x), 1))])
    if classes_of(kind):
        options += ["--classes", classes_of(kind)]
    if kind == "hinge":
        options += ["--loss", "hinge"]
    if kind == "pipe":
        options += ["--rows", n]
    plan = call(program, "train", "--dry-run", "--json", *options,
                *([] if kind == "pipe" else ["--rows", n]), "-" if kind == "pipe" else data)
    plan = json.loads(plan)["plan"]
    losses = []
    for seed in range(1, seeds + 1):
        model = os.path.join(folder, "model.json")
        with open(data) as source:
            call(program, "train", "-q", *options, "--seed", seed, "-o", model,
                 "-" if kind == "pipe" else data, stdin=source)
        losses.append(loss_of(kind, margins_of(json.load(open(model)), x[n:], kind), y[n:]))
    best_loss = without(kind, rows[:n], y[:n], rows[n:], y[n:])
    majority = constant(kind, y[:n], y[n:])
    lost = (np.mean(losses) - best_loss) / (majority - best_loss)
    return {"kind": kind, "rows": n, "columns": d, "epsilon": epsilon, "options": " ".join(more),
            "share": plan["noise_share"], "outlook": plan["outlook"],
            "loss": float(np.mean(losses)), "without": best_loss, "constant": majority,
            "lost": float(lost)}


def margins_of(model, x, kind):
    """The margins of a model of LIBSVM rows, in the units of a number as label."""
    weights = np.array(model["weights"])
    outputs = len(weights) // (x.shape[1] + 1)
    scale = model.get("row_scale")
    rows = np.hstack([x, np.ones((len(x), 1))]) * scale if scale else rows_of(x)
    w = np.vstack([weights[: outputs * x.shape[1]].reshape(outputs, -1).T,
                   weights[outputs * x.shape[1] :][None, :]])
    margins = rows @ w + np.array(model.get("offset", 0.0))
    return 10 + 10 * margins if kind == "number" else margins


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="number of settings to leave out")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    program, found = os.path.abspath(asked.program), []
    for place in range(asked.first, len(SETTINGS)):
        with tempfile.TemporaryDirectory() as folder:
            found.append(measured(program, folder, place, asked.seeds))
        print(place + 1, "of", len(SETTINGS), file=sys.stderr)
    found.sort(key=lambda row: row["share"])
    if asked.json:
        print(json.dumps(found, indent=1))
        return
    print("| data | rows | columns | ε | noise share | outlook | gain lost |")
    print("|---|---|---|---|---|---|---|")
    for row in found:
        name = f"{row['kind']} {row['options']}".strip()
        print(f"| {name} | {row['rows']:,} | {row['columns']} | {row['epsilon']} | "
              f"{100 * row['share']:.2f}% | {row['outlook'].split(':')[0]} | {100 * row['lost']:.1f}% |")
    broken = [row for row in found for words, most in PROMISES.items()
              if words in row["outlook"] and row["lost"] > most]
    print(f"\n{len(found) - len(broken)} of {len(found)} outlooks kept their promise.")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
