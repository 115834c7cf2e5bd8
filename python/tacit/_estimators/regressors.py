# SPDX-License-Identifier: MIT
"""Private regressors."""
import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from tacit import _data
from tacit._core import DataError
from tacit._estimators.base import Private, coefficients_of
from tacit._estimators.parameters import documented, store
from tacit._estimators.validation import real
from tacit._quiet import quietly


class _FewRows:
    """In one private pass over 200 rows this loss cannot reach the R² that scikit-learn's
    checks ask for; tests/python/test_models.py asks for more on enough rows."""

    def _more_tags(self):
        return {"poor_score": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


class _Regressor(RegressorMixin, Private):
    """Number labels, mapped to [-1, 1] inside; coefficients are in the units of y."""

    _mapped = True

    def _target(self, y):
        bounds, schema = self.bounds, {}
        if bounds is None:
            _data.leak(self.on_leak, "bounds", "declare bounds=(min, max) of y")
            schema = {"leaks": "bounds"}
            bounds = self._seen_bounds(np.asarray(y, dtype=np.float64))
        bounds = _data.checked_bounds(bounds)
        return _data.encode_numbers(y), {**schema, "labels": bounds}, {}

    def _seen_bounds(self, y):
        low, high = float(np.min(y)), float(np.max(y))
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    def _declared_target(self):
        if self.bounds is None:
            raise _data.PrivacyLeakError("a stream needs the bounds of y beforehand: declare bounds=")
        return {"labels": _data.checked_bounds(self.bounds)}, {}

    def _encoded(self, y, attributes):
        return _data.encode_numbers(y)

    def _penalty(self, n_units):
        return real("alpha", self.alpha, 0)

    def _set_coefficients(self, model):
        coefficients, intercepts = coefficients_of(model)
        self.coef_, self.intercept_ = coefficients[0], float(intercepts[0])
        if self._mapped:
            low, high = model.label
            self.coef_ *= (high - low) / 2
            self.intercept_ = low + (self.intercept_ + 1) / 2 * (high - low)

    def predict(self, X):
        """Predictions in the units of y."""
        return self._values(X, "scores", 1).ravel()

    def score(self, X, y, sample_weight=None):
        """R² of the predictions."""
        check_is_fitted(self, "model_")
        return quietly(lambda: super(_Regressor, self).score(X, y, sample_weight), X, y)


@documented
class LinearRegression(_Regressor):
    """Private least squares. ``bounds`` declares (min, max) of y; y is clamped to it."""

    def __init__(self, epsilon=None, *, delta=None, bounds=None, adjacency="replace", passes=None,
                 data_norm=1.0, learner=None, init=None, init_public=False, fit_intercept=True,
                 rows=None, max_weight=None, unit_rows=None, random_state=None, accountant=None,
                 on_leak="raise", n_jobs=None, centre=None, options=None, verbose=False,
                 callbacks=None):
        store(locals())

    def _loss(self):
        return "squared"

    def _penalty(self, n_units):
        return 0.0


class _Penalised(_Regressor):
    """A regressor with an L2 penalty."""

    def __init__(self, epsilon=None, *, delta=None, bounds=None, alpha=0.0, adjacency="replace",
                 passes=None, data_norm=1.0, learner=None, init=None, init_public=False,
                 fit_intercept=True, rows=None, max_weight=None, unit_rows=None,
                 random_state=None, accountant=None, on_leak="raise",
                 n_jobs=None, centre=None, options=None, verbose=False,
                 callbacks=None):
        store(locals())


@documented
class Ridge(_Penalised):
    """Private least squares with scikit-learn's penalty: sum of squares + alpha·|w|²."""

    def __init__(self, epsilon=None, *, delta=None, bounds=None, alpha=1.0, adjacency="replace",
                 passes=None, data_norm=1.0, learner=None, init=None, init_public=False,
                 fit_intercept=True, rows=None, max_weight=None, unit_rows=None,
                 random_state=None, accountant=None, on_leak="raise",
                 n_jobs=None, centre=None, options=None, verbose=False,
                 callbacks=None):
        store(locals())

    def _loss(self):
        return "squared"

    def _penalty(self, n_units):
        return super()._penalty(n_units) / n_units


@documented
class PoissonRegressor(_FewRows, _Penalised):
    """Private Poisson regression on counts; ``bounds`` is (0, largest count).

    The penalty is (alpha/2)·|w|² on the mean loss.
    """

    _mapped = False

    def _loss(self):
        return "poisson"

    def _seen_bounds(self, y):
        if np.min(y) < 0:
            raise DataError("y holds a negative count")
        return 0.0, max(1.0, float(np.max(y)))

    def _more_tags(self):
        return {**super()._more_tags(), "requires_positive_y": True}

    def __sklearn_tags__(self):
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

    def __init__(self, epsilon=None, *, delta=None, bounds=None, threshold=1.0, alpha=0.0,
                 adjacency="replace", passes=None, data_norm=1.0, learner=None, init=None,
                 init_public=False, fit_intercept=True, rows=None, max_weight=None,
                 unit_rows=None, random_state=None, accountant=None, on_leak="raise",
                 n_jobs=None, centre=None, options=None, verbose=False,
                 callbacks=None):
        store(locals())

    def _loss(self):
        return f"huber:tau={real('threshold', self.threshold, 1e-6, 1e6)!r}"


@documented
class QuantileRegressor(_FewRows, _Penalised):
    """Private quantile regression with a smoothed pinball loss.

    ``quantile`` between 0 and 1; ``smoothing`` is the width of the corner, in half the
    range of y (None: the library chooses). The penalty is (alpha/2)·|w|² on the mean loss.
    """

    def __init__(self, epsilon=None, *, delta=None, bounds=None, quantile=0.5, smoothing=None,
                 alpha=0.0, adjacency="replace", passes=None, data_norm=1.0, learner=None,
                 init=None, init_public=False, fit_intercept=True, rows=None, max_weight=None,
                 unit_rows=None, random_state=None, accountant=None, on_leak="raise",
                 n_jobs=None, centre=None, options=None, verbose=False,
                 callbacks=None):
        store(locals())

    def _loss(self):
        quantile = real("quantile", self.quantile, 1e-6, 1 - 1e-6)
        if self.smoothing is None:
            return f"quantile:tau={quantile!r}"
        return f"quantile:tau={quantile!r},kappa={real('smoothing', self.smoothing, 1e-6, 10)!r}"
