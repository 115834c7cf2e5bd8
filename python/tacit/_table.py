# SPDX-License-Identifier: MIT
"""Tables: the rows of a data frame, as the C library reads them from a CSV file.

A frame of pandas, polars, pyarrow or DuckDB, or a dictionary of columns, becomes CSV text in an
unnamed file in memory. So the same code maps cells of files and of frames, and models are the
same, bit for bit. The text holds records; it is gone when the file is closed.
"""
import contextlib
import datetime
import json
import os
import re
import tempfile

import numpy as np

from tacit import _core
from tacit._core import ArgumentError, ArrowStream, DataError, TacitError
from tacit._quiet import quietly
from tacit._schema import Schema, cell_text


# How floats are written that are compared with declared texts: 5.0, as files have it.
_POINTED = ".0"


def _declared(facts, labels):
    """The columns of a schema in order, as {name: format of a date, _POINTED or ""}, and which of
    them a table must have."""
    columns = {c["name"]: c.get("format", "") if c["type"] == "date"
               else _POINTED if c["type"] in ("category", "ordinal") else ""
               for c in facts["columns"]}
    needed = set(columns)
    label = facts["label"]
    for name in (facts.get("unit"), (facts.get("weight") or {}).get("column"), label["column"]):
        if name is not None:
            named = name == label["column"] and label.keys() & {"classes", "is"}
            columns.setdefault(name, _POINTED if named else "")
            needed = needed | {name} if labels else needed - {name}
    return columns, needed


def _chosen(names, facts, labels, extra):
    """The declared columns that a table with these names has."""
    if extra not in ("refuse", "ignore"):
        raise ArgumentError("extra is 'refuse' or 'ignore'")
    columns, needed = _declared(facts, labels)
    names = [name for name in names if not str(name).startswith("__index_level_")]
    missing = [name for name in columns if name in needed and name not in names]
    unknown = [str(name) for name in names if name not in columns and extra == "refuse"]
    if missing or unknown:
        raise DataError(
            "the table does not match the schema: "
            + f"missing {', '.join(map(repr, missing)) or 'none'}; "
            + f"unknown {', '.join(map(repr, unknown)) or 'none'}"
            + (" (declare it, or give extra='ignore')" if unknown else ""))
    return {name: columns[name] for name in columns if name in names}


def _cells(values, how):
    """The cells of a column as text."""
    return [_cell(value, how) for value in values]


def _number(value, how):
    return str(value) if how == _POINTED and isinstance(value, float) else cell_text(value)


def _cell(value, how):
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (datetime.date, datetime.datetime)):
        return "" if value != value else value.strftime(how if "%" in how else "%Y-%m-%d")
    if isinstance(value, np.datetime64):
        return "" if np.isnat(value) else _cell(value.astype("datetime64[D]").item(), how)
    if isinstance(value, np.generic):
        if isinstance(value, np.floating) and np.isfinite(value):
            return _number(float(str(value)), how)
        value = value.item()
    if isinstance(value, str):
        return value.strip(" \t")
    try:
        if value != value:
            return ""
    except TypeError:  # pandas' NA
        return ""
    return _number(value, how)


def _line(cells, delimiter, breaks):
    line = delimiter.join(_quoted(cell, delimiter, breaks) for cell in cells)
    return (line + "\n").encode("utf-8", "surrogateescape")


def _quoted(cell, delimiter, breaks):
    if not any(c in cell for c in (delimiter, '"', "\r", "\n")):
        return cell
    if not breaks:
        cell = cell.replace("\n", " ").replace("\r", " ")
    return '"' + cell.replace('"', '""') + '"'


def _columns_of(table):
    """The columns of a dictionary or of a frame without Arrow, as sequences."""
    if isinstance(table, dict):
        return {name: list(values) for name, values in table.items()}
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        return {name: table[name].astype(object).tolist() for name in table.columns}
    raise ArgumentError("a table is a frame of pandas, polars, pyarrow or DuckDB, anything with "
                        "__arrow_c_stream__, or a dictionary of columns")


