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


def test_persons_and_rows_do_not_add_up():
    persons = np.arange(1000) // 2
    keeper = tacit.BudgetAccountant(epsilon=3.0, delta=1e-6)
    assert keeper.unit is None
    new(accountant=keeper).fit(X, Y, groups=persons)
    assert keeper.unit == "person" and pickle.loads(pickle.dumps(keeper)) is keeper
    with pytest.raises(tacit.BudgetError, match="is for persons and the run protects rows"):
        new(accountant=keeper).fit(X, Y)
    with keeper, pytest.raises(tacit.BudgetError, match="is for persons"):
        new(accountant=tacit.BudgetAccountant()).fit(X, Y)
    assert len(keeper) == 1
    declared = tacit.BudgetAccountant(epsilon=3.0, unit="row")
    with pytest.raises(tacit.BudgetError, match="is for rows and the run protects persons"):
        new(accountant=declared).fit(X, Y, groups=persons)
    declared.spend(0.1)  # a mechanism outside Tacit, of whatever unit
    new(accountant=declared).fit(X, Y)
    assert len(declared) == 2
    with pytest.raises(tacit.ArgumentError, match="'person' or 'row'"):
        tacit.BudgetAccountant(unit="people")
    with tacit.BudgetAccountant(unit="person") as people:
        with pytest.raises(tacit.BudgetError, match="is for persons and the run protects rows"):
            declared.spend(0.1)
    assert len(people) == 0 and len(declared) == 2


def test_a_charge_that_is_taken_back_decides_nothing():
    persons = np.arange(1000) // 2
    keeper = tacit.BudgetAccountant()
    with pytest.raises(tacit.DataError):
        new(accountant=keeper, rows=1000).partial_fit(spoilt(3), Y)
    assert (len(keeper), keeper.unit, keeper.in_place) == (0, None, None)
    new(accountant=keeper).fit(X, Y, groups=persons)
    with pytest.raises(tacit.DataError):
        new(accountant=keeper).fit(spoilt(3), Y, groups=persons)
    assert (len(keeper), keeper.unit, keeper.in_place) == (1, "person", False)
    given = tacit.BudgetAccountant(unit="row")
    with pytest.raises(tacit.DataError):
        new(accountant=given, rows=1000).partial_fit(spoilt(3), Y)
    assert (len(given), given.unit, given.in_place) == (0, "row", None)


def test_a_mechanism_outside_decides_the_unit():
    persons = np.arange(1000) // 2
    keeper = tacit.BudgetAccountant()
    keeper.spend(0.1)
    assert keeper.unit == "row"
    with pytest.raises(tacit.BudgetError, match="is for rows and the run protects persons"):
        new(accountant=keeper).fit(X, Y, groups=persons)
    with tacit.BudgetAccountant() as outer:
        tacit.BudgetAccountant(unit="person").spend(0.1)
    assert outer.unit == "person"
    with tacit.BudgetAccountant(unit="person") as people:
        with pytest.raises(tacit.BudgetError, match="is for persons and the run protects rows"):
            tacit.BudgetAccountant().spend(0.1)
    assert len(people) == 0


def test_a_person_on_one_day_is_not_a_person():
    # Five days at the price of one would be five times the mu for who comes every day.
    day = {"horizon": 5, "batch_rows": 50, "epsilon": 0.9, "delta": 1e-6, "features": 2}
    statement = tacit.Stream(persons=True, **day).statement
    assert statement["day_only"]
    for keeper in (tacit.BudgetAccountant(), tacit.BudgetAccountant(unit="person")):
        with keeper, pytest.raises(tacit.BudgetError, match="on one day.*unit_once"):
            tacit.Stream(persons=True, **day)
        with pytest.raises(tacit.BudgetError, match="on one day"):
            keeper.charge(statement)
        keeper.charge({**statement, "day_only": False})
        assert len(keeper) == 1


def test_sets_and_places_do_not_add_up():
    # A guarantee for rows in their places says nothing about a set.
    keeper = tacit.BudgetAccountant()
    assert keeper.in_place is None
    new(accountant=keeper).fit(X, Y)
    assert keeper.in_place is False and pickle.loads(pickle.dumps(keeper)) is keeper
    with pytest.raises(tacit.BudgetError, match="rows in their places.*in_place=True"):
        new(accountant=keeper).partial_fit(X, Y)
    with pytest.raises(tacit.BudgetError, match="rows in their places"):
        new(accountant=keeper, options={"shuffle": False}).fit(X, Y)
    assert len(keeper) == 1
    for places in (tacit.BudgetAccountant(), tacit.BudgetAccountant(in_place=True)):
        new(accountant=places).partial_fit(X, Y)
        new(accountant=places).fit(X, Y)  # a guarantee for sets is one for places too
        assert places.in_place is True and len(places) == 2
    strict = tacit.BudgetAccountant(in_place=False)
    with pytest.raises(tacit.BudgetError, match="rows in their places"):
        new(accountant=strict).partial_fit(X, Y)
    with pytest.raises(tacit.BudgetError, match="rows in their places"):  # launders nothing
        new(accountant=strict, init=new().partial_fit(X, Y).model_).fit(X, Y)
    with pytest.raises(tacit.ArgumentError, match="True or False"):
        tacit.BudgetAccountant(in_place="no")


