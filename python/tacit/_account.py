# SPDX-License-Identifier: MIT
"""Conversions between privacy measures, each rounded against the user, and plans."""
from __future__ import annotations

import json
from typing import Any

from tacit import _core
from tacit._types import Facts


def delta_from_mu(mu: float, epsilon: float) -> float:
    """Smallest delta for which a mu-GDP mechanism is (epsilon, delta)-DP."""
    return _core.account("delta_from_mu_up", mu, epsilon)


def epsilon_from_mu(mu: float, delta: float) -> float:
    """Smallest epsilon for which a mu-GDP mechanism is (epsilon, delta)-DP."""
    return _core.account("epsilon_from_mu_up", mu, delta)


def mu_from_dp(epsilon: float, delta: float) -> float:
    """Largest mu whose guarantee still implies (epsilon, delta)-DP."""
    return _core.account("mu_from_dp_down", epsilon, delta)


def mu_from_pure(epsilon: float) -> float:
    """Smallest mu for which every epsilon-DP mechanism is mu-GDP."""
    return _core.account("mu_from_pure_up", epsilon)


def zcdp_from_mu(mu: float) -> float:
    """The zCDP of a mu-GDP mechanism."""
    return _core.account("zcdp_from_mu_up", mu)


def mu_from_zcdp(zcdp: float) -> float:
    """The mu of the Gaussian mechanism that is `zcdp`-zCDP."""
    return _core.account("mu_from_zcdp_down", zcdp)


def compose_mu(*mus: float) -> float:
    """The total mu of several mechanisms on the data of the same people."""
    if not mus:
        return 0.0
    total = float(mus[0])
    for mu in mus[1:]:
        total = _core.account("mu_compose_up", total, mu)
    return total


def plan(**settings: Any) -> Facts:
    """The plan of a run and its privacy statement, from public facts: no data is needed.

    ``plan(rows=10000, features=20, epsilon=1.0)``; the keys are those of
    ``tacit_config`` (include/tacit/config.h), with ``classes=K`` or ``labels=(min, max)``.
    """
    _, facts, _, statement = _core.plan(settings)
    return {**json.loads(facts), "statement": json.loads(statement)}


def catalog() -> dict[str, dict[str, Facts]]:
    """Losses, learners, mechanisms and laws of this build, with their parameters."""
    keys = ("name", "min", "max", "default", "help")
    return {
        family: {
            name: {"summary": summary, "params": [dict(zip(keys, p)) for p in params]}
            for name, summary, params in entries
        }
        for family, entries in _core.catalog().items()
    }
