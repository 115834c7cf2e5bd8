# SPDX-License-Identifier: MIT
"""Private estimators in the manner of scikit-learn.

A constructor only stores; ``fit`` is one private run of the C core. Everything a run needs
to know about the data beforehand (classes, bounds, norms, number of rows of a stream) is
declared; taking it from the data is a ``PrivacyLeakError`` unless ``on_leak`` allows it.
"""
import contextlib
import json

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted

from tacit import _arrow, _core, _data
from tacit._budget import Expense, open_accountant, sent_to
from tacit._core import ArgumentError, DataError, StateError
from tacit._quiet import quietly

try:
    from sklearn.utils.validation import validate_data

    _FINITE = "ensure_all_finite"
except ImportError:  # before 1.6

    def validate_data(estimator, *args, **kwargs):
        return estimator._validate_data(*args, **kwargs)

    _FINITE = "force_all_finite"

_KINDS = [np.float64, np.float32]
_COMMON_DOC = """
    Parameters
    ----------
    epsilon : float
        Privacy budget of one fit. Must be set.
    delta : float, default min(1/rows², 1e-6)
        What the guarantee P(S) ≤ e^epsilon P′(S) + delta adds; 0 asks for pure
        differential privacy.
    adjacency : {"replace", "zero-out"}
        Which data sets are neighbours.
    passes : int, default 1
        Passes over the data; the noise grows to match.
    data_norm : float, default 1
        Rows, the intercept's one included, are scaled down to this norm. None takes the
        largest norm in the data (a leak).
    learner : str, optional
        Online learner, "NAME" or "NAME:key=value,…" (``tacit.catalog()``); the library
        chooses by loss, budget and size.
    init : Model or path, optional
        Start from this model (``other.model_``). Its budget is added, unless
        ``init_public`` says that it was made without these people's data.
    fit_intercept : bool, default True
    rows : int, optional
        Declared number of rows of a stream: ``partial_fit``, or an Arrow stream.
    random_state : int or generator, optional
        Repeatable noise for experiments: the model is then marked not private.
    accountant : BudgetAccountant, optional
        Charged once for each fit.
    on_leak : {"raise", "warn", "ignore"}
        What to do when a public fact was not declared. Taken from the data, it makes the
        model not private.
    n_jobs : int, optional
        Threads; all cores by default. The model does not depend on it.
    options : dict, optional
        Further settings of the C library, such as ``{"mechanism": "tree"}``.

    Attributes
    ----------
    coef_, intercept_ : ndarray
    n_features_in_, feature_names_in_, n_iter_ : as in scikit-learn
    privacy_ : dict
        The privacy statement; ``print(est.privacy_)`` shows it for people.
    model_ : Model
        ``est.model_.save(path)`` writes the file of the command line.
"""


class Statement(dict):
    """The privacy statement as a dictionary; as text it is the one for people."""

    def __init__(self, model):
        super().__init__(json.loads(model.statement_json))
        self._text = model.statement_text

    def __str__(self):
        return self._text

    def __reduce__(self):
        return (_statement_of, (dict(self), self._text))


def _statement_of(facts, text):
    statement = Statement.__new__(Statement)
    dict.update(statement, facts)
    statement._text = text
    return statement


def _fitted(estimator):
    return {k: v for k, v in vars(estimator).items() if k.endswith("_") and k[0] != "_"}


@contextlib.contextmanager
def _whole_or_nothing(estimator):
    """A fit that fails leaves nothing behind: the earlier model if it failed before any
    row was read, no model otherwise."""
    before = _fitted(estimator)
    started = []
    try:
        yield started
    except BaseException:
        for name in _fitted(estimator):
            delattr(estimator, name)
        if not started:
            vars(estimator).update(before)
        raise


def _seed_of(random_state):
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ArgumentError("random_state must not be negative")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    raise ArgumentError("random_state must be an int or a NumPy generator")