def test_what_was_begun_before_is_counted():
    def trainer():
        run = tacit.Trainer(rows=1000, features=3, epsilon=1.0, classes=[False, True])
        return run, lambda: run.tell(run.delta(X[: run.ask().n_rows], Y[: run.ask().n_rows]))

    def stream():
        run = tacit.Stream(horizon=9, batch_rows=50, epsilon=1.0, features=3, classes=[False, True])
        return run, lambda: run.feed(X[:50], Y[:50])

    def partial_fit():
        run = new(rows=1000).partial_fit(X[:100], Y[:100])
        return run, lambda: run.partial_fit(X[:100], Y[:100])

    for begin in (trainer, stream, partial_fit):
        run, go_on = begin()
        with tacit.BudgetAccountant() as keeper:
            go_on()
            go_on()
        assert len(keeper) == 1
        assert math.isclose(keeper.mu, tacit.mu_from_dp(1.0, getattr(run, "statement", {"delta": 1e-6})["delta"]),
                            rel_tol=1e-9)
        with tacit.BudgetAccountant(epsilon=0.1) as other:
            with pytest.raises(tacit.BudgetError, match="ceiling"):
                go_on()
        assert len(other) == 0
        go_on()  # a refusal ends nothing


def test_what_is_uncounted_is_not_charged():
    for copied in (copy.deepcopy(tacit.UNCOUNTED), pickle.loads(pickle.dumps(tacit.UNCOUNTED))):
        assert copied is tacit.UNCOUNTED
    with tacit.BudgetAccountant() as keeper:
        new(accountant=tacit.UNCOUNTED).fit(X, Y)
        tacit.Stream(horizon=9, batch_rows=50, epsilon=1.0, features=3, accountant=tacit.UNCOUNTED)
        new().fit(X, Y)
    assert len(keeper) == 1 and repr(tacit.UNCOUNTED) == "tacit.UNCOUNTED"


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


def spoilt(row):
    bad = X.copy()
    bad[row, 1] = np.nan
    return bad


@pytest.mark.parametrize("row, charges", [(3, 0), (30, 0), (31, 1), (999, 1)])
def test_only_a_fit_that_drew_no_noise_is_taken_back(row, charges):
    # 32 rounds of 31 or 32 rows: a failure after the first may depend on what it released.
    # With round 0 all rows are read before the first release.
    for preset, charged in (("anytime", charges), ("practical", 0)):
        keeper = tacit.BudgetAccountant()
        with pytest.raises(tacit.DataError, match=f"row {row + 1}"):
            new(accountant=keeper, options={"shuffle": False, "preset": preset}).fit(spoilt(row), Y)
        assert len(keeper) == charged


def test_a_stream_that_fails_is_taken_back_in_its_first_round_only():
    for first, charges in ((10, 0), (100, 1)):
        keeper = tacit.BudgetAccountant()
        est = new(accountant=keeper, rows=1000)
        est.partial_fit(X[:first], Y[:first])
        assert len(keeper) == 1  # from the first row on
        with pytest.raises(tacit.DataError):
            est.partial_fit(spoilt(3), Y)
        assert len(keeper) == charges


@pytest.mark.parametrize("rounds, charges", [(0, 0), (1, 1)])
def test_a_trainer_that_stops(rounds, charges):
    keeper = tacit.BudgetAccountant()
    trainer = tacit.Trainer(rows=1000, features=3, epsilon=1.0, classes=[False, True],
                            accountant=keeper)
    for _ in range(rounds):
        n = trainer.ask().n_rows
        trainer.tell(trainer.delta(X[:n], Y[:n]))
    assert len(keeper) == 1
    n = trainer.ask().n_rows
    shard = trainer.delta(X[: n - 1], Y[: n - 1])
    with pytest.raises(tacit.PrivacyError):
        trainer.tell(shard)  # a row is missing: the run is over
    trainer.stop()
    assert len(keeper) == charges
    with pytest.raises(tacit.StateError, match="ended"):
        trainer.ask()


