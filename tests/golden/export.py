#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export.py PROGRAM ROWS CC: models with every kind of column, exported to SQL, C and ONNX, score
rows as `tacit predict` does: in SQLite, PostgreSQL, DuckDB, a compiled program and onnxruntime,
rows with missing cells, unknown categories, numbers out of range and numbers at the edges of
steps among them. Prints TAP. What this Python has no package of is left out."""
import csv
import datetime
import json
import os
import random
import shlex
import sqlite3
import subprocess
import sys
import tempfile

try:
    import duckdb
except ImportError:
    duckdb = None
try:
    import numpy as np
    import onnxruntime
except ImportError:
    onnxruntime = None

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "ledger"))
from server import Server  # noqa: E402

program, rows_wanted, *compiler = sys.argv[1:]
count = 0
ROWS = int(rows_wanted)
CATEGORIES = ["a", "b", "it's", 'qu"ote']
LEVELS = ["low", "mid", "high"]
KEYS = ["line", "unit", "steps", "hats", "tail", "bent", "edges", "powers", "kind", "flag", "level", "day"]
NUMBERS = 8  # of these are numbers


def report(ok, name, note=""):
    global count
    count += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {name}")
    for line in str(note).splitlines()[:12] if not ok else []:
        print("# " + line)
    sys.stdout.flush()


def columns():
    return [
        {"name": "line", "type": "numeric", "min": -2, "max": 5},
        {"name": "unit", "type": "numeric", "min": 0, "max": 4, "map": [0, 1], "missing": 3},
        {"name": "steps", "type": "numeric", "min": 0, "max": 10, "curve": 5, "missing": "own"},
        {"name": "hats", "type": "numeric", "min": 0, "max": 10, "missing": 4.5,
         "curve": {"knots": 4, "kind": "linear", "line": True}},
        {"name": "tail", "type": "numeric", "min": 0, "max": 1000, "map": "log1p", "curve": {"knots": 5}},
        {"name": "bent", "type": "numeric", "min": 0, "max": 1000, "map": "sqrt", "missing": "own",
         "curve": {"knots": 3, "line": True}},
        {"name": "edges", "type": "numeric", "min": 1, "max": 100, "map": "log", "edges": [2, 10, 40]},
        {"name": "powers", "type": "numeric", "min": 1, "max": 1024, "map": "log", "curve": 10},
        {"name": "kind", "type": "category", "values": CATEGORIES},
        {"name": "flag", "type": "bool", "missing": "own"},
        {"name": "level", "type": "ordinal", "values": LEVELS, "missing": "mid"},
        {"name": "day", "type": "date", "format": "%Y-%m-%d", "min": "2020-02-15", "max": "2022-11-30",
         "parts": ["year", "month", "weekday", "yearday", "days"], "missing": "own",
         "curve": {"knots": 4, "line": True}},
    ]


def make_row(draw):
    def number(low, high, digits=3):
        return round(draw.uniform(low, high), digits)

    day = f"{draw.randint(2019, 2023)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    row = {"line": number(-4, 7), "unit": number(-1, 5), "steps": draw.choice([number(-2, 12), 2, 4, 10, 0]),
           "hats": draw.choice([number(-2, 12), 0, 10]), "tail": number(-5, 1500),
           "bent": draw.choice([number(-5, 1500), 0, 250, 1000]),
           "edges": draw.choice([number(-3, 140), 1, 2, 10, 40, 100]),
           "powers": draw.choice([number(0, 1100), 2.0 ** draw.randint(-1, 11)]),
           "kind": draw.choice(CATEGORIES + ["unknown", "NA"]), "flag": draw.choice(["true", "false"]),
           "level": draw.choice(LEVELS), "day": day}
    for key in ("unit", "steps", "hats", "bent", "flag", "level", "day", "kind"):
        if draw.random() < 0.08:
            row[key] = None
    return row


# Missing where it may be, unknown, and out of range everywhere else; then at the other end.
HARD = [{"line": -1e9, "unit": None, "steps": None, "hats": None, "tail": -7.0, "bent": None, "edges": -1e300,
         "powers": 0, "kind": "unknown", "flag": None, "level": None, "day": None},
        {"line": 1e9, "unit": 1e300, "steps": 99, "hats": -99, "tail": 1e9, "bent": 1e9, "edges": 1e9,
         "powers": 1e300, "kind": None, "flag": "true", "level": "high", "day": "2099-12-31"}]


# Rows that predict refuses: missing where it may not be, and an unknown ordered value.
REFUSED = [dict(HARD[1], line=None), dict(HARD[1], powers=None), dict(HARD[1], level="unheard")]


def schema_of(label, crosses):
    return {"tacit_schema": 2, "na": ["NA"], "label": label, "columns": columns(), "crosses": crosses}


def tacit(*words):
    result = subprocess.run([program, *words], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(" ".join(words) + "\n" + result.stderr)
    return result.stdout


def prepare(folder, name, label, labels, options, crosses):
    """A trained model, its rows and what predict says of them, a list of scores per row."""
    draw = random.Random(name)
    rows = HARD + [make_row(draw) for _ in range(ROWS - len(HARD))]
    base = os.path.join(folder, name)
    with open(base + ".json", "w") as file:
        json.dump(schema_of(label, crosses), file)
    with open(base + ".csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(KEYS + ["label"])
        for row in rows:
            writer.writerow([("NA" if key != "kind" else "") if row[key] is None else row[key] for key in KEYS]
                            + [labels(row, draw)])
    tacit("train", "--epsilon", "8", "--seed", "1", "--quiet", "--schema", base + ".json",
          "-o", base + ".model", *options, base + ".csv")
    words = ["--scores"] if "classes" in label else []
    out = list(csv.reader(tacit("predict", base + ".model", base + ".csv", *words).splitlines()))
    scores = [[float(x) for x in (line[1:] if words else line)] for line in out[1:]]
    return base, rows, scores


def close(found, expected):
    worst, at = 0.0, None
    for i, (a, b) in enumerate(zip(found, expected)):
        for x, y in zip(a, b):
            gap = float("inf") if x is None else abs(x - y)
            if not gap <= worst:
                worst, at = gap, i
    return len(found) == len(expected) and worst <= 1e-6, f"{len(found)} rows, worst {worst} in row {at}"


def select(formula, outputs, table):
    if outputs == 1:
        return f"SELECT {formula} FROM {table} ORDER BY nr"
    return f"{formula} ORDER BY nr"


def in_sqlite(base, rows, outputs):
    connection = sqlite3.connect(":memory:")
    types = ["REAL"] * NUMBERS + ["TEXT", "INTEGER", "TEXT", "TEXT"]
    fields = ", ".join(f'"{k}" {t}' for k, t in zip(KEYS, types))
    connection.execute(f"CREATE TABLE rows (nr INTEGER, {fields})")
    for nr, row in enumerate(rows):
        cells = [row[k] if k != "flag" or row[k] is None else int(row[k] == "true") for k in KEYS]
        connection.execute("INSERT INTO rows VALUES (" + ",".join("?" * (1 + len(KEYS))) + ")", [nr, *cells])
    formula = tacit("export", base + ".model", "--sql", "--dialect", "sqlite")
    found = connection.execute(select(formula, outputs, "rows")).fetchall()
    return [row[-outputs:] for row in found]


def in_duckdb(base, rows, outputs):
    connection = duckdb.connect()
    connection.execute(TYPED_TABLE)
    path = base + ".typed"
    write_typed(path, rows)
    connection.execute(f"INSERT INTO rows SELECT * FROM read_csv('{path}', header=false, nullstr='\\N', "
                       "columns={" + ", ".join(f"'{n}': '{t}'" for n, t in TYPED) + "})")
    formula = tacit("export", base + ".model", "--sql", "--dialect", "duckdb")
    return [row[-outputs:] for row in connection.execute(select(formula, outputs, "rows")).fetchall()]


TYPED = [("nr", "INTEGER")] + [(k, "DOUBLE PRECISION") for k in KEYS[:NUMBERS]] + [
    ("kind", "VARCHAR"), ("flag", "BOOLEAN"), ("level", "VARCHAR"), ("day", "DATE")]
TYPED_TABLE = "CREATE TABLE rows (" + ", ".join(f'"{n}" {t}' for n, t in TYPED) + ")"


def write_typed(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        for nr, row in enumerate(rows):
            writer.writerow([nr] + ["\\N" if row[k] is None else row[k] for k in KEYS])


def in_postgresql(server, base, rows, outputs):
    psql = [server.bin + "/psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-F", ",", server.address()]
    path = base + ".typed"
    write_typed(path, rows)
    formula = tacit("export", base + ".model", "--sql", "--dialect", "postgresql")
    # Compiling so long an expression takes PostgreSQL far longer than running it.
    script = ("SET jit = off;\nDROP TABLE IF EXISTS rows;\n" + TYPED_TABLE + ";\n"
              f"\\copy rows FROM '{path}' WITH (FORMAT csv, NULL '\\N')\n"
              + select(formula.strip(), outputs, "rows") + ";\n")
    result = subprocess.run(psql, input=script, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr[:500])
    out = []
    for line in csv.reader(result.stdout.splitlines()):
        out.append([float(x) if x else None for x in line[-outputs:]])
    return out


MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  struct tacit_row row;
  char text[2][64];
  static double scores[16];
  while (scanf("%lf %lf %lf %lf %lf %lf %lf %lf %63s %lf %63s %lf", &row.c1_line, &row.c2_unit,
               &row.c3_steps, &row.c4_hats, &row.c5_tail, &row.c6_bent, &row.c7_edges,
               &row.c8_powers, text[0], &row.c10_flag, text[1], &row.c12_day) == 12) {
    row.c9_kind = strcmp(text[0], "-") == 0 ? NULL : text[0];
    row.c11_level = strcmp(text[1], "-") == 0 ? NULL : text[1];
    tacit_scores(&row, scores);
    for (int k = 0; k < OUTPUTS; ++k)
      printf("%.17g ", scores[k]);
    printf("\n");
  }
  return 0;
}
"""


