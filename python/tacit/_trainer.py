# SPDX-License-Identifier: MIT
"""Ask and tell: the private core for other engines.

    trainer = Trainer(rows=n, features=d, epsilon=1.0, classes=[0, 1])
    while not trainer.done:
        round = trainer.ask()
        shards = [trainer.delta(X_i, y_i) for X_i, y_i in …]   # round.n_rows rows in all
        trainer.tell(sum(shards))
    model = trainer.finish()

Workers add up the rows of other processes there. They know no secret:

    worker = Worker(**trainer.worker_settings)                 # a dictionary; send it
    shard = worker.delta(round, X_i, y_i)                      # a Round; send it
"""
import functools
from dataclasses import dataclass

import numpy as np

from tacit import _core, _data
from tacit._budget import Expense
from tacit._core import ArgumentError, StateError
from tacit._quiet import quietly


@dataclass(frozen=True)
class Round:
    """What a worker needs to compute its part of round t; all of it is public.

    The round has the rows at places first … first + n_rows - 1 of the pass. In a run
    with ``shuffled=True`` these are the rows ``trainer.order().rows(first, first + n_rows)``.
    Round 0, of runs with ``centre="on"``, has all rows. The sums of a round have ``dim`` numbers.
    """

    t: int
    rounds: int
    n_rows: int
    first: int
    dim: int
    ratio: float
    lattice_scale: float
    lattice_clip: int
    lattice_clip_dual: float
    problem: bytes
    offset_bits: int
    radius: float
    slope_max: float
    square_scale: float
    square_max: float
    offset: np.ndarray
    margins: np.ndarray
    margins_prev: np.ndarray
    x: np.ndarray
    x_prev: np.ndarray

    def astuple(self):
        return tuple(vars(self).values())


class ShardSum:
    """The sum of the clipped contributions of some rows. It is secret: give it only to ``tell``.
    Sums of shards are added with +."""

    __slots__ = ("count", "t", "values")

    def __init__(self, t, values, count):
        self.t = t
        self.values = values
        self.count = count

    def __add__(self, other):
        if not isinstance(other, ShardSum):
            return self if isinstance(other, int) and other == 0 else NotImplemented
        if other.t != self.t:
            raise StateError("shards of different rounds do not add up")
        return ShardSum(self.t, self.values + other.values, self.count + other.count)

    __radd__ = __add__

    def __repr__(self):
        return f"<ShardSum of round {self.t}, {self.count} rows>"


class Order:
    """The secret order of a run: which round of a pass each row belongs to.

    ``trainer.order()`` makes it. Whoever knows the order or its key can undo the protection
    against files whose order depends on what the rows say: keep both with the records.
    """

    def __init__(self, n_rows, batches, key):
        self.n_rows, self.batches = int(n_rows), int(batches)
        self._key = bytes(key)
        self._order = _core.Order(self.n_rows, self.batches, self._key)

    def __reduce__(self):
        return (_order, (self.n_rows, self.batches, self._key))

    def __repr__(self):
        return f"<Order of {self.n_rows} rows in {self.batches} batches>"

    def rows(self, first, end):
        """The rows at places first … end - 1."""
        out = np.empty(max(0, end - first), np.int64)
        self._order.rows(first, out)
        return out

    def places(self, rows):
        """The places of these rows."""
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        out = np.empty(len(rows), np.int64)
        self._order.places(rows, out)
        return out


@functools.lru_cache(maxsize=1)
def _order(n_rows, batches, key):
    """An order that was sent to this process; the tasks of a run share it."""
    return Order(n_rows, batches, key)


class Labels:
    """Declared labels, and their encoding for the core."""

    def __init__(self, classes, bounds):
        if (classes is None) == (bounds is None):
            raise ArgumentError("declare classes, or the bounds of a number label")
        self.classes = self.bounds = None
        if classes is not None:
            self.classes = _data.declared_classes(classes)
            self.settings = {"classes": len(self.classes)}
        else:
            self.bounds = _data.checked_bounds(bounds)
            self.settings = {"labels": self.bounds}

    def encode(self, y, numbers=None):
        if self.classes is not None:
            return _data.encode_classes(y, self.classes, numbers)
        return _data.encode_numbers(y, numbers)

    def rows(self, X, y):
        """Rows for the core. Exceptions quote no record."""
        return quietly(lambda: _data.rows_of(X, self.encode(y)), X, self._numbers(y))

    def _numbers(self, y):
        return y if self.classes is None else None

    def declared(self):
        """As keyword arguments of plain types, which can be sent to other processes."""
        if self.classes is None:
            return {"bounds": self.bounds}
        return {"classes": self.classes.tolist()}


