# SPDX-License-Identifier: MIT
"""The privacy statement of a fitted estimator."""
import json

from tacit._show import Shown


class Statement(Shown, dict):
    """The privacy statement as a dictionary; ``str`` gives the text for people."""

    def __init__(self, model):
        super().__init__(json.loads(model.statement_json))
        self._text = model.statement_text

    def __str__(self):
        return self._text

    def __reduce__(self):
        return (_statement_of, (dict(self), self._text))


def _statement_of(facts, text):
    statement = Statement.__new__(Statement)
    dict.update(statement, facts)
    statement._text = text
    return statement
