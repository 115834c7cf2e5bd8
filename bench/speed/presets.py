#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""presets.py PROGRAM: what one gradient pass of --preset practical costs beside --preset anytime.

The time of a gradient pass is (time of 8 passes - time of 4 passes)/4: reading the file for the first
time, the mean of round 0 and the model cancel. All four runs of a pair take turns on one thread, on
copies of a9a and on dense rows of 128 columns, from text and from memory (a cache; a .npy file). Processor
time, user and system. --count also counts instructions with callgrind, on one copy of a9a and
a twentieth of the dense rows; the counts hold on a busy machine, and are those of the level avx2, because
callgrind knows no AVX-512. Prints a table in Markdown. Exits with 1 if a ratio of times (of the
minima, or the median over the pairs) is above the limit.
"""

import argparse
import os
import pathlib
import re
import statistics
import sys
import tempfile

import measure
from against import maker_of
from data import Store

PRESETS = ("anytime", "practical")
PASSES = (4, 8)
HEAD = """\
| data | rows | anytime, ns a row | practical | ratio of minima | median of pairs | instructions a row | practical | ratio |
|---|---|---|---|---|---|---|---|---|"""


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--limit", type=float, default=1.1)
    parser.add_argument("--work", default="build/bench-speed", help="folder of the data")
    parser.add_argument("--data", default="../shared/data", help="holds a9a.gz and a9a.t.gz")
    parser.add_argument("--times", type=int, default=30, help="copies of a9a")
    parser.add_argument("--rows", type=int, default=400_000, help="of the dense set")
    parser.add_argument("--only", default="a9a-text,a9a-cache,dense-text,dense-array")
    parser.add_argument("--count", action="store_true", help="count instructions too")
    return parser.parse_args()


def inputs(asked, folder, small):
    """{name: (title, rows, arguments)} of the data in every form that is asked for."""
    store = Store(pathlib.Path(asked.work) / "data", maker_of(asked.work), asked.data)
    wanted, found = asked.only.split(","), {}
    if any(name.startswith("a9a") for name in wanted):
        a9a = store.a9a(1 if small else asked.times, 1000)
        cache = pathlib.Path(folder) / f"a9a-{small}.cache"
        text = ["--features", a9a.features, a9a.train]
        measure.must([asked.program, "cache", *text, "-o", cache])
        found["a9a-text"] = f"a9a × {a9a.rows // 32560}, LIBSVM", a9a.rows, text
        found["a9a-cache"] = f"a9a × {a9a.rows // 32560}, cache", a9a.rows, [cache]
    if any(name.startswith("dense") for name in wanted):
        dense = store.dense(asked.rows // 20 if small else asked.rows, 128, 1000)
        array = [dense.sibling(".npy"), "--label-file", dense.sibling("-labels.npy")]
        found["dense-text"] = "dense, 128 columns, LIBSVM", dense.rows, ["--features", 128, dense.train]
        found["dense-array"] = "dense, 128 columns, float32 array", dense.rows, array
    return {name: found[name] for name in wanted}


def command(asked, folder, preset, passes, arguments):
    tail = ["--epsilon", 1, "--seed", 1, "--threads", 1, "-o", os.path.join(folder, "model.json")]
    return [asked.program, "train", "-q", "--preset", preset, "--passes", passes, *tail, *arguments]


def pass_of(longer, shorter, rows):
    return (longer - shorter) / (PASSES[1] - PASSES[0]) / rows


def times(asked, folder, rows, arguments):
    """Seconds of a gradient pass, per row: the minima of both presets, and the median of the ratios."""
    found = {(preset, passes): [] for preset in PRESETS for passes in PASSES}
    for pair in range(asked.pairs + 1):
        for key in sorted(found, reverse=pair % 2 == 1):
            done = measure.must(command(asked, folder, *key, arguments))
            if pair > 0:  # the first pair reads the file into memory
                found[key].append(done.cpu_s)
    each = [[pass_of(found[p, 8][i], found[p, 4][i], rows) for i in range(asked.pairs)] for p in PRESETS]
    least = [pass_of(min(found[p, 8]), min(found[p, 4]), rows) for p in PRESETS]
    return least, statistics.median(b / a for a, b in zip(*each) if a > 0)


def instructions(asked, folder, rows, arguments):
    """Instructions of a gradient pass, per row, of both presets."""
    counted = {}
    for preset in PRESETS:
        for passes in PASSES:
            valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            argv = valgrind + command(asked, folder, preset, passes, arguments)
            done = measure.must(argv, environment={"TACIT_DISPATCH": "avx2"})
            counted[preset, passes] = int(re.search(r"Collected : (\d+)", done.err).group(1))
    return [pass_of(counted[p, 8], counted[p, 4], rows) for p in PRESETS]


def main():
    asked = options()
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        small = inputs(asked, folder, True) if asked.count else {}
        print(HEAD, flush=True)
        for name, (title, rows, arguments) in inputs(asked, folder, False).items():
            (own, other), median = times(asked, folder, rows, arguments)
            worst = max(worst, other / own, median)
            cells = [title, f"{rows:,}", f"{own * 1e9:.0f}", f"{other * 1e9:.0f}", f"{other / own:.3f}", f"{median:.3f}"]
            if asked.count:
                counts = instructions(asked, folder, *small[name][1:])
                cells += [f"{counts[0]:.0f}", f"{counts[1]:.0f}", f"{counts[1] / counts[0]:.3f}"]
            else:
                cells += ["", "", ""]
            print("| " + " | ".join(cells) + " |", flush=True)
    if worst > asked.limit:
        sys.exit(f"practical takes {worst:.3f} times anytime's gradient pass: the limit is {asked.limit}")


if __name__ == "__main__":
    main()
