# SPDX-License-Identifier: MIT
"""The same data, seed and options give the model of the command line, bit for bit."""
import json
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp
import tacit


def write(path, X, y):
    with open(path, "w", encoding="ascii") as out:
        for row, label in zip(X, y):
            entries = (f"{j + 1}:{float(v)!r}" for j, v in enumerate(row) if v)
            out.write(f"{float(label):.17g} {' '.join(entries)}\n")


def weights(model):
    return np.frombuffer(model.weights)


@pytest.fixture
def train(program, tmp_path):
    def run(X, y, *options, stdin=False):
        write(tmp_path / "rows.svm", X, y)
        model = tmp_path / "model.json"
        command = [program, "train", "-q", "--features", str(X.shape[1]), "-o", str(model),
                   "--seed", "7", *map(str, options)]
        text = (tmp_path / "rows.svm").read_bytes() if stdin else None
        command.append("-" if stdin else str(tmp_path / "rows.svm"))
        subprocess.run(command, input=text, check=True, stdout=subprocess.DEVNULL)
        file = json.loads(model.read_text())
        run.offset, run.scale = np.array(file.get("offset", 0.0)), file.get("row_scale") or 1.0
        return np.array(file["weights"])

    return run


LAYOUTS = {
    "rows": lambda X: X,
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "list": lambda X: X.tolist(),
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "swapped bytes": lambda X: X.astype(X.dtype.newbyteorder()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(train, binary, layout):
    X, y = binary
    expected = train(X, y, "--epsilon", 1)
    est = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=7)
    est.fit(LAYOUTS[layout](X), y)
    assert np.array_equal(weights(est.model_), expected)
    assert np.array_equal(est.coef_[0], expected[:-1])
    assert np.array_equal(est.intercept_, expected[-1:] + train.offset)


def test_wide_indices(train, binary):
    X, y = binary
    csr = sp.csr_matrix(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    est = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=7).fit(csr, y)
    assert np.array_equal(weights(est.model_), train(X, y, "--epsilon", 1))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_float32(train, binary, kind):
    X, y = binary
    X = X.astype(np.float32)
    est = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=7).fit(kind(X), y)
    assert np.array_equal(weights(est.model_), train(X, y, "--epsilon", 1))


def test_options(train, binary):
    X, y = binary
    est = tacit.LogisticRegression(
        2.0, delta=1e-6, classes=[0, 1], random_state=7, passes=3, data_norm=2.0,
        adjacency="zero-out", learner="adagrad", fit_intercept=False, n_jobs=1, C=0.5,
        options={"mechanism": "tree", "power": 1.5})
    expected = train(X, y, "--epsilon", 2, "--delta", 1e-6, "--passes", 3, "--row-norm", 2,
                     "--adjacency", "zero-out", "--learner", "adagrad", "--no-bias",
                     "--mechanism", "tree", "--power", 1.5, "--l2", repr(1 / (0.5 * len(X))))
    assert np.array_equal(weights(est.fit(X, y).model_), expected)
    assert np.array_equal(est.coef_[0], expected) and est.intercept_ == 0


def test_no_shuffle_and_pure(train, binary):
    X, y = binary
    est = tacit.LinearSVC(1.0, delta=0, classes=[0, 1], random_state=7,
                          options={"shuffle": False})
    expected = train(X, y, "--epsilon", 1, "--delta", 0, "--loss", "hinge", "--no-shuffle")
    assert np.array_equal(weights(est.fit(X, y).model_), expected)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("cls, loss", [
    (tacit.LogisticRegression, "softmax"), (tacit.LinearSVC, "hinge")])
def test_more_classes(train, binary, cls, loss, kind):
    X, _ = binary
    y = np.argmax(X[:, :3], axis=1)
    est = cls(1.0, classes=[0, 1, 2], random_state=7).fit(kind(X), y)
    expected = train(X, y, "--epsilon", 1, "--classes", 3, "--loss", loss)
    assert np.array_equal(weights(est.model_), expected)
    assert np.array_equal(est.coef_.ravel(), expected[:-3])
    assert np.array_equal(est.intercept_, expected[-3:] + train.offset)


@pytest.mark.parametrize("est, loss", [
    (tacit.LinearRegression(), ["squared"]),
    (tacit.Ridge(alpha=2.0), ["squared", "--l2", repr(2 / 20000)]),
    (tacit.HuberRegressor(threshold=0.3, alpha=0.01), ["huber:tau=0.3", "--l2", 0.01]),
    (tacit.QuantileRegressor(quantile=0.8), ["quantile:tau=0.8"]),
])
def test_regressors(train, numbers, est, loss):
    X, y = numbers
    est.set_params(epsilon=1.0, bounds=(-3, 4), random_state=7, data_norm=1.5).fit(X, y)
    expected = train(X, y, "--epsilon", 1, "--labels", "-3,4", "--row-norm", 1.5, "--loss",
                     *loss)
    assert np.array_equal(weights(est.model_), expected)
    # In the units of y: the bounds -3 and 4 are -1 and 1 inside.
    assert np.allclose(est.coef_, expected[:-1] * train.scale * 3.5)
    assert np.isclose(est.intercept_, (expected[-1] * train.scale + train.offset[0]) * 3.5 + 0.5)
    assert np.allclose(est.predict(X), X @ est.coef_ + est.intercept_)


def test_counts(train, numbers):
    X, y = numbers
    y = np.random.default_rng(0).poisson(np.exp(y / 2))
    est = tacit.PoissonRegressor(1.0, bounds=(0, 30), random_state=7).fit(X, y)
    expected = train(X, y, "--epsilon", 1, "--labels", "0,30", "--loss", "poisson")
    assert np.allclose(np.append(est.coef_, est.intercept_ - train.offset), expected * train.scale)


def test_a_stream_is_standard_input(train, binary):
    X, y = binary
    expected = train(X, y, "--epsilon", 1, "--rows", len(X), stdin=True)
    est = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=7, rows=len(X))
    for part in np.array_split(np.arange(len(X)), 7):
        assert not hasattr(est, "coef_")
        est.partial_fit(X[part], y[part])
    assert np.array_equal(weights(est.model_), expected)
    assert "order" in est.privacy_ and "permutation" not in est.privacy_["order"]


def test_the_program_reads_the_model(program, binary, tmp_path):
    X, y = binary
    est = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=7,
                                   options={"format": "libsvm"}).fit(X, y)
    est.model_.save(tmp_path / "model.json")
    write(tmp_path / "rows.svm", X[:50], y[:50])
    said = subprocess.run([program, "predict", tmp_path / "model.json", tmp_path / "rows.svm"],
                          check=True, capture_output=True, text=True).stdout.splitlines()
    numbers = [float(line.split(",")[-1]) for line in said if not line[:1].isalpha()]
    assert len(numbers) == 50
    assert np.allclose(numbers, est.predict_proba(X[:50])[:, 1])


def test_the_package_reads_models_of_the_program(train, binary, tmp_path):
    X, y = binary
    train(X, y, "--epsilon", 1)
    model = tacit.load_model(tmp_path / "model.json")
    margins = np.empty((len(X), 1))
    model.margins((X, None), margins)
    assert np.mean((margins[:, 0] > 0) == y) > 0.9
    assert model.features == X.shape[1] and model.loss == "logistic" and model.has_bias
    with pytest.raises(tacit.DataError, match="larger than 1024 bytes; raise .*max-model"):
        tacit.load_model(tmp_path / "model.json", 1024)
