# SPDX-License-Identifier: MIT
"""A table with categories and curves, the raw Adult census with its rows repeated: Tacit beside the
fit of DP-EBM, whose rows are in memory already."""

import json
import os
import sys
import tempfile

import measure
from own import train
from race import variants
from results import missing

ROWS = 32561
DICTIONARY = "examples/adult-dictionary.csv"


def tacit(program, path, rounds, folder):
    """{key: best seconds}: one pass on one thread, the same at level avx2, and default runs."""
    schema = os.path.join(folder, "schema.json")
    measure.must(
        [program.path, "schema", "--header", path, "--dictionary", DICTIONARY]
        + ["--label", "income", "-o", schema]
    )
    source = [path, "--schema", schema]
    one = [*train(program, source), "--epsilon", 1, "--threads", 1]
    commands = {"tacit-1": [*one, "-o", os.path.join(folder, "tacit-1")]}
    commands.update(variants(program, source, folder))
    measure.must(["cat", path])  # into the page cache
    return measure.interleaved(commands, 2 * rounds + 1)  # they are short


def ebm(path):
    """Seconds of the fit, and why there are none."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.py")
    done = measure.run([sys.executable, "-W", "ignore", script, "ebm", path, DICTIONARY, "1"])
    if done.code != 0:
        return None, f"DP-EBM failed: {(done.err.strip().splitlines() or ['?'])[-1]}"
    return json.loads(done.out), None


def run(program, store, times, options, skipped):
    path = store.adult(times)
    if path is None:
        skipped.append(f"raw Adult: {store.sources} has no adult.csv.gz")
        return None
    with tempfile.TemporaryDirectory(dir=store.folder) as folder:
        found = tacit(program, path, options.rounds, folder)
    for key, seconds in found.items():
        print(f"  adult {key}: {seconds:.3f} s", file=sys.stderr)
    about = {"rows": ROWS * times, "times": times, "bytes": path.stat().st_size, "own": found}
    why = "PEERS=none" if options.peers == "none" else missing("interpret", "pandas")
    if not why:
        cell, why = ebm(path)
        if cell:
            about["dp-ebm"] = cell
            print(f"  adult dp-ebm: {cell['seconds']:.1f} s", file=sys.stderr)
    if why:
        skipped.append(f"dp-ebm: {why}")
    return about
