# SPDX-License-Identifier: MIT
"""Wrong arguments and data: a clear exception, and no half-fitted estimator."""
import json
import os
import pickle
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
import tacit
from sklearn.base import clone


def unsorted(X):
    csr = sp.csr_matrix(X)
    start, end = csr.indptr[5], csr.indptr[6]
    csr.indices[start:end] = csr.indices[start:end][::-1].copy()
    return csr


def spoilt(X, value):
    X = X.copy()
    X[17, 2] = value
    return X


def fitted(est):
    return [k for k in vars(est) if k.endswith("_")] + ["_stream"] * ("_stream" in vars(est))


X0 = np.random.default_rng(0).normal(size=(300, 4))
Y0 = (X0[:, 0] > 0).astype(int)

# name: (changed parameters, X, y, exception, words of its message)
CASES = {
    "epsilon missing": ({"epsilon": None}, X0, Y0, tacit.ArgumentError, "epsilon must be set"),
    "epsilon negative": ({"epsilon": -1.0}, X0, Y0, tacit.ArgumentError, "epsilon"),
    "epsilon text": ({"epsilon": "1"}, X0, Y0, tacit.ArgumentError, "write epsilon=1"),
    "delta too large": ({"delta": 0.7}, X0, Y0, tacit.ArgumentError, "delta"),
    "adjacency unknown": ({"adjacency": "both"}, X0, Y0, ValueError, "adjacency"),
    "learner unknown": ({"learner": "sgdd"}, X0, Y0, tacit.ArgumentError, "sgdd"),
    "option unknown": ({"options": {"foo": 1}}, X0, Y0, TypeError, "no setting is called 'foo'"),
    "passes 10^7": ({"passes": 10**7}, X0, Y0, ValueError, "passes"),
    "norm 0": ({"data_norm": 0}, X0, Y0, tacit.ArgumentError, "row-norm"),
    "on_leak unknown": ({"on_leak": "x"}, X0, Y0, tacit.ArgumentError, "on_leak"),
    "classes missing": ({"classes": None}, X0, Y0, tacit.PrivacyLeakError, "declare classes"),
    "norm missing": ({"data_norm": None}, X0, Y0, tacit.PrivacyLeakError, "data_norm"),
    "one class": ({"classes": [1]}, X0, Y0, tacit.ArgumentError, "at least 2"),
    "class twice": ({"classes": [1, 1]}, X0, Y0, tacit.ArgumentError, "twice"),
    "class unknown": ({"classes": [0, 2]}, X0, Y0, tacit.DataError, "not among the declared"),
    "classes of text": ({"classes": ["a", "b", "c"]}, X0, Y0, tacit.DataError, "type|among"),
    "C wrong": ({"C": -1.0}, X0, Y0, tacit.ArgumentError, "C must be"),
    "random_state wrong": ({"random_state": "x"}, X0, Y0, tacit.ArgumentError, "random_state"),
    "one dimension": ({}, X0[0], Y0, ValueError, "2D"),
    "three dimensions": ({}, X0[None], Y0, ValueError, "dim"),
    "lengths differ": ({}, X0[:-1], Y0, ValueError, "inconsistent"),
    "no rows": ({}, X0[:0], Y0[:0], ValueError, "minimum"),
    "y missing": ({}, X0, None, ValueError, "requires y"),
    "NaN": ({}, spoilt(X0, np.nan), Y0, tacit.DataError, "row 18, column 3: NaN"),
    "infinity": ({}, spoilt(X0, -np.inf), Y0, tacit.DataError, "row 18, column 3: NaN or inf"),
    "NaN in CSR": ({}, sp.csr_matrix(spoilt(X0, np.nan)), Y0, tacit.DataError, "row 18, column 3"),
    "object dtype": ({}, np.full((300, 4), "a", object), Y0, ValueError, "convert"),
    "complex": ({}, X0.astype(complex), Y0, ValueError, "[Cc]omplex"),
    "unsorted CSR": ({}, unsorted(X0), Y0, tacit.DataError, "row 6: column indices must ascend"),
    "rows differ": ({"rows": 299}, X0, Y0, tacit.DataError, "299 rows were declared"),
    "y continuous": ({"classes": None, "on_leak": "ignore"}, X0, X0[:, 0], ValueError, "label type"),
    "init is no model": ({"init": "/nonexistent/model"}, X0, Y0, tacit.FileError, "model"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case):
    params, X, y, exception, words = CASES[case]
    est = tacit.LogisticRegression(**{"epsilon": 1.0, "classes": [0, 1], **params})
    with pytest.raises(exception, match=words):
        est.fit(X, y)
    assert fitted(est) == []


@pytest.mark.parametrize("params, y, exception, words", [
    ({}, X0[:, 0], tacit.PrivacyLeakError, "declare bounds"),
    ({"bounds": (1, 1)}, X0[:, 0], tacit.ArgumentError, "min < max"),
    ({"bounds": 3}, X0[:, 0], tacit.ArgumentError, "min, max"),
    ({"bounds": (0, np.inf)}, X0[:, 0], tacit.ArgumentError, "finite"),
    ({"bounds": (0, 1)}, spoilt(X0, np.nan)[:, 2], ValueError, "NaN"),
])
@pytest.mark.parametrize("cls", [tacit.LinearRegression, tacit.PoissonRegressor])
def test_numbers_refused(cls, params, y, exception, words):
    est = cls(1.0, **params)
    with pytest.raises(exception, match=words):
        est.fit(X0, y)
    assert fitted(est) == []


LEAKS = [
    (tacit.LogisticRegression, {}, "classes"),
    (tacit.LinearSVC, {"data_norm": None}, "classes, row_norm"),
    (tacit.LogisticRegression, {"classes": [0, 1], "data_norm": None}, "row_norm"),
    (tacit.LinearRegression, {}, "bounds"),
    (tacit.PoissonRegressor, {"data_norm": None}, "bounds, row_norm"),
]


@pytest.mark.parametrize("fit", ["fit", "partial_fit"])
@pytest.mark.parametrize("cls, params, names", LEAKS)
def test_a_model_with_leaks_is_not_private(tmp_path, cls, params, names, fit):
    est = cls(1.0, on_leak="ignore", **params)
    getattr(est, fit)(X0, Y0)
    reason = f"settings were taken from the records: {names}"
    est.model_.save(tmp_path / "model.json")
    kept = tacit.load_model(tmp_path / "model.json")
    thawed = pickle.loads(pickle.dumps(est))
    for model in (est.model_, kept, thawed.model_, tacit.from_json(est.to_json()).model_):
        assert not model.is_private
        assert model.statement_text.startswith("NOT PRIVATE") and reason in model.statement_text
        statement = json.loads(model.statement_json)
        assert statement["private"] is False and statement["reasons"] == [reason]
    assert est.privacy_["private"] is False and reason in str(est.privacy_)
    declared = {"bounds": (0, 1)} if "bounds" in names else {"classes": [0, 1]}
    est = cls(1.0, on_leak="ignore", **declared)
    assert getattr(est, fit)(X0, Y0).privacy_["private"] is True


def test_leaked_classes_are_not_declared_by_storing_them():
    est = tacit.LogisticRegression(1.0, on_leak="ignore").fit(X0, Y0)
    again = tacit.from_json(est.to_json())
    assert again.predict(X0).tolist() == est.predict(X0).tolist()
    assert again.fit(X0, Y0).privacy_["private"] is False
    with pytest.raises(tacit.PrivacyLeakError):
        again.set_params(on_leak="raise").fit(X0, Y0)


def test_leaks_warn():
    with pytest.warns(tacit.PrivacyLeakWarning, match="classes") as caught:
        tacit.LogisticRegression(1.0, on_leak="warn").fit(X0, Y0)
    assert caught[0].filename == __file__
    with pytest.warns(tacit.PrivacyLeakWarning, match="data_norm"):
        tacit.LogisticRegression(1.0, on_leak="warn", classes=[0, 1], data_norm=None).fit(X0, Y0)


def test_prediction_refused():
    est = tacit.LogisticRegression(1.0, classes=[0, 1]).fit(X0, Y0)
    with pytest.raises(tacit.DataError, match="row 18, column 3"):
        est.predict(spoilt(X0, np.nan))
    with pytest.raises(tacit.DataError, match="ascend"):
        est.predict(unsorted(X0))
    with pytest.raises(ValueError, match="4 features"):
        est.predict(X0[:, :3])


def test_a_failed_fit_after_a_good_one():
    est = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=1).fit(X0, Y0)
    kept = est.coef_
    with pytest.raises(tacit.DataError):
        est.fit(X0, Y0 + 1)  # found before a row is read: the model stays
    assert est.coef_ is kept and est.predict(X0).shape == (300,)
    with pytest.raises(tacit.DataError):
        est.fit(spoilt(X0, np.nan), Y0)  # found while training: no model
    assert fitted(est) == []


