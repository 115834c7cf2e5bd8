# SPDX-License-Identifier: MIT
"""Accountants that keep their count in a ledger, and private evaluation."""
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess

import numpy as np
import pytest
import tacit
import tacit.metrics
from joblib import Parallel, delayed, parallel_backend
from sklearn.model_selection import cross_val_score

PROGRAM = os.environ.get("TACIT_PROGRAM")
X = np.random.default_rng(0).normal(size=(2000, 3))
Y = X[:, 0] + np.random.default_rng(1).normal(size=2000) > 0


def new(**params):
    return tacit.LogisticRegression(**{"epsilon": 0.5, "delta": 1e-6, "classes": [False, True],
                                       "data_norm": 4.0, **params})


@pytest.fixture
def ledger(tmp_path):
    if not PROGRAM:
        pytest.skip("TACIT_PROGRAM names no program")
    path = str(tmp_path / "team.db")
    for name, unit in (("visits", "row"), ("people", "person")):
        subprocess.run([PROGRAM, "ledger", "init", path, "--dataset", name, "--epsilon", "1", "--delta", "1e-6",
                        "--unit", unit], check=True, capture_output=True)
    return path


def states(path):
    text = subprocess.run([PROGRAM, "ledger", "export", path], check=True, capture_output=True, text=True).stdout
    return [(entry["kind"], entry["state"]) for entry in json.loads(text)["datasets"][0]["entries"]]


def test_fits_and_evaluations_are_charged_to_the_ledger(ledger):
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    assert (keeper.epsilon, keeper.delta, keeper.adjacency, keeper.unit) == (1.0, 1e-6, "replace", "row")
    assert len(keeper) == 0 and keeper.mu == 0
    model = new(accountant=keeper).fit(X, Y)
    tacit.metrics.evaluate(model, X, Y, epsilon=0.5, delta=1e-6, accountant=keeper)
    assert states(ledger) == [("train", "committed"), ("eval", "committed")]
    left = keeper.remaining().epsilon
    assert 0.5 < left < 0.75 and 0.6 < keeper.total().epsilon <= 1
    with pytest.raises(tacit.BudgetError, match="at most epsilon"):
        new(accountant=keeper, epsilon=0.9).fit(X, Y)
    with keeper:
        new(epsilon=left).fit(X, Y)
    assert len(keeper) == 3


