#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export.py PROGRAM SCHEMAS PLACES CC...: models of random schemas (export_schemas.py) and of rows
without names, exported to C, SQL and ONNX, score rows as `tacit predict` does, to 1e-12 of the
score. SCHEMAS is how many schemas, or the number of a single one as "=17". PLACES is a list of C,
SQLite, SQL (the standard, in SQLite), PostgreSQL, DuckDB and ONNX, with commas; one that cannot be
had is a failure, but for a PostgreSQL that is not installed. Prints TAP."""
import csv
import json
import math
import os
import random
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from concurrent import futures

from export_schemas import WANTED, Case, days_of

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "ledger"))
from server import Server  # noqa: E402

program, schemas, places, *compiler = sys.argv[1:]
TOLERANCE = 1e-12
C_BATCH = 20  # models in one compiled program
count = failed = 0


def report(ok, name, note=""):
    global count, failed
    count += 1
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {count} - {name}")
    for line in str(note).splitlines()[:12] if not ok else []:
        print("# " + line)
    sys.stdout.flush()


def tacit(*words):
    result = subprocess.run([program, *words], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(" ".join(words) + "\n" + result.stderr)
    return result.stdout


def read_scores(text, outputs):
    return [[float(x) for x in line[-outputs:]] for line in list(csv.reader(text.splitlines()))[1:]]


def prepare(folder, case):
    """Trains the model of a case. Its scores are what predict says, and none for refused rows."""
    case.base = os.path.join(folder, str(case.number))
    with open(case.base + ".json", "w") as file:
        json.dump(case.json(), file)
    with open(case.base + ".csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(case.table())
    tacit("train", "--epsilon", "8", "--seed", "1", "--quiet", "--threads", "1", "--schema", case.base + ".json",
          "-o", case.base + ".model", *case.options, case.base + ".csv")
    words = ["--scores"] if case.classes else []
    scores = read_scores(tacit("predict", case.base + ".model", case.base + ".csv", *words), case.outputs)
    assert len(scores) == len(case.rows)
    case.scores = scores + [[math.nan] * case.outputs for _ in case.refused]
    case.rows += case.refused


def gap(found, expected):
    """The difference of two scores, relative if they are large; that of two missing ones is 0."""
    if found is None or math.isnan(found) or math.isnan(expected):
        return 0 if (found is None or math.isnan(found)) and math.isnan(expected) else math.inf
    return abs(found - expected) / max(1, abs(expected))


def compare(case, found):
    """None, or where a model scores a row in another way than predict."""
    if len(found) != len(case.scores):
        return f"schema {case.number}: {len(found)} rows of {len(case.scores)}"
    others = {type(x).__name__ for row in found for x in row} - {"float", "NoneType"}
    if others:
        return f"schema {case.number}: scores are {others}, not doubles"
    for row, a, b in zip(case.rows, found, case.scores):
        if max(map(gap, a, b)) > TOLERANCE:
            return (f"schema {case.number}: {list(a)}, predict has {b}, options {case.options}\n"
                    f"row {row}\n{json.dumps(case.json())}")
    return None


# ---- where models are scored: each takes cases and gives (case, scores) -----------------


def select(case, formula):
    if case.outputs == 1:
        return f"SELECT {formula} FROM rows ORDER BY nr"
    return f"{formula} ORDER BY nr"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def create(case, types):
    fields = "".join(f", {quoted(column.name)} {types[column.type]}" for column in case.columns)
    return f"CREATE TABLE rows (nr INTEGER{fields})"


def cells_of(case, days=lambda day: day, truth=lambda flag: flag):
    """The rows as a table of a database has them."""
    change = {"date": days, "bool": truth}
    for nr, row in enumerate(case.rows):
        yield [nr] + [row[c.name] if row[c.name] is None else change.get(c.type, lambda x: x)(row[c.name])
                      for c in case.columns]


TYPES = {"numeric": "DOUBLE PRECISION", "category": "VARCHAR", "ordinal": "VARCHAR", "bool": "BOOLEAN", "date": "DATE"}


def insert(connection, rows):
    rows = list(rows)
    marks = ", ".join("(" + ",".join("?" * len(row)) + ")" for row in rows)
    connection.execute(f"INSERT INTO rows VALUES {marks}", [cell for row in rows for cell in row])


def each(cases, score):
    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from zip(cases, pool.map(score, cases))


def in_sqlite(cases, dialect="sqlite"):
    def score(case):
        connection = sqlite3.connect(":memory:")
        connection.execute(create(case, dict(numeric="REAL", category="TEXT", ordinal="TEXT", bool="INTEGER", date="TEXT")))
        insert(connection, cells_of(case, str, int))
        formula = tacit("export", case.base + ".model", "--sql", "--dialect", dialect, "--table", "rows")
        return [row[-case.outputs:] for row in connection.execute(select(case, formula))]

    return each(cases, score)


def in_standard_sql(cases):
    return in_sqlite([case for case in cases if all(c.type != "date" for c in case.columns)], "standard")


def in_duckdb(cases):
    import duckdb

    def score(case):
        connection = duckdb.connect()
        connection.execute(create(case, TYPES))
        insert(connection, cells_of(case))
        formula = tacit("export", case.base + ".model", "--sql", "--dialect", "duckdb", "--table", "rows")
        return [row[-case.outputs:] for row in connection.execute(select(case, formula)).fetchall()]

    return each(cases, score)


class LeftOut(Exception):
    pass


def in_postgresql(cases):
    # Some of them: its planner takes long for such expressions. Its exp() refuses large numbers.
    cases = [case for case in cases if case.number % 20 == 0 or case.is_large]
    with tempfile.TemporaryDirectory(prefix="tacit-pg-") as place:
        try:
            server = Server(place)
        except (FileNotFoundError, KeyError) as missing:
            raise LeftOut(missing) from missing
        try:
            for case in cases:
                yield case, run_psql(server, case)
        finally:
            server.stop()


def run_psql(server, case):
    path = case.base + ".typed"
    with open(path, "w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_MINIMAL).writerows(
            ["\\N" if cell is None else cell for cell in row] for row in cells_of(case))
    formula = tacit("export", case.base + ".model", "--sql", "--dialect", "postgresql", "--table", "rows")
    # Compiling so long an expression takes PostgreSQL far longer than running it.
    query = select(case, formula.strip())
    script = ("\\pset null NULL\nSET jit = off;\nDROP TABLE IF EXISTS rows;\n" + create(case, TYPES) + ";\n"
              f"\\copy rows FROM '{path}' WITH (FORMAT csv, NULL '\\N')\n{query};\n{query} \\gdesc\n")
    psql = [server.bin + "/psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-F", ",", server.address()]
    result = subprocess.run(psql, input=script, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"schema {case.number}: {result.stderr[:500]}")
    lines = list(csv.reader(result.stdout.splitlines()))
    if {line[-1] for line in lines[-case.outputs:]} != {"double precision"}:
        raise RuntimeError(f"schema {case.number}: {lines[-case.outputs:]}")
    return [[None if x == "NULL" else float(x) for x in line[-case.outputs:]] for line in lines[:len(case.rows)]]


def compile_and_run(base, text):
    with open(base + ".c", "w") as file:
        file.write(text)
    flags = "-std=c11 -O0 -Wall -Wextra -Wpedantic -Werror".split()
    build = subprocess.run([*shlex.split(" ".join(compiler)), *flags, base + ".c", "-o", base + ".exe", "-lm"],
                           capture_output=True, text=True)
    if build.returncode != 0:
        raise RuntimeError(build.stderr[:1500])
    lines = subprocess.run([base + ".exe"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [[float(x) for x in line.split()] for line in lines]


# All models are one program, so names of the exported files become names of their models.
C_NAMES = ["tacit_row", "tacit_scores", "is_text", "is_missing", "date_part"]


def c_cell(column, value):
    if column.type in ("category", "ordinal"):
        return "NULL" if value is None else '"' + "".join(f"\\{byte:03o}" for byte in value.encode()) + '"'
    if value is None:
        return "NAN"
    return str(days_of(value)) if column.type == "date" else float(value).hex()


def c_model(case):
    """The exported file of a case, and a function that prints the scores of its rows."""
    n = case.number
    tacit("export", case.base + ".model", "--c", "-o", case.base + ".score.c")
    yield from (f"#define {name} {name}_{n}" for name in C_NAMES)
    yield f'#include "{case.base}.score.c"'
    yield f"static const struct tacit_row rows_{n}[] = {{"
    places = [c["name"] for c in case.json()["columns"]]
    names = ["c" + str(1 + places.index(column.name)) + "_" + re.sub("[^A-Za-z0-9]", "_", column.name.encode().decode("latin-1"))
             for column in case.columns]
    for row in case.rows:
        yield "{" + ", ".join(f".{name} = {c_cell(c, row[c.name])}" for name, c in zip(names, case.columns)) + "},"
    yield (f"}};\nstatic void run_{n}(void) {{\n  double scores[{case.outputs}];\n"
           f"  for (size_t i = 0; i < {len(case.rows)}; ++i) {{\n    tacit_scores(&rows_{n}[i], scores);\n"
           f"    for (int k = 0; k < {case.outputs}; ++k)\n      printf(\"%.17g \", scores[k]);\n    printf(\"\\n\");\n  }}\n}}")
    yield from (f"#undef {name}" for name in C_NAMES)


def in_c(cases):
    def run(batch):
        lines = ["#include <stdio.h>"]
        for case in batch:
            lines += c_model(case)
        lines.append("int main(void) {" + " ".join(f"run_{case.number}();" for case in batch) + " return 0; }")
        rows = iter(compile_and_run(batch[0].base + "-main", "\n".join(lines) + "\n"))
        return [(case, [next(rows) for _ in case.rows]) for case in batch]

    batches = [cases[i:i + C_BATCH] for i in range(0, len(cases), C_BATCH)]
    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(run, batches):
            yield from found


def run_onnx(model, inputs):
    import numpy as np
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    found, = onnxruntime.InferenceSession(model, options).run(["scores"], inputs)
    assert found.dtype == np.float64
    return found.tolist()


def in_onnxruntime(cases):
    import numpy as np

    def score(case):
        tacit("export", case.base + ".model", "--onnx", "-o", case.base + ".onnx")
        inputs = {}
        for column in case.columns:
            values = [row[column.name] for row in case.rows]
            if column.type in ("category", "ordinal"):
                inputs[column.name] = np.array([["" if v is None else v] for v in values], dtype=object)
            else:
                to_number = days_of if column.type == "date" else float
                inputs[column.name] = np.array([[np.nan if v is None else to_number(v)] for v in values], dtype=np.float64)
        return run_onnx(case.base + ".onnx", inputs)

    return each(cases, score)


# ---- rows without names ---------------------------------------------------------------


def arrays(folder):
    """Models of LIBSVM files: C and ONNX take an array."""
    draw = random.Random("arrays")
    rows = [[round(draw.gauss(0, 1), 3) for _ in range(3)] for _ in range(300)]
    cases = [("two", [int(row[0] > 0) for row in rows], [], 1),
             ("classes", [draw.randint(0, 2) for _ in rows], ["--classes", "3"], 3),
             ("scaled", [int(row[0] > 0) for row in rows], ["--preset", "anytime", "--row-norm", "0.8"], 1),
             ("same scale", [int(row[0] > 0) for row in rows], ["--scale", "same"], 1),
             ("numbers", [row[0] for row in rows], ["--labels", "-1,1"], 1)]
    for name, labels, options, outputs in cases:
        base = os.path.join(folder, name)
        with open(base + ".svm", "w") as file:
            for row, label in zip(rows, labels):
                file.write(f"{label} " + " ".join(f"{i + 1}:{x}" for i, x in enumerate(row)) + "\n")
        tacit("train", "--epsilon", "8", "--seed", "1", "--quiet", "--features", "3", "-o", base + ".model",
              *options, base + ".svm")
        words = [] if "--labels" in options else ["--scores"]
        scores = read_scores(tacit("predict", base + ".model", base + ".svm", *words), outputs)
        for place, score in [("C", array_in_c), ("ONNX", array_in_onnxruntime)]:
            if place in places.split(","):
                report(*array_named(f"array, {name}: {place}", lambda score=score: score(base, rows, outputs), scores))


def array_named(name, score, expected):
    try:
        found = score()
        worst = max(max(map(gap, a, b)) for a, b in zip(found, expected, strict=True))
        return worst <= TOLERANCE, name, f"worst {worst}"
    except Exception as error:  # a failure of any kind is a failure of this case
        return False, name, error


def array_in_c(base, rows, outputs):
    tacit("export", base + ".model", "--c", "-o", base + ".score.c")
    cells = ", ".join(", ".join(map(repr, row)) for row in rows)
    return compile_and_run(base + "-main", f"""
