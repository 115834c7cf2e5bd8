# SPDX-License-Identifier: MIT
"""The results as Markdown and JSON, both wins and losses."""

import json
import math

from results import rounded
from targets import (
    OTHERS,
    RIVALS,
    error_of,
    gain_ratio,
    pairs,
    table_of,
    target_lines,
    verdict_of,
)

METHODS = [  # key, name in tables
    ("no-privacy", "no privacy, best ridge"),
    ("tacit:8", "**Tacit, 8 passes**"),
    ("tacit:1", "**Tacit, 1 pass**"),
    ("tacit-anytime", "Tacit `--preset anytime`, 8 passes"),
    ("tacit-paper", "Tacit `--preset paper`, 1 pass"),
    ("dp-gd", "DP gradient descent, many passes, tuned"),
    ("dp-gd-usual", "DP gradient descent, 100 passes, untuned"),
    ("opacus", "DP-SGD (Opacus), tuned"),
    ("opacus-usual", "DP-SGD (Opacus), usual settings"),
    ("dp-ftrl", "DP-FTRL (tree noise), 1 pass, tuned"),
    ("dp-ebm", "DP-EBM (interpret), tuned"),
    ("dp-ebm-usual", "DP-EBM (interpret), its defaults"),
    ("diffprivlib", "diffprivlib, pure epsilon, tuned"),
    ("adassp", "AdaSSP"),
]
INTRO = """\
# Utility: Tacit and its peers

Made by `{command}` with Tacit {version}; numbers in full in [utility.json](utility.json).

![Test loss and accuracy against epsilon](utility.svg)

## How to read this

- All methods of a table see the same rows (a column of ones appended, then every row scaled
  down to norm 1), the same neighbours (zero-out: a record against one that contributes
  nothing), the same epsilon and the same delta. Entries are the test loss (or accuracy), mean
  ± standard error over seeds. For regression all rows are divided by the same number; the loss is
  the mean squared error over the variance of the label, the accuracy is r².
- **Tacit** is `--preset practical`, nothing tuned, for any data or epsilon. Its noise is the
  exact sampler's, from seeds instead of the system's randomness so that the table can be
  repeated. Its 8 gradient passes read the data once more for the mean row.
- **The tuned peers have an advantage no user has**: for every epsilon separately their settings
  are picked by the *test* loss, and nothing of epsilon is spent on that. They are kept in
  `bench/utility/tuned.json`, found on other seeds than those reported (`TUNE=1` finds them anew).
- *DP gradient descent* (`dp-gd`): full batches, heavy-ball momentum, clipped gradients, exact
  Gaussian accounting (the µ of `tacit account`); number of steps (each is a pass over the
  data), rate, clip, momentum and averaging tuned. *Untuned*: 100 steps, clip 1, the largest step
  that is safe for all rows of norm 1.
- *DP-SGD* (`opacus`): Opacus's per-example gradients, optimiser and PRV accountant; Poisson
  batches, which must stay secret. Its neighbours differ by adding or removing a record, the
  counterpart of zero-out for such batches. Batch, passes, rate, clip and momentum tuned (by the
  same algorithm in NumPy); the *usual settings* are those of its examples (rate 0.1, batches of
  64, 10 passes, clip 1).
- *DP-FTRL* (`dp-ftrl`): one pass, plain gradients, their running sum through a binary tree;
  batches, rate, clip, momentum and averaging tuned.
- *DP-EBM* (`dp-ebm`): boosted curves of the columns of the table as it is, a richer model; with
  interpret's defaults and with its learning rate tuned.
- *AdaSSP*: linear regression from noisy sufficient statistics with an adaptive ridge.
- *diffprivlib*: objective perturbation (regression: noisy polynomial coefficients). Its
  guarantee is pure epsilon (delta = 0), stronger than that of the others, so its row is not like
  for like. Regularisation tuned.
- *No privacy*: the minimiser of the training loss plus a ridge, the ridge that is best on the
  test set.
- Bold numbers are the best private ones of their column, ties within two standard errors
  included.
"""


def cell(problem, method, epsilon, passes, settings, loss, accuracy, time_s):
    def mean_and_error(values):
        values = [float(v) for v in values]
        mean = sum(values) / len(values)
        if len(values) == 1:
            return mean, None
        variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
        return mean, math.sqrt(variance / len(values))

    loss_mean, loss_se = mean_and_error(loss)
    accuracy_mean, accuracy_se = mean_and_error(accuracy)
    return {
        "problem": problem,
        "method": method,
        "epsilon": epsilon,
        "passes": passes,
        "seeds": len(loss),
        "loss": loss_mean,
        "loss_se": loss_se,
        "accuracy": accuracy_mean,
        "accuracy_se": accuracy_se,
        "settings": settings,
        "time_s": time_s,
    }


