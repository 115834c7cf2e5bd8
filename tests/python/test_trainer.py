# SPDX-License-Identifier: MIT
"""Ask and tell: the same run, with sums that are computed by workers."""
import pickle
import subprocess
import sys
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
            assert asked.rounds == 24 and asked.first == row  # a stream: one pass
            rows = np.arange(row, row + asked.n_rows)
            shards = [s for s in np.array_split(rows, 3) if len(s)]
            kinds = [np.asarray, sp.csr_matrix, lambda a: a]
            sums = pool.map(lambda k, s: trainer.delta(k(X[s]), Y[s]), kinds, shards)
            trainer.tell(sum(sums))
            row += asked.n_rows
    model = trainer.finish()
    est = tacit.LogisticRegression(1.0, classes=["a", "b"], random_state=5,
                                   options={"shuffle": False, "centre": "head"})
    assert np.array_equal(np.frombuffer(model.weights), np.frombuffer(est.fit(X, Y).model_.weights))
    assert trainer.statement["mu"] == est.privacy_["mu"]


def test_centred_runs_start_with_round_0():
    shifted = X + 2
    trainer, told = start(centre="on", epsilon=8.0), []
    worker = tacit.Worker(**pickle.loads(pickle.dumps(trainer.worker_settings)))
    while not trainer.done:
        asked = trainer.ask()
        rows = slice(asked.first, asked.first + asked.n_rows)
        sent = pickle.loads(pickle.dumps(asked))
        here = trainer.delta(shifted[rows], Y[rows])
        there = worker.delta(sent, shifted[rows], Y[rows])
        assert np.array_equal(here.values, there.values) and len(there.values) == asked.dim
        trainer.tell(there)
        told.append(asked.t)
    assert told == list(range(65)) and "round_0" in trainer.statement
    est = tacit.LogisticRegression(8.0, classes=["a", "b"], random_state=5, centre="on",
                                   options={"shuffle": False}).fit(shifted, Y)
    model = trainer.finish()
    assert model.json() == est.model_.json()
    decision = est.decision_function(shifted)
    assert ((decision > 0) == (Y == "b")).mean() > 0.8


def test_centred_streams_take_the_mean_of_their_first_rows():
    est = tacit.LogisticRegression(8.0, classes=["a", "b"], rows=N, random_state=5)
    for first in range(0, N, 100):
        est.partial_fit(X[first : first + 100], Y[first : first + 100])
    assert est.privacy_["round_0"]["rows_apart"] == N // 16
    assert est.privacy_["rows"] == N


def test_numbers_and_counts():
    for settings in ({"loss": "squared", "bounds": (-3, 3)}, {"loss": "poisson", "bounds": (0, 5)}):
        trainer = start(classes=None, **settings)
        asked = trainer.ask()
        trainer.tell(trainer.delta(X[: asked.n_rows], np.ones(asked.n_rows)))
        assert trainer.ask().t == asked.t + 1


def test_refusals():
    trainer = start()
    n = trainer.ask().n_rows
    whole = trainer.delta(X[:n], Y[:n])
    assert repr(whole) == f"<ShardSum of round 0, {n} rows>"
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


ELSEWHERE = """
import pickle, sys, tacit
settings, asked, X, y = pickle.load(sys.stdin.buffer)
sum = tacit.Worker(**settings).delta(asked, X, y)
pickle.dump((sum.values, sum.count), sys.stdout.buffer)
"""


def elsewhere(settings, asked, X, y):
    sent = pickle.dumps((settings, asked, X, y))
    run = subprocess.run([sys.executable, "-c", ELSEWHERE], input=sent, stdout=subprocess.PIPE,
                         check=True)
    return tacit.ShardSum(asked.t, *pickle.loads(run.stdout))


@pytest.mark.parametrize("settings", [{}, {"norm": 1.5, "batch": 300}, {"delta": 0}])
def test_workers_elsewhere_and_the_order_give_the_model_of_fit(settings):
    settings = {"batch": 250, "passes": 2, **settings}
    trainer = start(shuffled=True, **settings)
    order = pickle.loads(pickle.dumps(trainer.order()))
    assert not {"seed", "epsilon"} & set(trainer.worker_settings)
    worker = tacit.Worker(**trainer.worker_settings)
    while not trainer.done:
        asked = trainer.ask()
        rows = order.rows(asked.first, asked.first + asked.n_rows)
        half = len(rows) // 2
        shard = worker.delta(asked, X[rows[:half]], Y[rows[:half]])
        away = elsewhere if asked.t == 2 else lambda _, *args: worker.delta(*args)
        shard += away(trainer.worker_settings, asked, X[rows[half:]], Y[rows[half:]])
        trainer.tell(shard)
    options = {k: v for k, v in settings.items() if k in ("batch", "norm")}
    est = tacit.LogisticRegression(1.0, classes=["a", "b"], random_state=5, passes=2,
                                   delta=settings.get("delta"), options=options).fit(X, Y)
    assert trainer.finish().json() == est.model_.json()


