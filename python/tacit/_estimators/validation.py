# SPDX-License-Identifier: MIT
"""Checks of arguments, and scikit-learn's checks of data for all its versions."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import validation

from tacit._core import ArgumentError
from tacit._quiet import quietly

KINDS = [np.float64, np.float32]
_HAS_FUNCTION = hasattr(validation, "validate_data")  # since scikit-learn 1.6
_FINITE = "ensure_all_finite" if _HAS_FUNCTION else "force_all_finite"


def checked(estimator: Any, X: Any, *y: Any, numbers: Any = None, **options: Any) -> Any:
    """X, and y if given, as scikit-learn checks them; a failure shows no value of the data.

    ``numbers`` is y if it must be numbers, for the message."""
    validate = validation.validate_data if _HAS_FUNCTION else type(estimator)._validate_data
    return quietly(lambda: validate(estimator, X, *y, dtype=KINDS, **options), X, numbers)


def checked_rows(estimator: Any, X: Any, *y: Any, numbers: Any = None, **options: Any) -> Any:
    """The same for rows of an estimator: dense or CSR, and any number. The library refuses
    what is not finite."""
    return checked(estimator, X, *y, numbers=numbers, accept_sparse="csr", **{_FINITE: False},
                   **options)


def real(name: str, value: Any, low: float, high: float = np.inf) -> float:
    """A parameter as a float in its range."""
    if not isinstance(value, (int, float, np.number)) or not low <= value <= high:
        raise ArgumentError(f"{name} must be a number from {low:g}" +
                            (f" to {high:g}" if high < np.inf else " up"))
    return float(value)


def whole(name: str, value: Any) -> int:
    """A parameter as a whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ArgumentError(f"{name} must be a whole number from 1 up")
    return int(value)


def seed_of(random_state: Any) -> int:
    """The seed that scikit-learn's ``random_state`` means."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ArgumentError("random_state must not be negative")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    raise ArgumentError("random_state must be an int or a NumPy generator")