#include <stdio.h>
#include "{base}.score.c"
static const double rows[] = {{{cells}}};
int main(void) {{
  double scores[{outputs}];
  for (size_t i = 0; i < {len(rows)}; ++i) {{
    tacit_scores(rows + 3 * i, scores);
    for (int k = 0; k < {outputs}; ++k)
      printf("%.17g ", scores[k]);
    printf("\\n");
  }}
  return 0;
}}
""")


def array_in_onnxruntime(base, rows, _outputs):
    import numpy as np
    tacit("export", base + ".model", "--onnx", "-o", base + ".onnx")
    return run_onnx(base + ".onnx", {"x": np.array(rows)})


# ---------------------------------------------------------------------------------------

PLACES = {"C": in_c, "SQLite": in_sqlite, "SQL": in_standard_sql, "PostgreSQL": in_postgresql, "DuckDB": in_duckdb, "ONNX": in_onnxruntime}


def report_place(place, cases):
    faults, done = [], 0
    try:
        for case, found in PLACES[place](cases):
            done += 1
            faults += filter(None, [compare(case, found)])
    except LeftOut as missing:
        report(True, f"{place} # SKIP {missing}")
        return
    except Exception as error:  # a failure of any kind is a failure of this place
        faults.append(f"after {done} schemas: {type(error).__name__}: {error}")
    report(not faults, f"{done} models score in {place} as they do in predict",
           f"{len(faults)} do not; the first:\n" + "\n".join(faults))


def main():
    numbers = [int(schemas[1:])] if schemas.startswith("=") else range(int(schemas))
    with tempfile.TemporaryDirectory(prefix="tacit-export-") as folder:
        os.chmod(folder, 0o755)
        cases = [Case(number) for number in numbers]
        missing = WANTED.difference(*(case.seen() for case in cases))
        if len(cases) > 1:
            report(not missing, "every kind of column occurs with every rule, position and label, and in crosses",
                   sorted(missing))
        with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda case: prepare(folder, case), cases))
        for place in places.split(","):
            report_place(place, cases)
        arrays(folder)
    print(f"1..{count}")
    sys.exit(failed > 0)


main()
