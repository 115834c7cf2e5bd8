#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Streams of the program: stream.py PROGRAM MOMENT [full]

Feeds are killed at calls that change files, which the module MOMENT counts (moment.c), and
repeated; with "full" also at random moments. All models are those of an undisturbed run.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from golden import at_moment, check, run_tap

FEATURES, DAYS = 4, 60
MOMENT = os.path.abspath(sys.argv[2])
FULL = len(sys.argv) > 3
KEY = ["--key-file", "key"]
INIT = ["--horizon", DAYS, "--batch-rows", 40, "--epsilon", 4, "--features", FEATURES, "--threads", 1]


def write_key(place, name="key", text="0123456789abcdef0123456789abcdef"):
    (place.work / name).write_text(text)
    (place.work / name).chmod(0o600)


def write_days(place, days=DAYS, persons=False):
    draw = random.Random(11)
    for day in range(1, days + 1):
        lines, ids = [], []
        for _ in range(0 if day % 13 == 0 else draw.randint(20, 60)):
            x = [draw.uniform(-1, 1) for _ in range(FEATURES)]
            cells = " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x))
            lines.append(f"{1 if x[0] > x[1] else 0} {cells}\n")
            ids.append(f"p{draw.randint(1, 900)}\n")
        (place.work / f"{day}.svm").write_text("".join(lines))
        if persons:
            (place.work / f"{day}.ids").write_text("".join(ids))


def feed(day, model=None, persons=False):
    unit = ["--unit", f"{day}.ids"] if persons and day % 13 else []
    return ["stream", "feed", "s.state", f"{day}.svm", "--round", str(day), *KEY, *unit,
            "-o", model or f"m{day}.json"]


def begin(place, *words):
    code, _, err = place.tacit("stream", "init", "s.state", *KEY, *map(str, INIT), *words)
    check(code == 0, err)


def copies(place, names):
    return {name: (place.work / name).read_bytes() for name in names if (place.work / name).exists()}


def put_back(place, kept):
    for name, content in kept.items():
        (place.work / name).write_bytes(content)


