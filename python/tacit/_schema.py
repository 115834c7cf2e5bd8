# SPDX-License-Identifier: MIT
"""Schemas in Python: what each column of a table is, declared before any row is read.

They are the JSON files of docs/howto/schema.md; the C library reads and checks both.
"""
from __future__ import annotations

import json
import numbers
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacit import _core
from tacit._core import ArgumentError
from tacit._types import Facts, Path


class Column:
    """A column of a table; the subclasses say what it is."""

    _type: str | None = None

    def __init__(self, **keys: Any) -> None:
        self._keys = {key: value for key, value in keys.items() if value is not None}

    def _json(self, name: str) -> Facts:
        return {"name": name, "type": self._type, **self._keys}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._keys.items())})"


def _check_bounds(min: Any, max: Any) -> None:
    for bound in (min, max):
        if isinstance(bound, bool) or not isinstance(bound, numbers.Real):
            raise ArgumentError("min and max must be numbers, known without looking at the rows")
    if not min < max:
        raise ArgumentError(f"min must be below max, and {min} is not below {max}")


def _curve(curve: Any) -> Any:
    """``curve=16`` has 16 steps, ``curve="hats"`` 8 knots, ``curve="hats+line"`` a line beside
    them; a dictionary is taken as it is."""
    hats = {"knots": 8, "kind": "linear"}
    return {"hats": hats, "hats+line": {**hats, "line": True}}.get(curve, curve) \
        if isinstance(curve, str) else curve


class Numeric(Column):
    """A number, clamped to [min, max].

    ``curve=N`` makes N steps, ``curve={"knots": K}`` or ``curve="hats"`` (8 knots) a broken line,
    ``curve={"knots": K, "line": True}`` or ``curve="hats+line"`` the same beside a straight one;
    ``map`` is "log", "log1p", "sqrt", [0, 1] or [-1, 1]; ``missing`` is a number or "own";
    ``atoms=[0]`` are values that many rows have, each with an input of its own; ``monotone="up"``
    or ``"down"`` promises that what the column adds never falls or rises.
    """

    _type = "numeric"

    def __init__(self, min: float, max: float, *, curve: int | str | Facts | None = None,
                 edges: Sequence[float] | None = None, map: Any = None, atoms: Sequence[float] | None = None,
                 monotone: str | None = None, missing: float | str | None = None) -> None:
        _check_bounds(min, max)
        super().__init__(min=min, max=max, curve=_curve(curve), edges=edges, map=map,
                         atoms=atoms, monotone=monotone, missing=missing)


class Category(Column):
    """One of the declared values; all others are ``other``."""

    _type = "category"

    def __init__(self, *values: Any) -> None:
        super().__init__(values=_texts(values))


class Ordinal(Column):
    """One of the declared values, the lowest first; ``monotone`` as for ``Numeric``."""

    _type = "ordinal"

    def __init__(self, *values: Any, monotone: str | None = None, missing: Any = None) -> None:
        super().__init__(values=_texts(values), monotone=monotone, missing=missing)


class Bool(Column):
    _type = "bool"

    def __init__(self, *, missing: Any = None) -> None:
        super().__init__(missing=missing)


class Date(Column):
    """A date from ``min`` to ``max`` ("2024-12-31"), as the ``parts`` asked for: "year", "month",
    "weekday", "yearday" and "days"."""

    _type = "date"

    def __init__(self, min: object, max: object, parts: Iterable[str], *, format: str = "%Y-%m-%d",
                 curve: int | str | Facts | None = None, missing: Any = None) -> None:
        super().__init__(format=format, min=str(min), max=str(max), parts=list(parts),
                         curve=_curve(curve), missing=missing)


class Hashed(Column):
    """Any text, as a 1 in one of the slots."""

    _type = "hashed"

    def __init__(self, slots: int) -> None:
        super().__init__(slots=slots)


class Text(Column):
    """Words, counted by their hash."""

    _type = "text"

    def __init__(self, slots: int) -> None:
        super().__init__(slots=slots)


