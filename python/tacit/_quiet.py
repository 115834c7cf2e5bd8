# SPDX-License-Identifier: MIT
"""Exceptions about records that do not quote them.

NumPy, pandas, scikit-learn and Arrow put the value that they could not read into their
message: "could not convert string to float: 'John'". All code that touches records runs through
``quietly``, whose message says where the fault is and nothing else.
"""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tacit._core import DataError, TacitError


class DataTypeError(DataError, TypeError):
    """A DataError where scikit-learn promises a TypeError."""


T = TypeVar("T")
# Messages of scikit-learn and NumPy whose first line has shapes, counts and names of columns, but
# no value. All others are replaced.
_SAFE = re.compile(
    r"Found array with \d+ (sample|feature)\(s\)"
    r"|Found array with dim \d+"
    r"|Found input variables with inconsistent numbers of samples"
    r"|Expected 2D array, got (1D|scalar) array instead"
    r"|Complex data not supported"
    r"|X has \d+ features, but \w+ is expecting \d+ features"
    r"|This \w+ estimator requires y to be passed"
    r"|Input( [Xy])? contains (NaN|infinity)"
    r"|y should be a 1d array, got an array of shape"
    r"|The feature names should match those that were passed"
    r"|Feature names (must be in the same order|unseen at|are only supported|seen at)"
    r"|setting an array element with a sequence"
    r"|(A s|S)parse (matrix|data) was passed"
    r"|Expected sequence or array-like, got <class"
)
_RESHAPE = (
    " Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
    "or array.reshape(1, -1) if it contains a single sample."
)


def quietly(call: Callable[[], T], X: Any = None, y: Any = None) -> T:
    """Returns ``call()``. If it raises, the exception quotes nothing of the records X and y, and
    neither does its cause or context."""
    fault: Exception
    try:
        return call()
    except TacitError as error:
        fault = error
    except MemoryError as error:
        fault = type(error)("out of memory while the rows were read")
    except Exception as error:
        fault = _stand_in(error, X, y)
    # Raised here, after the handlers: inside one, the first exception would be its context.
    fault.__cause__ = fault.__context__ = None
    raise fault


def _stand_in(error: Exception, X: Any, y: Any) -> DataError:
    kind = DataTypeError if isinstance(error, TypeError) else DataError
    message = _safe_words(str(error))
    if message is None:
        place = _first_that_is_no_number(X, y)
        if place is not None:
            message = (f"{place}: cannot convert this to a number; the argument must be a string "
                       "that holds a number, or a number")
    if message is None:
        message = f"the rows cannot be read ({type(error).__name__})"
    return kind(message)


def _safe_words(text: str) -> str | None:
    if text.startswith("Unknown label type"):
        return "Unknown label type: y must hold classes, as integers, booleans or text"
    if _SAFE.match(text) is None:
        return None
    if text.startswith("The feature names"):
        return text  # the names of columns, one per line
    first = text.partition("\n")[0]
    return first.rstrip(":") + "." + _RESHAPE if first.startswith("Expected 2D") else first


def _first_that_is_no_number(X: Any, y: Any) -> str | None:
    """The first cell of X, or else of y, that is not a number, as a message names it."""
    for named, columns in (("column", _columns(X)), ("y", _columns(y))):
        for name, values in columns:
            row = _no_number_in(values)
            if row is not None:
                return f"row {row + 1}, " + (f"column {name}" if named == "column" else "y")
    return None


def _columns(table: Any) -> list[tuple[str, Any]]:
    """(name, values) of the columns of a table; none if it cannot be read."""
    try:
        if hasattr(table, "iloc") and hasattr(table, "columns"):
            names = [repr(str(name)) for name in table.columns]
            return [(name, table.iloc[:, j]) for j, name in enumerate(names)]
        array = np.asarray(table, dtype=object)
        if array.ndim == 1:
            return [("1", array)]
        if array.ndim == 2:
            return [(str(j + 1), array[:, j]) for j in range(array.shape[1])]
    except Exception:  # not a table
        pass
    return []


def _no_number_in(values: Any) -> int | None:
    """The index of the first value that is not a number; None if all are."""
    try:
        if np.asarray(values).dtype.kind in "mM":
            return 0  # NumPy converts times to numbers, scikit-learn refuses them
        np.asarray(values, dtype=np.float64)
        return None
    except Exception:
        cells = np.asarray(values, dtype=object)
    for row, cell in enumerate(cells):
        try:
            float(cell)
        except Exception:
            return row
    return None
