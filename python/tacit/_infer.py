# SPDX-License-Identifier: MIT
"""Tables of effects: coefficients with intervals, from private releases alone."""
from __future__ import annotations

import html
import json
import math
from typing import Any

import numpy as np

from tacit import _core, _table
from tacit._budget import Accountant, ReleaseExpense
from tacit._core import ArgumentError
from tacit._schema import Schema
from tacit._types import Facts


def infer(table: Any, schema: Schema, epsilon: float, *, loss: str | None = None, delta: float | None = None,
          adjacency: str = "replace", random_state: Any = None, accountant: Accountant | None = None,
          extra: str = "refuse") -> Effects:
    """The coefficients of a logistic, linear or Poisson model with confidence intervals.

    Parameters
    ----------
    table : frame of pandas, polars or pyarrow, or a dictionary of columns
    schema : Schema
        Bounds, categories and the label. With ``unit`` persons are protected and count once each.
    epsilon, delta, adjacency
        The budget of the table; ``delta`` is 1/rows², at most 1e-6, unless it is given.
    loss : {"logistic", "squared", "poisson"}, optional
        By the label unless it is given.
    random_state : int, optional
        Repeatable noise: the table is then not private.
    accountant : BudgetAccountant, optional
        Charged before the first row is read, as are all that are open.
    extra : {"refuse", "ignore"}
        What becomes of columns that the schema does not declare.

    Returns
    -------
    Effects
        With ``summary()``, ``params``, ``bse``, ``pvalues`` and ``conf_int()``.
    """
    if not isinstance(schema, Schema):
        raise ArgumentError("schema must be a tacit.Schema")
    if adjacency not in ("replace", "zero-out"):
        raise ArgumentError("adjacency must be 'replace' or 'zero-out'")
    settings: Facts = {"epsilon": float(epsilon), "zero_out": adjacency == "zero-out"}
    for name, value in (("delta", delta), ("loss", loss), ("seed", random_state)):
        if value is not None:
            settings[name] = value
    expense = ReleaseExpense(accountant, "infer")
    with _table.opened(table, extra) as rows:
        text = _core.infer(schema.to_json(), rows, extra == "ignore", settings, expense.reserve,
                           expense.failed)
    expense.paid()
    return Effects(_core.model_parse(text))


class Effects:
    """A table of effects. Coefficients that are not identified are NaN everywhere.

    ``model`` is the model with the table: save it with ``model.save(path)``, for ``tacit show``. The
    results have the names of statsmodels, as pandas objects if pandas is there, else as dictionaries.
    """

    def __init__(self, model: _core.Model) -> None:
        self.model = model
        self._table = self.table()

    def table(self, level: float = 0.95, side: int = 0, contrast: str | None = None) -> Facts:
        """Everything as a dictionary: coefficients, contrast, joint tests, covariance."""
        facts: Facts = json.loads(_core.effects(self.model, level, side, contrast, 1))
        return facts

    def summary(self, level: float = 0.95) -> str:
        """The table as text, with a forest plot."""
        return _core.effects(self.model, level, 0, None, 0)

    def contrast(self, text: str, level: float = 0.95) -> Facts:
        """One comparison, such as ``"age: 60 - 30"``, as a dictionary."""
        return dict(self.table(level, contrast=text)["contrasts"][0])

    @property
    def params(self) -> Any:
        return self._series("estimate")

    @property
    def bse(self) -> Any:
        return self._series("se")

    @property
    def tvalues(self) -> Any:
        return self._series("z")

    @property
    def pvalues(self) -> Any:
        return self._series("p")

    def cov_params(self) -> Any:
        """The covariance of the coefficients that are identified; the diagonal is ``bse`` squared."""
        lines = [{"name": "intercept", "state": "not identified", **self._table.get("intercept", {})}]
        lines += [line for line in self._table["coefficients"] if line["state"] in ("identified", "not identified")]
        full = np.zeros((len(lines), len(lines)))
        full[np.tril_indices(len(lines))] = self._table["covariance"]
        full += np.tril(full, -1).T
        kept = [i for i, line in enumerate(lines) if line["state"] == "identified"]
        wide = np.array([lines[i]["se"] / math.sqrt(full[i, i]) for i in kept])
        matrix = full[np.ix_(kept, kept)] * np.outer(wide, wide)
        names, pandas = [lines[i]["name"] for i in kept], _pandas()
        return matrix if pandas is None else pandas.DataFrame(matrix, index=names, columns=names)

    def conf_int(self, alpha: float = 0.05) -> Any:
        """Lower and upper bounds with confidence 1 - alpha."""
        lines = _lines(self.table(1 - alpha))
        bounds = {line["name"]: (line.get("low", math.nan), line.get("high", math.nan)) for line in lines}
        pandas = _pandas()
        return bounds if pandas is None else pandas.DataFrame.from_dict(bounds, orient="index", columns=[0, 1])

    def plot(self, ax: Any = None) -> Any:
        """A forest plot with matplotlib, without the intercept: sampling error dark, the noise beyond it light."""
        import matplotlib.pyplot as plt
        ax = plt.gca() if ax is None else ax
        lines = [line for line in self._table["coefficients"] if "estimate" in line][::-1]
        for i, line in enumerate(lines):
            half = (line["high"] - line["low"]) / 2
            inner = half * line["se_sampling"] / line["se"]
            ax.plot([line["low"], line["high"]], [i, i], color="0.7", linewidth=3)
            ax.plot([line["estimate"] - inner, line["estimate"] + inner], [i, i], color="0.2", linewidth=3)
            ax.plot(line["estimate"], i, "o", color="0.2")
        ax.axvline(0, color="0.5", linewidth=0.8)
        ax.set_yticks(range(len(lines)), [line["name"] for line in lines])
        ax.set_xlabel("per unit, 95% intervals; dark: sampling alone")
        return ax

    def _series(self, key: str) -> Any:
        values = {line["name"]: line.get(key, math.nan) for line in _lines(self._table)}
        pandas = _pandas()
        return values if pandas is None else pandas.Series(values)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        heads = ("", "estimate", "low", "high", "se", "sampling", "privacy", "z", "p")
        keys = ("estimate", "low", "high", "se", "se_sampling", "se_privacy", "z", "p")
        rows = []
        for line in _lines(self._table):
            name = f"<td>{html.escape(line['name'])}</td>"
            if "estimate" in line:
                p = "&lt;1e-6" if line["p"] < 1e-6 else f"{line['p']:.3g}"
                cells = [f"{line[key]:.4g}" if key in line else "" for key in keys[:-1]] + [p]
                rows.append(name + "".join(f"<td>{cell}</td>" for cell in cells))
            else:
                needed = f": at least {line['rows_needed']:.0f} rows needed" if "rows_needed" in line else ""
                rows.append(f"{name}<td colspan={len(keys)}>{html.escape(line['state'] + needed)}</td>")
        return ("<table><tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr><tr>"
                + "</tr><tr>".join(rows) + "</tr></table>")


def _lines(table: Facts) -> list[Facts]:
    """The intercept, if it is shown, and all coefficients but references."""
    lines = [table["intercept"]] if "intercept" in table else []
    return lines + [line for line in table["coefficients"] if line["state"] != "reference"]


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        return None
    return pandas
