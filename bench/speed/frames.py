# SPDX-License-Identifier: MIT
"""Fits and predictions of frames beside the command line: frames.py TACIT [ROWS…].

300,000 and 3,000,000 rows of 8 numbers, 4 categories and a label. Python: the call, with the frame
in memory. Command line: the whole process, with the CSV file in the page cache. All use all
cores. The ways take turns five times; medians count. The pipeline of scikit-learn (no privacy)
scales numbers, encodes categories and fits a logistic regression. Beside the seconds stand those of
the processors, user and system together, which say more on a machine that others use.

Memory is that of a process of its own: the anonymous memory (RssAnon, read every 2 ms) at its
highest, less what the process with the frame had before the fit. The command line maps its file,
whose pages are not counted.
"""
import pathlib
import resource
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


def spent(work):
    """(seconds, seconds of processors) of a call and of the processes that it waits for."""
    def processors():
        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in both)

    start, before = time.perf_counter(), processors()
    work()
    return time.perf_counter() - start, processors() - before


def frame_of(name, frame):
    """The frame in another library."""
    if name == "pandas":
        return frame
    if name == "duckdb":
        import duckdb

        base = duckdb.connect()
        base.execute("CREATE TABLE t AS SELECT * FROM frame")
        return base.sql("SELECT * FROM t")
    import pyarrow

    table = pyarrow.Table.from_pandas(frame, preserve_index=False).combine_chunks()
    if name == "pyarrow":
        return table
    import polars

    return polars.from_arrow(table)


def libraries():
    try:
        import duckdb  # noqa: F401
        import polars  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        return ["pandas"]
    return ["pandas", "pyarrow", "polars", "duckdb"]


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


def anonymous(pid):
    """The anonymous memory of a process in KiB, 0 if it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)


def highest(child, words=None):
    """The highest anonymous memory of a process until it ends, in MiB, less what it had at first."""
    first = anonymous(child.pid) if words else 0
    if words:
        child.stdin.write(words)
        child.stdin.flush()
    most = first
    while child.poll() is None:
        most = max(most, anonymous(child.pid))
        time.sleep(0.002)
    return (most - first) / 1024


def fit_when_told(name, n_rows):
    """The process whose memory is measured."""
    frame, schema = made(n_rows)
    table = frame_of(name, frame)
    if name != "pandas":
        del frame
    estimator = tacit.TableClassifier(schema, 1.0, random_state=1)
    estimator.fit(table.limit(1000) if name == "duckdb" else table[:1000])  # imports
    print("ready", flush=True)
    sys.stdin.readline()
    estimator.fit(table)


def memories(words, n_rows):
    result = {"tacit train": highest(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))}
    for name in libraries():
        child = subprocess.Popen([sys.executable, __file__, "--memory", name, str(n_rows)], text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.readline()
        result[f"fit {name}"] = highest(child, "go\n")
    return result


def race(program, n_rows, folder):
    frame, schema = made(n_rows)
    path, schema_path = folder / "rows.csv", folder / "schema.json"
    frame.to_csv(path, index=False)
    schema_path.write_text(schema.to_json())
    words = [program, "train", path, "--schema", schema_path, "--epsilon", "1", "--seed", "1", "-q",
             "-o", folder / "model.json"]
    estimator = tacit.TableClassifier(schema, 1.0, random_state=1)
    ways = {"tacit train": lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)}
    for name in libraries():
        table = frame_of(name, frame)
        ways[f"fit {name}"] = lambda table=table: estimator.fit(table)
        ways[f"predict {name}"] = lambda table=table: estimator.predict(table)
    ways["scikit-learn fit"] = lambda: pipeline(frame)
    times = {name: [] for name in ways}
    for name in ways:
        ways[name]()  # imports, and the file comes into the page cache
    for _ in range(REPEATS):
        for name, work in ways.items():
            times[name].append(spent(work))
    memory = memories(words, n_rows)
    print(f"{n_rows:,} rows\n  {'':18s} seconds  of train  processors  of train       MiB")
    first = None
    for name, pairs in times.items():
        clock, processors = (statistics.median(column) for column in zip(*pairs))
        first = first or (clock, processors)
        mib = f"{memory[name]:9.0f}" if name in memory else ""
        print(f"  {name:18s} {clock:7.3f}  {clock / first[0]:8.2f}  {processors:10.3f}"
              f"  {processors / first[1]:8.2f} {mib}", flush=True)


def main():
    if sys.argv[1] == "--memory":
        fit_when_told(sys.argv[2], int(sys.argv[3]))
        return
    rows = [int(word) for word in sys.argv[2:]] or [300_000, 3_000_000]
    with tempfile.TemporaryDirectory() as folder:
        for n_rows in rows:
            race(sys.argv[1], n_rows, pathlib.Path(folder))


if __name__ == "__main__":
    main()
