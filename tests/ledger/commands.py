#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""commands.py TACIT MOMENT: the ledger as a user meets it: budgets, misuse with its one line and exit
code, runs that fail, are killed or resumed, writes that are killed or do not fit on the disk. MOMENT
is made from golden/moment.c. Prints TAP."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import Script  # noqa: E402

MOMENT = os.path.abspath(sys.argv[2])
script = Script(sys.argv[1], "ledger")
check, call = script.check, script.call


def refused(code, fragment, *words, env=None):
    got, out, line = call(*words, env=env)
    check(got == code and fragment in line and line.count("\n") == 1 and not os.path.exists("x.json"),
          f"exit {code}: {fragment}", f"exit {got}: {line}{out}")


def ledger(name="team.db"):
    return json.loads(call("ledger", "export", name)[1])


def states(name="team.db"):
    return [entry["state"] for entry in ledger(name)["datasets"][0]["entries"]]


with open("d.svm", "w") as data:
    for i in range(2000):
        data.write(f"{1 if i % 3 else -1} 1:{i % 7} 2:{(i * 5) % 11}\n")
with open("persons.txt", "w") as persons:
    for i in range(2000):
        persons.write(f"p{i // 2}\n")
train = ["train", "--features", "2", "--delta", "1e-6", "-q"]
paid = [*train, "--ledger", "team.db", "--dataset", "visits", "-o", "x.json", "d.svm"]

code, out, line = call("ledger", "init", "team.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6")
check(code == 0 and "visits" in out and "head " in out, "init", line)
code, out, line = call(*paid, "--epsilon", "0.9")
check(code == 0 and os.path.exists("x.json") and states() == ["committed"], "a run is paid for", line)
os.remove("x.json")
refused(4, "at most epsilon = 0.395 ", *paid, "--epsilon", "0.5")
left = call("ledger", "remaining", "team.db")[1]
value = left.split("epsilon = ")[1].split()[0]
one = json.loads(call("ledger", "remaining", "team.db", "--json")[1])
check(list(one) == ["dataset", "unit", "adjacency", "in_place", "epsilon", "delta", "mu", "spent_mu", "spent_epsilon",
                    "left_mu", "left_epsilon", "closed", "period", "exposed_mu", "exposed_epsilon"] and one["dataset"] == "visits" and one["left_epsilon"] == float(value),
      "remaining --json is one data set", one)
code, _, line = call(*paid, "--epsilon", value)
check(code == 0 and states() == ["committed"] * 2, "what is left fits", line)
os.remove("x.json")
refused(4, "", *paid, "--epsilon", "0.1")

call("ledger", "init", "team.db", "--dataset", "people", "--epsilon", "1", "--delta", "1e-6", "--unit", "person")
call("ledger", "init", "other.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6")
refused(2, "the ledger has 2 data sets: give --dataset NAME", "ledger", "remaining", "team.db", "--json")
one = json.loads(call("ledger", "remaining", "team.db", "--dataset", "people", "--json")[1])
check(one["dataset"] == "people" and one["unit"] == "person" and one["left_epsilon"] == 1, "… that is asked for", one)
people = [word if word != "visits" else "people" for word in paid]
other = [word if word != "team.db" else "other.db" for word in paid]
refused(2, "for persons", *people, "--epsilon", "0.1")
refused(2, "for rows", *other, "--epsilon", "0.1", "--unit", "persons.txt")
refused(2, "not in the ledger", *[w if w != "visits" else "nothing" for w in paid], "--epsilon", "0.1")
refused(2, "--dataset", *[w for w in paid if w not in ("--dataset", "visits")], "--epsilon", "0.1")
refused(2, "--ledger", *train, "--dataset", "visits", "--epsilon", "0.1", "-o", "x.json", "d.svm")
refused(5, "not private", *other, "--epsilon", "0.1", "--seed", "1")
refused(5, "in their places", *other, "--epsilon", "0.1", "--no-shuffle")
refused(1, "cannot be opened", *[w if w != "team.db" else "no/team.db" for w in paid], "--epsilon", "0.1")
refused(3, "not a ledger", *[w if w != "team.db" else "persons.txt" for w in paid], "--epsilon", "0.1")
refused(2, "already", "ledger", "init", "team.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6")
refused(2, "", *[w if w != "x.json" else "other.db" for w in other], "--epsilon", "0.1")
check(call("ledger", "verify", "other.db")[0] == 0, "an output that is the ledger is refused, the ledger is whole")
refused(2, "password", "ledger", "show", "postgresql://me:secret@nowhere.invalid/team")
away = "postgresql://me@/team?host=/nowhere"
code, _, line = call("ledger", "show", away)
if "no PostgreSQL" in line:
    check(code == 2 and line.count("\n") == 1, "servers need libpq", line)
else:
    check(code == 1 and "cannot be reached" in line and line.count("\n") == 1, "a server that is away", line)
    refused(1, "cannot be reached", *[w if w != "team.db" else away for w in paid], "--epsilon", "0.1")
