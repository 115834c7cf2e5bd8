# SPDX-License-Identifier: MIT
"""Models in other languages score as ``predict`` does."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tacit

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def fitted(binary):
    X, y = binary
    return tacit.LogisticRegression(epsilon=4.0, classes=[0, 1], data_norm=3.0, random_state=1).fit(X, y)


@pytest.mark.filterwarnings("ignore")
def test_onnx_is_the_file_of_the_command(fitted, program, tmp_path):
    fitted.model_.save(tmp_path / "model.json")
    command = [program, "export", str(tmp_path / "model.json"), "--onnx", "-o", str(tmp_path / "model.onnx")]
    subprocess.run(command, check=True)
    assert fitted.model_.onnx() == (tmp_path / "model.onnx").read_bytes()


@pytest.mark.filterwarnings("ignore")
def test_onnx_gives_the_probabilities(fitted, binary):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, _ = binary
    scores, = onnxruntime.InferenceSession(fitted.model_.onnx()).run(["scores"], {"x": X})
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores[:, 0], fitted.predict_proba(X)[:, 1], rtol=0, atol=1e-12)


def test_hashed_columns_have_no_onnx():
    schema = tacit.Schema(who=tacit.Hashed(16), y=tacit.Target(0, 1))
    table = {"who": [f"p{i % 7}" for i in range(200)], "y": [i % 2 for i in range(200)]}
    pandas = pytest.importorskip("pandas")
    model = tacit.TableRegressor(schema, epsilon=4.0, random_state=1).fit(pandas.DataFrame(table)).model_
    with pytest.raises(tacit.ArgumentError, match="'who' is hashed"):
        model.onnx()


@pytest.mark.skipif(os.environ.get("TACIT_PACKAGES") != "pypi", reason="Debian has no duckdb and no onnxruntime")
def test_databases_and_onnxruntime(program):
    """tests/golden/export.py in full, with the packages of PyPI that Debian does not have."""
    command = [sys.executable, str(ROOT / "tests/golden/export.py"), program, "2000", "C,SQLite,SQL,DuckDB,ONNX", "cc"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    passed = [line for line in lines if line.startswith("ok ")]
    assert run.returncode == 0 and lines[-1] == f"1..{len(passed)}", run.stdout + run.stderr


def test_parquet_page(program):
    """docs/howto/parquet.md, which needs the duckdb program of PyPI."""
    if not (pathlib.Path(sys.executable).parent / "duckdb").exists():
        pytest.skip("there is no duckdb program")
    command = [sys.executable, str(ROOT / "tests/howto/howto.py"), program, str(ROOT / "docs/howto/parquet.md")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "not ok" not in run.stdout and "SKIP" not in run.stdout, run.stdout + run.stderr
