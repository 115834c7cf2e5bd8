# SPDX-License-Identifier: MIT
"""Estimators on tables with a schema."""
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from tacit import _core, _data, _table
from tacit._budget import Expense
from tacit._core import ArgumentError
from tacit._estimators.parameters import store
from tacit._estimators.statement import Statement
from tacit._estimators.stream import whole_or_nothing
from tacit._estimators.validation import seed_of, whole
from tacit._schema import Schema

PARAMETERS = """

    Parameters
    ----------
    schema : tacit.Schema
        What each column is, the label among them: declared without looking at the rows.
    epsilon, delta, adjacency, passes, learner, init, init_public, random_state, accountant,
    n_jobs, options : as of ``tacit.LogisticRegression``; ``passes`` None is the library's choice
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
"""


class _Table(BaseEstimator):
    def __init__(self, schema=None, epsilon=None, *, delta=None, adjacency="replace", passes=None,
                 loss=None, class_weight=None, learner=None, init=None, init_public=False,
                 unit_rows=None, random_state=None, accountant=None, extra="refuse",
                 n_jobs=None, options=None):
        store(locals())

    def _settings(self, schema, table):
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

    def fit(self, table, y=None, *, progress=None):
        """Fits privately to a table: a frame of pandas, polars, pyarrow or DuckDB, or a dictionary
        of columns, with the label among them."""
        if y is not None:
            raise ArgumentError("the label is a column of the table, as the schema says")
        schema = self._checked_schema()
        with whole_or_nothing(self) as started, \
                _table.opened(table, self.extra) as rows:
            settings = self._settings(schema, rows)
            expense = Expense(settings, self.accountant)
            run = expense.begin(progress)
            started.append(True)
            try:
                run.run_table(schema.to_json(), rows, self.extra == "ignore")
                model = run.finish()
            except BaseException:
                expense.failed()
                raise
            expense.paid(model)
            self.model_ = model
            self.privacy_ = Statement(model)
            self._fitted(schema)
        return self

    def _checked_schema(self):
        if not isinstance(self.schema, Schema):
            raise ArgumentError("schema must be a tacit.Schema: Schema.from_json(path), or "
                                "Schema(age=Numeric(0, 110), …)")
        return self.schema

    def _fitted(self, schema):
        self.schema_ = schema

    def predict(self, table):
        """The class or the number of every row."""
        check_is_fitted(self, "model_")
        return _table.predict(self.model_, table, extra=self.extra)

    def check(self, table, *, values=False):
        """What in a table does not fit the schema; not private. See ``tacit.check``."""
        return _table.check(table, self._checked_schema(), values=values)

    def plot(self, terms=None, **options):
        """Draws the shapes of the model; see ``tacit.Model.plot``."""
        check_is_fitted(self, "model_")
        return _table.plot(self.model_, terms, **options)

    def _labels(self, table, y):
        """The labels of a table as the model sees them."""
        more = {} if y is None else {self.schema_.label: y}
        with _table.opened(table, self.extra, **more) as rows:
            labels = np.empty(len(rows))
            _core.table_labels(self.schema_.to_json(), rows, self.extra == "ignore", labels)
        return labels


class TableClassifier(ClassifierMixin, _Table):
    """A private classifier on tables: logistic regression, or softmax for more classes."""

    __doc__ += PARAMETERS

    def _fitted(self, schema):
        super()._fitted(schema)
        self.classes_ = np.asarray(schema.classes, dtype=object)

    def _checked_schema(self):
        schema = super()._checked_schema()
        if schema.classes is None:
            raise ArgumentError("the label of the schema is a number: use TableRegressor")
        return schema

    def predict_proba(self, table):
        """Probabilities of the classes, one column per class."""
        check_is_fitted(self, "model_")
        return _table.predict_proba(self.model_, table, extra=self.extra)

    def decision_function(self, table):
        """The margin of the second of two classes, or one column per class."""
        check_is_fitted(self, "model_")
        margins = _table.values_of(self.model_, table, self.extra, margins=True)
        return margins[:, 0] if margins.shape[1] == 1 else margins

    def score(self, table, y=None):
        """The accuracy on a table that has its label. It is not private."""
        labels = self._labels(table, y)
        if len(self.schema_.classes) == 2:
            labels = labels > 0
        margins = _table.values_of(self.model_, table, self.extra, margins=True)
        return float(np.mean(labels == _table.chosen(margins)))


class TableRegressor(RegressorMixin, _Table):
    """A private regression on tables: squares, or another ``loss`` on numbers."""

    __doc__ += PARAMETERS

    def _checked_schema(self):
        schema = super()._checked_schema()
        if schema.classes is not None:
            raise ArgumentError("the label of the schema is a class: use TableClassifier")
        return schema

    def score(self, table, y=None):
        """r² on a table that has its label. It is not private."""
        labels = self._labels(table, y)
        residual = np.sum((labels - self.predict(table)) ** 2)
        return float(1 - residual / np.sum((labels - labels.mean()) ** 2))
