# SPDX-License-Identifier: MIT
"""Tables: a frame and its file give the same model and the same predictions, bit for bit."""
import csv
import datetime
import io
import json
import pickle
import subprocess

import numpy as np
import pytest

import tacit

SCHEMA = tacit.Schema(
    age=tacit.Numeric(17, 90, curve="hats+line"),
    gain=tacit.Numeric(0, 99999, map="log1p", curve=6, atoms=[0], missing="own"),
    grade=tacit.Category(1, 2, 3),
    job=tacit.Category("Clerk", "Nurse, night", "Other \"x\""),
    smokes=tacit.Bool(missing=False),
    seen=tacit.Date("2020-01-01", "2023-12-31", ["month", "days"], format="%d.%m.%Y"),
    name=tacit.Ignore(),
    rich=tacit.Classes("no", "yes"),
)


def columns(n=3000, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(15, 95, n)
    gain = np.where(rng.random(n) < 0.1, np.nan, np.round(rng.exponential(3000, n), 2))
    gain[::4] = 0
    job = rng.choice(["Clerk", "Nurse, night", "Other \"x\"", "Miner"], n)
    start = datetime.date(2020, 1, 1)
    return {
        "age": age,
        "gain": gain,
        "grade": rng.integers(1, 5, n).astype(float),
        "job": job,
        "smokes": rng.random(n) < 0.3,
        "seen": [start + datetime.timedelta(days=int(d)) for d in rng.integers(0, 1400, n)],
        "name": [f"person {i}" for i in range(n)],
        "rich": np.where(age / 40 + rng.normal(size=n) > 1.5, "yes", "no"),
    }


def write_csv(table, path):
    """The table as another program would write it."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        for row in zip(*table.values(), strict=True):
            row = ["" if isinstance(v, float) and v != v
                   else v.strftime("%d.%m.%Y") if isinstance(v, datetime.date)
                   else int(v) if isinstance(v, float) and v.is_integer() else v for v in row]
            writer.writerow(row)


def frames(table):
    """The same table in every library that is installed."""
    made = {"dict": table}
    for name, make in (("pandas", lambda m: m.DataFrame(table)),
                       ("polars", lambda m: m.DataFrame(table, strict=False)),
                       ("pyarrow", lambda m: m.table({k: list(v) for k, v in table.items()}))):
        try:
            module = __import__(name)
        except ImportError:
            continue
        made[name] = make(module)
    try:
        import duckdb
        if "pyarrow" in made:
            arrow = made["pyarrow"]  # noqa: F841  found by its name
            made["duckdb"] = duckdb.sql("SELECT * FROM arrow")
    except ImportError:
        pass
    return made


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def trained(program, tmp_path_factory):
    """A table, its file, and the model of the command line."""
    folder = tmp_path_factory.mktemp("tables")
    table = columns()
    write_csv(table, folder / "rows.csv")
    (folder / "schema.json").write_text(SCHEMA.to_json())
    run(program, "train", folder / "rows.csv", "--schema", folder / "schema.json", "--epsilon", 1,
        "--seed", 7, "-q", "-o", folder / "cli.json")
    return table, folder


def test_every_frame_gives_the_model_of_the_command_line(trained):
    table, folder = trained
    expected = (folder / "cli.json").read_bytes()
    for name, frame in frames(table).items():
        model = tacit.TableClassifier(SCHEMA, epsilon=1, random_state=7).fit(frame)
        model.model_.save(folder / f"{name}.json")
        assert (folder / f"{name}.json").read_bytes() == expected, name


def test_predictions_are_those_of_the_command_line_bit_for_bit(trained, program):
    table, folder = trained
    text = run(program, "predict", folder / "cli.json", folder / "rows.csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    model = tacit.load_model(folder / "cli.json")
    for frame in frames(table).values():
        assert [row["prediction"] for row in rows] == model.predict(frame).tolist()
        assert [float(row["score"]) for row in rows] == model.predict_proba(frame)[:, 1].tolist()


GAPS = tacit.Schema(
    dose=tacit.Category(1, 2, 3),
    code=tacit.Category("1.0", "2"),
    stage=tacit.Ordinal("0", "1", "2", missing="own"),
    flag=tacit.Bool(missing=False),
    size=tacit.Numeric(0, 9, missing="own"),
    ward=tacit.Hashed(64),
    sick=tacit.Classes("0", "1"),
).with_options(na=["8"])


def test_whole_numbers_of_columns_with_gaps_are_those_of_their_file(program, tmp_path):
    """A column of whole numbers is one of floats if a cell is missing: its file says 2.0."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    table = {name: rng.integers(0, high, 2000).astype(float)
             for name, high in (("dose", 4), ("code", 4), ("stage", 3), ("flag", 2), ("size", 10),
                                ("sick", 2))}
    table["ward"] = rng.integers(0, 9, 2000)
    for name in ("dose", "stage", "flag", "size"):
        table[name][::7] = np.nan
    pandas.DataFrame(table).to_csv(tmp_path / "rows.csv", index=False)
    assert "2.0" in (tmp_path / "rows.csv").read_text()
    (tmp_path / "schema.json").write_text(GAPS.to_json())
    words = ["--schema", tmp_path / "schema.json", "--epsilon", 1, "--seed", 7, "-q"]
    run(program, "train", tmp_path / "rows.csv", *words, "-o", tmp_path / "cli.json")
    expected = (tmp_path / "cli.json").read_bytes()
    rows = list(csv.DictReader(io.StringIO(
        run(program, "predict", tmp_path / "cli.json", tmp_path / "rows.csv"))))
    for name, frame in frames(table).items():
        model = tacit.TableClassifier(GAPS, epsilon=1, random_state=7).fit(frame)
        model.model_.save(tmp_path / "own.json")
        assert (tmp_path / "own.json").read_bytes() == expected, name
        assert [row["prediction"] for row in rows] == model.predict(frame).tolist(), name
        columns = tacit.check(frame, GAPS)["columns"]
        assert columns[0]["other"] == np.sum((table["dose"] == 0) | np.isnan(table["dose"]))
        assert columns[1]["other"] == np.sum((table["code"] == 0) | (table["code"] == 3))


