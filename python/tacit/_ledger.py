# SPDX-License-Identifier: MIT
"""An accountant whose count is in a ledger, for all processes and machines."""
from __future__ import annotations

import json
import os
from typing import Any

from tacit import _core
from tacit._budget import BudgetAccountant, _process
from tacit._core import ArgumentError
from tacit._types import Facts, Path


class LedgerAccountant(BudgetAccountant):
    """What ``BudgetAccountant(ledger=…, dataset=…)`` makes."""

    _everywhere = True

    def __init__(self, *ceiling: Any, ledger: Path, dataset: str | None = None, **options: Any) -> None:
        if ceiling or options:
            raise ArgumentError("the ceiling is that of the data set in the ledger: give ledger= "
                                "and dataset= only")
        if dataset is None:
            raise ArgumentError("a ledger has budgets of several data sets: give dataset=")
        ledger = os.fspath(ledger)
        self.ledger = ledger if "://" in ledger else os.path.realpath(ledger)
        self.dataset = self._named = dataset
        self._maker, self._home = _process(), None  # it is at home everywhere
        terms = self._set()
        self.epsilon, self.delta = terms["epsilon"], terms["delta"]
        self.adjacency, self.unit = terms["adjacency"], terms["unit"]
        self.in_place, self._ceiling = terms["in_place"], terms["mu"]
        self._paid_models = set()  # a ledger charges for an initial model every time

    def __repr__(self) -> str:
        return f"BudgetAccountant(ledger={self.ledger!r}, dataset={self.dataset!r})"

    def __len__(self) -> int:
        """Number of runs that are reserved or committed, of all processes."""
        return sum(entry["state"] in ("reserved", "committed") for entry in self._set()["entries"])

    def __reduce__(self) -> tuple[Any, ...]:
        return (_open, (self.ledger, self.dataset))

    def _is(self, other: object) -> bool:
        return (isinstance(other, LedgerAccountant)
                and (self.ledger, self.dataset) == (other.ledger, other.dataset))

    def _set(self) -> Facts:
        sets: list[Facts] = json.loads(_core.ledger_read(self.ledger))["datasets"]
        for terms in sets:
            if terms["dataset"] == self.dataset:
                return terms
        raise ArgumentError(f"data set {self.dataset} is not in the ledger")

    def _counts_here(self) -> bool:
        return True

    def _made_here(self) -> bool:
        return self._maker == _process()

    @property
    def mu(self) -> float:
        """The µ of everything reserved or committed; 0 if nothing is."""
        return float(self._set()["spent_mu"])

    def _check_room(self, mu: float) -> None:
        pass  # the ledger checks it in the transaction that takes it

    def _take(self, mu: float, kind: str, statement: Facts | None, unit: str) -> int:
        if statement is None:
            raise ArgumentError(
                "a ledger takes privacy statements, not a bare mu: use charge(statement)")
        return _core.ledger_reserve(self.ledger, self.dataset, kind, json.dumps(dict(statement)))

    def _give_back(self, receipt: Any) -> None:
        _core.ledger_end(self.ledger, receipt, False)

    def _settle(self, receipt: Any) -> None:
        _core.ledger_end(self.ledger, receipt, True)


def _open(ledger: str, dataset: str) -> LedgerAccountant:
    return LedgerAccountant(ledger=ledger, dataset=dataset)
