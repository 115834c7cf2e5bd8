# SPDX-License-Identifier: MIT
"""What the estimators learn on enough rows, and how they work with scikit-learn."""
import copy
import json
import pathlib
import pickle
import warnings

import numpy as np
import pytest
import tacit
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

CLASSIFIERS = [tacit.LogisticRegression, tacit.LinearSVC]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_two_classes(binary, cls):
    X, y = binary
    est = cls(10.0, classes=["no", "yes"]).fit(X, np.where(y, "yes", "no"))
    assert est.score(X, np.where(y, "yes", "no")) > 0.85
    assert est.coef_.shape == (1, 6) and est.intercept_.shape == (1,)
    assert est.privacy_["private"] is True and est.privacy_["epsilon"] == 10.0
    assert est.privacy_["rows"] == len(X) and "PRIVATE" in str(est.privacy_)
    assert np.array_equal(est.predict(X) == "yes", est.decision_function(X) > 0)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_the_second_class_is_the_positive_one(binary, cls):
    X, y = binary
    one = cls(1.0, classes=[0, 1], random_state=0).fit(X, y)
    other = cls(1.0, classes=[1, 0], random_state=0).fit(X, y)
    assert list(other.classes_) == [1, 0]
    assert other.score(X, y) > 0.9 and one.score(X, y) > 0.9
    assert np.mean(np.sign(one.decision_function(X)) == -np.sign(other.decision_function(X))) > 0.9


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_ten_classes(cls):
    X, y = load_digits(return_X_y=True)
    est = cls(30.0, classes=range(10), passes=16, random_state=0).fit(X / 16, y)
    assert est.coef_.shape == (10, 64)
    assert est.score(X / 16, y) > 0.8


def test_probabilities(binary):
    X, y = binary
    est = tacit.LogisticRegression(1.0, classes=[0, 1]).fit(X, y)
    p = est.predict_proba(X)
    assert np.allclose(p.sum(axis=1), 1)
    assert np.allclose(p[:, 1], 1 / (1 + np.exp(-est.decision_function(X))))


@pytest.mark.parametrize("est, score", [
    (tacit.LinearRegression(), 0.9),
    (tacit.Ridge(alpha=1.0), 0.9),
    (tacit.HuberRegressor(), 0.9),
    (tacit.QuantileRegressor(smoothing=0.5), 0.8),
])
def test_numbers(numbers, est, score):
    X, y = numbers
    est.set_params(epsilon=3.0, bounds=(-3, 4), data_norm=1.5, passes=4, random_state=1)
    assert est.fit(X, y).score(X, y) > score


def test_a_quantile_has_its_share_below(numbers):
    X, y = numbers
    for quantile, low, high in ((0.1, 0, 0.3), (0.9, 0.7, 1)):
        est = tacit.QuantileRegressor(100.0, quantile=quantile, bounds=(-3, 4), data_norm=1.5,
                                      passes=8, random_state=1).fit(X, y)
        assert low <= np.mean(y < est.predict(X)) <= high


def test_counts(numbers):
    X, _ = numbers
    rate = np.exp(X @ [1.0, -1.0, 0.5, 0.0])
    y = np.random.default_rng(3).poisson(rate)
    # At epsilon 1.0 half of all seeds score less; at 8.0 none of sixty is below 0.97.
    est = tacit.PoissonRegressor(8.0, bounds=(0, 20), data_norm=1.5, random_state=1).fit(X, y)
    assert np.corrcoef(est.predict(X), rate)[0, 1] > 0.95
    assert np.allclose(est.predict(X), np.exp(X @ est.coef_ + est.intercept_))


def test_noise_is_fresh_unless_seeded(binary):
    X, y = binary
    new = tacit.LogisticRegression(1.0, classes=[0, 1])
    assert not np.array_equal(clone(new).fit(X, y).coef_, clone(new).fit(X, y).coef_)
    new.set_params(random_state=3)
    assert np.array_equal(clone(new).fit(X, y).coef_, clone(new).fit(X, y).coef_)
    est = new.fit(X, y)
    assert est.privacy_["private"] is False and not est.model_.is_private
    a = clone(new).set_params(random_state=np.random.RandomState(1)).fit(X, y).coef_
    b = clone(new).set_params(random_state=np.random.default_rng(1)).fit(X, y).coef_
    assert not np.array_equal(a, b)


def test_the_start_of_a_model_is_charged(binary):
    X, y = binary
    first = tacit.LogisticRegression(1.0, classes=[0, 1]).fit(X, y)
    second = tacit.LogisticRegression(1.0, classes=[0, 1], init=first.model_).fit(X, y)
    assert 1.0 < second.privacy_["epsilon"] < 2.0
    assert clone(second).init is first.model_
    public = tacit.LogisticRegression(1.0, classes=[0, 1], init=first.model_, init_public=True)
    assert public.fit(X, y).privacy_["epsilon"] == 1.0
    with pytest.raises(tacit.ArgumentError, match="model_"):
        tacit.LogisticRegression(1.0, classes=[0, 1], init=first).fit(X, y)


@pytest.mark.parametrize("cls", CLASSIFIERS + [tacit.LinearRegression, tacit.PoissonRegressor])
def test_pickle_and_json(binary, cls):
    X, y = binary
    est = cls(1.0, on_leak="ignore", random_state=1).fit(X, y)
    for copied in (pickle.loads(pickle.dumps(est)), copy.deepcopy(est),
                   tacit.from_json(est.to_json())):
        assert np.array_equal(copied.predict(X), est.predict(X))
        assert np.array_equal(copied.coef_, est.coef_)
        assert copied.privacy_ == est.privacy_ and str(copied.privacy_) == str(est.privacy_)
        assert copied.n_features_in_ == 6 and copied.n_iter_ == 8
    assert est.get_params().get("C", np.inf) == np.inf  # which JSON does not have
    facts = json.loads(est.to_json(), parse_constant=pytest.fail)
    assert facts["model"]["format"] == "tacit-model"
    for broken in ("{}", "[]", "no", est.to_json().replace("tacit-model", "x")):
        with pytest.raises(tacit.DataError):
            tacit.from_json(broken)


