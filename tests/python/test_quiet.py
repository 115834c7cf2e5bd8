# SPDX-License-Identifier: MIT
"""No exception and no warning quotes a record; conversions name the column."""
import traceback
import warnings

import arrow_maker
import numpy as np
import pytest
import scipy.sparse as sp
import tacit

MARK, SECRET = "John Q. Public", 31415.9265
N, D = 60, 3
X0 = np.random.default_rng(0).normal(size=(N, D))
Y0 = (X0[:, 0] > 0).astype(int)
ROW, COLUMN = 17, 1  # where the mark is put


def all_texts(error):
    """All text of an exception: the chain as printed, and hidden causes and contexts."""
    texts = traceback.format_exception(error)
    chain, seen = [error], set()
    while chain:
        link = chain.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        texts += [str(link), repr(link.args), repr(vars(link)), *getattr(link, "__notes__", [])]
        chain += [link.__cause__, link.__context__]
    return "\n".join(texts)


def outcome(call):
    """The exception of the call, or None. No text of it may contain the mark."""
    error = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            call()
        except (ValueError, TypeError) as caught:
            error = caught
    texts = "\n".join(str(w.message) for w in said)
    if error is not None:
        texts += all_texts(error)
    assert "John" not in texts and "31415" not in texts, texts
    return error


def refused(call, *words):
    error = outcome(call)
    assert isinstance(error, tacit.DataError)
    for word in words:
        assert word in str(error)


def objects(value):
    X = X0.astype(object)
    X[ROW, COLUMN] = value
    return X


def frames():
    """DataFrames with the mark in the column 'name', by kind of column."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X0, columns=["age", "name", "dose"])
    text = ["1.5"] * N
    text[ROW] = MARK
    for kind in ("object", "string", "category"):
        yield kind, frame.assign(name=pandas.Series(text).astype(kind))
    yield "mixed", frame.assign(name=pandas.Series(objects(MARK)[:, COLUMN]),
                                age=pandas.date_range("1970-01-01", periods=N))
    yield "all text", frame.astype(str).assign(name=text)
    yield "a number by name", frame.assign(name=pandas.Series(text).replace("1.5", 2))


def kinds(value=MARK):
    yield "objects", objects(value)
    yield "list", objects(value).tolist()
    yield "text", objects(value).astype(str)


def estimators():
    return [tacit.LogisticRegression(1.0, classes=[0, 1]), tacit.LinearRegression(1.0, bounds=(0, 1))]


PLACE = f"row {ROW + 1}, column {COLUMN + 1}"


@pytest.mark.parametrize("method", ["fit", "partial_fit", "predict", "score"])
@pytest.mark.parametrize("est", estimators(), ids=lambda est: type(est).__name__)
def test_features(est, method):
    def call(X):
        fitted = est.fit(X0, Y0) if method in ("predict", "score") else est
        getattr(fitted, method)(*((X,) if method == "predict" else (X, Y0)))

    for _, X in kinds():
        refused(lambda X=X: call(X), PLACE)
    refused(lambda: call(objects({MARK: 1})), PLACE)
    refused(lambda: call(objects([MARK, MARK])))
    refused(lambda: call(np.array([MARK] * N, dtype=object)))
    refused(lambda: call(np.full(N, SECRET)), "Reshape your data")
    refused(lambda: call(np.full((N, D), SECRET + 1j)), "Complex data not supported")
    refused(lambda: call(MARK))
    refused(lambda: call(np.array(MARK, dtype=object)))
    refused(lambda: call([[MARK] * 2, [MARK] * 3]))


@pytest.mark.parametrize("method", ["fit", "predict", "score"])
def test_frames_name_the_column(method):
    est = tacit.LogisticRegression(1.0, classes=[0, 1])
    for kind, frame in frames():
        def call(frame=frame):
            if method == "fit":
                return est.fit(frame, Y0)
            good = frame.assign(age=X0[:, 0], name=X0[:, 1], dose=X0[:, 2])
            return getattr(est.fit(good, Y0), method)(*((frame, Y0)[: 1 + (method == "score")]))
        words = () if kind == "mixed" else (f"row {ROW + 1}, column 'name'",)
        refused(call, *words)


def test_times_name_the_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X0, columns=["age", "born", "dose"])
    frame["born"] = pandas.date_range("1970-01-01", periods=N)
    est = tacit.LogisticRegression(1.0, classes=[0, 1])
    refused(lambda: est.fit(frame, Y0), "column 'born'")


@pytest.mark.parametrize("declared", [[0, 1], ["a", "b"], [0, 1, 2], ["a", "b", "c"]])
def test_labels(declared):
    est = tacit.LogisticRegression(1.0, classes=declared)
    good = np.array([declared[i % len(declared)] for i in range(N)])
    marked = good.astype(object)
    marked[ROW] = MARK
    pandas = pytest.importorskip("pandas")
    for y in (marked, marked.tolist(), marked.astype(str), pandas.Series(marked),
              pandas.Series(marked).astype(str).astype("category"), marked[:, None],
              [[MARK]] * N, [{MARK}] * N, MARK, np.array(MARK)):
        refused(lambda y=y: est.fit(X0, y))
        refused(lambda y=y: tacit.LogisticRegression(1.0, classes=declared).partial_fit(X0, y))
        trainer = tacit.Trainer(rows=N, features=D, epsilon=1.0, classes=declared, batch=N)
        refused(lambda y=y: trainer.delta(X0, y))
    refused(lambda: tacit.LogisticRegression(1.0, on_leak="ignore").fit(X0, [MARK] * N))
    refused(lambda: est.fit(X0, np.full(N, SECRET)))
    # scikit-learn decides whether classes of other types are an error.
    est = tacit.LogisticRegression(1.0, classes=[0, 1]).fit(X0, Y0)
    outcome(lambda: est.score(X0, marked))
    outcome(lambda: est.score(X0, marked.astype(str)))
    outcome(lambda: est.score(X0, [[MARK]] * N))


def test_labels_that_are_numbers():
    marked = Y0.astype(object)
    marked[ROW] = MARK
    for y in (marked, marked.tolist(), marked.astype(str)):
        est = tacit.LinearRegression(1.0, bounds=(0, 1))
        refused(lambda y=y: est.fit(X0, y), f"row {ROW + 1}, y")
        refused(lambda y=y: est.partial_fit(X0, y), f"row {ROW + 1}, y")
        refused(lambda y=y: est.fit(X0, Y0).score(X0, y), f"row {ROW + 1}, y")
        refused(lambda y=y: est.fit(X0, Y0).score(X0, Y0, sample_weight=y))
        trainer = tacit.Trainer(rows=N, features=D, epsilon=1.0, bounds=(0, 1), loss="squared", batch=N)
        refused(lambda y=y: trainer.delta(X0, y), f"row {ROW + 1}, y")
    est = tacit.LogisticRegression(1.0, classes=[0, 1]).fit(X0, Y0)
    refused(lambda: est.score(X0, Y0, sample_weight=marked))


def test_trainers_and_workers():
    trainer = tacit.Trainer(rows=N, features=D, epsilon=1.0, classes=[0, 1], batch=N)
    worker = tacit.Worker(**trainer.worker_settings)
    for _, X in kinds():
        refused(lambda X=X: trainer.delta(X, Y0), PLACE)
        refused(lambda X=X: worker.delta(trainer.ask(), X, Y0), PLACE)
        refused(lambda X=X: worker.digest(bytes(32), X, Y0, np.arange(N)), PLACE)
    for _, frame in frames():
        refused(lambda frame=frame: trainer.delta(frame, Y0))


def test_scalers():
    scaler = tacit.BoundsScaler()
    for _, X in kinds():
        refused(lambda X=X: scaler.fit(X), PLACE)
        refused(lambda X=X: scaler.fit(X0).transform(X), PLACE)
    for _, frame in frames():
        refused(lambda frame=frame: scaler.fit(frame))


def test_sparse():
    est = tacit.LogisticRegression(1.0, classes=[0, 1])
    matrix = sp.csr_matrix(X0)
    matrix.data = matrix.data.astype(object)
    matrix.data[5] = MARK
    refused(lambda: est.fit(matrix, Y0))


class Table:
    def __init__(self, columns, fails=False):
        self.columns, self.fails = columns, fails

    def __len__(self):
        return N

    def __arrow_c_stream__(self, requested_schema=None):
        return arrow_maker.stream(self.columns, parts=1 + self.fails, fails=self.fails)


def columns(**other):
    return {"a": X0[:, 0], "b": X0[:, 1], "y": Y0, **other}


class Raises:
    """A lazy table whose query fails over a record."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise RuntimeError(f"Conversion Error: could not convert string '{MARK}' to DOUBLE")


