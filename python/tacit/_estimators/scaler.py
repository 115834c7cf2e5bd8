# SPDX-License-Identifier: MIT
"""Scaling by declared bounds."""
from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tacit._core import ArgumentError
from tacit._estimators.validation import KINDS, checked
from tacit._types import Array, Facts


class BoundsScaler(TransformerMixin, BaseEstimator):
    """Clamps each column to declared bounds and maps it to [-1, 1].

    The bounds are public facts, so this step of a pipeline costs no privacy, unlike
    scikit-learn's scalers, which learn from the records.

    Parameters
    ----------
    low, high : float, list, or dict by column name
    """

    def __init__(self, low: Any = -1.0, high: Any = 1.0) -> None:
        self.low = low
        self.high = high

    def fit(self, X: Any, y: Any = None) -> Self:
        X = checked(self, X)
        low, high = self._vector(self.low), self._vector(self.high)
        if not np.all(low < high):
            raise ArgumentError("low must be below high in every column")
        self.low_, self.high_ = low, high
        return self

    def _vector(self, value: Any) -> Array:
        if isinstance(value, dict):
            names = getattr(self, "feature_names_in_", None)
            if names is None or set(value) != set(names):
                raise ArgumentError("bounds by name need a DataFrame with exactly these columns")
            value = [value[name] for name in names]
        return np.broadcast_to(np.asarray(value, dtype=float), (self.n_features_in_,)).copy()

    def transform(self, X: Any) -> Array:
        check_is_fitted(self)
        X = checked(self, X, reset=False)
        scaled: Array = (np.clip(X, self.low_, self.high_) - self.low_) / (self.high_ - self.low_)
        return np.asarray(2 * scaled - 1, dtype=X.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        if input_features is None:
            input_features = getattr(self, "feature_names_in_", None)
        if input_features is None:
            input_features = [f"x{i}" for i in range(self.n_features_in_)]
        return np.asarray(input_features, dtype=object)

    def _more_tags(self) -> Facts:
        return {"preserves_dtype": KINDS}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
