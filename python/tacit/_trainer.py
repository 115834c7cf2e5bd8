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

Persons with several rows as units: ``Trainer(units=n_persons, …)`` in place of rows. Every row
comes with the number of rows of its person, counted over all processes, and belongs to the
round that ``trainer.order().batches(ids)`` says.
"""
from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit import _core, _data
from tacit._budget import Accountant, Expense
from tacit._core import ArgumentError, DataError, PrivacyError, StateError
from tacit._quiet import quietly
from tacit._types import Array, Facts, Progress


@dataclass(frozen=True)
class Round:
    """What a worker needs to compute its part of round t; all of it is public.

    The round has the rows at places first … first + n_rows - 1 of the pass. In a run
    with ``shuffled=True`` these are the rows ``trainer.order().rows(first, first + n_rows)``.
    Round 0, which releases the mean, has all rows, or the first sixteenth of rows that are read
    once (neither ``shuffled`` nor ``again``). The sums of a round have ``dim`` numbers.
    Of persons first and n_rows are 0: how many rows a round has is secret.
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
    stretch: np.ndarray

    def astuple(self) -> tuple[Any, ...]:
        return tuple(vars(self).values())


class ShardSum:
    """The sum of the clipped contributions of some rows. It is secret: give it only to ``tell``.
    Sums of shards are added with +. ``count`` is the number of rows; of persons it is 0, and
    ``shares`` is the sum of 1/m over the rows, in steps of 2^-31 rounded down."""

    __slots__ = ("count", "shares", "t", "values")

    def __init__(self, t: int, values: Array, count: int, shares: int | None = None) -> None:
        self.t = t
        self.values = values
        self.count = count
        self.shares = shares

    def __add__(self, other: Any) -> ShardSum:
        if not isinstance(other, ShardSum):
            return self if isinstance(other, int) and other == 0 else NotImplemented
        if other.t != self.t or (other.shares is None) != (self.shares is None):
            raise StateError("shards of different rounds do not add up")
        shares = None if self.shares is None else self.shares + (other.shares or 0)
        return ShardSum(self.t, self.values + other.values, self.count + other.count, shares)

    __radd__ = __add__

    def __repr__(self) -> str:
        rows = f", {self.count} rows" if self.shares is None else ""
        return f"<ShardSum of round {self.t}{rows}>"


class Order:
    """The secret order of a run: which round of a pass each row belongs to.

    ``trainer.order()`` makes it. Whoever knows the order or its key can undo the protection
    against files whose order depends on what the rows say: keep both with the records.
    """

    def __init__(self, n_rows: int, batches: int, key: bytes) -> None:
        self.n_rows, self.batches = int(n_rows), int(batches)
        self._key = bytes(key)
        self._order = _core.Order(self.n_rows, self.batches, self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_order, (self.n_rows, self.batches, self._key))

    def __repr__(self) -> str:
        return f"<Order of {self.n_rows} rows in {self.batches} batches>"

    def rows(self, first: int, end: int) -> Array:
        """The rows at places first … end - 1."""
        out = np.empty(max(0, end - first), np.int64)
        self._order.rows(first, out)
        return out

    def places(self, rows: Any) -> Array:
        """The places of these rows."""
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        out = np.empty(len(rows), np.int64)
        self._order.places(rows, out)
        return out


@functools.lru_cache(maxsize=1)
def _order(n_rows: int, batches: int, key: bytes) -> Order:
    """An order that was sent to this process; the tasks of a run share it."""
    return Order(n_rows, batches, key)


class PersonOrder:
    """The secret order of a run whose units are persons: all rows of a person belong to one
    round of a pass, by a keyed hash of the id. As secret as ``Order``."""

    def __init__(self, batches_per_pass: int, key: bytes) -> None:
        self.batches_per_pass = int(batches_per_pass)
        self._key = bytes(key)

    def __repr__(self) -> str:
        return f"<PersonOrder of {self.batches_per_pass} batches>"

    def batches(self, groups: Any, numbers: Any = None) -> Array:
        """For each id the number of its round in every pass, from 0. ``numbers`` are those of
        the rows, for messages."""
        def call() -> Array:
            ids = _data.ids_of(groups, len(groups), numbers)
            out = np.empty(len(ids), np.int64)
            _core.unit_batches(ids, self.batches_per_pass, self._key, out)
            return out

        return quietly(call)


