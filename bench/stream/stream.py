#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A year of models under one budget: stream.py PROGRAM OUT [A9A A9A_TEST]

Measures the test loss by day of a stream (epsilon 1), of retraining from scratch without
privacy on all rows so far, and of retraining privately every day with epsilon/sqrt(365): on a
drifting stream of the demo generator, tested on the rows of the next day, and on a9a cut into
days, tested on its test set. Writes OUT/stream.json and OUT/stream.svg.
"""
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from svg import document, text, ticks_of  # noqa: E402

DAYS, ROWS, EPSILON = 365, 500, 1.0
STEP = 20  # retraining is measured on every twentieth day


def tacit(program, *words, cwd):
    done = subprocess.run([program, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def loss(program, folder, model, rows):
    return json.loads(tacit(program, "eval", model, rows, "--json", cwd=folder))["loss"]


def feed_all(program, folder, days, name, *options):
    """The models of a stream, as paths."""
    tacit(program, "stream", "init", name, "--horizon", len(days), "--batch-rows", ROWS, "--epsilon", EPSILON,
          "--key-file", "key", *options, cwd=folder)
    models = []
    for number, day in enumerate(days, 1):
        model = f"{name}-{number}.json"
        tacit(program, "stream", "feed", name, day, "--round", number, "--key-file", "key", "-o", model, cwd=folder)
        models.append(model)
    return models


def retrain(program, folder, days, number, test, columns, privately):
    """The loss of a model of all rows up to a day, trained from scratch."""
    model = f"again-{number}-{privately}.json"
    budget = ["--epsilon", EPSILON / math.sqrt(len(days))] if privately else ["--mechanism", "none"]
    tacit(program, "train", "-q", *columns, *budget, "-o", model, *days[:number], cwd=folder)
    return loss(program, folder, model, test)


def measure(program, folder, days, test_of, columns, windows):
    (folder / "key").write_bytes(os.urandom(32))
    (folder / "key").chmod(0o600)
    result = {}
    for window in windows:
        name = f"s{window}"
        models = feed_all(program, folder, days, name, *columns, *(["--window", window] if window else []))
        result[f"stream, window {window}" if window else "stream"] = {
            number: loss(program, folder, model, test_of(number))
            for number, model in enumerate(models, 1) if test_of(number)}
    at = [n for n in range(5, len(days) + 1, STEP) if test_of(n)]
    for name, privately in (("retrained, no privacy", False), ("retrained daily, private", True)):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            losses = pool.map(lambda n: retrain(program, folder, days, n, test_of(n), columns, privately), at)
            result[name] = dict(zip(at, losses))
    return result


def demo(program, folder):
    made = json.loads(tacit(program, "demo", "--folder", ".", "--days", DAYS + 1, "--rows", ROWS, "--json", cwd=folder))
    days = [f"day-{day:03}.csv" for day in range(1, DAYS + 1)]
    result = measure(program, folder, days, lambda n: f"day-{n + 1:03}.csv", ["--schema", "schema.json"], [0, 90])
    result["best possible"] = {n: made["best_losses"][n] for n in range(1, DAYS + 1)}
    return result


def a9a(program, folder, train, test):
    lines = gzip.open(train, "rt").readlines()
    with gzip.open(test, "rt") as source, open(folder / "test.svm", "w", encoding="ascii") as out:
        shutil.copyfileobj(source, out)
    days = []
    for number in range(len(lines) // 89):
        days.append(f"{number + 1}.svm")
        (folder / days[-1]).write_text("".join(lines[number * 89:(number + 1) * 89]))
    return measure(program, folder, days[:DAYS], lambda n: "test.svm" if n % 5 == 0 else None, ["--features", 123], [0])


def excess(result, first, last, name):
    """Mean loss above the best possible of days first … last, where it was measured."""
    at = [n for n in result[name] if first <= n <= last]
    return sum(result[name][n] - result["best possible"][n] for n in at) / len(at)


def smooth(values, width):
    """Mean of a running window, so that the noise of 500 test rows a day does not hide the lines."""
    numbers = sorted(values)
    return numbers, [sum(values[k] for k in numbers[max(0, i - width):i + width + 1])
                     / len(numbers[max(0, i - width):i + width + 1]) for i in range(len(numbers))]


STYLE = {"stream": ("#1f6feb", ""), "stream, window 90": ("#8250df", ""),
         "retrained, no privacy": ("#1a7f37", "6 3"), "retrained daily, private": ("#cf222e", "6 3")}
LEFT, TOP, PANEL, HEIGHT, GAP = 56, 44, 390, 230, 78


def panel(left, title, result):
    """One data set by day: the test loss or, where the best possible one is known, what is above it.
    Lines of every day are smoothed over two weeks."""
    best = result.get("best possible", {})
    lines = {name: smooth({day: loss - best.get(day, 0) for day, loss in values.items()},
                          7 if len(values) > 100 else 0)
             for name, values in result.items() if name != "best possible"}
    low = 0 if best else min(min(losses) for _, losses in lines.values()) - 0.01
    high = 0.08 if best else 0.55

    def x_of(day):
        return left + PANEL * day / DAYS

    def y_of(value):
        return TOP + HEIGHT * (high - max(low, min(value, high))) / (high - low)

    body = [text(left, TOP - 26, title, size=13),
            text(left, TOP - 10, "test log-loss above the best possible" if best else "test log-loss", size=11)]
    values, digits = ticks_of(low, high)
    for value in values:
        body.append(f'<path d="M{left} {y_of(value):.1f}h{PANEL}" stroke="#e5e5e5"/>')
        body.append(text(left - 6, y_of(value) + 4, f"{value:.{digits}f}", "end", 11))
    for day in (1, 90, 180, 270, 365):
        body.append(text(x_of(day), TOP + HEIGHT + 16, day, "middle", 11))
    body.append(text(left + PANEL / 2, TOP + HEIGHT + 32, "day", "middle", 11))
    for number, (name, (days, losses)) in enumerate(lines.items()):
        colour, dash = STYLE[name]
        path = "L".join(f"{x_of(day):.1f} {y_of(value):.1f}" for day, value in zip(days, losses))
        body.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}"/>')
        y = TOP + 14 + 16 * number
        body.append(f'<path d="M{left + PANEL - 170} {y - 4}h24" stroke="{colour}" stroke-width="1.8" '
                    f'stroke-dasharray="{dash}"/>')
        body.append(text(left + PANEL - 140, y, name, size=11))
    return body


def draw(results, path):
    body = []
    for number, (title, result) in enumerate(results.items()):
        body += panel(LEFT + number * (PANEL + GAP), title, result)
    path.write_text(document(LEFT + len(results) * (PANEL + GAP) - 50, TOP + HEIGHT + 44, body))


def main():
    program, out = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        results["drifting registry, 365 days of 500 rows"] = demo(program, pathlib.Path(folder))
    if len(sys.argv) > 4:
        with tempfile.TemporaryDirectory() as folder:
            results["a9a in 365 days of 89 rows"] = a9a(program, pathlib.Path(folder), *sys.argv[3:5])
    first = next(iter(results.values()))
    summary = {name: excess(first, 180, 365, name) for name in first if name != "best possible"}
    rounded = {title: {name: {day: round(value, 5) for day, value in values.items()}
                       for name, values in result.items()} for title, result in results.items()}
    (out / "stream.json").write_text(json.dumps({"epsilon": EPSILON, "excess_days_180_365": summary,
                                                 "losses": rounded}, indent=1) + "\n")
    draw(results, out / "stream.svg")
    print(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
