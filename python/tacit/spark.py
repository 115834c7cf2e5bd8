# SPDX-License-Identifier: MIT
"""Private training on Spark: ``tacit.spark.fit(df, …)``, the model of ``tacit train``.

    model = tacit.spark.fit(df, features=["age", "dose"], label="outcome",
                            classes=["no", "yes"], epsilon=1.0)
    model.save("model.json")

Needs pyspark 3.5 or later and pyarrow (``pip install 'tacit[pyspark]'``), on the executors
too. docs/howto/spark.md explains how it works, what it costs and what it does not notice.
"""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from tacit import _core, _data
from tacit._budget import Accountant, BudgetAccountant
from tacit._core import ArgumentError, DataError, StateError, TacitError
from tacit._trainer import Labels, Round, ShardSum, Trainer, shares_of
from tacit._types import Array, Facts, Progress

try:
    import pyarrow as pa
    from pyspark import StorageLevel, TaskContext
except ImportError as missing:
    raise ImportError(
        f"tacit.spark needs pyspark and pyarrow (no {missing.name} here): "
        "pip install 'tacit[pyspark]'"
    ) from None

# Record batches of Arrow, and the number of rows of each partition.
Batches: TypeAlias = Iterator[Any]
Counts: TypeAlias = dict[int, int]
_MOST_BYTES = 2**31 - 1  # of one binary column of an Arrow batch
_ANSWER = (
    "round int, count bigint, places bigint, squares bigint, shares bigint, digest binary, "
    "sums binary, kind string, fault string"
)
_ANSWER_ARROW = pa.schema([
    ("round", pa.int32()), ("count", pa.int64()), ("places", pa.int64()),
    ("squares", pa.int64()), ("shares", pa.int64()), ("digest", pa.binary()),
    ("sums", pa.binary()), ("kind", pa.string()), ("fault", pa.string()),
])