# The sum of the shares of N persons, each at most 1, is counted in these steps.
_SHARE = 2**31


def shares_of(counts: Array) -> int:
    """The sum of the shares 1/m of rows, rounded down."""
    return int((_SHARE // counts.astype(np.int64)).sum())


class Labels:
    """Declared labels and weights of classes, and how rows are encoded for the core."""

    def __init__(self, classes: Any, bounds: Any, class_weight: Any = None, max_weight: float | None = None,
                 units: int = 0, unit_rows: int = 0) -> None:
        if (classes is None) == (bounds is None):
            raise ArgumentError("declare classes, or the bounds of a number label")
        self.classes = self.bounds = None
        self.units, self.unit_rows = units, unit_rows
        self.max_weight, self.class_weight = max_weight, class_weight
        if max_weight is not None and not 1e-100 <= max_weight <= 1e100:
            raise ArgumentError("max_weight must be a number from 1e-100 to 1e+100")
        if classes is not None:
            self.classes = _data.declared_classes(classes)
            self.settings: Facts = {"classes": len(self.classes)}
            weights = _data.class_weights_of(class_weight, self.classes)
            if weights is not None:
                self.settings["class_weights"] = weights
        else:
            self.bounds = _data.checked_bounds(bounds)
            self.settings = {"labels": self.bounds}
            if class_weight is not None:
                raise ArgumentError("class_weight goes with classes")

    def encode(self, y: Any, numbers: Any = None) -> Array:
        if self.classes is not None:
            return _data.encode_classes(y, self.classes, numbers)
        return _data.encode_numbers(y, numbers)

    def rows(self, X: Any, y: Any, sample_weight: Any = None,
             unit_rows: Any = None) -> tuple[tuple[Any, ...], int | None]:
        """(rows for the core, shares of persons or None). Exceptions quote no record."""
        if sample_weight is not None and self.max_weight is None:
            raise ArgumentError("weights are declared when the run begins: give max_weight=")

        def call() -> tuple[tuple[Any, ...], int | None]:
            labels = self.encode(y)
            weights, _ = _data.weights_of(sample_weight, len(labels), self.max_weight, "raise")
            counts = self._counts(unit_rows, len(labels))
            return (_data.rows_of(X, labels, weights, counts),
                    None if counts is None else shares_of(counts))

        return quietly(call, X, self._numbers(y))

    def _counts(self, unit_rows: Any, n_rows: int) -> Array | None:
        """How many rows share the bound of each row; None if the units are rows."""
        if not self.units:
            if unit_rows is not None:
                raise ArgumentError("unit_rows is for persons: the run must have units=")
            return None
        if unit_rows is None:
            if not self.unit_rows:
                raise ArgumentError("the units are persons: give unit_rows, for each row the "
                                    "number of rows of its person in all processes")
            unit_rows = np.full(n_rows, self.unit_rows)
        counts = np.asarray(unit_rows)
        if counts.shape != (n_rows,) or counts.dtype.kind not in "iu":
            raise DataError("unit_rows must be one whole number per row")
        sound = (counts >= max(1, self.unit_rows)) & (counts < 2**32)
        if not sound.all():
            raise DataError(f"row {int(np.argmin(sound)) + 1}: unit_rows must be a number from "
                            f"{max(1, self.unit_rows)} to 2^32 - 1")
        return np.ascontiguousarray(counts, dtype=np.uint32)

    def _numbers(self, y: Any) -> Any:
        return y if self.classes is None else None

    def declared(self) -> Facts:
        """As keyword arguments of plain types, which can be sent to other processes."""
        facts: Facts = {} if self.max_weight is None else {"max_weight": self.max_weight}
        if self.classes is None:
            return {"bounds": self.bounds, **facts}
        if self.class_weight is not None:
            facts["class_weight"] = self.class_weight
        return {"classes": self.classes.tolist(), **facts}


# Settings that only the run itself needs; workers do not get them.
_OF_THE_RUN = {"epsilon", "delta", "rho", "adjacency", "shuffled", "l2", "learner", "bound",
               "power", "clip", "radius", "seed", "threads", "reg_scale", "init", "init_public",
               "init_name", "format", "checkpoint", "key_file", "resume", "leaks", "unit_name"}


def run_settings(labels: Labels, rows: int | None, features: int, epsilon: float | None,
                 settings: Facts) -> Facts:
    """All settings of a run, as the core reads them."""
    if (rows is None) == (not labels.units):
        raise ArgumentError("declare rows, or units: the number of persons")
    whole = {**settings, "rows": rows or labels.units, "features": features, **labels.settings}
    if labels.units:
        whole.update(units=labels.units, unit_rows=labels.unit_rows)
        whole.setdefault("shuffled", True)
    if labels.max_weight is not None:
        whole["weighted"] = True
    if epsilon is not None:
        whole["epsilon"] = epsilon
    if whole.get("delta") == 0:
        whole["pure"] = True
    return whole


def worker_settings(whole: Facts) -> Facts:
    """The settings that a worker needs, as the core reads them."""
    return {name: value for name, value in whole.items() if name not in _OF_THE_RUN}


class Worker:
    """A worker for a run in another process. It has no key, no noise and no state.

    Made from ``trainer.worker_settings``; it refuses rounds of a run with other settings.
    """

    def __init__(self, *, classes: Any = None, bounds: Any = None, class_weight: Any = None,
                 max_weight: float | None = None, **settings: Any) -> None:
        self._labels = Labels(classes, bounds, class_weight, max_weight,
                              settings.get("units", 0), settings.get("unit_rows", 0))
        self._worker = _core.Worker({**settings, **self._labels.settings})

    def delta(self, round: Round, X: Any, y: Any, sample_weight: Any = None,
              unit_rows: Any = None) -> ShardSum:
        """The sum of a shard of this round, as ``Trainer.delta``."""
        rows, shares = self._labels.rows(X, y, sample_weight, unit_rows)
        values = np.zeros(round.dim, np.int64)
        count = self._worker.delta(round.astuple(), rows, values)
        return ShardSum(round.t, values, count if shares is None else 0, shares)

    def digest(self, key: bytes, X: Any, y: Any, places: Any, sample_weight: Any = None,
               unit_rows: Any = None) -> int:
        """A digest of 16 bytes of these rows, under a secret key of 32 bytes.

        Digests of shards are combined with ^ (as integers). In a run of several passes the
        digest of a round must be the same in every pass.
        """
        rows, _ = self._labels.rows(X, y, sample_weight, unit_rows)
        places = np.ascontiguousarray(places, dtype=np.int64)
        return int.from_bytes(self._worker.digest(key, rows, places), "little")


class Trainer:
    """One private run whose sums are computed elsewhere.

    Parameters
    ----------
    rows, features : int
        Public facts about the data.
    units : int, in place of rows
        Public number of persons, if the unit is a person with all rows. ``unit_rows`` then
        limits the rows of a person, as in the estimators.
    epsilon : float
        The budget of the whole run; ``delta`` and every other setting of ``tacit_config``
        may be given as a keyword. With ``checkpoint``, ``key_file`` and ``resume`` the run
        continues at the round of the checkpoint.
    classes : list, or bounds : (min, max)
        The declared classes, or the bounds of a number label.
    class_weight, max_weight
        Declared weights of classes, and the largest weight of a row, as in the estimators.
    accountant : BudgetAccountant
        Charged before the run begins, because every round releases something.
    progress : callable
        As in the ``fit`` of the estimators.
    """

    def __init__(self, *, features: int, rows: int | None = None, units: int | None = None,
                 unit_rows: int | None = None, epsilon: float | None = None, classes: Any = None,
                 bounds: Any = None, class_weight: Any = None, max_weight: float | None = None,
                 accountant: Accountant | None = None, progress: Progress | None = None,
                 **settings: Any) -> None:
        self._labels = Labels(classes, bounds, class_weight, max_weight, units or 0,
                              unit_rows or 0)
        settings = run_settings(self._labels, rows, features, epsilon, settings)
        #: What a worker needs, as the core reads it.
        self.core_settings = worker_settings(settings)
        #: The arguments of ``Worker``, as a dictionary without secrets.
        self.worker_settings = dict(self.core_settings)
        for name in ("labels", "class_weights"):
            self.worker_settings.pop(name, None)
        self.worker_settings.update(self._labels.declared())
        self._expense = Expense(settings, accountant)
        self.plan, self.statement = self._expense.plan, self._expense.statement
        self._run = self._expense.begin(progress)
        self._rows = rows
        self._shares = 0  # of the rounds of this pass
        first = 0 if "round_0" in self.statement else 1  # round 0 releases the mean
        self._told = None if settings.get("resume") else first - 1

    def order(self) -> Order | PersonOrder:
        """The secret order of the run, for the processes that read the rows.

        With ``shuffled=True`` the rows must be dealt by it: the statement then says that the
        order of the data does not matter. Persons always are.
        """
        if self._rows is None:
            return PersonOrder(self.statement["batches_per_pass"], self._run.order_key())
        return Order(self._rows, self.statement["batches_per_pass"], self._run.order_key())

    def _run_stands_at(self) -> int:
        """The number of rounds restored from the checkpoint."""
        try:
            return self._run.ask()[0] - 1
        except StateError:
            return int(self.statement["rounds"])

    @property
    def done(self) -> bool:
        """Whether ``tell`` was called for all rounds."""
        if self._told is None:
            self._told = self._run_stands_at()
        return bool(self._told == self.statement["rounds"])

    def ask(self) -> Round:
        """The current round."""
        asked: tuple[Any, ...] = self._run.ask()
        return Round(*asked[:-5], *(np.frombuffer(numbers) for numbers in asked[-5:]))

    def delta(self, X: Any, y: Any, sample_weight: Any = None, unit_rows: Any = None) -> ShardSum:
        """The sum of a shard of the current round. Calls may run in parallel threads.

        ``sample_weight`` is one weight per row, from 0 to ``max_weight`` (default 1). In a run
        with ``units`` the rows come with ``unit_rows``: for each the number of rows of its
        person in all processes.
        """
        asked = self.ask()
        rows, shares = self._labels.rows(X, y, sample_weight, unit_rows)
        values = np.zeros(asked.dim, np.int64)
        count = self._run.delta(rows, values)
        return ShardSum(asked.t, values, count if shares is None else 0, shares)

    def tell(self, shard_sum: ShardSum) -> None:
        """Releases the round. Refused unless the sum has all its rows and is within the clip. Of
        persons, the shares of a pass must not exceed their number, nor the sum their clips."""
        if shard_sum.t != self.ask().t:
            raise StateError("this sum belongs to another round")
        self._expense.count()
        try:
            self._check_shares(shard_sum)
            self._run.tell(np.ascontiguousarray(shard_sum.values), shard_sum.count)
        except StateError:
            raise
        except BaseException:
            self.stop()
            raise
        self._told = shard_sum.t

    def _check_shares(self, shard_sum: ShardSum) -> None:
        """The shares of a person add up to at most 1 in a pass, if its rows were counted over
        all processes: those of N persons to at most N."""
        if not self._labels.units:
            return
        if shard_sum.shares is None:
            raise StateError("this sum is not one of persons")
        number = shard_sum.t - 1
        first = number < 0 or number % self.statement["batches_per_pass"] == 0
        self._shares = shard_sum.shares + (0 if first else self._shares)
        if self._shares > self._labels.units * _SHARE:
            raise PrivacyError("the shares of the rows add up to more than the number of "
                               "persons: count the rows of a person over all processes")

    def stop(self) -> None:
        """Gives up the run. Its charge is refunded if no round was told."""
        self._expense.failed()

    def finish(self) -> _core.Model:
        """The model, after ``tell`` was called for all rounds."""
        model = self._run.finish()
        self._expense.paid(model)
        return model