def _real(name, value, low, high=np.inf):
    if not isinstance(value, (int, float, np.number)) or not low <= value <= high:
        raise ArgumentError(f"{name} must be a number from {low:g}" +
                            (f" to {high:g}" if high < np.inf else " up"))
    return float(value)


class _Private(BaseEstimator):
    """What all estimators share: from arrays to one run, and back to attributes."""

    def __init__(self, epsilon=None, *, delta=None, adjacency="replace", passes=1,
                 data_norm=1.0, learner=None, init=None, init_public=False,
                 fit_intercept=True, rows=None, random_state=None, accountant=None,
                 on_leak="raise", n_jobs=None, options=None):
        self.epsilon = epsilon
        self.delta = delta
        self.adjacency = adjacency
        self.passes = passes
        self.data_norm = data_norm
        self.learner = learner
        self.init = init
        self.init_public = init_public
        self.fit_intercept = fit_intercept
        self.rows = rows
        self.random_state = random_state
        self.accountant = accountant
        self.on_leak = on_leak
        self.n_jobs = n_jobs
        self.options = options

    # What a subclass says.

    def _loss(self):
        raise NotImplementedError

    def _penalty(self, n_rows):
        """l2 of the mean loss."""
        return 0.0

    def _target(self, y):
        """(labels, settings of the schema, fitted attributes) of y."""
        raise NotImplementedError

    def _set_coefficients(self, model):
        raise NotImplementedError

    # Settings.

    def _initial_model(self):
        if self.init is None or isinstance(self.init, _core.Model):
            return self.init
        if hasattr(self.init, "get_params"):
            raise ArgumentError("init takes a model: give init=estimator.model_")
        return _core.model_load(self.init)

    def _settings(self, n_rows, n_features, schema, shuffled):
        if self.epsilon is None and not (self.options or {}).keys() & {"rho", "mechanism"}:
            raise ArgumentError("epsilon must be set: the privacy budget of this fit")
        if self.on_leak not in ("raise", "warn", "ignore"):
            raise ArgumentError("on_leak must be 'raise', 'warn' or 'ignore'")
        settings = {
            "rows": n_rows,
            "features": n_features,
            "adjacency": self.adjacency,
            "passes": self.passes,
            "bias": self.fit_intercept,
            "shuffled": shuffled,
            "loss": self._loss(),
            "l2": self._penalty(n_rows),
            "row_norm": self.data_norm,
            **schema,
        }
        if self.epsilon is not None:
            settings["epsilon"] = self.epsilon
        if self.delta is not None:
            settings["delta"] = self.delta
            settings["pure"] = self.delta == 0
        if self.learner is not None:
            settings["learner"] = self.learner
        if self.init is not None:
            settings["init"] = self._initial_model()
            settings["init_public"] = self.init_public
        if self.random_state is not None:
            settings["seed"] = _seed_of(self.random_state)
        if self.n_jobs is not None and self.n_jobs > 0:
            settings["threads"] = self.n_jobs
        if settings["loss"] is None:
            del settings["loss"]
        settings.update(self.options or {})
        settings.pop("shuffle", None)
        return settings

    # Fitting.

    def _checked(self, X, y, reset=True):
        classifier = isinstance(self, ClassifierMixin)
        return quietly(lambda: validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=_KINDS, y_numeric=not classifier,
            ensure_min_samples=2, **{_FINITE: False}), X, self._numbers(y))

    def _numbers(self, y):
        """y where it must be numbers, for messages."""
        return y

    def _run(self, settings, progress, started, train):
        """One private run: charge, train, set the attributes."""
        expense = Expense(settings, self.accountant)
        run = expense.begin(progress)
        started.append(True)
        try:
            train(run)
            model = run.finish()
        except BaseException:
            expense.failed()
            raise
        expense.paid(model)
        self._take(model)

    def _take(self, model):
        self.model_ = model
        self.privacy_ = Statement(model)
        self.n_iter_ = self.privacy_["passes"]
        self._set_coefficients(model)

    def fit(self, X, y=None, *, progress=None):
        """Fits privately: one run over X and y.

        X is a dense array, a CSR matrix, a DataFrame, or anything with
        ``__arrow_c_stream__``; y then may name a column of it. ``progress`` is called with
        (round, rounds, rows, rows in all, pass, passes, noise scale).
        """
        with _whole_or_nothing(self) as started:
            self.__dict__.pop("_stream", None)
            if _arrow.is_arrow(X):
                return self._fit_arrow(X, y, progress, started)
            X, y = self._checked(X, y)
            self._check_rows(X.shape[0])
            self._fit_arrays(X, y, progress, started)
        return self

    def _check_rows(self, n_rows):
        if self.rows is not None and self.rows != n_rows:
            raise DataError(f"{self.rows} rows were declared, there are {n_rows}")

    def _fit_arrays(self, X, y, progress, started):
        labels, schema, attributes = quietly(lambda: self._target(y), None, self._numbers(y))
        shuffle = bool((self.options or {}).get("shuffle", True))
        settings = self._settings(X.shape[0], X.shape[1], schema, shuffle)
        self._take_norm(settings, X)
        rows = quietly(lambda: _data.rows_of(X, labels))
        self._run(settings, progress, started, lambda run: run.run(rows, shuffle))
        vars(self).update(attributes)

    def _take_norm(self, settings, X):
        """The largest norm in X as data_norm, where that was not declared."""
        if self.data_norm is None and "row_norm" not in (self.options or {}):
            settings["row_norm"] = self._largest_norm(X)
            settings["leaks"] = ", ".join(filter(None, [settings.get("leaks"), "row_norm"]))

    def _largest_norm(self, X):
        _data.leak(self.on_leak, "data_norm", "declare the largest norm of a row")
        if hasattr(X, "indptr"):
            squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        else:
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        norm = float(np.sqrt(np.max(squares, initial=0) + bool(self.fit_intercept)))
        return norm if np.isfinite(norm) and norm > 0 else 1.0

    def _fit_arrow(self, X, y, progress, started):
        label = y if isinstance(y, str) else None
        batches = _arrow.Batches(X, label)
        if self.rows is None:
            if not hasattr(X, "__len__"):
                raise ArgumentError("a stream has no length: declare rows=")
            matrix, labels = batches.read(len(X))
            if label is None:
                labels = y if y is None else quietly(lambda: np.asarray(y))
            matrix, labels = self._checked(matrix, labels)
            self._fit_arrays(matrix, labels, progress, started)
        else:
            self._fit_stream(batches, label, progress, started)
        self.feature_names_in_ = np.asarray(batches.names, dtype=object)
        return self

    def _fit_stream(self, batches, label, progress, started):
        """Batch by batch, in the order they come."""
        if label is None:
            raise ArgumentError("with rows= declared X is a stream: y names its label column")
        if self.passes != 1:
            raise ArgumentError("a stream is read once: passes must be 1")
        n_features = len(batches.names)
        schema, attributes = self._declared_target()
        settings = self._settings(self.rows, n_features, schema, False)
        if self.data_norm is None:
            raise ArgumentError("the norm of a stream cannot be seen: declare data_norm")

        def train(run):
            for matrix, labels in batches:
                if len(labels):
                    run.feed(self._rows(matrix, labels, attributes))

        self._run(settings, progress, started, train)
        vars(self).update(attributes)
        self.n_features_in_ = n_features

    def _rows(self, X, y, attributes):
        return quietly(lambda: _data.rows_of(X, self._encoded(y, attributes)), X, self._numbers(y))

    def partial_fit(self, X, y=None, classes=None):
        """Takes the next rows of a stream of ``rows`` rows, in their order.

        The model is there once all of them came; without ``rows`` this call is the whole
        stream. Rows after the last are refused: another ``fit`` is another expense.
        """
        first = "_stream" not in vars(self)
        if first and hasattr(self, "model_"):
            X, y = self._checked(X, y, reset=False)
            raise StateError(
                f"the stream of {self.privacy_['rows']} rows is complete: declare rows= before "
                "the first partial_fit, or fit a new estimator"
            )
        with _whole_or_nothing(self) as started:
            try:
                self._continue(X, y, classes, first, started)
            except BaseException:
                stream = self.__dict__.pop("_stream", None)
                if stream is not None:
                    started.append(True)
                    stream["expense"].failed()
                raise
        return self

    def _continue(self, X, y, classes, first, started):
        X, y = self._checked(X, y, reset=first)
        if first:
            self._begin_stream(X, y, classes)
        stream = self._stream
        stream["run"].feed(self._rows(X, y, stream["attributes"]))
        stream["left"] -= X.shape[0]
        if stream["left"] == 0:
            model = stream["run"].finish()
            stream["expense"].paid(model)
            self._take(model)
            vars(self).update(stream["attributes"])
            del self._stream

    def _begin_stream(self, X, y, classes):
        if self.passes != 1:
            raise ArgumentError("a stream is read once: passes must be 1")
        if classes is not None:
            attributes = {"classes_": _data.declared_classes(classes)}
            schema = {"classes": len(classes)}
        else:
            _, schema, attributes = quietly(lambda: self._target(y), None, self._numbers(y))
        n_rows = X.shape[0] if self.rows is None else self.rows
        settings = self._settings(n_rows, X.shape[1], schema, False)
        self._take_norm(settings, X)
        expense = Expense(settings, self.accountant)
        self._stream = {"run": expense.begin(), "left": n_rows, "expense": expense,
                        "attributes": attributes}

    def __getstate__(self):
        if "_stream" in vars(self):
            raise StateError("a stream is under way: it cannot be stored half-read")
        # In another process nobody would count: there the accountant refuses.
        return {**super().__getstate__(), "_counted_by": open_accountant()}

    def __setstate__(self, state):
        state = dict(state)
        keeper = sent_to(state.pop("_counted_by", None))
        super().__setstate__(state)
        if keeper is not None and self.accountant is None:
            self.accountant = keeper

    # Prediction.

    def _values(self, X, method, outputs):
        """Scores or margins of X, one row a row."""
        check_is_fitted(self, "model_")
        if _arrow.is_arrow(X):
            names = getattr(self, "feature_names_in_", None)
            parts = [self._of_rows(matrix, method, outputs)
                     for matrix, _ in _arrow.Batches(X, None, names)]
            return np.concatenate(parts) if parts else np.empty((0, outputs))
        X = quietly(lambda: validate_data(self, X, reset=False, accept_sparse="csr", dtype=_KINDS,
                                          **{_FINITE: False}), X)
        return self._of_rows(X, method, outputs)

    def _of_rows(self, X, method, outputs):
        out = np.empty((X.shape[0], outputs))
        rows = quietly(lambda: _data.rows_of(X))
        getattr(self.model_, method)(rows, out)
        return out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # JSON.

    def to_json(self):
        """The fitted estimator as JSON text; ``tacit.from_json`` reads it."""
        check_is_fitted(self, "model_")
        params = {}
        for name, value in self.get_params(deep=False).items():
            if name in ("accountant", "init", "classes"):
                continue
            with contextlib.suppress(TypeError):
                json.dumps(value)
                params[name] = value
        names = getattr(self, "feature_names_in_", None)
        classes = getattr(self, "classes_", None)
        return json.dumps({
            "format": "tacit-estimator",
            "format_version": 1,
            "estimator": type(self).__name__,
            "params": params,
            "classes": None if classes is None else classes.tolist(),
            "classes_declared": getattr(self, "classes", None) is not None,
            "feature_names": None if names is None else list(names),
            "model": json.loads(self.model_.json()),
        })