def test_tables_without_the_label_and_with_more_columns(trained):
    table, folder = trained
    model = tacit.load_model(folder / "cli.json")
    fewer = {name: values for name, values in table.items() if name != "rich"}
    assert model.predict(fewer).tolist() == model.predict(table).tolist()
    more = {**fewer, "shoe": [1] * 3000}
    with pytest.raises(tacit.DataError, match="unknown 'shoe'"):
        model.predict(more)
    assert model.predict(more, extra="ignore").tolist() == model.predict(table).tolist()
    del more["age"]
    with pytest.raises(tacit.DataError, match="missing 'age'"):
        model.predict(more, extra="ignore")


def test_messages_name_the_row_and_quote_nothing(trained):
    table, _ = trained
    bad = {**table, "age": ["40"] * 17 + ["secret7"] + ["40"] * 2982}
    with pytest.raises(tacit.DataError, match=r"^row 18, column 'age': not a finite number$") as info:
        tacit.TableClassifier(SCHEMA, epsilon=1).fit(bad)
    assert "secret7" not in str(info.value)


def test_check_reports_what_does_not_fit(trained):
    table, _ = trained
    report = tacit.check({**table, "grade": [f"{g:.2f}" for g in table["grade"]]}, SCHEMA)
    grade = next(c for c in report["columns"] if c["name"] == "grade")
    assert report["trains"] and report["private"] is False
    assert grade["other"] == 3000 and 2000 < grade["other_as_number"] < 2500
    assert tacit.check(table, SCHEMA)["columns"][2]["other"] == sum(table["grade"] == 4)
    broken = tacit.check({**table, "age": ["x"] + ["40"] * 2999}, SCHEMA)
    assert not broken["trains"]
    assert broken["first_faults"][0]["message"].startswith("row 1, column 'age'")


def test_a_regression_on_a_table():
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 20000)
    table = {"x": x, "y": 10 + 5 * np.abs(x) + rng.normal(size=20000)}
    schema = tacit.Schema(x=tacit.Numeric(-1, 1, curve="hats"), y=tacit.Target(0, 30))
    model = tacit.TableRegressor(schema, epsilon=2, random_state=1).fit(table)
    assert model.score(table) > 0.5
    with pytest.raises(tacit.ArgumentError, match="TableRegressor"):
        tacit.TableClassifier(schema, epsilon=1).fit(table)


