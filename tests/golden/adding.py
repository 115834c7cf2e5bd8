#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""adding.py TACIT: what several releases about the same people guarantee together, as initial
models, schemas made from counts, ledgers and reports state it. Prints TAP."""
import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Script  # noqa: E402

script = Script(sys.argv[1], "adding")
check, call = script.check, script.call
ROWS, DELTA = 3000, "1e-6"


def write_schema(name, **more):
    columns = [{"name": "id", "type": "ignore"}, {"name": "age", "type": "numeric", "min": 0, "max": 110},
               {"name": "ward", "type": "category", "values": ["A", "B", "C"]}]
    with open(name, "w") as file:
        json.dump({"tacit_schema": 2, "label": {"column": "sick", "classes": ["no", "yes"]},
                   "columns": columns, **more}, file)


def write_rows(name, first, count):
    draw = random.Random(first)
    with open(name, "w") as file:
        file.write("id,age,ward,sick\n")
        for row in range(first, first + count):
            age = draw.randint(0, 110)
            file.write(f"p{row // 2},{age},{draw.choice('ABC')},{'yes' if draw.randint(0, 110) < age else 'no'}\n")


def train(out, *words, schema="rows.schema", epsilon="1"):
    return call("train", "rows.csv", "--schema", schema, "--epsilon", epsilon, "--delta", DELTA, "-q", "-o", out, *words)


def statement(model):
    with open(model) as file:
        return json.load(file)["statement"]


def mu(model):
    return statement(model)["mu"]


def close(value, exact):
    """Sums are rounded up, by far less than this."""
    return exact <= value * (1 + 1e-15) and value <= exact * (1 + 1e-9)


def refused(code, fragment, name, result):
    check(result[0] == code and fragment in result[2] and result[2].count("\n") == 1, name, result)


write_schema("rows.schema")
write_schema("persons.schema", unit="id")
write_rows("rows.csv", 0, ROWS)
call("ledger", "init", "sets.db", "--dataset", "d", "--epsilon", "50", "--delta", DELTA)
call("ledger", "init", "places.db", "--dataset", "d", "--epsilon", "50", "--delta", DELTA, "--in-place")
call("ledger", "init", "persons.db", "--dataset", "d", "--epsilon", "50", "--delta", DELTA, "--unit", "person")
IN_SETS, IN_PLACES, IN_PERSONS = (["--ledger", f"{name}.db", "--dataset", "d"] for name in ("sets", "places", "persons"))

# Rows in their places.
train("alone.json")
train("places.json", "--no-shuffle")
train("from_places.json", "--init", "places.json")
check(statement("alone.json")["as_sets"] and not statement("from_places.json")["as_sets"],
      "a run that starts from a model for rows in their places protects rows in their places")
check(close(mu("from_places.json"), math.hypot(mu("alone.json"), mu("places.json"))), "and its mu covers both")
text = call("show", "from_places.json")[1]
check("in its place" in text and "as sets" not in text, "the words say so", text)
refused(5, "in their places", "a ledger for sets refuses the run", train("x.json", "--init", "places.json", *IN_SETS))
code = train("paid.json", "--init", "places.json", *IN_PLACES)
check(code[0] == 0, "a ledger for rows in their places takes it", code)
train("from_public.json", "--init", "places.json", "--init-public")
check(statement("from_public.json")["as_sets"], "a public initial model changes nothing")
train("from_sets.json", "--init", "alone.json")
check(statement("from_sets.json")["as_sets"], "sets and sets are sets")
with open("from_places.json") as file:
    lie = json.load(file)
lie["statement"]["as_sets"] = True
with open("lie.json", "w") as file:
    json.dump(lie, file)
refused(3, "sets of rows", "a model that claims sets all the same is refused when it is read", call("show", "lie.json"))

# Persons, and rows.
persons = ["--unit-rows", "2"]
train("persons.json", *persons, schema="persons.schema")
code = train("persons_again.json", *persons, "--init", "persons.json", schema="persons.schema")
check(code[0] == 0 and close(mu("persons_again.json"), math.sqrt(2) * mu("persons.json")),
      "persons start from persons of the same column", code)
refused(5, "persons", "persons cannot start from rows",
        train("x.json", *persons, "--init", "alone.json", schema="persons.schema"))
code = train("rows_after_persons.json", "--init", "persons.json")
check(code[0] == 0 and statement("rows_after_persons.json")["unit"] == "row" and
      close(mu("rows_after_persons.json"), math.hypot(mu("alone.json"), 2 * mu("persons.json"))),
      "rows start from persons: a replaced row may change two persons", code)

# Columns of ids whose names do not fit into a line of text.
for name in ("ä", "ö", "v/a", "w/a"):
    write_schema("other.schema", unit=name)
    with open("other.schema") as file:
        schema = json.load(file)
    schema["columns"] = [column for column in schema["columns"] if column["name"] != "id"]
    with open("other.schema", "w") as file:
        json.dump(schema, file)
    with open("rows.csv", encoding="utf-8") as rows, open("other.csv", "w", encoding="utf-8") as file:
        file.write(rows.read().replace("id,", name + ",", 1))
    words = ["train", "other.csv", "--schema", "other.schema", "--epsilon", "1", "--delta", DELTA, "-q", *persons]
    code = call(*words, "-o", f"{name.replace('/', '_')}.json")
    check(code[0] == 0, f"a column of ids may be called {name}", code)
    if name in ("ö", "w/a"):
        first = "ä.json" if name == "ö" else "v_a.json"
        refused(5, "different columns of ids", f"persons by {name} do not start from others",
                call(*words, "-o", "x.json", "--init", first))
    if name == "ä":
        code = call(*words, "-o", "x.json", *IN_PERSONS)
        check(code[0] == 0, "a ledger for persons takes the first column", code)
    else:
        refused(5, "another column of ids", f"it takes no persons by {name} then", call(*words, "-o", "x.json", *IN_PERSONS))
call("ledger", "init", "persons.db", "--dataset", "fresh", "--epsilon", "50", "--delta", DELTA, "--unit", "person")
IN_PERSONS[-1] = "fresh"

# Days of a stream.
with open("key", "w") as file:
    file.write("0123456789abcdef0123456789abcdef")
os.chmod("key", 0o600)
stream = ["--schema", "persons.schema", "--horizon", "6", "--batch-rows", "250", "--epsilon", "1", "--delta", DELTA,
          "--key-file", "key"]
call("stream", "init", "daily.state", *stream)
for day in (1, 2):
    write_rows(f"{day}.csv", 10000 * day, 500)
    call("stream", "feed", "daily.state", f"{day}.csv", "--key-file", "key", "-o", f"day{day}.json")
check(statement("day1.json").get("day_only") is True, "a stream protects a person on one day")
code = train("after_days.json", *persons, "--init", "day2.json", schema="persons.schema")
check(code[0] == 0 and statement("after_days.json").get("day_only") is True,
      "a run that starts from it protects a person on that day only", code)
check("on one day only" in call("show", "after_days.json")[1], "the words say so")
refused(5, "day", "a ledger for persons refuses the run",
        train("x.json", *persons, "--init", "day2.json", *IN_PERSONS, schema="persons.schema"))

# Counts behind a schema.
code = call("describe", "rows.csv", "--schema", "rows.schema", "--epsilon", "1", "--delta", DELTA, "--bins", "64", "--json")
with open("counts.json", "w") as file:
    file.write(code[1])
with open("curve.schema", "w") as file:
    with open("rows.schema") as plain:
        schema = json.load(plain)
    schema["columns"][1]["curve"] = {"knots": 8}
    json.dump(schema, file)
code = call("schema", "--from", "curve.schema", "--counts", "counts.json", "-o", "counted.schema")
with open("counts.json") as file:
    counts_mu = json.load(file)["statement"]["mu"]
code = train("counted.json", *IN_SETS, schema="counted.schema")
check(code[0] == 0 and close(mu("counted.json"), math.hypot(mu("alone.json"), counts_mu)),
      "a run with a schema from private counts pays for them", code)
entry = json.loads(call("ledger", "export", "sets.db")[1])["datasets"][0]["entries"][-1]
check(close(entry["mu"], mu("counted.json")), "the ledger counts them", entry)
check("made from private counts" in call("show", "counted.json")[1], "the words say so")
check("made from private counts" in call("report", "counted.json", "--markdown")[1], "the report says so")
train("counted_again.json", "--init", "counted.json", schema="counted.schema")
check(close(mu("counted_again.json"), math.hypot(mu("counted.json"), mu("alone.json"))),
      "counts that the initial model covers are counted once")
refused(3, "made from counts before", "counts are not laid over counts",
        call("schema", "--from", "counted.schema", "--counts", "counts.json", "-o", "x.schema"))
with open("counted.schema") as file:
    schema = json.load(file)
schema["description"]["epsilon"] /= 2
with open("edited.schema", "w") as file:
    json.dump(schema, file)
refused(3, "description", "a schema that understates them is refused", train("x.json", schema="edited.schema"))

# Reports of several models.
def together(*models):
    text = call("report", *models, "--markdown")[1]
    lines = [line for line in text.split("\n") if "all together" in line or "do not add up" in line or "one stream" in line]
    return " ".join(lines), text


def shown(value):
    """As a page shows it: four digits, rounded up. The values here are from .1 to 1."""
    return f"µ = {math.ceil(value * 1e4) / 1e4:.4g}"


train("again.json")
train("zero.json", "--adjacency", "zero-out")
said, _ = together("alone.json", "again.json")
check(shown(math.hypot(mu("alone.json"), mu("again.json"))) in said, "rows and rows add up", said)
said, _ = together("alone.json", "zero.json")
exact = math.hypot(mu("alone.json"), 2 * mu("zero.json"))
check(shown(exact) in said and "replace" in said, "zero-out counts twice beside replace", (said, exact))
said, _ = together("alone.json", "persons.json")
check("about one row" in said, "rows and persons add up for a row", said)
write_schema("households.schema", unit="ward")
with open("households.schema") as file:
    schema = json.load(file)
schema["columns"] = [{"name": "id", "type": "ignore"}, schema["columns"][1], {"name": "ward", "type": "ignore"}]
with open("households.schema", "w") as file:
    json.dump(schema, file)
train("wards.json", *persons, schema="households.schema")
said, _ = together("persons.json", "wards.json")
check("do not add up" in said, "persons of two columns do not add up", said)
said, text = together("day1.json", "day2.json")
check("Models of one stream are covered together" in said and "all together" not in said, "models of one stream are counted once", said)
check("500 persons" in text and "1,500 persons" not in text, "a model is said to have seen its own days", text[:3000])
call("stream", "init", "other.state", *stream)
call("stream", "feed", "other.state", "1.csv", "--key-file", "key", "-o", "other1.json")
said, _ = together("day1.json", "other1.json")
check("all together" in said and "on one day" in said, "two streams add up, with the same key file too", said)
script.end()