def test_streams_refused():
    est = tacit.LogisticRegression(1.0, classes=[0, 1], rows=300)
    est.partial_fit(X0[:100], Y0[:100])
    with pytest.raises(tacit.StateError, match="half-read"):
        pickle.dumps(est)
    assert "_stream" not in vars(clone(est))
    with pytest.raises(ValueError, match="features"):
        est.partial_fit(X0[:100, :2], Y0[:100])
    assert fitted(est) == []  # a stream with a fault is over
    est.partial_fit(X0[:200], Y0[:200])
    with pytest.raises(tacit.DataError, match="more rows than the 300 declared"):
        est.partial_fit(X0[:200], Y0[:200])
    assert fitted(est) == []
    est.partial_fit(X0, Y0)
    with pytest.raises(tacit.StateError, match="complete"):
        est.partial_fit(X0, Y0)
    with pytest.raises(tacit.ArgumentError, match="passes"):
        tacit.LogisticRegression(1.0, classes=[0, 1], passes=2).partial_fit(X0, Y0)


class Stop(Exception):
    pass


def test_a_callback_can_stop():
    def stop(*facts):
        raise Stop

    est = tacit.LogisticRegression(1.0, classes=[0, 1])
    with pytest.raises(Stop):
        est.fit(X0, Y0, progress=stop)
    assert fitted(est) == []