def run(place, words, env):
    return subprocess.run(["tacit", *words], cwd=place.work, check=False, timeout=120,
                          env=dict(place.env, **env),
                          executable=str(place.folder / "bin" / "tacit"), stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def killed(*words, persons=False):
    """30 kills during 60 feeds. The undisturbed run has the same state at its start."""
    def scenario(place):
        write_key(place)
        write_days(place, persons=persons)
        begin(place, *words)
        start = copies(place, ["s.state", "s.state.persons"])
        for day in range(1, DAYS + 1):
            code, _, err = place.tacit(*feed(day, persons=persons))
            check(code == 0, err)
        whole = {day: (place.work / f"m{day}.json").read_bytes() for day in range(1, DAYS + 1)}
        check(len(set(whole.values())) == DAYS, "two days have one model")
        put_back(place, start)
        calls = run(place, feed(1, "again.json", persons), at_moment(MOMENT, signal.SIGKILL, calls="calls"))
        check(calls.returncode == 0, calls.stderr.decode())
        most = int((place.work / "calls").read_text())
        put_back(place, start)
        draw, kills, moments = random.Random(3), 0, set()
        doomed = set(draw.sample(range(1, DAYS + 1), 30))
        for day in range(1, DAYS + 1):
            while day in doomed:
                moment = draw.randint(1, most)
                done = run(place, feed(day, "again.json", persons),
                           at_moment(MOMENT, signal.SIGKILL, call=moment))
                check(done.returncode in (0, -signal.SIGKILL), done.stderr.decode())
                if done.returncode == 0:  # through before its moment came: it is fed again below
                    break
                kills += 1
                moments.add(moment)
                doomed.discard(day)
            code, _, err = place.tacit(*feed(day, "again.json", persons))
            check(code == 0, f"day {day}: {err}")
            check((place.work / "again.json").read_bytes() == whole[day], f"day {day}: another model")
        check(kills >= 25 and len(moments) >= most // 3, f"{kills} kills at {len(moments)} moments of {most}")
        left = [name for name in place.files() if name.endswith(".tmp")]
        check(not left, f"left behind: {left}")
    return scenario


def killed_at_random(place):
    """The same by the clock: whatever a kill meets, the models are the same."""
    write_key(place)
    write_days(place)
    begin(place)
    start = copies(place, ["s.state"])
    whole, took = {}, []
    for day in range(1, DAYS + 1):
        began = time.monotonic()
        check(place.tacit(*feed(day))[0] == 0, f"day {day}")
        took.append(time.monotonic() - began)
        whole[day] = (place.work / f"m{day}.json").read_bytes()
    put_back(place, start)
    draw, kills = random.Random(5), 0
    usual = sorted(took)[DAYS // 2]  # kills come while a feed runs, on any machine
    for day in range(1, DAYS + 1):
        while kills < 30 and draw.random() < 0.8:
            process = subprocess.Popen(["tacit", *feed(day, "again.json")], cwd=place.work, env=place.env,
                                       executable=str(place.folder / "bin" / "tacit"),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(timeout=draw.uniform(0, usual))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        code, _, err = place.tacit(*feed(day, "again.json"))
        check(code == 0, err)
        check((place.work / "again.json").read_bytes() == whole[day], f"day {day}: another model")
    check(kills == 30, f"{kills} kills")


def refused(place, exit_code, pattern, *words):
    before = {name: (place.work / name).read_bytes() for name in place.files()}
    code, out, err = place.tacit("stream", *words)
    check(code == exit_code, f"exit code {code}, not {exit_code}: {err}")
    check(out == "" and re.fullmatch(rf"tacit stream: {pattern}\n", err), err)
    after = {name: (place.work / name).read_bytes() for name in place.files()}
    check(before == after, "a refusal changed a file")


def what_is_refused(place):
    write_key(place)
    write_key(place, "other", "0123456789abcdef0123456789abcdeF")
    write_days(place, 4)
    state = ["s.state", *KEY]
    begin(place)
    refused(place, 5, "s.state: exists: .*", "init", *state, *map(str, INIT))
    refused(place, 2, "unknown action fed: did you mean feed\\?", "fed", *state)
    refused(place, 2, "unknown action abc: give one of: init feed status close plan", "abc", *state)
    refused(place, 2, "--key-file FILE is missing: give the one that the stream was made with", "status", "s.state")
    refused(place, 2, "--key-file FILE is missing: .*head -c 32 .*", "init", "t")
    refused(place, 2, "a stream is private: --mechanism none .*", "init", "t", *KEY, "--horizon", "3",
            "--batch-rows", "5", "--features", "4", "--mechanism", "none")
    refused(place, 2, "stream status needs the file of the state", "status")
    refused(place, 2, "--horizon is missing: .*", "init", "t", *KEY, "--epsilon", "1", "--features", "4")
    refused(place, 2, "the columns are missing: .*", "init", "t", *KEY, "--epsilon", "1", "--horizon", "3",
            "--batch-rows", "5")
    refused(place, 2, "--passes is not for stream init: leave it out", "init", "t", *KEY, "--epsilon", "1",
            "--horizon", "3", "--batch-rows", "5", "--features", "4", "--passes", "2")
    check("\n      --passes" not in place.tacit("stream", "--help-all")[1], "the help names what is refused")
    refused(place, 2, "--epsilon is not for stream feed: .*", "feed", *state, "1.svm", "-o", "m", "--epsilon", "2")
    refused(place, 2, "-o MODEL is missing: .*", "feed", *state, "1.svm")
    refused(place, 2, "--skip needs --round T: .*", "feed", *state, "1.svm", "-o", "m", "--skip")
    refused(place, 2, "the rows of the day are missing: .*", "feed", *state, "-o", "m")
    refused(place, 2, "-: a day is read twice, .*", "feed", *state, "-", "-o", "m")
    refused(place, 1, "none: cannot read: No such file or directory", "status", "none", *KEY)
    refused(place, 3, ".*s.state: the wrong key file, or a damaged file: .*", "status", "s.state",
            "--key-file", "other")
    (place.work / "bad.svm").write_text("1 1:0.5 2:hunter2\n")
    refused(place, 3, "bad.svm: line 1, .*", "feed", *state, "bad.svm", "-o", "m")
    check(place.tacit(*feed(1))[0] == 0, "day 1")
    refused(place, 5, "round 1 was fed with other rows: .*; round 2 is next", "feed", *state, "2.svm",
            "--round", "1", "-o", "m")
    refused(place, 2, "round 2 is next, not 3: .*", "feed", *state, "3.svm", "--round", "3", "-o", "m")
    refused(place, 2, "round 2 is next, and the stream has [0-9]+ rounds, not 1000", "feed", *state, "3.svm",
            "--round", "1000", "--skip", "-o", "m")
    (place.work / "large.svm").write_text("1 1:0.5\n" * 2000)
    refused(place, 3, "the day has 2000 rows, and this stream takes at most 1640 more: .*", "feed", *state,
            "large.svm", "-o", "m")
    sealed = bytearray((place.work / "s.state").read_bytes())
    sealed[len(sealed) // 2] ^= 1
    (place.work / "s.state").write_bytes(sealed)
    refused(place, 3, ".*s.state: the wrong key file, or a damaged file: .*", "status", *state)


def a_day_of_every_kind(place):
    """A CSV schema, missed and empty days, status, plan, a ledger, close."""
    write_key(place)
    (place.work / "day.csv").write_text((place.work / "rows.csv").read_text())
    header = (place.work / "rows.csv").read_text().splitlines()[0] + "\n"
    (place.work / "none.csv").write_text(header)
    code, _, err = place.tacit("ledger", "init", "team.db", "--dataset", "d", "--epsilon", "2", "--delta", "1e-6")
    check(code == 0, err)
    options = ["--horizon", "9", "--batch-rows", "400", "--epsilon", "2", "--schema", "schema.json"]
    code, out, err = place.tacit("stream", "plan", *options, "--window", "3")
    check(code == 0 and "of that of the tree" in out and "a model learns from at most 3 days" in out, out + err)
    code, out, err = place.tacit("stream", "init", "s.state", *KEY, *options, "--ledger", "team.db",
                                 "--dataset", "d")
    check(code == 0 and "all models of all 9 days together" in out, err)
    shutil.copy(place.work / "s.state", place.work / "old")
    for words in (["day.csv", "--round", "1"], ["none.csv", "--round", "2"], ["day.csv", "--round", "5", "--skip"]):
        code, out, err = place.tacit("stream", "feed", "s.state", *words, *KEY, "-o", "m.json")
        check(code == 0 and out == "" and err == "", err)
    code, _, err = place.tacit("stream", "feed", "s.state", "--skip", "--round", "7", *KEY)
    check(code == 0, err)
    code, out, err = place.tacit("stream", "status", "s.state", *KEY)
    check(code == 0 and out.startswith("rounds        7 of 9; the next is waiting for its rows\n"), out)
    code, out, err = place.tacit("predict", "m.json", "rows.csv")
    check(code == 0 and len(out.splitlines()) > 100, err)
    (place.work / "other.csv").write_text("".join((place.work / "rows.csv").read_text().splitlines(True)[:200]))
    refused(place, 5, "the ledger has begun round 7 of the stream, and this state begins round 1: .*",
            "feed", "old", "other.csv", *KEY, "-o", "m.json")
    code, out, err = place.tacit("stream", "close", "s.state", *KEY)
    check(code == 0 and "the stream is closed" in out, out + err)
    code, out, err = place.tacit("ledger", "show", "team.db")
    check(code == 0 and "1 committed, 0 reserved" in out, out + err)


def status_rounds_mu_up(place):
    write_key(place)
    for i in range(1, 9):
        words = [str(i / 3) if before == "--epsilon" else str(word) for before, word in zip([None, *INIT], INIT)]
        check(place.tacit("stream", "init", "s.state", *KEY, *words)[0] == 0, "a stream begins")
        found = json.loads(place.tacit("stream", "status", "s.state", *KEY, "--json")[1])
        text = float(re.search(r"\(mu (\S+)\) for all", place.tacit("stream", "status", "s.state", *KEY)[1]).group(1))
        check(0 <= text / found["statement"]["mu"] - 1 < 2e-5, f"{text} is not {found['statement']['mu']} rounded up")
        (place.work / "s.state").unlink()


TESTS = [("killed at 30 calls of 60 feeds", killed("--seed", "3")),
         ("killed with the tree, persons, windows and scores",
          killed("--seed", "4", "--mechanism", "tree", "--unit-once", "--window", "25", "--evaluate", "0.1",
                 persons=True)),
         ("what is refused", what_is_refused),
         ("a day of every kind", a_day_of_every_kind),
         ("status rounds mu up", status_rounds_mu_up)]
if FULL:
    TESTS = [("killed at random moments", killed_at_random)]
sys.exit(run_tap(sys.argv[1], TESTS))
