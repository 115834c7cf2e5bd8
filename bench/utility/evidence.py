# SPDX-License-Identifier: MIT
"""What the defaults rest on besides the comparison with peers: every loss on three data sets or
more, and hard cases. The tables go into defaults.md, between two marks."""

import os
import tempfile

import numpy as np
import peers
import synthetic
from family import Files
from problems import as_rows
from results import missing

TAU = 0.9
BEGIN, END = "<!-- made by make bench-utility: begin -->\n", "<!-- end -->\n"
NUMBERS = {  # loss: data sets
    "squared": ("linear", "linear-1000", "mixed", "diabetes"),
    "huber": ("linear", "mixed", "diabetes"),
    f"quantile:tau={TAU}": ("linear-20", "mixed", "diabetes"),
    "poisson": ("counts-6", "counts-20", "diabetes"),
}
TABLES = {
    "linear": synthetic.linear,
    "linear-20": lambda: synthetic.linear(20),
    "linear-1000": lambda: synthetic.linear(1000),
    "mixed": synthetic.mixed,
    "diabetes": synthetic.diabetes,
    "counts-6": synthetic.counts,
    "counts-20": lambda: synthetic.counts(d=20),
}
CLASSES = {  # loss: data sets; logistic with more than two classes is one against the rest
    "hinge": ("a9a", "adult", "small-10k"),
    "squared-hinge": ("a9a", "adult", "small-10k"),
    "softmax": ("blobs", "digits", "mnist"),
    "logistic": ("blobs", "digits", "mnist"),
}
HARD = ("rare-5k", "rare-50k", "separable-5k", "tiny-500", "wide-1k", "classes-100")


def names(skipped):
    """The cells to compute."""
    cells = [("numbers", loss, data) for loss, sets in NUMBERS.items() for data in sets]
    cells += [("classes", loss, data) for loss, sets in CLASSES.items() for data in sets]
    cells += [("hard", "", data) for data in HARD]
    if missing("sklearn"):
        skipped.append("losses on diabetes and digits: scikit-learn is not installed")
        cells = [c for c in cells if c[2] not in ("diabetes", "digits")]
    return cells


def blobs(n, d, classes, seed, spread):
    random = np.random.default_rng(seed)
    y = random.integers(classes, size=n)
    x = random.standard_normal((classes, d))[y] * spread + random.standard_normal((n, d))
    return x / np.sqrt(2 * d), y


def several(data):
    """Features, labels and training rows of a table with several classes."""
    if data == "digits":
        from sklearn.datasets import load_digits

        x, y = load_digits(return_X_y=True)
        order = np.random.default_rng(9).permutation(len(y))
        return x[order] / 16, y[order], 1400
    if data == "classes-100":
        return *blobs(55000, 30, 100, 11, 1.5), 50000
    return *blobs(25000, 20, 5, 10, 0.7), 20000


def two(data):
    """The hard tables with two classes: rows, columns, deviation of the margin, positives."""
    n, d, deviation, share = {
        "rare-5k": (5000, 12, 2, 0.03),
        "rare-50k": (50000, 12, 2, 0.03),
        "separable-5k": (5000, 8, 30, 0.4),
        "tiny-500": (500, 10, 3, 0.4),
        "wide-1k": (1000, 2000, 4, 0.5),
    }[data]
    random = np.random.default_rng([12, n, d])
    if d > n:  # sparse: 20 ones in a row
        x = (random.random((n + 5000, d)) < 20 / d).astype(float)
    else:
        x = np.tanh(random.standard_normal((n + 5000, d)) / 2 + random.uniform(-0.5, 0.5, d))
    margins = (x - x.mean(axis=0)) @ random.standard_normal(d)
    margins *= deviation / margins.std()
    margins += synthetic.shift_for(margins, share)
    return x, synthetic.logistic_labels(random, np.clip(margins, -50, 50)), n


class Arrays:
    """As much of a problem as peers.Task needs."""

    def __init__(self, x, y, n, classes):
        rows = as_rows(x, same=classes == 0)
        self.x, self.y, self.x_test, self.y_test = rows[:n], y[:n], rows[n:], y[n:]
        self.classes, self.n, self.d = classes, n, rows.shape[1]
        self.outputs = classes if classes > 2 else 1

    def scores(self, margins):
        from problems import Problem

        return Problem.scores(self, margins)


