# SPDX-License-Identifier: MIT
"""bench.py --program PATH --work FOLDER --out FOLDER [--data FOLDER] [--quick]
         [--only NAME,…] [--peers none]

Times Tacit and alternative tools, all in one run, and writes speed.md,
speed.json and speed.svg to the folder --out. Fails if a model depends on the number of
threads or on the dispatch level.
"""

import argparse
import os
import pathlib
import sys
import time

import curves
import figure
import inner
import measure
import own
import report
import table
import verdict
from data import Store
from race import Race, absent_peers
from results import write

MB = 10**6


def sizes(quick):
    """The sizes of data sets and the numbers of turns."""
    return {
        "copies": 3 if quick else 30,  # of a9a
        "rows": 50_000 if quick else 1_000_000,
        "columns": 1 << (16 if quick else 20),  # of the sparse set
        "test": 5000 if quick else 20_000,
        "grow": 20_000 if quick else 250_000,  # rows where only n, d or R varies
        "stream": (400 if quick else 4000) * MB,
        "adults": 5 if quick else 100,  # copies of the raw census table
        "cells": 30_000 if quick else 300_000,  # rows of 20 numbers
    }


def say(text):
    print(text, file=sys.stderr, flush=True)


def load(store, only, size):
    say("data:")
    makers = {
        "a9a": lambda: store.a9a(size["copies"], size["test"]),
        "dense": lambda: store.dense(size["rows"], 128, size["test"]),
        "sparse": lambda: store.sparse(size["rows"], size["columns"], size["test"]),
    }
    names = only.split(",") if only else list(makers)
    return [makers[name]() for name in names if name in makers]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default="all")
    parser.add_argument("--command", default="make bench-speed")
    options = parser.parse_args()
    options.opacus_s, options.rounds = (3, 2) if options.quick else (60, 3)

    start, stolen = time.monotonic(), measure.stolen_times()
    size = sizes(options.quick)
    work = pathlib.Path(options.work)
    program = own.Tacit(os.path.abspath(options.program))
    store = Store(work / "data", work / "bin" / "make_data", options.data)
    sets = load(store, options.only, size)
    skipped = [f"{peer}: {why}" for peer, why in absent_peers(options).items()]

    results = {
        "command": options.command,
        "tacit": program.version(),
        "machine": {**measure.machine(), "dispatch": program.level()},
        "rounds": options.rounds,
        "busy_cores": [measure.busy_cores()],
        "sets": {},
    }
    say("inside, from memory:")
    results["inner"] = inner.run(work / "bin", options.quick, program.targets(), skipped)
    for data in sets:
        say(f"{data.title}, {data.size / MB:.0f} MB:")
        race = Race(program, data, store, options)
        race.run()
        results["sets"][data.name] = {
            "title": data.title,
            "rows": data.rows,
            "features": data.features,
            "bytes": data.size,
            "methods": race.cells,
            "own": race.own,
        }
        skipped += race.skipped
        results["busy_cores"].append(measure.busy_cores())
    if not options.only or "adult" in options.only.split(","):
        say("a table with categories and curves:")
        results["table"] = table.run(program, store, size["adults"], options, skipped)
        results["busy_cores"].append(measure.busy_cores())
    if not options.only or "curves" in options.only.split(","):
        say("lines and curves:")
        results["curves"] = curves.run(program, store, size["cells"], options)
    say("same bits:")
    results["digests"] = own.identity(program, sets, skipped)
    say("growth:")
    results["growth"] = own.growth(program, store, size["grow"])
    dense = next((data for data in sets if data.name == "dense"), None)
    if dense:
        say("memory:")
        results["memory"] = own.memory(program, store, dense, size["stream"])
    results["shares"] = own.profile(program, sets, skipped)
    results["data_gb"] = store.size_gb()
    results["skipped"] = skipped
    results["minutes"] = (time.monotonic() - start) / 60
    taken, work = (now - then for now, then in zip(measure.stolen_times(), stolen))
    results["stolen"] = taken / max(1, work)

    texts = {
        "md": report.markdown(results),
        "json": report.as_json(results),
        "svg": figure.draw(results),
    }
    write(options.out, "speed", texts)
    say(f"data: {store.folder}, {results['data_gb']:.1f} GB; {results['minutes']:.0f} minutes")
    print(report.verdicts(results))
    if not verdict.same_bits(results):
        raise SystemExit("FAILED: models differ between threads or dispatch levels")


if __name__ == "__main__":
    main()
