# SPDX-License-Identifier: MIT
"""Seconds from file to model: Tacit and the others on one data set, taking turns.

A file is read once before the first turn, so that it is in the page cache for all. The best turn
counts. A method that takes longer than LONG_S runs once.
"""

import json
import os
import shutil
import sys
import tempfile

import measure
from own import train
from results import missing

LONG_S = 30
# key, and its name in the table
METHODS = [
    ("cat", "`cat FILE >/dev/null`"),
    ("wc", "`wc -l FILE`"),
    ("tacit-2", "**Tacit, ε = 1, 2 threads**"),
    ("tacit-1", "**Tacit, ε = 1, 1 thread**"),
    ("avx2-1", "Tacit, ε = 1, 1 thread, level avx2"),
    ("default-2", "Tacit, ε = 1, all passes of the default, 2 threads"),
    ("default-1", "Tacit, ε = 1, all passes of the default, 1 thread"),
    ("none-2", "Tacit `--mechanism none`, 2 threads"),
    ("none-1", "Tacit `--mechanism none`, 1 thread"),
    ("csv-2", "Tacit, ε = 1, CSV, 2 threads"),
    ("csv-1", "Tacit, ε = 1, CSV, 1 thread"),
    ("npy-2", "Tacit, ε = 1, `.npy`, 2 threads"),
    ("npy-1", "Tacit, ε = 1, `.npy`, 1 thread"),
    ("cache-2", "Tacit, ε = 1, its cache, 2 threads"),
    ("cache-1", "Tacit, ε = 1, its cache, 1 thread"),
    ("vw", "Vowpal Wabbit, one pass"),
    ("sgd", "scikit-learn SGDClassifier, one epoch"),
    ("logistic", "scikit-learn LogisticRegression"),
    ("liblinear-0", "LIBLINEAR `-s 0`"),
    ("liblinear-7", "LIBLINEAR `-s 7`"),
    ("opacus", "Opacus, one epoch, its loader"),
    ("opacus-whole", "Opacus, one epoch, batches handed over whole"),
]


def variants(program, source, folder):
    """{key: argv} of one pass at level avx2, and of the default run with all its passes."""
    tail = ["--epsilon", "1", "-o"]
    found = {}
    if program.level("avx2") == "avx2":
        one = [*train(program, source), "--threads", 1, *tail, os.path.join(folder, "avx2-1")]
        found["avx2-1"] = ["env", "TACIT_DISPATCH=avx2", *one]
    for threads in (1, 2):
        key = f"default-{threads}"
        whole = [program.path, "train", "-q", *source, "--threads", threads]
        found[key] = [*whole, *tail, os.path.join(folder, key)]
    return found


def commands(program, data, store, folder):
    """{key: argv} of the program; models go to `folder`."""
    forms = {"": [data.train, "--features", data.features]}
    if data.sibling(".csv").exists():
        forms["csv"] = [data.sibling(".csv"), "--schema", store.schema(data.features)]
    if data.sibling(".npy").exists() and program.reads_npy():
        forms["npy"] = program.npy_arguments(data.sibling(".npy"), data.sibling("-labels.npy"))
    elif program.has_cache():  # rows in binary one way or the other: disk is limited
        cache = os.path.join(folder, "rows.cache")
        program.make_cache(forms[""], cache)
        forms["cache"] = [cache]
    found = variants(program, forms[""], folder)
    for form, source in forms.items():
        for threads in (1, 2):
            common = ["train", *source, "--preset", "anytime", "--threads", threads, "-q", "-o"]
            key = f"{form or 'tacit'}-{threads}"
            private = [*common, os.path.join(folder, key), "--epsilon", "1"]
            found[key] = [program.path, *private]
            if not form:
                key = f"none-{threads}"
                plain = [*common, os.path.join(folder, key), "--mechanism", "none"]
                found[key] = [program.path, *plain]
    return found


def absent_peers(options):
    """{peer: why it cannot run}."""
    reasons = {
        "liblinear": None if shutil.which("liblinear-train") else "liblinear-tools is missing",
        "sklearn": missing("sklearn"),
        "vw": missing("vowpalwabbit"),
        "opacus": missing("torch", "opacus", "sklearn"),
    }
    if options.peers == "none":
        reasons = {key: "PEERS=none" for key in reasons}
    return {key: reason for key, reason in reasons.items() if reason}


