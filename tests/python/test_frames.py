# SPDX-License-Identifier: MIT
"""Frames as scikit-learn, pandas and people at a notebook expect them."""
import datetime
import decimal
import importlib.util
import io
import json
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import tacit

pandas = pytest.importorskip("pandas")

SCHEMA = tacit.Schema(age=tacit.Numeric(18, 90, curve="hats+line"), job=tacit.Category("Clerk", "Nurse"),
                      rich=tacit.Classes("no", "yes"))


def people(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    frame = pandas.DataFrame({"age": age, "job": rng.choice(["Clerk", "Nurse", "Miner"], n)})
    return frame, pandas.Series(np.where(age + rng.normal(0, 10, n) > 55, "yes", "no"))


WIDE = tacit.Schema({
    "i": tacit.Numeric(0, 50, curve=5, missing="own"), "n": tacit.Numeric(0, 50, missing="own"),
    "f": tacit.Numeric(-2, 2, curve="hats"), "s": tacit.Numeric(-2, 2), "d": tacit.Numeric(0, 100),
    "c": tacit.Category("a b", "7", "True"), "k": tacit.Category("1", "2", "2.5"),
    "o": tacit.Ordinal("0", "1", "2", missing="own"), "b": tacit.Bool(missing=False),
    "t": tacit.Date("2020-01-01", "2023-12-31", ["month", "days"], missing="own"),
    "z": tacit.Date("2020-01-01", "2023-12-31", ["weekday"], missing="own"),
    "h": tacit.Hashed(97), "g": tacit.Hashed(89), "w": tacit.Text(53), "y": tacit.Classes("0", "1"),
}).with_options(na=["13", "NA", "-1.5"])


def random_frame(seed, n=600):
    """A frame of every type of pandas, and the frame whose file it is."""
    rng = np.random.default_rng(seed)
    gap = rng.random(n) < 0.2
    days = pandas.to_datetime("2019-06-01") + pandas.to_timedelta(rng.integers(0, 1900, n), unit="D")
    zone = days.tz_localize("Europe/Berlin")
    texts = rng.choice(["a b", " a b ", "7", "NA", "x, \"y\"", "True", ""], n)
    frame = pandas.DataFrame({
        "i": rng.integers(-5, 60, n).astype(rng.choice(["int8", "int16", "int32", "int64"])),
        "n": pandas.array(np.where(gap, None, rng.integers(0, 60, n)), dtype="Int64"),
        "f": np.where(rng.random(n) < 0.1, -0.0, rng.normal(size=n)),
        "s": rng.normal(size=n).astype("float32"),
        "d": [decimal.Decimal(int(c)) / 100 for c in rng.integers(0, 12000, n)],
        "c": np.where(gap, None, texts.astype(object)),
        "k": np.where(gap, np.nan, rng.choice([1.0, 2.0, 2.5, 1e-5, 1e16, 0.1], n)),
        "o": pandas.Categorical.from_codes(rng.integers(-1, 3, n), ["0", "1", "2"]),
        "b": pandas.array(np.where(gap, None, rng.random(n) < 0.5), dtype="boolean"),
        "t": np.where(gap, np.datetime64("NaT"), days.to_numpy().astype("datetime64[s]")),
        "z": zone, "h": rng.choice([1.0, 2.0, 0.25, 12345.678, 1e-7, 3e22], n),
        "g": rng.choice([0.1, 1 / 3, 1000.5, 3e-9], n).astype("float32"),
        "w": rng.choice(["one Two", "two", "", "drei vier drei"], n), "y": rng.integers(0, 2, n),
    })
    written = frame.copy()
    written["t"] = [None if pandas.isna(t) else t.strftime("%Y-%m-%d") for t in written["t"]]
    written["z"] = [z.strftime("%Y-%m-%d") for z in zone]
    return frame, written


@pytest.mark.parametrize("seed", range(4))
def test_random_frames_give_the_models_of_the_files_that_pandas_writes(seed, program, tmp_path):
    frame, written = random_frame(seed)
    written.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "s.json").write_text(WIDE.to_json())
    done = subprocess.run([program, "train", tmp_path / "rows.csv", "--schema", tmp_path / "s.json",
                           "--epsilon", "1", "--seed", "7", "-q", "-o", tmp_path / "cli.json"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    model = tacit.TableClassifier(WIDE, 1, random_state=7).fit(frame)
    assert model.model_.json() == tacit.load_model(tmp_path / "cli.json").json()


def test_a_label_beside_the_table_is_a_label_in_it():
    X, y = people()
    beside = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(X, y)
    within = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(X.assign(rich=y))
    assert beside.model_.json() == within.model_.json()
    assert beside.score(X, y) == within.score(X.assign(rich=y)) > 0.7
    weighted = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(
        X, y, sample_weight=np.full(4000, 0.5), groups=np.arange(4000) // 2)
    assert weighted.privacy_["units"] == 2000 and weighted.schema_._facts["weight"]["max"] == 1
    with pytest.raises(tacit.ArgumentError, match="above 1"):
        tacit.TableClassifier(SCHEMA, 1).fit(X, y, sample_weight=np.full(4000, 2))


def test_classes_have_the_type_of_y():
    X, y = people()
    schema = tacit.Schema(age=tacit.Numeric(18, 90), job=tacit.Category("Clerk"), rich=tacit.Classes(0, 1))
    model = tacit.TableClassifier(schema, 1, random_state=1).fit(X, (y == "yes").astype(int))
    assert model.classes_.dtype == int and set(model.predict(X)) == {0, 1}
    with pytest.raises(tacit.DataError, match="true or false: read its column as text"):
        tacit.TableClassifier(SCHEMA, 1).fit(X, y == "yes")


def test_the_tools_of_scikit_learn_work_and_the_accountant_adds_up():
    X, y = people()
    estimator = tacit.TableClassifier(SCHEMA, epsilon=1, delta=1e-6)
    with tacit.BudgetAccountant() as budget:
        scores = cross_val_score(estimator, X, y, cv=3)
        assert len(scores) == 3 and scores.mean() > 0.7
        assert len(budget) == 3
        search = GridSearchCV(estimator, {"epsilon": [0.5, 2]}, cv=2).fit(X, y)
        assert len(budget) == 3 + 4 + 1 and search.best_score_ > 0.7
        CalibratedClassifierCV(estimator, cv=2).fit(X, y).predict_proba(X)
        make_pipeline(FunctionTransformer(lambda X: X.assign(age=X["age"] + 1)), estimator).fit(X, y)
        assert len(budget) == 3 + 4 + 1 + 2 + 1
        assert budget.mu == pytest.approx(tacit.compose_mu(*budget._spent))
    assert cross_val_score(estimator, X, y, cv=2, scoring="roc_auc").mean() > 0.8


def test_estimators_of_tables_are_cloned_pickled_and_named():
    X, y = people()
    model = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).schema == SCHEMA and not hasattr(clone(model), "model_")
    assert model.feature_names_in_.tolist() == ["age", "job"] and model.n_features_in_ == 2
    names = model.get_feature_names_out()
    assert len(names) == model.coef_.shape[1] and "job=Clerk" in names
    assert model.coef_frame().loc["(intercept)"].item() == model.intercept_[0]
    if hasattr(model, "set_fit_request"):
        import sklearn

        with sklearn.config_context(enable_metadata_routing=True):
            asked = tacit.TableClassifier(SCHEMA, 1).set_fit_request(groups=True, sample_weight=False)
            assert asked.get_metadata_routing().fit.requests["groups"] is True


def test_evaluations_take_models_of_tables(program, tmp_path):
    X, y = people()
    frame = X.assign(rich=y)
    model = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(frame)
    with tacit.BudgetAccountant() as budget:
        tacit.metrics.evaluate(model, frame, epsilon=1, delta=1e-6)
        assert len(budget) == 1
    seeded = tacit.metrics.evaluate(model, X, y, epsilon=1, delta=1e-6, random_state=3)
    assert seeded["metrics"]["auc"]["value"] > 0.8
    model.model_.save(tmp_path / "m.json")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    done = subprocess.run([program, "eval", tmp_path / "m.json", tmp_path / "rows.csv", "--epsilon", "1",
                           "--delta", "1e-6", "--seed", "3", "--json"], capture_output=True, text=True)
    assert json.loads(done.stdout)["metrics"] == seeded["metrics"]
    with pytest.raises(tacit.ArgumentError, match="no weight"):
        tacit.metrics.evaluate(model, X, y, epsilon=1, sample_weight=np.ones(4000))


def test_cross_validation_stays_below_its_budget(capsys):
    X, y = people()
    for estimator, rows in ((tacit.TableClassifier(SCHEMA), (X.assign(rich=y),)),
                            (tacit.LogisticRegression(classes=["no", "yes"], data_norm=100),
                             (X[["age"]].to_numpy(float), y))):
        with tacit.BudgetAccountant() as budget:
            result = tacit.cross_validate(estimator, *rows, epsilon=2, delta=1e-6, cv=4, random_state=0)
            assert len(budget) == 1 and budget.total().epsilon == pytest.approx(2)
        assert "4 fits" in capsys.readouterr().out
        statement = result["statement"]
        assert 1.98 < statement["epsilon"] <= 2 and statement["private"]
        parts = [score["statement"]["mu"] for score in result["scores"]]
        fit, score, _ = tacit.metrics.planned_split(2, 1e-6, 4)
        assert max(parts) <= score and statement["mu"] <= np.sqrt(3 * fit**2 + score**2)
        assert 0 < result["mean"]["accuracy"] < 1 and "PRIVATE" in str(result)
    with pytest.raises(tacit.ArgumentError, match="persons"):
        tacit.cross_validate(tacit.TableClassifier(tacit.Schema.from_json(
            {**SCHEMA._facts, "unit": "who"})), X, y, epsilon=1)


def test_control_c_during_a_table_leaves_no_model_and_only_drawn_noise_is_paid_for():
    X, y = people(6000)
    rounds = []

    def interrupt(round, *facts):
        rounds.append(round)
        if round == 3:
            os.kill(os.getpid(), signal.SIGINT)

    for estimator, rows in ((tacit.TableClassifier(SCHEMA, 1, callbacks=[interrupt, print]), X),
                            (tacit.LogisticRegression(1, classes=["no", "yes"], callbacks=[interrupt]),
                             X[["age"]].to_numpy(float) / 90)):
        rounds.clear()
        with tacit.BudgetAccountant() as budget:
            with pytest.raises(KeyboardInterrupt):
                estimator.fit(rows, y)
            assert len(budget) == 1, "noise was drawn"
            assert not hasattr(estimator, "model_") and 3 <= max(rounds) < 30
        with tacit.BudgetAccountant() as budget:  # a fault before any noise costs nothing
            with pytest.raises(tacit.ArgumentError, match="list of functions"):
                clone(estimator).set_params(callbacks=["print"]).fit(rows, y)
            assert len(budget) == 0


def test_progress_without_tqdm_is_a_plain_line(monkeypatch, capsys):
    X, y = people(300)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    tacit.TableClassifier(SCHEMA, 1, verbose=True).fit(X, y)
    shown = capsys.readouterr().err
    rounds = shown.rsplit(" ", 1)[1]
    assert shown.endswith(f"tacit: round {rounds.strip()} of {rounds}") and rounds.endswith("\n")


def test_no_cell_passes_through_a_loop_of_python():
    n = 200_000
    rng = np.random.default_rng(0)
    words = [f"{word}{i}" for i, word in enumerate(rng.choice(["Clerk", "Nurse"], n))]  # all different
    frame = pandas.DataFrame({
        "age": rng.integers(18, 90, n), "job": words, "rich": rng.choice(["no", "yes"], n)})
    frames = [frame, frame.astype({"job": object, "age": object, "rich": "category"}),
              frame.assign(age=pandas.array(frame["age"], dtype="Int64")),
              {name: frame[name].to_numpy(dtype=object) for name in frame}]
    frames += [importlib.import_module("pyarrow").Table.from_pandas(frame)] if has_pyarrow() else []
    model = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(frame)
    calls = []
    for table in frames:
        model.fit(table)
        calls.clear()
        sys.setprofile(lambda frame, event, what: calls.append(event))
        model.fit(table)
        model.predict(table)
        sys.setprofile(None)
        assert len(calls) < n / 20, "calls of Python functions and C functions"


def has_pyarrow():
    return importlib.util.find_spec("pyarrow") is not None


def test_errors_name_the_row_as_its_frame_does():
    X, y = people(100)
    frame = X.assign(rich=y).astype({"age": object}).set_index(np.arange(500, 600))
    frame.loc[507, "age"] = "secret"
    with pytest.raises(tacit.DataError, match=r"^row 8 \(index 507\), column 'age': not a finite number$"):
        tacit.TableClassifier(SCHEMA, 1).fit(frame)


def test_cells_of_dictionaries_are_dates_numbers_and_masks():
    day = datetime.date(2021, 5, 1)
    schema = tacit.Schema(a=tacit.Date("2021-01-01", "2021-12-31", ["month"], format="%d/%m/%y"),
                          b=tacit.Numeric(0, 9, missing="own"), y=tacit.Target(0, 1))
    plain = {"a": ["01/05/21", "02/06/21"] * 20, "b": ["1", ""] * 20, "y": ["0", "1"] * 20}
    typed = {"a": [day, datetime.date(2021, 6, 2)] * 20, "y": [0, 1] * 20,
             "b": np.ma.array([1.0, 7.0] * 20, mask=[False, True] * 20)}
    models = [tacit.TableRegressor(schema, 1, random_state=1).fit(t).model_.json() for t in (plain, typed)]
    assert models[0] == models[1]
    with pytest.raises(tacit.DataError, match="different lengths"):
        tacit.TableRegressor(schema, 1).fit({**plain, "y": [1]})
    with pytest.raises(tacit.TacitError):
        tacit.TableRegressor(schema, 1).fit({**plain, "a": [day, "01/05/21"] * 20})


def test_models_schemas_and_checks_are_shown(tmp_path, capsys):
    X, y = people()
    model = tacit.TableClassifier(SCHEMA, 1, verbose=True).fit(X, y)
    assert "round" in capsys.readouterr().err or pytest.importorskip("tqdm")
    core = model.model_
    assert "age" in str(core) and "epsilon = 1" in repr(core) and "<table>" in core._repr_html_()
    core.show()
    assert "effect of age" in capsys.readouterr().out
    core.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == core.to_html() and "<svg" in core.to_html()
    core.report(tmp_path / "card.md")
    assert (tmp_path / "card.md").read_text().startswith("#")
    assert "CASE" in core.export("sqlite") and core.export("onnx") == core.onnx()
    with pytest.raises(tacit.ArgumentError, match="sqlite"):
        core.export("cobol")
    parts = core.explain(X.iloc[:1])
    assert sum(parts.values()) == pytest.approx(model.decision_function(X.iloc[:1])[0])
    assert set(parts) == {"age", "job", "(intercept)"}
    report = tacit.check(X.assign(rich=y), SCHEMA)
    assert "other" in str(report) and "not private" in report._repr_html_()
    assert "18 to 90" in str(SCHEMA) and "<th>" in SCHEMA._repr_html_() and len(repr(SCHEMA)) < 120
    assert "Guarantee" in repr(model.privacy_) and "<pre>" in model.privacy_._repr_html_()
    budget = tacit.BudgetAccountant(epsilon=2)
    assert "<meter" in budget._repr_html_()
    with pytest.raises(tacit.ArgumentError, match="'agee'"):
        pytest.importorskip("matplotlib").use("Agg")
        core.plot(["agee"])


def test_mistakes_are_named_at_once():
    with pytest.raises(tacit.ArgumentError, match="below"):
        tacit.Numeric(5, 1)
    X, y = people(50)
    with pytest.raises(tacit.ArgumentError, match="epsilon=1"):
        tacit.TableClassifier(SCHEMA, epsilon="1").fit(X, y)


def test_polars_and_arrow_frames_take_labels_beside_them():
    X, y = people()
    expected = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(X, y).model_.json()
    for name, make in (("polars", lambda m: m.DataFrame(X.to_dict("list"))),
                       ("pyarrow", lambda m: m.Table.from_pandas(X))):
        module = pytest.importorskip(name)
        model = tacit.TableClassifier(SCHEMA, 1, random_state=1).fit(make(module), y.to_numpy())
        assert model.model_.json() == expected, name


def test_a_frame_is_read_as_its_text():
    text = "age,job,rich\n20,Clerk,no\n80,Nurse,yes\n" * 1
    frame = pandas.read_csv(io.StringIO(text))
    assert tacit.check(frame, SCHEMA)["rows"] == 2