def test_control_c():
    # A run that would take many minutes; the signal ends it.
    est = tacit.LogisticRegression(1.0, classes=[0, 1], passes=30000)
    begun = threading.Event()

    def interrupt():
        begun.wait(30)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        est.fit(np.tile(X0, (300, 1)), np.tile(Y0, 300), progress=lambda *facts: begun.set())
    thread.join()
    assert fitted(est) == []


def test_the_gil_is_free_while_training():
    est = tacit.LogisticRegression(1.0, classes=[0, 1], passes=30000)
    ticks = []

    def count():
        while len(ticks) < 100:
            ticks.append(0)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=count)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        est.fit(np.tile(X0, (300, 1)), np.tile(Y0, 300))
    thread.join()
    assert len(ticks) == 100


def test_the_exceptions_are_the_statuses():
    for name, status, builtin in [
        ("ArgumentError", 1, ValueError), ("OutOfMemoryError", 2, MemoryError),
        ("FileError", 3, OSError), ("DataError", 4, ValueError), ("BudgetError", 5, ValueError),
        ("PrivacyError", 6, ValueError), ("StoppedError", 7, RuntimeError),
        ("RandomnessError", 8, OSError), ("StateError", 9, RuntimeError),
    ]:
        error = getattr(tacit, name)
        assert issubclass(error, tacit.TacitError) and issubclass(error, builtin)
        assert error.status == status and error.status_name.startswith("TACIT_E")
        assert error.__doc__
    assert issubclass(tacit.PrivacyLeakError, tacit.PrivacyError)
    with pytest.raises(tacit.FileError, match="/nonexistent"):
        tacit.load_model("/nonexistent")


def test_raw_arguments_are_checked():
    from tacit import _core

    run = _core.Run({"rows": 10, "features": 2, "epsilon": 1.0, "delta": 1e-3})
    for rows in (None, (), (np.zeros((10, 2), int), np.ones(10)), (np.zeros(10), np.ones(10)),
                 (np.zeros((10, 2)), np.ones(9)), (np.zeros((10, 2)), np.ones(10, np.float32)),
                 (np.zeros(3), np.zeros(11), np.zeros(3, int), 2, np.ones(10)),
                 (np.zeros(3), np.zeros(0, int), np.zeros(3, int), 2, np.ones(10))):
        with pytest.raises((TypeError, ValueError)):
            run.feed(rows)
    with pytest.raises(TypeError):
        _core.Run(3)
    with pytest.raises(TypeError, match="features is missing"):
        _core.Run({"rows": 1})
    with pytest.raises(TypeError):
        _core.Model()
