# SPDX-License-Identifier: MIT
"""tacit.spark on local[2]: the model of the command line, and what it refuses.

Run by `make spark-test`; TACIT_PROGRAM says where the program is. Two attempts a task, so
that retries are part of it.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tacit
import tacit.spark
from pyspark import StorageLevel, TaskContext, cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ROWS, FEATURES = 200_000, 8
NAMES = [f"f{j}" for j in range(FEATURES)]
# The classes below are not importable on the executors.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="session")
def spark():
    session = (
        SparkSession.builder.master("local[2,2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.files.maxPartitionBytes", "4m")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def draw(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, FEATURES)) / 3
    X[rng.random(X.shape) < 0.3] = 0
    return X, X @ rng.normal(size=FEATURES) + 0.1 * rng.normal(size=rows)


def write(folder, X, y):
    """The same rows as LIBSVM, CSV and Parquet."""
    with open(folder / "rows.svm", "w", encoding="ascii") as out:
        for row, label in zip(X.tolist(), y.tolist()):
            entries = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v)
            out.write(f"{label!r} {entries}\n")
    table = pa.table({**{name: X[:, j] for j, name in enumerate(NAMES)}, "y": y,
                      "number": np.arange(len(y))})
    pq.write_table(table, folder / "rows.parquet", row_group_size=20_000)
    np.savetxt(folder / "rows.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    return folder


@pytest.fixture(scope="session")
def big(tmp_path_factory):
    X, margin = draw(ROWS)
    return write(tmp_path_factory.mktemp("big"), X, (margin > 0).astype(int))


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    X, margin = draw(3000, 1)
    return write(tmp_path_factory.mktemp("small"), X, (margin > 0).astype(int))


def program(folder, *options):
    """The model file of `tacit train`, as text."""
    path = str(pathlib.Path(os.environ["TACIT_PROGRAM"]).resolve(strict=True))
    command = [path, "train", "-q", "--features", str(FEATURES), "--seed", "7", "--epsilon", "1",
               "-o", str(folder / "model.json"), *map(str, options), str(folder / "rows.svm")]
    if "--batch" not in options and not folder.name.startswith("big"):
        command[2:2] = ["--batch", "500"]
    if "--passes" not in options:  # a job a round: the default of 8 passes takes long
        command[2:2] = ["--passes", "1"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (folder / "model.json").read_text()


def fit(df, **settings):
    settings = {"features": NAMES, "label": "y", "epsilon": 1.0, "seed": 7, "format": "libsvm",
                "batch": 500, "passes": 1, **settings}
    if "bounds" not in settings:
        settings.setdefault("classes", [0, 1])
    return tacit.spark.fit(df, **settings)


def same(model, expected):
    """Whether the model file is the program's, byte for byte."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.json")
        model.save(path)
        return path.read_text() == expected


@pytest.mark.parametrize("passes", [1, 2])
def test_200000_rows_give_the_model_of_the_program(spark, big, passes):
    df = spark.read.parquet(str(big / "rows.parquet"))
    assert df.count() == ROWS and df.rdd.getNumPartitions() > 2
    model = fit(df, passes=passes, batch=0)  # rounds by the passes, the default
    assert same(model, program(big, "--passes", passes))


def test_vectors_of_sparks_own_reader(spark, big):
    df = spark.read.format("libsvm").option("numFeatures", FEATURES).load(str(big / "rows.svm"))
    model = fit(df, features="features", n_features=FEATURES, label="label", combine=2,
                batch=40_000)
    assert same(model, program(big, "--batch", 40_000))


def test_csv_and_arrays(spark, small):
    schema = ", ".join(f"{name} double" for name in [*NAMES, "y"])
    df = spark.read.csv(str(small / "rows.csv"), schema=schema)
    expected = program(small)
    assert same(fit(df), expected)
    df = df.select(F.array(*NAMES).alias("x"), "y")
    assert same(fit(df, features="x", n_features=FEATURES), expected)


