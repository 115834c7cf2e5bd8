# SPDX-License-Identifier: MIT
"""Private estimators in the manner of scikit-learn."""
from __future__ import annotations

from typing import Any

from tacit._estimators.classifiers import LinearSVC, LogisticRegression
from tacit._estimators.regressors import (
    HuberRegressor,
    LinearRegression,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
)
from tacit._estimators.scaler import BoundsScaler
from tacit._estimators.statement import Statement, _statement_of  # pickles of 0.1.0 name them
from tacit._estimators.stored import estimator_of
from tacit._estimators.tables import TableClassifier, TableRegressor

__all__ = ["BoundsScaler", "Statement", "TableClassifier", "TableRegressor", "_statement_of", "from_json"]
_BY_NAME = {
    cls.__name__: cls
    for cls in (HuberRegressor, LinearRegression, LinearSVC, LogisticRegression,
                PoissonRegressor, QuantileRegressor, Ridge)
}
__all__ += _BY_NAME


def from_json(text: str) -> Any:
    """The fitted estimator of ``to_json``."""
    return estimator_of(text, _BY_NAME)
