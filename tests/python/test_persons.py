# SPDX-License-Identifier: MIT
"""Persons with several rows as units: ``groups`` of fit, and ``units`` of Trainer and Worker."""
import json
import pickle
import re
import subprocess
import uuid

import arrow_maker
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import tacit
from test_arrow import Table

PERSONS = 400
FEATURES = 5


def visits(seed=0, persons=PERSONS, most=9):
    """Rows of persons with 1 to `most` visits each, mixed: (X, y, ids)."""
    rng = np.random.default_rng(seed)
    ids = rng.permutation(np.repeat(np.arange(persons), rng.integers(1, most + 1, persons)))
    X = rng.normal(size=(len(ids), FEATURES)) / 3
    y = (X @ rng.normal(size=FEATURES) + 0.1 * rng.normal(size=len(ids)) > 0).astype(int)
    return X, y, ids


def fitted(X, y, groups=None, sample_weight=None, **settings):
    settings = {"random_state": 7, "classes": [0, 1], **settings}
    return tacit.LogisticRegression(1.0, **settings).fit(X, y, sample_weight, groups=groups)


@pytest.fixture
def train(program, tmp_path):
    """The text of the model file of the command line, for rows in .npy or LIBSVM files."""
    def run(X, y, ids, *options, libsvm=True):
        data = tmp_path / ("rows.svm" if libsvm else "X.npy")
        if libsvm:
            with open(data, "w", encoding="ascii") as out:
                for row, label in zip(X.tolist(), y.tolist()):
                    entries = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v)
                    out.write(f"{label!r} {entries}\n")
            options = ["--features", X.shape[1], *options]
        else:
            np.save(data, X)
            np.save(tmp_path / "y.npy", y.astype(float))
            options = ["--label-file", tmp_path / "y.npy", *options]
        (tmp_path / "ids.txt").write_text("".join(f"{i}\n" for i in ids))
        model = tmp_path / "model.json"
        command = [program, "train", "-q", "--epsilon", "1", "--seed", "7", "--unit",
                   tmp_path / "ids.txt", "-o", model, *options, data]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        return model.read_text()

    return run


def text_of(est, folder):
    est.model_.save(folder / "python.json")
    return (folder / "python.json").read_text()


# "format" is that of the rows, and "unit_name" what the command line calls a file of ids.
AS_PROGRAM = {"format": "libsvm", "unit_name": "by id"}


@pytest.mark.parametrize("settings, options", [
    ({}, []),
    ({"passes": 3}, ["--passes", 3]),
    ({"adjacency": "zero-out", "fit_intercept": False}, ["--adjacency", "zero-out", "--no-bias"]),
    ({"class_weight": {0: 1, 1: 4}}, ["--class-weight", "1,4"]),
])
def test_the_model_file_of_the_command_line(train, tmp_path, settings, options):
    X, y, ids = visits()
    est = fitted(X, y, ids, options=AS_PROGRAM, **settings)
    assert text_of(est, tmp_path) == train(X, y, ids, *options)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, np.asfortranarray])
def test_a_cap_on_the_rows_of_a_person(train, kind):
    """Which rows are used depends on their bytes, so dense rows are compared with dense rows."""
    X, y, ids = visits()
    est = fitted(kind(X), y, ids, unit_rows=3)
    expected = train(X, y, ids, "--unit-rows", 3, libsvm=kind is sp.csr_matrix)
    assert np.frombuffer(est.model_.weights).tolist() == json.loads(expected)["weights"]
    assert np.frombuffer(fitted(X, y, ids).model_.weights).tolist() != json.loads(expected)["weights"]


def test_weights_of_rows_of_persons(train, tmp_path):
    X, y, ids = visits()
    weights = np.random.default_rng(3).random(len(y)) * 4
    np.save(tmp_path / "w.npy", weights)
    est = fitted(X, y, ids, weights, max_weight=4, options=AS_PROGRAM)
    assert text_of(est, tmp_path) == train(X, y, ids, "--weights", tmp_path / "w.npy",
                                           "--max-weight", 4)


IDS = {
    "text": lambda ids: [f"{i}" for i in ids],
    "array of text": lambda ids: ids.astype(str),
    "bytes": lambda ids: ids.astype("S"),
    "int32": lambda ids: ids.astype(np.int32),
    "uint64": lambda ids: ids.astype(np.uint64),
    "floats": lambda ids: ids.astype(float),
    "objects": lambda ids: np.array([int(i) if i % 2 else str(i) for i in ids], dtype=object),
    "Series": lambda ids: pd.Series(ids, index=ids[::-1]),
    "Int64": lambda ids: pd.Series(ids, dtype="Int64"),
    "categories": lambda ids: pd.Series(ids.astype(str)).astype("category"),
    "spaces around": lambda ids: [f" {i}\t" for i in ids],
}