def test_sparse_rows(spark, small):
    X = np.column_stack(pq.read_table(small / "rows.parquet").select(NAMES).columns)
    y = pq.read_table(small / "rows.parquet")["y"].to_pylist()
    rows = [(np.flatnonzero(row).tolist(), row[row != 0].tolist(), label)
            for row, label in zip(X, y)]
    df = spark.createDataFrame(rows, "i array<int>, v array<double>, y int")
    model = fit(df, features="v", indices="i", n_features=FEATURES)
    assert same(model, program(small))


def test_numbers_of_rows_in_any_order(spark, small):
    df = spark.read.parquet(str(small / "rows.parquet")).orderBy(F.rand(3)).repartition(5)
    expected = program(small, "--passes", 3, "--batch", 400)
    assert same(fit(df, order_by="number", passes=3, batch=400), expected)
    assert same(fit(df, order_by="number", passes=3, batch=400, rows=3000), expected)


@pytest.mark.parametrize("settings, options", [
    ({"shuffle": False}, ["--no-shuffle"]),
    ({"delta": 0}, ["--delta", 0]),
    ({"norm": 1.5, "bias": False}, ["--norm", 1.5, "--no-bias"]),
    ({"mechanism": "tree", "learner": "adagrad", "adjacency": "zero-out"},
     ["--mechanism", "tree", "--learner", "adagrad", "--adjacency", "zero-out"]),
])
def test_options(spark, small, settings, options):
    df = spark.read.parquet(str(small / "rows.parquet"))
    assert same(fit(df, **settings), program(small, *options))


def test_classes_by_name_and_numbers(spark, tmp_path):
    X, margin = draw(3000, 2)
    thirds = np.digitize(margin, np.quantile(margin, [1 / 3, 2 / 3]))
    write(tmp_path, X, thirds)
    df = spark.read.parquet(str(tmp_path / "rows.parquet"))
    named = df.withColumn("y", F.element_at(F.array(*map(F.lit, ["low", "mid", "top"])),
                                            F.col("y").cast("int") + 1))
    assert same(fit(named, classes=["low", "mid", "top"]), program(tmp_path, "--classes", 3))
    write(tmp_path, X, margin)
    df = spark.read.parquet(str(tmp_path / "rows.parquet"))
    assert same(fit(df, bounds=(-2, 2), loss="huber"),
                program(tmp_path, "--labels", "-2,2", "--loss", "huber"))