def days_of(day):
    return (datetime.date.fromisoformat(day) - datetime.date(1970, 1, 1)).days


def run_c(base, main_text, outputs, lines):
    """Compiles the exported file with a main function, and runs it on lines of input."""
    tacit("export", base + ".model", "--c", "-o", base + ".score.c")
    with open(base + ".c", "w") as file:
        file.write(f'#include "{os.path.basename(base)}.score.c"\n#define OUTPUTS {outputs}\n' + main_text)
    flags = "-std=c11 -O0 -Wall -Wextra -Wpedantic -Werror".split()
    build = subprocess.run([*shlex.split(" ".join(compiler)), *flags, base + ".c", "-o", base + ".exe", "-lm"],
                           capture_output=True, text=True)
    if build.returncode != 0:
        raise RuntimeError(build.stderr[:1500])
    result = subprocess.run([base + ".exe"], input="\n".join(lines), capture_output=True, text=True)
    return [[float(x) for x in line.split()] for line in result.stdout.splitlines()]


def in_c(base, rows, outputs):
    lines = []
    for row in rows:
        cells = []
        for key in KEYS:
            value = row[key]
            if key in ("kind", "level"):
                cells.append("-" if value is None else value)
            elif value is None:
                cells.append("nan")
            elif key == "flag":
                cells.append(str(int(value == "true")))
            elif key == "day":
                cells.append(str(days_of(value)))
            else:
                cells.append(repr(value))
        lines.append(" ".join(cells))
    return run_c(base, MAIN, outputs, lines)


