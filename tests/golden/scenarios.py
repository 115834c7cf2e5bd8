#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests that need more than one command line: scenarios.py PROGRAM

Signals half-way, the demo, and that help, manual pages and privacy statement keep their
promises.
"""
import contextlib
import json
import math
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

from golden import check, npy, promise, run_tap, train, write_inputs

OVERVIEW = subprocess.run([sys.argv[1], "--help"], capture_output=True, text=True, check=True).stdout
COMMANDS = re.findall(r"^  ([a-z]+) +\w", OVERVIEW.split("Commands:\n")[1].split("\n\n")[0], re.M)

# The documented options. Help and man pages must name exactly these.
TRAIN_OPTIONS = """epsilon delta rho adjacency features schema labels classes rows row-norm scale
    no-bias loss l2 learner preset bound mechanism passes batch power clip radius domain norm reg-scale init
    init-public law no-shuffle seed ledger dataset centre cache label-file weights max-weight unit units unit-rows note moments
    class-weight max-line max-model max-temp max-kept threads
    checkpoint key-file resume dry-run quiet json output help help-all""".split()
# The options that the short help lists, in this order.
FIRST_OF = {
    "audit": """trials release command svg json epsilon delta adjacency schema features labels classes rows
        loss passes""".split(),
    "eval": "extra threshold json quiet epsilon ledger dataset".split(),
    "infer": "loss output extra schema features labels classes rows epsilon ledger dataset".split(),
    "stream": """horizon batch-rows window unit-once key-file output round skip schema features labels classes
        epsilon delta adjacency ledger dataset loss""".split()}
FIRST_OPTIONS = """schema features labels classes rows output dry-run epsilon delta adjacency ledger dataset loss
    passes""".split()

# ---- signals --------------------------------------------------------------------------


class HalfWay:
    """A training run on a pipe, with enough rows to show progress but not to end."""

    def __init__(self, place, keep_feeding):
        self.before = place.files()
        self.process = subprocess.Popen(
            ["tacit", "train", "--epsilon", "1", "--features", "5", "--rows", "1000000000",
             "--batch", "1000", "-o", "m.json", "-"],
            executable=str(place.folder / "bin" / "tacit"), cwd=place.work, env=place.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.keep_feeding = keep_feeding
        self.seen = threading.Event()  # a line of progress
        self.stop = threading.Event()
        self.lines = []
        self.rows = (place.work / "rows.svm").read_bytes()
        self.workers = [threading.Thread(target=self.feed), threading.Thread(target=self.listen)]
        for worker in self.workers:
            worker.start()

    def feed(self):
        try:
            while not self.stop.is_set() and (self.keep_feeding or not self.seen.is_set()):
                self.process.stdin.write(self.rows)
                self.process.stdin.flush()
                time.sleep(0.001)
        except BrokenPipeError:
            pass

    def listen(self):
        for line in self.process.stderr:
            self.lines.append(line.decode())
            if re.match(rb"round \d+/\d+  rows [1-9]", line):
                self.seen.set()
        self.stop.set()

    def send(self, number):
        """Exit code after the signal, sent when progress was seen."""
        seen = self.seen.wait(60)
        if seen:
            time.sleep(0.05)
            self.process.send_signal(number)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = None
        self.stop.set()
        for worker in self.workers:
            worker.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        check(seen, f"no progress was shown in a minute:\n{''.join(self.lines)}")
        return code


def stopped(number, keep_feeding):
    def scenario(place):
        run = HalfWay(place, keep_feeding)
        code = run.send(number)
        text = "".join(run.lines)
        check(code == 128 + number, f"exit code {code}, not {128 + number}\n{text}")
        line = f"tacit train: stopped by {number.name} before it was done; run it again\n"
        check(run.lines[-1] == line, text)
        other = [line for line in run.lines[:-1] if not line.startswith("round ")]
        check(not other, f"more than one line:\n{''.join(other)}")
        check(place.files() == run.before, f"left behind: {place.files()}")
    return scenario


CUT = ("tacit {}: a data file was cut while it was being read, or its disk failed; run again "
       "when it is complete\n")


def cut_while_mapped(place):
    """The file of the rows is cut while predict waits for the reader of its output."""
    train(place, "--epsilon", 1, data="array.svm", columns=("--features", 6))
    rows = 100000
    big = place.work / "big.npy"
    big.write_bytes(npy("f", f"({rows}, 6)", [0.5] * (6 * rows)))
    before = place.files()
    process = subprocess.Popen(
        ["tacit", "predict", "m.json", "big.npy"], cwd=place.work, env=place.env,
        executable=str(place.folder / "bin" / "tacit"), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(10)  # it is at work, and the pipe holds less than all
    os.truncate(big, 4096)
    _, err = process.communicate(timeout=30)
    check(process.returncode == 3, f"exit code {process.returncode}: {err.decode()}")
    check(err.decode() == CUT.format("predict"), err.decode())
    check(place.files() == before, f"left behind: {place.files()}")


def cut_once(place, big):
    """The message of train when a mapped text file is cut."""
    process = subprocess.Popen(
        ["tacit", "train", "-q", "--epsilon", "1", "--features", "5", "--passes", "1000",
         "-o", "m.json", big.name], executable=str(place.folder / "bin" / "tacit"),
        cwd=place.work, env=place.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    maps = f"/proc/{process.pid}/maps"
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        with open(maps, encoding="utf-8") as lines:
            if big.name in lines.read():
                break
    time.sleep(0.2)
    os.truncate(big, 0)
    _, err = process.communicate(timeout=30)
    check(process.returncode == 3, f"exit code {process.returncode}: {err.decode()}")
    return err.decode()


def cut_while_training(place):
    """A mapped text file is cut while train reads its rows, or between the last row of a
    pass and the check of the file after it."""
    big, rows = place.work / "big.svm", (place.work / "rows.svm").read_bytes() * 200
    big.write_bytes(rows)
    before = place.files()
    for _ in range(3):
        big.write_bytes(rows)
        said = cut_once(place, big)
        check(place.files() == before, f"left behind: {place.files()}")
        if "big.svm: changed while being read" not in said:
            break
    check(said == CUT.format("train"), said)


def bar_on_a_terminal(place):
    """Rows come through a pipe until the bar is drawn; then the rows and the run end."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["tacit", "train", "--epsilon", "1", "--features", "5", "--rows", "1000000000",
         "-o", "m.json", "-"], executable=str(place.folder / "bin" / "tacit"), cwd=place.work,
        env=place.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    rows, shown = (place.work / "rows.svm").read_bytes(), b""
    deadline = time.monotonic() + 60
    while b"] round " not in shown and time.monotonic() < deadline:
        process.stdin.write(rows)
        process.stdin.flush()
        if select.select([ours], [], [], 0.001)[0]:
            shown += os.read(ours, 4096)
    process.stdin.close()
    out = process.stdout.read()
    process.stdout.close()
    code = process.wait(30)
    with contextlib.suppress(OSError):  # the other end is closed
        while more := os.read(ours, 4096):
            shown += more
    os.close(ours)
    check(re.search(rb"\r\x1b\[K\[[#.]+\] round \d+/\d+  rows \d+/1000000000", shown), f"{shown}")
    check(code == 3 and out == b"", f"exit code {code}, {out}")
    end = shown.split(b"\r\x1b[K")[-1]
    check(re.fullmatch(rb"tacit train: [^\r\n]*\r\n", end), f"the bar is in the way: {shown}")