@pytest.mark.parametrize("kind", IDS)
def test_the_same_ids_in_any_type_are_the_same_persons(kind):
    X, y, ids = visits()
    assert fitted(X, y, IDS[kind](ids)).model_.json() == fitted(X, y, ids).model_.json()


def test_ids_of_other_types():
    X, y, ids = visits()
    names = [uuid.UUID(int=int(i)) for i in ids]
    assert fitted(X, y, names).privacy_["units"] == PERSONS
    assert fitted(X, y, list(zip(ids % 7, ids // 7))).privacy_["units"] == PERSONS
    assert fitted(X, y, ids + 0.5).privacy_["units"] == PERSONS
    with pytest.raises(tacit.DataError, match="an id must be text"):
        fitted(X, y, [{1}] * len(ids))
    with pytest.raises(tacit.DataError, match="text or numbers"):
        fitted(X, y, ids.astype("M8[s]"))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, "", "  ", "NaN", b"", (1, None)])
def test_a_missing_id_is_refused_with_its_row(missing):
    X, y, ids = visits()
    ids = list(ids)
    ids[41] = missing
    with pytest.raises(tacit.DataError, match="^row 42: no id"):
        fitted(X, y, ids)


def test_refusals_name_no_id():
    X, y, ids = visits()
    for bad, message in (("John\0Smith", "row 3: an id must not contain"), ("John\ud800", "cannot")):
        names = [str(i) for i in ids]
        names[2] = bad
        with pytest.raises(tacit.DataError, match=message) as caught:
            fitted(X, y, names)
        assert "John" not in str(caught.value) and caught.value.__context__ is None
    with pytest.raises(tacit.DataError, match="fewer ids than X has rows"):
        fitted(X, y, ids[1:])
    with pytest.raises(tacit.DataError, match="1D"):
        fitted(X, y, ids[:, None])
    for wrong in ("patient", 3):
        with pytest.raises(tacit.ArgumentError, match="one id per row"):
            fitted(X, y, wrong)
    with pytest.raises(tacit.ArgumentError, match="give groups"):
        fitted(X, y, unit_rows=3)
    with pytest.raises(tacit.ArgumentError, match="whole number"):
        fitted(X, y, ids, unit_rows=1.5)
    with pytest.raises(tacit.ArgumentError, match="leave out rows"):
        fitted(X, y, ids, rows=len(y))


def test_a_stream_of_persons_is_refused():
    X, y, ids = visits()
    est = tacit.LogisticRegression(1.0, classes=[0, 1], rows=len(y))
    with pytest.raises(tacit.ArgumentError, match="give groups= to fit"):
        est.partial_fit(X, y, groups=ids)
    assert not hasattr(est, "model_")
    fitted_before = fitted(X, y, ids)
    with pytest.raises(tacit.StateError, match="complete") as caught:
        fitted_before.partial_fit(X, y)
    assert str(len(y)) not in str(caught.value)


def test_everything_public_rests_on_the_number_of_persons():
    """The noise, the plan and the penalty are those of a run with as many rows."""
    X, y, ids = visits()
    seen = []
    est = tacit.LogisticRegression(1.0, classes=[0, 1], C=2.0)
    est.fit(X, y, groups=ids, progress=lambda *facts: seen.append(facts))
    rows = tacit.LogisticRegression(1.0, classes=[0, 1], C=2.0).fit(X[:PERSONS], y[:PERSONS])
    for name in ("mu", "delta", "epsilon", "rounds", "batches_per_pass", "passes", "round_0"):
        assert est.privacy_[name] == rows.privacy_[name]
    assert est.privacy_["units"] == PERSONS and "rows" not in est.privacy_
    assert est.privacy_["unit"] == "person (groups)"
    assert "person (groups), all rows together" in " ".join(str(est.privacy_).split())
    everything = est.to_json() + est.model_.json() + str(est.privacy_) + repr(vars(est)) + repr(seen)
    # Whole words only: weights of an unseeded run have any four digits now and then.
    words = set(re.findall(r"[\w.]+", everything))
    for passes in range(1, 10):
        assert not {f"{passes * len(y)}", f"{passes * len(y)}.0"} & words
    assert f"{9 * PERSONS}" in words
    # Eight passes, and one reading for the mean.
    assert {facts[3] for facts in seen} == {9 * PERSONS} and seen[-1][2] == 9 * PERSONS
    plans = [tacit.plan(**{name: PERSONS}, features=FEATURES, epsilon=1.0, rereadable=True)
             for name in ("units", "rows")]
    for name in ("noise_last_gradient", "sensitivity_factor", "rounds", "delta"):
        assert plans[0][name] == plans[1][name]
    pickle.loads(pickle.dumps(est))


def test_the_number_of_rows_of_a_person_does_not_change_what_is_public():
    """Another person in place of one, with 1 row or 200, changes weights but no fact."""
    X, y, ids = visits()
    facts = []
    for more in (0, 199):
        rows = np.r_[np.arange(len(y)), np.zeros(more, int)]
        est = tacit.LogisticRegression(1.0, classes=[0, 1], C=2.0)
        est.fit(X[rows], y[rows], groups=ids[rows])
        model = json.loads(est.model_.json())
        # What follows from the release of round 0 is not among the facts.
        for name in ("weights", "offset", "digest"):
            model.pop(name, None)
        for name in ("centre", "learner_params"):
            del model["training"][name]
        model["statement"].pop("digest", None)
        facts.append(model)
    assert facts[0] == facts[1]


def test_columns_of_tables():
    X, y, ids = visits()
    frame = pd.DataFrame(X, columns=list("abcde"))
    expected = fitted(X, y, ids).model_.json()
    assert fitted(frame, y, pd.Series(ids)).model_.json() == expected
    columns = {name: X[:, j] for j, name in enumerate("abcde")}
    table = Table({"id": ids, **columns, "y": y})
    text = Table({"id": arrow_maker.Text([str(i) for i in ids], "u"), **columns, "y": y})
    assert fitted(table, "y", "id").model_.json() == expected
    assert fitted(text, "y", "id").model_.json() == expected
    assert fitted(table, "y", "id").feature_names_in_.tolist() == list("abcde")
    with pytest.raises(tacit.ArgumentError, match="'nobody', which is not there"):
        fitted(table, "y", "nobody")
    holes = Table({"id": arrow_maker.Nulls(ids), **columns, "y": y})
    with pytest.raises(tacit.DataError, match="column 'id': an id is missing"):
        fitted(holes, "y", "id")
    with pytest.raises(tacit.ArgumentError, match="leave out rows"):
        fitted(table, "y", "id", rows=len(y))


@pytest.mark.parametrize("make", [
    lambda: tacit.LinearSVC(1.0, classes=[0, 1]),
    lambda: tacit.LinearRegression(1.0, bounds=(0, 1)),
    lambda: tacit.Ridge(1.0, bounds=(0, 1)),
    lambda: tacit.HuberRegressor(1.0, bounds=(0, 1)),
    lambda: tacit.QuantileRegressor(1.0, bounds=(0, 1)),
    lambda: tacit.PoissonRegressor(1.0, bounds=(0, 1)),
])
def test_every_estimator(make):
    X, y, ids = visits()
    est = make().set_params(unit_rows=2).fit(X, y, groups=ids)
    assert est.privacy_["units"] == PERSONS and est.privacy_["private"]


# Ask and tell.


def start(units=PERSONS, **settings):
    return tacit.Trainer(units=units, features=FEATURES, epsilon=1.0, classes=[0, 1], seed=7,
                         unit_name="groups", **settings)


def rows_of_each(ids):
    """m of every row."""
    _, inverse, counts = np.unique(ids, return_inverse=True, return_counts=True)
    return counts[inverse]


def told(trainer, X, y, ids, weights=None, parts=3, m=None):
    """The model of a trainer whose rows are in three processes, by row."""
    order = pickle.loads(pickle.dumps(trainer.order()))
    batches = order.batches(ids)
    m = rows_of_each(ids) if m is None else m
    worker = tacit.Worker(**pickle.loads(pickle.dumps(trainer.worker_settings)))
    per_pass = trainer.statement["batches_per_pass"]
    while not trainer.done:
        asked = trainer.ask()
        assert asked.n_rows == asked.first == 0
        rows = np.flatnonzero((batches == (asked.t - 1) % per_pass) | (asked.t == 0))
        shards = []
        for part in np.array_split(rows, parts):
            w = None if weights is None else weights[part]
            add = trainer.delta if len(shards) == 0 else lambda *a, **k: worker.delta(asked, *a, **k)
            if len(part):
                shards.append(add(X[part], y[part], sample_weight=w, unit_rows=m[part]))
        if not shards:  # nobody's rows
            shards = [tacit.ShardSum(asked.t, np.zeros(asked.dim, np.int64), 0, 0)]
        assert "rows" not in repr(shards[0])
        trainer.tell(sum(shards))
    return trainer.finish()


@pytest.mark.parametrize("settings", [{}, {"passes": 2, "batch": 90}, {"adjacency": "zero-out"}])
def test_workers_give_the_model_of_fit(settings):
    X, y, ids = visits()
    batch = {k: v for k, v in settings.items() if k == "batch"}
    rest = {k: v for k, v in settings.items() if k != "batch"}
    expected = fitted(X, y, ids, options=batch, **rest).model_.json()
    assert told(start(**settings), X, y, ids).json() == expected


def test_weights_of_rows_and_classes_in_workers():
    X, y, ids = visits()
    weights = np.random.default_rng(4).random(len(y)) * 3
    both = {"max_weight": 2.0, "class_weight": {0: 1, 1: 3}}
    expected = fitted(X, y, ids, weights, **both).model_.json()
    assert told(start(**both), X, y, ids, weights).json() == expected
    # The same without persons.
    trainer = tacit.Trainer(rows=len(y), features=FEATURES, epsilon=1.0, classes=[0, 1], seed=7, **both)
    worker, row = tacit.Worker(**trainer.worker_settings), 0
    while not trainer.done:
        asked = trainer.ask()
        rows = slice(row, row + asked.n_rows)
        trainer.tell(worker.delta(asked, X[rows], y[rows], sample_weight=weights[rows]))
        row += asked.n_rows
    expected = fitted(X, y, None, weights, **both, options={"shuffle": False, "centre": "head"})
    assert trainer.finish().json() == expected.model_.json()
    assert "weights" in trainer.statement


def chosen(worker, X, y, ids, weights, cap):
    """The rows of each person that a cap uses, ascending: those with the smallest contents."""
    contents = np.empty(len(y), np.int64)
    rows, _ = worker._labels.rows(X, y, weights)
    worker._worker.contents(rows, contents)
    ordered = np.lexsort((contents.view(np.uint64), ids))
    _, begin = np.unique(ids[ordered], return_index=True)
    turn = np.arange(len(y)) - np.repeat(begin, np.diff([*begin, len(y)]))
    return np.sort(ordered[turn < cap])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, np.float32])