def in_onnxruntime(base, rows, outputs):
    tacit("export", base + ".model", "--onnx", "-o", base + ".onnx")
    numbers = {"flag": lambda flag: flag == "true", "day": days_of}
    columns = {}
    for key in KEYS:
        values = [row[key] for row in rows]
        if key in ("kind", "level"):
            columns[key] = np.array([["" if v is None else v] for v in values], dtype=object)
        else:
            to_number = numbers.get(key, float)
            columns[key] = np.array([[np.nan if v is None else to_number(v)] for v in values], dtype=np.float64)
    found, = onnxruntime.InferenceSession(base + ".onnx").run(["scores"], columns)
    assert found.dtype == np.float64 and found.shape == (len(rows), outputs)
    return found.tolist()


def two_classes(row, draw):
    up = (row["line"] > 1) + (row["kind"] == "a") + draw.random()
    return "yes" if up > 1 else "no"


def three_classes(row, draw):
    return "abca"[CATEGORIES.index(row["kind"])] if row["kind"] in CATEGORIES else draw.choice("abc")


CASES = [
    ("two", {"column": "label", "classes": ["no", "yes"]}, two_classes, [],
     [["kind", "hats"], ["flag", "level", "steps"]], 1),
    ("long", {"column": "label", "classes": ["no", "yes"]}, two_classes,
     ["--row-norm", "1.5", "--preset", "anytime"], [["kind", "hats", "bent"]], 1),
    ("three", {"column": "label", "classes": ["a", "b", "c"]}, three_classes, [], [], 3),
    ("each", {"column": "label", "classes": ["a", "b", "c"]}, three_classes, ["--loss", "hinge"], [], 3),
    ("rest", {"column": "label", "classes": ["a", "b", "c"]}, three_classes, ["--loss", "logistic"], [["kind", "flag"]], 3),
    ("number", {"column": "label", "min": 0, "max": 20},
     lambda row, draw: round(5 + max(-2, min(row["line"], 5)) + draw.random(), 3), [], [], 1),
    ("counts", {"column": "label", "min": 0, "max": 9}, lambda row, draw: draw.randint(0, 5),
     ["--loss", "poisson"], [], 1),
]


