# SPDX-License-Identifier: MIT
"""Tacit by itself: same bits, growth, memory, and where the time goes."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import measure
from program import Program

LEVELS = ("plain", "baseline", "avx2", "avx512")


def dispatch(level):
    return {"TACIT_DISPATCH": level} if level else None


class Tacit(Program):
    """The parts of the program that this bench uses; its help says which a build lacks."""

    def __init__(self, path):
        super().__init__(path)
        self.train_help, self.help = self.call("train", "--help-all"), self.call("--help")

    def level(self, wanted=None):
        """The dispatch level that runs if `wanted` is asked for; None if there is no choice."""
        done = measure.must([self.path, "version"], environment=dispatch(wanted))
        match = re.search(r"^dispatch (\w+)$", done.out, re.M)
        return match and match.group(1)

    def levels(self):
        """The levels that this machine can run."""
        return [level for level in LEVELS if self.level(level) == level]

    def targets(self):
        """{level: environment} of the levels that have targets: avx2 and the best."""
        best = self.level()
        names = [level for level in ("avx2", best) if level and self.level(level) == level]
        return {name: dispatch(name) for name in names} or {"only": None}

    def reads_npy(self):
        return "--label-file" in self.train_help

    def npy_arguments(self, values, labels):
        return [values, "--label-file", labels]

    def has_cache(self):
        return re.search(r"^  cache\b", self.help, re.M) is not None

    def make_cache(self, source, path):
        measure.must([self.path, "cache", *source, "-o", path])

    def accuracy(self, model, data, key):
        """The accuracy on held-out rows; not for models of CSV rows, whose columns have names."""
        if key.startswith(("csv", "npy")):
            return None
        return json.loads(self.call("eval", "-q", "--json", model, str(data.test)))["accuracy"]


def train(program, source, *options):
    """One pass: the speed of reading, adding up and releasing, not of the default's 8 passes."""
    return [program.path, "train", *source, "-q", "--preset", "anytime", *options]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def identity(program, sets, skipped):
    """Digests of the seeded model for all threads and dispatch levels; one per data set."""
    levels = program.levels()
    if not levels:
        skipped.append("dispatch levels: this build has none to choose from")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.json")
        for data in sets:
            source = [data.train, "--features", data.features]
            argv = train(program, source, "--epsilon", 1, "--seed", 1, "-o", model)
            digests = {}
            for threads in (1, 2, 3, 8):
                measure.must([*argv, "--threads", threads])
                digests[f"{threads} thread{'s' * (threads > 1)}"] = digest(model)
            for level in levels:
                measure.must([*argv, "--threads", 2], environment=dispatch(level))
                digests[f"level {level}"] = digest(model)
            found[data.name] = digests
            same = "same" if len(set(digests.values())) == 1 else "DIFFERENT"
            print(f"  {data.name}: {same} model for {', '.join(digests)}", file=sys.stderr)
    return found


def copies_of(path, count, folder):
    """The file and count - 1 copies of it: a file that is named twice is refused."""
    paths = [path]
    for i in range(1, count):
        paths.append(shutil.copyfile(path, os.path.join(folder, f"copy-{i}{path.suffix}")))
    return paths


