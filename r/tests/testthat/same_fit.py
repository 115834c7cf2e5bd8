# SPDX-License-Identifier: MIT
"""same_fit.py FOLDER: the fit of test-fit.R in Python, from data.csv and schema.json to p.json."""
import csv
import pathlib
import sys

import tacit

folder = pathlib.Path(sys.argv[1])
with (folder / "data.csv").open(newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
kinds = {"age": int, "bmi": float, "smoker": lambda cell: cell == "TRUE"}
table = {name: [kinds.get(name, str)(row[name]) if row[name] else None for row in rows] for name in rows[0]}
schema = tacit.Schema.from_json((folder / "schema.json").read_text(encoding="utf-8"))
tacit.TableClassifier(schema, epsilon=2, random_state=7).fit(table).model_.save(folder / "p.json")
