# SPDX-License-Identifier: MIT
"""tacit.Stream: a model a day under one budget."""
import numpy as np
import pytest

import tacit

DAYS = 8


@pytest.fixture(name="days")
def fixture_days():
    draw = np.random.default_rng(4)
    days = []
    for day in range(DAYS):
        X = draw.normal(size=(0 if day == 4 else 30 + 5 * day, 3))
        days.append((X, np.where(X[:, 0] > X[:, 1], "yes", "no")))
    return days


@pytest.fixture(name="key")
def fixture_key(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(bytes(range(64)))
    path.chmod(0o600)
    return path


def begin(path=None, key_file=None, **more):
    options = {"horizon": DAYS, "batch_rows": 40, "epsilon": 8, "features": 3, "seed": 1, **more}
    if options["seed"] is None:
        del options["seed"]
    return tacit.Stream(path, key_file=key_file, classes=["no", "yes"], **options)


def test_a_file_a_day_gives_the_models_of_memory(days, key, tmp_path):
    whole = begin()
    models = [whole.feed(X, y, round=i + 1).json() for i, (X, y) in enumerate(days)]
    assert len(set(models)) == DAYS
    path = tmp_path / "s"
    begin(path, key)
    for i, (X, y) in enumerate(days):
        stream = tacit.Stream(path, key_file=key, classes=["no", "yes"])
        assert stream.feed(X, y, round=i + 1).json() == models[i]
        assert stream.feed(X, y, round=i + 1).json() == models[i]  # it can be repeated
        assert stream.status["round"] == i + 1
        del stream
    assert whole.statement["rounds"] == DAYS
    assert f"all models of all {DAYS} days together" in whole.statement["days"]


def test_the_model_learns(days):
    stream = begin(epsilon=500, horizon=60)
    draw = np.random.default_rng(1)
    for _ in range(60):
        X = draw.normal(size=(40, 3))
        model = stream.feed(X, np.where(X[:, 0] > X[:, 1], "yes", "no"))
    weights = np.frombuffer(model.weights)
    assert weights[0] > 1 and weights[1] < -1 and abs(weights[2]) < 0.2 * weights[0]


def test_other_rows_for_a_day_are_refused(days, key, tmp_path):
    stream = begin(tmp_path / "s", key)
    stream.feed(*days[0], round=1)
    with pytest.raises(tacit.PrivacyError, match="other rows"):
        stream.feed(*days[1], round=1)
    with pytest.raises(tacit.ArgumentError, match="round 2 is next"):
        stream.feed(*days[1], round=3)
    stream.feed(*days[1], round=3, skip=True)
    assert stream.status["round"] == 3
    stream.close()
    with pytest.raises(tacit.BudgetError, match="closed"):
        stream.feed(*days[2])


def test_bad_rows_cost_nothing(days):
    stream = begin()
    X, y = days[0]
    wrong = y.copy()
    wrong[3] = "perhaps"
    with pytest.raises(tacit.DataError) as caught:
        stream.feed(X, wrong)
    assert "perhaps" not in str(caught.value)
    holes = X.copy()
    holes[2, 1] = np.nan
    with pytest.raises(tacit.DataError):
        stream.feed(holes, y)
    assert stream.feed(X, y).json() == begin().feed(X, y).json()


def test_persons_take_part_once(days, key, tmp_path):
    stream = begin(tmp_path / "s", key, unit_once=True)
    X, y = days[0]
    ids = [f"p{i // 2}" for i in range(len(y))]
    stream.feed(X, y, groups=ids)
    assert stream.status["units"] == 15
    alone = stream.feed(X, y, groups=ids, round=2).json()
    assert stream.status["units"] == 30
    other = begin(tmp_path / "t", key, unit_once=True)
    other.feed(X, y, groups=ids)
    assert np.array_equal(np.frombuffer(other.feed(round=2).weights),
                          np.frombuffer(tacit._core.model_parse(alone).weights))
    with pytest.raises(tacit.ArgumentError, match="groups"):
        stream.feed(X, y)


def test_scores_are_of_the_model_before(days, key, tmp_path):
    path = tmp_path / "s"
    stream = begin(path, key, evaluate=0.2, epsilon=100)
    assert stream.score_ is None
    stream.feed(*days[0])
    first = stream.score_
    assert 0.3 < first["metrics"]["loss"]["value"] < 1.1  # a model of zeros: log 2 and noise
    for i in range(1, DAYS):
        stream.feed(*days[i], round=i + 1)
        assert (stream.score_ is None) == (len(days[i][1]) == 0)
    del stream
    again = tacit.Stream(path, key_file=key, classes=["no", "yes"])
    kept = again.score_
    again.feed(*days[DAYS - 1], round=DAYS)
    assert again.score_ == kept != first
    assert "0.2 of mu^2 is for scores" in again.statement["days"]


def test_open_accountants_are_charged_for_all_days(days, key, tmp_path):
    with tacit.BudgetAccountant(9, 1e-5) as keeper:
        stream = begin(seed=None)
        assert keeper.mu == pytest.approx(stream.statement["mu"])
        stream.feed(*days[0])
        assert len(keeper) == 1
        path = tmp_path / "s"
        with pytest.raises(tacit.BudgetError, match="would pass the ceiling"):
            begin(path, key, seed=None)
        with pytest.raises(tacit.BudgetError, match="the run protects persons"):
            begin(path, key, seed=None, unit_once=True)
        assert not path.exists() and not (tmp_path / "s.persons").exists()
        with pytest.raises(tacit.BudgetError, match="not private"):
            begin()
        assert len(keeper) == 1


def test_what_is_missing_is_said(days, key, tmp_path):
    for name in ("horizon", "batch_rows", "features"):
        with pytest.raises(tacit.ArgumentError, match=name):
            begin(**{name: None})
    path = tmp_path / "s"
    begin(path, key)
    with pytest.raises(tacit.ArgumentError, match="leave out horizon"):
        begin(path, key)
