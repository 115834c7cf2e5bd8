#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checkpoints of tacit-mpi: resume.py TACIT TACIT_MPI MPIRUN COUNTER

Any rank killed at any moment, then --resume on any number of ranks: the same bytes as a run
without a break.
"""
import os
import random
import signal
import sys
import time

from job import Job, end_job, is_alive, one_line, wait_for_ranks
from golden import check, run_tap  # noqa: E402  job.py says where it is

KILLS = 20
DATA = ["--features", 5, "--batch", 20, "long.svm"]  # 400 rounds
BASE = ["train", "-q", "--epsilon", 1, "--seed", 3]
KEEP = ["--checkpoint", "run.ckpt", "--key-file", "run.key", "--resume"]


def prepare(job):
    """The model of a run without a break, and a key file."""
    work = job.place.work
    (work / "long.svm").write_text((work / "rows.svm").read_text() * 20)
    (work / "run.key").write_bytes(bytes(range(32)))
    (work / "run.key").chmod(0o600)
    code, _, err = job.place.tacit(*BASE, "-o", "whole.json", *DATA)
    check(code == 0, f"train failed ({code}): {err}")
    return (work / "whole.json").read_bytes()


def kill_one(job, n, draw, span=0.5):
    """Starts n ranks and kills one within `span` seconds; 1 when that came before the end."""
    process = job.start(n, *BASE, *KEEP, "-o", "m.json", *DATA)
    pids = wait_for_ranks(process, n)
    checkpoint = job.place.work / "run.ckpt"
    while process.poll() is None and not checkpoint.exists():
        time.sleep(0.005)
    time.sleep(draw.uniform(0, span))
    victim = draw.choice(pids)
    if process.poll() is None and is_alive(victim):
        os.kill(victim, signal.SIGKILL)
    code, _ = end_job(process)
    while any(map(is_alive, pids)):
        time.sleep(0.02)
    check(code != 0 or (job.place.work / "m.json").exists(), "success without a model")
    return code != 0


def killed_and_resumed(job):
    whole, draw, hits, trial, span = prepare(job), random.Random(9), 0, 0, 0.5
    model, checkpoint = job.place.work / "m.json", job.place.work / "run.ckpt"
    while hits < KILLS and trial < 5 * KILLS:
        hit = kill_one(job, draw.choice([2, 3, 4]), draw, span)
        hits, trial = hits + hit, trial + 1
        span *= 1.1 if hit else 0.7  # a quick machine must be killed sooner
        if hit and model.exists():  # killed once the model was written, whole
            checkpoint.unlink(missing_ok=True)
        if trial % 2 == 0 and not model.exists():
            continue  # the next one goes on from here, and is killed too
        if not model.exists():
            n = draw.choice([1, 2, 3, 4])
            if n == 1:
                code, _, lines = job.place.tacit(*BASE, *KEEP, "-o", "m.json", *DATA)
            else:
                code, _, lines = job.run(n, *BASE, *KEEP, "-o", "m.json", *DATA)
            check(code == 0, f"resuming on {n} failed ({code}): {lines}")
        check(model.read_bytes() == whole, f"trial {trial}: another model")
        check(not checkpoint.exists(), "the checkpoint is still there")
        model.unlink()
    check(hits == KILLS, f"only {hits} of {trial} kills came before the end")
    finish_left_over(job, whole)


def finish_left_over(job, whole):
    """The last kill may have left a run half done."""
    model, checkpoint = job.place.work / "m.json", job.place.work / "run.ckpt"
    if checkpoint.exists():
        code, _, lines = job.run(2, *BASE, *KEEP, "-o", "m.json", *DATA)
        check(code == 0, f"resuming failed ({code}): {lines}")
        check(model.read_bytes() == whole, "another model")


def stopped_and_resumed(job):
    """A run of one process that was stopped goes on as a job, and the other way round."""
    whole, work = prepare(job), job.place.work
    for first, second in ((1, 3), (3, 1), (2, 4)):
        process = job.start(first, *BASE, *KEEP, "-o", "m.json", *DATA)
        pids = wait_for_ranks(process, first)
        while process.poll() is None and not (work / "run.ckpt").exists():
            time.sleep(0.005)
        os.kill(pids[-1], signal.SIGTERM)
        code, _ = end_job(process)
        if code != 0:  # else it was quicker than the signal
            check(not (work / "m.json").exists(), "a stopped job left a model")
            code, _, lines = job.run(second, *BASE, *KEEP, "-o", "m.json", *DATA)
            check(code == 0, f"{second} ranks cannot go on ({code}): {lines}")
        check((work / "m.json").read_bytes() == whole, "another model")
        (work / "m.json").unlink()


def refused(job):
    """Other data, another key, a damaged file: one line from rank 0."""
    prepare(job)
    work = job.place.work
    hit, span = 0, 0.3
    for seed in range(20):
        hit = kill_one(job, 3, random.Random(seed), span) and not (work / "m.json").exists()
        if hit:
            break
        span *= 0.7
        (work / "m.json").unlink(missing_ok=True)
        (work / "run.ckpt").unlink(missing_ok=True)
    check(hit, "no kill came before the end")
    sealed = (work / "run.ckpt").read_bytes()
    words = [*BASE, *KEEP, "-o", "m.json"]

    def goes_wrong(code, arguments, *parts):
        result = job.run(2, *arguments)
        check(result[0] == code, f"exit code {result[0]}, not {code}: {result[2]}")
        one_line(result[2], *parts)
        check(not (work / "m.json").exists(), "there is a model")

    goes_wrong(5, [*words, "--l2", 0.1, *DATA], "run.ckpt", "other options")
    for damage in (sealed[:100], sealed[:200] + bytes([sealed[200] ^ 1]) + sealed[201:]):
        (work / "run.ckpt").write_bytes(damage)
        (work / "run.ckpt").chmod(0o600)
        goes_wrong(3, [*words, *DATA], "run.ckpt")
    (work / "run.ckpt").write_bytes(sealed)
    lines = (work / "long.svm").read_text().splitlines()
    for row in (0, len(lines) // 2, len(lines) - 1):  # whether it was consumed or not
        line = lines[row]
        changed = [*lines[:row], line[:-1] + str((int(line[-1]) + 1) % 10), *lines[row + 1:]]
        (work / "long.svm").write_text("\n".join(changed) + "\n")
        goes_wrong(3, [*words, *DATA], "run.ckpt", "the data is not what it was")


TESTS = [("killed at random moments", killed_and_resumed),
         ("stopped, then on other ranks", stopped_and_resumed),
         ("what does not fit is refused", refused)]


def main():
    tacit, tacit_mpi, mpirun, counter = map(os.path.abspath, sys.argv[1:5])

    def with_job(test):
        return lambda place: test(Job(place, mpirun, tacit_mpi, counter))

    return run_tap(tacit, [(name, with_job(test)) for name, test in TESTS])


if __name__ == "__main__":
    sys.exit(main())
