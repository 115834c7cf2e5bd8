# SPDX-License-Identifier: MIT
"""Data for the tests, and the program whose models the package must match."""
import os
import pathlib
import shutil

import numpy as np
import pytest


@pytest.fixture(scope="session")
def program():
    """The command line; TACIT_PROGRAM says where it is."""
    named = os.environ.get("TACIT_PROGRAM")
    path = named or shutil.which("tacit")
    if path is None:
        pytest.skip("no tacit program: set TACIT_PROGRAM")
    return str(pathlib.Path(path).resolve(strict=True))


@pytest.fixture(scope="session")
def binary():
    """Rows with zeros in them, and labels of two classes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 6))
    X[rng.random(X.shape) < 0.3] = 0
    X /= 3
    y = (X @ [1, -2, 3, 0, 1, -1] + 0.1 * rng.normal(size=len(X)) > 0).astype(int)
    return X, y


@pytest.fixture(scope="session")
def numbers():
    """Rows of norm at most 1 and a label with noise."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20000, 4))
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    return X, X @ [2.0, -1.0, 0.5, 0.0] + 1 + 0.2 * rng.normal(size=len(X))