@pytest.fixture(scope="session")
def persons(tmp_path_factory):
    """3000 rows of 700 persons with up to 12 rows each, and weights from 0 to 4."""
    X, margin = draw(3000, 5)
    folder = write(tmp_path_factory.mktemp("persons"), X, (margin > 0).astype(int))
    rng = np.random.default_rng(6)
    ids = np.r_[np.arange(700), rng.integers(0, 700, 2300) ** 2 // 700]
    weights = 4 * rng.random(3000)
    table = pq.read_table(folder / "rows.parquet")
    table = table.append_column("person", pa.array(ids)).append_column("w", pa.array(weights))
    pq.write_table(table, folder / "rows.parquet", row_group_size=500)
    (folder / "ids.txt").write_text("".join(f"{i}\n" for i in ids))
    np.save(folder / "w.npy", weights)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", (margin > 0).astype(float))
    return folder


def program_of_persons(folder, *options):
    return program(folder, "--unit", folder / "ids.txt", "--batch", 350, *options)


# How the command line calls a file of ids.
PERSONS = {"unit": "person", "unit_name": "by id", "batch": 350}


def test_persons_and_weights_give_the_model_of_the_program(spark, persons):
    df = spark.read.parquet(str(persons / "rows.parquet"))
    expected = program_of_persons(persons, "--passes", 2, "--weights", persons / "w.npy",
                                  "--max-weight", 3, "--class-weight", "1,4")
    weighted = {**PERSONS, "weight": "w", "max_weight": 3, "class_weight": {0: 1, 1: 4}, "passes": 2}
    assert same(fit(df, **weighted), expected)
    rows = program(persons, "--weights", persons / "w.npy", "--max-weight", 3)
    assert same(fit(df, weight="w", max_weight=3), rows)


def test_partitioning_does_not_matter_for_persons(spark, persons):
    """Rows of a person in any partitions, in any order: the same bytes, so the same guarantee."""
    df = spark.read.parquet(str(persons / "rows.parquet"))
    expected = program_of_persons(persons)
    text = F.concat(F.lit(" "), F.col("person").cast("string"))
    for frame in (df.coalesce(1).orderBy("y", "f0"), df.repartition(7).withColumn("person", text)):
        assert same(fit(frame, **PERSONS), expected)
    assert same(fit(df.orderBy(F.rand(1)), order_by="number", units=700, combine=2, **PERSONS), expected)


def test_the_number_of_rows_of_persons_is_not_shown(spark, persons):
    df = spark.read.parquet(str(persons / "rows.parquet"))
    seen = []
    model = tacit.spark.fit(df, features=NAMES, label="y", classes=[0, 1], epsilon=1.0, unit="person",
                            progress=lambda *facts: seen.append(facts))
    statement = json.loads(model.statement_json)
    assert statement["units"] == 700 and statement["unit"] == "person (column person)"
    assert statement["private"] and "all rows together" in " ".join(model.statement_text.split())
    assert "3000" not in model.json() + repr(seen)
    rows = tacit.plan(rows=700, features=FEATURES, epsilon=1.0, rereadable=True)["statement"]
    assert (statement["mu"], statement["rounds"]) == (rows["mu"], rows["rounds"])


@pytest.mark.parametrize("settings, options", [
    ({}, []),
    ({"weight": "w", "max_weight": 3}, ["--weights", "w.npy", "--max-weight", "3"]),
])
def test_a_cap_on_the_rows_of_a_person(spark, persons, settings, options):
    """Which rows are used depends on their bytes: dense rows here and in the .npy file."""
    command(["train", "-q", "--seed", "7", "--epsilon", "1", "--batch", "350", "--passes", "1", "--unit", "ids.txt",
             "--unit-rows", "2", "--label-file", "y.npy", "-o", "capped.json", *options, "X.npy"], persons)
    expected = json.loads((persons / "capped.json").read_text())
    df = spark.read.parquet(str(persons / "rows.parquet")).repartition(5)
    model = fit(df, **{**PERSONS, "format": "memory"}, unit_rows=2, **settings)
    assert json.loads(model.json())["weights"] == expected["weights"]
    assert json.loads(model.statement_json)["units"] == 700


def test_a_cap_refuses_rows_that_cannot_be_read(spark, persons):
    df = spark.read.parquet(str(persons / "rows.parquet")).repartition(5)
    spoiled = marked(df, "f3", 1234, F.lit(float("nan")))
    with pytest.raises(tacit.DataError, match="a feature is NaN"):
        fit(spoiled, **PERSONS, unit_rows=1)


@pytest.mark.parametrize("spoil, settings, message", [
    (lambda df: marked(df, "person", 1234, F.lit(None)), {}, "row 1235: no id"),
    (lambda df: marked(df.withColumn("person", F.col("person").cast("string")), "person", 7,
                       F.lit(" \t")), {}, "row 8: no id"),
    (lambda df: df, {"units": 701}, "701 persons were declared, there are 700"),
    (lambda df: df, {"rows": 3000}, "declare units"),
    (lambda df: df.withColumn("person", F.col("f0")), {}, "an id is text or a whole number"),
    (lambda df: df, {"unit": None, "unit_rows": 2}, "go with unit"),
    (lambda df: df, {"unit": "nobody"}, "column 'nobody' is not"),
    (lambda df: df, {"weight": "w"}, "max_weight"),
    (lambda df: marked(df, "w", 99, F.lit(-1.0)), {"weight": "w", "max_weight": 1}, "row 100: a weight"),
    (lambda df: df.where("number < 0"), {}, "no rows"),
])
def test_what_persons_and_weights_refuse(spark, persons, spoil, settings, message):
    df = spoil(spark.read.parquet(str(persons / "rows.parquet")).coalesce(1))
    with pytest.raises(ValueError, match=message):
        fit(df, **{**PERSONS, **settings})


class CountsByPart(tacit.spark._Work):
    """Workers that think that a person has half as many rows as it has."""

    def _add(self, worker, piece, tally):
        share = pa.array(np.maximum(1, piece.column(5).to_numpy() // 2))
        super()._add(worker, piece.set_column(5, "share", share), tally)


def test_shares_beyond_the_number_of_persons_are_refused(spark, persons, monkeypatch):
    monkeypatch.setattr(tacit.spark, "_Work", CountsByPart)
    df = spark.read.parquet(str(persons / "rows.parquet"))
    with pytest.raises(tacit.PrivacyError, match="more than the number of persons"):
        fit(df, **PERSONS)


class FailsOnce(tacit.spark._Work):
    """Some first attempts die after their work is done: its result must not count."""

    def __call__(self, batches):
        made = list(super().__call__(batches))
        context = TaskContext.get()
        if self.asked is not None and self.asked.t % 3 == 1 and context.attemptNumber() == 0:
            raise RuntimeError("this attempt is lost")
        yield from made


def test_a_task_that_is_tried_again_counts_once(spark, small, monkeypatch):
    monkeypatch.setattr(tacit.spark, "_Work", FailsOnce)
    df = spark.read.parquet(str(small / "rows.parquet")).coalesce(1)
    assert same(fit(df), program(small))


class Changes:
    """A column that is another one whenever it is computed."""

    def __call__(self, batches):
        rng = np.random.default_rng()
        for batch in batches:
            values = pa.array(rng.random(batch.num_rows))
            yield batch.set_column(0, batch.schema.field(0), values)


NOWHERE = StorageLevel(False, False, False, False)


def test_rows_that_change_are_noticed(spark, small):
    df = spark.read.parquet(str(small / "rows.parquet"))
    assert same(fit(df, storage=NOWHERE), program(small))
    changing = df.mapInArrow(Changes(), df.schema)
    with pytest.raises(tacit.DataError, match="round 0: the rows are not those"):
        fit(changing, storage=NOWHERE)
    fit(changing)  # kept after it was computed once


def marked(df, name, row, value):
    return df.withColumn(name, F.when(F.col("number") == row, value).otherwise(F.col(name)))


SECRET = 31415.9265


@pytest.mark.parametrize("spoil, error, message", [
    (lambda df: marked(df, "f3", 1234, F.lit(float("nan"))), tacit.DataError, "row 1235: a feature"),
    (lambda df: marked(df, "f3", 0, F.lit(None)), tacit.DataError, "column 'f3': it holds nulls"),
    (lambda df: marked(df, "y", 1999, F.lit(SECRET)), tacit.DataError, "row 2000: the class of y"),
    (lambda df: df.withColumn("y", F.lit(None).cast("int")), tacit.DataError, "column 'y'.*nulls"),
    (lambda df: df.withColumn("f0", F.lit("a")), tacit.ArgumentError, "column 'f0': not a number"),
    (lambda df: df.drop("f7"), tacit.ArgumentError, "column 'f7' is not"),
    (lambda df: df.where("number < 0"), tacit.DataError, "no rows"),
    (lambda df: marked(df, "f1", 7, F.raise_error(F.lit(str(SECRET))).cast("double")),
     tacit.StateError, "the job 'count' failed"),
    (lambda df: marked(df.withColumn("y", F.col("y").cast("string")), "y", 1999, F.lit(str(SECRET))),
     tacit.DataError, "row 2000: the class of y|different types"),
])
def test_refusals_name_no_value(spark, small, spoil, error, message):
    df = spoil(spark.read.parquet(str(small / "rows.parquet")))
    with pytest.raises(error, match=message) as caught:
        fit(df)
    assert str(SECRET) not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_a_label_that_is_no_number_is_not_quoted(spark, small):
    df = spark.read.parquet(str(small / "rows.parquet"))
    df = marked(df.withColumn("y", F.col("y").cast("string")), "y", 1999, F.lit("John"))
    with pytest.raises(tacit.DataError, match="cannot be read|cannot convert") as caught:
        fit(df, bounds=(0, 1), loss="squared")
    assert "John" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("settings, message", [
    ({"rows": 2999}, "2999 rows were declared, there are 3000"),
    ({"order_by": "twice"}, "each number once"),
    ({"order_by": "y"}, "each number once"),
    ({"order_by": "beyond"}, "are not 0 … 2999"),
    ({"features": "f0"}, "n_features"),
    ({"features": "f0", "n_features": 2}, "not an array"),
    ({"features": "x", "n_features": 3}, "row 1: it has not the 3 features"),
    ({"features": "x", "n_features": 2, "indices": "i"}, "row 1: column indices must ascend"),
    ({"features": "x", "n_features": 9, "indices": "short"}, "row 1: it has not one index"),
    ({"features": NAMES, "n_features": 3}, "another number"),
    ({"epsilon": None}, "epsilon"),
    ({"classes": None}, "declare classes"),
    ({"format": "xml"}, "format"),
    ({"checkpoint": "run.ckpt"}, "no checkpoints"),
])
def test_settings_that_do_not_fit(spark, small, settings, message):
    df = spark.read.parquet(str(small / "rows.parquet"))
    df = (df.withColumn("twice", F.col("number") - F.col("number") % 2)
          .withColumn("beyond", F.col("number") + 1)
          .withColumn("x", F.array(F.lit(1.0), F.lit(2.0)))
          .withColumn("i", F.array(F.lit(1), F.lit(0)))
          .withColumn("short", F.array(F.lit(1))))
    with pytest.raises(ValueError, match=message):
        fit(df, **settings)


def test_the_budget_is_charged_when_training_begins(spark, small):
    df = spark.read.parquet(str(small / "rows.parquet"))
    keeper = tacit.BudgetAccountant(epsilon=1.0)
    with pytest.raises(tacit.DataError):
        fit(df, accountant=keeper, rows=5)
    rounds = []
    model = tacit.spark.fit(df, features=NAMES, label="y", classes=[0, 1], epsilon=1.0,
                            accountant=keeper, progress=lambda *facts: rounds.append(facts[:2]))
    assert model.is_private and rounds[-1] == (64, 64)
    assert keeper.mu == pytest.approx(json.loads(model.statement_json)["mu"])
    with pytest.raises(tacit.BudgetError, match="ceiling"):
        tacit.spark.fit(df, features=NAMES, label="y", classes=[0, 1], epsilon=1.0,
                        accountant=keeper)
    with pytest.raises(tacit.BudgetError, match="seed"):
        fit(df, accountant=keeper)


def test_a_fit_that_fails_before_any_noise_is_taken_back(spark, small):
    df = spark.read.parquet(str(small / "rows.parquet"))
    changing = df.mapInArrow(Changes(), df.schema)
    with tacit.BudgetAccountant() as keeper:
        with pytest.raises(tacit.DataError, match="round 0: the rows are not those"):
            tacit.spark.fit(changing, features=NAMES, label="y", classes=[0, 1], epsilon=1.0,
                            batch=1500, storage=NOWHERE)
    assert len(keeper) == 0


@pytest.fixture
def ledger(tmp_path):
    """A ledger with a budget for rows and one for persons."""
    path = str(tmp_path / "team.db")
    for name, unit in (("visits", "row"), ("people", "person")):
        command(["ledger", "init", path, "--dataset", name, "--epsilon", "1", "--delta", "1e-6", "--unit", unit])
    return path


def command(words, folder=None):
    path = str(pathlib.Path(os.environ["TACIT_PROGRAM"]).resolve(strict=True))
    return subprocess.run([path, *words], check=True, capture_output=True, text=True, cwd=folder).stdout


def states(path, which=0):
    entries = json.loads(command(["ledger", "export", path]))["datasets"][which]["entries"]
    return [(entry["kind"], entry["state"]) for entry in entries]


def fit_paid(df, **settings):
    """A fit with a secret key, in one pass."""
    return tacit.spark.fit(df, **{"features": NAMES, "label": "y", "classes": [0, 1], "epsilon": 0.9, "delta": 1e-6,
                                  "batch": 1500, "passes": 1, **settings})


def test_a_ledger_pays_for_fits(spark, small, ledger):
    df = spark.read.parquet(str(small / "rows.parquet"))
    model = fit_paid(df, ledger=ledger, dataset="visits")
    assert model.is_private and states(ledger) == [("train", "committed")]
    with pytest.raises(tacit.BudgetError, match="at most epsilon"):  # exit code 4 of the program
        fit_paid(df, ledger=ledger, dataset="visits")
    fit_paid(df, ledger=ledger, dataset="visits", epsilon=0.3)
    assert states(ledger) == [("train", "committed")] * 2
    command(["ledger", "verify", ledger])
    # The program and Spark share one count.
    path = str(pathlib.Path(os.environ["TACIT_PROGRAM"]).resolve())
    late = subprocess.run([path, "train", "-q", "--features", str(FEATURES), "--epsilon", "0.9", "--delta", "1e-6",
                           "--ledger", ledger, "--dataset", "visits", "-o", str(small / "late.json"),
                           str(small / "rows.svm")], capture_output=True, text=True, check=False)
    assert late.returncode == 4 and not (small / "late.json").exists()


def test_a_fit_is_paid_for_before_its_first_round_and_when_it_fails_later(spark, small, ledger):
    df = spark.read.parquet(str(small / "rows.parquet"))
    seen = []

    def stop(*facts):
        seen.append(states(ledger))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_paid(df, ledger=ledger, dataset="visits", progress=stop)
    assert seen == [[("train", "reserved")]] == [states(ledger)]
    with pytest.raises(tacit.BudgetError, match="at most epsilon"):
        fit_paid(df, ledger=ledger, dataset="visits")


def test_the_environment_names_the_ledger(spark, small, ledger, monkeypatch):
    df = spark.read.parquet(str(small / "rows.parquet"))
    monkeypatch.setenv("TACIT_LEDGER", ledger)
    with pytest.raises(tacit.ArgumentError, match="dataset="):
        fit_paid(df)
    monkeypatch.setenv("TACIT_DATASET", "visits")
    fit_paid(df)
    assert states(ledger) == [("train", "committed")]
    with pytest.raises(tacit.ArgumentError, match="charged once"):
        fit_paid(df, accountant=tacit.BudgetAccountant(), ledger=ledger)


def test_persons_need_a_budget_for_persons(spark, small, ledger):
    df = spark.read.parquet(str(small / "rows.parquet")).withColumn("person", F.col("number") % 1000)
    with pytest.raises(tacit.BudgetError, match="for persons"):
        fit_paid(df, ledger=ledger, dataset="people")
    with pytest.raises(tacit.BudgetError, match="for rows"):
        fit_paid(df, unit="person", batch=500, ledger=ledger, dataset="visits")
    fit_paid(df, unit="person", batch=500, ledger=ledger, dataset="people")
    assert states(ledger) == [] and states(ledger, 1) == [("train", "committed")]


def test_a_ledger_refuses_and_refunds(spark, small, ledger):
    df = spark.read.parquet(str(small / "rows.parquet"))
    with pytest.raises(tacit.TacitError, match="not private"):
        fit(df, ledger=ledger, dataset="visits", epsilon=0.5)
    with pytest.raises(tacit.TacitError, match="in their places"):
        fit_paid(df, shuffle=False, ledger=ledger, dataset="visits")
    with pytest.raises(tacit.ArgumentError, match="not in the ledger"):
        fit_paid(df, ledger=ledger, dataset="nothing")
    with pytest.raises(tacit.TacitError, match="no.such"):
        fit_paid(df, ledger="/no/such/team.db", dataset="visits")
    with pytest.raises(tacit.ArgumentError, match="ledger="):
        fit_paid(df, dataset="visits")
    assert states(ledger) == []
    changing = df.mapInArrow(Changes(), df.schema)
    with pytest.raises(tacit.DataError, match="round 0: the rows are not those"):
        fit_paid(changing, storage=NOWHERE, ledger=ledger, dataset="visits")
    assert states(ledger) == [("train", "refunded")]


def test_the_example(tmp_path):
    path = pathlib.Path(__file__).resolve().parents[2] / "examples/spark/registry.py"
    run = subprocess.run([sys.executable, str(path), str(tmp_path / "model.json")],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert tacit.load_model(tmp_path / "model.json").is_private
    assert "accuracy" in run.stdout