def one_line(cell):
    if "family" in cell:
        ratios = [f"{cell['practical'][e] / cell['anytime'][e]:.3f}" for e in cell["anytime"]]
        return f"table {cell['family']}: {' and '.join(ratios)} × the loss of anytime"
    if "evidence" in cell:
        return f"{cell['evidence']} {cell['loss']} {cell['data']}"
    head = f"{cell['problem']} {cell['method']} epsilon {cell['epsilon']}"
    if "failed" in cell:
        return f"{head}: {cell['failed']}"
    if "found" in cell:
        return f"{head}: {cell['found']}"
    passes = f" passes {cell['passes']}" if cell["passes"] else ""
    scores = f"loss {cell['loss']:.4f} accuracy {cell['accuracy']:.4f}"
    return f"{head}{passes}: {scores} ({cell['time_s']:.0f} s of one core)"


def collect(command, version, found, cells, skipped):
    tables = sorted((c for c in cells if "family" in c), key=lambda c: c["family"])
    order = {group: i for i, group in enumerate(("numbers", "classes", "hard"))}
    proofs = sorted(
        (c for c in cells if "evidence" in c),
        key=lambda c: (order[c["evidence"]], c["loss"], c["data"]),
    )
    cells = [c for c in cells if "problem" in c]
    order = {p.name: i for i, p in enumerate(found)}
    cells = sorted(
        cells, key=lambda c: (order[c["problem"]], c["method"], c["epsilon"] or 0, c["passes"] or 0)
    )
    cells = [{k: v for k, v in c.items() if k != "time_s"} for c in cells]
    about = [
        {
            "name": p.name,
            "title": p.title,
            "rows": p.n,
            "test_rows": len(p.x_test),
            "weights": p.d * p.outputs,
            "classes": p.classes,
            "delta": p.delta,
            "constant_loss": p.constant_loss(),
        }
        for p in found
    ]
    return {
        "command": command,
        "tacit": version,
        "adjacency": "zero-out",
        "problems": about,
        "results": cells,
        "family": tables,
        "evidence": proofs,
        "skipped": skipped,
    }


def as_json(results):
    body = dict(results)
    parts = []
    for key in ("results", "family", "evidence"):
        lines = ",\n".join("    " + json.dumps(rounded(c)) for c in body.pop(key))
        parts.append(f'  "{key}": [\n{lines}\n  ]')
    head = json.dumps(rounded(body), indent=2)
    return head[:-2] + ",\n" + ",\n".join(parts) + "\n}\n"


def best_private(cells, epsilon, field, skip=("no-privacy",)):
    """The best cell of a column."""
    column = [c for (key, e), c in cells.items() if e == epsilon and key not in skip]
    sign = 1 if field == "loss" else -1
    return min(column, key=lambda c: sign * c[field]) if column else None