def fit(df: Any, *, features: str | Sequence[str], label: str, epsilon: float | None = None,
        classes: Any = None, bounds: Any = None, indices: str | None = None, n_features: int | None = None,
        order_by: str | None = None, rows: int | None = None, unit: str | None = None,
        units: int | None = None, unit_rows: int | None = None, weight: str | None = None,
        max_weight: float | None = None, class_weight: Any = None, shuffle: bool = True,
        combine: int | None = None, storage: Any = None, accountant: Accountant | None = None,
        ledger: str | None = None, dataset: str | None = None, progress: Progress | None = None,
        **settings: Any) -> _core.Model:
    """Trains on a DataFrame, with one Spark job per round, and returns a ``tacit.Model``.

    Rows are numbered from 0 in the order of the DataFrame: partition by partition, as
    ``zipWithIndex`` does. The secret order of the run deals these numbers to rounds, so
    the numbering may depend on what the rows say: partitioning and sorting do not matter
    for the guarantee. With a seed, the same rows in the same order give the model of
    ``tacit train`` bit for bit, for any partitioning.

    Retried and speculative tasks count once: the sums of a round are the results of one
    job, with one result per partition for any number of attempts, and they are exact
    integers, the same in every attempt. The digest of a round's rows is taken when they are
    prepared and must be the same whenever they are read: if Spark recomputes the DataFrame
    and gets other rows, the run ends without a model.

    Parameters
    ----------
    df : DataFrame
    features : list of str, or str
        Numeric columns; or one column that holds an array or an ml vector of
        ``n_features`` numbers; with ``indices``, the column of the entries' values.
    label : str
        Column of the labels: classes as declared, or numbers.
    epsilon, classes, bounds, accountant, progress
        As in ``Trainer``; every other setting too (``delta``, ``passes``, ``loss``, …).
        ``format="libsvm"`` makes a model for files of the command line.
    ledger, dataset : str, optional
        Take the budget of the run from this ledger of ``tacit ledger`` (file, or
        ``postgresql://…``) and this data set in it, in place of an accountant; by default
        those of the environment variables TACIT_LEDGER and TACIT_DATASET, as for ``tacit
        train``. Only the driver opens it.
    indices : str, optional
        Column of arrays with the 0-based, ascending indices of sparse rows.
    n_features : int
        Public number of features, unless ``features`` is a list.
    order_by : str, optional
        Column with the numbers 0 … n-1 of the rows, each once, in place of their order.
    rows : int, optional
        Public number of rows, if known. Another number of rows is an error.
    unit : str, optional
        Column of ids, text or whole numbers: the unit is then a person with all rows, as with
        ``groups`` of the estimators. Rows of a person may be in any partitions. The number of
        persons takes the place of that of rows, which is secret; ``units`` declares it, and
        ``unit_rows`` limits the rows of a person that are used.
    weight : str, optional
        Column of weights from 0 to ``max_weight``, which must be declared with it.
    class_weight
        As in ``Trainer``.
    shuffle : bool
        False assigns rows to rounds in the order of their numbers, which must then not
        depend on what the rows say.
    combine : int, optional
        Add up the sums of partitions on this many executors first: for many partitions
        of a model with many weights. The driver gets 8 bytes per weight from each.
    storage : StorageLevel, default memory and disk
        Where the prepared rows are kept: records, with their rounds, which are secret.
    """
    if (unit is None) and (units is not None or unit_rows is not None):
        raise ArgumentError("units and unit_rows go with unit, the column of ids")
    if unit is not None and rows is not None:
        raise ArgumentError("the number of rows of persons is secret: declare units in its place")
    if weight is not None and max_weight is None:
        raise ArgumentError("weight needs max_weight, the declared largest weight")
    accountant = _accountant(accountant, ledger, dataset)
    labels = Labels(classes, bounds, class_weight, max_weight)
    columns = _Columns(df, features, indices, n_features, label, order_by, weight, unit)
    if settings.keys() & {"checkpoint", "key_file", "resume"}:
        # Nothing would check that the rows are still those of the earlier rounds.
        raise ArgumentError("a fit on Spark has no checkpoints: leave out checkpoint and resume")
    settings = {**settings, "shuffled": bool(shuffle), "rereadable": True}
    held = []

    def keep(frame: Any) -> Any:
        held.append(frame.persist(storage or StorageLevel.MEMORY_AND_DISK))
        return held[-1]

    try:
        source = df.select(*columns.selection())
        counts = None
        if order_by is None:
            source = keep(source)
            counts = _counts(source)
            n_rows = sum(counts.values())
        else:
            n_rows = _job(source.groupBy().count(), "count")[0][0] if rows is None else rows
        facts: Facts = {"rows": n_rows}
        if unit is None:
            _check_number(n_rows, rows, "rows")
        else:
            source, n_persons, n_rows = _persons(source, columns, labels, counts, unit_rows,
                                                 settings.get("loss"), keep, n_rows)
            _check_number(n_persons, units, "persons")
            facts = {"units": n_persons, "unit_rows": unit_rows}
            settings.setdefault("unit_name", f"column {unit}")
            counts = None
        trainer = Trainer(**facts, features=columns.n_features, epsilon=epsilon, classes=classes,
                          bounds=bounds, class_weight=class_weight, max_weight=max_weight,
                          accountant=accountant, progress=progress, **settings)
        per_pass = trainer.statement["batches_per_pass"]
        try:
            order = trainer.order() if shuffle or unit else None
            deal = _Deal(columns, labels, n_rows, per_pass, order, counts)
            early = list(held)
            rounds = keep(source.mapInArrow(deal, columns.prepared()).sortWithinPartitions("round"))
            kept = _Kept(rounds, columns, trainer.core_settings, combine)
            kept.audit(n_rows, per_pass, unit_rows is None)
            while early:
                held.remove(early[0])
                early.pop(0).unpersist()
            while not trainer.done:
                asked = trainer.ask()
                trainer.tell(kept.sum(asked, (asked.t - 1) % per_pass if asked.t > 0 else None))
            return trainer.finish()
        except BaseException:
            trainer.stop()
            raise
    finally:
        for frame in held:
            frame.unpersist()


def _accountant(accountant: Accountant | None, ledger: str | None, dataset: str | None) -> Accountant | None:
    """The accountant of a fit: the one given, or that of a ledger; None if there is neither."""
    if accountant is not None:
        if ledger is not None or dataset is not None:
            raise ArgumentError("a run is charged once: give accountant, or ledger and dataset")
        return accountant
    ledger = ledger or os.environ.get("TACIT_LEDGER")
    if not ledger:
        if dataset is not None:
            raise ArgumentError("dataset names a data set of a ledger: give ledger= too")
        return None
    return BudgetAccountant(ledger=ledger, dataset=dataset or os.environ.get("TACIT_DATASET") or None)


