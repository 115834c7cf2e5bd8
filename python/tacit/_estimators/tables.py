# SPDX-License-Identifier: MIT
"""Estimators on tables with a schema."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from tacit import _core, _data, _table
from tacit._budget import Accountant, Expense
from tacit._core import ArgumentError
from tacit._estimators.base import coefficients_of
from tacit._estimators.parameters import store
from tacit._estimators.statement import Statement
from tacit._estimators.stream import whole_or_nothing
from tacit._estimators.validation import seed_of, whole
from tacit._schema import Schema
from tacit._show import Check
from tacit._types import Array, Callbacks, Facts, Progress

PARAMETERS = """

    Parameters
    ----------
    schema : tacit.Schema
        What each column is, the label among them: declared without looking at the rows.
    epsilon, delta, adjacency, passes, learner, init, init_public, random_state, accountant,
    n_jobs, options, verbose, callbacks : as of ``tacit.LogisticRegression``; ``passes`` None is the
        library's choice
    loss : str, optional
        "NAME" or "NAME:key=value,…"; by the label if it is not given.
    class_weight : as of ``tacit.LogisticRegression``
    unit_rows : int, optional
        If the schema has a unit: how many rows of a person are used.
    extra : {"refuse", "ignore"}
        What to do with columns that the schema does not declare.

    Attributes
    ----------
    model_ : Model
        ``est.model_.save(path)`` writes the file that ``tacit predict`` and
        ``tacit.load_model`` read.
    privacy_ : dict
        The privacy statement; ``print`` shows it as text.
    coef_, intercept_ : as of ``tacit.LogisticRegression``; ``get_feature_names_out`` names the
        columns of ``coef_``, and ``coef_frame`` shows both
    feature_names_in_, n_features_in_ : the columns of the table that the model uses
