#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A private model of a patient registry on Spark, with one job per round.

registry.py [MODEL]: generates 200,000 patients as a DataFrame, learns with epsilon 1 who is
readmitted, and scores the DataFrame with the model on the executors.
"""
import os
import sys
import time

import numpy as np

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

import pyarrow as pa
import tacit
import tacit.spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

COLUMNS = ["age", "stay", "visits", "smoker"]


def registry(spark, rows=200_000):
    """Every column is a function of the patient's number, so Spark may recompute it."""
    def draw(seed):
        return (F.xxhash64(F.lit(seed), "id") / F.lit(2.0**64)) + F.lit(0.5)

    df = spark.range(rows, numPartitions=4).select(
        "id", (18 + 80 * draw(1)).alias("age"), (30 * draw(2) * draw(3)).alias("stay"),
        F.floor(10 * draw(4) * draw(5)).alias("visits"), (draw(6) < 0.3).alias("smoker"))
    risk = (F.col("age") / 40 + F.col("stay") / 10 + F.col("visits") / 3
            + F.col("smoker").cast("int") - 3.6)
    return df.withColumn("readmitted", F.when(draw(7) < 1 / (1 + F.exp(-2 * risk)), "yes")
                         .otherwise("no"))


def declared(df):
    """Clamps each column to public bounds, which are not learnt, and maps it to [-1, 1]."""
    bounds = {"age": (18, 98), "stay": (0, 30), "visits": (0, 10), "smoker": (0, 1)}
    columns = [F.greatest(F.lit(-1.0), F.least(F.lit(1.0),
               2 * (F.col(c).cast("double") - low) / (high - low) - 1)).alias(c)
               for c, (low, high) in bounds.items()]
    return df.select(*columns, "readmitted")


class Score:
    """Predictions of a model on the executors; the model is sent as text."""

    def __init__(self, path):
        self.path = path

    def __call__(self, batches):
        model = tacit.load_model(self.path)
        for batch in batches:
            X = np.column_stack([batch.column(c).to_numpy() for c in COLUMNS])
            scores = np.empty((len(X), 1))
            model.scores((X, None), scores)
            yield pa.RecordBatch.from_pydict({
                "score": scores[:, 0], "readmitted": batch.column("readmitted")})


def main(path="model.json"):
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    df = declared(registry(spark))
    start = time.perf_counter()
    model = tacit.spark.fit(df, features=COLUMNS, label="readmitted", classes=["no", "yes"],
                            epsilon=1.0, row_norm=2.0)
    print(f"trained in {time.perf_counter() - start:.1f} s")
    print(model.statement_text)
    model.save(path)
    scored = df.mapInArrow(Score(path), "score double, readmitted string")
    right = (F.col("score") > 0.5) == (F.col("readmitted") == "yes")
    accuracy = scored.agg(F.avg(right.cast("double"))).first()[0]
    print(f"accuracy {accuracy:.3f} (epsilon 1)")
    assert accuracy > 0.75
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