def schema_asks_on_a_terminal(place):
    """Each question is answered when it is shown; the answers make a schema."""
    answers = {"id: type": "ignore", "age: type": "", "age: smallest": "0",
               "age: largest": "-1", "below the largest\r\nage: largest": "110",
               "weight: type": "numeric", "weight: smallest": "30", "weight: largest": "200",
               "ward: type": "category", "ward: values": "a, b, c", "outcome: classes": "well,ill"}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["tacit", "schema", "--header", "rows.csv", "--ask", "-o", "new.json"],
        executable=str(place.folder / "bin" / "tacit"), cwd=place.work, env=place.env,
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown, deadline = "", time.monotonic() + 60
    for question, answer in answers.items():
        while question not in shown and time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                shown += os.read(ours, 4096).decode()
        check(question in shown, f"not asked: {question} in {shown}")
        shown = ""
        os.write(ours, f"{answer}\n".encode())
    out = process.stdout.read()
    process.stdout.close()
    code = process.wait(30)
    os.close(ours)
    check(code == 0 and out == b"", f"exit code {code}, {out}")
    train(place, "--epsilon", 1, data="rows.csv", columns=("--schema", "new.json"))


# ---- what is said ---------------------------------------------------------------------


def statement_holds_no_record(place):
    said = []
    for seed in (1, 2):
        write_inputs(place.work, seed=seed)
        libsvm, model = train(place, "--epsilon", 1)
        # A centred model has numbers made of the released mean in "training".
        _, plain = train(place, "--epsilon", 1, "--preset", "anytime", model="plain.json")
        of_csv, _ = train(place, "--epsilon", 1, data="rows.csv",
                          columns=("--schema", "schema.json"))
        kinds, _ = train(place, "--epsilon", 1, data="kinds.svm",
                         columns=("--features", 4, "--classes", 4))
        said.append((libsvm, of_csv, kinds, promise(model), plain["training"],
                     model["schema"]))
    check(said[0] == said[1], "other records with the same public facts change what is said")


