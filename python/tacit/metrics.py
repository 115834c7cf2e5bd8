# SPDX-License-Identifier: MIT
"""How good a model is, with privacy for the people it is tested on. See docs/howto/evaluate.md."""
from __future__ import annotations

import decimal
import json
import math
from typing import Any

import numpy as np

from tacit import _core, _data, _table
from tacit._account import compose_mu, epsilon_from_mu, mu_from_dp, plan
from tacit._budget import UNCOUNTED, Accountant, ReleaseExpense
from tacit._core import ArgumentError
from tacit._quiet import quietly
from tacit._show import Shown
from tacit._types import Facts

__all__ = ["CrossValidation", "Evaluation", "cross_validate", "evaluate"]


class Evaluation(Shown, dict[str, Any]):
    """The result of ``evaluate``: "metrics" and curves with intervals, "statement" and "private".

    It is the JSON object of ``tacit eval --epsilon``; printed, it is its text.
    """

    def __str__(self) -> str:
        lines = [f"units {self['units']}" if "units" in self else f"rows {self['rows']}"]
        lines += [_line(name, metric) for name, metric in self["metrics"].items()]
        statement = self["statement"]
        lines.append(
            ("PRIVATE" if self["private"] else "NOT PRIVATE, the noise comes from a seed; as if for")
            + f": epsilon = {_up(statement['epsilon'], 6)} and delta = {_up(statement['delta'], 4)} for one "
            f"{statement['unit']} (adjacency {statement['adjacency']})")
        return "\n".join(lines)


def _up(number: float, digits: int) -> str:
    """The text of a number with so many digits, rounded up."""
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    return f"{float(context.create_decimal(repr(number))):.{digits}g}"


def _line(name: str, metric: Facts) -> str:
    if metric["value"] is None:
        return f"{name} too noisy"
    width = metric["high"] - metric["low"]
    digits = min(12, max(0, 1 - math.floor(math.log10(width)))) if width > 0 else 7
    value, low, high = (f"{metric[key]:.{digits}f}" for key in ("value", "low", "high"))
    return f"{name} {value} ({low} to {high})"


