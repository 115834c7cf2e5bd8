#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Seeded models stay as they are: fixed_models.py PROGRAM [--levels] [--write] [--keep FOLDER]

Trains on rows that this script makes by integer arithmetic, and compares what the training
computed with the digests in models.md5. A line there has two: of the weights and of the numbers
of the statement. The text of the statement, the version and fields that this script does not name
are in neither, so words and the format may change.

--levels: once at every level of TACIT_DISPATCH that the program and the processor have
--write:  writes models.md5. The presets paper and anytime never change. The other models change only
          by a commit that says which default changed
--keep:   copies the files that the program wrote to a folder per level, to see what differs
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from golden import npy, put_on_path

DIGESTS = pathlib.Path(__file__).resolve().parent / "models.md5"
HEAD = """\
# What seeded runs compute: digest of the weights, digest of the numbers of the statement, name.
# Written by: tests/golden/fixed_models.py build/tacit --write
# The presets paper and anytime never change. The other lines change only by a commit that says which
# default changed.
"""
LIBRARY = "exp, log, pow and other functions of the C library"
LEVELS = ("plain", "baseline", "avx2", "avx512")


class Draw:
    """Whole numbers that look random. Knuth's multiplier; no library could change it."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def within(self, low, high):
        return low + self.below(high - low + 1)


def thousandths(number):
    """The decimal text of number / 1000."""
    return f"{'-' if number < 0 else ''}{abs(number) // 1000}.{abs(number) % 1000:03}"


def write_lines(name, lines):
    pathlib.Path(name).write_text("\n".join(lines) + "\n")


def svm(label, numbers):
    return f"{label} " + " ".join(f"{j + 1}:{thousandths(v)}" for j, v in enumerate(numbers) if v)


def write_dense(draw):
    """Eight features: two classes, five classes, a number and a count. Ids of 300 persons and
    weights for the same rows.
    """
    table = [[draw.within(-1000, 1000) for _ in range(8)] for _ in range(900)]
    margins = [2 * x[0] - x[1] + x[4] // 2 + draw.within(-600, 600) for x in table]
    write_lines("two.svm", [svm(1 if m > 0 else -1, x) for m, x in zip(margins, table)])
    write_lines("more.svm", [svm(1 if x[1] > 0 else -1, x) for x in table[::3]])
    write_lines("five.svm", [svm(max(range(5), key=lambda j, x=x: x[j]), x) for x in table])
    write_lines("number.svm", [svm(thousandths(10000 + 3 * m), x) for m, x in zip(margins, table)])
    write_lines("count.svm", [svm(min(20, max(0, m // 400 + 4)), x) for m, x in zip(margins, table)])
    write_lines("ids.txt", [str(7 if i % 11 == 0 else i * 37 % 300) for i in range(900)])
    write_lines("weights.txt", [thousandths(i * 13 % 1001) for i in range(900)])


def write_sparse(draw):
    """Rows of ones as of a dictionary of words, and rows of numbers with many features."""
    ones, wide = [], []
    for _ in range(1500):
        places = sorted({draw.below(120) for _ in range(15)})
        label = "+1" if sum(3 - j % 7 for j in places) > draw.within(-4, 4) else "-1"
        ones.append(f"{label} " + " ".join(f"{j + 1}:1" for j in places))
    for _ in range(400):
        places = sorted({draw.below(9000) for _ in range(24)})
        cells = [f"{j + 1}:{thousandths(draw.within(-3000, 3000))}" for j in places]
        wide.append(f"{len(places) % 2} " + " ".join(cells))
    write_lines("ones.svm", ones)
    write_lines("wide.svm", wide)


def write_arrays(draw):
    """float32 by rows, float64 by columns, and labels: two classes, four classes, a number."""
    table = [[draw.within(-2048, 2048) / 1024 for _ in range(20)] for _ in range(700)]
    columns = [x[j] for j in range(20) for x in table]
    labels = {"y": ("b", [int(x[0] > x[1]) for x in table]),
              "k": ("q", [int(x[0] > 0) + 2 * int(x[1] > 0) for x in table]),
              "n": ("d", [x[0] - 2 * x[2] for x in table]),
              "i": ("q", [i * i % 250 for i in range(700)])}
    pathlib.Path("X.npy").write_bytes(npy("f", "(700, 20)", [v for x in table for v in x]))
    pathlib.Path("X8.npy").write_bytes(npy("d", "(700, 20)", columns, fortran=True))
    for name, (kind, column) in labels.items():
        pathlib.Path(f"{name}.npy").write_bytes(npy(kind, "(700,)", column))


NUMERIC = {"type": "numeric", "min": 0, "max": 100}
PATIENTS = {
    "tacit_schema": 1, "label": {"column": "outcome", "classes": ["well", "ill"]},
    "columns": [{"name": "id", "type": "ignore"}, {"name": "age", **NUMERIC},
                {"name": "dose", **NUMERIC, "map": [0, 1]},
                {"name": "ward", "type": "category", "values": ["a", "b", "c"]},
                {"name": "zip", "type": "hashed", "slots": 16}]}
# Every type of version 2. The label, persons and weights are added where they are used.
VISITS = {
    "tacit_schema": 2, "na": ["NA"],
    "columns": [{"name": "id", "type": "ignore"},
                {"name": "age", **NUMERIC, "curve": {"knots": 8, "kind": "linear", "line": True}},
                {"name": "dose", **NUMERIC, "map": "sqrt", "curve": 6, "missing": "own"},
                {"name": "ward", "type": "category", "values": ["a", "b", "c"]},
                {"name": "day", "type": "date", "format": "%d.%m.%Y", "min": "2020-01-01",
                 "max": "2023-12-31", "parts": ["month", "weekday", "days"], "missing": "own"},
                {"name": "stage", "type": "ordinal", "values": ["I", "II", "III", "IV"]},
                {"name": "smoker", "type": "bool", "missing": False},
                {"name": "note", "type": "text", "slots": 32}],
    "crosses": [["ward", "smoker"], {"columns": ["age", "stage"], "slots": 64}]}
KINDS = {"label": {"column": "kind", "classes": ["red", "green", "blue, dark"]}}
SCORE = {"label": {"column": "score", "min": 0, "max": 200}}
LATE = {"label": {"column": "score", "above": 100}}


def write_patients(draw):
    lines = ["id,age,dose,ward,zip,outcome"]
    for i in range(1000):
        age, dose = draw.within(1, 99), draw.within(0, 120000)
        is_ill = age + draw.within(-25, 25) > 50
        lines.append(f"{i},{age},{thousandths(dose)},{'abcd'[draw.below(4)]},{10000 + draw.below(40)},"
                     f"{'ill' if is_ill else 'well'}")
    write_lines("patients.csv", lines)
    write_lines("patients.json", [json.dumps(PATIENTS)])


def write_visits(draw):
    lines = ["id,age,dose,ward,day,stage,smoker,note,weight,kind,score"]
    words = ["fever", "cough", "rash", "pain", "none", "cold"]
    for i in range(800):
        age, dose, stage = draw.within(0, 110), draw.within(0, 100000), draw.below(4)
        day = f"{draw.within(1, 28):02}.{draw.within(1, 12):02}.{draw.within(2020, 2023)}"
        cells = [i * 29 % 200, age, "NA" if i % 17 == 0 else thousandths(dose), "abcd"[draw.below(4)],
                 "" if i % 23 == 0 else day, ["I", "II", "III", "IV"][stage],
                 ["yes", "no", "NA"][draw.below(3)],
                 f'"{words[draw.below(6)]}, {words[draw.below(6)]}"', thousandths(draw.within(100, 4000)),
                 ["red", "green", '"blue, dark"'][(age // 40 + draw.below(2)) % 3],
                 age + 20 * stage + draw.within(-10, 10)]
        lines.append(",".join(map(str, cells)))
    write_lines("visits.csv", lines)
    for name, more in {"kinds": KINDS, "score": SCORE, "late": LATE,
                       "persons": {**KINDS, "unit": "id"},
                       "weighted": {**SCORE, "weight": {"column": "weight", "max": 4}}}.items():
        ignored = {"weight", "kind", "score"} - {more["label"]["column"]}
        columns = VISITS["columns"] + [{"name": each, "type": "ignore"} for each in sorted(ignored)]
        write_lines(f"{name}.json", [json.dumps({**VISITS, "columns": columns, **more})])


def write_table(draw):
    """Twenty numbers per row and nothing else, which some parsers read in another way."""
    names = [f"x{j}" for j in range(20)]
    lines = [",".join(names + ["sum"])]
    for _ in range(600):
        x = [draw.within(-5000, 5000) for _ in names]
        lines.append(",".join(map(thousandths, x)) + "," + ("yes" if sum(x[:6]) > 0 else "no"))
    write_lines("table.csv", lines)
    columns = [{"name": name, "type": "numeric", "min": -5, "max": 5} for name in names]
    write_lines("table.json", [json.dumps({"tacit_schema": 1, "columns": columns, "label": {
        "column": "sum", "classes": ["no", "yes"]}})])


TWO, FIVE = "--features 8 two.svm", "--features 8 --classes 5 five.svm"
NUMBER, COUNT = "--features 8 --labels -20,40 number.svm", "--features 8 --labels 0,20 count.svm"
ONES, WIDE = "--features 120 ones.svm", "--features 9000 wide.svm"
ROWS, ROWS8 = "--label-file y.npy X.npy", "--label-file k.npy --classes 4 X8.npy"
TABLE, CSV = "--schema table.json table.csv", "--schema patients.json patients.csv"


def visits(schema):
    return f"--schema {schema}.json visits.csv"


def trained(words, budget="--epsilon 1"):
    return [f"train -q --seed 7 --threads 2 {budget} -o m.json {words}"]


# name: command lines; what the last one writes or prints is compared.
CASES = {f"{preset}: {name}": trained(f"--preset {preset} {source}")
         for preset in ("practical", "anytime", "paper")
         for name, source in {"LIBSVM": TWO, "classes": FIVE, "number": NUMBER, "ones": ONES, "sparse": WIDE,
                              "float32": ROWS, "CSV": CSV, "curves": visits("kinds")}.items()}
CASES |= {f"loss {loss}": trained(f"--loss {loss} {source}") for loss, source in {
    "hinge": TWO, "squared-hinge": CSV, "huber": NUMBER, "quantile": NUMBER, "quantile:tau=0.9": visits("score"),
    "poisson": COUNT, "softmax": TABLE}.items()}
CASES |= {f"anytime: loss {loss}": trained(f"--preset anytime --loss {loss} {source}") for loss, source in {
    "hinge": TWO, "huber": NUMBER, "softmax": ROWS8}.items()}
CASES |= {f"mechanism {name}": trained(f"--mechanism {name} {words}") for name, words in {
    "banded": f"--batch 8 {TWO}", "blt": f"--batch 8 --passes 2 {CSV}", "tree": f"--batch 8 {FIVE}",
    "matrix:file=own.txt": f"--passes 1 --batch 150 {TWO}"}.items()}
CASES |= {f"learner {name}": trained(f"--learner {name} {words}") for name, words in {
    "heavy-ball": TWO, "adagrad": CSV, "freegrad": FIVE, "eg": f"--domain simplex {TWO}",
    "strongly-convex": f"--l2 0.1 {TWO}"}.items()}
CASES |= {
    "no noise": trained(TWO, "--mechanism none"),
    "Laplace noise": trained(f"--law laplace --delta 0 {TWO}"),
    "noise in double precision": trained(f"--law exp-l2 --delta 0 {TWO}"),
    "rho": trained(CSV, "--rho 0.5"),
    "zero-out, tight bounds": trained(f"--adjacency zero-out --bound tight --centre off {TWO}"),
    "norm 1.5": trained(f"--norm 1.5 {TWO}"),
    "norm 1": trained(f"--norm 1 {FIVE}"),
    "one norm for all rows": trained(f"--scale same --row-norm 2 {TWO}"),
    "class weights": trained(f"--class-weight balanced:0.6,0.4 {CSV}"),
    "no bias, box": trained(f"--no-bias --domain box --radius 2 {TWO}"),
    "weights": trained(f"--weights weights.txt {TWO}"),
    "float64, classes": trained(ROWS8),
    "float32, number": trained("--label-file n.npy --labels -6,6 --loss squared X.npy"),
    "CSV of numbers": trained(TABLE),
    "curves, number": trained(visits("score")),
    "rule as a label": trained(visits("late")),
    "weighted rows": trained(visits("weighted")),
    "persons in CSV": trained(visits("persons")),
    "persons, two rows each": trained(f"--unit ids.txt --unit-rows 2 {TWO}"),
    "persons of arrays": trained("--unit i.npy --preset anytime " + ROWS),
    "in file order": trained(f"--no-shuffle --passes 1 {CSV}"),
    "rows read again": trained(f"--max-kept 0 {CSV}"),
    "two files": trained(f"{TWO} more.svm"),
    "a cache": ["cache --no-shuffle --features 120 -o ones.cache ones.svm", *trained("--no-shuffle ones.cache")],
    "a start from a model": [f"train -q --seed 7 --epsilon 1 -o first.json {CSV}",
                             *trained(f"--init first.json {CSV}")],
    "a stream": ["stream init s.state --horizon 4 --batch-rows 900 --seed 7 --epsilon 1 --features 8 --key-file key",
                 "stream feed s.state two.svm --round 1 --key-file key -o one.json",
                 "stream feed s.state two.svm --round 3 --skip --key-file key -o m.json"],
    "a private evaluation": [*trained(CSV), "eval --seed 7 --epsilon 1 --json m.json patients.csv"],
    "a private description": ["describe --seed 7 --epsilon 1 --json --schema kinds.json visits.csv"],
}

# Not the same on other processors yet: the cube root of the C library rounds otherwise there, and of a
# person with too many rows those are used whose bytes in memory have the least digests.
OTHERWISE_ELSEWHERE = {"practical: number", "loss huber", "loss poisson", "persons, two rows each"}

WEIGHTS = ("weights", "offset", "row_scale")
STATED = ("private", "pure", "as_sets", "day_only", "epsilon", "delta", "mu", "zcdp", "epsilon_exact",
          "epsilon_zcdp", "rows", "units", "rounds", "passes", "batches_per_pass", "clip", "norm_exponent",
          "sensitivity_factor", "noise_multiplier", "second_moment", "run_epsilon", "run_mu")
ROUND_0 = ("rows_apart", "mu", "rounds_mu")


def exact(value):
    """The text of what JSON holds, with all bits of its numbers."""
    if isinstance(value, dict):
        return "{" + " ".join(f"{key}={exact(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + " ".join(map(exact, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value).hex()
    return str(value)


def digest(parts):
    return hashlib.md5("\n".join(map(exact, parts)).encode(), usedforsecurity=False).hexdigest()


def numbers(value):
    """The numbers of a JSON value and the names that they have, without texts."""
    if isinstance(value, dict):
        return {key: found for key, each in value.items() if (found := numbers(each)) is not None}
    if isinstance(value, list):
        return [numbers(each) for each in value]
    return None if isinstance(value, str) else value


def digests(model):
    """The two digests of a model file, or of what a private release prints."""
    if "weights" not in model:
        return digest([numbers({key: value for key, value in model.items() if key != "statement"})]), digest(
            [numbers(model.get("statement"))])
    said = model["statement"]
    stated = [{key: said[key] for key in STATED if said.get(key) is not None}]
    if said.get("round_0"):
        stated.append({key: said["round_0"][key] for key in ROUND_0 if key in said["round_0"]})
    stated += [model["training"].get("clip"), model["training"].get("radius"), model.get("noise")]
    return digest([model.get(key) for key in WEIGHTS]), digest(stated)


def math_library():
    """A digest of what the C library makes of functions that training calls. Another library, or
    another version of it, may round the last digit in another way, and every digest is another one.
    """
    points = [k / 64 + 1 / 3 for k in range(640)]
    one = (math.exp, math.expm1, math.log, math.log1p, math.log2, math.tanh, math.erf, math.erfc, math.cos)
    return digest([[f(x) for f in one for x in points], [math.pow(x, 1.3) for x in points]])


def write_inputs():
    for number, write in enumerate((write_dense, write_sparse, write_arrays, write_patients, write_visits,
                                    write_table)):
        write(Draw(20261119 + number))
    write_lines("own.txt", ["rounds 6 bits 4"] + [" ".join(str(16 // (t - s + 1)) for s in range(t + 1))
                                                  for t in range(6)])
    write_lines("key", ["k" * 32])
    os.chmod("key", 0o600)


def run(program, lines, env):
    """(digests, complaint) of a case; one of the two is None."""
    for line in lines:
        done = subprocess.run([program, *line.split()], env=env, stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode != 0:
            return None, f"{line}: {done.returncode}: {done.stderr.decode().strip()}"
    is_model = " -o m.json" in lines[-1]
    return digests(json.loads(pathlib.Path("m.json").read_bytes() if is_model else done.stdout)), None


def runs_at(program, level):
    plan = [program, "plan", "--rows", "100", "--features", "2", "--epsilon", "1"]
    return subprocess.run(plan, env={**os.environ, "TACIT_DISPATCH": level}, capture_output=True).returncode == 0


def results(program, level, keep):
    """(case, digests, complaint) of each case at a level, or at that of the environment if it is ""."""
    env = dict(os.environ, LC_ALL="C")
    if level:
        env["TACIT_DISPATCH"] = level
    for case, lines in CASES.items():
        with tempfile.TemporaryDirectory(prefix="tacit-fixed-") as place:
            for name in os.listdir():
                os.link(name, os.path.join(place, name))
            back = os.getcwd()
            os.chdir(place)
            try:
                found, complaint = run(program, lines, env)
                if keep and os.path.exists("m.json"):
                    shutil.copy("m.json", keep / (level or "model") / f"{case}.json")
            finally:
                os.chdir(back)
            yield case, found, complaint


def read_digests():
    """The lines of models.md5 as {name: (digest, digest)}."""
    lines = [line.split(None, 2) for line in DIGESTS.read_text().splitlines() if not line.startswith("#")]
    return {name: (weights, stated) for weights, stated, name in lines}


def fault(found, complaint, wanted):
    if complaint or wanted is None:
        return complaint or "models.md5 has no line for it"
    parts = [what for what, a, b in zip(("weights", "numbers of the statement"), found, wanted) if a != b]
    return f"other {' and '.join(parts)} than models.md5 says" if parts else None


def compare(program, levels, keep):
    wanted, number, failed = read_digests(), 0, False
    if wanted.pop(LIBRARY)[0] != math_library():
        print("1..1\n# left out: fixed models: the C library rounds otherwise than that of models.md5")
        print("ok 1 - fixed models")
        return 0
    print(f"1..{len(levels) * len(CASES) + 1}")
    for level in levels:
        for case, found, complaint in results(program, level, keep):
            number += 1
            said = fault(found, complaint, wanted.get(case))
            if said and case in OTHERWISE_ELSEWHERE and "MESON_EXE_WRAPPER" in os.environ:
                print(f"# left out: {case}: not the same on every processor yet")
                said = None
            print(f"{'not ok' if said else 'ok'} {number} - {level + ': ' if level else ''}{case}")
            if said:
                print("# " + said)
            failed = failed or bool(said)
    spare = sorted(set(wanted) - set(CASES))
    print(f"{'not ok' if spare else 'ok'} {number + 1} - every line of models.md5 is compared")
    for name in spare:
        print("# " + name)
    return 1 if failed or spare else 0


def write(program):
    made = {LIBRARY: [math_library()] * 2}
    made |= {case: found or sys.exit(complaint) for case, found, complaint in results(program, "", None)}
    DIGESTS.write_text(HEAD + "".join(f"{a} {b} {case}\n" for case, (a, b) in made.items()))
    print(f"{len(made) - 1} models")
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--levels", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    keep = options.keep and options.keep.resolve()
    with tempfile.TemporaryDirectory(prefix="tacit-fixed-") as folder:
        program = pathlib.Path(folder, "tacit")
        put_on_path(program, options.program)
        pathlib.Path(folder, "rows").mkdir()
        os.chdir(pathlib.Path(folder, "rows"))
        write_inputs()
        levels = [level for level in LEVELS if runs_at(program, level)] if options.levels else [""]
        for level in levels if keep else []:
            (keep / (level or "model")).mkdir(parents=True, exist_ok=True)
        return write(program) if options.write else compare(program, levels, keep)


if __name__ == "__main__":
    sys.exit(main())