def test_workers_know_the_rows_that_a_cap_uses(kind, weighted):
    X, y, ids = visits()
    X[X < -0.4] = 0
    X, weights = kind(X), np.random.default_rng(4).random(len(y)) if weighted else None
    most = {"max_weight": 0.7} if weighted else {}
    trainer = start(unit_rows=3, **most)
    used = chosen(tacit.Worker(**trainer.worker_settings), X, y, ids, weights, 3)
    some = weights[used] if weighted else None
    model = told(trainer, X[used], y[used], ids[used], some, m=np.full(len(used), 3))
    assert model.json() == fitted(X, y, ids, weights, unit_rows=3, **most).model_.json()


def test_shares_that_add_up_to_more_than_the_persons_are_refused():
    """A count per process gives every person as many shares as there are processes."""
    X, y, ids = visits()
    with pytest.raises(tacit.PrivacyError, match="over all processes"):
        told(start(), X, y, ids, m=np.maximum(1, rows_of_each(ids) // 3))


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_sum_beyond_all_persons_is_refused(beyond):
    trainer = start()
    trainer.order()
    asked = trainer.ask()
    values = np.zeros(asked.dim, np.int64)
    values[0] = PERSONS * asked.lattice_clip + beyond
    sum_told = tacit.ShardSum(asked.t, values, 0, 0)
    if beyond == 0:
        trainer.tell(sum_told)  # a batch may hold all of them
        return
    with pytest.raises(tacit.PrivacyError):
        trainer.tell(sum_told)
    with pytest.raises(tacit.StateError):
        trainer.ask()


def test_what_persons_need():
    X, y, ids = visits()
    trainer = start()
    with pytest.raises(tacit.PrivacyError, match="order"):
        trainer.ask()
    trainer.order()
    with pytest.raises(tacit.ArgumentError, match="give unit_rows"):
        trainer.delta(X, y)
    with pytest.raises(tacit.DataError, match="row 5: unit_rows"):
        trainer.delta(X, y, unit_rows=np.where(np.arange(len(y)) == 4, 0, 1))
    with pytest.raises(tacit.ArgumentError, match="max_weight"):
        trainer.delta(X, y, np.ones(len(y)), np.ones(len(y), int))
    with pytest.raises(tacit.StateError, match="not one of persons"):
        trainer.tell(tacit.ShardSum(0, np.zeros(trainer.ask().dim, np.int64), 5))
    with pytest.raises(tacit.ArgumentError, match="declare rows, or units"):
        start(rows=10)
    rows = tacit.Trainer(rows=len(y), features=FEATURES, epsilon=1.0, classes=[0, 1])
    with pytest.raises(tacit.ArgumentError, match="must have units"):
        rows.delta(X[:1], y[:1], unit_rows=np.ones(1, int))
    capped = start(unit_rows=3)
    capped.order()
    with pytest.raises(tacit.DataError, match="from 3"):
        capped.delta(X[:1], y[:1], unit_rows=np.ones(1, int))
    assert repr(start().order()) == "<PersonOrder of 8 batches>"
