#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""tacit-mpi as a job: ranks.py TACIT TACIT_MPI MPIRUN COUNTER MOMENT

The same model from one process and from 1 to 4 ranks, one line and no model when anything
goes wrong, and what a round costs.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

from job import Job, end_job, is_alive, one_line, wait_for_ranks, write_shards, write_wide
from golden import check, run_tap  # noqa: E402  job.py says where it is

SVM = ["--features", 5]
BASE = ["train", "-q", "--epsilon", 1, "--seed", 3]
# Functions of MPI that tacit-mpi may call: those the counter sees, and those that carry no
# vectors.
COUNTED = {"MPI_Isend", "MPI_Irecv", "MPI_Bcast", "MPI_Finalize"}
QUIET = {"MPI_Init_thread", "MPI_Comm_dup", "MPI_Comm_free", "MPI_Comm_rank", "MPI_Comm_size",
         "MPI_Comm_set_errhandler", "MPI_Comm_split_type", "MPI_Testall", "MPI_Abort"}


def same_model(job, *words, ranks=(1, 2, 3, 4)):
    """One process and any number of ranks give the same file."""
    place = job.place
    code, out, err = place.tacit(*BASE, "-o", "one.json", *words)
    check(code == 0, f"train failed ({code}): {err}")
    alone = (place.work / "one.json").read_bytes()
    for n in ranks:
        code, ranks_out, lines = job.run(n, *BASE, "-o", f"{n}.json", *words)
        check(code == 0 and not lines, f"{n} ranks failed ({code}): {lines}")
        check((place.work / f"{n}.json").read_bytes() == alone,
              f"{n} ranks give another model than one process: {words}")
        check(ranks_out == out, f"{n} ranks print another statement")


def sparse_wide(job):
    write_wide(job.place.work / "wide.svm", 900)
    same_model(job, "--features", 2500, "wide.svm")


def dense_csv(job):
    same_model(job, "--schema", "schema.json", "rows.csv")


def quoted_line_breaks(job):
    """A part of a file may begin between quotes; the quotes before it are counted."""
    work = job.place.work
    schema = json.loads((work / "schema.json").read_text())
    schema["columns"].append({"name": "note", "type": "text", "slots": 8})
    (work / "notes.json").write_text(
        json.dumps({**schema, "tacit_schema": 2, "quoted_newlines": True}))
    head, *body = (work / "rows.csv").read_text().splitlines()
    notes = ['"a\nb"', "c", '"\n1,2,3\n\n"', '"d ""e""\n"']
    (work / "notes.csv").write_text("\n".join(
        [head + ",note"] + [f"{row},{notes[i * i // 5 % 4]}" for i, row in enumerate(body)]) + "\n")
    same_model(job, "--schema", "notes.json", "notes.csv")


def persons(job):
    """Counts of ids meet across ranks; a row has the same share and batch for any number."""
    work = job.place.work
    lines = (work / "rows.svm").read_text().splitlines()
    ids = [f"p{i * i % 61 if i % 5 else 7}" for i in range(len(lines))]
    (work / "ids.txt").write_text("\n".join(ids) + "\n")
    same_model(job, *SVM, "--unit", "ids.txt", "rows.svm")
    same_model(job, *SVM, "--unit", "ids.txt", "--unit-rows", 3, "--passes", 3, "rows.svm",
               ranks=(3,))
    schema = json.loads((work / "schema.json").read_text())
    head, *body = (work / "rows.csv").read_text().splitlines()
    people = [f"p{i * i % 61 if i % 5 else 7}" for i in range(len(body))]
    (work / "people.csv").write_text("\n".join(
        [head + ",who"] + [f"{row},{who}" for row, who in zip(body, people)]) + "\n")
    (work / "people.json").write_text(json.dumps({**schema, "tacit_schema": 2, "unit": "who"}))
    for more in ([], ["--unit-rows", 2], ["--passes", 3]):
        same_model(job, "--schema", "people.json", *more, "people.csv", ranks=(2, 3))
    for more in ([], ["--no-shuffle"]):  # of a cache, every rank reads all ids
        code, _, err = job.place.tacit("cache", "--schema", "people.json", "-o", "people.cache",
                                       *more, "people.csv")
        check(code == 0, err)
        same_model(job, *more, "--passes", 2, "people.cache", ranks=(3,))


def four_passes(job):
    same_model(job, *SVM, "--passes", 4, "rows.svm")
    same_model(job, "--schema", "schema.json", "--passes", 4, "rows.csv", ranks=(3,))


def softmax(job):
    same_model(job, "--features", 4, "--classes", 4, "kinds.svm")
    same_model(job, "--schema", "kinds.json", "kinds.csv", ranks=(2,))