class Race:
    def __init__(self, program, data, store, options):
        self.program, self.data, self.store, self.options = program, data, store, options
        self.cells, self.own, self.skipped = {}, {}, []

    def note(self, key, cell):
        """Keeps the fastest run of a method."""
        old = self.cells.get(key)
        runs = 1 + (old["runs"] if old else 0)
        best = cell if old is None or cell["seconds"] < old["seconds"] else old
        self.cells[key] = {**best, "runs": runs}
        share = cell.get("share", 1)
        scaled = f" (scaled from {100 * share:.2g}% of it)" if share < 1 else ""
        print(f"  {self.data.name} {key}: {cell['seconds']:.3f} s{scaled}", file=sys.stderr)

    def again(self, *keys):
        """Whether these methods are fast enough for another turn."""
        return all(k not in self.cells or self.cells[k]["seconds"] <= LONG_S for k in keys)

    def peer(self, kind, *arguments):
        """Runs a peer in a separate Python process; one that fails is left out."""
        here = os.path.dirname(os.path.abspath(__file__))
        script = os.path.join(here, "peers.py")
        done = measure.run([sys.executable, "-W", "ignore", script, kind, *arguments])
        if done.code != 0:
            why = done.err.strip().splitlines() or [f"exit status {done.code}"]
            return f"{kind} failed on {self.data.name}: {why[-1]}"
        for key, cell in json.loads(done.out).items():
            self.note(key, cell)
        return None

    def tacit_and_limits(self, own):
        for key, argv in {
            "cat": ["cat", self.data.train],
            "wc": ["wc", "-l", self.data.train],
            **own,
        }.items():
            if not self.again(key):
                continue
            done = measure.must(argv)
            self.note(key, {"seconds": done.seconds, "cpu_s": done.cpu_s})

    def liblinear(self, kind, folder):
        model = os.path.join(folder, f"liblinear-{kind}")
        done = measure.must(["liblinear-train", "-s", kind, "-q", self.data.train, model])
        cell = {"seconds": done.seconds, "cpu_s": done.cpu_s}
        scores = os.path.join(folder, "scores")
        text = measure.must(["liblinear-predict", self.data.test, model, scores]).out
        cell["accuracy"] = float(text.split("Accuracy = ")[1].split("%")[0]) / 100
        self.note(f"liblinear-{kind}", cell)

    def run(self):
        """Fills `cells` (all methods) and `own` (seconds of variants of Tacit)."""
        data, absent = self.data, absent_peers(self.options)
        bits = max(18, (data.features - 1).bit_length())
        with tempfile.TemporaryDirectory(dir=self.store.folder) as folder:
            own = commands(self.program, data, self.store, folder)
            if "vw" not in absent:
                vw = [self.store.vw(path, folder) for path in (data.train, data.test)]
            measure.must(["cat", *data.files()])  # into the page cache
            for turn in range(self.options.rounds):
                self.tacit_and_limits(own)
                for kind in "07":
                    if "liblinear" not in absent and self.again(f"liblinear-{kind}"):
                        self.liblinear(kind, folder)
                if "vw" not in absent and self.again("vw"):
                    self.lose("vw", absent, self.peer("vw", *vw, bits))
                if "sklearn" not in absent and self.again("sgd", "logistic"):
                    lost = self.peer("sklearn", data.train, data.test, data.features)
                    self.lose("sklearn", absent, lost)
                if "opacus" not in absent and turn == 0:
                    limit = self.options.opacus_s
                    lost = self.peer("opacus", data.train, data.test, data.features, limit)
                    self.lose("opacus", absent, lost)
            # Variants of Tacit are compared in separate turns, more of them if they are short.
            short = {key: argv for key, argv in own.items() if not key.startswith("default")}
            self.own = measure.interleaved(short, 7 if self.cells["tacit-1"]["seconds"] < 2 else 3)
            for key, argv in own.items():
                model = argv[argv.index("-o") + 1]
                if key[-1] == "1" and os.path.exists(model):
                    self.cells[key]["accuracy"] = self.program.accuracy(model, data, key)
            self.cells["tacit-2"]["accuracy"] = self.cells["tacit-1"]["accuracy"]

    def lose(self, peer, absent, why):
        if why:
            absent[peer] = why
            self.skipped.append(why)