def evaluate(model: Any, X: Any, y: Any = None, *, epsilon: float, delta: float | None = None,
             adjacency: str = "replace", sample_weight: Any = None, max_weight: float | None = None,
             groups: Any = None, max_loss: float = 8, max_error: float | None = None, bins: int | None = None,
             random_state: Any = None, accountant: Accountant | None = None) -> Evaluation:
    """The quality of a model on labelled rows, from one noisy release.

    Parameters
    ----------
    model : fitted estimator or tacit.Model
        For a ``tacit.Model`` the labels are as in the core: -1 and 1 for two classes, 0, 1, … for
        more, numbers otherwise.
    X, y, sample_weight, groups
        As in ``fit``; for a model of tables X is a table, whose columns may have the others. With
        ``groups`` persons are protected, and each counts once.
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
    settings = {"epsilon": epsilon, "loss_max": max_loss, "zero_out": adjacency == "zero-out"}
    for name, value in (("delta", delta), ("error_max", max_error), ("bins", bins),
                        ("seed", random_state)):
        if value is not None:
            settings[name] = value
    expense = ReleaseExpense(accountant)

    def released(rows: tuple[Any, ...] | _core.Table) -> Evaluation:
        text = _core.evaluate(core, rows, settings, expense.reserve, expense.failed)
        expense.paid()
        return Evaluation(json.loads(text))

    facts = json.loads(core.schema)
    if facts.get("format", "csv") == "csv":
        more = _beside(facts, y, sample_weight, groups)
        with _table.opened(X, "ignore", **more) as rows:
            return released(rows)
    if y is None:
        raise ArgumentError("y is missing: a model of arrays has no columns with names")
    return released(quietly(
        lambda: _rows(model, core, X, y, sample_weight, max_weight, groups), X, y))


def _beside(facts: Facts, y: Any, sample_weight: Any, groups: Any) -> Facts:
    """The columns of a table that are given beside it, by their names."""
    given = {"label": y, "weight": sample_weight, "unit": groups}
    names = {"label": facts["label"]["column"], "unit": facts.get("unit"),
             "weight": (facts.get("weight") or {}).get("column")}
    for key, values in given.items():
        if values is not None and names[key] is None:
            raise ArgumentError(f"the schema of the model declares no {key}")
    return {names[key]: values for key, values in given.items() if values is not None}


class CrossValidation(Shown, dict[str, Any]):
    """The result of ``cross_validate``: "scores" (an Evaluation per fold), "mean" (their means) and
    "statement" (what all fits and scores together guarantee)."""

    def __str__(self) -> str:
        lines = [f"{name} {value:.4g}, the mean of {len(self['scores'])} folds"
                 for name, value in self["mean"].items()]
        return "\n".join([*lines, str(self["statement"])])


def planned_split(epsilon: float, delta: float, cv: int,
                  score_share: float = 0.1) -> tuple[float, float, float]:
    """(mu of a fit, mu of a score, mu in all) of a cross-validation: a row is in cv - 1 fits and in
    one score, so mu^2 = (cv - 1) mu_fit^2 + mu_score^2."""
    total = mu_from_dp(epsilon, delta)
    fit = total * math.sqrt((1 - score_share) / (cv - 1))
    return fit, total * math.sqrt(score_share), total


def cross_validate(estimator: Any, X: Any, y: Any = None, *, epsilon: float, delta: float | None = None,
                   cv: int = 5, score_share: float = 0.1, random_state: Any = None,
                   accountant: Accountant | None = None, verbose: bool = True) -> CrossValidation:
    """The quality of an estimator by cv private fits and cv private scores, under one budget.

    A row is in cv - 1 fits and in one score: with mu of each, mu^2 = (cv - 1) mu_fit^2 + mu_score^2
    is at most the mu of (``epsilon``, ``delta``); ``score_share`` is the part of mu^2 for the score.
    What will be spent is printed before the first row is read, unless ``verbose`` is False. The
    ``epsilon`` and ``delta`` of the estimator are not used. The models are not returned. The
    accountant, and all that are open, are charged this total once, before the first fit.

    Rows are dealt to the folds at random, by ``random_state`` if it is given (only the folds are
    then repeatable). Units must be rows: no ``groups`` and no unit in the schema.
    """
    from sklearn.base import clone
    from sklearn.model_selection import KFold
    from sklearn.utils import _safe_indexing

    schema = getattr(estimator, "schema", None)
    if schema is not None and schema._facts.get("unit"):
        raise ArgumentError("cross_validate is for rows: the schema names persons, whose rows could "
                            "be in several folds")
    if isinstance(X, dict) or not (hasattr(X, "shape") or hasattr(X, "iloc")):
        raise ArgumentError("cross_validate takes a frame of pandas or polars, or an array")
    n_rows = X.shape[0]
    delta = min(1e-6, 1 / n_rows**2) if delta is None else delta
    fit, score, total = (mu * (1 - 1e-9) for mu in planned_split(epsilon, delta, cv, score_share))
    if verbose:
        print(f"{cv} fits with mu {fit:.4g} and {cv} scores with mu {score:.4g}; a row is in {cv - 1} "
              f"fits and one score: mu {total:.4g} in all, epsilon {epsilon:.6g} at delta {delta:.4g}")
    seed = getattr(estimator, "random_state", None)
    said = plan(rows=n_rows, features=1, epsilon=epsilon, delta=delta,
                adjacency=estimator.adjacency, **({} if seed is None else {"seed": 1}))["statement"]
    expense = ReleaseExpense(accountant or estimator.accountant)
    expense.reserve(json.dumps(said))
    scores, spent = [], []
    folds = KFold(cv, shuffle=True, random_state=random_state)
    for parts in folds.split(np.zeros(n_rows)):
        train, test = ([_safe_indexing(X, part)] + ([] if y is None else [_safe_indexing(y, part)])
                       for part in parts)
        model = clone(estimator).set_params(epsilon=epsilon_from_mu(fit, delta), delta=delta,
                                            accountant=UNCOUNTED)
        model.fit(*train)
        scores.append(evaluate(model, *test, epsilon=epsilon_from_mu(score, delta), delta=delta,
                               adjacency=estimator.adjacency, accountant=UNCOUNTED))
        spent.append((model.privacy_["mu"], scores[-1]["statement"]["mu"]))
    expense.paid()
    mu = compose_mu(*[max(pair[0] for pair in spent)] * (cv - 1), max(pair[1] for pair in spent))
    values = {name: [one["metrics"][name]["value"] for one in scores] for name in scores[0]["metrics"]}
    return CrossValidation(
        scores=scores,
        mean={name: float(np.mean(column)) for name, column in values.items() if None not in column},
        statement=_Total(mu=mu, epsilon=epsilon_from_mu(mu, delta), delta=delta, unit="row",
                         adjacency=estimator.adjacency, private=seed is None, folds=cv))


class _Total(Shown, dict[str, Any]):
    def __str__(self) -> str:
        return (("PRIVATE" if self["private"] else "NOT PRIVATE, the noise comes from a seed; as if for")
                + f": epsilon = {_up(self['epsilon'], 6)} and delta = {_up(self['delta'], 4)} for one "
                f"row (adjacency {self['adjacency']}); {self['folds']} fits and scores together")


def _rows(model: Any, core: _core.Model, X: Any, y: Any, sample_weight: Any, max_weight: float | None,
          groups: Any) -> tuple[Any, ...]:
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
