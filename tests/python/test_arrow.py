# SPDX-License-Identifier: MIT
"""Tables and streams through Arrow's C stream interface.

The first half makes its own batches with ctypes, so that no Arrow library is needed; the
second half runs with polars, pyarrow and duckdb where they are installed.
"""
import arrow_maker
import numpy as np
import pytest
import tacit

N = 900
RNG = np.random.default_rng(4)
COLUMNS = {
    "f8": RNG.normal(size=N),
    "f4": RNG.normal(size=N).astype(np.float32),
    "i1": RNG.integers(-9, 9, N).astype(np.int8),
    "u2": RNG.integers(0, 9, N).astype(np.uint16),
    "i8": RNG.integers(-9, 9, N),
    "yes": RNG.random(N) < 0.5,
}
Y = (COLUMNS["f8"] + 0.1 * COLUMNS["i1"] > 0).astype(np.int32)
MATRIX = np.column_stack([np.asarray(c, float) for c in COLUMNS.values()])
TEXT = [["no", "a positive answer"][v] for v in Y]


def new(**params):
    return tacit.LogisticRegression(**{"epsilon": 1.0, "classes": [0, 1], "random_state": 3, **params})


class Table:
    """An object with the interface of a polars or pyarrow table."""

    def __init__(self, columns, parts=3, **options):
        self.columns, self.parts, self.options = columns, parts, options

    def __arrow_c_stream__(self, requested_schema=None):
        return arrow_maker.stream(self.columns, self.parts, **self.options)

    def __len__(self):
        return len(next(iter(self.columns.values())))


class Stream:
    """A stream has no length."""

    def __init__(self, table):
        self.__arrow_c_stream__ = table.__arrow_c_stream__


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("offset", [0, 3])
def test_a_table_is_its_matrix(parts, offset):
    table = Table({**COLUMNS, "y": Y}, parts, offset=offset)
    est = new().fit(table, "y")
    plain = new().fit(MATRIX, Y)
    assert np.array_equal(est.coef_, plain.coef_)
    assert list(est.feature_names_in_) == list(COLUMNS)
    assert np.array_equal(est.predict_proba(table), plain.predict_proba(MATRIX))
    other = new().fit(Table(COLUMNS, parts, offset=offset), Y)
    assert np.array_equal(other.coef_, plain.coef_)


def test_a_stream_is_read_in_its_order():
    stream = Stream(Table({"y": Y, **COLUMNS}, 5))
    est = new(rows=N).fit(stream, "y")
    plain = new(options={"shuffle": False, "centre": "head"}).fit(MATRIX, Y)
    assert np.array_equal(est.coef_, plain.coef_)
    assert est.n_features_in_ == 6
    with pytest.raises(tacit.ArgumentError, match="declare rows"):
        new().fit(Stream(Table({"y": Y, **COLUMNS})), "y")
    for rows in (N - 1, N + 1):
        with pytest.raises(tacit.DataError, match="rows than"):
            new(rows=rows).fit(Stream(Table({"y": Y, **COLUMNS})), "y")


@pytest.mark.parametrize("layout", ["u", "U", "vu", "dictionary"])
def test_text_labels(layout):
    table = Table({**COLUMNS, "y": arrow_maker.Text(TEXT, layout)}, offset=2)
    est = new(classes=["no", "a positive answer"]).fit(table, "y")
    assert np.array_equal(est.coef_, new().fit(MATRIX, Y).coef_)
    assert set(est.predict(Table(COLUMNS))) == {"no", "a positive answer"}


@pytest.mark.parametrize("code", [-1, -128, 2, 127])
def test_a_code_outside_of_its_dictionary(code):
    labels = arrow_maker.Text(TEXT, "dictionary", last=code)
    est = new(classes=["no", "a positive answer"])
    with pytest.raises(tacit.DataError, match="column 'y': a code is outside of its dictionary"):
        est.fit(Table({**COLUMNS, "y": labels}), "y")
    assert not hasattr(est, "coef_")
    with pytest.raises(tacit.DataError, match="column 'who': an id is missing"):
        new().fit(Table({**COLUMNS, "who": labels, "y": Y}), "y", groups="who")