def _persons(source: Any, columns: _Columns, labels: Labels, counts: Counts | None, cap: int | None,
             loss: str | None, keep: Callable[[Any], Any], n_rows: int) -> tuple[Any, int, int]:
    """(rows with their shares, number of persons, number of rows that are used).

    Spark brings the rows of a person together once and counts them over all partitions: m is
    the number of rows that share the bound of one. With a cap m is the cap, and of a person
    with more rows those with the smallest digests are used, as in tacit_reader_units.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    if counts is not None:
        source = source.mapInArrow(_Number(counts), _with(source, "number"))
    by_number = ["number"]
    if cap is not None:
        worker = {"rows": 1, "features": columns.n_features, **labels.settings,
                  **({} if loss is None else {"loss": loss})}
        source = source.mapInArrow(_Contents(columns, labels, worker), _with(source, "content"))
        by_number = ["content", "number"]
    person = Window.partitionBy("unit")
    share = F.count(F.lit(1)).over(person) if cap is None else F.lit(int(cap)).cast("bigint")
    source = (source.withColumn("share", share)
              .withColumn("turn", F.row_number().over(person.orderBy(*by_number))))
    if cap is not None:
        source = source.where((F.col("turn") <= int(cap)) | F.col("content").isNull())
    source = keep(source)
    totals = source.groupBy().agg(F.count(F.when(F.col("turn") == 1, 1)), F.count(F.lit(1)))
    n_persons, n_used = _job(totals, "count persons")[0]
    if cap is None and n_used != n_rows:
        raise DataError("the DataFrame gave other rows when they were counted: write it to a "
                        "table first")
    return source, n_persons, n_used


def _with(frame: Any, name: str) -> Any:
    """The schema of a frame with one more column of whole numbers."""
    from pyspark.sql.types import LongType, StructField, StructType

    return StructType([*frame.schema.fields, StructField(name, LongType())])


class _Number:
    """Adds the numbers of the rows."""

    def __init__(self, counts: Counts) -> None:
        self.starts = _starts(counts)

    def __call__(self, batches: Any) -> Batches:
        row = self.starts.get(TaskContext.get().partitionId(), 0)
        for batch in batches:
            yield _append(batch, "number", np.arange(row, row + batch.num_rows, dtype=np.int64))
            row += batch.num_rows


class _Contents:
    """Adds what a cap orders the rows of a person by. If a row cannot be read, all rows of its
    batch get nothing and are used, so that the row is refused with its number."""

    def __init__(self, columns: _Columns, labels: Labels, settings: Facts) -> None:
        self.columns, self.labels, self.settings = columns, labels, settings

    def __call__(self, batches: Any) -> Batches:
        worker = _core.Worker(self.settings)
        for batch in batches:
            values, fault = np.zeros(batch.num_rows, np.int64), None
            if batch.num_rows > 0:
                _, fault = _try(self._fill, worker, batch, values)
            # The library compares them as unsigned numbers.
            yield _append(batch, "content", values ^ np.int64(-2**63), fault is not None)

    def _fill(self, worker: _core.Worker, batch: Any, values: Array) -> None:
        numbers = self.columns.whole(batch, "number", "number").to_numpy()
        made = self.columns.made(batch, self.labels, numbers, numbers, numbers)
        worker.contents(self.columns.rows(made), values)


def _append(batch: Any, name: str, values: Array, missing: bool = False) -> Any:
    column = pa.array(values, mask=np.full(len(values), missing))
    return pa.RecordBatch.from_arrays([*batch.columns, column], names=[*batch.schema.names, name])


def _starts(counts: Counts) -> Counts:
    """The number of the first row of each partition."""
    return dict(zip(counts, [0, *np.cumsum(list(counts.values())).tolist()]))


def _check_number(number: int, declared: int | None, what: str) -> None:
    if declared is not None and declared != number:
        raise DataError(f"{declared} {what} were declared, there are {number}")
    if number < 1:
        raise DataError("the DataFrame has no rows")


def _job(frame: Any, what: str) -> list[Any]:
    """The rows of a job. Spark's messages may quote records, so they are not passed on."""
    try:
        return list(frame.collect())
    except Exception as error:
        condition = getattr(error, "getCondition", getattr(error, "getErrorClass", lambda: None))
        try:
            name = condition() or type(error).__name__
        except Exception:  # the gateway itself is gone
            name = type(error).__name__
    raise StateError(f"spark: the job '{what}' failed ({name}): no model; its log says more")


