#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Lets memory run out at many points of every command: sweep.py PROGRAM SHIM STRIDE [JOBS]

Runs every command many times; each time another request for memory fails: the first, then every
STRIDE-th, and the last eight, with which output is ended; once alone and once with all later ones.
Requests of libraries count. Commands with more than 2,000 requests, which repeat the same ones, have
a longer stride, as if they had 2,000. A run must end without a signal and with a documented exit code. If that is
not 0, the run must leave no output file and give the reason in one line on standard error.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from golden import check, run_tap  # noqa: E402

DOCUMENTED = {0, 1, 2, 3, 4, 5}
SHIM, STRIDE = os.path.abspath(sys.argv[2]), int(sys.argv[3])
JOBS = int(sys.argv[4]) if len(sys.argv) > 4 else 1
MANY = 2000
ONE = ("--threads", "1")
KEPT = ["kept.cache", "kept.checkpoint"]  # whole, and of use to the next run

# name: (files that the command writes, its words)
COMMANDS = {
    "train on LIBSVM": (["out.json"], ["train", "-q", *ONE, "--epsilon", 1, "--features", 5,
                                       "-o", "out.json", "rows.svm"]),
    "train on CSV, in passes": (["out.json"], ["train", "-q", *ONE, "--epsilon", 1, "--passes", 2,
                                               "--schema", "schema.json", "-o", "out.json",
                                               "rows.csv"]),
    "train from a model": (["out.json"], ["train", "-q", *ONE, "--epsilon", 1, "--features", 5,
                                          "--init", "m.json", "-o", "out.json", "rows.svm"]),
    "train as JSON": (["out.json"], ["train", "-q", *ONE, "--epsilon", 1, "--features", 5, "--json",
                                     "-o", "out.json", "rows.svm"]),
    "train through a cache": (["out.json"], ["train", "-q", *ONE, "--epsilon", 1, "--features", 5,
                                             "--passes", 2, "--cache", "kept.cache", "-o",
                                             "out.json", "rows.svm"]),
    "train with a checkpoint": (["out.json"], ["train", "-q", *ONE, "--epsilon", 1, "--features", 5,
                                               "--checkpoint", "kept.checkpoint", "--key-file",
                                               "key", "-o", "out.json", "rows.svm"]),
    "train, dry run as JSON": ([], ["train", "--epsilon", 1, "--features", 5, "--rows", 400,
                                    "--dry-run", "--json"]),
    "predict": (["p.csv"], ["predict", "m.json", "rows.svm", "-o", "p.csv"]),
    "predict as JSON": ([], ["predict", "c.json", "rows.csv", "--json"]),
    "eval": ([], ["eval", "m.json", "rows.svm"]),
    "eval as JSON": ([], ["eval", "c.json", "rows.csv", "--json"]),
    "schema": (["s.json"], ["schema", "--header", "rows.csv", "--label", "outcome", "-o",
                            "s.json"]),
    "plan": ([], ["plan", "--rows", 1000, "--features", 5, "--epsilon", 1]),
    "plan as JSON": ([], ["plan", "--rows", 1000, "--features", 5, "--epsilon", 1, "--json"]),
    "account": ([], ["account", "--epsilon", 1, "--delta", "1e-6", "--json"]),
    "cache": (["rows.cache"], ["cache", "--features", 5, "-o", "rows.cache", "rows.svm"]),
    "version as JSON": ([], ["version", "--json"]),
    "show as JSON": ([], ["show", "c.json", "--json"]),
    "report": (["r.html"], ["report", "c.json", "-o", "r.html"]),
    "report of two models in Markdown": (["r.md"], ["report", "c.json", "m.json", "--markdown", "-o",
                                                    "r.md"]),
    "plan as a page": (["p.html"], ["plan", "--rows", 1000, "--features", 5, "--epsilon", 1, "--html",
                                    "p.html"]),
    "export to SQL": (["m.sql"], ["export", "c.json", "--sql", "-o", "m.sql"]),
    "export to ONNX": (["m.onnx"], ["export", "c.json", "--onnx", "-o", "m.onnx"]),
}


def run(place, words, **fault):
    env = dict(place.env, LD_PRELOAD=SHIM, **{key: str(value) for key, value in fault.items()})
    return subprocess.run(["tacit", *map(str, words)], cwd=place.work, env=env, timeout=60,
                          executable=str(place.folder / "bin" / "tacit"),
                          stdin=subprocess.DEVNULL, capture_output=True)


def remove(place, outputs):
    for name in outputs:
        (place.work / name).unlink(missing_ok=True)


def check_ended(place, outputs, before, done, which):
    said = done.stderr.decode(errors="replace")
    remove(place, KEPT)
    check(done.returncode in DOCUMENTED, f"{which}: ended with {done.returncode}: {said}")
    if done.returncode == 0:
        check(all((place.work / name).exists() for name in outputs), f"{which}: no output")
        return
    check(place.files() == before, f"{which}: exit {done.returncode}, but files are left: "
          f"{set(place.files()) ^ set(before)}")
    check(said.count("\n") <= 1 or "note:" in said, f"{which}: more than one line: {said}")
    check("line -1" not in said and "not valid JSON" not in said and "not JSON" not in said
          and "digest" not in said, f"{which}: blames the file: {said}")


def sweep(outputs, words):
    def test(place):
        for model, data, columns in (("m.json", "rows.svm", ("--features", 5)),
                                     ("c.json", "rows.csv", ("--schema", "schema.json"))):
            code, _, err = place.tacit("train", "-q", "--epsilon", 1, *columns, "-o", model, data)
            check(code == 0, err)
        (place.work / "key").write_bytes(bytes(range(32)))
        (place.work / "key").chmod(0o600)
        before = place.files()
        count = place.folder / "count"
        done = run(place, words, TACIT_FAIL_COUNT=count)
        check(done.returncode == 0, done.stderr.decode())
        remove(place, outputs + KEPT)
        total = int(count.read_text())
        check(total > 0, "the shim counted nothing")
        failed = 0
        stride = max(STRIDE, STRIDE * total // MANY)
        last = range(max(1, total - 7), total + 1)
        for at in sorted({1, *range(1 + stride // 2, total + 1, stride), *last}):
            for later in ({}, {"TACIT_FAIL_ON": 1}):
                done = run(place, words, TACIT_FAIL_AT=at, **later)
                which = f"request {at} of {total}{' and all later' if later else ''}"
                check_ended(place, outputs, before, done, which)
                failed += done.returncode != 0
                remove(place, outputs)
        check(failed > 0, "no run failed: the shim does nothing")
    return test


sys.exit(run_tap(sys.argv[1], [(name, sweep(*case)) for name, case in COMMANDS.items()], JOBS))
