# SPDX-License-Identifier: MIT
"""Tables and streams of libraries with Arrow's C stream interface.

polars, pyarrow, DuckDB and pandas give their record batches as a capsule, which the core reads
without an Arrow library.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tacit._core import ArgumentError, ArrowStream, DataError
from tacit._quiet import quietly
from tacit._types import Array


def is_arrow(X: Any) -> bool:
    """Whether X is read through Arrow. scikit-learn reads pandas."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc")


class Batches:
    """The record batches of an object, one at a time, as (matrix, labels)."""

    def __init__(self, X: Any, label: str | None = None, features: Sequence[str] | None = None,
                 unit: str | None = None) -> None:
        # The producer may compute rows here, and later in next().
        self._stream = quietly(lambda: ArrowStream(X.__arrow_c_stream__()))
        self.formats = dict(self._stream.columns)
        names = [name for name, _ in self._stream.columns]
        if len(self.formats) != len(names):
            raise DataError("arrow: two columns have the same name")
        if label is not None and label not in self.formats:
            raise ArgumentError(f"y names the column '{label}', which is not there")
        if unit is not None and unit not in self.formats:
            raise ArgumentError(f"groups names the column '{unit}', which is not there")
        if features is None:
            features = [name for name in names if name not in (label, unit)]
        missing = [name for name in features if name not in self.formats]
        if missing:
            # The message of scikit-learn for a frame with other columns.
            raise DataError(
                "The feature names should match those that were passed during fit: "
                f"column '{missing[0]}' is missing"
            )
        self.names = list(features)
        self._columns = tuple(names.index(name) for name in self.names)
        self._label = names.index(label) if label is not None else None
        self._unit = names.index(unit) if unit is not None else None
        self.unit = unit
        single = all(self.formats[name] == "f" for name in self.names)
        self.dtype = np.float32 if single else np.float64

    def __iter__(self) -> Iterator[tuple[Array, Any]]:
        while (n_rows := self._stream.next()) is not None:
            matrix = np.empty((n_rows, len(self._columns)), self.dtype)
            self._stream.fill(self._columns, matrix, 0)
            yield matrix, self._labels()

    def _labels(self) -> Any:
        return self._objects(self._label)

    def _ids(self) -> Any:
        try:
            return self._objects(self._unit)
        except DataError:
            fault = DataError(f"column '{self.unit}': an id is missing, or is neither a number "
                              "nor text; every row must say who it belongs to")
        raise fault

    def _objects(self, column: int | None) -> Any:
        if column is None:
            return None
        return quietly(lambda: np.asarray(self._stream.objects(column)))

    def read(self, n_rows: int) -> tuple[Array, Any, Any]:
        """All batches as one matrix of `n_rows` rows, all labels, and all ids of persons."""
        matrix = np.empty((n_rows, len(self._columns)), self.dtype)
        labels, ids, row = [], [], 0
        while (count := self._stream.next()) is not None:
            if row + count > n_rows:
                raise DataError(f"arrow: more than the {n_rows} rows it said")
            self._stream.fill(self._columns, matrix, row)
            labels.append(self._labels())
            ids.append(self._ids())
            row += count
        if row != n_rows:
            raise DataError(f"arrow: {row} rows, not the {n_rows} it said")
        return (matrix, _joined(labels, self._label), _joined(ids, self._unit))


def _joined(parts: list[Any], column: int | None) -> Any:
    if column is None:
        return None
    return np.concatenate(parts) if parts else np.empty(0)