def number_table(cells, epsilons, field):
    lines = [
        "| | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |",
        "|---|" + "---|" * len(epsilons),
    ]
    for key, name in METHODS:
        row = []
        for epsilon in epsilons:
            cell = cells.get((key, None if key == "no-privacy" else epsilon))
            if cell is None:
                row.append("–")
                continue
            if not abs(cell[field]) < 100:
                row.append("diverges")
                continue
            text = f"{cell[field]:.4f}"
            best = best_private(cells, epsilon, field)
            if key != "no-privacy" and abs(cell[field] - best[field]) <= 2 * error_of(
                cell, best, field
            ):
                text = f"**{text}**"
            row.append(
                text if cell[field + "_se"] is None else f"{text} ± {cell[field + '_se']:.4f}"
            )
        if any(text != "–" for text in row):
            lines.append(f"| {name} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def tuning_table(cells, epsilons):
    lines = [
        "| picked by the test loss | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |",
        "|---|" + "---|" * len(epsilons),
    ]

    def say(settings):
        short = {"rate": "{:.3g}", "clip": "{:.2g}", "momentum": "{:.2g}", "noise": "{:.3g}"}
        return ", ".join(f"{k} {short.get(k, '{}').format(v)}" for k, v in settings.items())

    for key, name in METHODS:
        if key in ("dp-gd", "dp-ftrl", "opacus", "dp-ebm", "diffprivlib"):
            row = [say(cells[key, e]["settings"]) if (key, e) in cells else "–" for e in epsilons]
            if any(text != "–" for text in row):
                lines.append(f"| {name} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def comparison(results, own, others):
    """The table of Tacit's loss minus that of the best of `others`, and the counts."""
    epsilons = sorted({c["epsilon"] for c in results["results"] if c["epsilon"] is not None})
    rows, counts = {}, {"wins": 0, "ties": 0, "loses": 0}
    for about, epsilon, mine, rival in pairs(results, own, others):
        verdict, ratio = verdict_of(mine, rival), gain_ratio(about, mine, rival)
        counts[verdict] += 1
        gain = "rival gains nothing" if ratio is None else f"gain × {ratio:.3f}"
        gap = mine["loss"] - rival["loss"]
        text = f"{verdict} {gap:+.4f} ({rival['method']}), {gain}"
        rows.setdefault(about["name"], {})[epsilon] = text
    lines = [
        "| | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |",
        "|---|" + "---|" * len(epsilons),
    ]
    for name, row in rows.items():
        lines.append(f"| {name} | " + " | ".join(row.get(e, "–") for e in epsilons) + " |")
    total = f"{counts['wins']} wins, {counts['ties']} ties, {counts['loses']} losses."
    return "\n".join(lines), total


def problem_section(results, about):
    cells, epsilons = table_of(results, about["name"])
    names = ("Test loss", "Test accuracy") if about["classes"] else ("1 - r²", "r²")
    return (
        f"## {about['title']}\n\n"
        f"`{about['name']}`: {about['rows']} rows, {about['test_rows']} test rows, "
        f"{about['weights']} weights, δ = {about['delta']:.3g}; a constant model has loss "
        f"{about['constant_loss']:.4f}.\n\n"
        f"{names[0]}:\n\n{number_table(cells, epsilons, 'loss')}\n\n"
        f"{names[1]}:\n\n{number_table(cells, epsilons, 'accuracy')}\n\n"
        "<details><summary>What tuning chose</summary>\n\n"
        "Rates of dp-gd and DP-FTRL are in units of one over the smoothness of the loss.\n\n"
        f"{tuning_table(cells, epsilons)}\n\n</details>\n"
    )


def markdown(results):
    parts = [INTRO.format(command=results["command"], version=results["tacit"])]
    many, many_total = comparison(results, "tacit:8", RIVALS)
    rest, rest_total = comparison(results, "tacit:8", OTHERS)
    one, one_total = comparison(results, "tacit:1", ("dp-ftrl",))
    parts.append(
        "## Where Tacit wins and where it loses\n\n"
        "8 passes, untuned, against the better of tuned `dp-gd` and tuned `opacus`, which take as\n"
        "many passes as they like: Tacit's loss minus the rival's, and its gain over the constant\n"
        "model as a multiple of the rival's. A difference within two standard errors is a tie.\n\n"
        f"{many}\n\n{many_total}\n\n"
        "8 passes against the best of all other peers with the same guarantee, tuned or not:\n\n"
        f"{rest}\n\n{rest_total}\n\n"
        f"One pass against tuned DP-FTRL in one pass:\n\n{one}\n\n{one_total}\n"
    )
    targets = target_lines(results)
    if targets:
        rows = "\n".join(
            f"| {what} | {value} | {bound} | {'yes' if met else '**no**'} |"
            for what, value, bound, met in targets
        )
        parts.append(f"## Targets\n\n| | measured | target | met |\n|---|---|---|---|\n{rows}\n")
    parts += [problem_section(results, about) for about in results["problems"]]
    if results["skipped"]:
        parts.append(
            "## Left out\n\n" + "\n".join(f"- {line}" for line in results["skipped"]) + "\n"
        )
    return "\n".join(parts)


def verdicts(results):
    """A summary for the terminal."""
    lines = []
    for about in results["problems"]:
        cells, epsilons = table_of(results, about["name"])
        lines += [f"\n{about['title']}, test loss", number_table(cells, epsilons, "loss")]
    many, total = comparison(results, "tacit:8", RIVALS)
    lines += ["", many, total]
    for what, value, bound, met in target_lines(results):
        lines.append(f"{'met    ' if met else 'NOT MET'}  {what}: {value} ({bound})")
    return "\n".join(lines)
