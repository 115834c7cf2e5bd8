# SPDX-License-Identifier: MIT
"""Arrays and labels in the form that the core reads."""
from __future__ import annotations

import numbers as numbers_abc
import sys
import uuid
import warnings
from types import FrameType
from typing import Any

import numpy as np

from tacit._core import ArgumentError, DataError, PrivacyError
from tacit._types import Array


class PrivacyLeakError(PrivacyError):
    """A fact that must be public would have been taken from the records."""


class PrivacyLeakWarning(RuntimeWarning):
    """A fact that must be public was taken from the records: the model is not private."""


def warn(message: str, category: type[Warning]) -> None:
    """Warns; the warning points to the line that called this package."""
    level = 2
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "tacit":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def leak(on_leak: str, what: str, instead: str) -> None:
    """Reports that `what` is taken from the data: by an error, a warning or not at all. The
    caller notes it in the setting `leaks`, and the model is not private."""
    if on_leak == "ignore":
        return
    message = f"{what} would be taken from the data, which is not private: {instead}"
    if on_leak == "warn":
        warn(message, PrivacyLeakWarning)
    elif on_leak == "raise":
        raise PrivacyLeakError(message)
    else:
        raise ArgumentError("on_leak must be 'raise', 'warn' or 'ignore'")


def plain(array: Array) -> Array:
    """The array in native byte order; the array itself if it has that."""
    if array.dtype.isnative:
        return array
    return array.astype(array.dtype.newbyteorder("="))


def weights_of(sample_weight: Any, n_rows: int, max_weight: float | None, on_leak: str,
               numbers: Any = None) -> tuple[Array | None, str | None]:
    """Weights of rows for the core, from 0 to 1, and the name of the setting that was taken
    from them, if one was. They are divided by the declared maximum; larger ones count as it."""
    if sample_weight is None:
        return None, None
    if isinstance(sample_weight, numbers_abc.Number):
        sample_weight = np.full(n_rows, sample_weight, dtype=np.float64)
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight must be numbers") from None
    if weights.ndim != 1:
        raise DataError("sample_weight must be 1D: one weight per row")
    if weights.shape[0] != n_rows:
        raise DataError(f"sample_weight has {weights.shape[0]} weights for {n_rows} rows")
    sound = (weights >= 0) & np.isfinite(weights)
    if not sound.all():
        raise DataError(f"row {row_at(int(np.argmin(sound)), numbers)}: a weight must be a finite "
                        "number from 0 on")
    leaked = None
    if max_weight is None and (weights > 1).any():
        leak(on_leak, "the largest weight", "declare max_weight=")
        leaked, max_weight = "max_weight", float(weights.max())
    return np.minimum(weights / (max_weight or 1.0), 1.0), leaked


def ids_of(groups: Any, n_rows: int, numbers: Any = None) -> Array:
    """Ids of persons for the core: int64, or texts of bytes. Equal ids are the same person, and
    a whole number is its decimal text, as in files of ids. `numbers` are those of the rows."""
    if isinstance(groups, (str, bytes)) or not hasattr(groups, "__len__"):
        raise ArgumentError("groups must be one id per row")
    if getattr(groups, "ndim", 1) != 1:
        raise DataError("groups must be 1D: one id per row")
    ids = groups if isinstance(groups, np.ndarray) else _array_of_ids(groups)
    if ids.dtype.kind not in "biufUSO":
        raise DataError("groups must be text or numbers: write other ids as text")
    if ids.shape[0] != n_rows:
        raise DataError("groups must have one id per row: it has "
                        f"{'more' if ids.shape[0] > n_rows else 'fewer'} ids than X has rows")
    if ids.dtype.kind in "biu" and ids.dtype != np.uint64:
        return np.ascontiguousarray(ids, dtype=np.int64)
    texts = [_id_text(value) for value in ids.tolist()]
    for place, text in enumerate(texts):
        if text is None or not text or text.lower() == b"nan":
            raise DataError(f"row {row_at(place, numbers)}: no id; every row must say who it "
                            "belongs to")
        if b"\0" in text:
            raise DataError(f"row {row_at(place, numbers)}: an id must not contain a zero byte")
    return np.array(texts, dtype=np.bytes_)


def _array_of_ids(groups: Any) -> Array:
    if hasattr(groups, "iloc"):
        return np.asarray(groups)  # a Series; missing values stay what they are
    ids = np.empty(len(groups), dtype=object)
    ids[:] = groups.to_pylist() if hasattr(groups, "to_pylist") else list(groups)
    return ids


def _id_text(value: Any) -> bytes | None:
    """The bytes of an id; None if it is missing."""
    if isinstance(value, str):
        return value.strip(" \t").encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        return value.strip(b" \t")
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return b"%d" % int(value)
    if isinstance(value, tuple):
        parts = [_id_text(part) for part in value]
        return None if None in parts or b"" in parts else repr(tuple(parts)).encode()
    try:
        if value is None or value != value:
            return None
    except TypeError:  # pandas' NA
        return None
    if isinstance(value, (float, np.floating)):
        return b"%d" % int(value) if float(value).is_integer() else repr(float(value)).encode()
    if isinstance(value, uuid.UUID):
        return str(value).encode()
    raise DataError("an id must be text, a number, a UUID, or a tuple of them: write others as text")


