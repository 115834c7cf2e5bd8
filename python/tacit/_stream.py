# SPDX-License-Identifier: MIT
"""A model a day under one budget.

    stream = Stream("visits.state", key_file="visits.key", horizon=365, batch_rows=5000,
                    epsilon=1.0, features=20)
    model = stream.feed(X, y, round=17)
"""
from __future__ import annotations

import json
import os
from typing import Any

from tacit import _core, _data
from tacit._budget import Accountant, BudgetAccountant, charge_stream
from tacit._core import ArgumentError
from tacit._ledger import LedgerAccountant
from tacit._quiet import quietly
from tacit._trainer import Labels
from tacit._types import Facts, Path


class Stream:
    """A stream of days, each learned once; all models together have one budget.

    Parameters
    ----------
    path : path or None
        The sealed state. If it exists, the stream goes on there, with the options it was begun
        with; only ``key_file`` and the labels are given again. None: in memory, for experiments.
    key_file : path
        32 bytes or more that no one else can read. Required with a path.
    horizon, batch_rows : int
        The number of days in all, and the rows (persons) of an ordinary day. Both are public;
        sums are divided by batch_rows, whatever a day has.
    epsilon : float
        The budget of all days together. ``delta`` and other settings of ``tacit_config`` may be
        given as keywords.
    features : int
        Number of columns.
    classes : list, or bounds : (min, max)
        The declared classes (default [0, 1]), or the bounds of a number label.
    window : int
        Forget: sums begin anew after so many days. Default: never.
    persons : bool
        Rows belong to persons: ``feed`` gets their ids as ``groups``.
    unit_once : bool
        Rows of a person who came on an earlier day count nothing. Keeps ``PATH.persons``.
    ledger, dataset : str
        Reserve the budget in this ledger, which also notices an old copy of the state.
    accountant : BudgetAccountant
        Charged for all days when the stream begins, as are those that are open (``with
        BudgetAccountant(…):``). ``feed`` charges those for all days that were opened later, and a
        stream that goes on from its state charges them again: its ledger alone knows it.
    evaluate : float
        Share of the squared mu, up to 0.5, for scores: every day the model at hand is evaluated on
        the rows of the day before they are learned, with noise (``score_``). Default: none.
    class_weight, max_weight
        As in the estimators.

    Attributes
    ----------
    model_ : tacit.Model
        The model after the last day that was fed.
    score_ : dict or None
        How well the model before it did on the rows of that day, with intervals.
    """

    def __init__(self, path: Path | None = None, *, key_file: Path | None = None, horizon: int | None = None,
                 batch_rows: int | None = None, epsilon: float | None = None, features: int | None = None,
                 classes: Any = None, bounds: Any = None, window: int | None = None, persons: bool = False,
                 unit_once: bool = False, ledger: Path | None = None, dataset: str | None = None,
                 accountant: Accountant | None = None, evaluate: float | None = None,
                 class_weight: Any = None, max_weight: float | None = None, **settings: Any) -> None:
        if classes is None and bounds is None:
            classes = [0, 1]
        self._labels = Labels(classes, bounds, class_weight, max_weight)
        self._persons = bool(persons or unit_once)
        self._accountant = accountant
        self._paid: list[BudgetAccountant] | None = None
        path, key_file, ledger = (None if name is None else os.fspath(name)
                                  for name in (path, key_file, ledger))
        options = {"horizon": horizon, "batch_rows": batch_rows, "epsilon": epsilon,
                   "features": features, "window": window, "ledger": ledger,
                   "class_weight": class_weight, "evaluate": evaluate, "persons": persons or None,
                   "unit_once": unit_once or None, **settings}
        given = [name for name, value in options.items() if value is not None]
        if path is not None and os.path.lexists(path):
            if given:
                raise ArgumentError(f"{path} exists: a stream goes on with the options it was "
                                    f"begun with; leave out {given[0]}")
            self._days = _core.Days(None, path, key_file, 0, 0, 0, False, False, None, None,
                                    0.0)
            self._persons = self._days.look()["persons"]
            return
        if horizon is None or batch_rows is None or features is None:
            name = ("horizon" if horizon is None else "batch_rows" if batch_rows is None else "features")
            raise ArgumentError(f"{name} is missing: a new stream declares it")
        whole = {**settings, "features": features, **self._labels.settings}
        if epsilon is not None:
            whole["epsilon"] = epsilon
        if whole.get("delta") == 0:
            whole["pure"] = True
        if max_weight is not None:
            whole["weighted"] = True
        self._days = _core.Days(whole, path, key_file, horizon, batch_rows, window or 0,
                                self._persons, bool(unit_once), ledger, dataset, evaluate or 0.0)
        try:
            self._charge()
        except BaseException:  # no noise was drawn: as if it had not begun
            self._days.close()
            for name in () if path is None else (path, path + ".persons"):
                if os.path.lexists(name):
                    os.unlink(name)
            raise

    def _charge(self) -> None:
        """Charges the accountants that were not charged for this stream."""
        if self._paid is None:
            own = {name: self.status[name] for name in ("ledger", "dataset")}
            self._paid = [LedgerAccountant(**own)] if own["ledger"] else []
        charge_stream(self.statement, self._accountant, self._paid)

    def feed(self, X: Any = None, y: Any = None, *, round: int | None = None, skip: bool = False,
             groups: Any = None, sample_weight: Any = None) -> _core.Model:
        """Learns the rows of a day and returns the model after it.

        ``round`` is the number of the day, from 1: then a call can be repeated, and gives the
        same model. Without it, the next day is meant, or the last one if its rows come again.
        ``skip=True`` passes over days before ``round`` that were missed. ``feed(round=t)``
        without rows is a day on which nobody came. ``groups`` are the ids of persons.
        """
        if round is not None and round < 1:
            raise ArgumentError("rounds are counted from 1")
        rows = None
        if X is not None and X.shape[0] > 0:
            rows = quietly(lambda: self._rows(X, y, groups, sample_weight), X,
                           y if self._labels.classes is None else None)
        self._charge()
        self._days.feed(rows, round or 0, skip)
        return self.model_

    def _rows(self, X: Any, y: Any, groups: Any, sample_weight: Any) -> tuple[Any, ...]:
        if (groups is not None) != self._persons:
            raise ArgumentError("groups are for streams of persons (persons=True), which need "
                                "them every day")
        labels = self._labels.encode(y)
        if sample_weight is not None and self._labels.max_weight is None:
            raise ArgumentError("weights are declared when the stream begins: give max_weight=")
        weights, _ = _data.weights_of(sample_weight, len(labels), self._labels.max_weight, "raise")
        ids = None if groups is None else _data.ids_of(groups, len(labels))
        return _data.rows_of(X, labels, weights, ids)

    @property
    def model_(self) -> _core.Model:
        return self._days.model()

    @property
    def score_(self) -> Facts | None:
        return None if self._days.score is None else json.loads(self._days.score)

    @property
    def status(self) -> Facts:
        """Where the stream is: round, horizon, rows, begun, closed, …; all of it is public."""
        return self._days.look()

    @property
    def statement(self) -> Facts:
        """The privacy statement of all models, as a dictionary."""
        statement: Facts = json.loads(self._days.statement_json)
        return statement

    def close(self) -> None:
        """Ends the stream; the budget stays spent."""
        self._days.close()

    def __repr__(self) -> str:
        at = self.status
        return f"<Stream at round {at['round']} of {at['horizon']}>"