def poisson_r2(x, y, n):
    """r^2 of Poisson regression without privacy, by Newton's method."""
    rows = np.hstack([x, np.ones((len(x), 1))])
    w = np.zeros(rows.shape[1])
    w[-1] = np.log(y[:n].mean())
    for _ in range(30):
        mean = np.exp(np.clip(rows[:n] @ w, -20, 20))
        hessian = (rows[:n] * mean[:, None]).T @ rows[:n]
        w -= np.linalg.solve(hessian, rows[:n].T @ (mean - y[:n]))
    rest = y[n:]
    return 1 - ((np.exp(rows[n:] @ w) - rest) ** 2).mean() / rest.var()


def coverage(program, model, files):
    """The share of test labels that are not above the prediction."""
    lines = program.call("predict", model, files.test).split()
    predictions = np.array(lines[-len(files.labels) :], float)  # after the header
    return 0.0, float((files.labels <= predictions).mean())


def on_numbers(program, loss, data, folder):
    table = TABLES[data]()
    schema, train, test = table.write(folder, data)
    n = table.n
    files = Paths(train, test, min(1e-6, 1 / n**2), ["--schema", schema, "--loss", loss])
    files.labels = np.array([float("%.6g" % y) for y in table.y[n:]])
    x, y = table.mapped()
    if loss.startswith("quantile"):
        reference = TAU
    elif loss == "poisson":
        reference = poisson_r2(x, table.y, n)
    else:
        reference = peers.without_noise(peers.Task(Arrays(x, y.astype(np.float32), n, 0)))[1]
    measure = "coverage" if loss.startswith("quantile") else "r²"
    judge = coverage if measure == "coverage" else None
    seeds = 10 if data.startswith("linear") else 5
    grid = {"practical": (0.3, 1.0, 3.0, 10.0), "anytime": (1.0,)}
    values = runs(program, files, grid, seeds, "replace", judge)
    return {"measure": measure, "reference": reference, "seeds": seeds, "values": values}


class Paths:
    def __init__(self, train, test, delta, options):
        self.train, self.test, self.delta, self.options = train, test, delta, options


def runs(program, files, grid, seeds, adjacency, judge=None, passes=8):
    """{preset: {epsilon: [loss, score, least score, largest score]}}"""
    values = {}
    for preset, epsilons in grid.items():
        for epsilon in epsilons:
            options = ("--preset", preset, "--passes", str(passes), "--adjacency", adjacency)
            both = [
                program.train_and_eval(files, epsilon, seed, *options, judge=judge)
                for seed in range(1, seeds + 1)
            ]
            loss, score = np.array(both).T
            means = [loss.mean(), score.mean(), score.min(), score.max()]
            values.setdefault(preset, {})[f"{epsilon:g}"] = [float(v) for v in means]
    return values


def on_classes(program, known, loss, data, folder):
    if data in known:
        problem = known[data]
        options = [o for o in problem.options if o not in ("--loss", "softmax")]
        files = Paths(problem.train, problem.test, problem.delta, options + ["--loss", loss])
        seeds, reference = 1 if data == "mnist" else 3, None  # among the results of the peers
    else:
        x, y, n = several(data)
        classes = int(y.max()) + 1
        options = ["--features", str(x.shape[1]), "--classes", str(classes), "--loss", loss]
        delta = min(1e-6, 1 / n**2)
        files = Files(folder, x[:n], y[:n], x[n:], y[n:], delta, options)
        seeds, reference = 3, peers.without_noise(peers.Task(Arrays(x, y, n, classes)))[1]
    values = runs(
        program, files, {"practical": (0.5, 2.0), "anytime": (0.5, 2.0)}, seeds, "zero-out"
    )
    return {"measure": "accuracy", "reference": reference, "seeds": seeds, "values": values}


