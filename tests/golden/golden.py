# SPDX-License-Identifier: MIT
"""Shared by the golden tests: synthetic input files, running the program, TAP."""
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from concurrent import futures

# Values in the bad rows of the cases. No message may repeat one.
SECRETS = ["31337", "hunter2"]

SCHEMA = """{
  "tacit_schema": 1,
  "format": "csv",
  "label": {"column": "outcome", "classes": ["well", "ill"]},
  "columns": [
    {"name": "id", "type": "ignore"},
    {"name": "age", "type": "numeric", "min": 0, "max": 100},
    {"name": "weight", "type": "numeric", "min": 30, "max": 150},
    {"name": "ward", "type": "category", "values": ["a", "b", "c"]}
  ]
}
"""

KINDS = ["pear", "apple, red", "plum"]

KINDS_SCHEMA = """{
  "tacit_schema": 1,
  "label": {"column": "kind", "classes": ["pear", "apple, red", "plum"]},
  "columns": [
    {"name": "length", "type": "numeric", "min": 0, "max": 10},
    {"name": "width", "type": "numeric", "min": 0, "max": 10}
  ]
}
"""


def write_kinds(folder, rows, draw):
    """kinds.svm (4 features, 4 classes), kinds.csv and kinds.json (3 classes)."""
    svm, csv = [], ["length,width,kind"]
    for i in range(rows):
        kind = draw.randrange(4)
        cells = [f"{j + 1}:{draw.uniform(-0.4, 0.4) + (j == kind):.4f}" for j in range(4)]
        svm.append(f"{kind} {' '.join(cells)}")
        kind = draw.randrange(3)
        length = (8, 5, 2)[kind] + draw.uniform(-1.5, 1.5)
        width = (5, 8, 3)[kind] + draw.uniform(-1.5, 1.5)
        csv.append(f'{length:.2f},{width:.2f},"{KINDS[kind]}"')
    (folder / "kinds.svm").write_text("\n".join(svm) + "\n")
    (folder / "kinds.csv").write_text("\n".join(csv) + "\n")
    (folder / "kinds.json").write_text(KINDS_SCHEMA)


def npy(kind, shape, numbers, fortran=False):
    """Bytes of a .npy file of the machine that is tested; kind is a letter of struct."""
    code = {"f": "f4", "d": "f8", "i": "i4", "q": "i8", "b": "i1", "B": "u1", "?": "b1"}[kind]
    order = ">" if os.environ.get("TACIT_TEST_ENDIAN", sys.byteorder) == "big" else "<"
    text = f"{{'descr': '{'|' if code[1] == '1' else order}{code}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    return head + struct.pack(f"{order}{len(numbers)}{kind}", *numbers)


def write_arrays(folder, rows, draw):
    """array.svm and the same rows as X.npy (float32), X8.npy (float64, columns one after the
    other) with two classes in y.npy; four classes in k.npy and numbers in n.npy, whose rows
    are array-k.svm and array-n.svm.
    """
    table = [[draw.choice((0, draw.randint(-2048, 2048) / 1024)) for _ in range(6)]
             for _ in range(rows)]
    labels = {"": ("b", [1 if x[0] > x[1] else 0 for x in table]),
              "-k": ("q", [int(x[0] > 0) + 2 * int(x[1] > 0) for x in table]),
              "-n": ("d", [x[0] - 2 * x[2] for x in table])}
    for name, (kind, column) in labels.items():
        lines = [f"{y!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x) if v)
                 for x, y in zip(table, column)]
        (folder / f"array{name}.svm").write_text("\n".join(lines) + "\n")
        (folder / f"{name[1:] or 'y'}.npy").write_bytes(npy(kind, f"({rows},)", column))
    flat = [v for x in table for v in x]
    columns = [x[j] for j in range(6) for x in table]
    (folder / "X.npy").write_bytes(npy("f", f"({rows}, 6)", flat))
    (folder / "X8.npy").write_bytes(npy("d", f"({rows}, 6)", columns, fortran=True))


def write_persons(folder, csv):
    """visits.csv and visits.json: the rows of rows.csv as those of 80 persons. ids.txt and
    ids.npy have the same ids for other rows, one per row; w.txt has their weights.
    """
    persons = [3 if i % 7 == 0 else i % 80 for i in range(len(csv) - 1)]
    cells = [line.partition(",")[2] for line in csv]
    lines = [f"{p},{cell}" for p, cell in zip(["id"] + persons, cells)]
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    schema = json.loads(SCHEMA) | {"tacit_schema": 2, "unit": "id"}
    (folder / "visits.json").write_text(json.dumps(schema))
    (folder / "ids.txt").write_text("".join(f"{p}\n" for p in persons))
    (folder / "ids.npy").write_bytes(npy("q", f"({len(persons)},)", persons))
    weights = [i % 5 / 4 for i in range(len(persons))]
    (folder / "w.txt").write_text("".join(f"{w}\n" for w in weights))
    (folder / "w.npy").write_bytes(npy("d", f"({len(weights)},)", weights))


