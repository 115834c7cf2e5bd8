# SPDX-License-Identifier: MIT
"""Monotone columns: models keep the promise, and are the nearest that do, as other solvers say."""
import json

import numpy as np
import pytest

import tacit

ROWS = 2000


def schema(monotone):
    way = {"monotone": "up"} if monotone else {}
    return tacit.Schema(
        step=tacit.Numeric(0, 1, curve=12, **way),
        hats=tacit.Numeric(0, 1, curve={"knots": 9, "line": True}, **way),
        gain=tacit.Numeric(0, 1, curve={"knots": 5}, atoms=[0], **way),
        line=tacit.Numeric(0, 1, **({"monotone": "down"} if monotone else {})),
        rank=tacit.Ordinal("a", "b", "c", "d", "e", **way),
        sick=tacit.Classes("no", "yes"),
    )


def table():
    rng = np.random.default_rng(5)
    step, hats, gain, line = rng.random((4, ROWS))
    gain = np.where(rng.random(ROWS) < 0.5, 0, gain)
    score = np.sin(6 * step) + 2 * hats**4 + gain + rng.normal(size=ROWS)
    return {"step": step, "hats": hats, "gain": gain, "line": line,
            "rank": rng.choice(list("abcde"), ROWS), "sick": np.where(score > 1.4, "yes", "no")}


@pytest.fixture(scope="module")
def models():
    """The same run twice: without and with the promise."""
    return [tacit.TableClassifier(schema(monotone), epsilon=1, random_state=3,
                                  options={"scaling": "same"}).fit(table()).model_
            for monotone in (False, True)]


def parts_of(model, name):
    """Weights and noise of a column."""
    facts = json.loads(model.json())
    first, count = next(term[3:5] for term in model.terms if term[0] == name)
    return (np.array(facts[key][first:first + count]) for key in ("weights", "noise"))


def test_predictions_never_fall(models):
    rng = np.random.default_rng(1)
    for name, sign in (("step", 1), ("hats", 1), ("gain", 1), ("line", -1), ("rank", 1)):
        cells = list("abcde") if name == "rank" else np.linspace(-0.1, 1.1, 400)
        rest = {key: [column[rng.integers(ROWS)]] * len(cells) for key, column in table().items()
                if key not in (name, "sick")}
        scores = tacit._table.values_of(models[1], rest | {name: cells}, "refuse", True)[:, 0]
        assert np.all(sign * np.diff(scores) >= -1e-12), name
        if name == "step":
            wild = tacit._table.values_of(models[0], rest | {name: cells}, "refuse", True)[:, 0]
            assert np.any(np.diff(wild) < -0.01)


def test_steps_are_the_isotonic_regression(models):
    isotonic = pytest.importorskip("sklearn.isotonic")
    (before, noise), (after, _) = (parts_of(model, "step") for model in models)
    expected = isotonic.isotonic_regression(before, sample_weight=noise**-2.0)
    assert np.any(before != after) and after == pytest.approx(expected, abs=1e-12)


def test_hats_and_a_line_are_the_nearest_in_the_noise(models):
    optimize = pytest.importorskip("scipy.optimize")
    (before, noise), (after, _) = (parts_of(model, "hats") for model in models)
    heights = np.hstack([np.eye(9), np.linspace(-1, 1, 9)[:, None]])
    rises = np.diff(heights, axis=0) * noise  # of weights in standard deviations
    # The nearest point of a cone {rises u >= 0} is the residual of a least squares problem.
    forces, _ = optimize.nnls(rises.T, -before / noise)
    assert after == pytest.approx(before + noise * (rises.T @ forces), abs=1e-9)


def test_one_scale_is_the_default_and_own_norms_are_refused():
    made = tacit.TableClassifier(schema(True), epsilon=1, random_state=3).fit(table()).model_
    assert tacit._table.values_of(made, table(), "refuse", True).shape == (ROWS, 1)
    with pytest.raises(tacit.ArgumentError, match="a monotone column needs one scale"):
        tacit.TableClassifier(schema(True), epsilon=1, options={"scaling": "own"}).fit(table())
