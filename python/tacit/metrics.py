# SPDX-License-Identifier: MIT
"""How good a model is, with privacy for the people it is tested on. See docs/howto/evaluate.md."""
import decimal
import json
import math

import numpy as np

from tacit import _core, _data
from tacit._budget import ReleaseExpense
from tacit._core import ArgumentError
from tacit._quiet import quietly

__all__ = ["Evaluation", "evaluate"]


class Evaluation(dict):
    """The result of ``evaluate``: "metrics" and curves with intervals, "statement" and "private".

    It is the JSON object of ``tacit eval --epsilon``; printed, it is its text.
    """

    def __str__(self):
        lines = [f"units {self['units']}" if "units" in self else f"rows {self['rows']}"]
        lines += [_line(name, metric) for name, metric in self["metrics"].items()]
        statement = self["statement"]
        lines.append(
            ("PRIVATE" if self["private"] else "NOT PRIVATE, the noise comes from a seed; as if for")
            + f": epsilon = {_up(statement['epsilon'], 6)} and delta = {_up(statement['delta'], 4)} for one "
            f"{statement['unit']} (adjacency {statement['adjacency']})")
        return "\n".join(lines)


def _up(number, digits):
    """The text of a number with so many digits, rounded up."""
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    return f"{float(context.create_decimal(repr(number))):.{digits}g}"


def _line(name, metric):
    if metric["value"] is None:
        return f"{name} too noisy"
    width = metric["high"] - metric["low"]
    digits = min(12, max(0, 1 - math.floor(math.log10(width)))) if width > 0 else 7
    value, low, high = (f"{metric[key]:.{digits}f}" for key in ("value", "low", "high"))
    return f"{name} {value} ({low} to {high})"


def evaluate(model, X, y, *, epsilon, delta=None, adjacency="replace", sample_weight=None,
             max_weight=None, groups=None, max_loss=8, max_error=None, bins=None,
             random_state=None, accountant=None):
    """The quality of a model on labelled rows, from one noisy release.

    Parameters
    ----------
    model : fitted estimator or tacit.Model
        For a ``tacit.Model`` the labels are as in the core: -1 and 1 for two classes, 0, 1, … for
        more, numbers otherwise.
    X, y, sample_weight, groups
        As in ``fit``. With ``groups`` persons are protected, and each counts once.
    epsilon, delta, adjacency
        The budget of the release; ``delta`` is 1/rows², at most 1e-6, unless it is given.
    max_weight : float, optional
        Largest weight; weights are divided by it. Without it weights are from 0 to 1.
    max_loss, max_error : float
        The loss, or the error of a number, counts at most as this. Not chosen by looking at y.
    bins : int, optional
        Bins of scores: 16, or 64 where noise is small.
    random_state : int, optional
        Repeatable noise: the result is then not private.
    accountant : BudgetAccountant, optional
        Charged before the first row is read, as are all that are open.

    Returns
    -------
    Evaluation
        A dictionary; ``result["metrics"]["auc"]`` has "value", "low" and "high".
    """
    core = model if isinstance(model, _core.Model) else getattr(model, "model_", None)
    if not isinstance(core, _core.Model):
        raise ArgumentError("model must be a fitted estimator or a tacit.Model")
    if adjacency not in ("replace", "zero-out"):
        raise ArgumentError("adjacency must be 'replace' or 'zero-out'")
    rows = quietly(lambda: _rows(model, core, X, y, sample_weight, max_weight, groups), X, y)
    settings = {"epsilon": epsilon, "loss_max": max_loss, "zero_out": adjacency == "zero-out"}
    for name, value in (("delta", delta), ("error_max", max_error), ("bins", bins),
                        ("seed", random_state)):
        if value is not None:
            settings[name] = value
    expense = ReleaseExpense(accountant)
    text = _core.evaluate(core, rows, settings, expense.reserve, expense.failed)
    expense.paid()
    return Evaluation(json.loads(text))


def _rows(model, core, X, y, sample_weight, max_weight, groups):
    """The rows as the core reads them."""
    if hasattr(model, "_checked"):
        X, y = model._checked(X, y, reset=False)
        labels = model._encoded(y, vars(model))
    else:
        X = X if hasattr(X, "indptr") else np.asarray(X, dtype=float)
        labels = np.ascontiguousarray(y, dtype=float)
    weights, _ = _data.weights_of(sample_weight, X.shape[0], max_weight, "raise")
    ids = None if groups is None else _data.ids_of(groups, X.shape[0])
    return _data.rows_of(X, labels, weights, ids)
