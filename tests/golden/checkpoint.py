#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checkpoints of the program: checkpoint.py PROGRAM MOMENT

Runs are killed at random moments and resumed; what was changed in between is found. Moments
are calls of the run that change files, which the module MOMENT counts (moment.c).
"""
import gzip
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys

from golden import at_moment, check, run_tap

FEATURES = 5
# Sizes of the parts of the file: docs/design/processes.md.
PREFIX, AROUND, FIRST, FRONT, ROUND = 24, 48, 192, 40, 16 + 8 * (FEATURES + 1)
# The preset without round 0: records of one size. tests/unit/checkpoint has centred runs.
COMMON = ["--preset", "anytime", "--features", FEATURES, "--epsilon", 1, "--seed", 7]
KEEP = ["--checkpoint", "run.ckpt", "--key-file", "key"]
MOMENT = os.path.abspath(sys.argv[2])


def write_key(place, name="key", text="0123456789abcdef0123456789abcdef", mode=0o600):
    (place.work / name).write_text(text)
    (place.work / name).chmod(mode)


def write_rows(place, rows, seed=5):
    draw = random.Random(seed)
    lines = []
    for _ in range(rows):
        x = [draw.uniform(-1, 1) for _ in range(FEATURES)]
        cells = " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x))
        lines.append(f"{1 if x[0] > x[1] else 0} {cells}")
    (place.work / "many.svm").write_text("\n".join(lines) + "\n")


def command(*words, model="m.json", data="many.svm"):
    return ["train", "-q", *map(str, COMMON), "-o", model, *map(str, words), data]


def run_until(place, number, *words, stdin=None, **moment):
    """Exit code and error text of a run that sends itself a signal; see at_moment."""
    done = subprocess.run(["tacit", *words], cwd=place.work, check=False, timeout=120,
                          env=dict(place.env, **at_moment(MOMENT, number, **moment)),
                          executable=str(place.folder / "bin" / "tacit"),
                          stdin=stdin or subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode()


def reference(place, *words):
    code, _, err = place.tacit(*command(*words, model="whole.json"))
    check(code == 0, err)
    return (place.work / "whole.json").read_bytes()


def records_in(place):
    """Ends of the complete records of the checkpoint; empty if there is no file."""
    try:
        sealed = (place.work / "run.ckpt").read_bytes()
    except FileNotFoundError:
        return []
    at, ends = PREFIX, []
    while at + AROUND <= len(sealed):
        at += AROUND + int.from_bytes(sealed[at:at + 8], "little")
        if at > len(sealed):
            break
        ends.append(at)
    return ends


def rounds_in(place):
    """Rounds in the checkpoint, by the sizes of its records; -1 if there is no file."""
    ends = records_in(place)
    sizes = [after - before - AROUND - FRONT for before, after in zip(ends, ends[1:])]
    check(all(size > 0 and size % ROUND == 0 for size in sizes), f"records of {sizes} bytes")
    return sum(sizes) // ROUND if ends else -1


def size_with(rounds):
    """Size of a checkpoint with so many rounds, each in its own record (up to 64)."""
    return PREFIX + AROUND + FIRST + rounds * (AROUND + FRONT + ROUND)


def stop_at_round(place, least, number, *words):
    """Starts a run, and ends it by a signal as soon as so many rounds are stored."""
    code, err = run_until(place, number, *command(*KEEP, *words), file="run.ckpt",
                          size=size_with(least))
    check(code != 0, "the run was over before it could be stopped")
    check(least <= rounds_in(place) <= least + 1, f"{rounds_in(place)} rounds, not {least}: {err}")
    return code, err


def resumes(place, whole, *words):
    code, out, err = place.tacit(*command(*KEEP, "--resume", *words))
    check(code == 0 and err == "" and out != "", f"{code}: {err}")
    check((place.work / "m.json").read_bytes() == whole, "another model than without a break")
    left = [name for name in place.files() if name.startswith("run.ckpt")]
    check(not left, f"left behind: {left}")
    (place.work / "m.json").unlink()


def refused(place, exit_code, pattern, *words, command_line=None):
    # A half-written file that a kill left disturbs no one and may be removed.
    (place.work / "run.ckpt.tmp").unlink(missing_ok=True)
    before = {name: (place.work / name).read_bytes() for name in place.files()}
    code, out, err = place.tacit(*(command_line or command(*KEEP, *words)))
    check(code == exit_code, f"exit code {code}, not {exit_code}: {err}")
    check(out == "" and re.fullmatch(rf"tacit train: {pattern}\n", err), err)
    after = {name: (place.work / name).read_bytes() for name in place.files()}
    check(before == after, "a refusal changed a file")


def killed(*words, kills=20, seed=1):
    def scenario(place):
        write_key(place)
        write_rows(place, 6000)
        whole = reference(place, *words)
        code, err = run_until(place, signal.SIGKILL, *command(*KEEP, *words), calls="calls")
        check(code == 0, err)
        check((place.work / "m.json").read_bytes() == whole, "a checkpoint changes the model")
        (place.work / "m.json").unlink()
        most = int((place.work / "calls").read_text()) // 4
        draw, done, kept = random.Random(seed), 0, []
        while done < kills:
            code, err = run_until(place, signal.SIGKILL, *command(*KEEP, "--resume", *words),
                                  call=draw.randint(1, most))
            check(code in (0, -signal.SIGKILL), err)
            if code == 0:  # through before its moment came
                check((place.work / "m.json").read_bytes() == whole, "another model")
                (place.work / "m.json").unlink()
                continue
            done += 1
            kept.append(rounds_in(place))
            if (place.work / "m.json").exists():
                check((place.work / "m.json").read_bytes() == whole, "half a model")
        check(len(set(kept)) > 3, f"all killed at one place: {kept}")
        resumes(place, whole, *words)
    return scenario


def of_one_key(place):
    """What users run: the default preset with its round 0, and no seed. All of its noise is a
    function of the key that the checkpoint holds from the start, so one beginning leads to
    one model, byte for byte, wherever the run is killed and however often it is resumed.
    With other noise in a round that was released before, the round would have cost twice.
    """
    write_key(place)
    write_rows(place, 3000)
    line = ["train", "-q", "--features", FEATURES, "--epsilon", 1, *KEEP, "--resume",
            "-o", "m.json", "many.svm"]
    line, log, model = [str(word) for word in line], place.work / "run.ckpt", place.work / "m.json"

    def goes_on_from(sealed, whole=None):
        log.write_bytes(sealed)
        code, _, err = place.tacit(*line)
        check(code == 0 and err == "", f"from {len(sealed)} bytes: {code}: {err}")
        found = model.read_bytes()
        model.unlink()
        check(whole in (None, found), f"from {len(sealed)} bytes another model: a release was made anew")
        return found

    code, err = run_until(place, signal.SIGKILL, *line, file="run.ckpt", size=PREFIX)
    check(code == -signal.SIGKILL and len(records_in(place)) == 1, f"{code}: {err}")
    begun = log.read_bytes()
    whole = goes_on_from(begun)
    check("round_0" in json.loads(whole)["statement"], "the run has no round 0")
    goes_on_from(begun, whole)
    log.write_bytes(begun)
    code, err = run_until(place, signal.SIGKILL, *line, calls="calls")
    check(code == 0 and model.read_bytes() == whole, f"another model: {code}: {err}")
    most, draw, longest = int((place.work / "calls").read_text()), random.Random(4), begun
    for _ in range(12):
        log.write_bytes(begun)
        for _ in range(3):
            code, err = run_until(place, signal.SIGKILL, *line, call=draw.randint(1, most // 2))
            check(code in (0, -signal.SIGKILL), err)
            if code == 0:
                break
        if log.exists():
            longest = max(longest, log.read_bytes(), key=len)
            goes_on_from(log.read_bytes(), whole)
        check(code != 0 or model.read_bytes() == whole, "another model")
        model.unlink(missing_ok=True)
    log.write_bytes(longest)
    ends = records_in(place)
    check(len(ends) > 10, f"{len(ends)} records at most")
    for end in {*ends[:4], *ends[4::7]}:  # as if killed after round 0, or any later one
        goes_on_from(longest[:end], whole)


def stopped(number):
    def scenario(place):
        write_key(place)
        write_rows(place, 20000)
        whole = reference(place, "--batch", 200)
        code, err = stop_at_round(place, 5, number, "--batch", 200)
        check(code == 128 + number, f"exit code {code}: {err}")
        check(err == f"tacit train: stopped by {number.name} before it was done; "
              "add --resume to continue\n", err)
        check(not (place.work / "m.json").exists(), "a model of a run that was stopped")
        resumes(place, whole, "--batch", 200, "--threads", 2)
    return scenario


def what_is_refused(place):
    write_key(place)
    write_key(place, "other", "0123456789abcdef0123456789abcdeF")
    write_key(place, "short", "0123456789abcdef")
    write_key(place, "open", mode=0o644)
    write_key(place, "zero", "\0" * 32)
    write_rows(place, 20000)
    options = ["--batch", 200, "--no-shuffle"]
    whole = reference(place, *options)
    stop_at_round(place, 40, signal.SIGKILL, *options)
    refused(place, 5, ".*run.ckpt: this checkpoint is of a run that has not ended: add --resume "
            "to go on, or delete it", *options)
    same = command(*KEEP, "--resume", *options)
    for old, new in (("200", "210"), ("7", "8"), ("--no-shuffle", "--no-bias"), ("-q", "--l2=1")):
        refused(place, 5, ".*run.ckpt: the checkpoint is of a run with other options, columns or "
                "rows: .*", command_line=[new if word == old else word for word in same])
    (place.work / "copy.svm").write_bytes((place.work / "many.svm").read_bytes())
    refused(place, 5, ".*run.ckpt: the checkpoint is of a run with other data files.*",
            command_line=command(*KEEP, "--resume", *options, data="copy.svm"))
    for name, code, text in (("other", 3, ".*run.ckpt: the wrong key file, or a damaged "
                              "file: nothing is read from it"),
                             ("short", 5, "short: a key file has 32 to 65536 bytes, .*"),
                             ("open", 5, "open: others may .*: chmod 600 it"),
                             ("zero", 5, "zero: all bytes of this key file are the same, which is "
                              "no secret: head -c 32 /dev/urandom > FILE"),
                             ("none", 1, "none: cannot read: No such file or directory")):
        refused(place, code, text, command_line=command(
            "--checkpoint", "run.ckpt", "--key-file", name, "--resume", *options))
    sealed, ends = (place.work / "run.ckpt").read_bytes(), records_in(place)
    draw = random.Random(3)
    for _ in range(20):
        # Nothing is read from a log with a changed byte before its last record, nor from
        # one whose first record is not complete.
        bad, record = bytearray(sealed[:ends[-1]]), draw.randrange(len(ends) - 1)
        begin = ends[record - 1] + 8 if record > 0 else 0
        bad[draw.randrange(begin, ends[record])] ^= 1 << draw.randrange(8)
        (place.work / "run.ckpt").write_bytes(bad)
        refused(place, 3, ".*run.ckpt: .*", "--resume", *options)
        (place.work / "run.ckpt").write_bytes(sealed[:draw.randrange(ends[0])])
        refused(place, 3, ".*run.ckpt: .*", "--resume", *options)
    for _ in range(10):  # cut or changed after that, the run continues from an earlier round
        (place.work / "run.ckpt").write_bytes(sealed[:draw.randrange(ends[0], len(sealed))])
        resumes(place, whole, *options)
        bad = bytearray(sealed[:ends[-1]])
        bad[draw.randrange(ends[-2], ends[-1])] ^= 1 << draw.randrange(8)
        (place.work / "run.ckpt").write_bytes(bad)
        check(place.tacit(*command(*KEEP, "--resume", *options))[0] in (0, 3), "another end")
        if (place.work / "m.json").exists():
            check((place.work / "m.json").read_bytes() == whole, "another model")
            (place.work / "m.json").unlink()
    (place.work / "run.ckpt").write_bytes(sealed)
    resumes(place, whole, *options)


def change_row(place, number):
    """Puts another value of the same length into a row, counted from 0."""
    lines = (place.work / "many.svm").read_text().splitlines()
    digit = lines[number][-1]
    lines[number] = lines[number][:-1] + ("1" if digit != "1" else "2")
    (place.work / "many.svm").write_text("\n".join(lines) + "\n")


CHANGED = (".*run.ckpt: the data is not what it was when the checkpoint was written: go on with "
           "the same rows, or delete it to start anew")


def rows_that_change(place):
    """Any row, consumed or not, in plain and compressed files, in order or shuffled."""
    write_key(place)
    for options in (["--no-shuffle"], [], ["--no-shuffle", "--rows", 20000], ["--passes", 2]):
        write_rows(place, 20000)
        rows = (place.work / "many.svm").read_bytes()
        options = ["--batch", 200, *options]
        whole = reference(place, *options)
        stop_at_round(place, 30, signal.SIGKILL, *options)
        for number in (0, 777, 10000, 19999):
            change_row(place, number)
            refused(place, 3, CHANGED, "--resume", *options)
            (place.work / "many.svm").write_bytes(rows)
        resumes(place, whole, *options)


def compressed_rows_that_change(place):
    """The decoded bytes are compared: gzip files of the same size may contain other rows."""
    write_key(place)
    write_rows(place, 3000)
    rows = (place.work / "many.svm").read_bytes()
    for options in (["--no-shuffle"], []):
        (place.work / "many.svm").write_bytes(gzip.compress(rows, 0))
        options = ["--batch", 10, *options]
        whole = reference(place, *options)
        stop_at_round(place, 20, signal.SIGKILL, *options)
        other = bytearray(rows)
        other[-2] = ord("1") if other[-2] != ord("1") else ord("2")
        (place.work / "many.svm").write_bytes(gzip.compress(bytes(other), 0))
        refused(place, 3, CHANGED, "--resume", *options)
        (place.work / "many.svm").write_bytes(gzip.compress(rows, 0))
        resumes(place, whole, *options)


def write_npy(path, kind, shape, values):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    code = {"<f4": "f", "<f8": "d"}[kind]
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() +
                     struct.pack(f"<{len(values)}{code}", *values))


def binary_rows_that_change(place):
    """A .npy file with its labels, and a cache that was made again from other rows."""
    write_key(place)
    write_rows(place, 3000)
    draw = random.Random(8)
    labels = [draw.choice([0.0, 1.0]) for _ in range(3000)]
    values = [draw.uniform(-1, 1) for _ in range(3000 * FEATURES)]
    options = ["--batch", 10, "--label-file", "y.npy"]

    def write(x, y):
        write_npy(place.work / "many.svm", "<f4", (3000, FEATURES), x)
        write_npy(place.work / "y.npy", "<f8", "(3000,)", y)
    write(values, labels)
    whole = reference(place, *options)
    stop_at_round(place, 20, signal.SIGKILL, *options)
    write([*values[:-1], 0.5], labels)
    refused(place, 3, CHANGED, "--resume", *options)
    write(values, [1 - labels[0], *labels[1:]])
    refused(place, 3, CHANGED, "--resume", *options)
    write(values, labels)
    resumes(place, whole, *options)

    options = ["--batch", 10]
    names = []
    for name, last in (("a", "3"), ("b", "4")):
        write_rows(place, 3000)
        text = (place.work / "many.svm").read_text()
        (place.work / "rows.svm").write_text(text[:-2] + last + "\n")
        code, _, err = place.tacit("cache", "--features", str(FEATURES), "-o",
                                   f"{name}.cache", "rows.svm")
        check(code == 0, err)
        names.append((place.work / f"{name}.cache").read_bytes())
    check(len(names[0]) == len(names[1]), "the caches must have one size to be mixed up")
    (place.work / "many.svm").write_bytes(names[0])
    whole = reference(place, *options)
    stop_at_round(place, 20, signal.SIGKILL, *options)
    (place.work / "many.svm").write_bytes(names[1])
    refused(place, 3, CHANGED, "--resume", *options)
    (place.work / "many.svm").write_bytes(names[0])
    resumes(place, whole, *options)


def many_files(place):
    """With more files than descriptors all are digested, from a store or a stream."""
    write_key(place)
    write_rows(place, 1200)
    lines = (place.work / "many.svm").read_text().splitlines(keepends=True)
    (place.work / "s").mkdir()
    for i in range(300):
        (place.work / "s" / f"{i:03}").write_text("".join(lines[4 * i:4 * i + 4]))
    for options in ("", "--no-shuffle", "--no-shuffle --rows 1200"):
        line = " ".join(command(*KEEP, *options.split(), "--resume", data="s/*"))
        code, _, err = place.shell(f"ulimit -n 100; exec tacit {line}")
        check(code == 0, f"{options}: {err}")
        model = (place.work / "m.json").read_bytes()
        code, _, err = place.shell("exec tacit " + " ".join(
            command(*options.split(), model="whole.json", data="s/*")))
        check(code == 0 and (place.work / "whole.json").read_bytes() == model, "another model")


def full_disk(place):
    """If a limit on file sizes is reached after some rounds, the last checkpoint remains."""
    write_key(place)
    write_rows(place, 400)
    whole = reference(place, "--batch", 10)
    line = " ".join(command(*KEEP, "--batch", 10))
    code, out, err = place.shell(f"trap '' XFSZ; ulimit -f 4; exec tacit {line}")
    check(code == 1 and out == "", f"{code}: {err}")
    check(re.fullmatch(r"tacit train: .*run.ckpt: cannot write: File too large\n", err), err)
    check(not (place.work / "m.json").exists(), "a model without its last rounds")
    check(rounds_in(place) > 5, f"{rounds_in(place)} rounds kept")
    check("run.ckpt.tmp" not in place.files(), "half a checkpoint left behind")
    resumes(place, whole, "--batch", 10)


def starting(place):
    """--resume without a checkpoint starts a run, and says so unless -q is given."""
    write_key(place)
    write_rows(place, 400)
    whole = reference(place)
    resumes(place, whole)
    words = [word for word in command(*KEEP, "--resume") if word != "-q"]
    code, _, err = place.tacit(*words)
    check(code == 0, err)
    check(err.startswith("tacit train: no checkpoint run.ckpt yet: starting at the first "
                         "round\n"), err)
    mode = os.stat(place.work / "key").st_mode & 0o777
    check(mode == 0o600, "the key file was touched")


def of_no_use(place):
    """Contradictory options are refused before anything is read."""
    write_key(place)
    write_rows(place, 400)
    for text, words in (
            ("--checkpoint needs --key-file FILE: .*", ["--checkpoint", "run.ckpt"]),
            ("--key-file is for a --checkpoint or a --ledger: give one", ["--key-file", "key"]),
            ("--resume continues from a --checkpoint: say which", ["--resume"]),
            ("-o m.json is the same file as --checkpoint m.json, .*",
             ["--checkpoint", "m.json", "--key-file", "key"]),
            ("--checkpoint key is the same file as --key-file key, .*",
             ["--checkpoint", "key", "--key-file", "key"]),
            ("--checkpoint many.svm is the same file as many.svm, .*",
             ["--checkpoint", "many.svm", "--key-file", "key", "--resume"])):
        refused(place, 2, text, command_line=command(*words))
    refused(place, 2, "- is not a regular file and cannot be read again, so the run cannot be "
            "resumed: drop --checkpoint, or give --cache FILE to keep its rows",
            command_line=command(*KEEP, "--rows", 400, data="-"))
    refused(place, 1, "no/run.ckpt: cannot write: No such file or directory",
            command_line=command("--checkpoint", "no/run.ckpt", "--key-file", "key"))


def cached_pipe(place):
    """A run on a pipe with --cache continues from the cache."""
    write_key(place)
    write_rows(place, 20000)
    line = command(*KEEP, "--batch", 200, "--cache", "rows.cache", data="-")
    with open(place.work / "many.svm", "rb") as rows:
        code, err = run_until(place, signal.SIGKILL, *line, stdin=rows, file="run.ckpt",
                              size=size_with(20))
    check(code == -signal.SIGKILL, f"over before it could be killed: {code} {err}")
    code, _, err = place.tacit(*command(*KEEP, "--batch", 200, "--resume", data="rows.cache"))
    check(code == 0, err)
    code, _, err = place.tacit(*command("--batch", 200, model="whole.json", data="rows.cache"))
    check(code == 0, err)
    check((place.work / "m.json").read_bytes() == (place.work / "whole.json").read_bytes(),
          "another model than without a break")


SCENARIOS = [
    ("killed at 20 moments and resumed", killed("--batch", 100)),
    ("killed at 20 moments in 3 passes by tree", killed("--passes", 3, "--mechanism", "tree",
                                                        seed=2)),
    ("one key, one model, without a seed and with round 0", of_one_key),
    ("SIGINT, then resumed", stopped(signal.SIGINT)),
    ("SIGTERM, then resumed", stopped(signal.SIGTERM)),
    ("what does not belong together is refused", what_is_refused),
    ("rows that change in between", rows_that_change),
    ("compressed rows that change in between", compressed_rows_that_change),
    ("binary rows that change in between", binary_rows_that_change),
    ("more files than descriptors", many_files),
    ("a disk that is full", full_disk),
    ("a pipe with a cache", cached_pipe),
    ("resume without a checkpoint starts", starting),
    ("options that cannot be meant", of_no_use),
]

sys.exit(run_tap(sys.argv[1], SCENARIOS))
