#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What takes more than one command line to see: scenarios.py PROGRAM

Signals half-way, same bits from seeds and threads, order of rows, the demo, and that
help, manual pages and privacy statement keep their promises.
"""
import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time

from golden import check, run_tap, write_inputs

COMMANDS = ["train", "predict", "eval", "account", "plan", "schema", "demo", "version"]

# The documented options; that help and pages name them is checked against this list.
TRAIN_OPTIONS = """epsilon delta rho adjacency features schema labels rows row-norm no-bias loss
    l2 learner preset bound mechanism passes batch power clip radius domain noise no-shuffle seed
    threads dry-run quiet json output help""".split()


def train(place, *words, model="m.json", data="rows.svm", columns=("--features", 5)):
    """Trains quietly; returns (statement as printed, model)."""
    code, out, err = place.tacit("train", "-q", *columns, "-o", model, *words, data)
    check(code == 0, f"train failed ({code}): {err}")
    check(err == "", f"train -q printed on standard error:\n{err}")
    return out, json.loads((place.work / model).read_text())


def same_bytes(place, a, b):
    return (place.work / a).read_bytes() == (place.work / b).read_bytes()


# ---- same bits ------------------------------------------------------------------------


def seeds(place):
    train(place, "--epsilon", 1, "--seed", 7, model="a.json")
    train(place, "--epsilon", 1, "--seed", 7, model="b.json")
    train(place, "--epsilon", 1, "--seed", 8, model="c.json")
    check(same_bytes(place, "a.json", "b.json"), "the same seed gave two models")
    check(not same_bytes(place, "a.json", "c.json"), "two seeds gave the same model")


def secret_noise_is_fresh(place):
    _, a = train(place, "--epsilon", 1, model="a.json")
    _, b = train(place, "--epsilon", 1, model="b.json")
    check(a["weights"] != b["weights"], "two private runs drew the same noise")
    check(a["statement"] == b["statement"], "the statements of equal runs differ")


def threads(place):
    write_inputs(place.work, rows=5000)
    for extra in ([], ["--passes", 3], ["--batch", 7, "--bound", "tight"], ["--noise", "fast"]):
        for n in (1, 2, 5):
            train(place, "--epsilon", 1, "--seed", 3, "--threads", n, *extra, model=f"t{n}.json")
        check(same_bytes(place, "t1.json", "t2.json") and same_bytes(place, "t1.json", "t5.json"),
              f"the model depends on the number of threads {extra}")


def pipe_equals_file_order(place):
    _, file = train(place, "--epsilon", 1, "--seed", 5, "--no-shuffle")
    code, _, err = place.shell("cat rows.svm | tacit train -q --epsilon 1 --seed 5 --features 5 "
                               "--rows 400 -o pipe.json -")
    check(code == 0, f"train from a pipe failed ({code}): {err}")
    pipe = json.loads((place.work / "pipe.json").read_text())
    check(pipe["weights"] == file["weights"], "pipe and --no-shuffle give other weights")
    _, shuffled = train(place, "--epsilon", 1, "--seed", 5, model="s.json")
    check(shuffled["weights"] != file["weights"], "--no-shuffle changes nothing")


def compression_changes_nothing(place):
    train(place, "--epsilon", 1, "--seed", 5, model="plain.json")
    place.shell("gzip -k rows.svm")
    train(place, "--epsilon", 1, "--seed", 5, model="gzip.json", data="rows.svm.gz")
    check(same_bytes(place, "plain.json", "gzip.json"), "gzip changes the model")


# ---- signals --------------------------------------------------------------------------


class HalfWay:
    """A training run on a pipe, with rows enough to show progress but not to end."""

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


def stopped_predict(place):
    train(place, "--epsilon", 1)
    before = place.files()
    process = subprocess.Popen(
        ["tacit", "predict", "m.json", "-o", "p.csv", "-"], cwd=place.work, env=place.env,
        executable=str(place.folder / "bin" / "tacit"), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write((place.work / "rows.svm").read_bytes())
    process.stdin.flush()
    deadline = time.monotonic() + 30
    while place.files() == before and time.monotonic() < deadline:
        time.sleep(0.01)  # until the temporary file is there
    check(place.files() != before, "predict writes no temporary file")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    check(process.returncode == 143, f"exit code {process.returncode}: {err.decode()}")
    check(place.files() == before, f"left behind: {place.files()}")


def bar_on_a_terminal(place):
    """A pipe of rows until the bar shows; then the rows end and so does the run."""
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


# ---- what is said ---------------------------------------------------------------------


def statement_holds_no_record(place):
    said = []
    for seed in (1, 2):
        write_inputs(place.work, seed=seed)
        libsvm, model = train(place, "--epsilon", 1)
        csv, _ = train(place, "--epsilon", 1, data="rows.csv", columns=("--schema", "schema.json"))
        said.append((libsvm, csv, model["statement"], model["training"], model["schema"]))
    check(said[0] == said[1], "other records with the same public facts change what is said")


def dry_run_tells_the_truth(place):
    _, model = train(place, "--epsilon", 0.7, "--passes", 2)
    code, out, err = place.tacit("train", "--features", 5, "--epsilon", 0.7, "--passes", 2,
                                 "--rows", 400, "--dry-run", "--json")
    check(code == 0, err)
    check(json.loads(out)["statement"] == model["statement"],
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


def help_options(text):
    return set(re.findall(r"^ +(?:-\w, )? *--([a-z0-9-]+)", text, re.M))


def help_and_pages_agree(place):
    for command in COMMANDS:
        code, text, err = place.tacit(command, "--help")
        check(code == 0 and err == "", err)
        check(place.tacit(command, "-h")[1] == text, "-h is not --help")
        _, page, _ = place.tacit("man", command)
        of_page = set(re.findall(r"^\.It (?:Fl \w , )?Fl \\-([a-z0-9-]+)", page, re.M))
        check(help_options(text) == of_page, f"{command}: {help_options(text) ^ of_page}")
        for name in of_page - {"help"}:
            # Known to the parser: the fault it finds is another one.
            _, _, err = place.tacit(command, f"--{name}=")
            check("unknown option" not in err and err.count("\n") == 1, f"--{name}: {err}")
        for code in (0, 1, 2, 3, 4, 5, 130, 143):
            check(re.search(rf"^  {code} +\w", text, re.M), f"{command}: exit code {code}")


def train_help_names_everything(place):
    _, text, _ = place.tacit("train", "--help")
    check(help_options(text) == set(TRAIN_OPTIONS), f"{help_options(text) ^ set(TRAIN_OPTIONS)}")
    _, version, _ = place.tacit("version", "--json")
    for family in ("losses", "learners", "mechanisms"):
        for name in json.loads(version)[family]:
            check(re.search(rf"^  {re.escape(name)}\b", text, re.M), f"help does not list {name}")


def overview_names_the_commands(place):
    _, text, _ = place.tacit("--help")
    _, page, _ = place.tacit("man")
    for command in COMMANDS:
        check(re.search(rf"^  {command} +\w", text, re.M), f"--help does not list {command}")
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
    """Every command line in the help is understood: no option in it is refused."""
    for command in COMMANDS:
        _, text, _ = place.tacit(command, "--help")
        lines = text.split("Examples:\n")[1].split("\n\n")[0].splitlines()
        check(lines, f"{command} has no examples")
        for line in lines:
            if command == "demo":
                line = re.sub(r"--folder \S+", "", line) + " -q --rows 200"
            code, _, err = place.shell(line + " < /dev/null")
            check(code != 2, f"{line.strip()}: {err}")


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
    for line in lines:
        code, _, err = place.shell(line)
        check(code == 0, f"{line}: {err}")


def order_of_the_file_does_not_matter(place):
    """Sorted by label trains as well as unsorted, private or not."""
    code, _, err = place.tacit("demo", "-q", "--rows", 100000)
    check(code == 0, err)
    folder = place.work / "demo-data"
    head, *rows = (folder / "train.csv").read_text().splitlines(keepends=True)
    rows.sort(key=lambda row: row.rsplit(",", 1)[1])
    (folder / "sorted.csv").write_text(head + "".join(rows))

    def loss(data, *words):
        train(place, *words, data=f"demo-data/{data}", columns=("--schema", "demo-data/schema.json"))
        _, out, _ = place.tacit("eval", "--json", "m.json", "demo-data/test.csv")
        return json.loads(out)["loss"]

    for settings in (["--mechanism", "none"], ["--epsilon", 1]):
        runs = [[]] if "none" in settings else [["--seed", s] for s in range(8)]
        means = [sum(loss(data, *settings, *run) for run in runs) / len(runs)
                 for data in ("train.csv", "sorted.csv")]
        check(abs(means[0] - means[1]) <= 0.005, f"{settings}: loss {means}")
    unshuffled = loss("sorted.csv", "--mechanism", "none", "--no-shuffle")
    check(unshuffled > means[1] + 0.05, "the file is not sorted in a way that could hurt")


SCENARIOS = [
    ("same seed, same model; another seed, another model", seeds),
    ("noise is fresh without a seed", secret_noise_is_fresh),
    ("threads do not change the model", threads),
    ("a pipe trains like the file in its order", pipe_equals_file_order),
    ("gzip trains like the plain file", compression_changes_nothing),
    ("SIGINT half-way", stopped(signal.SIGINT, True)),
    ("SIGTERM half-way", stopped(signal.SIGTERM, True)),
    ("SIGINT while waiting for a pipe", stopped(signal.SIGINT, False)),
    ("SIGTERM while waiting for a pipe", stopped(signal.SIGTERM, False)),
    ("SIGTERM while predicting", stopped_predict),
    ("a bar on a terminal", bar_on_a_terminal),
    ("the statement depends on no record", statement_holds_no_record),
    ("a dry run prints the statement of the run", dry_run_tells_the_truth),
    ("account rounds against the user", account_rounds_against_the_user),
    ("help and manual pages name the same options", help_and_pages_agree),
    ("train --help names every option and part", train_help_names_everything),
    ("the overview names every command", overview_names_the_commands),
    ("manual pages are sound", pages_are_sound),
    ("the examples of the help are understood", examples_parse),
    ("the demo is worth showing", demo_is_worth_showing),
    ("the demo's commands work when pasted", demo_commands_work),
    ("the order of the file does not matter", order_of_the_file_does_not_matter),
]

sys.exit(run_tap(sys.argv[1], SCENARIOS))
