# SPDX-License-Identifier: MIT
"""Private classifiers."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from tacit import _core, _data
from tacit._budget import Accountant
from tacit._core import DataError
from tacit._estimators.base import Private, coefficients_of
from tacit._estimators.parameters import documented, store
from tacit._estimators.validation import real
from tacit._quiet import quietly
from tacit._types import Array, Callbacks, Facts


class _Classifier(ClassifierMixin, Private):
    """Classes as labels, numbered inside."""

    def _numbers(self, y: Any) -> Any:
        return None

    def _target(self, y: Any) -> tuple[Array, Facts, Facts]:
        check_classification_targets(y)
        classes, schema = self.classes, {}
        if classes is None:
            _data.leak(self.on_leak, "classes", "declare classes=[…]")
            schema = {"leaks": "classes"}
            classes = np.unique(y)
            if len(classes) < 2:
                raise DataError("y holds 1 class only: a classifier needs at least 2 classes")
        attributes = {"classes_": _data.declared_classes(classes)}
        labels = self._encoded(y, attributes)
        return labels, {**schema, **self._class_settings(attributes["classes_"])}, attributes

    def _declared_target(self) -> tuple[Facts, Facts]:
        if self.classes is None:
            raise _data.PrivacyLeakError("a stream needs its classes beforehand: declare classes=")
        classes = _data.declared_classes(self.classes)
        return self._class_settings(classes), {"classes_": classes}

    def _class_settings(self, classes: Array) -> Facts:
        weights = _data.class_weights_of(self.class_weight, classes)
        return {"classes": len(classes), **({} if weights is None else {"class_weights": weights})}

    def _encoded(self, y: Any, attributes: Facts) -> Array:
        return _data.encode_classes(y, attributes["classes_"])

    def _penalty(self, n_units: int) -> float:
        return 1 / (real("C", self.C, 1e-12) * n_units)

    def _set_coefficients(self, model: _core.Model) -> None:
        self.coef_, self.intercept_ = coefficients_of(model)

    def decision_function(self, X: Any) -> Array:
        """Margins: positive for the second of two classes; one column per class for more."""
        check_is_fitted(self, "model_")
        margins = self._values(X, "margins", self.model_.outputs)
        return margins.ravel() if self.model_.outputs == 1 else margins

    def predict(self, X: Any) -> Array:
        """The likeliest class of each row."""
        margins = self.decision_function(X)
        chosen = (margins > 0).astype(int) if margins.ndim == 1 else np.argmax(margins, axis=1)
        return np.asarray(self.classes_[chosen])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the fraction of rows whose class is predicted."""
        check_is_fitted(self, "model_")
        return float(quietly(lambda: super(_Classifier, self).score(X, y, sample_weight), X))


@documented
class LogisticRegression(_Classifier):
    """Private logistic regression; softmax for more than two classes.

    ``C`` is the inverse strength of the L2 penalty, as in scikit-learn; the default is no
    penalty. ``classes`` declares the classes. ``class_weight`` is {class: weight}, or
    ("balanced", {class: rate}) with rates that are known without the data; both are divided by
    the largest weight.
    """

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None, classes: Any = None,
                 class_weight: Any = None, C: float = np.inf, adjacency: str = "replace",
                 passes: int | None = None, data_norm: float = 1.0, learner: str | None = None,
                 init: Any = None, init_public: bool = False, fit_intercept: bool = True,
                 rows: int | None = None, max_weight: float | None = None, unit_rows: int | None = None,
                 random_state: Any = None, accountant: Accountant | None = None, on_leak: str = "raise",
                 n_jobs: int | None = None, centre: str | None = None, options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    def _loss(self) -> str | None:
        return None

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, one column per class."""
        check_is_fitted(self, "model_")
        scores = self._values(X, "scores", self.model_.outputs)
        return np.hstack([1 - scores, scores]) if self.model_.outputs == 1 else scores

    def predict_log_proba(self, X: Any) -> Array:
        return np.log(self.predict_proba(X))


@documented
class LinearSVC(_Classifier):
    """Private linear support vector classifier: hinge loss with a rounded corner.

    ``smoothing`` is the width of the corner. More than two classes: one against the rest.
    """

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None, classes: Any = None,
                 class_weight: Any = None, C: float = np.inf, smoothing: float = 0.5,
                 adjacency: str = "replace", passes: int | None = None, data_norm: float = 1.0,
                 learner: str | None = None, init: Any = None, init_public: bool = False,
                 fit_intercept: bool = True, rows: int | None = None, max_weight: float | None = None,
                 unit_rows: int | None = None, random_state: Any = None, accountant: Accountant | None = None,
                 on_leak: str = "raise", n_jobs: int | None = None, centre: str | None = None,
                 options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    def _loss(self) -> str:
        return f"hinge:g={real('smoothing', self.smoothing, 1e-3, 10)!r}"
