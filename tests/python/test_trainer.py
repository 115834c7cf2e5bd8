# SPDX-License-Identifier: MIT
"""Ask and tell: the same run with the sums computed elsewhere."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
import tacit

N = 1000
X = np.random.default_rng(0).normal(size=(N, 3))
Y = np.where(X[:, 0] > 0, "b", "a")


def start(**settings):
    return tacit.Trainer(**{"rows": N, "features": 3, "epsilon": 1.0, "classes": ["a", "b"],
                            "seed": 5, **settings})


def test_threads_give_the_model_of_fit():
    trainer, row = start(), 0
    with ThreadPoolExecutor(4) as pool:
        while not trainer.done:
            asked = trainer.ask()
            assert asked.rounds == 32 and asked.x.shape == (asked.dim,) == (4,)
            rows = np.arange(row, row + asked.n_rows)
            shards = [s for s in np.array_split(rows, 3) if len(s)]
            kinds = [np.asarray, sp.csr_matrix, lambda a: a]
            sums = pool.map(lambda k, s: trainer.delta(k(X[s]), Y[s]), kinds, shards)
            trainer.tell(sum(sums))
            row += asked.n_rows
    model = trainer.finish()
    est = tacit.LogisticRegression(1.0, classes=["a", "b"], random_state=5, options={"shuffle": False})
    assert np.array_equal(np.frombuffer(model.weights), np.frombuffer(est.fit(X, Y).model_.weights))
    assert trainer.statement["mu"] == est.privacy_["mu"]


def test_numbers_and_counts():
    for settings in ({"loss": "squared", "bounds": (-3, 3)}, {"loss": "poisson", "bounds": (0, 5)}):
        trainer = start(classes=None, **settings)
        asked = trainer.ask()
        trainer.tell(trainer.delta(X[: asked.n_rows], np.ones(asked.n_rows)))
        assert trainer.ask().t == 2


def test_refusals():
    trainer = start()
    n = trainer.ask().n_rows
    whole = trainer.delta(X[:n], Y[:n])
    assert repr(whole) == f"<ShardSum of round 1, {n} rows>"
    with pytest.raises(tacit.DataError, match="more rows"):
        trainer.delta(X[: n + 1], Y[: n + 1])
    with pytest.raises(tacit.DataError, match="declared classes"):
        trainer.delta(X[:2], ["a", "c"])
    with pytest.raises(tacit.StateError, match="another round"):
        trainer.tell(tacit.ShardSum(2, whole.values, n))
    with pytest.raises(tacit.DataError, match="fewer rows"):
        start().finish()
    trainer.tell(whole)
    later = trainer.delta(X[:1], Y[:1])
    with pytest.raises(tacit.StateError, match="different rounds"):
        whole + later
    with pytest.raises(TypeError):
        whole + 1


@pytest.mark.parametrize("spoil", [
    lambda s: tacit.ShardSum(s.t, s.values, s.count - 1),
    lambda s: tacit.ShardSum(s.t, s.values + 2**62, s.count),
])
def test_a_sum_that_cannot_be_is_refused(spoil):
    trainer = start()
    n = trainer.ask().n_rows
    with pytest.raises(tacit.PrivacyError):
        trainer.tell(spoil(trainer.delta(X[:n], Y[:n])))


def test_arguments():
    with pytest.raises(tacit.ArgumentError, match="declare classes"):
        tacit.Trainer(rows=10, features=2, epsilon=1.0)
    with pytest.raises(tacit.ArgumentError):
        start(epsilon=None)
    with pytest.raises(TypeError, match="no setting"):
        start(batches=3)
    keeper = tacit.BudgetAccountant(epsilon=0.5)
    with pytest.raises(tacit.BudgetError):
        start(accountant=keeper)
