# SPDX-License-Identifier: MIT
"""Fits and predictions of frames beside the command line: frames.py TACIT [ROWS…].

300,000 and 3,000,000 rows of 8 numbers, 4 categories and a label. Python: the call, with the frame
in memory. Command line: the whole process, with the CSV file in the page cache. All use all
cores. The ways take turns five times; medians count. The pipeline of scikit-learn (no privacy)
scales numbers, encodes categories and fits a logistic regression.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas
import tacit

REPEATS = 5
WORDS = ["north", "east", "south", "west", "up", "down", "left", "right"]


def made(n_rows):
    rng = np.random.default_rng(1)
    table = {f"x{i}": np.round(rng.normal(size=n_rows), 6) for i in range(8)}
    places = [rng.integers(0, len(WORDS), n_rows) for _ in range(4)]
    score = table["x0"] - table["x1"] + (places[0] == 2) - (places[1] == 3) + rng.normal(size=n_rows)
    table.update({f"c{i}": np.array(WORDS, dtype=object)[places[i]] for i in range(4)})
    table["y"] = np.array(["no", "yes"], dtype=object)[(score > 0).astype(int)]
    columns = {f"x{i}": tacit.Numeric(-3, 3, curve="hats+line") for i in range(8)}
    columns.update({f"c{i}": tacit.Category(*WORDS) for i in range(4)})
    return pandas.DataFrame(table), tacit.Schema({**columns, "y": tacit.Classes("no", "yes")})


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def frames_of(frame):
    """The frame in every library that is installed."""
    frames = {"pandas": frame}
    try:
        import duckdb
        import polars
        import pyarrow
    except ImportError:
        return frames
    frames["pyarrow"] = pyarrow.Table.from_pandas(frame, preserve_index=False).combine_chunks()
    frames["polars"] = polars.from_arrow(frames["pyarrow"])
    base = duckdb.connect()
    base.execute("CREATE TABLE t AS SELECT * FROM frame")
    frames["duckdb"] = base.sql("SELECT * FROM t")
    return frames


def pipeline(frame):
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [f"x{i}" for i in range(8)]
    model = make_pipeline(
        make_column_transformer((StandardScaler(), numbers),
                                (OneHotEncoder(), [f"c{i}" for i in range(4)])),
        LogisticRegression())
    model.fit(frame, frame["y"])


def race(program, n_rows, folder):
    frame, schema = made(n_rows)
    path, schema_path = folder / "rows.csv", folder / "schema.json"
    frame.to_csv(path, index=False)
    schema_path.write_text(schema.to_json())
    words = [program, "train", path, "--schema", schema_path, "--epsilon", "1", "--seed", "1", "-q",
             "-o", folder / "model.json"]
    estimator = tacit.TableClassifier(schema, 1.0, random_state=1)
    ways = {"tacit train": lambda: subprocess.run(words, check=True, stderr=subprocess.DEVNULL)}
    for name, table in frames_of(frame).items():
        ways[f"fit {name}"] = lambda table=table: estimator.fit(table)
        ways[f"predict {name}"] = lambda table=table: estimator.predict(table)
    ways["scikit-learn fit"] = lambda: pipeline(frame)
    times = {name: [] for name in ways}
    for name in ways:
        ways[name]()  # imports, and the file comes into the page cache
    for _ in range(REPEATS):
        for name, work in ways.items():
            times[name].append(seconds(work))
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{n_rows:,} rows")
    for name, median in medians.items():
        print(f"  {name:18s} {median:7.3f} s  {median / medians['tacit train']:5.2f} of tacit train"
              f"  (from {min(times[name]):.3f} to {max(times[name]):.3f})", flush=True)


def main():
    rows = [int(word) for word in sys.argv[2:]] or [300_000, 3_000_000]
    with tempfile.TemporaryDirectory() as folder:
        for n_rows in rows:
            race(sys.argv[1], n_rows, pathlib.Path(folder))


if __name__ == "__main__":
    main()
