# SPDX-License-Identifier: MIT
"""peers.py sklearn|opacus TRAIN TEST FEATURES [LIMIT]
peers.py vw TRAIN TEST BITS

Runs one peer in a separate process and prints a JSON object with its seconds, without the start
of Python and imports, and its accuracy on TEST.
"""

import json
import os
import sys
import tempfile
import time
import warnings


def seconds_of(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def load(path, features):
    from sklearn.datasets import load_svmlight_file

    x, y = load_svmlight_file(path, n_features=features)
    x.indices, x.indptr = x.indices.astype("int32"), x.indptr.astype("int32")
    return x, y


def sklearn(train, test, features):
    from sklearn.linear_model import LogisticRegression, SGDClassifier

    parse_s, (x, y) = seconds_of(lambda: load(train, features))
    x_test, y_test = load(test, features)
    found = {}
    for name, model in (
        ("sgd", SGDClassifier(loss="log_loss", max_iter=1, tol=None, random_state=1)),
        ("logistic", LogisticRegression()),
    ):
        fit_s, _ = seconds_of(lambda: model.fit(x, y))  # called at once
        accuracy = float(model.score(x_test, y_test))
        found[name] = {"seconds": parse_s + fit_s, "parse_s": parse_s, "accuracy": accuracy}
    return found


def opacus_loader(x, y, batch, whole):
    """With `whole` the loader gets a batch at a time; otherwise it collects rows one by one, as
    it does by default. Rows that are too wide to be stored dense become dense per batch."""
    import numpy
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    dense = x.shape[1] <= 4096
    values = torch.from_numpy(x.toarray().astype(numpy.float32)) if dense else None
    labels = torch.from_numpy(y.astype(numpy.float32))
    if dense and not whole:
        return DataLoader(TensorDataset(values, labels), batch_size=batch)

    class Rows(torch.utils.data.Dataset):
        def __len__(self):
            return len(labels)

        def __getitems__(self, indices):
            if dense:
                return values[indices], labels[indices]
            return torch.from_numpy(x[indices].toarray().astype(numpy.float32)), labels[indices]

        def __getitem__(self, index):
            return tuple(batch[0] for batch in self.__getitems__([index]))

    return DataLoader(Rows(), batch_size=batch, collate_fn=lambda pair: pair)


def opacus_epoch(x, y, limit, whole):
    """One epoch of batches of about 1000 rows at epsilon 1, with Opacus's own sampler,
    gradients and optimiser; batches are smaller if 1000 dense rows do not fit into memory. After
    `limit` seconds the time of the rest of the epoch is extrapolated."""
    import torch
    from opacus import PrivacyEngine

    rows, features = x.shape
    batch = min(1000, max(10, (1 << 27) // features))
    torch.manual_seed(1)
    linear = torch.nn.Linear(features, 1)
    entropy = torch.nn.functional.binary_cross_entropy_with_logits
    model, optimiser, loader = PrivacyEngine().make_private_with_epsilon(
        module=linear,
        optimizer=torch.optim.SGD(linear.parameters(), lr=1.0),
        data_loader=opacus_loader(x, y, batch, whole),
        target_epsilon=1.0,
        target_delta=1 / rows**2,
        epochs=1,
        max_grad_norm=1.0,
    )
    steps, start = 0, time.perf_counter()
    for xs, ys in loader:
        optimiser.zero_grad()
        entropy(model(xs)[:, 0], ys).backward()
        optimiser.step()
        steps += 1
        if time.perf_counter() - start > limit:
            break
    share = steps / len(loader)
    epoch_s = (time.perf_counter() - start) / share
    weights = linear.weight.detach().numpy()[0], float(linear.bias.detach()[0])
    return {"seconds": epoch_s, "batch": batch, "share": share}, weights


def opacus(train, test, features, limit):
    parse_s, (x, y) = seconds_of(lambda: load(train, features))
    x_test, y_test = load(test, features)
    found = {}
    for name, whole in (("opacus", False), ("opacus-whole", True)):
        if features > 4096 and not whole:
            continue  # the loader by itself would need all rows dense
        cell, (weight, bias) = opacus_epoch(x, y, limit, whole)
        cell["parse_s"] = parse_s
        cell["seconds"] += parse_s
        if cell["share"] == 1:
            right = (x_test @ weight + bias > 0) == (y_test > 0)
            cell["accuracy"] = float(right.mean())
        found[name] = cell
    return found


def vw(train, test, bits):
    import numpy
    from vowpalwabbit import Workspace

    common = ["--quiet", "--no_stdin"]
    with tempfile.TemporaryDirectory() as folder:
        model, scores = (os.path.join(folder, n) for n in ("model", "scores"))
        learn = ["-d", train, "-b", str(bits), "--loss_function", "logistic", "-f", model]
        took, _ = seconds_of(lambda: Workspace(arg_list=learn + common).finish())
        Workspace(arg_list=["-d", test, "-t", "-i", model, "-p", scores] + common).finish()
        margins = numpy.loadtxt(scores)
    with open(test, encoding="ascii") as rows:
        labels = numpy.array([not row.startswith("-") for row in rows])
    return {"vw": {"seconds": took, "accuracy": float(((margins > 0) == labels).mean())}}


def ebm(path, dictionary):
    """DP-EBM of interpret with its defaults; bounds and types are declared, reading is not counted."""
    import csv

    import pandas
    from interpret.privacy import DPExplainableBoostingClassifier

    with open(dictionary, newline="", encoding="utf-8") as file:
        bounds = {
            row["name"]: (float(row["min"]), float(row["max"]))
            for row in csv.DictReader(file)
            if row["type"] == "continuous"
        }
    kinds = {name: float if name in bounds else object for name in pandas.read_csv(path, nrows=0)}
    rows = pandas.read_csv(path, dtype=kinds, keep_default_na=False)
    label = (rows.pop("income") == ">50K").astype(int)
    names = list(rows.columns)
    model = DPExplainableBoostingClassifier(
        epsilon=1.0,
        delta=1e-9,
        random_state=1,
        feature_types=["continuous" if name in bounds else "nominal" for name in names],
        privacy_bounds={names.index(name): pair for name, pair in bounds.items()},
    )
    took, _ = seconds_of(lambda: model.fit(rows, label))
    return {"seconds": took}


def main():
    kind, train, test, number = sys.argv[1:5]
    warnings.simplefilter("ignore")
    if kind == "ebm":
        found = ebm(train, test)
    elif kind == "sklearn":
        found = sklearn(train, test, int(number))
    elif kind == "opacus":
        found = opacus(train, test, int(number), float(sys.argv[5]))
    else:
        found = vw(train, test, int(number))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