def test_persons_and_weights_come_with_the_schema(program, tmp_path):
    table = columns(2000)
    table["person"] = [f"p{i % 700}" for i in range(2000)]
    table["w"] = [1 + i % 3 for i in range(2000)]
    facts = json.loads(SCHEMA.to_json())
    schema = tacit.Schema.from_json({**facts, "unit": "person", "weight": {"column": "w", "max": 4}})
    write_csv(table, tmp_path / "rows.csv")
    (tmp_path / "s.json").write_text(schema.to_json())
    run(program, "train", tmp_path / "rows.csv", "--schema", tmp_path / "s.json", "--epsilon", 2,
        "--seed", 3, "-q", "-o", tmp_path / "cli.json")
    model = tacit.TableClassifier(schema, epsilon=2, random_state=3).fit(table)
    model.model_.save(tmp_path / "python.json")
    assert model.privacy_["units"] == 700
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "cli.json").read_bytes()


def test_schemas_are_the_files_of_the_command_line(tmp_path):
    (tmp_path / "s.json").write_text(SCHEMA.to_json())
    assert tacit.Schema.from_json(tmp_path / "s.json") == SCHEMA
    assert tacit.Schema.from_json(SCHEMA.to_json()) == SCHEMA
    assert pickle.loads(pickle.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA.with_options(na=["NA"]) != SCHEMA
    with pytest.raises(tacit.ArgumentError, match="min"):
        tacit.Schema(a=tacit.Numeric(2, 1), y=tacit.Classes("a", "b"))
    with pytest.raises(tacit.ArgumentError, match="label"):
        tacit.Schema(a=tacit.Numeric(0, 1))


def test_an_accountant_counts_fits_of_tables(trained):
    table, _ = trained
    with tacit.BudgetAccountant(epsilon=1.2, delta=1e-6) as budget:
        tacit.TableClassifier(SCHEMA, epsilon=1, delta=1e-6).fit(table)
        with pytest.raises(tacit.BudgetError):
            tacit.TableClassifier(SCHEMA, epsilon=1, delta=1e-6).fit(table)
    assert budget.total().epsilon == pytest.approx(1, rel=1e-3)


def test_shapes_add_up_to_the_margins(trained):
    table, folder = trained
    model = tacit.load_model(folder / "cli.json")
    terms = {name: number for number, (name, *_) in enumerate(model.terms)}
    assert {"age", "gain", "gain=missing", "grade", "job", "smokes", "seen.month"} <= set(terms)
    shapes = {shape["name"]: shape for shape in tacit._table.shapes(model)}
    low, high = np.interp([20, 60], shapes["age"]["x"], shapes["age"]["y"])
    assert high > low  # the older are richer
    assert all(abs(np.mean(shape["y"])) < 1e-12 for shape in shapes.values())


def test_plots_have_one_axis_per_term(trained):
    pytest.importorskip("matplotlib").use("Agg")
    _, folder = trained
    figure = tacit.load_model(folder / "cli.json").plot(["age", "job", "gain"])
    assert [axis.get_title() for axis in figure.axes] == ["age", "job", "gain"]
    assert figure.axes[2].containers[0].lines[0].get_xdata().tolist() == [0]  # the mark of the atom


def test_shapes_have_noise_bands_and_plots_say_what_they_are(trained, program):
    pytest.importorskip("matplotlib").use("Agg")
    table, folder = trained
    model = tacit.load_model(folder / "cli.json")
    said = json.loads(run(program, "show", folder / "cli.json", "--json"))
    for shape, term in zip(tacit._table.shapes(model, points=61), said["terms"], strict=True):
        assert shape["band"] == pytest.approx(term["band"][0]) and max(shape["band"]) > 0
    figure = model.plot(["age", "job"])
    assert "approximate 95%" in figure.get_supxlabel()
    assert len(figure.axes[0].collections) == 1  # the band of a curve
    old = tacit.TableClassifier(SCHEMA, epsilon=1, random_state=7,
                                options={"preset": "anytime"}).fit(table)
    assert all(shape["band"] is None for shape in tacit._table.shapes(old.model_))
    figure = old.plot(["age"])
    assert "no noise band" in figure.get_supxlabel() and not figure.axes[0].collections