def tree(job):
    same_model(job, *SVM, "--mechanism", "tree", "--bound", "tight", "rows.svm")
    same_model(job, *SVM, "--mechanism", "tree", "--passes", 4, "rows.svm", ranks=(3,))


def banded(job):
    same_model(job, *SVM, "--mechanism", "banded", "--batch", 9, "rows.svm")


def blt(job):
    same_model(job, *SVM, "--mechanism", "blt", "--batch", 3, "rows.svm")
    same_model(job, *SVM, "--mechanism", "blt", "--passes", 4, "rows.svm", ranks=(4,))


def other_laws(job):
    same_model(job, *SVM, "--delta", 0, "rows.svm", ranks=(3,))
    same_model(job, *SVM, "--delta", 0, "--law", "exp-l2", "rows.svm", ranks=(3,))
    same_model(job, "--features", 5, "--labels", "0,20", "--loss", "huber", "number.svm",
               ranks=(2,))


def in_file_order(job):
    same_model(job, *SVM, "--no-shuffle", "rows.svm", ranks=(3,))
    same_model(job, *SVM, "--no-shuffle", "--rows", 400, "rows.svm", ranks=(2,))


def shards(job):
    work = job.place.work
    lines = (work / "rows.svm").read_text().splitlines()
    for n in (2, 3, 5):
        names = write_shards(work, lines, n, f"part{n}")
        same_model(job, *SVM, *names, ranks=(2, 3, 4))
    # The rows of the list are the rows of the one file.
    code, _, err = job.place.tacit(*BASE, *SVM, "-o", "whole.json", "rows.svm")
    check(code == 0, err)
    check((work / "whole.json").read_bytes() == (work / "one.json").read_bytes(),
          "shards and the whole file differ in one process")


def zipped_shards(job):
    work = job.place.work
    header, *lines = (work / "rows.csv").read_text().splitlines()
    names = write_shards(work, lines, 5, "zip", header=header, zipped=True)
    same_model(job, "--schema", "schema.json", *names, ranks=(1, 2, 3, 4))
    same_model(job, "--schema", "schema.json", "--passes", 4, *names[:1], ranks=(3,))


def secret_noise(job):
    """Without a seed every rank has the key of rank 0, which nobody knows."""
    weights = []
    for name in ("a.json", "b.json"):
        code, _, lines = job.run(3, "train", "-q", "--epsilon", 1, *SVM, "-o", name, "rows.svm")
        check(code == 0, f"{lines}")
        model = json.loads((job.place.work / name).read_text())
        check(model["statement"]["private"] is True, "the model does not say it is private")
        weights.append(model["weights"])
    check(weights[0] != weights[1], "two private runs drew the same noise")


# ---- failures --------------------------------------------------------------------------


def refused(job, result, code, *parts):
    exit_code, out, lines = result
    check(exit_code == code, f"exit code {exit_code}, not {code}: {lines}")
    one_line(lines, *parts)
    check(out == "", f"printed on standard output: {out}")
    left = [f for f in job.place.files() if f.startswith("m.json")]
    check(not left, f"files left behind: {left}")


def bad_row(job):
    work = job.place.work
    lines = (work / "rows.svm").read_text().splitlines()
    names = write_shards(work, lines, 4, "part")
    for bad in range(4):
        text = (work / names[bad]).read_text().splitlines()
        text[7] = "1 2:hunter2"
        (work / "bad.txt").write_text("\n".join(text) + "\n")
        shards_now = names[:bad] + ["bad.txt"] + names[bad + 1:]
        result = job.run(4, *BASE, *SVM, "-o", "m.json", *shards_now)
        refused(job, result, 3, "bad.txt: line 8")
        check("hunter2" not in result[2][0], "the message repeats a value")


def missing_shard(job):
    work = job.place.work
    lines = (work / "rows.svm").read_text().splitlines()
    names = write_shards(work, lines, 3, "part")
    for gone in range(3):
        words = names[:gone] + ["gone.txt"] + names[gone + 1:]
        refused(job, job.run(3, *BASE, *SVM, "-o", "m.json", *words), 1, "gone.txt")
    # Another order would make rows count twice.
    good = [*BASE, *SVM, "-o", "m.json"]
    refused(job, job.run_each(good + names, good + [names[1], names[0], names[2]]),
            2, "rank 1", "other files")
    refused(job, job.run_each(good + names, good + names, good + names[:2]),
            2, "rank 2", "other files")