class Ignore(Column):
    """Not used."""

    _type = "ignore"

    def __init__(self) -> None:
        super().__init__()


class Classes(Column):
    """The label: one of the declared classes; of two, the negative one first. ``above``,
    ``below`` or ``is_`` make two classes of a number or a text."""

    def __init__(self, *classes: Any, above: float | None = None, below: float | None = None,
                 is_: Any = None) -> None:
        keys = {"above": above, "below": below, "is": is_}
        super().__init__(classes=_texts(classes) or None, **keys)

    def _json(self, name: str) -> Facts:
        return {"column": name, **self._keys}


class Target(Column):
    """The label: a number, clamped to [min, max]."""

    def __init__(self, min: float, max: float) -> None:
        _check_bounds(min, max)
        super().__init__(min=min, max=max)

    def _json(self, name: str) -> Facts:
        return {"column": name, **self._keys}


class Unit(Column):
    """The id of the person that a row belongs to: the guarantee is then for persons."""

    def __init__(self) -> None:
        super().__init__()


class Weight(Column):
    """The weight of a row, from 0 to ``max``."""

    def __init__(self, max: float) -> None:
        super().__init__(max=max)


def _texts(values: Sequence[Any]) -> list[str]:
    """Values as they are written in a file: 5 and 5.0 are "5"."""
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        values = values[0]
    return [cell_text(value) for value in values]


def cell_text(value: object) -> str:
    """A value as the text of a cell."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


class Schema:
    """What each column of a table is.

    >>> tacit.Schema(age=tacit.Numeric(0, 110, curve=16), sex=tacit.Category("f", "m"),
    ...              sick=tacit.Classes("no", "yes"))

    One column is the label: ``Classes`` or ``Target``. Names that are no identifiers go into a
    dictionary, the first argument. ``with_options`` sets what is not about one column.
    """

    def __init__(self, columns: Mapping[str, Column] | None = None, /, **more: Column) -> None:
        columns = {**(columns or {}), **more}
        facts: Facts = {"tacit_schema": 2, "columns": []}
        for name, column in columns.items():
            if not isinstance(column, Column):
                raise ArgumentError(f"column '{name}': give tacit.Numeric(…) or another type")
            if isinstance(column, (Classes, Target)):
                if "label" in facts:
                    raise ArgumentError("a schema has one label: Classes or Target")
                facts["label"] = column._json(name)
            elif isinstance(column, Unit):
                facts["unit"] = name
            elif isinstance(column, Weight):
                facts["weight"] = {"column": name, **column._keys}
            else:
                facts["columns"].append(column._json(name))
        if "label" not in facts:
            raise ArgumentError("a schema needs a label: one column is Classes(…) or Target(…)")
        self._take(json.dumps(facts))

    def _take(self, text: str) -> None:
        self._text = _core.schema_text(text)
        self._facts: Facts = json.loads(self._text)

    @classmethod
    def from_json(cls, source: Path | Facts) -> Schema:
        """The schema of a JSON file (its path), of JSON text, or of a dictionary."""
        schema = cls.__new__(cls)
        if isinstance(source, dict):
            text = json.dumps(source)
        elif isinstance(source, str) and source.lstrip().startswith("{"):
            text = source
        else:
            with open(os.fspath(source), encoding="utf-8") as file:
                text = file.read()
        schema._take(text)
        return schema

    def to_json(self) -> str:
        """The text of a schema file, with all defaults written out."""
        return self._text

    def with_options(self, **options: Any) -> Schema:
        """A copy with keys of the schema file: ``na``, ``crosses``, ``missing_label``,
        ``quoted_newlines``, ``delimiter``."""
        return Schema.from_json({**self._facts, "tacit_schema": 2, **options})

    @property
    def label(self) -> str:
        """The name of the column of the label."""
        return str(self._facts["label"]["column"])

    @property
    def classes(self) -> list[str] | None:
        """The names of the classes, None if the label is a number."""
        classes: list[str] | None = self._facts["label"].get("classes")
        return classes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Schema.from_json, (self._text,))
