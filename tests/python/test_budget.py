# SPDX-License-Identifier: MIT
"""The accountant and the conversions."""
import copy
import math
import pickle

import numpy as np
import pytest
import tacit

X = np.random.default_rng(0).normal(size=(1000, 3))
Y = X[:, 0] > 0


def new(**params):
    return tacit.LogisticRegression(**{"epsilon": 1.0, "delta": 1e-6, "classes": [False, True], **params})


def test_conversions_round_against_the_user():
    mu = tacit.mu_from_dp(1.0, 1e-6)
    assert math.isclose(tacit.epsilon_from_mu(mu, 1e-6), 1.0, rel_tol=1e-9)
    assert math.isclose(tacit.delta_from_mu(mu, 1.0), 1e-6, rel_tol=1e-6)
    assert math.isclose(tacit.mu_from_zcdp(tacit.zcdp_from_mu(mu)), mu, rel_tol=1e-12)
    assert tacit.compose_mu(3.0, 4.0) >= 5.0 and tacit.compose_mu() == 0
    assert tacit.mu_from_pure(1.0) > 0
    with pytest.raises(tacit.ArgumentError):
        tacit.mu_from_dp(-1.0, 1e-6)


def test_a_ceiling_holds():
    keeper = tacit.BudgetAccountant(epsilon=2.0, delta=1e-6)
    assert keeper.total() == (0.0, 1e-6) and math.isclose(keeper.remaining().epsilon, 2.0, rel_tol=1e-6)
    n_fits = 0
    with pytest.raises(tacit.BudgetError, match="ceiling") as refusal:
        for n_fits in range(10):
            new(accountant=keeper).fit(X, Y)
    assert refusal.value.status == 5
    assert n_fits == len(keeper) == 3  # three of epsilon 1 fit under 2, exactly composed
    assert 1.7 < keeper.total().epsilon <= 2.0
    rest = keeper.remaining(delta=1e-6)
    assert 0 < rest.epsilon < 1
    new(accountant=keeper, epsilon=rest.epsilon).fit(X, Y)
    assert keeper.total().epsilon <= 2.0 and keeper.remaining().epsilon < 0.01


def test_equal_shares():
    keeper = tacit.BudgetAccountant(epsilon=1.0, delta=1e-6)
    share = keeper.remaining(5)
    for _ in range(5):
        new(accountant=keeper, epsilon=share.epsilon).fit(X, Y)
    assert 0.99 < keeper.total().epsilon <= 1.0
    with pytest.raises(tacit.BudgetError):
        new(accountant=keeper, epsilon=share.epsilon).fit(X, Y)


def test_nothing_is_computed_when_refused():
    est = new(accountant=tacit.BudgetAccountant(epsilon=0.5, delta=1e-6))
    called = []
    with pytest.raises(tacit.BudgetError):
        est.fit(X, Y, progress=lambda *facts: called.append(facts))
    assert not called and not hasattr(est, "coef_") and len(est.accountant) == 0


def test_a_failed_fit_is_not_charged():
    keeper = tacit.BudgetAccountant()
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(tacit.DataError):
        new(accountant=keeper).fit(bad, Y)
    assert len(keeper) == 0
    est = new(accountant=keeper, rows=1000)
    est.partial_fit(X[:10], Y[:10])
    assert len(keeper) == 1  # from the first row on
    with pytest.raises(tacit.DataError):
        est.partial_fit(bad, Y)
    assert len(keeper) == 0


def test_as_a_context():
    with tacit.BudgetAccountant(epsilon=3.0) as outer:
        new().fit(X, Y)
        with tacit.BudgetAccountant() as inner:
            new().fit(X, Y)
            tacit.Trainer(rows=100, features=2, epsilon=1.0, classes=[0, 1])
        new().fit(X, Y)
    new().fit(X, Y)
    assert (len(outer), len(inner)) == (2, 2)


def test_adjacency():
    strict, loose = tacit.BudgetAccountant(), tacit.BudgetAccountant(adjacency="zero-out")
    for keeper in (strict, loose):
        new(accountant=keeper, adjacency="zero-out").fit(X, Y)
    assert math.isclose(strict.mu, 2 * loose.mu)


def test_going_on_from_a_paid_model_is_charged_once():
    keeper = tacit.BudgetAccountant()
    first = new(accountant=keeper).fit(X, Y)
    second = new(accountant=keeper, init=first.model_).fit(X, Y)
    assert math.isclose(keeper.mu, second.privacy_["mu"], rel_tol=1e-9)
    other = tacit.BudgetAccountant()
    new(accountant=other, init=first.model_).fit(X, Y)
    assert math.isclose(other.mu, second.privacy_["mu"], rel_tol=1e-9)


def test_copies_share_and_pickles_refuse():
    keeper = tacit.BudgetAccountant(epsilon=9.0)
    assert copy.deepcopy(keeper) is keeper and copy.copy(keeper) is keeper
    est = new(accountant=keeper).fit(X, Y)
    thawed = pickle.loads(pickle.dumps(est))
    assert np.array_equal(thawed.predict(X), est.predict(X))
    with pytest.raises(tacit.BudgetError, match="another process"):
        thawed.fit(X, Y)


def test_what_cannot_be_charged():
    with pytest.raises(tacit.BudgetError, match="without noise"):
        new(epsilon=None, delta=None, accountant=tacit.BudgetAccountant(),
            options={"mechanism": "none"}).fit(X, Y)
    for mu in (0, -1, math.inf, math.nan):
        with pytest.raises(tacit.BudgetError):
            tacit.BudgetAccountant().spend(mu)
    for wrong in ({"epsilon": 0}, {"delta": 0}, {"adjacency": "x"}):
        with pytest.raises(tacit.ArgumentError):
            tacit.BudgetAccountant(**wrong)


def test_pure_runs_compose():
    keeper = tacit.BudgetAccountant()
    new(accountant=keeper, delta=0).fit(X, Y)
    assert math.isclose(keeper.mu, tacit.mu_from_pure(1.0), rel_tol=1e-9)


def test_plan_sees_no_data():
    plan = tacit.plan(rows=1000, features=3, epsilon=1.0)
    est = new(delta=None).fit(X, Y)
    assert plan["statement"]["mu"] == est.privacy_["mu"] == plan["mu"]
    assert plan["rounds"] == 32
    with pytest.raises(TypeError, match="no setting"):
        tacit.plan(rows=10, features=2, epsilons=1.0)