def read(name, estimator, **facts):
    model = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus" / "model" / name
    return tacit.from_json(json.dumps({
        "format": "tacit-estimator", "format_version": 1, "estimator": estimator, "params": {},
        "classes": None, "feature_names": None, "model": json.loads(model.read_text()), **facts}))


def test_coefficients_of_a_model_with_an_offset_and_a_row_scale():
    X = np.random.default_rng(2).normal(size=(50, 3))
    est = read("offset.json", "LogisticRegression", classes=[0, 1])
    assert (np.linalg.norm(X, axis=1) ** 2 + 1 <= 4**2).all()  # no row is rescaled
    assert est.intercept_[0] == 0.25 - 0.7
    assert np.allclose(est.decision_function(X), X @ est.coef_[0] + est.intercept_)
    est = read("row-scale.json", "LinearRegression")
    assert np.allclose(est.coef_, 0.125 * np.array([0.5, -1.25, 2.0]) * 6)
    assert np.allclose(est.predict(100 * X), 100 * X @ est.coef_ + est.intercept_)
    assert json.loads(est.to_json())["model"]["row_scale"] == 0.125


def test_pipeline_and_scaler():
    rng = np.random.default_rng(0)
    X = rng.normal(50, 20, size=(5000, 3))
    y = X[:, 0] > X[:, 1]
    pipe = make_pipeline(tacit.BoundsScaler(0, 100),
                         tacit.LogisticRegression(1.0, classes=[False, True], data_norm=2.0,
                                                  random_state=0))
    assert pipe.fit(X, y).score(X, y) > 0.9
    scaled = tacit.BoundsScaler([0, 0, 0], [100, 50, 25]).fit_transform([[0, 75, 12.5], [50, 0, 25]])
    assert np.array_equal(scaled, [[-1, 1, 0], [0, -1, 1]])
    with pytest.raises(tacit.ArgumentError, match="below"):
        tacit.BoundsScaler(1, 1).fit(X)


def test_searches(binary):
    X, y = binary
    est = tacit.LogisticRegression(1.0, classes=[0, 1])
    with pytest.warns(tacit.PrivacyWarning, match="spends its own epsilon"):
        search = GridSearchCV(est, {"C": [0.1, np.inf]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.6
    keeper = tacit.BudgetAccountant()
    with warnings.catch_warnings():
        warnings.simplefilter("error", tacit.PrivacyWarning)
        GridSearchCV(est.set_params(accountant=keeper), {"C": [0.1, np.inf]}, cv=2).fit(X, y)
        est.fit(X, y)
    assert len(keeper) == 2 * 2 + 1 + 1
    # Other processes could not count: they refuse.
    with pytest.raises(ValueError, match="fits failed"):
        cross_val_score(est, X, y, cv=2, n_jobs=2, error_score=np.nan)
    assert len(keeper) == 6


def test_progress(binary):
    X, y = binary
    seen = []
    tacit.LogisticRegression(1.0, classes=[0, 1], passes=2).fit(
        X, y, progress=lambda *facts: seen.append(facts))
    rounds = [facts[0] for facts in seen]
    assert rounds == sorted(rounds) and rounds[-1] == seen[-1][1] == 32
    # The mean is one more reading.
    assert seen[-1][2:6] == (3 * len(X), 3 * len(X), 2, 2)


def test_data_frames(binary):
    pandas = pytest.importorskip("pandas")
    X, y = binary
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    est = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=7).fit(frame, pandas.Series(y))
    assert list(est.feature_names_in_) == list("abcdef")
    assert np.array_equal(est.coef_, clone(est).fit(X, y).coef_)
    with pytest.raises(ValueError, match="feature names"):
        est.fit(frame, y).predict(frame[list("fedcba")])
    low = dict.fromkeys("abcdef", -1.0)
    assert tacit.BoundsScaler(low, dict.fromkeys("abcdef", 1.0)).fit(frame).low_.shape == (6,)


def test_not_fitted(binary):
    for name in ("predict", "predict_proba", "decision_function", "to_json"):
        args = () if name == "to_json" else (binary[0],)
        with pytest.raises(NotFittedError):
            getattr(tacit.LogisticRegression(), name)(*args)


def test_edited_models_are_refused(binary, tmp_path):
    X, y = binary
    est = tacit.LogisticRegression(1.0, classes=[0, 1], options={"preset": "anytime"}).fit(X, y)
    path = tmp_path / "m.json"
    est.model_.save(path)
    text = path.read_text()
    assert est.privacy_["digest"] in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tacit.load_model(path)
    path.write_text(text.replace('"epsilon": 1.0', '"epsilon": 0.5'))
    with pytest.raises(tacit.DataError, match="digest does not fit"):
        tacit.load_model(path)
    with pytest.raises(tacit.DataError, match="digest does not fit"):
        tacit.from_json(est.to_json().replace('"epsilon": 1.0', '"epsilon": 0.5'))

    facts = json.loads(text)
    del facts["statement"]["digest"]
    path.write_text(json.dumps(facts))
    with pytest.raises(tacit.DataError, match="have a digest"):
        tacit.load_model(path)
    facts["format_version"] = 1  # as 0.1.0 wrote it
    path.write_text(json.dumps(facts))
    with pytest.warns(UserWarning, match="no digest"):
        tacit.load_model(path)