# Settings that only the run itself needs; workers do not get them.
_OF_THE_RUN = {"epsilon", "delta", "rho", "adjacency", "shuffled", "l2", "learner", "bound",
               "power", "clip", "radius", "seed", "threads", "reg_scale", "init", "init_public",
               "init_name", "format", "checkpoint", "key_file", "resume", "leaks", "centre"}


def run_settings(labels, rows, features, epsilon, settings):
    """All settings of a run, as the core reads them."""
    whole = {**settings, "rows": rows, "features": features, **labels.settings}
    if epsilon is not None:
        whole["epsilon"] = epsilon
    if whole.get("delta") == 0:
        whole["pure"] = True
    return whole


def worker_settings(whole):
    """The settings that a worker needs, as the core reads them."""
    return {name: value for name, value in whole.items() if name not in _OF_THE_RUN}


class Worker:
    """A worker for a run in another process. It has no key, no noise and no state.

    Made from ``trainer.worker_settings``; it refuses rounds of a run with other settings.
    """

    def __init__(self, *, classes=None, bounds=None, **settings):
        self._labels = Labels(classes, bounds)
        self._worker = _core.Worker({**settings, **self._labels.settings})

    def delta(self, round, X, y):
        """The sum of a shard of this round."""
        rows = self._labels.rows(X, y)
        values = np.zeros(round.dim, np.int64)
        return ShardSum(round.t, values, self._worker.delta(round.astuple(), rows, values))

    def digest(self, key, X, y, places):
        """A digest of 16 bytes of these rows, under a secret key of 32 bytes.

        Digests of shards are combined with ^ (as integers). In a run of several passes the
        digest of a round must be the same in every pass.
        """
        rows = self._labels.rows(X, y)
        places = np.ascontiguousarray(places, dtype=np.int64)
        return int.from_bytes(self._worker.digest(key, rows, places), "little")


class Trainer:
    """One private run whose sums are computed elsewhere.

    Parameters
    ----------
    rows, features : int
        Public facts about the data.
    epsilon : float
        The budget of the whole run; ``delta`` and every other setting of ``tacit_config``
        may be given as a keyword. With ``checkpoint``, ``key_file`` and ``resume`` the run
        continues at the round of the checkpoint.
    classes : list, or bounds : (min, max)
        The declared classes, or the bounds of a number label.
    accountant : BudgetAccountant
        Charged before the run begins, because every round releases something.
    progress : callable
        As in the ``fit`` of the estimators.
    """

    def __init__(self, *, rows, features, epsilon=None, classes=None, bounds=None,
                 accountant=None, progress=None, **settings):
        self._labels = Labels(classes, bounds)
        settings = run_settings(self._labels, rows, features, epsilon, settings)
        #: The arguments of ``Worker``, as a dictionary without secrets.
        self.worker_settings = worker_settings(settings)
        self.worker_settings.pop("labels", None)
        self.worker_settings.update(self._labels.declared())
        self._expense = Expense(settings, accountant)
        self.plan, self.statement = self._expense.plan, self._expense.statement
        self._run = self._expense.begin(progress)
        self._rows = rows
        first = 0 if "round_0" in self.statement else 1  # round 0 releases the mean
        self._told = None if settings.get("resume") else first - 1

    def order(self):
        """The secret order of the run, for the processes that read the rows.

        With ``shuffled=True`` the rows must be dealt by it: the statement then says that the
        order of the data does not matter.
        """
        return Order(self._rows, self.statement["batches_per_pass"], self._run.order_key())

    def _run_stands_at(self):
        """The number of rounds restored from the checkpoint."""
        try:
            return self._run.ask()[0] - 1
        except StateError:
            return self.statement["rounds"]

    @property
    def done(self):
        """Whether ``tell`` was called for all rounds."""
        if self._told is None:
            self._told = self._run_stands_at()
        return self._told == self.statement["rounds"]

    def ask(self):
        """The current round."""
        asked = self._run.ask()
        return Round(*asked[:-5], *(np.frombuffer(numbers) for numbers in asked[-5:]))

    def delta(self, X, y):
        """The sum of a shard of the current round. Calls may run in parallel threads."""
        asked = self.ask()
        values = np.zeros(asked.dim, np.int64)
        count = self._run.delta(self._labels.rows(X, y), values)
        return ShardSum(asked.t, values, count)

    def tell(self, shard_sum):
        """Releases the round. Refused unless the sum has all its rows and is within the clip."""
        if shard_sum.t != self.ask().t:
            raise StateError("this sum belongs to another round")
        try:
            self._run.tell(np.ascontiguousarray(shard_sum.values), shard_sum.count)
        except StateError:
            raise
        except BaseException:
            self.stop()
            raise
        self._told = shard_sum.t

    def stop(self):
        """Gives up the run. Its charge is refunded if no round was told."""
        self._expense.failed()

    def finish(self):
        """The model, after ``tell`` was called for all rounds."""
        model = self._run.finish()
        self._expense.paid(model)
        return model