"""


class _Table(BaseEstimator):
    def __init__(self, schema: Schema | None = None, epsilon: float | None = None, *,
                 delta: float | None = None, adjacency: str = "replace", passes: int | None = None,
                 loss: str | None = None, class_weight: Any = None, learner: str | None = None,
                 init: Any = None, init_public: bool = False, unit_rows: int | None = None,
                 random_state: Any = None, accountant: Accountant | None = None, extra: str = "refuse",
                 n_jobs: int | None = None, options: Facts | None = None, verbose: bool = False,
                 callbacks: Callbacks = None) -> None:
        store(locals())

    def _settings(self, schema: Schema, table: _core.Table) -> Facts:
        if self.epsilon is None and not (self.options or {}).keys() & {"rho", "mechanism"}:
            raise ArgumentError("epsilon must be set: the privacy budget of this fit")
        unit_rows = 0 if self.unit_rows is None else whole("unit_rows", self.unit_rows)
        rows, units, weighted = _core.table_count(schema.to_json(), table, unit_rows,
                                                    self.extra == "ignore")
        settings = {"schema": schema.to_json(), "rows": units or rows,
                    "adjacency": self.adjacency, "shuffled": True}
        if units:
            settings.update(units=units, unit_rows=unit_rows)
        if weighted:
            settings["weighted"] = True
        for key in ("epsilon", "delta", "passes", "learner", "loss"):
            if getattr(self, key) is not None:
                settings[key] = getattr(self, key)
        if self.delta is not None:
            settings["pure"] = self.delta == 0
        if self.init is not None:
            settings["init"] = (self.init if isinstance(self.init, _core.Model)
                                else _core.model_load(self.init))
            settings["init_public"] = self.init_public
        if self.class_weight is not None:
            settings["class_weights"] = _data.class_weights_of(
                self.class_weight, np.asarray(schema.classes or []))
        if self.random_state is not None:
            settings["seed"] = seed_of(self.random_state)
        if self.n_jobs is not None and self.n_jobs > 0:
            settings["threads"] = self.n_jobs
        return {**settings, **(self.options or {})}

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, groups: Any = None,
            progress: Progress | None = None) -> Self:
        """Fits privately to a table: a frame of pandas, polars, pyarrow or DuckDB, or a dictionary
        of columns.

        Label, weights and ids of persons are columns of the table, or are given beside it as
        ``y``, ``sample_weight`` (0 to 1, unless the schema declares the largest) and ``groups``.
        ``progress`` is called with (round, rounds, rows, rows in all, pass, passes, noise scale);
        True shows a bar.
        """
        schema, more = self._beside(self._checked_schema(), y, sample_weight, groups)
        with whole_or_nothing(self) as started, _table.opened(X, self.extra, **more) as rows:
            settings = self._settings(schema, rows)
            expense = Expense(settings, self.accountant)
            run = expense.begin(progress, self.verbose, self.callbacks)
            started.append(True)
            try:
                run.run_table(schema.to_json(), rows, self.extra == "ignore")
                model = run.finish()
            except BaseException:
                expense.failed()
                raise
            expense.paid(model)
            self._take(model, schema, y)
        return self

    def _beside(self, schema: Schema, y: Any, sample_weight: Any, groups: Any) -> tuple[Schema, Facts]:
        """The schema with what came beside the table, and these columns by name."""
        facts, more = dict(schema._facts), {}
        if y is not None:
            more[schema.label] = y
        if groups is not None:
            more[facts.setdefault("unit", "groups")] = groups
        if sample_weight is not None:
            weight = facts.setdefault("weight", {"column": "sample_weight", "max": 1})
            if "weight" not in schema._facts and not np.max(np.asarray(sample_weight)) <= 1:
                raise ArgumentError("a weight is above 1 or missing: declare the largest weight, "
                                    "tacit.Weight(max), in the schema")
            more[weight["column"]] = sample_weight
        return (schema if facts == schema._facts else Schema.from_json(facts)), more

    def _take(self, model: _core.Model, schema: Schema, y: Any) -> None:
        self.model_ = model
        self.privacy_ = Statement(model)
        self.schema_ = schema
        self.coef_, self.intercept_ = coefficients_of(model)
        self.feature_names_in_ = np.asarray(
            [c["name"] for c in schema._facts["columns"] if c["type"] != "ignore"], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the inputs of the model, "age[20,30)" or "ward=surgery": of the columns of
        ``coef_``."""
        check_is_fitted(self, "model_")
        return np.asarray(self.model_.feature_names, dtype=object)

    def coef_frame(self) -> Any:
        """The coefficients as a DataFrame of pandas: a row per input and one for the intercept.

        If no row is scaled by its own norm (numbers; classes with ``options={"scaling": "same"}``),
        ``per_unit`` has what one unit more of the column, one level more or a value adds to the
        score, and ``odds_ratio`` or ``rate_ratio`` its exponential. Curves have none: ``plot``."""
        import pandas

        names = [*self.get_feature_names_out(), "(intercept)"]
        values = np.column_stack([self.coef_, self.intercept_]).T
        columns = ["coefficient"] if values.shape[1] == 1 else list(self.classes_)
        frame = pandas.DataFrame(values, index=names, columns=columns)
        if values.shape[1] > 1 or not self.model_.row_scale:
            return frame
        frame["per_unit"] = np.append(_table.per_unit(self.model_), np.nan)
        if self.model_.loss in ("logistic", "poisson"):
            name = "odds_ratio" if self.model_.loss == "logistic" else "rate_ratio"
            frame[name] = np.exp(frame["per_unit"])
        return frame

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        tags.no_validation = True
        return tags

    def _more_tags(self) -> Facts:  # scikit-learn before 1.6
        return {"X_types": ["categorical", "string"], "allow_nan": True, "no_validation": True}

    def _checked_schema(self) -> Schema:
        if not isinstance(self.schema, Schema):
            raise ArgumentError("schema must be a tacit.Schema: Schema.from_json(path), or "
                                "Schema(age=Numeric(0, 110), …)")
        return self.schema

    def predict(self, X: Any) -> Array:
        """The class or the number of every row."""
        check_is_fitted(self, "model_")
        return _table.predict(self.model_, X, extra=self.extra)

    def check(self, table: Any, *, values: bool = False) -> Check:
        """What in a table does not fit the schema; not private. See ``tacit.check``."""
        return _table.check(table, self._checked_schema(), values=values)

    def plot(self, terms: list[str] | None = None, **options: Any) -> Any:
        """Draws the shapes of the model; see ``tacit.Model.plot``."""
        check_is_fitted(self, "model_")
        return _table.plot(self.model_, terms, **options)

    def _labels(self, table: Any, y: Any) -> Array:
        """The labels of a table as the model sees them."""
        more = {} if y is None else {self.schema_.label: y}
        with _table.opened(table, self.extra, **more) as rows:
            labels = np.empty(len(rows))
            _core.table_labels(self.schema_.to_json(), rows, self.extra == "ignore", labels)
        return labels