def persons_in(ids: Array) -> int:
    """The number of persons."""
    return len(np.unique(ids))


def class_weights_of(class_weight: Any, classes: Array) -> list[float] | None:
    """Declared weights, one per class in the order of `classes`; None: no weights."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        raise PrivacyLeakError(
            "class_weight='balanced' would count the classes in the data, which is not "
            "private: give ('balanced', {class: rate}) with rates you know, or {class: weight}")
    balanced = isinstance(class_weight, tuple)
    if balanced:
        if len(class_weight) != 2 or class_weight[0] != "balanced":
            raise ArgumentError("class_weight is {class: weight} or ('balanced', {class: rate})")
        class_weight = class_weight[1]
        if not isinstance(class_weight, dict):
            class_weight = dict(zip(list(classes), class_weight, strict=True))
    if not isinstance(class_weight, dict):
        raise ArgumentError("class_weight is {class: weight} or ('balanced', {class: rate})")
    known = classes.tolist()
    unknown = [key for key in class_weight if key not in known]
    if unknown:
        raise ArgumentError("class_weight names a class that is not declared")
    default = None if balanced else 1.0
    weights: list[Any] = [class_weight.get(key, default) for key in known]
    if not all(isinstance(w, numbers_abc.Real) and 0 <= float(w) < np.inf for w in weights):
        raise ArgumentError("class_weight needs finite numbers from 0 on")
    if balanced and not all(weights):
        raise ArgumentError("the rate of a class must be above 0")
    return [1 / w if balanced else float(w) for w in weights]


def rows_of(X: Any, labels: Any = None, weights: Any = None, units: Any = None) -> tuple[Any, ...]:
    """Rows for the core: a dense array or a CSR matrix, without a copy. `units`: ids of
    persons, or the number of rows that share the bound of each row."""
    return (*_arrays_of(X, labels), weights, units)


def _arrays_of(X: Any, labels: Any) -> tuple[Any, ...]:
    if hasattr(X, "indptr"):
        if X.format != "csr":
            X = X.tocsr()
        data, indptr, indices = (
            np.ascontiguousarray(plain(a)) for a in (X.data, X.indptr, X.indices)
        )
        if data.dtype not in (np.float32, np.float64):
            data = data.astype(np.float64)
        return (data, indptr, indices, X.shape[1], labels)
    X = np.asarray(X)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise DataError(f"X must have two dimensions, not {X.ndim}")
    return (plain(X), labels)


def declared_classes(classes: Any) -> Array:
    """Declared classes as an array, in the given order: the second of two is the positive one."""
    declared: Array = np.asarray(classes)
    if declared.ndim != 1 or len(declared) < 2:
        raise ArgumentError("classes must be a list of at least 2 classes")
    if len(set(declared.tolist())) != len(declared):
        raise ArgumentError("classes holds the same class twice")
    return declared


def row_at(place: int, numbers: Any) -> int:
    """The number of a row for messages, from 1."""
    return (place if numbers is None else int(numbers[place])) + 1


def _places(ascending: Array, y: Any) -> Any:
    try:
        return np.searchsorted(ascending, y)
    except TypeError:
        return None


def encode_classes(y: Any, classes: Array, numbers: Any = None) -> Array:
    """Labels as the core reads them: -1 and 1 for two classes, 0, 1, … for more."""
    y = np.asarray(y)
    if (y.dtype.kind in "US") != (classes.dtype.kind in "US") and "O" not in (
        y.dtype.kind, classes.dtype.kind
    ):
        raise DataError("y and the declared classes are of different types")
    if len(classes) == 2:
        positive = np.asarray(y == classes[1])
        known = positive | np.asarray(y == classes[0])
        encoded = np.where(positive, 1.0, -1.0)
    else:
        order = np.argsort(classes)
        ascending = classes[order]
        place = _places(ascending, y)
        if place is None:
            raise DataError("y and the declared classes are of different types")
        place[place == len(classes)] = 0
        known = np.asarray(ascending[place] == y)
        encoded = order[place].astype(np.float64)
    if not known.all():
        row = row_at(int(np.argmin(known)), numbers)
        raise DataError(
            f"row {row}: the class of y is not among the declared classes; correct the "
            "row or declare the class"
        )
    return encoded


def encode_numbers(y: Any, numbers: Any = None) -> Array:
    encoded: Array = np.ascontiguousarray(y, dtype=np.float64)
    finite = np.isfinite(encoded)
    if not finite.all():
        raise DataError(f"row {row_at(int(np.argmin(finite)), numbers)}: y is NaN or infinity")
    return encoded


def checked_bounds(bounds: Any) -> tuple[float, float]:
    """Declared bounds of a number label."""
    try:
        low, high = (float(b) for b in bounds)
    except (TypeError, ValueError):
        raise ArgumentError("bounds must be (min, max) of y") from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ArgumentError("bounds must be finite numbers, min < max")
    return low, high
