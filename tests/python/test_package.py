# SPDX-License-Identifier: MIT
"""The package itself: what is installed, types, defaults, memory."""
import ast
import importlib.metadata
import inspect
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import tacit
from tacit import _core

PACKAGE = pathlib.Path(tacit.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_one_binary_for_every_version():
    assert pathlib.Path(_core.__file__).name == "_core.abi3.so"
    wheel = importlib.metadata.distribution("tacit").read_text("WHEEL")
    assert re.search(r"^Tag: cp311-abi3-\w+$", wheel, re.M)
    assert (PACKAGE / "py.typed").exists()


def test_it_needs_numpy_and_scikit_learn_only_when_used():
    code = "import sys, tacit; tacit.mu_from_dp(1, 1e-6); sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_version_everywhere(program):
    said = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text()).group(1)
    assert tacit.__version__ == said
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"tacit {said}\n"
    X, y = np.random.default_rng(1).normal(size=(50, 2)), [0, 1] * 25
    model = tacit.LogisticRegression(1.0, classes=[0, 1], data_norm=1.0).fit(X, y)
    assert json.loads(model.model_.statement_json)["version"] == said
    spelt = subprocess.run([ROOT / "tools/version.sh", "pip"], capture_output=True, text=True)
    assert importlib.metadata.version("tacit") == spelt.stdout.strip()


def test_the_guide_names_the_system_libraries():
    needed = set(re.findall(r"dependency\('([^']+)'", (ROOT / "meson.build").read_text()))
    needed -= {"threads", "mpi"}  # the C library's own, and of another program
    guide = (ROOT / "docs/howto/python.md").read_text().partition("## ")[0]
    assert len(needed) == 6
    for name in needed:
        assert re.search(rf"`(lib)?{name}(1g)?-dev`", guide), name


def test_stubs_name_what_is_there():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    names = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom)
             for alias in node.names}
    assert names | {"__version__"} == set(tacit.__all__)
    assert all(hasattr(tacit, name) for name in tacit.__all__)
    core = ast.parse((PACKAGE / "_core.pyi").read_text())
    for node in core.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            thing = getattr(_core, node.name)
            if isinstance(node, ast.ClassDef):
                members = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
                members += [n.target.id for n in node.body if isinstance(n, ast.AnnAssign)]
                assert all(hasattr(thing, m) or node.name == "TacitError" for m in members)
    public = {name for name in vars(_core) if not name.startswith("_")}
    stubbed = {n.name for n in core.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    assert public == stubbed | {"version"}


def test_statuses_are_those_of_the_header():
    header = (ROOT / "include/tacit/status.h").read_text()
    listed = dict(re.findall(r"X\((TACIT_\w+), (\d+)", header))
    errors = [e for e in vars(_core).values()
              if isinstance(e, type) and issubclass(e, _core.TacitError) and e is not _core.TacitError]
    assert {e.status_name: str(e.status) for e in errors} | {"TACIT_OK": "0"} == listed


@pytest.mark.parametrize("cls, loss, names", [
    (tacit.LinearSVC, "hinge", {"smoothing": "g"}),
    (tacit.HuberRegressor, "huber", {"threshold": "tau"}),
    (tacit.QuantileRegressor, "quantile", {"quantile": "tau", "smoothing": "kappa"}),
])
def test_defaults_are_those_of_the_library(cls, loss, names):
    params = {p["name"]: p["default"] for p in tacit.catalog()["losses"][loss]["params"]}
    signature = inspect.signature(cls).parameters
    for ours, theirs in names.items():
        default = signature[ours].default  # None where the library derives it
        assert params[theirs] != params[theirs] if default is None else default == params[theirs]


def test_catalog_lists_the_families():
    catalog = tacit.catalog()
    assert set(catalog) == {"losses", "learners", "mechanisms", "laws"}
    assert "logistic" in catalog["losses"] and "kt" in catalog["learners"]


def test_constructors_share_their_names():
    common = set(inspect.signature(tacit.LinearRegression).parameters) - {"bounds"}
    for name in ("LogisticRegression", "LinearSVC", "Ridge", "HuberRegressor",
                 "QuantileRegressor", "PoissonRegressor"):
        cls = getattr(tacit, name)
        assert common <= set(inspect.signature(cls).parameters)
        assert cls().epsilon is None
        for param in common:
            assert f"\n    {param}" in cls.__doc__ or f", {param}" in cls.__doc__ or param == "init_public"


MEMORY = """
import numpy as np, sys, tacit, tacit._estimators
X = np.random.default_rng(0).random((400_000, 128), dtype=np.float32)
y = (X[:, 0] > 0.5).astype(np.int8)
if sys.argv[1] == "columns": X = np.asfortranarray(X)
open("/proc/self/clear_refs", "w").write("5")
def peak():
    return [int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")][0] / 1024
before = peak()
est = tacit.LogisticRegression(1.0, classes=[0, 1]).fit(X, y)
est.predict(X)
print(peak() - before)
"""


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_float32_is_not_copied(layout):
    # A copy would be 200 MB as float32 and 400 MB as float64.
    try:
        open("/proc/self/clear_refs", "w").close()
    except OSError:
        pytest.skip("this system does not reset the peak of memory")
    run = subprocess.run([sys.executable, "-c", MEMORY, layout], check=True, capture_output=True,
                         text=True)
    assert float(run.stdout) < 100