def write_inputs(folder, rows=400, seed=1):
    """rows.svm and number.svm (5 features), rows.csv and schema.json, all small; for more
    than two classes those of write_kinds; .npy files with those of write_arrays; ids and
    weights with those of write_persons.

    Another seed gives other records with the same public facts.
    """
    draw = random.Random(seed)
    svm, numbers, csv = [], [], ["id,age,weight,ward,outcome"]
    for i in range(rows):
        x = [draw.uniform(-1, 1) for _ in range(5)]
        label = x[0] - 0.5 * x[1] + 0.3 * draw.uniform(-1, 1) > 0
        cells = " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x))
        svm.append(f"{1 if label else -1} {cells}")
        numbers.append(f"{10 + 5 * x[0] - 2 * x[2] + draw.uniform(-1, 1):.3f} {cells}")
        age, weight = draw.randint(1, 99), draw.uniform(40, 120)
        ill = age + draw.uniform(-20, 20) > 50
        csv.append(f"{i},{age},{weight:.1f},{draw.choice('abc')},{'ill' if ill else 'well'}")
    folder = pathlib.Path(folder)
    (folder / "rows.svm").write_text("\n".join(svm) + "\n")
    (folder / "number.svm").write_text("\n".join(numbers) + "\n")
    (folder / "rows.csv").write_text("\n".join(csv) + "\n")
    (folder / "schema.json").write_text(SCHEMA)
    write_persons(folder, csv)
    write_kinds(folder, rows, draw)
    write_arrays(folder, rows, draw)


def put_on_path(name, program):
    """The program of this name, with Meson's wrapper for programs of another processor."""
    wrapper = os.environ.get("MESON_EXE_WRAPPER")
    if not wrapper:
        name.symlink_to(os.path.abspath(program))
        return
    name.write_text(f'#!/bin/sh\nexec {wrapper} {shlex.quote(os.path.abspath(program))} "$@"\n')
    name.chmod(0o755)


class Place:
    """The folder of one case, with the inputs in it and tacit on the path."""

    def __init__(self, program):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tacit-golden-"))
        self.work = self.folder / "work"
        self.work.mkdir()
        (self.folder / "bin").mkdir()
        put_on_path(self.folder / "bin" / "tacit", program)
        write_inputs(self.work)
        self.env = dict(os.environ, LC_ALL="C", PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        shutil.rmtree(self.folder)

    def files(self):
        return sorted(str(p.relative_to(self.work)) for p in self.work.rglob("*"))

    def shell(self, line, timeout=120):
        """Runs a line of sh; returns (exit code, standard output, standard error)."""
        done = subprocess.run(["/bin/sh", "-c", line], cwd=self.work, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def tacit(self, *words, timeout=120):
        done = subprocess.run(["tacit", *map(str, words)], cwd=self.work, env=self.env,
                              executable=str(self.folder / "bin" / "tacit"),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


def at_moment(module, number, **moment):
    """Environment in which a program sends itself a signal at a moment of moment.c, whose
    path is module: call=N, or file=PATH with size=BYTES. calls=PATH: the number of calls.
    """
    env = {f"TACIT_TEST_{key.upper()}": str(value) for key, value in moment.items()}
    return dict(env, LD_PRELOAD=module, TACIT_TEST_SIGNAL=str(int(number)),
                ASAN_OPTIONS="verify_asan_link_order=0")


class Failed(Exception):
    """A failed check; the text says which one."""


def promise(model):
    """The statement without its digest, which follows from the weights: public facts only."""
    return {key: value for key, value in model["statement"].items() if key != "digest"}


def check(holds, text):
    if not holds:
        raise Failed(text)


def train(place, *words, model="m.json", data="rows.svm", columns=("--features", 5)):
    """Trains quietly; returns (statement as printed, model)."""
    code, out, err = place.tacit("train", "-q", *columns, "-o", model, *words, data)
    check(code == 0, f"train failed ({code}): {err}")
    check(err == "", f"train -q printed on standard error:\n{err}")
    return out, json.loads((place.work / model).read_text())


def complaint_of(program, test):
    """What a test has to complain about, or None."""
    with Place(program) as place:
        try:
            test(place)
        except Failed as failed:
            return str(failed)
        except subprocess.TimeoutExpired as expired:
            return f"took longer than {expired.timeout} s: {expired.cmd}"
        except (OSError, LookupError, ValueError) as fault:
            return f"{type(fault).__name__}: {fault}"
    return None


def run_tap(program, tests, jobs=1):
    """tests: (name, function of a Place); jobs: how many at a time. Prints TAP, returns the exit code."""
    # A shell makes background processes ignore SIGINT, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    bad = 0
    print(f"1..{len(tests)}")
    with futures.ThreadPoolExecutor(jobs) as pool:
        run_all = pool.map if jobs > 1 else map  # some tests need the main thread
        complaints = run_all(lambda case: complaint_of(program, case[1]), tests)
        for number, ((name, _), complaint) in enumerate(zip(tests, complaints), 1):
            print(f"{'not ok' if complaint else 'ok'} {number} - {name}")
            for line in (complaint or "").splitlines():
                print(f"# {line}")
            bad += complaint is not None
            sys.stdout.flush()
    return 1 if bad else 0