def test_number_labels_and_single_precision():
    y = COLUMNS["f8"] * 2 + 1
    columns = {name: COLUMNS[name].astype(np.float32) for name in ("f8", "f4")}
    est = tacit.LinearRegression(1.0, bounds=(-5, 5), random_state=3).fit(Table({**columns, "y": y}), "y")
    plain = tacit.LinearRegression(1.0, bounds=(-5, 5), random_state=3)
    plain.fit(np.column_stack(list(columns.values())), y)
    assert np.array_equal(est.coef_, plain.coef_)


def test_columns_are_found_by_name():
    est = new().fit(Table({**COLUMNS, "y": Y}), "y")
    turned = dict(reversed(COLUMNS.items()))
    assert np.array_equal(est.predict(Table({"z": Y, **turned})), est.predict(Table(COLUMNS)))
    turned.pop("i8")
    with pytest.raises(tacit.DataError, match="'i8' is missing"):
        est.predict(Table(turned))


@pytest.mark.parametrize("columns, label, words", [
    ({**COLUMNS, "y": Y}, "z", "names the column 'z'"),
    ({**COLUMNS, "t": arrow_maker.Text(TEXT, "u"), "y": Y}, "y", "'t': not a number"),
    ({**COLUMNS, "n": arrow_maker.Nulls(COLUMNS["f8"]), "y": Y}, "y", "'n': it holds nulls"),
    ({**COLUMNS, "y": arrow_maker.Nulls(COLUMNS["f8"])}, "y", "'y': it holds nulls"),
    ({**COLUMNS, "f8": np.full(N, np.nan), "y": Y}, "y", "column 1: NaN"),
])
def test_refused(columns, label, words):
    est = new()
    with pytest.raises(ValueError, match=words):
        est.fit(Table(columns), label)
    assert not [k for k in vars(est) if k.endswith("_")]


def test_a_stream_that_fails():
    with pytest.raises(tacit.FileError, match="the stream failed"):
        new(rows=N).fit(Stream(Table({**COLUMNS, "y": Y}, fails=True)), "y")
    with pytest.raises(tacit.ArgumentError, match="passes"):
        new(rows=N, passes=2).fit(Stream(Table({**COLUMNS, "y": Y})), "y")
    with pytest.raises(tacit.PrivacyLeakError, match="classes"):
        new(rows=N, classes=None).fit(Stream(Table({**COLUMNS, "y": Y})), "y")


def frame_of(library):
    table = {**COLUMNS, "y": Y}
    if library == "polars":
        return pytest.importorskip("polars").DataFrame(table)
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(table)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_libraries(library):
    frame = frame_of(library)
    est = new().fit(frame, "y")
    assert np.array_equal(est.coef_, new().fit(MATRIX, Y).coef_)
    assert np.array_equal(est.predict(frame), est.predict(frame.drop(["y"]) if library == "pyarrow" else frame.drop("y")))
    text = frame_text(library)
    named = new(classes=["no", "a positive answer"]).fit(text, "y")
    assert np.array_equal(named.coef_, est.coef_)


def frame_text(library):
    table = {**COLUMNS, "y": TEXT}
    if library == "polars":
        polars = pytest.importorskip("polars")
        return polars.DataFrame(table).with_columns(polars.col("y").cast(polars.Categorical))
    return pytest.importorskip("pyarrow").table(table)


# A stream is read once, an array as often as the preset likes: the same recipe for both.
ONCE = {"passes": 1, "centre": "off"}


def test_record_batch_reader():
    table = frame_of("pyarrow")
    est = new(rows=N, **ONCE).fit(table.to_reader(max_chunksize=100), "y")
    assert np.array_equal(est.coef_, new(options={"shuffle": False}, **ONCE).fit(MATRIX, Y).coef_)


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    table = frame_of("pyarrow")
    with duckdb.connect() as connection:
        connection.register("records", table)
        relation = connection.sql("SELECT * FROM records")
        est = new(rows=N, **ONCE).fit(relation, "y")
    assert np.array_equal(est.coef_, new(options={"shuffle": False}, **ONCE).fit(MATRIX, Y).coef_)