def dry_run_tells_the_truth(place):
    _, model = train(place, "--epsilon", 0.7, "--passes", 2)
    code, out, err = place.tacit("train", "--features", 5, "--epsilon", 0.7, "--passes", 2,
                                 "--rows", 400, "--dry-run", "--json")
    check(code == 0, err)
    check(json.loads(out)["statement"] == promise(model),
          "the dry run's statement is not the model's")


def account_rounds_against_the_user(place):
    def numbers(*words):
        code, out, err = place.tacit("account", *words)
        check(code == 0, err)
        text = dict(line.split() for line in out.splitlines())
        code, out, err = place.tacit("account", *words, "--json")
        check(code == 0, err)
        return {k: float(v) for k, v in text.items()}, json.loads(out)

    for found in numbers("--mu", 1, "--delta", "1e-5"):
        check(0 <= found["epsilon"] / 4.3771780956812 - 1 + 1e-14 < 1e-9, f"{found}")
    for found in numbers("--epsilon", 1, "--delta", "1e-9"):
        check(0 <= 1 - found["mu"] / 0.18197480729533 + 1e-13 < 1e-9, f"{found}")
    text, full = numbers("--epsilon", 0.3, "--delta", "1e-7")
    check(text["mu"] <= full["mu"] and text["sigma"] >= full["sigma"], f"{text} {full}")
    check(full["mu"] * full["sigma"] >= 1, f"sigma is too small for mu: {full}")
    text, full = numbers("--sigma", 3, "--delta", "1e-7")
    check(text["mu"] >= full["mu"] >= 1 / 3 and text["epsilon"] >= full["epsilon"], f"{text}")
    for found in numbers("--epsilon", 0.1, "--delta", 0):
        mu = 2 * statistics.NormalDist().inv_cdf(math.exp(0.1) / (1 + math.exp(0.1)))
        check(abs(found["mu"] / mu - 1) < 1e-9, f"{found}")
        check(0 <= found["zcdp"] - 0.005 < 1e-9 and found["delta"] == 0, f"{found}")


def ledger_rounds_up_what_is_spent(place):
    place.tacit("ledger", "init", "l.db", "--dataset", "d", "--epsilon", 9, "--delta", 1e-6)
    for i in range(1, 9):
        code, _, err = place.tacit("train", "rows.csv", "--schema", "schema.json", "--epsilon", i / 10, "--ledger", "l.db",
                                   "--dataset", "d", "-q", "-o", "m.json")
        check(code == 0, err)
    entries = json.loads(place.tacit("ledger", "export", "l.db")[1])["datasets"][0]
    lines = place.tacit("ledger", "log", "l.db")[1].splitlines()
    shown = [float(re.search(r", mu (\S+)$", line).group(1)) for line in lines if ", mu " in line]
    check(len(shown) == 8, f"{lines}")
    for text, entry in zip(shown, entries["entries"]):
        check(0 <= text / entry["mu"] - 1 < 2e-5, f"{text} is not {entry['mu']} rounded up")
    show = place.tacit("ledger", "show", "l.db")[1]
    epsilon, mu = map(float, re.search(r"spent +epsilon (\S+), mu (\S+) ", show).groups())
    check(0 <= mu / entries["spent_mu"] - 1 < 2e-5 and 0 <= epsilon / entries["spent_epsilon"] - 1 < 2e-5, show)