class _Columns:
    """The columns of a DataFrame, and the rows of an Arrow batch as bytes."""

    def __init__(self, df: Any, features: str | Sequence[str], indices: str | None, n_features: int | None,
                 label: str, order_by: str | None, weight: str | None, unit: str | None) -> None:
        self._types = {field.name: field.dataType for field in df.schema.fields}
        self.listed = not isinstance(features, str)
        self.features = [features] if isinstance(features, str) else list(features)
        self.indices, self.label, self.order_by = indices, label, order_by
        self.weight, self.unit = weight, unit
        more = (c for c in (indices, order_by, weight, unit) if c is not None)
        wanted = [*self.features, label, *more]
        for name in wanted:
            if name not in self._types:
                raise ArgumentError(f"column '{name}' is not in the DataFrame")
        if self.listed:
            if indices is not None or not self.features:
                raise ArgumentError("features is a list of columns, or with indices one column")
            if n_features is not None and n_features != len(self.features):
                raise ArgumentError("n_features is another number than the columns of features")
            n_features = len(self.features)
        if n_features is None:
            raise ArgumentError("n_features must be declared: the width of the column")
        self.n_features = int(n_features)
        self.index_type = np.dtype(np.int32 if self.n_features < 2**31 else np.int64)
        self._selection = None

    def selection(self) -> list[Any]:
        """The columns to select, in the types that the executors expect."""
        from pyspark.sql import functions as F
        from pyspark.sql.types import (
            ArrayType,
            BooleanType,
            DecimalType,
            IntegralType,
            NumericType,
            StringType,
        )

        def number(name: str, to: str) -> Any:
            if not isinstance(self._types[name], (NumericType, BooleanType)):
                raise ArgumentError(f"column '{name}': not a number or a boolean; encode it first")
            return F.col(_quoted(name)).cast(to)

        def array(name: str, to: str) -> Any:
            kind = self._types[name]
            if kind.simpleString() == "vector":
                from pyspark.ml.functions import vector_to_array

                return vector_to_array(F.col(_quoted(name)))
            if not isinstance(kind, ArrayType) or not isinstance(kind.elementType, NumericType):
                raise ArgumentError(f"column '{name}': not an array of numbers or a vector")
            return F.col(_quoted(name)).cast(f"array<{to}>")

        take = []
        for i, name in enumerate(self.features):
            column = number(name, "double") if self.listed else array(name, "double")
            take.append(column.alias(f"x{i}"))
        if self.indices is not None:
            take.append(array(self.indices, "bigint").alias("indices"))
        kind = self._types[self.label]
        if not isinstance(kind, (NumericType, BooleanType, StringType)):
            raise ArgumentError(f"column '{self.label}': a label is a number, a boolean or text")
        column = F.col(_quoted(self.label))
        take.append((column.cast("double") if isinstance(kind, DecimalType) else column).alias("y"))
        if self.weight is not None:
            take.append(number(self.weight, "double").alias("weight"))
        if self.unit is not None:
            if not isinstance(self._types[self.unit], (IntegralType, StringType)):
                raise ArgumentError(f"column '{self.unit}': an id is text or a whole number")
            # As in files of ids: without spaces and tabs around it.
            text = F.col(_quoted(self.unit)).cast("string")
            take.append(F.regexp_replace(text, "^[ \\t]+|[ \\t]+$", "").alias("unit"))
        if self.order_by is not None:
            take.append(number(self.order_by, "bigint").alias("number"))
        return take

    def prepared(self) -> str:
        """The columns of prepared rows."""
        return ("round int, place bigint, label double, numbers binary, indices binary"
                + (", weight double" if self.weight is not None else "")
                + (", share bigint" if self.unit is not None else ""))

    def __getstate__(self) -> Facts:
        return {name: value for name, value in vars(self).items() if name != "_types"}

    # On the executors.

    def whole(self, batch: Any, alias: str, name: str | None) -> Any:
        """A column of a batch; refused if it has nulls."""
        column = batch.column(batch.schema.get_field_index(alias))
        if column.null_count:
            raise DataError(f"column '{name}': it holds nulls; choose what stands for them first")
        return column

    def encode(self, batch: Any, numbers: Any) -> tuple[Any, Any]:
        """(values, indices) of the rows as two binary columns. `numbers` are those of the rows."""
        if self.listed:
            matrix = np.empty((batch.num_rows, self.n_features))
            for j, name in enumerate(self.features):
                matrix[:, j] = self.whole(batch, f"x{j}", name).to_numpy(zero_copy_only=False)
            widths = np.full(batch.num_rows, self.n_features)
            values = matrix.ravel()
        else:
            values, widths = self._array(batch, "x0", self.features[0], np.float64)
        _all(np.isfinite(values), widths, numbers, "a feature is NaN or infinity")
        if self.indices is None:
            wide = widths == self.n_features
            _all(wide, None, numbers, f"it has not the {self.n_features} features declared")
            return _binary(values, widths), _binary(values[:0], np.zeros_like(widths))
        places, places_widths = self._array(batch, "indices", self.indices, np.int64)
        _all(places_widths == widths, None, numbers, "it has not one index for each value")
        known = (places >= 0) & (places < self.n_features)
        known[1:] &= (np.diff(places) > 0) | _begins(widths, len(places))[1:]
        _all(known, widths, numbers,
             "column indices must ascend, without one twice, and stay below the number of features")
        return _binary(values, widths), _binary(places.astype(self.index_type), widths)

    def _array(self, batch: Any, alias: str, name: str, kind: Any) -> tuple[Array, Array]:
        column = self.whole(batch, alias, name)
        flat = column.flatten()
        if flat.null_count:
            raise DataError(f"column '{name}': an array holds nulls")
        widths = column.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
        return flat.to_numpy(zero_copy_only=False).astype(kind, copy=False), widths

    def made(self, batch: Any, labels: Labels, rounds: Array, places: Array, numbers: Any) -> Any:
        """A batch as prepared rows. `numbers` are those of the rows, for messages."""
        column = self.whole(batch, "y", self.label)
        text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        y = np.asarray(column.to_pylist()) if text else column.to_numpy(zero_copy_only=False)
        values, indices = self.encode(batch, numbers)
        made = {"round": pa.array(rounds.astype(np.int32)), "place": pa.array(places),
                "label": pa.array(labels.encode(y, numbers)), "numbers": values,
                "indices": indices}
        if self.weight is not None:
            given = self.whole(batch, "weight", self.weight).to_numpy(zero_copy_only=False)
            weights, _ = _data.weights_of(given, len(given), labels.max_weight, "raise", numbers)
            made["weight"] = pa.array(weights)
        if self.unit is not None:
            made["share"] = self.share(batch)
        return pa.RecordBatch.from_pydict(made)

    def share(self, batch: Any) -> Any:
        """How many rows share the bound of each; 1 before they are counted."""
        at = batch.schema.get_field_index("share")
        return batch.column(at) if at >= 0 else pa.array(np.ones(batch.num_rows, np.int64))

    def rows(self, batch: Any) -> tuple[Any, ...]:
        """A batch of prepared rows as rows for the core."""
        def numbers(alias: str, kind: Any) -> Array | None:
            at = batch.schema.get_field_index(alias)
            return None if at < 0 else np.ascontiguousarray(batch.column(at).to_numpy(), dtype=kind)

        more = (numbers("label", float), numbers("weight", float), numbers("share", np.uint32))
        values, starts = _numbers(batch.column(3), np.dtype(np.float64))
        if self.indices is None:
            return (values.reshape(batch.num_rows, self.n_features), *more)
        places, _ = _numbers(batch.column(4), self.index_type)
        return (values, starts, places, self.n_features, *more)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _begins(widths: Array, count: int) -> Array:
    """A mask of the entries that are the first of their row."""
    first = np.zeros(count + 1, bool)
    first[np.concatenate([[0], np.cumsum(widths)])] = True
    return first[:-1]


