# SPDX-License-Identifier: MIT
"""What people see: texts and small pages of schemas, models, checks and statements, and progress."""
from __future__ import annotations

import html
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tacit import _core, _table
from tacit._core import ArgumentError
from tacit._schema import Schema
from tacit._types import Callbacks, Path, Progress

_LANGUAGES = ["c", "sql", "postgresql", "sqlite", "duckdb"]


class Shown:
    """A result that is shown as its text, in a notebook as a page."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def table_of(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as text, with columns of equal width."""
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def page_of(head: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> str:
    """Rows as a table of HTML."""
    lines = "".join(
        "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row) + "</tr>"
        for tag, row in [("th", head), *(("td", row) for row in rows)])
    return f"<div><b>{html.escape(title)}</b><table>{lines}</table></div>"


_SCHEMA_HEAD = ["column", "type", "declared", "missing"]


def _schema_rows(schema: Schema) -> Iterator[tuple[str, str, str, str]]:
    facts = schema._facts
    for column in facts["columns"]:
        values = column.get("values")
        declared = ", ".join(map(str, values)) if values else (
            f"{column['min']} to {column['max']}" if "min" in column else
            f"{column['slots']} slots" if "slots" in column else "")
        missing = column.get("missing", "refused" if column["type"] in
                             ("numeric", "bool", "ordinal", "date") else "a text like others")
        yield column["name"], column["type"], _short(declared, 60), missing
    if facts.get("unit"):
        yield facts["unit"], "unit", "one person per id", "refused"
    if facts.get("weight"):
        yield facts["weight"]["column"], "weight", f"0 to {facts['weight']['max']}", "refused"
    label = facts["label"]
    declared = (", ".join(label["classes"]) if label.get("classes") else
                f"{label.get('min')} to {label.get('max')}")
    yield (label["column"], "label", _short(declared, 60),
           "left out" if facts.get("missing_label") == "skip" else "refused")


def _short(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def _schema_text(schema: Schema) -> str:
    return table_of(_SCHEMA_HEAD, _schema_rows(schema))


def _schema_page(schema: Schema) -> str:
    return page_of(_SCHEMA_HEAD, _schema_rows(schema), "Schema")


def _schema_repr(schema: Schema) -> str:
    names = [column["name"] for column in schema._facts["columns"]]
    return _short(f"<Schema of {len(names)} columns ({', '.join(names)}), label {schema.label}>", 100)


class Check(Shown, dict[str, Any]):
    """The report of ``check``: the JSON object of ``tacit check``, shown as its text."""

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for column in [*self["columns"], self["label"]]:
            notes = [f"{key} {column[key]}" for key in ("below", "above", "other", "bad")
                     if column.get(key)]
            yield column["name"], column.get("type", "label"), column["missing"], ", ".join(notes)

    def _title(self) -> str:
        return (f"{self['rows']} rows: "
                + ("training works" if self["trains"] else "training would fail")
                + ". Straight from the records: not private.")

    def __str__(self) -> str:
        faults = [fault["message"] for fault in self["first_faults"]]
        lines = [table_of(["column", "type", "missing", "to note"], self._rows()), *faults,
                 *(f"WARNING: {line}" for line in self.get("warnings", [])), self._title()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return page_of(["column", "type", "missing", "to note"], self._rows(), self._title())


# Models.

def _effects(model: _core.Model, count: int = 5) -> list[tuple[str, float]]:
    """The terms whose shapes span most, as (name, span)."""
    if json.loads(model.schema).get("format", "csv") != "csv":
        return []
    spans = [(shape["name"], float(np.ptp(shape["y"])))
             for shape in _table.shapes(model) if len(shape["y"])]
    return sorted(spans, key=lambda pair: -pair[1])[:count]


def _facts_of(model: _core.Model) -> Iterator[tuple[str, str]]:
    statement = json.loads(model.statement_json)
    kind = f"{model.loss}, " + (f"{model.classes} classes" if model.classes else "a number")
    yield "model", f"{kind}, {model.features} inputs"
    if model.is_private:
        yield "guarantee", (f"epsilon = {statement['epsilon']:.6g}, delta = {statement['delta']:.4g} "
                            f"for one {statement['unit']} (adjacency {statement['adjacency']})")
    else:
        yield "guarantee", "NOT PRIVATE: " + statement.get("reason", "see model.statement_text")
    for name, span in _effects(model):
        yield f"effect of {name}", f"up to {span:.3g} of the score"


def model_text(model: _core.Model) -> str:
    return table_of(["", ""], _facts_of(model)).lstrip("\n")


def model_page(model: _core.Model) -> str:
    return page_of(["", ""], _facts_of(model), "Tacit model")


def model_repr(model: _core.Model) -> str:
    return "<tacit.Model: " + "; ".join(value for _, value in list(_facts_of(model))[:2]) + ">"


def show(model: _core.Model) -> None:
    """Prints what the model is, what it guarantees, and its largest effects."""
    print(model_text(model))


def to_html(model: _core.Model, *, name: str = "model", evaluation: str | None = None,
            include_not_private: bool = False) -> str:
    """The page of ``tacit report`` as text; ``evaluation`` is the path of the JSON file of a
    private evaluation."""
    return model.page(name, evaluation, False, include_not_private)


def report(model: _core.Model, path: Path, *, name: str = "model", evaluation: str | None = None,
           include_not_private: bool = False) -> None:
    """Writes the page of ``tacit report``, or a model card if the path ends in .md."""
    text = model.page(name, evaluation, str(path).endswith(".md"), include_not_private)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def export(model: _core.Model, language: str, *, table: str = "rows") -> str | bytes:
    """The model as text in "c", "sql", "postgresql", "sqlite" or "duckdb", or as the bytes of
    "onnx"."""
    if language == "onnx":
        return model.onnx()
    if language not in _LANGUAGES:
        raise ArgumentError(f"language is 'onnx', {', '.join(map(repr, _LANGUAGES))}")
    return model.formula(_LANGUAGES.index(language), table)


def explain(model: _core.Model, row: Any, *, output: int = 0, extra: str = "ignore") -> dict[str, float]:
    """What each term adds to the margin of one row, as a dictionary, the largest first: a table of
    one row, or a dictionary of its cells. "(intercept)" is what is left; all add up to the margin."""
    if isinstance(row, dict):
        row = {name: [cell] if np.ndim(cell) == 0 else cell for name, cell in row.items()}
    with _table.opened(row, extra) as rows:
        if len(rows) != 1:
            raise ArgumentError("explain takes one row")
        inputs = _core.table_inputs(model.schema, rows, extra == "ignore")
    margin = _table.values_of(model, row, extra, margins=True)[0, output]
    weights = np.frombuffer(model.weights)
    own = weights[output * model.features:]
    bias = weights[model.outputs * model.features + output] if model.has_bias else 0.0
    offset = np.frombuffer(model.offset)[output] if model.offset else 0.0
    total = sum(own[number] * value for number, value in inputs) + bias
    scale = (margin - offset) / total if total else 0.0  # rows may be scaled by their own length
    parts: dict[str, float] = {}
    for number, value in inputs:
        name = next(term[0] for term in model.terms if term[3] <= number < term[3] + term[4])
        parts[name] = parts.get(name, 0.0) + float(own[number] * value * scale)
    parts = dict(sorted(parts.items(), key=lambda pair: -abs(pair[1])))
    return {**parts, "(intercept)": float(margin - sum(parts.values()))}


# Progress.

class Bar:
    """A progress bar: tqdm if it is installed, else a line on stderr."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __call__(self, done: int, rounds: int, *_: Any) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            end = "\n" if done == rounds else "\r"
            print(f"tacit: round {done} of {rounds}", end=end, file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._bar = tqdm(total=rounds, unit="round", desc="tacit")
        self._bar.update(done - self._bar.n)
        if done == rounds:
            self._bar.close()


def told(progress: Progress | None = None, verbose: bool = False,
         callbacks: Callbacks = None) -> Callable[..., None] | None:
    """The function that a run calls after every round: for the bar, `progress` (True: a bar) and all
    callbacks. None if nobody asked."""
    own = [] if progress is None or isinstance(progress, bool) else [progress]
    heard = [*own, *(callbacks or [])]
    if not all(map(callable, heard)):
        raise ArgumentError("progress is a function or True, and callbacks is a list of functions")
    if verbose or progress is True:
        heard.append(Bar())

    def tell(*facts: Any) -> None:
        for call in heard:
            call(*facts)

    return tell if heard else None


def _install() -> None:
    """Gives the classes of the core and the schema what this module says."""
    model = _core.Model
    for name, function in (("show", show), ("to_html", to_html), ("report", report),
                           ("export", export), ("explain", explain), ("predict", _table.predict),
                           ("predict_proba", _table.predict_proba), ("plot", _table.plot),
                           ("__repr__", model_repr), ("__str__", model_text),
                           ("_repr_html_", model_page)):
        setattr(model, name, function)
    for name, of_schema in (("__repr__", _schema_repr), ("__str__", _schema_text),
                            ("_repr_html_", _schema_page)):
        setattr(Schema, name, of_schema)


_install()
