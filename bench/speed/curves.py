# SPDX-License-Identifier: MIT
"""The same 20 columns of numbers as lines and as curves: nanoseconds a cell, one thread, level avx2
if there is one."""

import json
import os
import random
import sys
import tempfile

import measure
from own import train

COLUMNS, POINTS = 20, 16
SHAPES = {
    "lines": {},
    "steps": {"curve": POINTS},
    "hats": {"curve": {"knots": POINTS, "kind": "linear"}},
    "hats and lines": {"curve": {"knots": POINTS, "kind": "linear", "line": True}},
}


def write_rows(path, rows):
    """Numbers from -1 to 1 with three decimals, and labels that the first five columns say much of."""
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"x{j}" for j in range(COLUMNS)) + ",y\n")
        for _ in range(rows):
            cells = [draw.uniform(-1, 1) for _ in range(COLUMNS)]
            label = int(sum(cells[:5]) + draw.gauss(0, 1) > 0)
            file.write(",".join(f"{cell:.3f}" for cell in cells) + f",{label}\n")


def write_schema(path, shape):
    columns = [
        {"name": f"x{j}", "type": "numeric", "min": -1, "max": 1, **shape} for j in range(COLUMNS)
    ]
    label = {"column": "y", "classes": ["0", "1"]}
    with open(path, "w", encoding="ascii") as file:
        json.dump({"tacit_schema": 2, "label": label, "columns": columns}, file)


def run(program, store, rows, options):
    """{"rows": …, "level": …, "ns": {shape: [one pass, default run]}}."""
    level, environment = next(iter(program.targets().items()))
    path, commands = store.folder / f"curves-{rows}.csv", {}
    if not path.exists():
        write_rows(path.with_suffix(".part"), rows)
        path.with_suffix(".part").rename(path)
    with tempfile.TemporaryDirectory() as folder:
        tail = ["--epsilon", 1, "--threads", 1, "-o", os.path.join(folder, "model.json")]
        for shape, fields in SHAPES.items():
            schema = os.path.join(folder, f"{shape}.json")
            write_schema(schema, fields)
            source = [path, "--schema", schema]
            commands[shape, 0] = [*train(program, source), *tail]
            commands[shape, 1] = [program.path, "train", *source, "-q", *tail]
        measure.must(["cat", path])  # into the page cache
        times = 2 * options.rounds + 1  # they are short
        seconds = measure.interleaved(commands, times, environment=environment)
    cells = rows * COLUMNS / 1e9
    found = {shape: [seconds[shape, way] / cells for way in (0, 1)] for shape in SHAPES}
    for shape, (one, default) in found.items():
        print(f"  {shape}: {one:.1f} ns a cell, default {default:.1f}", file=sys.stderr)
    return {"rows": rows, "level": level, "ns": found}