def test_a_worker_with_other_settings_is_refused():
    trainer = start()
    for other in ({"row_norm": 2.0}, {"rows": N + 1}, {"loss": "hinge"}):
        worker = tacit.Worker(**{**trainer.worker_settings, **other})
        with pytest.raises(tacit.StateError, match="other options"):
            worker.delta(trainer.ask(), X[:2], Y[:2])
    told = tacit.Worker(**{**trainer.worker_settings, "passes": 2, "preset": "anytime"})
    assert told.delta(trainer.ask(), X[:2], Y[:2]).count == 2  # the run decides, the round tells
    worker = tacit.Worker(**trainer.worker_settings)
    damaged = trainer.ask().astuple()[:-1] + (b"short",)
    with pytest.raises(ValueError, match="damaged"):
        worker._worker.delta(damaged, (X[:2], np.ones(2)), np.zeros(4, np.int64))
    with pytest.raises(TypeError):
        worker._worker.delta([], (X[:2], np.ones(2)), np.zeros(4, np.int64))
    with pytest.raises(tacit.DataError, match="declared classes"):
        worker.delta(trainer.ask(), X[:2], ["a", "c"])


def test_digests_of_shards_add_up():
    worker, key, places = tacit.Worker(**start().worker_settings), bytes(range(32)), np.arange(N)
    whole = worker.digest(key, X, Y, places)
    cut = worker.digest(key, X[:99], Y[:99], places[:99])
    assert cut ^ worker.digest(key, X[99:], Y[99:], places[99:]) == whole
    assert worker.digest(key, X, Y, places + 1) != whole
    assert worker.digest(key, X, Y[::-1], places) != whole
    with pytest.raises(ValueError, match="32 bytes"):
        worker.digest(b"", X, Y, places)


def test_the_order():
    order = pickle.loads(pickle.dumps(tacit.Order(N, 7, bytes(32))))
    rows = order.rows(0, N)
    assert sorted(rows) == list(range(N)) and not np.array_equal(rows, np.arange(N))
    assert np.array_equal(order.places(rows), np.arange(N))
    for call in (lambda: order.rows(0, N + 1), lambda: order.places([-1])):
        with pytest.raises(IndexError, match="from 0 to 999"):
            call()
    with pytest.raises(tacit.ArgumentError):
        tacit.Order(0, 1, bytes(32))


def test_models_for_files(tmp_path):
    for name in ("memory", "libsvm"):
        trainer = start(format=name, batch=500)
        while not trainer.done:
            asked = trainer.ask()
            rows = slice(asked.first, asked.first + asked.n_rows)
            trainer.tell(trainer.delta(X[rows], Y[rows]))
        assert f'"format": "{name}"' in trainer.finish().json()


def keep(tmp_path):
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    return {"checkpoint": str(tmp_path / "run.ckpt"), "key_file": str(key), "resume": True}


def test_a_trainer_goes_on_from_its_checkpoint(tmp_path):
    whole, row = start(), 0
    settings = keep(tmp_path)
    for t in range(25):
        broken = start(**settings)  # each round in a trainer of its own
        assert broken.ask().t == whole.ask().t == t and not broken.done
        n = whole.ask().n_rows
        for trainer in (whole, broken):
            trainer.tell(trainer.delta(X[row:row + n], Y[row:row + n]))
        row += n
        del broken, trainer  # gives up the lock
    last = start(**settings)
    assert last.done
    assert np.array_equal(np.frombuffer(last.finish().weights),
                          np.frombuffer(whole.finish().weights))
    with pytest.raises(tacit.PrivacyError, match="has not ended"):
        start(**{**settings, "resume": False})


def test_a_fit_goes_on_from_its_checkpoint(tmp_path):
    def fit(labels, **options):
        return tacit.LogisticRegression(1.0, classes=["a", "b"], random_state=5,
                                        options=options).fit(X, labels).model_.weights

    settings = keep(tmp_path)
    assert fit(Y) == fit(Y, **settings) == fit(Y, **settings)
    changed = Y.copy()
    changed[0] = "a" if Y[0] == "b" else "b"
    with pytest.raises(tacit.DataError, match="not what it was"):
        fit(changed, **settings)
