# SPDX-License-Identifier: MIT
"""Fitting to a stream: batches of an Arrow stream, or calls of ``partial_fit``."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Self

from tacit import _core, _data
from tacit._arrow import Batches
from tacit._budget import Accountant, Expense
from tacit._core import ArgumentError, StateError
from tacit._quiet import quietly
from tacit._types import Array, Callbacks, Facts, Progress


def _fitted(estimator: Any) -> Facts:
    return {k: v for k, v in vars(estimator).items() if k.endswith("_") and k[0] != "_"}


@contextlib.contextmanager
def whole_or_nothing(estimator: Any) -> Iterator[list[bool]]:
    """Restores the estimator if a fit fails: to the earlier model if no row was read yet, to
    no model otherwise. The caller appends to the list it gets when rows are read."""
    before = _fitted(estimator)
    started: list[bool] = []
    try:
        yield started
    except BaseException:
        for name in _fitted(estimator):
            delattr(estimator, name)
        if not started:
            vars(estimator).update(before)
        raise


def _read_once(settings: Facts) -> Facts:
    """Centred streams take the mean of their first rows: they cannot be read once more."""
    if settings.get("centre") == "on":
        settings["centre"] = "head"
    return settings


class Streams:
    """The part of an estimator that reads rows in the order they come, once."""

    # What the estimator has.
    passes: int | None
    rows: int | None
    data_norm: float | None
    max_weight: float | None
    accountant: Accountant | None
    verbose: bool
    callbacks: Callbacks
    _stream: dict[str, Any]  # from the first partial_fit to the last
    _checked: Callable[..., tuple[Any, Any]]
    _class_settings: Callable[[Array], Facts]
    _declared_target: Callable[[], tuple[Facts, Facts]]
    _numbers: Callable[[Any], Any]
    _rows: Callable[..., tuple[Any, ...]]
    _run: Callable[..., None]
    _settings: Callable[[Facts, int, Facts, bool], Facts]
    _take: Callable[[_core.Model], None]
    _take_norm: Callable[[Facts, Any], None]
    _target: Callable[[Any], tuple[Array, Facts, Facts]]
    _weights: Callable[[Any, int], tuple[Array | None, Facts]]

    def _check_one_pass(self) -> None:
        if self.passes not in (None, 1):
            raise ArgumentError("a stream is read once: passes must be 1 or None")

    def _fit_stream(self, batches: Batches, label: str | None, progress: Progress | None,
                    started: list[bool]) -> None:
        """Fits to the batches of an Arrow stream."""
        if label is None:
            raise ArgumentError("with rows= declared X is a stream: y names its label column")
        self._check_one_pass()
        n_features = len(batches.names)
        schema, attributes = self._declared_target()
        settings = _read_once(self._settings({"rows": self.rows}, n_features, schema, False))
        if self.data_norm is None:
            raise ArgumentError("the norm of a stream cannot be seen: declare data_norm")

        def train(run: _core.Run) -> None:
            for matrix, labels in batches:
                if len(labels):
                    run.feed(self._rows(matrix, labels, attributes))

        self._run(settings, progress, started, train)
        vars(self).update(attributes)
        self.n_features_in_ = n_features

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None, *,
                    groups: Any = None) -> Self:
        """Takes the next rows of a stream of ``rows`` rows, in their order.

        The model exists once all rows have come; without ``rows`` this call is the whole
        stream. Rows after the last are refused: another ``fit`` is another expense. The
        guarantee is for a row in its place. ``groups`` is refused.
        """
        if groups is not None:
            raise ArgumentError("a stream is read once and its persons cannot be counted first: "
                                "give groups= to fit")
        first = "_stream" not in vars(self)
        if first and hasattr(self, "model_"):
            X, y = self._checked(X, y, reset=False)
            raise StateError(
                "the stream is complete: declare rows= before the first partial_fit, or fit a "
                "new estimator"
            )
        if not first:
            self._stream["expense"].count()
        with whole_or_nothing(self) as started:
            try:
                self._continue(X, y, classes, sample_weight, first)
            except BaseException:
                stream = self.__dict__.pop("_stream", None)
                if stream is not None:
                    started.append(True)
                    stream["expense"].failed()
                raise
        return self

    def _continue(self, X: Any, y: Any, classes: Any, sample_weight: Any, first: bool) -> None:
        X, y = self._checked(X, y, reset=first)
        weights, facts = self._weights(sample_weight, X.shape[0])
        if "leaks" in facts:
            raise ArgumentError("the largest weight of a stream cannot be seen: declare max_weight=")
        if first:
            self._begin_stream(X, y, classes, weights is not None)
        stream = self._stream
        if weights is not None and not stream["weighted"]:
            raise ArgumentError("give sample_weight from the first partial_fit on, or max_weight=")
        stream["run"].feed(self._rows(X, y, stream["attributes"], weights))
        stream["left"] -= X.shape[0]
        if stream["left"] == 0:
            model = stream["run"].finish()
            stream["expense"].paid(model)
            self._take(model)
            vars(self).update(stream["attributes"])
            del self._stream

    def _begin_stream(self, X: Any, y: Any, classes: Any, weighted: bool) -> None:
        self._check_one_pass()
        if classes is not None:
            attributes = {"classes_": _data.declared_classes(classes)}
            schema = self._class_settings(attributes["classes_"])
        else:
            _, schema, attributes = quietly(lambda: self._target(y), None, self._numbers(y))
        n_rows = X.shape[0] if self.rows is None else self.rows
        settings = _read_once(self._settings({"rows": n_rows}, X.shape[1], schema, False))
        weighted = settings["weighted"] = weighted or self.max_weight is not None
        self._take_norm(settings, X)
        expense = Expense(settings, self.accountant)
        run = expense.begin(None, self.verbose, self.callbacks)
        self._stream = {"run": run, "left": n_rows, "expense": expense,
                        "attributes": attributes, "weighted": weighted}
