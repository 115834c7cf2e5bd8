# SPDX-License-Identifier: MIT
"""Differentially private linear models in a few passes over the data.

The estimators follow scikit-learn. ``BudgetAccountant`` keeps a budget over many fits, and
``tacit.metrics`` evaluates models privately.
``Trainer`` gives other engines access to the private core, ``tacit.spark`` trains on Spark. See
docs/howto/python.md.
"""
from __future__ import annotations

from typing import Any

from tacit._account import (
    catalog,
    compose_mu,
    delta_from_mu,
    epsilon_from_mu,
    mu_from_dp,
    mu_from_pure,
    mu_from_zcdp,
    plan,
    zcdp_from_mu,
)
from tacit._budget import UNCOUNTED, Budget, BudgetAccountant, PrivacyWarning
from tacit._core import (
    ArgumentError,
    BudgetError,
    DataError,
    FileError,
    Model,
    OutOfMemoryError,
    PrivacyError,
    RandomnessError,
    StateError,
    StoppedError,
    TacitError,
)
from tacit._core import model_load as load_model
from tacit._core import version as __version__
from tacit._data import PrivacyLeakError, PrivacyLeakWarning
from tacit import _show  # noqa: F401  gives models and schemas their pages
from tacit._infer import Effects, infer
from tacit._stream import Stream
from tacit._schema import (
    Bool,
    Category,
    Classes,
    Date,
    Hashed,
    Ignore,
    Numeric,
    Ordinal,
    Schema,
    Target,
    Text,
    Unit,
    Weight,
)
from tacit._table import check
from tacit._trainer import Order, PersonOrder, Round, ShardSum, Trainer, Worker

_ESTIMATORS = [
    "BoundsScaler",
    "HuberRegressor",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "PoissonRegressor",
    "QuantileRegressor",
    "Ridge",
    "TableClassifier",
    "TableRegressor",
    "from_json",
]

__all__ = [
    "ArgumentError",
    "Bool",
    "Budget",
    "BudgetAccountant",
    "BudgetError",
    "Category",
    "Classes",
    "DataError",
    "Date",
    "Effects",
    "FileError",
    "Hashed",
    "Ignore",
    "Model",
    "Numeric",
    "Order",
    "Ordinal",
    "OutOfMemoryError",
    "PersonOrder",
    "PrivacyError",
    "PrivacyLeakError",
    "PrivacyLeakWarning",
    "PrivacyWarning",
    "RandomnessError",
    "Round",
    "Schema",
    "ShardSum",
    "StateError",
    "StoppedError",
    "Stream",
    "TacitError",
    "Target",
    "Text",
    "Trainer",
    "UNCOUNTED",
    "Unit",
    "Weight",
    "Worker",
    "__version__",
    "catalog",
    "check",
    "compose_mu",
    "cross_validate",
    "delta_from_mu",
    "epsilon_from_mu",
    "infer",
    "load_model",
    "metrics",
    "mu_from_dp",
    "mu_from_pure",
    "mu_from_zcdp",
    "plan",
    "zcdp_from_mu",
    *_ESTIMATORS,
]


def __getattr__(name: str) -> Any:
    # Imported on use: scikit-learn takes a second, and Trainer and accounting do not need it.
    if name in _ESTIMATORS:
        from tacit import _estimators

        return getattr(_estimators, name)
    if name in ("metrics", "cross_validate"):
        import importlib

        module = importlib.import_module("tacit.metrics")
        return module if name == "metrics" else module.cross_validate
    raise AttributeError(f"module 'tacit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
