# SPDX-License-Identifier: MIT
"""What all estimators share: from arrays to one private run, and back to attributes.

A constructor only stores; ``fit`` is one run of the C core. Everything that a run must know
about the data beforehand (classes, bounds, norms, the number of rows of a stream) is declared.
Taking it from the data is a ``PrivacyLeakError`` unless ``on_leak`` allows it.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tacit import _arrow, _core, _data
from tacit._budget import Accountant, Expense, open_accountant, sent_to
from tacit._core import ArgumentError, DataError, StateError
from tacit._estimators.parameters import store
from tacit._estimators.statement import Statement
from tacit._estimators.stored import text_of
from tacit._estimators.stream import Streams, whole_or_nothing
from tacit._estimators.validation import checked_rows, real, seed_of, whole
from tacit._quiet import quietly
from tacit._types import Array, Callbacks, Facts, Progress


def coefficients_of(model: _core.Model) -> tuple[Array, Array]:
    """Coefficients, one row per output, and intercepts, as rows that are not rescaled see them."""
    outputs, features = model.outputs, model.features
    scale = model.row_scale or 1.0
    weights = np.frombuffer(model.weights) * scale
    coefficients = weights[: outputs * features].reshape(outputs, features)
    intercepts = weights[outputs * features :] if model.has_bias else np.zeros(outputs)
    return coefficients, intercepts + (np.frombuffer(model.offset) if model.offset else 0.0)


def add_facts(settings: Facts, facts: Facts) -> None:
    """Adds settings; what was taken from the records adds up."""
    leaks = ", ".join(filter(None, [settings.get("leaks"), facts.get("leaks")]))
    settings.update(facts, **({"leaks": leaks} if leaks else {}))


class Private(Streams, BaseEstimator):
    """An estimator whose ``fit`` is one private run."""

    def __init__(self, epsilon: float | None = None, *, delta: float | None = None,
                 adjacency: str = "replace", passes: int | None = None, data_norm: float = 1.0,
                 learner: str | None = None, init: Any = None, init_public: bool = False,
                 fit_intercept: bool = True, rows: int | None = None, max_weight: float | None = None,
                 unit_rows: int | None = None, random_state: Any = None, accountant: Accountant | None = None,
                 on_leak: str = "raise", n_jobs: int | None = None, centre: str | None = None,
                 options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    # What a subclass defines.

    def _loss(self) -> str | None:
        """The loss of the C library; None: its default."""
        raise NotImplementedError

    def _penalty(self, n_units: int) -> float:
        """The l2 coefficient of the mean loss over rows or persons."""
        return 0.0

    def _target(self, y: Any) -> tuple[Array, Facts, Facts]:
        """(labels, settings of the schema, fitted attributes) of y."""
        raise NotImplementedError

    def _declared_target(self) -> tuple[Facts, Facts]:
        """(settings of the schema, fitted attributes) without y: all of it is declared."""
        raise NotImplementedError

    def _encoded(self, y: Any, attributes: Facts) -> Array:
        """The labels of y as the core reads them."""
        raise NotImplementedError

    def _set_coefficients(self, model: _core.Model) -> None:
        raise NotImplementedError

    def _numbers(self, y: Any) -> Any:
        """y if it must be numbers, for messages."""
        return y

    # Settings.

    def _initial_model(self) -> _core.Model | None:
        if self.init is None or isinstance(self.init, _core.Model):
            return self.init
        if hasattr(self.init, "get_params"):
            raise ArgumentError("init takes a model: give init=estimator.model_")
        return _core.model_load(self.init)

    def _settings(self, units: Facts, n_features: int, schema: Facts, shuffled: bool) -> Facts:
        """Settings of a run; `units` has the number of rows or of persons."""
        if self.epsilon is None and not (self.options or {}).keys() & {"rho", "mechanism"}:
            raise ArgumentError("epsilon must be set: the privacy budget of this fit")
        if self.on_leak not in ("raise", "warn", "ignore"):
            raise ArgumentError("on_leak must be 'raise', 'warn' or 'ignore'")
        settings = {
            **units,
            "features": n_features,
            "adjacency": self.adjacency,
            "passes": 0 if self.passes is None else whole("passes", self.passes),
            "bias": self.fit_intercept,
            "shuffled": shuffled,
            "loss": self._loss(),
            "l2": self._penalty(units["rows"]),
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
        if self.centre is not None:
            settings["centre"] = self.centre
        if self.init is not None:
            settings["init"] = self._initial_model()
            settings["init_public"] = self.init_public
        if self.random_state is not None:
            settings["seed"] = seed_of(self.random_state)
        if self.n_jobs is not None and self.n_jobs > 0:
            settings["threads"] = self.n_jobs
        if settings["loss"] is None:
            del settings["loss"]
        settings.update(self.options or {})
        settings.pop("shuffle", None)
        return settings

    def _take_norm(self, settings: Facts, X: Any) -> None:
        """Sets data_norm to the largest norm in X if it was not declared."""
        if self.data_norm is None and "row_norm" not in (self.options or {}):
            add_facts(settings, {"row_norm": self._largest_norm(X), "leaks": "row_norm"})

    def _largest_norm(self, X: Any) -> float:
        _data.leak(self.on_leak, "data_norm", "declare the largest norm of a row")
        if hasattr(X, "indptr"):
            squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        else:
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        norm = float(np.sqrt(np.max(squares, initial=0) + bool(self.fit_intercept)))
        return norm if np.isfinite(norm) and norm > 0 else 1.0

    # Fitting.

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None,
            progress: Progress | None = None) -> Self:
        """Fits privately: one run over X and y.

        X is a dense array, a CSR matrix, a DataFrame, or anything with
        ``__arrow_c_stream__``; y may then name a column of it. ``progress`` is called with
        (round, rounds, rows, rows in all, pass, passes, noise scale); True shows a bar.

        ``sample_weight`` is one weight per row, from 0 to ``max_weight``. It multiplies the
        contribution of the row and its bound. A row of weight 0 adds nothing and still counts
        in the number of rows. A weight must depend on its own row and on public facts only.

        ``groups`` says who each row belongs to, one id per row (of an Arrow object also the
        name of a column): the unit is then a person with all rows, the number of persons is
        public in place of that of rows, and ``progress`` counts persons. ``unit_rows`` limits
        the rows of a person that are used.
        """
        with whole_or_nothing(self) as started:
            self.__dict__.pop("_stream", None)
            if groups is not None and self.rows is not None:
                raise ArgumentError("rows of persons are secret and are read twice: leave out rows=")
            if _arrow.is_arrow(X):
                return self._fit_arrow(X, y, sample_weight, groups, progress, started)
            X, y = self._checked(X, y)
            self._check_rows(X.shape[0])
            self._fit_arrays(X, y, sample_weight, groups, progress, started)
        return self

    def _checked(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, Any]:
        X, y = checked_rows(self, X, y, numbers=self._numbers(y), reset=reset,
                            y_numeric=not isinstance(self, ClassifierMixin), ensure_min_samples=2)
        return X, y

    def _check_rows(self, n_rows: int) -> None:
        if self.rows is not None and self.rows != n_rows:
            raise DataError(f"{self.rows} rows were declared, there are {n_rows}")

    def _weights(self, sample_weight: Any, n_rows: int) -> tuple[Array | None, Facts]:
        """(weights, settings) of the rows."""
        maximum = self.max_weight if self.max_weight is None else real(
            "max_weight", self.max_weight, 1e-100, 1e100)
        weights, leaked = quietly(
            lambda: _data.weights_of(sample_weight, n_rows, maximum, self.on_leak))
        facts = {} if weights is None else {"weighted": True}
        return weights, {**facts, **({"leaks": leaked} if leaked else {})}

    def _persons(self, groups: Any, n_rows: int) -> tuple[Array | None, Facts]:
        """(ids, settings) of the rows' persons. Without persons the units are the rows."""
        if groups is None:
            if self.unit_rows is not None:
                raise ArgumentError("unit_rows limits the rows of a person: give groups= to fit")
            return None, {"rows": n_rows}
        ids = quietly(lambda: _data.ids_of(groups, n_rows))
        n_persons = _data.persons_in(ids)
        facts = {"rows": n_persons, "units": n_persons, "unit_name": "groups"}
        if self.unit_rows is not None:
            facts["unit_rows"] = whole("unit_rows", self.unit_rows)
        return ids, facts

    def _fit_arrays(self, X: Any, y: Any, sample_weight: Any, groups: Any, progress: Progress | None,
                    started: list[bool]) -> None:
        weights, facts = self._weights(sample_weight, X.shape[0])
        ids, units = self._persons(groups, X.shape[0])
        labels, schema, attributes = quietly(lambda: self._target(y), None, self._numbers(y))
        shuffle = bool((self.options or {}).get("shuffle", True))
        settings = self._settings(units, X.shape[1], schema, shuffle)
        settings["rereadable"] = True
        add_facts(settings, facts)
        self._take_norm(settings, X)
        rows = quietly(lambda: _data.rows_of(X, labels, weights, ids))
        self._run(settings, progress, started, lambda run: run.run(rows, shuffle))
        self.__dict__.update(attributes)

    def _fit_arrow(self, X: Any, y: Any, sample_weight: Any, groups: Any, progress: Progress | None,
                   started: list[bool]) -> Self:
        label = y if isinstance(y, str) else None
        batches = _arrow.Batches(X, label, unit=groups if isinstance(groups, str) else None)
        if self.rows is None:
            if not hasattr(X, "__len__"):
                raise ArgumentError("a stream has no length: declare rows=")
            matrix, labels, ids = batches.read(len(X))
            if label is None:
                labels = y if y is None else quietly(lambda: np.asarray(y))
            matrix, labels = self._checked(matrix, labels)
            self._fit_arrays(matrix, labels, sample_weight, groups if ids is None else ids,
                             progress, started)
        elif sample_weight is not None:
            raise ArgumentError("weights of a stream come with its rows: use partial_fit")
        else:
            self._fit_stream(batches, label, progress, started)
        self.feature_names_in_ = np.asarray(batches.names, dtype=object)
        return self

    def _rows(self, X: Any, y: Any, attributes: Facts, weights: Any = None) -> tuple[Any, ...]:
        return quietly(lambda: _data.rows_of(X, self._encoded(y, attributes), weights), X,
                       self._numbers(y))

    def _run(self, settings: Facts, progress: Progress | None, started: list[bool],
             train: Callable[[_core.Run], None]) -> None:
        """One private run: charge, train, set the attributes."""
        expense = Expense(settings, self.accountant)
        run = expense.begin(progress, self.verbose, self.callbacks)
        started.append(True)
        try:
            train(run)
            model = run.finish()
        except BaseException:
            expense.failed()
            raise
        expense.paid(model)
        self._take(model)

    def _take(self, model: _core.Model) -> None:
        self.model_ = model
        self.privacy_ = Statement(model)
        self.n_iter_ = self.privacy_["passes"]
        self._set_coefficients(model)

    # Prediction.

    def _values(self, X: Any, method: str, outputs: int) -> Array:
        """Scores or margins of X, one row per row of X."""
        check_is_fitted(self, "model_")
        if _arrow.is_arrow(X):
            names = getattr(self, "feature_names_in_", None)
            parts = [self._of_rows(matrix, method, outputs)
                     for matrix, _ in _arrow.Batches(X, None, names)]
            return np.concatenate(parts) if parts else np.empty((0, outputs))
        return self._of_rows(checked_rows(self, X, reset=False), method, outputs)

    def _of_rows(self, X: Any, method: str, outputs: int) -> Array:
        out = np.empty((X.shape[0], outputs))
        rows = quietly(lambda: _data.rows_of(X))
        getattr(self.model_, method)(rows, out)
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Storage.

    def to_json(self) -> str:
        """The fitted estimator as JSON text; ``tacit.from_json`` reads it."""
        check_is_fitted(self, "model_")
        return text_of(self)

    def __getstate__(self) -> Facts:
        if "_stream" in vars(self):
            raise StateError("a stream is under way: it cannot be stored half-read")
        # A copy in another process could spend the budget again: there the accountant refuses.
        return {**super().__getstate__(), "_counted_by": open_accountant()}

    def __setstate__(self, state: Facts) -> None:
        state = dict(state)
        keeper = sent_to(state.pop("_counted_by", None))
        super().__setstate__(state)
        if keeper is not None and self.accountant is None:
            self.accountant = keeper