def _arrow_stream(table):
    """The stream of a table; None if it has none, or cannot give one."""
    if not hasattr(table, "__arrow_c_stream__"):
        return None
    try:
        return ArrowStream(table.__arrow_c_stream__())
    except Exception:
        # pandas without pyarrow, or with columns of several types, is read cell by cell.
        if hasattr(table, "iloc"):
            return None
        raise


def _write(table, facts, labels, extra, file):
    """Writes the table as CSV; returns the number of rows."""
    style = facts.get("delimiter", ","), bool(facts.get("quoted_newlines"))
    stream = _arrow_stream(table)
    if stream is None:
        columns = _columns_of(table)
        chosen = _chosen(list(columns), facts, labels, extra)
        cells = [_cells(columns[name], how) for name, how in chosen.items()]
        if len({len(column) for column in cells}) > 1:
            raise DataError("the columns of the table have different lengths")
        file.write(_line(chosen, *style))
        file.writelines(_line(row, *style) for row in zip(*cells, strict=True))
        return len(cells[0]) if cells else 0
    names = [name for name, _ in stream.columns]
    if len(set(names)) != len(names):
        raise DataError("two columns of the table have the same name")
    chosen = _chosen(names, facts, labels, extra)
    places = tuple(names.index(name) for name in chosen)
    file.write(_line(chosen, *style))
    n_rows = 0
    while (count := stream.next()) is not None:
        file.write(stream.text(places, tuple(chosen.values()), *style))
        n_rows += count
    return n_rows


_PLACE = re.compile(r"^\S*: line (\d+)")


def _in_rows(error):
    """The error of a file, about a table: line 2 is row 1."""
    return type(error)(_PLACE.sub(lambda m: f"row {int(m[1]) - 1}", str(error), count=1))


@contextlib.contextmanager
def opened(table, schema, labels=True, extra="refuse"):
    """The rows of a table as (path, number of rows): a file in memory, while it is open."""
    facts = schema._facts
    with contextlib.ExitStack() as stack:
        if hasattr(os, "memfd_create") and os.path.exists("/proc/self/fd"):
            file = stack.enter_context(os.fdopen(os.memfd_create("tacit"), "wb"))
            path = f"/proc/self/fd/{file.fileno()}"
        else:
            file = stack.enter_context(tempfile.NamedTemporaryFile())
            path = file.name
        n_rows = quietly(lambda: _write(table, facts, labels, extra, file))
        file.flush()
        fault = None
        try:
            yield path, n_rows
        except TacitError as error:
            fault = _in_rows(error)
        if fault is not None:
            raise fault


def check(table, schema, *, row_norm=0.0, values=False):
    """What in a table does not fit a schema, as a dictionary: the report of ``tacit check``.

    It comes straight from the records and is not private: it is for the holder of the data.
    Bounds, categories or classes changed because of it leak; take them from the data dictionary,
    or from a private description. ``values=True`` adds the cells of the first faults.
    """
    with opened(table, schema, extra="ignore") as (path, _):
        report = json.loads(_core.table_check(schema.to_json(), path, row_norm, values))
    for fault in report["first_faults"]:
        fault["message"] = _PLACE.sub(lambda m: f"row {int(m[1]) - 1}", fault["message"], count=1)
    return report


def schema_of(model):
    """The schema of a model that was trained on a table or a CSV file."""
    facts = json.loads(model.schema)
    if facts.get("format", "csv") != "csv":
        raise ArgumentError("this model was not trained on a table: it takes arrays or LIBSVM rows")
    return Schema.from_json(facts)


def values_of(model, table, extra, margins=False):
    """Scores or margins, one row per row of the table."""
    with opened(table, schema_of(model), labels=False, extra=extra) as (path, n_rows):
        out = np.empty((n_rows, model.outputs))
        if n_rows > 0:
            model.table_scores(path, out, margins)
    return out


def predict(model, table, *, extra="refuse"):
    """The class (its name) or the number of every row of a table."""
    names = schema_of(model).classes
    scores = values_of(model, table, extra, margins=names is not None)
    if names is None:
        return scores[:, 0]
    if model.outputs == 1:
        return np.asarray(names, dtype=object)[(scores[:, 0] > 0).astype(int)]
    return np.asarray(names, dtype=object)[np.argmax(scores, axis=1)]