def on_hard(program, data, folder):
    x, y, n = several(data) if data == "classes-100" else two(data)
    classes = int(y.max()) + 1
    options = ["--features", str(x.shape[1])] + (["--classes", str(classes)] if classes > 2 else [])
    files = Files(folder, x[:n], y[:n], x[n:], y[n:], min(1e-6, 1 / n**2), options)
    rates = np.bincount(y[:n], minlength=classes) / n
    constant = float(-np.log(rates[y[n:]]).mean())
    epsilons = (0.1, 1.0, 8.0)
    values = runs(program, files, {"practical": epsilons, "anytime": epsilons}, 3, "zero-out")
    return {"measure": "loss", "reference": constant, "seeds": 3, "values": values}


def cell(program, known, name):
    group, loss, data = name
    with tempfile.TemporaryDirectory() as folder:
        if group == "numbers":
            found = on_numbers(program, loss, data, folder)
        elif group == "classes":
            if data in ("a9a", "adult", "mnist", "small-10k") and data not in known:
                return {"evidence": group, "loss": loss, "data": data, "failed": "no data"}
            found = on_classes(program, known, loss, data, folder)
        else:
            found = on_hard(program, data, folder)
    return {"evidence": group, "loss": loss, "data": data, **found}


def table(cells, group, epsilons, place):
    """A Markdown table; `place` is which number of a value to print."""
    heads = [("practical", e) for e in epsilons["practical"]]
    heads += [("anytime", e) for e in epsilons["anytime"]]
    hard = group == "hard"
    titles = " | ".join(f"{preset}, ε = {e}" for preset, e in heads)
    last = "class rates only" if hard else "without privacy"
    lines = [f"| | {'' if hard else 'measure | '}{titles} | {last} |"]
    lines.append("|---|" + "---|" * (len(heads) + (1 if hard else 2)))
    for c in (c for c in cells if c["evidence"] == group):
        values = [c["values"].get(preset, {}).get(e) for preset, e in heads]
        texts = ["" if v is None else f"{v[place]:.3f}" for v in values]
        reference = "–" if c["reference"] is None else f"{c['reference']:.3f}"
        what = c["data"] if hard else f"`{c['loss']}` on {c['data']} | {c['measure']}"
        lines.append(f"| {what} | " + " | ".join(texts) + f" | {reference} |")
    return "\n".join(lines)


def with_references(results):
    """The cells, with the accuracy without privacy of the problems that peers ran on."""
    known = {c["problem"]: c["accuracy"] for c in results["results"] if c["method"] == "no-privacy"}
    cells = [dict(c) for c in results["evidence"] if "failed" not in c]
    for c in cells:
        c["reference"] = known.get(c["data"]) if c["reference"] is None else c["reference"]
    return cells


def markdown(cells):
    numbers = {"practical": ("0.3", "1", "3", "10"), "anytime": ("1",)}
    classes = {"practical": ("0.5", "2"), "anytime": ("0.5", "2")}
    hard = {"practical": ("0.1", "1", "8"), "anytime": ("0.1", "1", "8")}
    return (
        "Losses on numbers, replace, mean of 5 seeds (`linear`: 10), 8 passes, all else default. "
        "Without privacy: least\nsquares, or Poisson regression; for the quantile the share that "
        "should be covered.\n\n"
        f"{table(cells, 'numbers', numbers, 1)}\n\n"
        "Losses on classes, zero-out, mean of 3 seeds (MNIST: 1), 8 passes; `logistic` on more than "
        "two classes is one\nagainst the rest. Without privacy: logistic or softmax regression.\n\n"
        f"{table(cells, 'classes', classes, 1)}\n\n"
        "Hard cases, test log-loss, zero-out, mean of 3 seeds, 8 passes: 3% positives with 5,000 and "
        "50,000 rows, separable\n(8 columns), 500 rows, 2,000 columns with 1,000 rows, 100 classes.\n\n"
        f"{table(cells, 'hard', hard, 0)}\n"
    )


def into_page(results, path):
    """Replaces what is between the marks of the page, if there is such a page."""
    cells = with_references(results)
    if not cells or not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if BEGIN not in page:
        return
    head, rest = page.split(BEGIN, 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + BEGIN + "\n" + markdown(cells) + "\n" + END + rest.split(END, 1)[1])