def listed_options(text):
    return re.findall(r"^  (?:-\w, |    )--([a-z0-9-]+)", text, re.M)


def help_options(text):
    return set(listed_options(text))


def help_and_pages_agree(place):
    for command in COMMANDS:
        code, text, err = place.tacit(command, "--help-all")
        check(code == 0 and err == "", err)
        _, page, _ = place.tacit("man", command)
        of_page = set(re.findall(r"^\.It (?:Fl \w , )?Fl \\-([a-z0-9-]+)", page, re.M))
        check(help_options(text) == of_page, f"{command}: {help_options(text) ^ of_page}")
        for name in of_page - {"help", "help-all"}:
            # The parser knows the option: it reports another fault.
            _, _, err = place.tacit(command, f"--{name}=")
            check("unknown option" not in err and err.count("\n") == 1, f"--{name}: {err}")
        for code in (0, 1, 2, 3, 4, 5, 130, 143):
            check(re.search(rf"^  {code} +\w", text, re.M), f"{command}: exit code {code}")


def short_help_is_short(place):
    for command in COMMANDS:
        code, text, err = place.tacit(command, "--help")
        check(code == 0 and err == "", err)
        check(place.tacit(command, "-h")[1] == text, "-h is not --help")
        check(place.tacit("help", command)[1] == text, f"help {command} is not --help")
        _, whole, _ = place.tacit(command, "--help-all")
        if len(help_options(whole)) <= 22:
            check(text == whole, f"{command}: --help leaves options out")
            continue
        check(text.count("\n") <= 60, f"{command} --help has {text.count(chr(10))} lines")
        expected = [o for o in FIRST_OF.get(command, FIRST_OPTIONS) if o in help_options(whole)]
        check(listed_options(text) == expected, f"{command}: {listed_options(text)}")
        check("Exit codes: 0 " in text and f"man tacit-{command}" in text, text)


def train_help_names_everything(place):
    _, text, _ = place.tacit("train", "--help-all")
    check(text.index("\nPrivacy:\n") < text.index("\nCheckpoint:\n"), "Privacy comes late")
    check(help_options(text) == set(TRAIN_OPTIONS), f"{help_options(text) ^ set(TRAIN_OPTIONS)}")
    _, version, _ = place.tacit("version", "--json")
    for option in ("loss", "learner", "mechanism", "law"):
        family = "losses" if option == "loss" else option + "s"
        part = text.split(f"Values of --{option}:\n")[1].split("\n\n")[0]
        listed = re.findall(r"^  ([a-z0-9-]+)(?: {2,}|\n {26})\S", part, re.M)
        check(listed == json.loads(version)[family], f"--{option}: {listed}")


def overview_names_the_commands(place):
    _, page, _ = place.tacit("man")
    check({"train", "predict", "version"} <= set(COMMANDS), OVERVIEW)
    for command in COMMANDS:
        check(f".Xr tacit-{command} 1" in page, f"the page does not name {command}")


def pages_are_sound(place):
    for command in [None] + COMMANDS:
        _, page, _ = place.tacit("man", *([command] if command else []))
        name = f"tacit-{command}.1" if command else "tacit.1"
        (place.work / name).write_text(page)
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
            check(f"\n.Sh {section}\n" in page, f"{name} has no {section}")
        if shutil.which("mandoc"):
            code, out, _ = place.shell(f"mandoc -T lint -W warning {name}")
            check(code == 0, f"mandoc:\n{out}")


