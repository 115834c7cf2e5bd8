# SPDX-License-Identifier: MIT
"""Parameters that all estimators have: their documentation, and how they are stored."""
from __future__ import annotations

from typing import TypeVar

from tacit._types import Facts

T = TypeVar("T")
COMMON = """
    Parameters
    ----------
    epsilon : float
        Privacy budget of one fit. Must be set.
    delta : float, default min(1/rows², 1e-6), with ``groups`` persons in place of rows
        The delta of the guarantee P(S) ≤ e^epsilon P′(S) + delta; 0 asks for pure
        differential privacy.
    adjacency : {"replace", "zero-out"}
        Which data sets are neighbours.
    passes : int, optional
        Passes over the data; the noise of each grows to match. By default 8, fewer for very
        large data, 1 for streams.
    data_norm : float, default 1
        Rows, including the 1 of the intercept, are scaled down to this norm. None takes the
        largest norm in the data (a leak).
    learner : str, optional
        Online learner, "NAME" or "NAME:key=value,…" (``tacit.catalog()``). By default the
        library chooses by loss, budget and size.
    init : Model or path, optional
        Start from this model (``other.model_``). Its budget is added, unless
        ``init_public`` says that it was made without these people's data.
    fit_intercept : bool, default True
    rows : int, optional
        Declared number of rows of a stream: ``partial_fit``, or an Arrow stream.
    max_weight : float, optional
        Declared largest ``sample_weight``: weights are divided by it, larger ones count as
        it. Needed if weights exceed 1.
    unit_rows : int, optional
        With ``fit(groups=…)``: every person has the share of this many rows, and of a person
        with more rows as many are used. By default all rows of a person are used.
    random_state : int or generator, optional
        Repeatable noise for experiments. The model is then marked as not private.
    accountant : BudgetAccountant, optional
        Charged once per fit.
    on_leak : {"raise", "warn", "ignore"}
        What to do if a public fact was not declared. A model that takes it from the data is
        not private.
    n_jobs : int, optional
        Threads; all cores by default. The model does not depend on it.
    centre : {"on", "off"}, optional
        "on", the default where it can be done, reads the rows once more, releases their mean
        first, with a share of the budget, and trains on rows less that mean. Of a stream the
        first sixteenth is for the mean only.
    options : dict, optional
        Further settings of the C library, such as ``{"mechanism": "tree"}``.
    verbose : bool
        Shows a progress bar: tqdm if it is installed, else a line on stderr.
    callbacks : list of callable, optional
        Each is called as ``progress`` of ``fit``, after every round. What it raises ends the run.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        ``X @ coef_.T + intercept_`` is the decision function (of regressors: the prediction) of
        all rows if the run scaled them by one number, and of rows whose norm, with the 1 of the
        intercept, is at most ``data_norm`` if it scaled each longer row to that norm.
    n_features_in_, feature_names_in_, n_iter_ : as in scikit-learn
    privacy_ : dict
        The privacy statement; ``print(est.privacy_)`` shows it as text. With ``groups`` it
        has the number of persons; nothing fitted shows the number of rows.
    model_ : Model
        ``est.model_.save(path)`` writes the file that the command line reads.
"""


def documented(cls: type[T]) -> type[T]:
    """Adds the common parameters to the documentation of an estimator."""
    cls.__doc__ = (cls.__doc__ or "").rstrip() + "\n" + COMMON
    return cls


def store(arguments: Facts) -> None:
    """Sets an attribute per parameter: for ``locals()`` of a constructor.

    scikit-learn wants every constructor to name all parameters and to store them as they
    are."""
    estimator = arguments["self"]
    for name, value in arguments.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)
