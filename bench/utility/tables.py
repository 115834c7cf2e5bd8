#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Raw Adult as a new user has it: tables.py PROGRAM ADULT ADULT_TEST DICTIONARY [SEEDS]

The CSV files (with a header, perhaps compressed) and the data dictionary go through `tacit schema`,
`tacit train` and `tacit predict` with default settings; the same rows go to DP-EBM of InterpretML
(its own defaults; the bounds and categories of the dictionary are declared to it) with the same
epsilon and delta, and to a pipeline of scikit-learn without privacy. Prints the tables of
docs/results/tables.md: mean over seeds 1 to SEEDS (3), and the time of one fit.

Needs numpy, pandas, scikit-learn and interpret.
"""
import csv
import gzip
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

EPSILONS = [0.1, 0.5, 1, 2, 8]
DELTA = 1e-9


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", newline="") as file:
        header, *rows = csv.reader(file)
    return pd.DataFrame(rows, columns=header, dtype=object)  # EBM knows no StringDtype


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def tacit(program, train, test, schema, folder, epsilon, seed):
    begin = time.perf_counter()
    run(program, "train", train, "--schema", schema, "--epsilon", epsilon, "--delta", DELTA,
        "--seed", seed, "-q", "-o", folder / "m.json")
    seconds = time.perf_counter() - begin
    text = run(program, "predict", folder / "m.json", test, "--scores")
    return [float(line.rsplit(",", 1)[1]) for line in text.splitlines()[1:]], seconds


def ebm(train, test, dictionary, epsilon, seed):
    from interpret.privacy import DPExplainableBoostingClassifier

    numbers = {row["name"]: (float(row["min"]), float(row["max"]))
               for row in dictionary if row["type"] == "continuous"}
    names = [name for name in train.columns if name != "income"]
    X, Z = train[names].copy(), test[names].copy()
    for name in numbers:
        X[name], Z[name] = X[name].astype(float), Z[name].astype(float)
    model = DPExplainableBoostingClassifier(
        epsilon=epsilon, delta=DELTA, random_state=seed, n_jobs=1,
        feature_types=["continuous" if name in numbers else "nominal" for name in names],
        privacy_bounds={names.index(name): bounds for name, bounds in numbers.items()})
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, (train["income"] == ">50K").astype(int))
        seconds = time.perf_counter() - begin
        return model.predict_proba(Z)[:, 1], seconds


def pipeline(train, test, dictionary):
    numbers = [row["name"] for row in dictionary if row["type"] == "continuous"]
    texts = [name for name in train.columns if name not in (*numbers, "income")]
    model = make_pipeline(
        make_column_transformer((StandardScaler(), numbers),
                                (OneHotEncoder(handle_unknown="ignore"), texts)),
        LogisticRegression(max_iter=1000))
    begin = time.perf_counter()
    model.fit(train, train["income"] == ">50K")
    return model.predict_proba(test)[:, 1], time.perf_counter() - begin


def with_numbers(frame, dictionary):
    return frame.astype({row["name"]: float for row in dictionary if row["type"] == "continuous"})


def main(program, train_path, test_path, dictionary_path, seeds=3):
    train, test = read(train_path), read(test_path)
    with open(dictionary_path, newline="") as file:
        dictionary = [row for row in csv.DictReader(file) if row["name"] != "income"]
    truth = (test["income"] == ">50K").astype(int)
    results = []

    def note(name, epsilon, runs):
        scores = [(roc_auc_score(truth, p), log_loss(truth, p), s) for p, s in runs]
        auc, loss, seconds = np.mean(scores, axis=0)
        results.append({"name": name, "epsilon": epsilon, "auc": auc, "log_loss": loss,
                        "seconds": seconds, "seeds": len(runs)})
        print(f"| {name} | {epsilon} | {auc:.4f} | {loss:.4f} | {seconds:.1f} | {len(runs)} |",
              flush=True)

    print("| | epsilon | AUC | log-loss | seconds per fit | seeds |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        schema = folder / "schema.json"
        run(program, "schema", "--header", train_path, "--dictionary", dictionary_path,
            "--label", "income", "-o", schema)
        for epsilon in EPSILONS:
            note("Tacit", epsilon, [tacit(program, train_path, test_path, schema, folder, epsilon, s)
                                    for s in range(1, int(seeds) + 1)])
            note("DP-EBM", epsilon, [ebm(train, test, dictionary, epsilon, s)
                                     for s in range(1, int(seeds) + 1)])
    note("scikit-learn, not private", "-",
         [pipeline(with_numbers(train, dictionary), with_numbers(test, dictionary), dictionary)])
    versions = {name: importlib.metadata.version(name)
                for name in ("interpret-core", "scikit-learn", "numpy")}
    print(json.dumps({"delta": DELTA, "versions": versions, "results": results}, indent=1),
          file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])