class _Classifier(ClassifierMixin, _Private):
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
        return labels, {**schema, "classes": len(attributes["classes_"])}, attributes

    def _declared_target(self):
        if self.classes is None:
            raise _data.PrivacyLeakError("a stream needs its classes beforehand: declare classes=")
        classes = _data.declared_classes(self.classes)
        return {"classes": len(classes)}, {"classes_": classes}

    def _encoded(self, y, attributes):
        return _data.encode_classes(y, attributes["classes_"])

    def _penalty(self, n_rows):
        return 1 / (_real("C", self.C, 1e-12) * n_rows)

    def _set_coefficients(self, model):
        weights = np.frombuffer(model.weights)
        outputs, features = model.outputs, model.features
        self.coef_ = weights[: outputs * features].reshape(outputs, features).copy()
        bias = weights[outputs * features :]
        self.intercept_ = bias.copy() if model.has_bias else np.zeros(outputs)

    def decision_function(self, X):
        """Margins: positive for the second of two classes; one column a class for more."""
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
        """Share of the rows whose class is predicted."""
        check_is_fitted(self, "model_")
        return quietly(lambda: super(_Classifier, self).score(X, y, sample_weight), X)


class _FewRows:
    """The R² that scikit-learn's checks ask for is out of reach of this loss in one pass
    over their 200 rows; tests/python/test_models.py asks for more on enough rows."""

    def _more_tags(self):
        return {"poor_score": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


class _Regressor(RegressorMixin, _Private):
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

    def _penalty(self, n_rows):
        return _real("alpha", self.alpha, 0)

    def _set_coefficients(self, model):
        weights = np.frombuffer(model.weights)
        self.coef_ = weights[: model.features].copy()
        self.intercept_ = float(weights[-1]) if model.has_bias else 0.0
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


def _documented(cls):
    cls.__doc__ = (cls.__doc__ or "").rstrip() + "\n" + _COMMON_DOC
    return cls


@_documented
class LogisticRegression(_Classifier):
    """Private logistic regression; softmax for more than two classes.

    ``C`` is the inverse strength of the L2 penalty, as in scikit-learn; the default is no
    penalty. ``classes`` declares the classes.
    """

    def __init__(self, epsilon=None, *, delta=None, classes=None, C=np.inf, adjacency="replace",
                 passes=1, data_norm=1.0, learner=None, init=None, init_public=False,
                 fit_intercept=True, rows=None, random_state=None, accountant=None,
                 on_leak="raise", n_jobs=None, options=None):
        super().__init__(
            epsilon, delta=delta, adjacency=adjacency, passes=passes, data_norm=data_norm,
            learner=learner, init=init, init_public=init_public, fit_intercept=fit_intercept,
            rows=rows, random_state=random_state, accountant=accountant, on_leak=on_leak,
            n_jobs=n_jobs, options=options)
        self.classes = classes
        self.C = C

    def _loss(self):
        return None

    def predict_proba(self, X):
        """Probabilities of the classes, one column a class."""
        check_is_fitted(self, "model_")
        scores = self._values(X, "scores", self.model_.outputs)
        return np.hstack([1 - scores, scores]) if self.model_.outputs == 1 else scores

    def predict_log_proba(self, X):
        return np.log(self.predict_proba(X))


@_documented
class LinearSVC(_Classifier):
    """Private linear support vector classifier: hinge loss with a rounded corner.

    ``smoothing`` is the width of the corner. More than two classes: one against the rest.
    """

    def __init__(self, epsilon=None, *, delta=None, classes=None, C=np.inf, smoothing=0.5,
                 adjacency="replace", passes=1, data_norm=1.0, learner=None, init=None,
                 init_public=False, fit_intercept=True, rows=None, random_state=None,
                 accountant=None, on_leak="raise", n_jobs=None, options=None):
        super().__init__(
            epsilon, delta=delta, adjacency=adjacency, passes=passes, data_norm=data_norm,
            learner=learner, init=init, init_public=init_public, fit_intercept=fit_intercept,
            rows=rows, random_state=random_state, accountant=accountant, on_leak=on_leak,
            n_jobs=n_jobs, options=options)
        self.classes = classes
        self.C = C
        self.smoothing = smoothing

    def _loss(self):
        return f"hinge:g={_real('smoothing', self.smoothing, 1e-3, 10)!r}"


@_documented
class LinearRegression(_Regressor):
    """Private least squares. ``bounds`` declares (min, max) of y; y is clamped to it."""

    def __init__(self, epsilon=None, *, delta=None, bounds=None, adjacency="replace", passes=1,
                 data_norm=1.0, learner=None, init=None, init_public=False, fit_intercept=True,
                 rows=None, random_state=None, accountant=None, on_leak="raise", n_jobs=None,
                 options=None):
        super().__init__(
            epsilon, delta=delta, adjacency=adjacency, passes=passes, data_norm=data_norm,
            learner=learner, init=init, init_public=init_public, fit_intercept=fit_intercept,
            rows=rows, random_state=random_state, accountant=accountant, on_leak=on_leak,
            n_jobs=n_jobs, options=options)
        self.bounds = bounds

    def _loss(self):
        return "squared"

    def _penalty(self, n_rows):
        return 0.0


class _Penalised(_Regressor):
    """A regressor with an L2 penalty and one number of its own."""

    def __init__(self, epsilon=None, *, delta=None, bounds=None, alpha=0.0, adjacency="replace",
                 passes=1, data_norm=1.0, learner=None, init=None, init_public=False,
                 fit_intercept=True, rows=None, random_state=None, accountant=None,
                 on_leak="raise", n_jobs=None, options=None):
        super().__init__(
            epsilon, delta=delta, adjacency=adjacency, passes=passes, data_norm=data_norm,
            learner=learner, init=init, init_public=init_public, fit_intercept=fit_intercept,
            rows=rows, random_state=random_state, accountant=accountant, on_leak=on_leak,
            n_jobs=n_jobs, options=options)
        self.bounds = bounds
        self.alpha = alpha


@_documented
class Ridge(_Penalised):
    """Private least squares with scikit-learn's penalty: sum of squares + alpha·|w|²."""

    def __init__(self, epsilon=None, *, delta=None, bounds=None, alpha=1.0, adjacency="replace",
                 passes=1, data_norm=1.0, learner=None, init=None, init_public=False,
                 fit_intercept=True, rows=None, random_state=None, accountant=None,
                 on_leak="raise", n_jobs=None, options=None):
        super().__init__(
            epsilon, delta=delta, bounds=bounds, alpha=alpha, adjacency=adjacency, passes=passes,
            data_norm=data_norm, learner=learner, init=init, init_public=init_public,
            fit_intercept=fit_intercept, rows=rows, random_state=random_state,
            accountant=accountant, on_leak=on_leak, n_jobs=n_jobs, options=options)

    def _loss(self):
        return "squared"

    def _penalty(self, n_rows):
        return super()._penalty(n_rows) / n_rows


@_documented
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


@_documented
class HuberRegressor(_Penalised):
    """Private regression that outliers pull less.

    ``threshold`` is the residual where the loss turns linear, in half the range of y
    (scikit-learn's name for it, epsilon, is the budget here). The penalty is
    (alpha/2)·|w|² on the mean loss.
    """

    def __init__(self, epsilon=None, *, delta=None, bounds=None, threshold=1.0, alpha=0.0,
                 adjacency="replace", passes=1, data_norm=1.0, learner=None, init=None,
                 init_public=False, fit_intercept=True, rows=None, random_state=None,
                 accountant=None, on_leak="raise", n_jobs=None, options=None):
        super().__init__(
            epsilon, delta=delta, bounds=bounds, alpha=alpha, adjacency=adjacency, passes=passes,
            data_norm=data_norm, learner=learner, init=init, init_public=init_public,
            fit_intercept=fit_intercept, rows=rows, random_state=random_state,
            accountant=accountant, on_leak=on_leak, n_jobs=n_jobs, options=options)
        self.threshold = threshold

    def _loss(self):
        return f"huber:tau={_real('threshold', self.threshold, 1e-6, 1e6)!r}"


@_documented
class QuantileRegressor(_FewRows, _Penalised):
    """Private quantile regression with a smoothed pinball loss.

    ``quantile`` between 0 and 1; ``smoothing`` is the width of the corner, in half the
    range of y. The penalty is (alpha/2)·|w|² on the mean loss.
    """

    def __init__(self, epsilon=None, *, delta=None, bounds=None, quantile=0.5, smoothing=0.1,
                 alpha=0.0, adjacency="replace", passes=1, data_norm=1.0, learner=None,
                 init=None, init_public=False, fit_intercept=True, rows=None,
                 random_state=None, accountant=None, on_leak="raise", n_jobs=None,
                 options=None):
        super().__init__(
            epsilon, delta=delta, bounds=bounds, alpha=alpha, adjacency=adjacency, passes=passes,
            data_norm=data_norm, learner=learner, init=init, init_public=init_public,
            fit_intercept=fit_intercept, rows=rows, random_state=random_state,
            accountant=accountant, on_leak=on_leak, n_jobs=n_jobs, options=options)
        self.quantile = quantile
        self.smoothing = smoothing

    def _loss(self):
        quantile = _real("quantile", self.quantile, 1e-6, 1 - 1e-6)
        return f"quantile:tau={quantile!r},kappa={_real('smoothing', self.smoothing, 1e-6, 10)!r}"


class BoundsScaler(TransformerMixin, BaseEstimator):
    """Clamps each column to declared bounds and maps it to [-1, 1].

    The bounds are public facts, so this step of a pipeline costs no privacy, unlike
    scikit-learn's scalers, which learn from the records.

    Parameters
    ----------
    low, high : float, list, or dict by column name
    """

    def __init__(self, low=-1.0, high=1.0):
        self.low = low
        self.high = high

    def fit(self, X, y=None):
        X = quietly(lambda: validate_data(self, X, dtype=_KINDS), X)
        low, high = self._vector(self.low), self._vector(self.high)
        if not np.all(low < high):
            raise ArgumentError("low must be below high in every column")
        self.low_, self.high_ = low, high
        return self

    def _vector(self, value):
        if isinstance(value, dict):
            names = getattr(self, "feature_names_in_", None)
            if names is None or set(value) != set(names):
                raise ArgumentError("bounds by name need a DataFrame with exactly these columns")
            value = [value[name] for name in names]
        return np.broadcast_to(np.asarray(value, dtype=float), (self.n_features_in_,)).copy()

    def transform(self, X):
        check_is_fitted(self)
        X = quietly(lambda: validate_data(self, X, reset=False, dtype=_KINDS), X)
        scaled = (np.clip(X, self.low_, self.high_) - self.low_) / (self.high_ - self.low_)
        return (2 * scaled - 1).astype(X.dtype, copy=False)

    def get_feature_names_out(self, input_features=None):
        if input_features is None:
            input_features = getattr(self, "feature_names_in_", None)
        if input_features is None:
            input_features = [f"x{i}" for i in range(self.n_features_in_)]
        return np.asarray(input_features, dtype=object)

    def _more_tags(self):
        return {"preserves_dtype": _KINDS}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


_BY_NAME = {
    cls.__name__: cls
    for cls in (HuberRegressor, LinearRegression, LinearSVC, LogisticRegression,
                PoissonRegressor, QuantileRegressor, Ridge)
}


def from_json(text):
    """The fitted estimator of ``to_json``."""
    try:
        facts = json.loads(text)
        if facts["format"] != "tacit-estimator" or facts["format_version"] != 1:
            raise DataError("this is not the JSON of a tacit estimator of version 1")
        estimator = _BY_NAME[facts["estimator"]](**facts["params"])
        model = _core.model_parse(json.dumps(facts["model"]))
        classes, names = facts["classes"], facts["feature_names"]
    except (KeyError, TypeError, json.JSONDecodeError):
        raise DataError("this is not the JSON of a tacit estimator") from None
    estimator._take(model)
    estimator.n_features_in_ = model.features
    if classes is not None:
        estimator.classes_ = np.asarray(classes)
        # What was taken from the records is not declared by having been stored.
        if facts.get("classes_declared", True):
            estimator.classes = list(classes)
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return estimator
