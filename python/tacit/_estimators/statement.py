# SPDX-License-Identifier: MIT
"""The privacy statement of a fitted estimator."""
from __future__ import annotations

import json
from typing import Any

from tacit import _core
from tacit._show import Shown
from tacit._types import Facts


class Statement(Shown, dict[str, Any]):
    """The privacy statement as a dictionary; ``str`` gives the text for people."""

    def __init__(self, model: _core.Model) -> None:
        super().__init__(json.loads(model.statement_json))
        self._text = model.statement_text

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        return (_statement_of, (dict(self), self._text))


def _statement_of(facts: Facts, text: str) -> Statement:
    statement = Statement.__new__(Statement)
    dict.update(statement, facts)
    statement._text = text
    return statement
