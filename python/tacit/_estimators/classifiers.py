# SPDX-License-Identifier: MIT
"""Private classifiers."""
import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from tacit import _data
from tacit._core import DataError
from tacit._estimators.base import Private, coefficients_of
from tacit._estimators.parameters import documented, store
from tacit._estimators.validation import real
from tacit._quiet import quietly


class _Classifier(ClassifierMixin, Private):
    """Classes as labels, numbered inside."""

    def _numbers(self, y):
        return None

    def _target(self, y):
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

    def _declared_target(self):
        if self.classes is None:
            raise _data.PrivacyLeakError("a stream needs its classes beforehand: declare classes=")
        classes = _data.declared_classes(self.classes)
        return self._class_settings(classes), {"classes_": classes}

    def _class_settings(self, classes):
        weights = _data.class_weights_of(self.class_weight, classes)
        return {"classes": len(classes), **({} if weights is None else {"class_weights": weights})}

    def _encoded(self, y, attributes):
        return _data.encode_classes(y, attributes["classes_"])

    def _penalty(self, n_units):
        return 1 / (real("C", self.C, 1e-12) * n_units)

    def _set_coefficients(self, model):
        self.coef_, self.intercept_ = coefficients_of(model)

    def decision_function(self, X):
        """Margins: positive for the second of two classes; one column per class for more."""
        check_is_fitted(self, "model_")
        margins = self._values(X, "margins", self.model_.outputs)
        return margins.ravel() if self.model_.outputs == 1 else margins

    def predict(self, X):
        """The likeliest class of each row."""
        margins = self.decision_function(X)
        if margins.ndim == 1:
            return self.classes_[(margins > 0).astype(int)]
        return self.classes_[np.argmax(margins, axis=1)]

    def score(self, X, y, sample_weight=None):
        """The accuracy: the fraction of rows whose class is predicted."""
        check_is_fitted(self, "model_")
        return quietly(lambda: super(_Classifier, self).score(X, y, sample_weight), X)


@documented
class LogisticRegression(_Classifier):
    """Private logistic regression; softmax for more than two classes.

    ``C`` is the inverse strength of the L2 penalty, as in scikit-learn; the default is no
    penalty. ``classes`` declares the classes. ``class_weight`` is {class: weight}, or
    ("balanced", {class: rate}) with rates that are known without the data; both are divided by
    the largest weight.
    """

    def __init__(self, epsilon=None, *, delta=None, classes=None, class_weight=None, C=np.inf,
                 adjacency="replace", passes=None, data_norm=1.0, learner=None, init=None,
                 init_public=False, fit_intercept=True, rows=None, max_weight=None,
                 unit_rows=None, random_state=None, accountant=None, on_leak="raise",
                 n_jobs=None, centre=None, options=None, verbose=False,
                 callbacks=None):
        store(locals())

    def _loss(self):
        return None

    def predict_proba(self, X):
        """Probabilities of the classes, one column per class."""
        check_is_fitted(self, "model_")
        scores = self._values(X, "scores", self.model_.outputs)
        return np.hstack([1 - scores, scores]) if self.model_.outputs == 1 else scores

    def predict_log_proba(self, X):
        return np.log(self.predict_proba(X))


@documented
class LinearSVC(_Classifier):
    """Private linear support vector classifier: hinge loss with a rounded corner.

    ``smoothing`` is the width of the corner. More than two classes: one against the rest.
    """

    def __init__(self, epsilon=None, *, delta=None, classes=None, class_weight=None, C=np.inf,
                 smoothing=0.5, adjacency="replace", passes=None, data_norm=1.0, learner=None,
                 init=None, init_public=False, fit_intercept=True, rows=None, max_weight=None,
                 unit_rows=None, random_state=None, accountant=None, on_leak="raise",
                 n_jobs=None, centre=None, options=None, verbose=False,
                 callbacks=None):
        store(locals())

    def _loss(self):
        return f"hinge:g={real('smoothing', self.smoothing, 1e-3, 10)!r}"