def _all(good: Array, widths: Array | None, numbers: Any, fault: str) -> None:
    """Raises if a row is not good; the message has the number of the first one only."""
    if good.all():
        return
    at = int(np.argmin(good))
    if widths is not None:
        at = int(np.searchsorted(np.cumsum(widths), at, side="right"))
    raise DataError(f"row {int(numbers[at]) + 1}: {fault}")


def _binary(values: Array, widths: Array) -> Any:
    """A binary column with one value per row."""
    ends = np.concatenate([[0], np.cumsum(widths)]) * values.itemsize
    return pa.Array.from_buffers(
        pa.binary(), len(widths),
        [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(values))])


def _numbers(column: Any, kind: np.dtype[Any]) -> tuple[Array, Array]:
    """The numbers of a binary column, and the index where each row begins."""
    wide = pa.types.is_large_binary(column.type)
    _, ends, data = column.buffers()
    ends = np.frombuffer(ends, np.int64 if wide else np.int32)
    ends = ends[column.offset : column.offset + len(column) + 1].astype(np.int64)
    taken = np.frombuffer(data if data is not None else b"", np.uint8)[ends[0] : ends[-1]]
    return taken.view(kind), (ends - ends[0]) // kind.itemsize


class _Count:
    """Counts the rows of a partition."""

    def __call__(self, batches: Any) -> Batches:
        count = sum(batch.num_rows for batch in batches)
        yield pa.RecordBatch.from_pydict({
            "part": pa.array([TaskContext.get().partitionId()], pa.int32()),
            "count": pa.array([count], pa.int64())})


