# SPDX-License-Identifier: MIT
"""The data of the bench: made once by make_data and kept below the build folder."""

import gzip
import json
import os
import pathlib
import shutil
import sys
from dataclasses import dataclass

import measure

TRAIN, TEST = 1, 2  # seeds


@dataclass
class DataSet:
    name: str
    title: str
    rows: int
    features: int
    train: pathlib.Path  # LIBSVM
    test: pathlib.Path

    @property
    def size(self):
        return self.train.stat().st_size

    def sibling(self, ending):
        """The path of the same rows in another form: .csv, .npy, -labels.npy."""
        return self.train.with_name(self.train.name.removesuffix(".svm") + ending)

    def files(self):
        """The files of all forms that exist."""
        endings = (".svm", ".csv", ".npy", "-labels.npy")
        return [path for path in map(self.sibling, endings) if path.exists()]


class Store:
    def __init__(self, folder, maker, sources):
        self.folder, self.maker, self.sources = pathlib.Path(folder), maker, sources
        self.folder.mkdir(parents=True, exist_ok=True)

    def make(self, stem, *arguments):
        """Runs make_data unless its files exist; returns STEM.svm."""
        ready = self.folder / f"{stem}.ready"
        if not ready.exists():
            print(f"  making {stem}", file=sys.stderr, flush=True)
            measure.must([self.maker, *arguments, self.folder / stem])
            ready.touch()
        return self.folder / f"{stem}.svm"

    def drop(self, stem):
        for path in self.folder.glob(f"{stem}.*"):
            path.unlink()

    def size_gb(self):
        return sum(p.stat().st_size for p in self.folder.iterdir()) / 1e9

    def repeated(self, stem, source, times):
        path = self.folder / f"{stem}.svm"
        if not path.exists():
            part = path.with_suffix(".part")
            with open(part, "wb") as out:
                for _ in range(times):
                    with gzip.open(source, "rb") as rows:
                        shutil.copyfileobj(rows, out, 1 << 20)
            part.rename(path)
        return path

    def a9a(self, times, test_rows):
        """UCI Adult with its rows repeated; without its files, synthetic rows of the same shape."""
        train, test = (os.path.join(self.sources, n) for n in ("a9a.gz", "a9a.t.gz"))
        rows = 32561 * times
        if os.path.exists(train) and os.path.exists(test):
            with gzip.open(train, "rb") as file:
                rows = times * sum(1 for _ in file)
            title = f"a9a × {times}: UCI Adult, its rows repeated"
            paths = self.repeated(f"a9a-{times}", train, times), self.repeated("a9a-t", test, 1)
        else:
            title = f"a9a × {times}: made-up rows of the shape of a9a, whose file was not given"
            paths = (
                self.make(f"binary-{rows}", "binary", TRAIN, rows),
                self.make("binary-t", "binary", TEST, test_rows),
            )
        return DataSet("a9a", title, rows, 123, *paths)

    def dense(self, rows, features, test_rows):
        train = self.make(f"dense-{rows}", "dense", TRAIN, rows, features)
        test = self.make(f"dense-t-{test_rows}", "svm", TEST, test_rows, features)
        return DataSet("dense", f"dense {rows:,} × {features}", rows, features, train, test)

    def sparse(self, rows, features, test_rows):
        log2 = features.bit_length() - 1
        train = self.make(f"sparse-{log2}-{rows}", "sparse", TRAIN, rows, features)
        test = self.make(f"sparse-{log2}-t", "sparse", TEST, test_rows, features)
        title = f"sparse {rows:,} × 2^{log2}, 40 non-zeros a row"
        return DataSet("sparse", title, rows, features, train, test)

    def adult(self, times):
        """The raw census table as CSV, its rows repeated; None without its file."""
        source = os.path.join(self.sources, "adult.csv.gz")
        path = self.folder / f"adult-{times}.csv"
        if not os.path.exists(source):
            return None
        if not path.exists():
            header, rows = gzip.open(source, "rb").read().split(b"\n", 1)
            part = path.with_suffix(".part")
            with open(part, "wb") as out:
                out.write(header + b"\n")
                for _ in range(times):
                    out.write(rows)
            part.rename(path)
        return path

    def vw(self, path, folder):
        """Converts a LIBSVM file to the format of Vowpal Wabbit."""
        made = pathlib.Path(folder) / f"{path.stem}.vw"
        measure.must([self.maker, "vw", path, made])
        return made

    def schema(self, features):
        path = self.folder / f"schema-{features}.json"
        columns = [
            {"name": f"x{j}", "type": "numeric", "min": -1, "max": 1}
            for j in range(1, features + 1)
        ]
        label = {"column": "y", "classes": ["0", "1"]}
        text = json.dumps({"tacit_schema": 1, "label": label, "columns": columns})
        path.write_text(text, encoding="utf-8")
        return path
