# SPDX-License-Identifier: MIT
"""An accountant belongs to one process: its threads are counted, other processes refuse."""
import contextlib
import multiprocessing
import os
import subprocess
import sys
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import tacit
import tacit.metrics
from joblib import Parallel, delayed, parallel_backend
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier

X = np.random.default_rng(0).normal(size=(400, 3))
Y = X[:, 0] > 0


def new(**params):
    return tacit.LogisticRegression(**{"epsilon": 1.0, "delta": 1e-6, "classes": [False, True], **params})


def outcome(est):
    """The outcome of a fit as text, so that another process can send it."""
    try:
        est.fit(X, Y)
    except tacit.TacitError as error:
        return f"{type(error).__name__}: {error}"
    return "fitted"


def in_a_fork(call):
    """Runs `call` in a forked child and returns its result, a text."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(call()).encode())
        except BaseException:
            os.write(write, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return text


def test_fits_in_threads_are_counted():
    with tacit.BudgetAccountant(epsilon=1.0, delta=1e-6) as keeper, ThreadPoolExecutor(6) as pool:
        said = list(pool.map(outcome, [new(epsilon=5.0) for _ in range(6)]))
    assert all("BudgetError" in text and "ceiling" in text for text in said)
    assert len(keeper) == 0
    fits = Parallel(n_jobs=3, backend="threading")
    with tacit.BudgetAccountant() as keeper:
        assert fits(delayed(outcome)(new()) for _ in range(5)) == ["fitted"] * 5
    assert len(keeper) == 5


def test_threads_cannot_pass_the_ceiling_together():
    keeper = tacit.BudgetAccountant(epsilon=2.0, delta=1e-6)
    ests = [new(accountant=keeper if i % 2 else None) for i in range(32)]
    with keeper, ThreadPoolExecutor(8) as pool:
        said = list(pool.map(outcome, ests))
    assert said.count("fitted") == len(keeper) == 3
    assert keeper.total().epsilon <= 2.0


def test_a_charge_is_there_before_the_run_is():
    # While one fit runs, a second that would exceed the ceiling together with it is refused.
    keeper = tacit.BudgetAccountant(epsilon=1.5, delta=1e-6)
    said = []
    with keeper:
        new().fit(X, Y, progress=lambda *facts: said.append(outcome(new(epsilon=1.4))))
    assert said and all("ceiling" in text for text in said) and len(keeper) == 1


def test_a_fork_refuses():
    keeper = tacit.BudgetAccountant(epsilon=9.0)
    with keeper:
        said = in_a_fork(lambda: outcome(new()))
        assert "BudgetError" in said and "another process" in said
        for use in (lambda: keeper.spend(0.1), keeper.total, keeper.remaining, keeper.__enter__,
                    lambda: tacit.BudgetAccountant().__enter__()):
            assert "another process" in in_a_fork(use)
    assert "another process" in in_a_fork(lambda: outcome(new(accountant=keeper)))
    assert in_a_fork(lambda: outcome(new())) == "fitted"  # no accountant, nothing to multiply
    assert len(keeper) == 0


def test_a_run_does_not_go_on_in_a_fork():
    keeper = tacit.BudgetAccountant(epsilon=9.0)
    est = new(accountant=keeper, rows=400)
    est.partial_fit(X[:200], Y[:200])
    assert "belongs to the process" in in_a_fork(lambda: est.partial_fit(X[200:], Y[200:]))
    trainer = tacit.Trainer(rows=400, features=3, epsilon=1.0, classes=[False, True])
    n = trainer.ask().n_rows
    shard = trainer.delta(X[:n], Y[:n])
    assert "belongs to the process" in in_a_fork(lambda: trainer.tell(shard))
    trainer.tell(shard)
    assert est.partial_fit(X[200:], Y[200:]).privacy_["private"] and len(keeper) == 1


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_worker_processes_refuse(start):
    context = multiprocessing.get_context(start)
    with tacit.BudgetAccountant(epsilon=9.0) as keeper:
        with ProcessPoolExecutor(2, context) as pool:
            said = list(pool.map(outcome, [new(), new(accountant=keeper), new()]))
    assert all("BudgetError" in text and "another process" in text for text in said), said
    assert len(keeper) == 0


def made_here(epsilon):
    """A fit of an estimator that no other process has seen."""
    return outcome(new(epsilon=epsilon))


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_estimators_that_worker_processes_make_refuse(start):
    context = multiprocessing.get_context(start)
    with tacit.BudgetAccountant(epsilon=1.0) as keeper:
        with tacit.BudgetAccountant():
            pass  # the other is still open
        with ProcessPoolExecutor(2, context) as pool:
            said = list(pool.map(made_here, [5.0] * 4))
        assert all("BudgetError" in text and "another process" in text for text in said), said
        assert len(keeper) == 0


def counted_here(way):
    """A fit in a worker that has an accountant, or needs none."""
    est = new(accountant=tacit.UNCOUNTED if way == "uncounted" else None)
    if way == "uncounted":
        return outcome(est)
    keeper = tacit.BudgetAccountant(epsilon=1.0, delta=1e-6)
    if way == "with":
        with keeper:
            said = [outcome(est), outcome(est)]
    else:
        est.set_params(accountant=keeper)
        said = [outcome(est), outcome(est)]
    return f"{len(keeper)} {said[0]}, {said[1].partition(':')[0]}"


def in_pool(start, pool, call, *args):
    if start == "loky":
        return Parallel(n_jobs=2, backend="loky")([delayed(call)(*args)])[0]
    return pool.submit(call, *args).result()


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver", "loky"])
def test_pools_that_are_older_than_an_accountant_refuse(start):
    context = None if start == "loky" else multiprocessing.get_context(start)
    with contextlib.nullcontext() if context is None else ProcessPoolExecutor(1, context) as pool:
        in_pool(start, pool, os.getpid)
        with tacit.BudgetAccountant(epsilon=1.0) as keeper:
            said = in_pool(start, pool, made_here, 5.0)
        assert len(keeper) == 0
        for text in (said, in_pool(start, pool, made_here, 5.0)):  # the worker cannot know
            for words in ("BudgetError", "another process", "accountant=BudgetAccountant(ledger=",
                          "make the accountant in this process", "accountant=tacit.UNCOUNTED"):
                assert words in text


@pytest.mark.parametrize("start", ["fork", "spawn", "loky"])
@pytest.mark.parametrize("older", [True, False])
def test_workers_count_with_an_accountant_of_their_own(start, older):
    context = None if start == "loky" else multiprocessing.get_context(start)
    keeper = tacit.BudgetAccountant(epsilon=9.0)
    with contextlib.ExitStack() as stack:
        if not older:
            stack.enter_context(keeper)
        pool = None if context is None else stack.enter_context(ProcessPoolExecutor(1, context))
        in_pool(start, pool, os.getpid)
        if older:
            stack.enter_context(keeper)
        assert in_pool(start, pool, counted_here, "with") == "1 fitted, BudgetError"
        assert in_pool(start, pool, counted_here, "accountant") == "1 fitted, BudgetError"
        assert in_pool(start, pool, counted_here, "uncounted") == "fitted"
        assert "worker process" in in_pool(start, pool, made_here, 1.0)
    assert len(keeper) == 0


def other_ways():
    """What else releases something, in a worker."""
    day = {"horizon": 5, "batch_rows": 50, "epsilon": 0.1, "features": 3}
    model = new(accountant=tacit.UNCOUNTED).fit(X, Y)
    said = []
    for call in (lambda: new().partial_fit(X, Y), lambda: tacit.Stream(**day),
                 lambda: tacit.Trainer(rows=400, features=3, epsilon=1.0, classes=[0, 1]),
                 lambda: tacit.metrics.evaluate(model, X, Y, epsilon=0.5)):
        try:
            call()
            said.append("done")
        except tacit.BudgetError:
            said.append("refused")
    tacit.metrics.evaluate(model, X, Y, epsilon=0.5, accountant=tacit.UNCOUNTED)
    tacit.Stream(**day, accountant=tacit.BudgetAccountant())
    return said


def test_every_release_of_a_worker_is_refused():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(other_ways).result() == ["refused"] * 4


def test_a_program_that_a_worker_starts_is_refused():
    # The worker's own accountant is closed again, that of its parent is not.
    code = "import test_processes as t; print(t.made_here(1.0))"

    def started():
        tacit.BudgetAccountant().__enter__().__exit__()
        return subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(__file__), text=True,
                              capture_output=True, check=True).stdout

    with tacit.BudgetAccountant():
        said, back = multiprocessing.Pipe(False)
        child = multiprocessing.get_context("fork").Process(target=lambda: back.send(started()))
        child.start()
        back.close()
        assert "another process" in said.recv()
        child.join()


def test_a_fork_that_leaves_the_with_still_refuses():
    def leave():
        keeper.__exit__(None, None, None)
        return outcome(new())

    keeper = tacit.BudgetAccountant(epsilon=9.0)
    with keeper:
        assert "another process" in in_a_fork(leave)
    assert outcome(new()) == "fitted"


def test_searches_in_other_processes_are_refused():
    # Not the backend "multiprocessing": CPython's pool can hang after a failed task if the next
    # worker is terminated while it writes its answer.
    with tacit.BudgetAccountant(epsilon=9.0) as keeper, parallel_backend("loky", n_jobs=2):
        with pytest.raises(ValueError, match="fits failed|another process"):
            cross_val_score(new(), X, Y, cv=2, n_jobs=2)
        # Clones that are made in the worker refuse too.
        with pytest.raises(tacit.BudgetError, match="another process"):
            BaggingClassifier(new(max_weight=16), 2, n_jobs=2).fit(X, Y)
    assert len(keeper) == 0


@pytest.fixture
def fresh(monkeypatch):
    """Resets the state to that of a process without a fit."""
    monkeypatch.setattr("tacit._budget._free_runs", 0)
    monkeypatch.setattr("tacit._budget._warned", False)


def warnings_of(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", tacit.PrivacyWarning)
        call()
    return [w for w in said if w.category is tacit.PrivacyWarning]


def three_fits():
    est = new()
    for _ in range(3):
        est.fit(X, Y)


def a_stream_and_a_trainer():
    new().partial_fit(X, Y)
    tacit.Trainer(rows=9, features=2, epsilon=1.0, classes=[0, 1])


@pytest.mark.parametrize("call", [
    three_fits,
    a_stream_and_a_trainer,
    lambda: CalibratedClassifierCV(new(), cv=3).fit(X, Y),
    lambda: OneVsRestClassifier(new(classes=[0, 1])).fit(X, np.arange(len(X)) % 3),
])
def test_a_second_private_fit_warns_once(fresh, call):
    (warning,) = warnings_of(call)
    assert "second private fit" in str(warning.message)
    assert issubclass(tacit.PrivacyWarning, UserWarning)
    assert warnings_of(three_fits) == []


def test_the_warning_names_the_line_of_the_caller(fresh):
    (warning,) = warnings_of(three_fits)
    assert warning.filename == __file__


def under_an_accountant():
    with tacit.BudgetAccountant():
        three_fits()
    new().fit(X, Y)


def seeded():
    for i in range(3):
        new(random_state=i).fit(X, Y)


def failed_before_any_noise():
    bad = X.copy()
    bad[0] = np.nan
    for _ in range(2):
        with pytest.raises(tacit.DataError):
            new(options={"shuffle": False}).fit(bad, Y)
    new().fit(X, Y)


def with_leaks():
    for _ in range(3):
        new(classes=None, on_leak="ignore").fit(X, Y)


@pytest.mark.parametrize("call", [under_an_accountant, seeded, failed_before_any_noise, with_leaks])
def test_no_warning_without_need(fresh, call):
    assert warnings_of(call) == []


def test_ensembles_that_set_seeds_warn(fresh):
    bag = BaggingClassifier(new(max_weight=16), 3)  # it weights rows by how often it drew them
    assert "ensembles" in str(warnings_of(lambda: bag.fit(X, Y))[0].message)
    assert not any(est.privacy_["private"] for est in bag.estimators_)
    with tacit.BudgetAccountant(), pytest.raises(tacit.BudgetError, match="seed"):
        bag.fit(X, Y)
