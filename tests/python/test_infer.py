# SPDX-License-Identifier: MIT
"""tacit.infer: a table of effects from a frame is the table of its file, and shows what it says."""
import json
import math

import numpy as np
import pytest

import tacit


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    x, g = np.round(rng.uniform(-1, 1, 4000), 6), np.where(rng.random(4000) < 0.4, "b", "a")
    y = np.where(rng.random(4000) < 1 / (1 + np.exp(-(x + 0.5 * (g == "b")))), "yes", "no")
    return {"x": x, "g": g, "y": y}


@pytest.fixture(scope="module")
def schema():
    return tacit.Schema(x=tacit.Numeric(-1, 1), g=tacit.Category("a", "b"), y=tacit.Classes("no", "yes"))


@pytest.fixture(scope="module")
def effects(rows, schema):
    return tacit.infer(rows, schema, 8, random_state=1)


def test_the_table_finds_the_effects_and_says_so(effects):
    assert abs(effects.params["x"] - 1) < 4 * effects.bse["x"] < 0.5
    assert effects.pvalues["x"] < 1e-3
    bounds = effects.conf_int(0.1)
    low, high = (bounds["x"] if isinstance(bounds, dict) else bounds.loc["x"])
    assert low < effects.params["x"] < high
    assert "odds ratio" in effects.summary() and "<table>" in effects._repr_html_()
    assert effects.contrast("g: b - a")["estimate"] == pytest.approx(effects.params["g=b"])


def test_the_saved_model_shows_the_same_table(effects, tmp_path):
    effects.model.save(tmp_path / "effects.json")
    again = tacit.load_model(tmp_path / "effects.json")
    assert json.dumps(tacit.Effects(again).table()) == json.dumps(effects.table())


def test_a_coefficient_without_a_number_is_nan(rows, schema):
    few = {name: values[:100] for name, values in rows.items()}
    table = tacit.infer(few, schema, 0.1, random_state=1)
    assert all(math.isnan(table.params[name]) for name in table.params.keys() if name != "intercept")
    assert "not identified" in table.summary()


def test_an_accountant_is_charged_once(rows, schema):
    with tacit.BudgetAccountant(epsilon=10, delta=1e-5) as accountant:
        tacit.infer(rows, schema, 1)
        assert accountant.total()[0] > 0.5


def test_wrong_arguments_are_refused(rows, schema):
    with pytest.raises(tacit.ArgumentError):
        tacit.infer(rows, {"x": 1}, 1)
    spark = type("DataFrame", (), {"toPandas": None, "collect": None})()  # has no columns of its own
    with pytest.raises(tacit.ArgumentError, match=r"type DataFrame; call toPandas\(\) first"):
        tacit.infer(spark, schema, 1)
    with pytest.raises(tacit.ArgumentError, match="no intervals"):
        tacit.infer(rows, schema, 1, loss="hinge", random_state=1)


def test_a_level_that_no_row_has_costs_the_others_nothing(rows):
    schema = tacit.Schema(x=tacit.Numeric(-1, 1), g=tacit.Category("a", "b", "nobody"), y=tacit.Classes("no", "yes"))
    table = tacit.infer(rows, schema, 8, random_state=1)
    assert math.isnan(table.params["g=nobody"]) and table.bse["x"] < 0.2 and table.bse["g=b"] < 0.2
    assert "too few rows" in table.summary()
    states = {line["name"]: line["state"] for line in table.table()["coefficients"]}
    assert states["g=nobody"] == "not identified: too few rows" and states["g=other"] == "not declared"
    lines = [line.split() for line in table.summary().splitlines()]
    assert ["g=other", "not", "declared"] in lines


def test_atoms_are_refused(rows):
    schema = tacit.Schema(x=tacit.Numeric(-1, 1, atoms=[0]), y=tacit.Classes("no", "yes"))
    with pytest.raises(tacit.ArgumentError, match="atoms"):
        tacit.infer({name: rows[name] for name in "xy"}, schema, 8)


def test_names_are_those_of_statsmodels(effects):
    """The covariance has the squares of the standard errors on its diagonal, but for the remainder of the step."""
    covariance = np.asarray(effects.cov_params())
    names = [name for name in effects.params.keys() if not math.isnan(effects.params[name])]
    errors = np.array([effects.bse[name] for name in names])
    assert covariance.shape == (len(names), len(names))
    assert np.allclose(np.sqrt(np.diag(covariance)), errors, rtol=1e-6)
    assert np.allclose([effects.tvalues[name] for name in names],
                       [effects.params[name] for name in names] / errors)
