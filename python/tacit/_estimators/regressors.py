# SPDX-License-Identifier: MIT
"""Private regressors."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from tacit import _core, _data
from tacit._budget import Accountant
from tacit._core import DataError
from tacit._estimators.base import Private, coefficients_of
from tacit._estimators.parameters import documented, store
from tacit._estimators.validation import real
from tacit._quiet import quietly
from tacit._types import Array, Callbacks, Facts


class _FewRows:
    """In one private pass over 200 rows this loss cannot reach the R² that scikit-learn's
    checks ask for; tests/python/test_models.py asks for more on enough rows."""

    def _more_tags(self) -> Facts:
        return {"poor_score": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the estimator that this goes with
        tags.regressor_tags.poor_score = True
        return tags


class _Regressor(RegressorMixin, Private):
    """Number labels, mapped to [-1, 1] inside; coefficients are in the units of y."""

    _mapped = True

    def _target(self, y: Any) -> tuple[Array, Facts, Facts]:
        bounds, schema = self.bounds, {}
        if bounds is None:
            _data.leak(self.on_leak, "bounds", "declare bounds=(min, max) of y")
            schema = {"leaks": "bounds"}
            bounds = self._seen_bounds(np.asarray(y, dtype=np.float64))
        bounds = _data.checked_bounds(bounds)
        return _data.encode_numbers(y), {**schema, "labels": bounds}, {}

    def _seen_bounds(self, y: Any) -> tuple[float, float]:
        low, high = float(np.min(y)), float(np.max(y))
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    def _declared_target(self) -> tuple[Facts, Facts]:
        if self.bounds is None:
            raise _data.PrivacyLeakError("a stream needs the bounds of y beforehand: declare bounds=")
        return {"labels": _data.checked_bounds(self.bounds)}, {}

    def _encoded(self, y: Any, attributes: Facts) -> Array:
        return _data.encode_numbers(y)

    def _penalty(self, n_units: int) -> float:
        return real("alpha", self.alpha, 0)

    def _set_coefficients(self, model: _core.Model) -> None:
        coefficients, intercepts = coefficients_of(model)
        self.coef_, self.intercept_ = coefficients[0], float(intercepts[0])
        if self._mapped and model.label is not None:
            low, high = model.label
            self.coef_ *= (high - low) / 2
            self.intercept_ = low + (self.intercept_ + 1) / 2 * (high - low)

    def predict(self, X: Any) -> Array:
        """Predictions in the units of y."""
        return self._values(X, "scores", 1).ravel()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions."""
        check_is_fitted(self, "model_")
        return float(quietly(lambda: super(_Regressor, self).score(X, y, sample_weight), X, y))


@documented
class LinearRegression(_Regressor):
    """Private least squares. ``bounds`` declares (min, max) of y; y is clamped to it."""

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None, bounds: Any = None,
                 adjacency: str = "replace", passes: int | None = None, data_norm: float = 1.0,
                 learner: str | None = None, init: Any = None, init_public: bool = False,
                 fit_intercept: bool = True, rows: int | None = None, max_weight: float | None = None,
                 unit_rows: int | None = None, random_state: Any = None, accountant: Accountant | None = None,
                 on_leak: str = "raise", n_jobs: int | None = None, centre: str | None = None,
                 options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    def _loss(self) -> str:
        return "squared"

    def _penalty(self, n_units: int) -> float:
        return 0.0


class _Penalised(_Regressor):
    """A regressor with an L2 penalty."""

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None, bounds: Any = None,
                 alpha: float = 0.0, adjacency: str = "replace", passes: int | None = None,
                 data_norm: float = 1.0, learner: str | None = None, init: Any = None,
                 init_public: bool = False, fit_intercept: bool = True, rows: int | None = None,
                 max_weight: float | None = None, unit_rows: int | None = None, random_state: Any = None,
                 accountant: Accountant | None = None, on_leak: str = "raise", n_jobs: int | None = None,
                 centre: str | None = None, options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())


@documented
class Ridge(_Penalised):
    """Private least squares with scikit-learn's penalty: sum of squares + alpha·|w|²."""

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None, bounds: Any = None,
                 alpha: float = 1.0, adjacency: str = "replace", passes: int | None = None,
                 data_norm: float = 1.0, learner: str | None = None, init: Any = None,
                 init_public: bool = False, fit_intercept: bool = True, rows: int | None = None,
                 max_weight: float | None = None, unit_rows: int | None = None, random_state: Any = None,
                 accountant: Accountant | None = None, on_leak: str = "raise", n_jobs: int | None = None,
                 centre: str | None = None, options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    def _loss(self) -> str:
        return "squared"

    def _penalty(self, n_units: int) -> float:
        return super()._penalty(n_units) / n_units


@documented
class PoissonRegressor(_FewRows, _Penalised):
    """Private Poisson regression on counts; ``bounds`` is (0, largest count).

    The penalty is (alpha/2)·|w|² on the mean loss.
    """

    _mapped = False

    def _loss(self) -> str:
        return "poisson"

    def _seen_bounds(self, y: Any) -> tuple[float, float]:
        if np.min(y) < 0:
            raise DataError("y holds a negative count")
        return 0.0, max(1.0, float(np.max(y)))

    def _more_tags(self) -> Facts:
        return {**super()._more_tags(), "requires_positive_y": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


@documented
class HuberRegressor(_Penalised):
    """Private regression on which outliers have less influence.

    ``threshold`` is the residual where the loss turns linear, in half the range of y
    (scikit-learn's name for it, epsilon, is the budget here). The penalty is
    (alpha/2)·|w|² on the mean loss.
    """

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None, bounds: Any = None,
                 threshold: float = 1.0, alpha: float = 0.0, adjacency: str = "replace",
                 passes: int | None = None, data_norm: float = 1.0, learner: str | None = None,
                 init: Any = None, init_public: bool = False, fit_intercept: bool = True,
                 rows: int | None = None, max_weight: float | None = None, unit_rows: int | None = None,
                 random_state: Any = None, accountant: Accountant | None = None, on_leak: str = "raise",
                 n_jobs: int | None = None, centre: str | None = None, options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    def _loss(self) -> str:
        return f"huber:tau={real('threshold', self.threshold, 1e-6, 1e6)!r}"


@documented
class QuantileRegressor(_FewRows, _Penalised):
    """Private quantile regression with a smoothed pinball loss.

    ``quantile`` between 0 and 1; ``smoothing`` is the width of the corner, in half the
    range of y (None: the library chooses). The penalty is (alpha/2)·|w|² on the mean loss.
    """

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None, bounds: Any = None,
                 quantile: float = 0.5, smoothing: float | None = None, alpha: float = 0.0,
                 adjacency: str = "replace", passes: int | None = None, data_norm: float = 1.0,
                 learner: str | None = None, init: Any = None, init_public: bool = False,
                 fit_intercept: bool = True, rows: int | None = None, max_weight: float | None = None,
                 unit_rows: int | None = None, random_state: Any = None, accountant: Accountant | None = None,
                 on_leak: str = "raise", n_jobs: int | None = None, centre: str | None = None,
                 options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    def _loss(self) -> str:
        quantile = real("quantile", self.quantile, 1e-6, 1 - 1e-6)
        if self.smoothing is None:
            return f"quantile:tau={quantile!r}"
        return f"quantile:tau={quantile!r},kappa={real('smoothing', self.smoothing, 1e-6, 10)!r}"