code, _, line = call(*train, "--epsilon", "0.1", "-o", "x.json", "d.svm",
                     env={"TACIT_LEDGER": "other.db", "TACIT_DATASET": "visits"})
check(code == 0 and states("other.db") == ["committed"], "the environment names a ledger", line)
os.remove("x.json")

call("ledger", "init", "bad.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6", "--in-place")
for name, before, after, state in (("first.svm", "1 9:1\n", "", "refunded"), ("last.svm", "", "1 9:1\n", "reserved")):
    with open(name, "w") as data:
        data.write(before + open("d.svm").read() + after)
    bad = [w if w not in ("team.db", "d.svm") else {"team.db": "bad.db", "d.svm": name}[w] for w in paid]
    code, _, line = call(*bad, "--epsilon", "1", "--no-shuffle",
                         "--preset", "anytime")  # no round 0, which would read all rows first
    check(code == 3 and states("bad.db")[-1] == state,
          f"a run that fails {'after' if state == 'reserved' else 'before'} noise was drawn is {state}", states("bad.db"))
refused(4, "spent", *bad, "--epsilon", "1")
code, out, line = call("ledger", "void", "bad.db", "2", "--reason", "bad data")
check(code == 0 and states("bad.db") == ["refunded", "void"], "void", line)
refused(2, "only a reserved one", "ledger", "void", "team.db", "1", "--reason", "no")
refused(2, "--reason", "ledger", "void", "team.db", "1")

with open("key", "wb") as key:
    key.write(os.urandom(32))
os.chmod("key", 0o600)
call("ledger", "init", "run.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6")
resumable = [*[w if w != "team.db" else "run.db" for w in paid], "--epsilon", "1", "--checkpoint", "c",
             "--key-file", "key", "--resume", "--batch", "1"]
process = subprocess.Popen([script.program, *resumable], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
while process.poll() is None and not os.path.exists("c"):
    pass
process.kill()
process.wait()
check(states("run.db") == ["reserved"], "a killed run stays reserved", states("run.db"))
code, _, line = call(*resumable)
check(code == 0 and states("run.db") == ["committed"], "a resumed run uses its entry", line)
os.remove("x.json")

# A run of the same options and key file is another run. /dev/full: the model cannot be written, the
# checkpoint stays.
call("ledger", "init", "id.db", "--dataset", "visits", "--epsilon", "1", "--delta", "1e-6")
call("ledger", "init", "id.db", "--dataset", "others", "--epsilon", "1", "--delta", "1e-6")
alone = [*train, "--epsilon", "0.5", "--checkpoint", "c", "--key-file", "key"]
visits = ["--ledger", "id.db", "--dataset", "visits"]
code, _, line = call(*alone, *visits, "-o", "x.json", "d.svm")
os.remove("x.json")
check(code == 0 and call(*alone, "-o", "/dev/full", "d.svm")[0] == 1 and os.path.exists("c"),
      "a run that the ledger has, and one that it has not", line)
refused(2, "has no entry in the ledger", *alone, *visits, "--resume", "-o", "x.json", "d.svm")
check(states("id.db") == ["committed"], "a run that was begun without a ledger is not resumed in it for free")
code, _, line = call(*alone, "--resume", "-o", "x.json", "d.svm")
check(code == 0 and not os.path.exists("c"), "it is resumed without", line)
os.remove("x.json")
code, _, line = call(*alone, *visits, "-o", "/dev/full", "d.svm")
check(code == 1 and states("id.db") == ["committed"] * 2, "a run is committed before its model is written", line)
refused(2, "has no entry in the ledger", *alone, *visits[:-1], "others", "--resume", "-o", "x.json", "d.svm")
code, _, line = call(*alone, *visits, "--resume", "-o", "x.json", "d.svm")
check(code == 0 and states("id.db") == ["committed"] * 2, "and gives it when it is resumed, for nothing", line)
os.remove("x.json")
runs = [entry.get("run", "") for entry in ledger("id.db")["datasets"][0]["entries"]]
check(len(set(runs)) == 2 and all(len(run) == 32 for run in runs), "each run has an id", runs)

database = sqlite3.connect("run.db")
database.execute("UPDATE event SET body = replace(body, '\"mu\": 0.2', '\"mu\": 0.1') WHERE number = 2")
database.commit()
refused(3, "history was changed", "ledger", "verify", "run.db")
database.execute("PRAGMA user_version = 9")
database.commit()
database.close()
refused(3, "format 9", "ledger", "show", "run.db")
database = sqlite3.connect("run.db")
database.execute("PRAGMA user_version = 0")  # there was none before format 1
database.commit()
database.close()
old = [w if w != "team.db" else "run.db" for w in paid]
refused(3, "format 0", *old, "--epsilon", "0.01")
with open("run.db", "r+b") as damaged:
    damaged.seek(100)
    damaged.write(b"\xff" * 3000)
refused(3, "damaged", *old, "--epsilon", "0.01")
with open("key", "w") as key:
    key.write("0123456789abcdef0123456789abcdef")
os.chmod("key", 0o600)
call("ledger", "init", "days.db", "--dataset", "people", "--epsilon", "2", "--delta", "1e-6", "--unit", "person")
stream = ["stream", "init", "x.json", "--horizon", "9", "--batch-rows", "50", "--epsilon", "1", "--features", "2",
          "--key-file", "key", "--persons", "--ledger", "days.db", "--dataset", "people"]
refused(5, "protects a person on one day: add --unit-once", *stream)
code, out, line = call(*stream, "--unit-once")
check(code == 0 and states("days.db") == ["reserved"], "a stream of persons is reserved", line)
code, out, line = call("stream", "close", "x.json", "--key-file", "key")
check(code == 0 and states("days.db") == ["refunded"], "a stream without rounds costs nothing", line)
os.remove("x.json")
# Root may write everything, unless it is without that capability.
plain = [] if os.geteuid() != 0 else ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]


