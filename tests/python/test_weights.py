# SPDX-License-Identifier: MIT
"""Weights of rows and of classes."""
import numpy as np
import pytest
import tacit


def rare(n, seed):
    """A set with 12% positives that overlap with the negatives."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.12).astype(int)
    X = rng.normal(size=(n, 10))
    X[:, :3] += 0.5 * y[:, None]
    return X / 4, y


def recall(model, X, y):
    return float((model.predict(X)[y == 1] == 1).mean())


def fitted(X, y, sample_weight=None, **settings):
    return tacit.LogisticRegression(1.0, classes=[0, 1], random_state=1, **settings).fit(
        X, y, sample_weight=sample_weight)


def test_class_weights_find_the_rare_class():
    (X, y), (X_test, y_test) = rare(20_000, 1), rare(20_000, 2)
    plain = fitted(X, y)
    weighted = fitted(X, y, class_weight=("balanced", {0: 0.88, 1: 0.12}))
    assert recall(plain, X_test, y_test) < 0.1
    assert recall(weighted, X_test, y_test) > 0.5
    assert "weights" in weighted.privacy_ and "weights" not in plain.privacy_
    by_hand = fitted(X, y, class_weight={0: 0.12 / 0.88, 1: 1})
    assert np.allclose(weighted.coef_, by_hand.coef_, rtol=1e-6)


def test_weights_of_one_change_nothing():
    X, y = rare(2_000, 3)
    off = {"centre": "off"}  # round 0 releases the total of the weights, too, if there are any
    assert (fitted(X, y, **off).coef_ == fitted(X, y, np.ones(len(y)), **off).coef_).all()
    assert (fitted(X, y, **off).coef_ ==
            fitted(X, y, np.full(len(y), 8), max_weight=4, **off).coef_).all()
    weighted = fitted(X, y, np.where(y == 1, 4, 1), max_weight=4)
    assert (weighted.coef_ == fitted(X, y, class_weight={0: 1, 1: 4}).coef_).all()
    assert "other rows" in weighted.privacy_["weights"]


def test_weights_in_a_stream():
    X, y = rare(2_000, 4)
    weights = np.where(y == 1, 1.0, 0.25)
    stream = tacit.LogisticRegression(1.0, classes=[0, 1], random_state=1, rows=2_000)
    for part in np.array_split(np.arange(2_000), 3):
        stream.partial_fit(X[part], y[part], sample_weight=weights[part])
    whole = fitted(X, y, weights, options={"shuffle": False, "centre": "head"})
    assert (stream.coef_ == whole.coef_).all()


@pytest.mark.parametrize("weight", [np.nan, -1, np.inf])
def test_what_is_no_weight_is_refused_without_its_value(weight):
    X, y = rare(100, 5)
    weights = np.ones(100)
    weights[41] = weight
    with pytest.raises(tacit.DataError, match="row 42"):
        fitted(X, y, weights)


def test_what_must_be_declared():
    X, y = rare(100, 6)
    with pytest.raises(tacit.PrivacyLeakError, match="max_weight"):
        fitted(X, y, np.full(100, 2.0))
    with pytest.raises(tacit.PrivacyLeakError, match="rates"):
        fitted(X, y, class_weight="balanced")
    with pytest.raises(tacit.DataError, match="99 weights for 100 rows"):
        fitted(X, y, np.ones(99))
    for wrong in ({0: -1}, {2: 1}, ("balanced", {0: 1}), ("rates", {0: 1}), 3):
        with pytest.raises(tacit.ArgumentError):
            fitted(X, y, class_weight=wrong)


def test_score_is_weighted():
    X, y = rare(500, 7)
    model = fitted(X, y, class_weight={0: 0.2, 1: 1})
    weights = np.random.default_rng(8).random(500)
    right = model.predict(X) == y
    assert model.score(X, y, sample_weight=weights) == pytest.approx(np.average(right, weights=weights))
