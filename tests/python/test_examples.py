# SPDX-License-Identifier: MIT
"""The worked examples run, and their own assertions hold."""
import importlib.util
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples/python").glob("*.py"))


def test_there_are_four():
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    if path.stem == "registry":
        pytest.importorskip("pandas")
    command = [sys.executable, str(path)]
    figure = tmp_path / "figure.png"
    draws = importlib.util.find_spec("matplotlib") is not None
    run = subprocess.run(command + [str(figure)] * draws, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "epsilon" in run.stdout
    assert not draws or figure.stat().st_size > 10000