def _counts(frame: Any) -> Counts:
    found = _job(frame.mapInArrow(_Count(), "part int, count bigint"), "count")
    return dict(sorted((row[0], row[1]) for row in found))


class _Deal:
    """Prepares rows for all passes: with round, place, label and features."""

    def __init__(self, columns: _Columns, labels: Labels, n_rows: int, per_pass: int, order: Any,
                 counts: Counts | None) -> None:
        if n_rows * per_pass >= 2**63:
            raise ArgumentError("too many rows and rounds")
        self.columns, self.labels = columns, labels
        self.n_rows, self.per_pass = n_rows, per_pass
        self.order = order
        self.counts = counts
        self.starts = None if counts is None else _starts(counts)

    def __call__(self, batches: Any) -> Batches:
        part = TaskContext.get().partitionId()
        next_row = self.starts.get(part, 0) if self.starts is not None else 0
        left = self.counts.get(part, 0) if self.counts is not None else None
        for batch in batches:
            if batch.num_rows == 0:
                continue
            most = max(1, _MOST_BYTES // max(1, batch.nbytes // batch.num_rows * 2))
            for at in range(0, batch.num_rows, most):
                piece = batch.slice(at, most)
                made, fault = _try(self._dealt, piece, next_row)
                yield made if fault is None else _fault_of_dealing(self.columns, *fault)
                if fault is not None:
                    return
                next_row += piece.num_rows
            if left is not None:
                left -= batch.num_rows
        if left:
            yield _fault_of_dealing(self.columns, "DataError", "a partition has other rows than "
                                    "when it was counted: write the DataFrame to a table first")

    def _dealt(self, batch: Any, next_row: int) -> Any:
        columns = self.columns
        if columns.order_by is None and columns.unit is None:
            numbers = np.arange(next_row, next_row + batch.num_rows, dtype=np.int64)
        else:
            numbers = columns.whole(batch, "number", columns.order_by).to_numpy()
        if columns.unit is not None:
            ids = batch.column(batch.schema.get_field_index("unit")).to_pylist()
            rounds = self.order.batches(ids, numbers)
            return columns.made(batch, self.labels, rounds, numbers, numbers)
        if numbers.min() < 0 or numbers.max() >= self.n_rows:
            raise DataError(f"the numbers of the rows are not 0 … {self.n_rows - 1}")
        places = numbers if self.order is None else self.order.places(numbers)
        rounds = -(-(places + 1) * self.per_pass // self.n_rows) - 1
        return columns.made(batch, self.labels, rounds, places, numbers)


def _try(call: Callable[..., Any], *args: Any) -> tuple[Any, tuple[str, str] | None]:
    """(result, None) or (None, (kind, message)). Messages that may quote a record are replaced."""
    try:
        return call(*args), None
    except TacitError as error:
        return None, (type(error).__name__, str(error))
    except Exception as error:
        return None, ("DataError", f"the rows cannot be read ({type(error).__name__})")


def _fault_of_dealing(columns: _Columns, kind: str, message: str) -> Any:
    """A fault is sent as a row of round -1, which is the first in its partition."""
    fault = {
        "round": pa.array([-1], pa.int32()), "place": pa.array([0], pa.int64()),
        "label": pa.array([0.0]), "numbers": pa.array([kind.encode()]),
        "indices": pa.array([message.encode()])}
    if columns.weight is not None:
        fault["weight"] = pa.array([0.0])
    if columns.unit is not None:
        fault["share"] = pa.array([1], pa.int64())
    return pa.RecordBatch.from_pydict(fault)


class _Tally:
    """The totals of some rows of a round: count, sums of places, shares of persons, digest,
    sums of the core."""

    def __init__(self, count: int = 0, places: int = 0, squares: int = 0, shares: int = 0, digest: int = 0,
                 sums: Array | None = None) -> None:
        self.count, self.places, self.squares = count, places, squares
        self.shares, self.digest, self.sums = shares, digest, sums

    def add(self, other: _Tally) -> None:
        self.count += other.count
        self.shares += other.shares
        self.places = (self.places + other.places) % 2**64
        self.squares = (self.squares + other.squares) % 2**64
        self.digest ^= other.digest
        if other.sums is not None:
            self.sums = other.sums if self.sums is None else self.sums + other.sums

    def facts(self) -> tuple[int, int, int, int, int]:
        return (self.count, self.places, self.squares, self.shares, self.digest)

    @staticmethod
    def of_places(first: int, end: int) -> tuple[int, ...]:
        """The totals that the places first … end - 1 must have."""
        def below(n: int) -> tuple[int, int]:
            return n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6

        (low, low_squares), (high, high_squares) = below(first), below(end)
        return (end - first, (high - low) % 2**64, (high_squares - low_squares) % 2**64)

    def batch(self, number: int) -> Any:
        def signed(value: int) -> int:
            return value - 2**64 if value >= 2**63 else value

        return _answer(number, self.count, signed(self.places), signed(self.squares),
                       self.shares, self.digest.to_bytes(16, "little"),
                       b"" if self.sums is None else self.sums.tobytes(), "", "")

    @staticmethod
    def parse(row: tuple[Any, ...]) -> tuple[int, _Tally]:
        """(round, tally) of a row of an answer; raises if the row is a fault."""
        number, count, places, squares, shares, digest, sums, kind, fault = row
        if kind:
            raise getattr(_core, kind, DataError)(f"spark: {fault}")
        sums = np.frombuffer(bytes(sums), np.int64) if len(sums) else None
        return number, _Tally(count, places % 2**64, squares % 2**64, shares,
                              int.from_bytes(bytes(digest), "little"), sums)


def _answer(*values: Any) -> Any:
    return pa.RecordBatch.from_arrays(
        [pa.array([value], field.type) for value, field in zip(values, _ANSWER_ARROW)],
        schema=_ANSWER_ARROW)


class _Work:
    """A task over prepared rows: computes their digests and, for a round, their sums."""

    def __init__(self, columns: _Columns, settings: Facts, key: bytes, asked: Round | None = None) -> None:
        self.columns, self.settings, self.key, self.asked = columns, settings, key, asked

    def __call__(self, batches: Any) -> Batches:
        found: dict[int, _Tally] = {}
        for batch in batches:
            if batch.num_rows == 0:
                continue
            _, fault = _try(self._take, batch, found)
            if fault is not None:
                yield _answer(-1, 0, 0, 0, 0, b"", b"", *fault)
                return
        for number, tally in found.items():
            yield tally.batch(number)

    def _take(self, batch: Any, found: dict[int, _Tally]) -> None:
        rounds = batch.column(0).to_numpy()
        if rounds[0] < 0:
            kind, message = (bytes(batch.column(c)[0].as_py()).decode() for c in (3, 4))
            raise getattr(_core, kind, DataError)(message)
        worker = _core.Worker(self.settings)
        cuts = np.flatnonzero(np.diff(rounds)) + 1
        for first, end in zip([0, *cuts], [*cuts, len(rounds)]):
            self._add(worker, batch.slice(first, end - first),
                      found.setdefault(int(rounds[first]), _Tally()))

    def _add(self, worker: _core.Worker, piece: Any, tally: _Tally) -> None:
        rows = self.columns.rows(piece)
        places = np.ascontiguousarray(piece.column(1).to_numpy())
        plain = places.astype(np.uint64)
        digest = int.from_bytes(worker.digest(self.key, rows, places), "little")
        shares = 0 if self.columns.unit is None else shares_of(rows[-1])
        tally.add(_Tally(piece.num_rows, int(plain.sum()), int((plain * plain).sum()), shares,
                         digest))
        if self.asked is not None:
            if tally.sums is None:
                tally.sums = np.zeros(self.asked.dim, np.int64)
            worker.delta(self.asked.astuple(), rows, tally.sums)


class _Combine:
    """Adds up the sums of several partitions."""

    def __call__(self, batches: Any) -> Batches:
        total, number = _Tally(), None
        for batch in batches:
            for row in zip(*(column.to_pylist() for column in batch.columns)):
                if row[7]:
                    yield _answer(*row)
                    return
                number, tally = _Tally.parse(row)
                total.add(tally)
        if number is not None:
            yield total.batch(number)


class _Kept:
    """The prepared rows, and their totals when they were first read."""

    def __init__(self, frame: Any, columns: _Columns, settings: Facts, combine: int | None) -> None:
        self._frame, self._columns, self._settings = frame, columns, settings
        self._combine = combine
        self._key = os.urandom(32)
        self._facts: dict[int, tuple[int, int, int, int, int]] = {}

    def _answers(self, frame: Any, what: str) -> Iterator[tuple[int, _Tally]]:
        for row in _job(frame, what):
            yield _Tally.parse(tuple(row))

    def audit(self, n_rows: int, per_pass: int, whole: bool) -> None:
        """Computes and stores the rows; every place must occur once. Those of persons may be in
        any round; `whole`: all of them are used."""
        work = _Work(self._columns, self._settings, self._key)
        tallies: dict[int, _Tally] = {}
        for number, tally in self._answers(self._frame.mapInArrow(work, _ANSWER), "prepare"):
            tallies.setdefault(number, _Tally()).add(tally)
        total = _Tally()
        for number in range(per_pass):
            first, end = (k * n_rows // per_pass for k in (number, number + 1))
            tally = tallies.pop(number, _Tally())
            facts = self._facts[number] = tally.facts()
            total.add(tally)
            if self._columns.unit is None and facts[:3] != _Tally.of_places(first, end):
                raise DataError(
                    f"the rows are not numbered 0 … {n_rows - 1}, each number once")
        assert not tallies
        if total.facts()[: 3 if whole else 1] != _Tally.of_places(0, n_rows)[: 3 if whole else 1]:
            raise DataError("the rows are not numbered from 0 on, each number once")

    def sum(self, asked: Round, number: int | None) -> ShardSum:
        """The sums of a round: of one batch, or of all of them (None)."""
        from pyspark.sql import functions as F

        work = _Work(self._columns, self._settings, self._key, asked)
        frame = self._frame if number is None else self._frame.where(F.col("round") == number)
        frame = frame.mapInArrow(work, _ANSWER)
        if self._combine is not None:
            by = F.pmod(F.hash("digest"), F.lit(int(self._combine)))
            frame = frame.repartition(int(self._combine), by).mapInArrow(_Combine(), _ANSWER)
        total = _Tally()
        for _, tally in self._answers(frame, f"round {asked.t} of {asked.rounds}"):
            total.add(tally)
        expected = _Tally()
        for batch, facts in self._facts.items():
            if number is None or batch == number:
                expected.add(_Tally(*facts))
        if total.facts() != expected.facts():
            raise DataError(
                f"round {asked.t}: the rows are not those that were prepared; the DataFrame gave "
                "other rows when Spark computed it again: write it to a table first")
        sums = np.zeros(asked.dim, np.int64) if total.sums is None else total.sums
        if self._columns.unit is not None:
            return ShardSum(asked.t, sums, 0, total.shares)
        return ShardSum(asked.t, sums, total.count)