def places(server, reason):
    """Where models are scored: (name, function, why it is left out or None)."""
    return [("C", in_c, None), ("SQLite", in_sqlite, None),
            ("PostgreSQL", lambda *words: in_postgresql(server, *words), reason),
            ("DuckDB", in_duckdb, None if duckdb else "duckdb is not installed"),
            ("ONNX", in_onnxruntime, None if onnxruntime else "onnxruntime is not installed")]


def main():
    with tempfile.TemporaryDirectory(prefix="tacit-export-") as folder, \
         tempfile.TemporaryDirectory(prefix="tacit-pg-") as place:
        os.chmod(folder, 0o755)
        server = reason = None
        try:
            server = Server(place)
        except (FileNotFoundError, KeyError) as missing:
            reason = missing
        try:
            for name, label, labels, options, crosses, outputs in CASES:
                base, rows, scores = prepare(folder, name, label, labels, options, crosses)
                for where, run, why_not in places(server, reason):
                    if why_not is None:
                        report(*named(f"{name}: {where}", lambda: run(base, rows, outputs), scores))
                    else:
                        report(True, f"{name}: {where} # SKIP {why_not}")
                    if why_not is None and name == "two":
                        report(*refused(f"{name}: {where} has no score for refused rows",
                                        lambda: run(base, REFUSED, outputs)))
            arrays(folder)
        finally:
            if server is not None:
                server.stop()
    print(f"1..{count}")


ARRAY_MAIN = r"""
#include <stdio.h>
int main(void) {
  double row[3], scores[3];
  while (scanf("%lf %lf %lf", row, row + 1, row + 2) == 3) {
    tacit_scores(row, scores);
    for (int k = 0; k < OUTPUTS; ++k)
      printf("%.17g ", scores[k]);
    printf("\n");
  }
  return 0;
}
"""


def arrays(folder):
    """Models of rows without names: C and ONNX take an array."""
    draw = random.Random("arrays")
    rows = [[round(draw.gauss(0, 1), 3) for _ in range(3)] for _ in range(ROWS)]
    cases = [("libsvm", [int(row[0] > 0) for row in rows], [], 1),
             ("libsvm-classes", [draw.randint(0, 2) for _ in rows], ["--classes", "3"], 3),
             ("libsvm-scaled", [int(row[0] > 0) for row in rows], ["--preset", "anytime", "--row-norm", "0.8"], 1)]
    for name, labels, options, outputs in cases:
        base = os.path.join(folder, name)
        with open(base + ".svm", "w") as file:
            for row, label in zip(rows, labels):
                file.write(f"{label} " + " ".join(f"{i + 1}:{x}" for i, x in enumerate(row)) + "\n")
        tacit("train", "--epsilon", "8", "--seed", "1", "--quiet", "--features", "3", "-o", base + ".model",
              *options, base + ".svm")
        out = list(csv.reader(tacit("predict", base + ".model", base + ".svm", "--scores").splitlines()))
        scores = [[float(x) for x in line[1:]] for line in out[1:]]
        report(*named(f"{name}: C", lambda: array_in_c(base, rows, outputs), scores))
        if onnxruntime:
            report(*named(f"{name}: ONNX", lambda: array_in_onnxruntime(base, rows), scores))
        else:
            report(True, f"{name}: ONNX # SKIP onnxruntime is not installed")


def array_in_c(base, rows, outputs):
    return run_c(base, ARRAY_MAIN, outputs, [" ".join(map(repr, row)) for row in rows])


def array_in_onnxruntime(base, rows):
    tacit("export", base + ".model", "--onnx", "-o", base + ".onnx")
    return onnxruntime.InferenceSession(base + ".onnx").run(None, {"x": np.array(rows)})[0].tolist()


def refused(name, run):
    try:
        found = run()
        ok = len(found) == len(REFUSED) and all(x is None or x != x for row in found for x in row)
        return ok, name, found
    except Exception as error:
        return False, name, error


def named(name, run, scores):
    try:
        ok, note = close(run(), scores)
    except Exception as error:  # a failure of any kind is a failure of this case
        ok, note = False, error
    return ok, name, note


main()