def predict_proba(model, table, *, extra="refuse"):
    """Probabilities of the classes, one column per class, as declared."""
    if model.loss not in ("logistic", "softmax"):
        raise ArgumentError(f"the scores of the loss {model.loss} are no probabilities")
    scores = values_of(model, table, extra)
    return np.hstack([1 - scores, scores]) if model.outputs == 1 else scores


_CURVES = ("line", "steps", "hats")
# Standard deviations on each side of a shape: 95% of the noise.
_BAND = 1.96


def _names(kind, count, values):
    """The points of a term that is not a number."""
    if kind == "levels":
        return list(values)
    if kind == "values":
        return [*values, "other"][:count] if values else [str(i + 1) for i in range(count)]
    return ["no", "yes"] if kind == "flag" else [f"#{i}" for i in range(count)]


def shapes(model, output=0, points=101):
    """The shape of every term: {"name", "kind", "x", "y", "band"}; x are numbers, or names of values.

    If a number has atoms, they follow the points of its curve in x, y and band, and "atoms" says how
    many there are. y is what the term adds to the score (two classes: the log-odds), less its mean over x. The noise
    of the training moved it by less than band with a probability of about 95% at each point
    (docs/results/bands.md); band is None if the model does not say."""
    schema_of(model)
    result = []
    for number, (name, _, kind, _, count, low, high, _, values, atoms) in enumerate(model.terms):
        y, noise = (np.frombuffer(part) for part in model.shape(number, output, points))
        x = (np.append(np.linspace(low, high, points), atoms) if kind in _CURVES
             else _names(kind, count, values))
        band = None if np.isnan(noise).any() else _BAND * noise
        result.append({"name": name, "kind": kind, "x": x, "y": y, "band": band,
                       "atoms": len(atoms)})
    return result


def _draw(axis, shape):
    x, y, band = shape["x"], shape["y"], shape["band"]
    axis.axhline(0, color="0.8", linewidth=0.8)
    axis.set_title(shape["name"], fontsize="medium")
    if shape["kind"] in _CURVES:
        steps = shape["kind"] == "steps"
        end = len(x) - shape["atoms"]
        axis.plot(x[:end], y[:end], drawstyle="steps-post" if steps else "default")
        if band is not None:
            axis.fill_between(x[:end], (y - band)[:end], (y + band)[:end],
                              step="post" if steps else None, alpha=0.25, linewidth=0)
        if shape["atoms"]:
            axis.errorbar(x[end:], y[end:], yerr=None if band is None else band[end:], fmt="o",
                          color="C0", markersize=4)
        return
    places = np.arange(len(x))
    axis.bar(places, y, width=0.6, yerr=band, error_kw={"ecolor": "0.3", "elinewidth": 1})
    axis.set_xticks(places, x, rotation=60 if len(places) > 4 else 0,
                    ha="right" if len(places) > 4 else "center", fontsize="small")


def plot(model, terms=None, *, output=0, figure=None):
    """Draws the shapes of a model's terms with matplotlib and returns the figure.

    ``terms`` names those to draw; by default all but hashed texts, words and crosses. If the model
    says how far the noise of its training moves the shapes, they have an approximate 95% band."""
    import matplotlib.pyplot as plt

    drawn = [shape for shape in shapes(model, output)
             if (shape["name"] in terms if terms is not None
                 else shape["kind"] not in ("hashed", "words", "cross"))]
    if not drawn:
        raise ArgumentError("there is no such term to draw")
    across = min(3, len(drawn))
    down = -(-len(drawn) // across)
    figure = figure or plt.figure(figsize=(4 * across, 2.8 * down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
    for axis in axes[len(drawn):]:
        axis.set_visible(False)
    for axis, shape in zip(axes, drawn, strict=False):
        _draw(axis, shape)
    axes[0].set_ylabel("adds to the log-odds" if model.loss == "logistic" else "adds to the score")
    if drawn[0]["band"] is None:
        note = "no noise band: the model does not say how far noise moves it"
    else:
        note = "bands: approximate 95% range of the noise, not of the sample"
    figure.supxlabel(note, fontsize="small", color="0.3")
    return figure
