#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""presets.py PROGRAM: what a gradient pass costs with centred rows, weights or persons, and with all of
--preset practical, beside one of --preset anytime.

The time of a gradient pass is (time of 8 passes - time of 4 passes)/4: reading the file for the first
time, the mean of round 0 and the model cancel. All runs take turns on one thread, on copies of a9a and on dense rows of 128 columns, from text and from memory (a cache; a .npy file). Processor
time, user and system. --count also counts instructions with callgrind, on one copy of a9a and
a twentieth of the dense rows; the counts hold on a busy machine, and are those of the level avx2, because
callgrind knows no AVX-512. Every row has a weight, or every two rows are a person's. Prints a table in
Markdown. Exits with 1 if a feature costs more than its limit, by the fastest runs or by the median of the turns.
"""

import argparse
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile

import measure
from against import maker_of
from data import Store

BASE = "anytime"
LIMITS = {"practical": 1.1, "centred": 1.05, "weights": 1.05, "persons": 1.05}
PASSES = (4, 8)
HEAD = """\
| data | rows | with | ns a row, anytime | with it | ratio of minima | median of turns | instructions a row, anytime | with it | ratio |
|---|---|---|---|---|---|---|---|---|---|"""


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--features", default=",".join(LIMITS), help="which of them")
    parser.add_argument("--work", default="build/bench-speed", help="folder of the data")
    parser.add_argument("--data", default="../shared/data", help="holds a9a.gz and a9a.t.gz")
    parser.add_argument("--times", type=int, default=30, help="copies of a9a")
    parser.add_argument("--rows", type=int, default=400_000, help="of the dense set")
    parser.add_argument("--only", default="a9a-text,a9a-cache,dense-text,dense-array")
    parser.add_argument("--count", action="store_true", help="count instructions too")
    return parser.parse_args()


def inputs(asked, small):
    """{name: (title, rows, arguments)} of the data that is asked for; small: for counting. Those of a
    cache are what it is made of."""
    store = Store(pathlib.Path(asked.work) / "data", maker_of(asked.work), asked.data)
    wanted, found = asked.only.split(","), {}
    if any(name.startswith("a9a") for name in wanted):
        a9a = store.a9a(1 if small else asked.times, 1000)
        text = ["--features", a9a.features, a9a.train]
        found["a9a-text"] = f"a9a × {a9a.rows // 32560}, LIBSVM", a9a.rows, text
        found["a9a-cache"] = f"a9a × {a9a.rows // 32560}, cache", a9a.rows, text
    if any(name.startswith("dense") for name in wanted):
        dense = store.dense(asked.rows // 20 if small else asked.rows, 128, 1000)
        array = [dense.sibling(".npy"), "--label-file", dense.sibling("-labels.npy")]
        found["dense-text"] = "dense, 128 columns, LIBSVM", dense.rows, ["--features", 128, dense.train]
        found["dense-array"] = "dense, 128 columns, float32 array", dense.rows, array
    return {name: found[name] for name in wanted}


def file_option(feature, rows, folder):
    """The file that a feature needs, as an option: weights, or ids of persons."""
    path = pathlib.Path(folder) / f"{feature}-{rows}"
    if feature == "weights":
        path.write_text("".join(f"0.{1 + i % 9}\n" for i in range(rows)), encoding="ascii")
        return ["--weights", path]
    if feature == "persons":
        path.write_text("".join(f"{i // 2}\n" for i in range(rows)), encoding="ascii")
        return ["--unit", path]
    return []


def switched_on(asked, folder, key, feature, rows, arguments):
    """The options and the data of a run with the feature. A cache holds weights and ids itself."""
    own = ["--preset", "practical" if feature == "practical" else "anytime"]
    own += ["--centre", "on"] if feature == "centred" else []
    file = file_option(feature, rows, folder)
    if not key.endswith("-cache"):
        return [*own, *file, *arguments]
    cache = pathlib.Path(folder) / f"{feature}-{rows}.cache"
    measure.must([asked.program, "cache", *file, *arguments, "-o", cache])
    return [*own, cache]


def command(asked, folder, own, passes):
    tail = ["--epsilon", 1, "--seed", 1, "--threads", 1, "-o", os.path.join(folder, "model.json")]
    return [asked.program, "train", "-q", *own, "--passes", passes, *tail]


def pass_of(longer, shorter, rows):
    return (longer - shorter) / (PASSES[1] - PASSES[0]) / rows


def median(ratios):
    """Not a number without any: on a busy machine more passes can take less time."""
    return statistics.median(ratios) if ratios else math.nan


def times(asked, folder, options, rows):
    """{feature: (seconds of a gradient pass, per row, at the least; median of the ratios to the base)}."""
    found = {(name, passes): [] for name in options for passes in PASSES}
    for turn in range(asked.pairs + 1):
        for name, passes in sorted(found, reverse=turn % 2 == 1):
            done = measure.must(command(asked, folder, options[name], passes))
            if turn > 0:  # the first turn reads the file into memory
                found[name, passes].append(done.cpu_s)
    each = {n: [pass_of(*both, rows) for both in zip(found[n, 8], found[n, 4])] for n in options}
    return {
        name: (
            pass_of(min(found[name, 8]), min(found[name, 4]), rows),
            median([b / a for a, b in zip(each[BASE], each[name]) if a > 0]),
        )
        for name in options
    }


def instructions(asked, folder, options, rows):
    """{feature: instructions of a gradient pass, per row}."""
    counted = {}
    for name, own in options.items():
        for passes in PASSES:
            valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            argv = valgrind + command(asked, folder, own, passes)
            done = measure.must(argv, environment={"TACIT_DISPATCH": "avx2"})
            counted[name, passes] = int(re.search(r"Collected : (\d+)", done.err).group(1))
    return {name: pass_of(counted[name, 8], counted[name, 4], rows) for name in options}


def row_of(title, rows, name, timed, counted):
    (own, _), (other, usual) = timed[BASE], timed[name]
    cells = [title, f"{rows:,}", name, f"{own * 1e9:.0f}", f"{other * 1e9:.0f}"]
    cells += [f"{other / own:.3f}", f"{usual:.3f}"]
    if counted:
        base, more = counted[BASE], counted[name]
        cells += [f"{base:.0f}", f"{more:.0f}", f"{more / base:.3f}"]
    else:
        cells += ["", "", ""]
    return "| " + " | ".join(cells) + " |"


def main():
    asked = options()
    names = asked.features.split(",")
    above = []
    with tempfile.TemporaryDirectory() as folder:
        small = inputs(asked, True) if asked.count else {}
        print(HEAD, flush=True)
        for key, (title, rows, arguments) in inputs(asked, False).items():
            runs = {n: switched_on(asked, folder, key, n, rows, arguments) for n in (BASE, *names)}
            timed, counted = times(asked, folder, runs, rows), {}
            if asked.count:
                few, less = small[key][1:]
                runs = {n: switched_on(asked, folder, key, n, few, less) for n in (BASE, *names)}
                counted = instructions(asked, folder, runs, few)
            for name in names:
                print(row_of(title, rows, name, timed, counted), flush=True)
                worst = max(timed[name][0] / timed[BASE][0], timed[name][1])
                if worst > LIMITS[name]:
                    above.append(f"{title}: {name} takes {worst:.3f} times the pass, limit {LIMITS[name]}")
    if above:
        sys.exit("\n".join(above))


if __name__ == "__main__":
    main()