def test_arrow():
    text = arrow_maker.Text([MARK] * N, "u")
    broken = arrow_maker.Text([MARK + "\udcff"] * N, "u")  # not UTF-8
    new = tacit.LogisticRegression
    for rows in (None, N):
        est = new(1.0, classes=[0, 1], rows=rows)
        refused(lambda est=est: est.fit(Table(columns(t=text)), "y"), "column 't'")
        refused(lambda est=est: est.fit(Table(columns(y=text)), "y"))
        refused(lambda est=est: est.fit(Table(columns(y=broken)), "y"))
        refused(lambda est=est: est.fit(Raises(), "y"))
        words = new(1.0, classes=["a", "b"], rows=rows)
        refused(lambda words=words: words.fit(Table(columns(y=text)), "y"), "row 1")
        numbers = tacit.LinearRegression(1.0, bounds=(0, 1), rows=rows)
        refused(lambda numbers=numbers: numbers.fit(Table(columns(y=text)), "y"), "row 1, y")
    est = new(1.0, classes=[0, 1]).fit(Table(columns()), "y")
    refused(lambda: est.predict(Table(columns(a=text))), "column 'a'")
    refused(lambda: est.predict(Raises()))
    fails = Table(columns(), fails=True)
    with pytest.raises(tacit.FileError) as caught:
        new(1.0, classes=[0, 1]).fit(fails, "y")
    assert "disk on fire" not in all_texts(caught.value)  # the words of the producer


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_libraries(library):
    module = pytest.importorskip(library)
    make = module.DataFrame if library == "polars" else module.table
    est = tacit.LogisticRegression(1.0, classes=[0, 1])
    refused(lambda: est.fit(make({"a": X0[:, 0], "name": [MARK] * N, "y": Y0}), "y"), "'name'")
    refused(lambda: est.fit(make({"a": X0[:, 0], "y": [MARK] * N}), "y"))
    refused(lambda: est.fit(X0, make({"y": [MARK] * N})["y"]))


def test_a_caller_s_own_exception_stays():
    # Called from a handler, the fault has the handler's exception as context and no other.
    try:
        raise KeyError("mine")
    except KeyError as mine:
        with pytest.raises(tacit.DataError) as caught:
            tacit.LogisticRegression(1.0, classes=[0, 1]).fit(objects(MARK), Y0)
        assert caught.value.__context__ is mine and MARK not in all_texts(caught.value)