def test_persons_are_told_from_rows(ledger):
    people = tacit.BudgetAccountant(ledger=ledger, dataset="people")
    with pytest.raises(tacit.BudgetError, match="for persons"):
        new(accountant=people).fit(X, Y)
    new(accountant=people).fit(X, Y, groups=np.arange(2000) // 2)
    rows = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    with pytest.raises(tacit.BudgetError, match="for rows"):
        new(accountant=rows).fit(X, Y, groups=np.arange(2000) // 2)
    assert len(people) == 1 and len(rows) == 0


def test_a_ledger_and_an_accountant_have_one_rule(ledger):
    persons = np.arange(2000) // 2
    day = {"horizon": 5, "batch_rows": 50, "epsilon": 0.1, "features": 3}
    runs = {
        "sets": new().fit(X, Y).privacy_,
        "places": new().partial_fit(X, Y).privacy_,
        "persons": new().fit(X, Y, groups=persons).privacy_,
        "days": tacit.Stream(persons=True, **day).statement,
        "zero-out": new(adjacency="zero-out", epsilon=0.2).fit(X, Y).privacy_,
        "pure zero-out": new(adjacency="zero-out", epsilon=0.05, delta=0).fit(X, Y).privacy_,
        "init": new(init=new(epsilon=0.1).partial_fit(X, Y).model_, epsilon=0.1).fit(X, Y).privacy_,
        "seeded": new(random_state=1).fit(X, Y).privacy_,
    }
    taken = []
    for dataset, unit in (("visits", "row"), ("people", "person")):
        for name, statement in runs.items():
            path = f"{ledger}-{unit}-{name}"
            shutil.copy(ledger, path)
            costs = []
            for keeper in (tacit.BudgetAccountant(ledger=path, dataset=dataset),
                           tacit.BudgetAccountant(1.0, 1e-6, unit=unit, in_place=False)):
                try:
                    keeper.charge(statement)
                except tacit.BudgetError as error:
                    costs.append(str(error).replace("of this accountant", "of " + dataset))
                else:
                    costs.append(keeper.mu)
                    taken.append((dataset, name))
            same = costs[1] if isinstance(costs[1], str) else pytest.approx(costs[1], rel=1e-9)
            assert costs[0] == same, (dataset, name)
    assert sorted(set(taken)) == [("people", "persons"), ("visits", "pure zero-out"), ("visits", "sets"),
                                  ("visits", "zero-out")]


def test_a_search_in_other_processes_is_counted(ledger):
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    with tacit.BudgetAccountant(), parallel_backend("loky", n_jobs=2):
        Parallel()(delayed(os.getpid)() for _ in range(2))  # starts workers, which the search uses
    for n_jobs in (2, 3):  # older workers, and new ones
        scores = cross_val_score(new(accountant=keeper, epsilon=0.1), X, Y, cv=3, n_jobs=n_jobs)
        assert np.isfinite(scores).all()
    assert len(keeper) == 6 and states(ledger) == [("train", "committed")] * 6


def test_a_stream_with_a_ledger_is_counted_once(ledger, tmp_path):
    (tmp_path / "key").write_bytes(bytes(range(32)))
    (tmp_path / "key").chmod(0o600)
    where = {"path": tmp_path / "state", "key_file": tmp_path / "key", "classes": [False, True]}
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    with keeper:
        tacit.Stream(horizon=5, batch_rows=50, epsilon=0.5, features=3, ledger=ledger, dataset="visits", **where)
    with keeper, tacit.BudgetAccountant() as other:
        stream = tacit.Stream(**where)
        assert len(other) == 0
        stream.feed(X[:50], Y[:50])
        stream.feed(X[50:90], Y[50:90])
        assert len(keeper) == len(other) == 1 and states(ledger) == [("stream", "reserved")]


def test_a_ledger_under_two_paths_is_charged_once(ledger, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    with tacit.BudgetAccountant(ledger=ledger, dataset="visits") as keeper:
        new(accountant=tacit.BudgetAccountant(ledger=tmp_path / "link" / "team.db", dataset="visits")).fit(X, Y)
    assert len(keeper) == 1


def test_what_a_ledger_refuses_decides_nothing(ledger):
    keeper = tacit.BudgetAccountant()
    with keeper, tacit.BudgetAccountant(ledger=ledger, dataset="visits"):
        with pytest.raises(tacit.BudgetError, match="at most epsilon"):
            new(epsilon=4.0).fit(X, Y)
    assert (len(keeper), keeper.unit, keeper.in_place) == (0, None, None)


def test_what_cannot_be_charged_is_refused(ledger):
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    with pytest.raises(tacit.BudgetError, match="not private"):
        new(accountant=keeper, random_state=1).fit(X, Y)
    with pytest.raises(tacit.BudgetError, match="not private"):
        tacit.metrics.evaluate(new().fit(X, Y), X, Y, epsilon=0.1, random_state=1, accountant=keeper)
    with pytest.raises(tacit.ArgumentError, match="charge"):
        keeper.spend(0.1)
    with pytest.raises(tacit.ArgumentError, match="not in the ledger"):
        tacit.BudgetAccountant(ledger=ledger, dataset="nothing")
    with pytest.raises(tacit.ArgumentError, match="dataset="):
        tacit.BudgetAccountant(ledger=ledger)
    with pytest.raises(tacit.ArgumentError, match="ceiling"):
        tacit.BudgetAccountant(2.0, ledger=ledger, dataset="visits")
    with pytest.raises(tacit.ArgumentError, match="ledger="):
        tacit.BudgetAccountant(1.0, dataset="visits")
    assert states(ledger) == []


def test_only_what_drew_no_noise_is_refunded(ledger):
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")

    def stop(*facts):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        new(accountant=keeper).fit(X, Y, progress=stop)
    assert states(ledger) == [("train", "reserved")]
    bad = Y.astype(int) + 5
    with pytest.raises(ValueError):
        tacit.metrics.evaluate(new().fit(X, Y), X, bad, epsilon=0.1, accountant=keeper)
    assert states(ledger) == [("train", "reserved")]


def test_a_statement_is_charged(ledger):
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    keeper.charge(new().fit(X, Y).privacy_)
    assert states(ledger) == [("charge", "committed")]


def fit_once(keeper):
    try:
        new(accountant=keeper, epsilon=0.4).fit(X, Y)
        return 1
    except tacit.BudgetError:
        return 0


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_share_one_count(ledger, method):
    keeper = pickle.loads(pickle.dumps(tacit.BudgetAccountant(ledger=ledger, dataset="visits")))
    with keeper, multiprocessing.get_context(method).Pool(3) as pool:
        done = sum(pool.map(fit_once, [keeper] * 10, chunksize=1))
    assert 0 < done < 10 and done == len(keeper)
    assert keeper.total().epsilon <= 1
    assert fit_once(keeper) == 0


def outcome(est):
    try:
        est.fit(X, Y)
    except tacit.BudgetError as error:
        return str(error)
    return "fitted"


def fit_here(params):
    return outcome(new(epsilon=0.1, **params))


def fit_with_own():
    with tacit.BudgetAccountant():
        return fit_here({})


def test_a_ledger_does_not_hide_an_accountant_that_a_worker_inherits(ledger):
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    context = multiprocessing.get_context("fork")
    with tacit.BudgetAccountant() as local, keeper, context.Pool(1) as pool:
        assert "worker process" in pool.apply(fit_here, [{}])
        assert "worker process" in pool.apply(outcome, [new()])
        assert len(local) == len(keeper) == 0
        assert pool.apply(fit_here, [{"accountant": keeper}]) == "fitted"
        assert len(keeper) == 1
        assert pool.apply(fit_with_own) == "fitted"
        assert len(keeper) == 2
    with keeper, context.Pool(1) as pool:
        assert pool.apply(fit_here, [{}]) == "fitted"


def test_metrics_have_intervals_and_a_statement():
    model = new(epsilon=4.0).fit(X, Y)
    result = tacit.metrics.evaluate(model, X, Y, epsilon=2.0, random_state=3)
    assert result == tacit.metrics.evaluate(model.model_, X, np.where(Y, 1.0, -1.0), epsilon=2.0, random_state=3)
    assert not result["private"] and "NOT PRIVATE" in str(result) and len(result["thresholds"]) == 15
    auc = result["metrics"]["auc"]
    assert auc["low"] <= auc["value"] <= auc["high"]
    accuracy = result["metrics"]["accuracy"]
    assert accuracy["low"] <= model.score(X, Y) <= accuracy["high"]
    private = tacit.metrics.evaluate(model, X, Y, epsilon=2.0, groups=np.arange(2000) // 4,
                                     sample_weight=np.full(2000, 0.5))
    assert private["private"] and private["units"] == 500 and "rows" not in private
    assert str(private).splitlines()[-1].startswith("PRIVATE: epsilon = 2 and delta = ")
    for delta, text in [(9.432016056618944e-10, "9.433e-10"), (1e-5, "1e-05")]:
        rounded = str(tacit.metrics.evaluate(model, X, Y, epsilon=1.0, delta=delta))
        assert f"epsilon = 1 and delta = {text} for one row" in rounded
    number = tacit.Ridge(epsilon=4.0, bounds=(-5, 5), data_norm=4.0).fit(X, X[:, 0])
    result = tacit.metrics.evaluate(number, X, X[:, 0], epsilon=4.0, max_error=3)
    assert set(result["metrics"]) == {"rmse", "mae", "r2", "mean_error"}
    noisy = tacit.metrics.evaluate(number, X, X[:, 0], epsilon=0.001)
    assert "too noisy" in str(noisy)


def test_an_evaluation_is_charged_to_open_accountants():
    keeper = tacit.BudgetAccountant(epsilon=1.0, delta=1e-6)
    model = new(epsilon=4.0).fit(X, Y)
    with keeper:
        tacit.metrics.evaluate(model, X, Y, epsilon=0.5, delta=1e-6)
        with pytest.raises(tacit.BudgetError, match="ceiling"):
            tacit.metrics.evaluate(model, X, Y, epsilon=0.9, delta=1e-6)
    assert len(keeper) == 1


def test_a_resumed_fit_is_charged_again(ledger, tmp_path):
    keeper = tacit.BudgetAccountant(ledger=ledger, dataset="visits")
    key = tmp_path / "run.key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    options = {"checkpoint": str(tmp_path / "run.ckpt"), "key_file": str(key), "resume": True}
    first = new(options=options).fit(X, Y)  # without the ledger
    again = new(options=options, accountant=keeper).fit(X, Y)
    assert np.array_equal(first.coef_, again.coef_)
    assert states(ledger) == [("train", "committed")]
    new(options=options, accountant=keeper).fit(X, Y)
    assert states(ledger) == [("train", "committed")] * 2
