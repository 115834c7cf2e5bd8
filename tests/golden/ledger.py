#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ledger.py TACIT MOMENT: two users train two models, one run is killed, and one evaluation is
released, on an SQLite file and on a PostgreSQL server of its own. Then the ledger is asked who
made what. MOMENT is made from moment.c. Prints TAP."""
import getpass
import json
import os
import pathlib
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", part) for part in (".", "ledger")]
from server import Server  # noqa: E402
from tap import Script  # noqa: E402

MOMENT = os.path.abspath(sys.argv[2])
script = Script(sys.argv[1], "who")
check, call = script.check, script.call
ROOT = os.geteuid() == 0
ME, HOST = getpass.getuser() if not ROOT else "root", socket.gethostname()
# Another user: root can be nobody; others are root in a namespace of their own.
OTHER, AS_OTHER = (("nobody", ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]) if ROOT
                   else ("root", ["unshare", "--user", "--map-root-user"]))
if subprocess.run([*AS_OTHER, "true"], capture_output=True).returncode != 0:
    OTHER, AS_OTHER = ME, []


def as_other(*words):
    result = subprocess.run([*AS_OTHER, script.program, *words], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def entries(where):
    return json.loads(call("ledger", "export", where)[1])["datasets"][0]["entries"]


def die(where, *words):
    """Kills runs before each of their calls that change files, until one leaves a reserved entry."""
    for at in range(1, 200):
        pathlib.Path("run.state").unlink(missing_ok=True)
        env = {"LD_PRELOAD": MOMENT, "TACIT_TEST_SIGNAL": "9", "TACIT_TEST_CALL": str(at),
               "ASAN_OPTIONS": "verify_asan_link_order=0"}
        if call(*words, env=env)[0] == 0:
            return False
        if entries(where)[-1]["state"] == "reserved":
            return True
    return False


def widths(where, action, columns):
    env = {"COLUMNS": str(columns)}
    return max(len(line) for line in call("ledger", action, where, env=env)[1].splitlines())


def play(kind, where, other_where, roles, maker=None):
    """`where` as the first user names the ledger, `other_where` as the second one does, with these
    roles on a server, where `maker` made the ledger."""
    def pay(name, place, epsilon):
        return ["train", "-q", "--features", "2", "--delta", "1e-6", "--epsilon", epsilon, "--ledger", place,
                "--dataset", "visits", "-o", f"{kind}-{name}.json", "d.svm"]

    first = call(*pay("first", where, "1"), "--note", "risk of a fall, for ward 3")
    second = as_other(*pay("second", other_where, "0.5"))
    check(first[0] == 0 and second[0] == 0, f"{kind}: two users train", first[2] + second[2])
    check(die(where, *pay("third", where, "0.25"), "--checkpoint", "run.state", "--key-file", "run.key"), f"{kind}: a run is killed")
    code, out, line = call("eval", f"{kind}-first.json", "d.svm", "--epsilon", "0.5", "--json",
                           "--ledger", where, "--dataset", "visits")
    with open(f"{kind}-eval.json", "w") as file:
        file.write(out)
    check(code == 0, f"{kind}: an evaluation", line)
    facts = [(e["kind"], e["state"], e["user"], e["host"], e.get("role"), len(e.get("made", []))) for e in entries(where)]
    check(facts == [("train", "committed", ME, HOST, roles[0], 1), ("train", "committed", OTHER, HOST, roles[1], 1),
                    ("train", "reserved", ME, HOST, roles[0], 0), ("eval", "committed", ME, HOST, roles[0], 1)],
          f"{kind}: every entry says who, what and how it ended", facts)
    for name, number, user, role in ((f"{kind}-first.json", 1, ME, roles[0]), (f"{kind}-second.json", 2, OTHER, roles[1]),
                                     (f"{kind}-eval.json", 4, ME, roles[0])):
        code, out, line = call("ledger", "find", where, name)
        who = f"{user}@{HOST}" + (f" as {role}" if role else "")
        check(code == 0 and out.startswith(f"entry {number} of visits: ") and out.count("entry ") == 1
              and re.search(rf"^  by +{re.escape(who)}, \d{{4}}-\d\d-\d\d \d\d:\d\d UTC$", out, re.M)
              and ("eval" in name or f"/{name}, " in out), f"{kind}: find {name}", out + line)
    model = json.load(open(f"{kind}-first.json"))
    digest = model["statement"]["digest"]
    found = json.loads(call("ledger", "find", where, digest[:8], "--json")[1])["entries"]
    check([e["id"] for e in found] == [1] and found[0]["made"][0]["digest"] == digest and "ward 3" in found[0]["note"],
          f"{kind}: find by a digest", found)
    with open("reordered.json", "w") as file:
        json.dump(dict(reversed(model.items())), file)
    check(call("ledger", "find", where, "reordered.json")[1].startswith("entry 1 "), f"{kind}: white space does not matter")
    code, out, line = call("ledger", "find", where, "d.json")
    check(code == 1 and "no entry" in line and not out, f"{kind}: what nobody paid for", line)
    for action in ("log", "show"):
        wide = [widths(where, action, columns) for columns in (80, 100)]
        check(wide[0] <= 80 and wide[1] <= 100, f"{kind}: {action} fits 80 and 100 columns", wide)
    log = call("ledger", "log", where)[1]
    check(all(word in log for word in ("reserved", "ward 3", digest[:12], f"{kind}-first.json", "standard output")),
          f"{kind}: log", log)
    page = call("report", f"{kind}-first.json", "--ledger", where, "--dataset", "visits", "--markdown")[1]
    rows = [line for line in page.splitlines() if re.match(r"\| [1-4] \| \d{4}-", line)]
    shown = [re.sub(r"\\(.)", r"\1", row) for row in rows]
    check(len(rows) == 4 and all(f"{e['user'][:20]}@{e['host'][:20]}" in row and e["time"][:10] in row and e["state"] in row
                                 and e.get("role", "")[:16] in row for e, row in zip(entries(where), shown))
          and f"{kind}-first.json {digest[:12]}" in shown[0], f"{kind}: the page shows the same", page[-3000:])
    alter = [call("ledger", "raise", where, "--epsilon", "4", "--reason", "board of 3 July"),
             call("ledger", "close", where, "--reason", "the study has ended"),
             call(*pay("none", where, "0.1")),
             as_other("ledger", "renew", other_where, "--from", "2027-01-01", "--reason", "new patients")]
    check([answer[0] for answer in alter] == [0, 0, 4, 0], f"{kind}: raise, close, refuse, renew", alter)
    one = json.loads(call("ledger", "remaining", where, "--json")[1])
    check(one["epsilon"] == 4 and one["left_epsilon"] == 4 and one["period"] == 2 and one["from"] == "2027-01-01"
          and 1.1 < one["exposed_epsilon"] < 1.3, f"{kind}: a new period, and the sum of all", one)
    changes = json.loads(call("ledger", "export", where)[1])["datasets"][0]["changes"]
    check([(e["event"], e["user"], e.get("role")) for e in changes]
          == [("init", ME, maker), ("raise", ME, roles[0]), ("close", ME, roles[0]), ("renew", OTHER, roles[1])],
          f"{kind}: who changed the budget", changes)


os.chmod(script.folder, 0o777)
with open(os.open("run.key", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as key:
    key.write(os.urandom(32))
with open("d.svm", "w") as data:
    for i in range(2000):
        data.write(f"{1 if i % 3 else -1} 1:{i % 7} 2:{(i * 5) % 11}\n")
with open("d.json", "w") as data:
    data.write("{}")
init = ["--dataset", "visits", "--epsilon", "3", "--delta", "1e-6"]
call("ledger", "init", "team.db", *init)
os.chmod("team.db", 0o666)
play("sqlite", "team.db", os.path.abspath("team.db"), (None, None))

# A ledger of format 1 is read as it is and has format 2 from the first event on.
call("ledger", "init", "old.db", *init)


def mark(number=None):
    with sqlite3.connect("old.db") as base:
        if number:
            base.execute(f"PRAGMA user_version = {number}")
        return base.execute("PRAGMA user_version").fetchone()[0]


mark(1)
shown = call("ledger", "show", "old.db")
check(shown[0] == 0 and mark() == 1, "a ledger of format 1 is read", shown)
raised = call("ledger", "raise", "old.db", "--epsilon", "4", "--reason", "more")
check(raised[0] == 0 and mark() == 2 and call("ledger", "verify", "old.db")[0] == 0, "writing gives it format 2", raised)
mark(3)
refused = call("ledger", "show", "old.db")
check(refused[0] == 3 and "format 3" in refused[2] and "up to 2" in refused[2], "a later format is refused by name", refused)


def on_server(server):
    def sql(text, user="tacit"):
        return subprocess.run([f"{server.bin}/psql", "-q", "-h", server.folder, "-U", user, "-d", "postgres", "-v",
                               "ON_ERROR_STOP=1", "-c", text], capture_output=True, text=True)

    def address(user):
        return server.address().replace("tacit@", user + "@")

    sql("CREATE ROLE anna LOGIN; CREATE ROLE ben LOGIN")
    code, _, line = call("ledger", "init", server.address(), *init)
    if "no PostgreSQL" in line:
        check(True, f"PostgreSQL # SKIP {line.strip()}")
        return
    sql("GRANT SELECT, INSERT (number, body, hash) ON tacit_event TO anna, ben; "
        "GRANT SELECT, UPDATE ON tacit_head TO anna, ben")
    forged = sql("INSERT INTO tacit_event VALUES (99, '{}', '', 'ben')", "anna")
    check(forged.returncode != 0 and "permission denied" in forged.stderr, "nobody can write another role", forged.stderr)
    play("server", address("anna"), address("ben"), ("anna", "ben"), "tacit")


with tempfile.TemporaryDirectory(prefix="tacit-pg-") as place:
    try:
        running = Server(place)
    except (FileNotFoundError, KeyError) as missing:
        check(True, f"PostgreSQL # SKIP {missing}")
    else:
        try:
            on_server(running)
        finally:
            running.stop()
script.end()