def short_shard(job):
    work = job.place.work
    lines = (work / "rows.svm").read_text().splitlines()
    names = write_shards(work, lines, 3, "part")
    text = (work / names[1]).read_text().splitlines()
    (work / names[1]).write_text("\n".join(text[:-2]) + "\n")
    result = job.run(3, *BASE, *SVM, "--rows", len(lines), "-o", "m.json", *names)
    refused(job, result, 3, "400", "398")


def ranks_that_differ(job):
    good = [*BASE, *SVM, "-o", "m.json", "rows.svm"]
    for extra in (["--l2", 0.5], ["--passes", 2], ["--radius", 3], ["--adjacency", "zero-out"]):
        refused(job, job.run_each(good, good + extra, good), 2, "rank 1", "start all ranks alike")
    refused(job, job.run_each(good, good, good + ["--bogus"]), 2, "rank 2", "--bogus")
    refused(job, job.run_each(good + ["--bogus"], good), 2, "--bogus")
    refused(job, job.run_each(good, ["train", "--help"]), 1, "rank 1", "start all ranks alike")


def usage(job):
    refused(job, job.run(3, *BASE, *SVM, "-o", "m.json"), 2, "data is missing")
    refused(job, job.run(2, *BASE, *SVM, "-o", "m.json", "-"), 2, "store it in a file")
    refused(job, job.run(2, *BASE, *SVM, "-o", "none/m.json", "rows.svm"), 1, "none/m.json")
    refused(job, job.run(2, "predict"), 2, "predict")
    refused(job, job.run(2, "infer", *SVM), 2, 'unknown command "infer"; only train runs on ranks')
    code, out, lines = job.run(2, "--version")
    check(code == 0 and not lines and re.fullmatch(r"tacit-mpi \d+\.\d+\.\d+(-dev)?\n", out), f"version: {out!r}")
    code, out, lines = job.run(2, "train", "--help")
    check(code == 0 and out.startswith("Usage: tacit-mpi train") and out.count("Usage:") == 1,
          "train --help is not printed once")
    code, out, lines = job.run(2, "train", *SVM, "--epsilon", 1, "--rows", 400, "--dry-run")
    check(code == 0 and not lines and out == job.place.tacit(
        "train", *SVM, "--epsilon", 1, "--rows", 400, "--dry-run")[1], "--dry-run differs")


def full_disk(job):
    """A device takes the model last, behind the statement; of a file there is nothing when
    the statement could not be printed."""
    code, _, lines = job.run(3, *BASE, *SVM, "-o", "/dev/full", "rows.svm")
    check(code == 1, f"exit code {code}: {lines}")
    one_line(lines, "/dev/full", "No space left")
    words = job.words(3, *BASE, *SVM, "-o", "m.json", "rows.svm")
    at = words.index(job.program)
    words[at:at] = ["sh", "-c", 'exec "$0" "$@" > /dev/full']
    refused(job, job.call(words, None, 120), 1, "standard output could not be written")


def same_file(job):
    before = (job.place.work / "rows.svm").read_bytes()
    refused(job, job.run(2, *BASE, *SVM, "-o", "rows.svm", "rows.svm"), 2, "the same file")
    check((job.place.work / "rows.svm").read_bytes() == before, "the data were touched")
    words = job.words(2, *BASE, *SVM, "-o", "m.json", "rows.svm")
    at = words.index(job.program)
    words[at:at] = ["sh", "-c", 'exec "$0" "$@" <&- >&-']
    code, _, lines = job.call(words, None, 120)
    check(code == 0 and not lines, f"closed streams: exit code {code}: {lines}")


# ---- signals ---------------------------------------------------------------------------


def long_job(job, n, lines=1):
    """A job of 1,200,000 rounds, so many lines of progress later: long on any machine."""
    rows = (job.place.work / "rows.svm").read_text()
    (job.place.work / "long.svm").write_text(rows * 3000)
    process = job.start(n, "train", "--epsilon", 1, *SVM, "--batch", 1, "-o", "m.json", "long.svm")
    pids = wait_for_ranks(process, n)
    for _ in range(lines):  # a line of progress says that rounds are under way
        line = process.stderr.readline().decode()
        check(line.startswith("round"), f"no progress but: {line}")
    return process, pids


def ended(job, process, pids):
    code, lines = end_job(process)
    for pid in pids:
        end = time.monotonic() + 120
        while is_alive(pid) and time.monotonic() < end:
            time.sleep(0.02)
        check(not is_alive(pid), "a rank is still there")
    left = [f for f in job.place.files() if f.startswith("m.json")]
    check(not left, f"files left behind: {left}")
    return code, lines


def killed_rank(job):
    for victim in range(3):
        process, pids = long_job(job, 3, lines=1 + victim)
        os.kill(pids[victim], signal.SIGKILL)
        code, _ = ended(job, process, pids)
        check(code != 0, "a job that lost a rank ended well")