def growth(program, store, rows):
    """Seconds of one thread against rows, columns and rounds; files are deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.json")
        tail = ("--epsilon", 1, "--threads", 1, "-o", model)
        files, found = {}, {}
        for features in (16, 128, 1024):
            count = rows * 128 // features
            files[features] = store.make(f"grow-{features}", "svm", 1, count, features)
            measure.must(["cat", files[features]])
        middle = [files[128], "--features", 128]
        copies = copies_of(files[128], 4, folder)
        commands = {
            ("n", rows * k): train(program, [*copies[:k], "--features", 128], *tail)
            for k in (1, 2, 4)
        }
        for features, file in files.items():
            commands["d", features] = train(program, [file, "--features", features], *tail)
        for rounds in (8, 32, 128, 512, 2048):
            batch = -(-rows // rounds)
            commands["R", rounds] = train(program, middle, *tail, "--batch", batch)
        for (what, size), seconds in measure.interleaved(commands).items():
            found.setdefault(what, []).append([size, seconds])
            print(f"  {what} = {size}: {seconds:.3f} s", file=sys.stderr)
        found["d_bytes"] = [[d, file.stat().st_size] for d, file in files.items()]
    for features in files:
        store.drop(f"grow-{features}")
    return found


def memory(program, store, data, target_bytes):
    """Peak memory for `target_bytes` of CSV, from a pipe and from files."""
    csv = data.sibling(".csv")
    times = max(1, -(-target_bytes // csv.stat().st_size))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.json")
        tail = ("--epsilon", 1, "-o", model, "--schema", store.schema(data.features))
        script = f'cat "$1"; i=1; while [ $i -lt {times} ]; do tail -n +2 "$1"; i=$((i+1)); done'
        for key, source in (
            ("stream", ["-", "--rows", data.rows * times]),
            ("files", copies_of(csv, times, folder)),
        ):
            feeder = None
            if key == "stream":
                feeder = subprocess.Popen(["sh", "-c", script, "sh", csv], stdout=subprocess.PIPE)
            stdin = feeder.stdout if feeder else None
            done = measure.must(train(program, source, *tail), stdin=stdin, memory=True)
            if feeder:
                feeder.stdout.close()
                feeder.wait()
            found[key] = {
                "bytes": csv.stat().st_size * times,
                "seconds": done.seconds,
                "peak_mb": done.peak_mb,
                "own_mb": done.own_mb,
            }
            print(f"  {key}: {done.peak_mb:.0f} MB, {done.seconds:.1f} s", file=sys.stderr)
    return found


# The part of a run to which a source file belongs; the first match counts.
PARTS = [
    ("noise", r"/src/vault/(noise|random|law|laplace|exponential)|/src/base/words"),
    ("pass", r"/src/vault/(delta|gradient|kernel|margins|outputs|sparse)|/src/loss/"),
    ("encode", r"/src/vault/"),
    ("parse", r"/src/(data|batch)/"),
    ("learner", r"/src/(learner|algorithm1|centre|norm)/"),
    ("rest", r""),
]


def files_of_symbols(program):
    """{function: source file}, from the debug information."""
    text = subprocess.run(["nm", "-l", program.path], capture_output=True, text=True).stdout
    return dict(re.findall(r"^\S+ [tTwW] (\S+)\t(.*):\d+$", text, re.M))


def part_of(library, symbol, files):
    if "libsodium" in library:
        return "noise"
    path = files.get(symbol.removesuffix(".part.0").removesuffix(".constprop.0"), "")
    return next(part for part, pattern in PARTS if re.search(pattern, path))


def profile(program, sets, skipped):
    """How the time of a private run on one thread is divided, by samples of perf."""
    if not shutil.which("perf") or not shutil.which("nm"):
        skipped.append("shares of parse, encode and noise: perf (linux-perf) is missing")
        return {}
    files, found = files_of_symbols(program), {}
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "perf.data")
        for data in sets:
            source = [data.train, "--features", data.features]
            argv = train(program, source, "--epsilon", 1, "--threads", 1, "-o", "/dev/null")
            done = measure.run(["perf", "record", "-q", "-e", "cpu-clock", "-o", record, *argv])
            if done.code != 0:
                skipped.append("shares of parse, encode and noise: perf may not sample here")
                return found
            text = measure.must(
                ["perf", "report", "-i", record, "--stdio", "--no-children"]
                + ["--sort", "dso,symbol", "-t", "|", "--percent-limit", "0"]
            ).out
            shares = {part: 0.0 for part, _ in PARTS}
            for percent, library, symbol in re.findall(
                r"^\s*([\d.]+)%\s*\|(\S+)\s*\|\[\S\] (\S+)", text, re.M
            ):
                shares[part_of(library, symbol, files)] += float(percent) / 100
            found[data.name] = shares
    return found
