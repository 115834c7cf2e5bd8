# SPDX-License-Identifier: MIT
"""Fitted estimators as JSON."""
from __future__ import annotations

import contextlib
import json
from typing import Any

import numpy as np

from tacit import _core
from tacit._core import DataError


def text_of(estimator: Any) -> str:
    """The JSON text of a fitted estimator."""
    params = {}
    for name, value in estimator.get_params(deep=False).items():
        if name in ("accountant", "init", "classes"):
            continue
        # JSON has no infinity: C=inf, the default, is left out.
        with contextlib.suppress(TypeError, ValueError):
            json.dumps(value, allow_nan=False)
            params[name] = value
    names = getattr(estimator, "feature_names_in_", None)
    classes = getattr(estimator, "classes_", None)
    return json.dumps({
        "format": "tacit-estimator",
        "format_version": 1,
        "estimator": type(estimator).__name__,
        "params": params,
        "classes": None if classes is None else classes.tolist(),
        "classes_declared": getattr(estimator, "classes", None) is not None,
        "feature_names": None if names is None else list(names),
        "model": json.loads(estimator.model_.json()),
    }, allow_nan=False)


def estimator_of(text: str, classes_by_name: dict[str, Any]) -> Any:
    """The fitted estimator of such a text."""
    try:
        facts = json.loads(text)
        if facts["format"] != "tacit-estimator" or facts["format_version"] != 1:
            raise DataError("this is not the JSON of a tacit estimator of version 1")
        estimator = classes_by_name[facts["estimator"]](**facts["params"])
        model = _core.model_parse(json.dumps(facts["model"]))
        classes, names = facts["classes"], facts["feature_names"]
    except (KeyError, TypeError, json.JSONDecodeError):
        raise DataError("this is not the JSON of a tacit estimator") from None
    estimator._take(model)
    estimator.n_features_in_ = model.features
    if classes is not None:
        estimator.classes_ = np.asarray(classes)
        # Classes that were taken from the records do not count as declared when read again.
        if facts.get("classes_declared", True):
            estimator.classes = list(classes)
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return estimator
