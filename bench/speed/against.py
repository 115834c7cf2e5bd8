#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""against.py PROGRAM EARLIER: the time of one pass against that of an earlier version.

EARLIER is the program `tacit` of another build, made with the same compiler and options. The two
take turns, first one and then the other, on a9a x 30 and the dense set, with 1 and 2 threads.
Processor time (user and system, all threads) says which does more work even on a busy machine;
the clock needs a quiet one. Prints a table in Markdown. Exits with 1 if a ratio of processor times
(of the minima, or the median over the pairs) is above the limit.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import measure
from data import Store

HERE = pathlib.Path(__file__).parent
ROWS = 1_000_000
HEAD = """\
| data | threads | processor, s | earlier | ratio of minima | median of pairs | clock, ratio of minima |
|---|---|---|---|---|---|---|"""


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("earlier")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--limit", type=float, default=1.15)
    parser.add_argument("--work", default="build/bench-speed", help="folder of the data")
    parser.add_argument("--data", default="../shared/data", help="holds a9a.gz and a9a.t.gz")
    parser.add_argument("--only", default="a9a,dense")
    return parser.parse_args()


def maker_of(work):
    """The program that makes data, compiled."""
    maker = pathlib.Path(work) / "bin/make_data"
    maker.parent.mkdir(parents=True, exist_ok=True)
    compiler = [os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-O2"]
    measure.must([*compiler, HERE / "make_data.c", "-lm", "-o", maker])
    return maker


def data_sets(work, sources, only):
    store = Store(pathlib.Path(work) / "data", maker_of(work), sources)
    makers = {"a9a": lambda: store.a9a(30, 1000), "dense": lambda: store.dense(ROWS, 128, 1000)}
    return [makers[name]() for name in only.split(",")]


def one_pass(program):
    """The options of one pass with the defaults of 0.1.0, which has no name for them."""
    said = subprocess.run([program, "train", "--help-all"], capture_output=True, text=True).stdout
    return ["--preset", "anytime"] if "anytime" in said else []


def compare(programs, data, threads, pairs):
    """Two lists of runs, of the program and of the earlier one."""
    found = [], []
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.json")
        presets = [one_pass(program) for program in programs]
        tail = [data.train, "--features", data.features, "-q", "--epsilon", 1, "-o", model]
        for pair in range(pairs + 1):
            for which in (0, 1) if pair % 2 else (1, 0):
                done = measure.must([programs[which], "train", *presets[which], *tail,
                                     "--threads", threads])
                if pair > 0:  # the first pair reads the file into memory
                    found[which].append(done)
    return found


def main():
    asked = options()
    print(HEAD, flush=True)
    worst = 0
    for data in data_sets(asked.work, asked.data, asked.only):
        for threads in (1, 2):
            runs = compare((asked.program, asked.earlier), data, threads, asked.pairs)
            own, earlier = (min(run.cpu_s for run in part) for part in runs)
            clock, clock0 = (min(run.seconds for run in part) for part in runs)
            median = statistics.median(a.cpu_s / b.cpu_s for a, b in zip(*runs))
            worst = max(worst, own / earlier, median)
            print(
                f"| {data.title} | {threads} | {own:.3f} | {earlier:.3f} | {own / earlier:.2f} "
                f"| {median:.2f} | {clock / clock0:.2f} |",
                flush=True,
            )
    if worst > asked.limit:
        sys.exit(f"{worst:.2f} times the earlier processor time: the limit is {asked.limit}")


if __name__ == "__main__":
    main()