def examples_parse(place):
    """Every command line in the help works: no option in it is refused."""
    train(place, "--epsilon", 1, data="rows.csv", columns=("--schema", "schema.json"))
    shutil.copy(place.work / "m.json", place.work / "table.json")
    for command in COMMANDS:
        _, text, _ = place.tacit(command, "--help-all")
        lines = text.split("Examples:\n")[1].split("\n\n")[0].splitlines()
        check(lines, f"{command} has no examples")
        for line in lines:
            if command == "demo":
                line = re.sub(r"--folder \S+", "", line) + " -q --rows 200"
            elif command == "audit":
                line += " --trials 20"
            elif command == "export":
                line = line.replace("model.json", "table.json")
            elif command == "completion":
                line = re.search(r"tacit completion \w+", line)[0]
            code, _, err = place.shell(line + " < /dev/null")
            check(code != 2 or "has no entry" in err, f"{line.strip()}: {err}")


# ---- the demo -------------------------------------------------------------------------


def demo_is_worth_showing(place):
    code, out, err = place.tacit("demo", "-q", "--json")
    check(code == 0, err)
    lines = {r["name"]: r for r in json.loads(out)["results"]}
    private, plain = lines["private model"], lines["same learner without noise"]
    guess, best = lines["majority class"], lines["best possible"]
    check(private["epsilon"] == 1, f"{private}")
    check(private["accuracy"] >= plain["accuracy"] - 0.02, f"{lines}")
    check(0.80 <= best["accuracy"] <= 0.86, f"{best}")
    check(0.55 <= guess["accuracy"] <= 0.72, f"{guess}")
    check(best["loss"] < plain["loss"] < guess["loss"], f"{lines}")
    check(private["accuracy"] > guess["accuracy"] + 0.1, f"{lines}")
    model = json.loads((place.work / "demo-data" / "private.json").read_text())
    check(model["statement"]["private"] is True, "the private model is not private")


def demo_commands_work(place):
    code, out, err = place.tacit("demo", "-q", "--rows", 1000, "--folder", "it's here")
    check(code == 0, err)
    lines = re.findall(r"^  (tacit .*)$", out, re.M)
    check(len(lines) >= 6, f"no commands to paste:\n{out}")
    readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    told = re.search(r"The demo (.*?)\n\n```\n( +test loss.*?)\n", readme, re.S)
    check(told and told[2].split() == out[out.index("test loss"):].split("\n")[0].split(),
          "README.md shows another table")
    check(out.index("test loss") < out.index(lines[0]) and "then the commands" in told[1],
          "README.md: what the demo ends with are its commands")
    for line in lines:
        code, _, err = place.shell(line)
        check(code == 0, f"{line}: {err}")


SCENARIOS = [
    ("SIGINT half-way", stopped(signal.SIGINT, True)),
    ("SIGTERM half-way", stopped(signal.SIGTERM, True)),
    ("SIGINT while waiting for a pipe", stopped(signal.SIGINT, False)),
    ("SIGTERM while waiting for a pipe", stopped(signal.SIGTERM, False)),
    ("a mapped file is cut", cut_while_mapped),
    ("text in training is cut", cut_while_training),
    ("a bar on a terminal", bar_on_a_terminal),
    ("questions on a terminal", schema_asks_on_a_terminal),
    ("the statement depends on no record", statement_holds_no_record),
    ("a dry run prints the statement of the run", dry_run_tells_the_truth),
    ("account rounds against the user", account_rounds_against_the_user),
    ("a ledger rounds up what is spent", ledger_rounds_up_what_is_spent),
    ("help and manual pages name the same options", help_and_pages_agree),
    ("--help lists the options to know first", short_help_is_short),
    ("train --help-all names every option and part", train_help_names_everything),
    ("the overview names every command", overview_names_the_commands),
    ("manual pages are sound", pages_are_sound),
    ("the examples of the help are understood", examples_parse),
    ("the demo is worth showing", demo_is_worth_showing),
    ("the demo's commands work when pasted", demo_commands_work),
]

sys.exit(run_tap(sys.argv[1], SCENARIOS))
