# SPDX-License-Identifier: MIT
"""Names of types that the modules share; for readers and type checkers."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
#: A JSON object, or settings by name.
Facts: TypeAlias = dict[str, Any]
Path: TypeAlias = str | os.PathLike[str]
#: Called with (round, rounds, rows, rows in all, pass, passes, noise scale); True is a bar.
Progress: TypeAlias = Callable[..., Any] | bool
#: More functions that are called like this.
Callbacks: TypeAlias = list[Callable[..., Any]] | None