def test_an_interrupt_before_any_noise_is_taken_back():
    for stop_at, charges in ((0, 0), (1, 1)):
        keeper = tacit.BudgetAccountant()
        seen = []

        def interrupt(*facts):
            seen.append(facts[0])
            if facts[0] >= stop_at:
                raise KeyboardInterrupt

        # One thread reports every 16384 rows: three times before the end of a round.
        with pytest.raises(KeyboardInterrupt):
            new(accountant=keeper, n_jobs=1, options={"batch": 50_000}).fit(
                np.tile(X, (100, 1)), np.tile(Y, 100), progress=interrupt)
        assert seen[-1] == stop_at and len(keeper) == charges


def test_as_a_context():
    with tacit.BudgetAccountant(epsilon=3.0) as outer:
        new().fit(X, Y)
        with tacit.BudgetAccountant() as inner, inner:
            new().fit(X, Y)  # to both, once each
            tacit.Trainer(rows=100, features=2, epsilon=1.0, classes=[0, 1], shuffled=True)
        own = tacit.BudgetAccountant()
        new(accountant=own).fit(X, Y)
        new(accountant=outer).fit(X, Y)
    new().fit(X, Y)
    assert (len(outer), len(inner), len(own)) == (5, 2, 1)


def test_all_accountants_are_charged_or_none():
    with tacit.BudgetAccountant(epsilon=1.5, delta=1e-6) as outer:
        with tacit.BudgetAccountant() as inner:
            new().fit(X, Y)
            with pytest.raises(tacit.BudgetError, match="ceiling"):
                new(epsilon=1.4).fit(X, Y)
            with pytest.raises(tacit.BudgetError, match="ceiling"):
                inner.spend(1.0)
    assert len(outer) == len(inner) == 1


def test_a_mechanism_outside_is_spent_in_the_units_of_each():
    with tacit.BudgetAccountant() as outer:
        inner = tacit.BudgetAccountant(adjacency="zero-out")
        inner.spend(0.25)
    assert (inner.mu, outer.mu) == (0.25, 0.5)


@pytest.mark.parametrize("params, words", [
    ({"random_state": 1}, "seed"),
    ({"delta": 0, "options": {"law": "exp-l2", "mechanism": "tree"}}, "double precision"),
    ({"epsilon": None, "delta": None, "options": {"mechanism": "none"}}, "no noise"),
    ({"classes": None, "on_leak": "ignore"}, "taken from the records: classes"),
    ({"data_norm": None, "on_leak": "ignore"}, "taken from the records: row_norm"),
])
def test_what_is_not_private_is_refused(params, words):
    keeper = tacit.BudgetAccountant()
    est = new(**params)
    with keeper, pytest.raises(tacit.BudgetError, match=f"not private.*{words}"):
        est.fit(X, Y)
    assert not hasattr(est, "model_") and len(keeper) == 0
    start = new(random_state=1).fit(X, Y).model_
    with pytest.raises(tacit.BudgetError, match="initial model is not private"):
        new(init=start, accountant=keeper).fit(X, Y)
    with pytest.raises(tacit.BudgetError, match="seed"):
        tacit.Trainer(rows=100, features=2, epsilon=1.0, classes=[0, 1], seed=3, accountant=keeper)
    new(init=start, init_public=True, accountant=keeper).fit(X, Y)
    assert len(keeper) == 1


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


def test_copies_share():
    keeper = tacit.BudgetAccountant(epsilon=9.0)
    for copied in (copy.deepcopy(keeper), copy.copy(keeper), pickle.loads(pickle.dumps(keeper))):
        assert copied is keeper
    est = new(accountant=keeper).fit(X, Y)
    thawed = pickle.loads(pickle.dumps(est))
    assert np.array_equal(thawed.predict(X), est.predict(X))
    thawed.fit(X, Y)
    assert len(keeper) == 2
    with tacit.BudgetAccountant() as inside:
        for copied in (copy.deepcopy(new()), pickle.loads(pickle.dumps(new()))):
            copied.fit(X, Y)
            assert copied.accountant is None
    assert len(inside) == 2


def test_what_cannot_be_charged():
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
    assert plan["rounds"] == 24 and plan["passes"] == 1  # rows in their order, read once
    again = tacit.plan(rows=1000, features=3, epsilon=1.0, shuffled=True)
    assert again["rounds"] == est.privacy_["rounds"] == 64 and again["passes"] == est.n_iter_
    with pytest.raises(TypeError, match="no setting"):
        tacit.plan(rows=10, features=2, epsilons=1.0)