def stopped_rank(job):
    """A signal to one rank, or to mpirun, stops all."""
    for sent, number in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        process, pids = long_job(job, 3)
        os.kill(pids[1], sent)
        code, lines = ended(job, process, pids)
        check(code == number, f"exit code {code}, not {number}: {lines}")
        one_line(lines, "stopped by " + sent.name)
    process, pids = long_job(job, 2)
    process.send_signal(signal.SIGTERM)
    code, _ = ended(job, process, pids)
    check(code != 0, "a stopped job ended well")


# ---- cost ------------------------------------------------------------------------------


def traffic(job):
    """Bytes a round and rank, as the program says and as MPI sees it: at most 2.2 * 8 d,
    with a checkpoint too. 10,001 weights are 10 blocks, which 3 and 4 ranks cannot divide
    evenly."""
    for features in (10000, 20000):
        traffic_of(job, features)


def traffic_of(job, features):
    write_wide(job.place.work / "wide.svm", 320, features=features, entries=20)
    vector = 8 * (features + 1)
    (job.place.work / "run.key").write_bytes(bytes(range(32)))
    (job.place.work / "run.key").chmod(0o600)
    keep = ["--checkpoint", "run.ckpt", "--key-file", "run.key"]
    for n, extra in [(n, extra) for extra in ([], keep) for n in (2, 3, 4)]:
        base = job.place.work / f"count{n}"
        code, out, lines = job.run(
            n, *BASE, *extra, "--features", features, "--json", "-o", "m.json", "wide.svm",
            env={"LD_PRELOAD": job.counter, "TACIT_TEST_COUNT": str(base)})
        check(code == 0, f"{n} ranks failed: {lines}")
        result = json.loads(out)
        rounds = result["statement"]["rounds"]
        check(len(result["ranks"]) == n, f"{len(result['ranks'])} ranks are told of, not {n}")
        for rank, told in enumerate(result["ranks"]):
            sent, received = map(int, (base.parent / f"{base.name}.{rank}").read_text().split())
            # The counts themselves are exchanged after they are taken.
            for seen, said in ((sent, told["sent_bytes"]), (received, told["received_bytes"])):
                check(0 <= seen - said <= 1000 * n, f"MPI saw {seen} bytes, told are {said}")
            a_round = max(sent, received) / rounds
            check(a_round <= 2.2 * vector, f"{n} ranks: {a_round} bytes a round, d {features}")
            check(a_round >= vector * (n - 1) / n, f"{a_round} bytes cannot add up the sums")


def calls(job):
    """Nothing else moves data, so the counter sees it all."""
    done = subprocess.run(["nm", "-D", "--undefined-only", job.program], capture_output=True,
                          check=True)
    used = set(re.findall(r"\b(MPI_\w+)", done.stdout.decode()))
    check(COUNTED <= used, f"not called: {COUNTED - used}")
    check(used <= COUNTED | QUIET, f"called and not counted: {used - COUNTED - QUIET}")


def many_messages(job):
    """Vectors longer than one message of 4 MiB."""
    write_wide(job.place.work / "wide.svm", 60, features=1200000, entries=4)
    same_model(job, "--features", 1200000, "--batch", 60, "wide.svm", ranks=(2, 3))


TESTS = [
    ("sparse rows over many blocks", sparse_wide), ("dense rows", dense_csv),
    ("line breaks between quotes", quoted_line_breaks), ("persons", persons),
    ("four passes", four_passes), ("softmax", softmax), ("tree", tree), ("banded", banded),
    ("blt", blt), ("other laws and losses", other_laws), ("rows as they stand", in_file_order),
    ("shards", shards), ("zipped shards", zipped_shards), ("secret noise", secret_noise),
    ("a bad row in one shard", bad_row), ("a missing shard", missing_shard),
    ("a short shard", short_shard), ("ranks that differ", ranks_that_differ),
    ("wrong use", usage), ("a full disk", full_disk), ("files that are the same, streams that are closed", same_file), ("a killed rank", killed_rank),
    ("a stopped rank", stopped_rank), ("bytes a round", traffic), ("calls of MPI", calls),
    ("vectors of many messages", many_messages),
]


def main():
    tacit, tacit_mpi, mpirun, counter, moment = map(os.path.abspath, sys.argv[1:6])

    def with_job(test):
        return lambda place: test(Job(place, mpirun, tacit_mpi, counter, moment))

    wanted = sys.argv[6:]
    tests = [(name, with_job(test)) for name, test in TESTS if not wanted or name in wanted]
    return run_tap(tacit, tests)


if __name__ == "__main__":
    sys.exit(main())
