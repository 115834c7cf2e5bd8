# SPDX-License-Identifier: MIT
"""Ask and tell: the private core for an engine of one's own.

    trainer = Trainer(rows=n, features=d, epsilon=1.0, classes=[0, 1])
    while not trainer.done:
        round = trainer.ask()
        shards = [trainer.delta(X_i, y_i) for X_i, y_i in …]   # round.n_rows rows in all
        trainer.tell(sum(shards))
    model = trainer.finish()
"""
import json
from dataclasses import dataclass

import numpy as np

from tacit import _core, _data
from tacit._budget import accountant_for
from tacit._core import ArgumentError, StateError


@dataclass(frozen=True)
class Round:
    """What a worker needs for its share of round t; all of it is public."""

    t: int
    rounds: int
    n_rows: int
    dim: int
    ratio: float
    lattice_scale: float
    lattice_clip: int
    x: np.ndarray
    x_prev: np.ndarray


class ShardSum:
    """The clipped contributions of some rows. Secret until told; shards add up with +."""

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


class Trainer:
    """One private run whose sums are computed elsewhere.

    Parameters
    ----------
    rows, features : int
        Public facts about the data.
    epsilon : float
        The budget of the whole run; ``delta`` and every other setting of ``tacit_config``
        may be given as a keyword: ``checkpoint``, ``key_file`` and ``resume`` among them,
        with which ``ask`` goes on at the round the checkpoint stands at.
    classes : list, or bounds : (min, max)
        The declared classes, or the bounds of a number label.
    accountant : BudgetAccountant
        Charged when the run begins: every round releases something.
    """

    def __init__(self, *, rows, features, epsilon=None, classes=None, bounds=None,
                 accountant=None, **settings):
        if (classes is None) == (bounds is None):
            raise ArgumentError("declare classes, or the bounds of a number label")
        self._classes = self._bounds = None
        if classes is not None:
            self._classes = _data.declared_classes(classes)
            settings["classes"] = len(self._classes)
        else:
            self._bounds = _data.checked_bounds(bounds)
            settings["labels"] = self._bounds
        if epsilon is not None:
            settings["epsilon"] = epsilon
        self._run = _core.Run({"rows": rows, "features": features, **settings})
        self.statement = json.loads(self._run.statement_json)
        self.plan = json.loads(self._run.plan_json)
        keeper = accountant_for(accountant)
        if keeper is not None:
            keeper.charge(self.statement, settings.get("init"))
        self._told = self._run_stands_at() if settings.get("resume") else 0

    def _run_stands_at(self):
        """Rounds that came from the checkpoint."""
        try:
            return self._run.ask()[0] - 1
        except StateError:
            return self.statement["rounds"]

    @property
    def done(self):
        """Whether all rounds were told."""
        return self._told == self.statement["rounds"]

    def ask(self):
        """The round under way."""
        *facts, x, x_prev = self._run.ask()
        return Round(*facts, np.frombuffer(x), np.frombuffer(x_prev))

    def delta(self, X, y):
        """The sum of a shard of this round. Calls may run in parallel threads."""
        asked = self.ask()
        if self._classes is not None:
            labels = _data.encode_classes(y, self._classes)
        else:
            labels = _data.encode_numbers(y)
        values = np.zeros(asked.dim, np.int64)
        count = self._run.delta(_data.rows_of(X, labels), values)
        return ShardSum(asked.t, values, count)

    def tell(self, shard_sum):
        """Releases the round. Refused unless all its rows are in, each within its clip."""
        if shard_sum.t != self.ask().t:
            raise StateError("this sum belongs to another round")
        self._run.tell(np.ascontiguousarray(shard_sum.values), shard_sum.count)
        self._told += 1

    def finish(self):
        """The model, once all rounds were told."""
        return self._run.finish()
