#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""release.py TACIT: `tacit eval --epsilon` and `tacit describe` as a user meets them: results,
statements, budgets in a ledger, and misuse with its one line and exit code. Prints TAP."""
import json
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Script  # noqa: E402

script = Script(sys.argv[1], "release")
check, call = script.check, script.call


def object_of(*words):
    code, out, line = call(*words, "--json")
    if code != 0:
        raise SystemExit(f"Bail out! {' '.join(words)}: {line}")
    return json.loads(out)


def refused(code, fragment, *words, env=None):
    got, out, line = call(*words, env=env)
    check(got == code and fragment in line and line.count("\n") == 1 and out == "",
          f"exit {code}: {fragment}", f"exit {got}: {line}{out}")


def entries(name):
    return [(entry["kind"], entry["state"]) for entry in
            json.loads(call("ledger", "export", name)[1])["datasets"][0]["entries"]]


draw = random.Random(3)
values = ["f", "m", "x"]
with open("d.csv", "w") as data, open("bad.csv", "w") as bad:
    for file in (data, bad):
        file.write("id,age,sex,zip,day,flag,grade,y\n")
    for i in range(3000):
        age = draw.gauss(50, 12)
        row = (f"p{i // 3},{age:.1f},{draw.choice(values)},z{i % 40},2024-0{1 + i % 9}-11,{'ty'[i % 2]},"
               f"{('low', 'mid', 'high')[i % 3]},{'yes' if age + draw.gauss(0, 8) > 50 else 'no'}\n")
        data.write(row)
        bad.write(row if i < 2999 else row.replace(",yes", ",maybe").replace(",no", ",maybe"))
label = {"column": "y", "classes": ["no", "yes"]}
columns = [{"name": "age", "type": "numeric", "min": 0, "max": 100},
           {"name": "sex", "type": "category", "values": ["f", "m"]},
           {"name": "zip", "type": "hashed", "slots": 8},
           {"name": "day", "type": "date", "format": "%Y-%m-%d", "min": "2024-01-01", "max": "2024-12-31",
            "parts": ["month"]},
           {"name": "flag", "type": "bool"},
           {"name": "grade", "type": "ordinal", "values": ["low", "mid", "high"]}]
rows_schema = {"tacit_schema": 2, "label": label, "columns": [{"name": "id", "type": "ignore"}, *columns]}
for name, schema in (("rows", rows_schema), ("persons", {"tacit_schema": 2, "unit": "id", "label": label, "columns": columns}),
                     ("open", {**rows_schema, "columns": [{"name": "id", "type": "ignore"},
                                                          {"name": "age", "type": "numeric", "min": None, "max": None},
                                                          *columns[1:]]})):
    with open(name + ".json", "w") as file:
        json.dump(schema, file)
for name in ("rows", "persons"):
    code, _, line = call("train", "--epsilon", "3", "--schema", name + ".json", "-o", name + ".model", "d.csv", "-q")
    check(code == 0, f"a model of {name}", line)
evaluate = ["eval", "rows.model", "d.csv"]
describe = ["describe", "d.csv", "--schema", "rows.json"]

# Evaluation.
code, out, line = call(*evaluate, "--epsilon", "2")
check(code == 0 and line == "" and "PRIVATE: epsilon = 2 and delta = " in out and out.startswith("rows 3000\naccuracy 0."),
      "metrics with intervals", out + line)
result = object_of(*evaluate, "--epsilon", "2")
statement = result["statement"]
check(result["private"] and statement["private"] and statement["as_sets"] and statement["epsilon"] == 2
      and statement["rows"] == 3000 and statement["preset"] == "evaluation", "the statement", statement)
check(len(result["thresholds"]) == 15 and len(result["calibration"]) == 16
      and {"true_positive_rate", "false_positive_rate", "precision"} < set(result["thresholds"][0])
      and len(result["confusion"]["predicted_true"]) == 2, "curves for a report")
metric = result["metrics"]["accuracy"]
check(metric["low"] < metric["value"] < metric["high"], "a value is inside its interval", metric)
check(result["release"] != object_of(*evaluate, "--epsilon", "2")["release"], "noise is fresh")
seeded = [object_of(*evaluate, "--epsilon", "2", "--seed", "5") for _ in range(2)]
check(seeded[0] == seeded[1] and not seeded[0]["private"] and not seeded[0]["statement"]["private"],
      "a seed repeats the noise and is not private")
levels = [object_of(*evaluate, "--epsilon", "2", "--seed", "5") if level is None else
          json.loads(call(*evaluate, "--epsilon", "2", "--seed", "5", "--json", env={"TACIT_DISPATCH": level})[1])
          for level in (None, "plain", "baseline")]
check(levels[0] == levels[1] == levels[2], "the same bits at every dispatch level")
check("NOT PRIVATE" in call(*evaluate, "--epsilon", "2", "--seed", "5")[1], "the text says so")
check("auc too noisy\n" in call(*evaluate, "--epsilon", "0.001")[1], "a number without meaning is not printed")
noise = [object_of(*evaluate, "--epsilon", "1", "--adjacency", name)["release"][0]["noise"] for name in ("replace", "zero-out")]
check(abs(noise[0] / noise[1] - 1.8 ** 0.5) < 1e-9, "replace costs the root of 1.8, not 2", noise)
person = object_of("eval", "persons.model", "d.csv", "--epsilon", "2")
check(person["units"] == 1000 and "rows" not in person and person["statement"]["unit"] == "person (column id)",
      "persons are protected, and their rows are not told", person["statement"])
refused(2, "--seed is for a private evaluation", *evaluate, "--seed", "1")
refused(2, "--ledger is for a private evaluation", *evaluate, "--ledger", "team.db")
refused(2, "even number", *evaluate, "--epsilon", "1", "--bins", "3")
refused(3, "bad.csv", "eval", "rows.model", "bad.csv", "--epsilon", "1")
refused(2, "regular file in place of a pipe", "eval", "rows.model", "/dev/stdin", "--epsilon", "1")

# Description.
code, out, line = call(*describe, "--epsilon", "2")
check(code == 0 and "age\n  0 to 6.25: " in out and "  other: " in out and "2024-01-01 to " in out and "y (label)" in out
      and "zip" not in out and "id\n" not in out, "counts of every column but hashed and ignored ones", out + line)
result = object_of(*describe, "--epsilon", "20", "--seed", "1")
counts = {column["column"]: column["counts"] for column in result["columns"]}
exact = {"flag": {"true": 3000, "false": 0}, "grade": {"low": 1000, "mid": 1000, "high": 1000, "other": 0}}
check(all(abs(cell["count"] - exact[name][cell["value"]]) < 60 for name in exact for cell in counts[name]),
      "counts are right but for their noise", counts["flag"] + counts["grade"])
check(sum(cell["low"] <= cell["count"] <= cell["high"] for column in counts.values() for cell in column)
      == sum(map(len, counts.values())), "counts are inside their intervals")
wide = object_of("describe", "d.csv", "--schema", "open.json", "--epsilon", "20", "--seed", "1", "--wide")
age = next(column["counts"] for column in wide["columns"] if column["column"] == "age")
busy = [(cell["from"], cell["to"]) for cell in age if cell["low"] > 200]
check(len(age) == 163 and busy == [(32, 64), (64, 128)] and age[0]["from"] is None and age[-1]["to"] is None,
      "wide bins need no bounds", busy)
# Of 161 empty bins 4 have noise beyond a 95% interval of their own. Rounding aside, ages are 2 … 99.
found = [[cell["to"] for column in object_of("describe", "d.csv", "--schema", "open.json", "--epsilon", "0.5", "--seed",
                                             str(seed), "--wide")["columns"] if column["column"] == "age"
          for cell in column["counts"] if cell["low"] > 0 and cell["to"] not in (4, 8, 16, 32, 64, 128)]
         for seed in range(20)]
check(sum(map(bool, found)) <= 2, "noise is not listed among wide bins: their intervals hold together", found)
check("more bins" in call("describe", "d.csv", "--schema", "open.json", "--epsilon", "2", "--wide")[1],
      "empty wide bins are not listed")
check(object_of("describe", "d.csv", "--schema", "persons.json", "--epsilon", "2")["units"] == 1000, "persons count once")
refused(2, "--epsilon is missing", *describe)
refused(2, "--schema FILE is missing", "describe", "d.csv", "--epsilon", "1")
refused(2, "leave out --bins", *describe, "--epsilon", "1", "--wide", "--bins", "4")
refused(3, "not filled in", "describe", "d.csv", "--schema", "open.json", "--epsilon", "1")

# Budgets.
call("ledger", "init", "team.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6")
paid = ["--ledger", "team.db", "--dataset", "visits", "--delta", "1e-6"]
check(call(*evaluate, "--epsilon", "0.5", *paid)[0] == 0 and call(*describe, "--epsilon", "0.5", *paid)[0] == 0
      and entries("team.db") == [("eval", "committed"), ("describe", "committed")], "both are paid for", entries("team.db"))
refused(4, "at most epsilon = ", *evaluate, "--epsilon", "0.9", *paid)
refused(4, "at most epsilon = ", *describe, "--epsilon", "0.9", *paid)
refused(5, "not private", *evaluate, "--epsilon", "0.1", "--seed", "1", *paid)
refused(2, "for rows", "eval", "persons.model", "d.csv", "--epsilon", "0.1", *paid)
refused(2, "not in the ledger", *evaluate, "--epsilon", "0.1", "--ledger", "team.db", "--dataset", "none")
refused(1, "cannot be opened", *evaluate, "--epsilon", "0.1", "--ledger", "no/team.db", "--dataset", "visits")
refused(3, "not a ledger", *describe, "--epsilon", "0.1", "--ledger", "rows.json", "--dataset", "visits")
code, _, line = call("eval", "rows.model", "bad.csv", "--epsilon", "0.1", *paid)
check(code == 3 and entries("team.db")[-1] == ("eval", "refunded"), "a bad row before the noise costs nothing", line)

# The same file under two names.
with open("key", "wb") as key:
    key.write(bytes(range(40)))
os.chmod("key", 0o600)
shutil.copy("d.csv", "copy.csv")
call("ledger", "init", "team.db", "--dataset", "again", "--epsilon", "1", "--delta", "1e-6")
first = call(*evaluate, "--epsilon", "0.1", *paid, "--key-file", "key")
twice = ["--ledger", "team.db", "--dataset", "again", "--delta", "1e-6", "--key-file", "key"]
second = call("describe", "copy.csv", "--schema", "rows.json", "--epsilon", "0.1", *twice)
check(first[0] == second[0] == 0 and first[2] == "" and "two budgets" in second[2] and second[2].count("\n") == 1,
      "one file under two names is noticed", first[2] + second[2])
third = call("train", "--epsilon", "0.1", "--schema", "rows.json", "-o", "t.json", "-q", "copy.csv", *twice)
check(third[0] == 0 and "two budgets" in third[2], "in training too", third)
check("fingerprint" not in call("ledger", "export", "team.db")[1], "an export has no fingerprints")
refused(2, "is for the fingerprint in a --ledger", *evaluate, "--epsilon", "0.1", "--key-file", "key")
os.chmod("key", 0o644)
refused(5, "others may read", *evaluate, "--epsilon", "0.1", *paid, "--key-file", "key")
refused(2, "is the ledger", "train", "--epsilon", "0.1", "--schema", "rows.json", "-o", "team.db", "d.csv",
        env={"TACIT_LEDGER": "team.db", "TACIT_DATASET": "visits"})
check(call("ledger", "verify", "team.db")[0] == 0, "the ledger is whole")
script.end()
