# SPDX-License-Identifier: MIT
"""Tables: the rows of a data frame, as the C library reads them from a CSV file.

A frame of pandas, polars, pyarrow or DuckDB, or a dictionary of columns, is shown to the library as
typed columns, which it reads where they are. Cells become what they become in a CSV file of the
frame, so models are the same, bit for bit.
"""
from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit import _core
from tacit._core import ArgumentError, DataError, TacitError
from tacit._quiet import quietly
from tacit._schema import Schema
from tacit._types import Array, Facts

if TYPE_CHECKING:
    from tacit._show import Check

_PER_DAY = {"D": 1, "s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6, "ns": 86400 * 10**9}


def _valid(missing: Any) -> Array:
    return np.packbits(~np.asarray(missing, dtype=bool), bitorder="little")


def _array(name: str, values: Any) -> tuple[Any, ...]:
    """The column of a NumPy array, as Table of the core takes it."""
    valid = None
    if isinstance(values, np.ma.MaskedArray):
        valid, values = _valid(np.ma.getmaskarray(values)), values.data
    if values.ndim != 1:
        raise DataError(f"column '{name}': it is " + (
            "one value, and a column has one per row" if values.ndim == 0 else
            "not one-dimensional"))
    kind, per_day = values.dtype.kind, 0
    if kind == "M":
        unit, count = np.datetime_data(values.dtype)
        if unit not in _PER_DAY or count != 1:
            values, unit = values.astype("datetime64[s]"), "s"
        values, per_day = values.view("i8"), _PER_DAY[unit]
    elif kind == "S":
        values = np.char.decode(values, "utf-8", "surrogateescape").astype(object)
    elif kind in "UT":
        values = values.astype(object)
    elif kind not in "biufO":
        values = np.broadcast_to(np.complex128(0), values.shape)  # a type that is not read
    elif values.dtype == np.float16 or values.dtype.itemsize > 8:
        values = values.astype(np.float64)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if len(values) > 1 and values.strides[0] == 0:
        values = np.ascontiguousarray(values)
    return name, values, valid, None, per_day


def _column(name: str, values: Any) -> tuple[Any, ...]:
    """The column of a NumPy array, a list, or a series of pandas."""
    name = str(name)
    if not hasattr(values, "iloc") and not hasattr(values, "categories"):
        return _array(name, values if isinstance(values, np.ndarray) else np.asarray(values))
    if isinstance(values.dtype, np.dtype):
        return _array(name, values.to_numpy())
    array = values.array if hasattr(values, "array") else values
    if hasattr(array, "categories") and hasattr(array, "codes"):
        return (*_array(name, np.asarray(array.codes))[:3], _column("", array.categories), 0)
    if getattr(values.dtype, "tz", None) is not None:
        return _array(name, values.dt.tz_localize(None).to_numpy())
    if hasattr(array, "__arrow_array__") and not hasattr(array, "_mask"):
        import pyarrow

        chunks = array.__arrow_array__()
        if isinstance(chunks, pyarrow.ChunkedArray):
            chunks = chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()
        if not isinstance(chunks, pyarrow.ExtensionArray) and len(chunks) > 0:
            stream = pyarrow.table({name: chunks}).__arrow_c_stream__()
            return name, stream, None, None, 0
    if isinstance(getattr(array, "_data", None), np.ndarray) and hasattr(array, "_mask"):
        return (name, *_array(name, array._data)[1:2], _valid(array._mask), None, 0)
    return _array(name, np.asarray(array, dtype=object))


def is_frame(table: object) -> bool:
    """Whether this is a frame of pandas."""
    return hasattr(table, "iloc") and hasattr(table, "columns")


def _table_of(table: Any, more: Facts) -> _core.Table:
    own = [_column(name, values) for name, values in more.items()]
    if isinstance(table, dict) or is_frame(table):
        columns = table.items() if isinstance(table, dict) else (
            (name, table.iloc[:, place]) for place, name in enumerate(table.columns))
        own = [_column(name, values) for name, values in columns if name not in more] + own
        if isinstance(table, dict) and len({len(values) for values in table.values()}) > 1:
            raise DataError("the columns of the table have different lengths")
        return _core.Table(None, own)
    if hasattr(table, "__arrow_c_stream__"):
        return _core.Table(table.__arrow_c_stream__(), own)
    hint = "; call toPandas() first" if hasattr(table, "toPandas") else "; call collect() first" if hasattr(table, "collect") else (
        "; read the file first" if isinstance(table, (str, os.PathLike)) else "")
    raise ArgumentError("a table is a frame of pandas, polars, pyarrow or DuckDB, anything with "
                        "__arrow_c_stream__, or a dictionary of columns; this is of type "
                        f"{type(table).__name__}{hint}")


_PLACE = re.compile(r"^row (\d+)")


def _label_of(table: Any, error: TacitError) -> TacitError:
    """The error of the library, with the label of the row in an index of whole numbers."""
    found = _PLACE.match(str(error))
    if found is None or not is_frame(table) or table.index.dtype.kind not in "iu":
        return error
    row = int(found[1])
    return type(error)(f"row {row} (index {table.index[row - 1]}){str(error)[found.end():]}")


@contextlib.contextmanager
def opened(table: Any, extra: str = "refuse", **more: Any) -> Iterator[_core.Table]:
    """The rows of a table as the library reads them, with more columns in place of its own."""
    if extra not in ("refuse", "ignore"):
        raise ArgumentError("extra is 'refuse' or 'ignore'")
    fault = None
    try:
        yield quietly(lambda: _table_of(table, more))
    except TacitError as error:
        fault = _label_of(table, error)
    if fault is not None:
        raise fault from None


def check(table: Any, schema: Schema, *, row_norm: float = 0.0, values: bool = False) -> Check:
    """What in a table does not fit a schema, as a dictionary: the report of ``tacit check``.

    It comes straight from the records and is not private: it is for the holder of the data.
    Bounds, categories or classes changed because of it leak; take them from the data dictionary,
    or from a private description. ``values=True`` adds the cells of the first faults.
    """
    from tacit._show import Check  # it shows tables and models

    with opened(table) as rows:
        return Check(json.loads(_core.table_check(schema.to_json(), rows, row_norm, values)))


def schema_of(model: _core.Model) -> Schema:
    """The schema of a model that was trained on a table or a CSV file."""
    facts = json.loads(model.schema)
    if facts.get("format", "csv") != "csv":
        raise ArgumentError("this model was not trained on a table: it takes arrays or LIBSVM rows")
    return Schema.from_json(facts)


def values_of(model: _core.Model, table: Any, extra: str, margins: bool = False) -> Array:
    """Scores or margins, one row per row of the table."""
    schema_of(model)
    with opened(table, extra) as rows:
        out = np.empty((len(rows), model.outputs))
        if len(rows) > 0:
            model.table_scores(rows, out, margins, extra == "ignore")
    return out


def chosen(margins: Array) -> Array:
    """The number of the class with the largest margin."""
    return (margins[:, 0] > 0).astype(int) if margins.shape[1] == 1 else np.argmax(margins, axis=1)


def predict(model: _core.Model, table: Any, *, extra: str = "refuse") -> Array:
    """The class (its name) or the number of every row of a table."""
    names = schema_of(model).classes
    scores = values_of(model, table, extra, margins=names is not None)
    return scores[:, 0] if names is None else np.asarray(names, dtype=object)[chosen(scores)]


def predict_proba(model: _core.Model, table: Any, *, extra: str = "refuse") -> Array:
    """Probabilities of the classes, one column per class, as declared."""
    if model.loss not in ("logistic", "softmax"):
        raise ArgumentError(f"the scores of the loss {model.loss} are no probabilities")
    scores = values_of(model, table, extra)
    return np.hstack([1 - scores, scores]) if model.outputs == 1 else scores


_CURVES = ("line", "steps", "hats")
# Standard deviations on each side of a shape: 95% of the noise.
_BAND = 1.96


def _names(kind: str, count: int, values: Sequence[str]) -> list[str]:
    """The points of a term that is not a number."""
    if kind == "levels":
        return list(values)
    if kind == "values":
        return [*values, "other"][:count] if values else [str(i + 1) for i in range(count)]
    return ["no", "yes"] if kind == "flag" else [f"#{i}" for i in range(count)]


def shapes(model: _core.Model, output: int = 0, points: int = 101) -> list[Facts]:
    """The shape of every term: {"name", "kind", "x", "y", "band"}; x are numbers, or names of values.

    If a number has atoms, they follow the points of its curve in x, y and band, and "atoms" says how
    many there are. y is what the term adds to the score (two classes: the log-odds), less its mean over x. The noise
    of the training moved it by less than band with a probability of about 95% at each point
    (docs/results/bands.md); band is None if the model does not say.

    "first" and "count" are its inputs. "slope" is what one unit more of a line adds: None for other
    terms, and for a model that scales each row by its own norm."""
    schema_of(model)
    mapped = [c["name"] for c in json.loads(model.schema)["columns"] if isinstance(c.get("map"), str)]
    result = []
    for number, (name, _, kind, first, count, low, high, _, values, atoms) in enumerate(model.terms):
        y, noise = (np.frombuffer(part) for part in model.shape(number, output, points))
        x = (np.append(np.linspace(low, high, points), atoms) if kind in _CURVES
             else _names(kind, len(y), values))
        band = None if np.isnan(noise).any() else _BAND * noise
        result.append({"name": name, "kind": kind, "x": x, "y": y, "band": band,
                       "atoms": len(atoms), "first": first, "count": count,
                       "slope": (y[points - 1] - y[0]) / (high - low)
                       if model.row_scale and kind == "line" and name not in mapped else None})
    return result


def _draw(axis: Any, shape: Facts) -> None:
    x, y, band = shape["x"], shape["y"], shape["band"]
    axis.axhline(0, color="0.8", linewidth=0.8)
    slope = "" if shape["slope"] is None else f"\n{shape['slope']:+.3g} per unit"
    axis.set_title(shape["name"] + slope, fontsize="medium")
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


def per_unit(model: _core.Model) -> Array:
    """What one unit more of a line, a level more or a value adds to the score, per input of a model
    with one output; NaN for curves, which have no such number."""
    weights = np.frombuffer(model.weights)[: model.features] * model.term_scale
    for shape in shapes(model, points=2):
        inputs = slice(shape["first"], shape["first"] + shape["count"])
        if shape["kind"] == "levels":
            weights[inputs] /= np.sqrt(shape["count"])
        elif shape["kind"] in ("line", "hats"):
            curve = slice(shape["first"], shape["first"] + shape["count"] - shape["atoms"])
            weights[curve] = np.nan if shape["slope"] is None else shape["slope"]
    return weights


def plot(model: _core.Model, terms: list[str] | None = None, *, output: int = 0, figure: Any = None) -> Any:
    """Draws the shapes of a model's terms with matplotlib and returns the figure.

    ``terms`` names those to draw; by default all but hashed texts, words and crosses. If the model
    says how far the noise of its training moves the shapes, they have an approximate 95% band."""
    import matplotlib.pyplot as plt

    every = {shape["name"]: shape for shape in shapes(model, output)}
    unknown = [repr(name) for name in terms or [] if name not in every]
    if unknown:
        raise ArgumentError(f"no term is called {', '.join(unknown)}; there are "
                            + ", ".join(map(repr, every)))
    drawn = ([every[name] for name in terms] if terms is not None else
             [shape for shape in every.values() if shape["kind"] not in ("hashed", "words", "cross")])
    if not drawn:
        raise ArgumentError("there is no term to draw")
    across = min(3, len(drawn))
    down = -(-len(drawn) // across)
    figure = figure or plt.figure(figsize=(4 * across, 2.8 * down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
    for axis in axes[len(drawn):]:
        axis.set_visible(False)
    for axis, shape in zip(axes, drawn, strict=False):
        _draw(axis, shape)
    axes[0].set_ylabel("adds to the log-odds" if model.loss == "logistic" else "adds to the score")
    if model.row_scale and model.loss in ("logistic", "poisson") and model.outputs == 1:
        ratio = axes[min(across, len(drawn)) - 1].secondary_yaxis("right", functions=(np.exp, np.log))
        ratio.set_ylabel("odds ratio" if model.loss == "logistic" else "rate ratio")
    if drawn[0]["band"] is None:
        note = "no noise band: the model does not say how far noise moves it"
    else:
        note = "bands: approximate 95% range of the noise, not of the sample"
    figure.supxlabel(note, fontsize="small", color="0.3")
    return figure