def as_user(*words):
    result = subprocess.run([*plain, script.program, *words], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def add_to(name, at_call=0, data="new"):
    """Adds a data set; the process kills itself right before this call that changes files."""
    env = {"LD_PRELOAD": MOMENT, "TACIT_TEST_SIGNAL": "9", "TACIT_TEST_CALL": str(at_call),
           "ASAN_OPTIONS": "verify_asan_link_order=0"}
    return call("ledger", "init", name, "--dataset", data, "--epsilon", "1", "--delta", "1e-6",
                env=env if at_call else None)[0]


# What comes next undoes the write, or finds it done.
looks = ["show", "log", "remaining", "verify"]
add_to("base.db", data="old")
os.mkdir("cut")
faults, kills, undone = [], 0, 0
while True:
    shutil.rmtree("next", ignore_errors=True)
    os.mkdir("next")
    shutil.copy("base.db", "next/cut.db")
    if add_to("next/cut.db", kills + 1) == 0:
        break
    kills += 1
    before = {name: open("next/" + name, "rb").read() for name in os.listdir("next")}
    code, out, line = call("ledger", looks[kills % 4], "next/cut.db")
    after = open("next/cut.db", "rb").read()
    sets = [terms["dataset"] for terms in ledger("next/cut.db")["datasets"]]
    if code != 0 or line or sets != (["old"] if after == open("base.db", "rb").read() else ["old", "new"]):
        faults.append((kills, looks[kills % 4], code, line, sets))
    if after != before["cut.db"]:
        undone += 1
        for name, content in before.items():
            with open("cut/" + name, "wb") as file:
                file.write(content)
check(not faults and undone > 1, f"killed before each of {kills} calls in a write, {undone} times undone", faults)

# Where that cannot be undone, this is said.
for folder, file in ((0o555, 0o644), (0o755, 0o444)):
    os.chmod("cut/cut.db", file)
    os.chmod("cut", folder)
    answers = [as_user("ledger", look, "cut/cut.db") for look in looks]
    os.chmod("cut", 0o755)
    os.chmod("cut/cut.db", 0o644)
    check(all(code == 1 and out == "" and "cut short" in line and line.count("\n") == 1 for code, out, line in answers),
          f"a write that was cut short, modes {folder:o} and {file:o}", answers)
check(call("ledger", "verify", "cut/cut.db")[0] == 0, "with permission it is undone")


def add_without_room(name, size):
    return subprocess.run(["sh", "-c", f"trap '' XFSZ; ulimit -f {size}; exec \"$0\" \"$@\"", script.program, "ledger",
                           "init", name, "--dataset", "new", "--epsilon", "1", "--delta", "1e-6"],
                          capture_output=True, text=True)


# A ledger that cannot be made leaves no file; a file that was there stays.
for size in (0, 4):
    result = add_without_room("none.db", size)
    check(result.returncode == 1 and result.stderr.count("\n") == 1 and not [n for n in os.listdir() if "none.db" in n],
          f"no room for a ledger, limit {size}", result.stderr + str(os.listdir()))
check(add_to("none.db", data="n" * 101) == 2 and not os.path.exists("none.db"), "a refused data set leaves no ledger")
with open("empty.db", "w"):
    pass
check(add_without_room("empty.db", 0).returncode == 1 and os.path.exists("empty.db"), "a file that was there stays")
os.chmod("team.db", 0o444)
os.mkdir("fixed")
shutil.move("team.db", "fixed/team.db")
os.chmod("fixed", 0o555)
check(call("ledger", "show", "fixed/team.db")[0] == 0, "show needs no permission to write")
code, _, line = as_user(*[w if w != "team.db" else "fixed/team.db" for w in paid], "--epsilon", "0.01")
check(code == 1 and "no permission to write the ledger" in line
      and line.count("\n") == 1 and not os.path.exists("x.json"), "exit 1: no permission", line)
os.chmod("fixed", 0o755)
script.end()