class TableClassifier(ClassifierMixin, _Table):
    """A private classifier on tables: logistic regression, or softmax for more classes."""

    __doc__ += PARAMETERS

    def _take(self, model: _core.Model, schema: Schema, y: Any) -> None:
        super()._take(model, schema, y)
        self.classes_ = _classes_as(schema.classes or [], getattr(y, "dtype", None))

    def _checked_schema(self) -> Schema:
        schema = super()._checked_schema()
        if schema.classes is None:
            raise ArgumentError("the label of the schema is a number: use TableRegressor")
        return schema

    def predict(self, X: Any) -> Array:
        """The class of every row: its text, or the value of ``classes_`` if y had numbers."""
        check_is_fitted(self, "model_")
        margins = _table.values_of(self.model_, X, self.extra, margins=True)
        return self.classes_[_table.chosen(margins)]

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, one column per class."""
        check_is_fitted(self, "model_")
        return _table.predict_proba(self.model_, X, extra=self.extra)

    def decision_function(self, X: Any) -> Array:
        """The margin of the second of two classes, or one column per class."""
        check_is_fitted(self, "model_")
        margins = _table.values_of(self.model_, X, self.extra, margins=True)
        return margins[:, 0] if margins.shape[1] == 1 else margins

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy on a table with its label. It is not private: see ``metrics.evaluate``."""
        check_is_fitted(self, "model_")
        labels = self._labels(X, y)
        if len(self.classes_) == 2:
            labels = labels > 0
        margins = _table.values_of(self.model_, X, self.extra, margins=True)
        return float(np.average(labels == _table.chosen(margins), weights=sample_weight))


def _classes_as(names: Sequence[str], dtype: Any) -> Array:
    """The names of classes in the type of y, so that predictions compare with it."""
    kind = dtype.kind if isinstance(dtype, np.dtype) else "O"
    try:
        if kind == "b":
            return np.asarray([{"False": False, "True": True}[name] for name in names])
        if kind in "iuf":
            return np.asarray([float(name) for name in names]).astype(dtype)
    except (KeyError, ValueError):
        pass
    return np.asarray(names, dtype=object)


class TableRegressor(RegressorMixin, _Table):
    """A private regression on tables: squares, or another ``loss`` on numbers."""

    __doc__ += PARAMETERS

    def _checked_schema(self) -> Schema:
        schema = super()._checked_schema()
        if schema.classes is not None:
            raise ArgumentError("the label of the schema is a class: use TableClassifier")
        return schema

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """r² on a table with its label. It is not private: see ``metrics.evaluate``."""
        check_is_fitted(self, "model_")
        labels, weights = self._labels(X, y), sample_weight
        residual = np.average((labels - self.predict(X)) ** 2, weights=weights)
        return float(1 - residual / np.average(
            (labels - np.average(labels, weights=weights)) ** 2, weights=weights))
