#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checkpoints of tacit-mpi: resume.py TACIT TACIT_MPI MPIRUN COUNTER MOMENT

Any rank killed in any round, then --resume on any number of ranks: the same bytes as a run
without a break. Rank 0 stops itself when the checkpoint has a given size (MOMENT, made from
golden/moment.c), all others wait for it, and then one of them is killed: no clock decides.
"""
import contextlib
import os
import random
import signal
import sys
import time

from job import Job, end_job, is_alive, one_line, state_of, wait_for_ranks
from golden import at_moment, check, run_tap  # noqa: E402  job.py says where it is

KILLS = 20
DATA = ["--features", 5, "--batch", 20, "long.svm"]  # 400 rounds
ROUND = 64  # a round adds at least so many bytes to a checkpoint
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


def stop_at(job, n, more):
    """Starts n ranks; returns when rank 0 has stopped because the checkpoint has `more`
    rounds than now, or when the job is over: (process, ranks, rank 0 or None).
    """
    checkpoint = job.place.work / "run.ckpt"
    size = (checkpoint.stat().st_size if checkpoint.exists() else 0) + more * ROUND
    env = at_moment(job.moment, signal.SIGSTOP, file="run.ckpt", size=size)
    process = job.start(n, *BASE, *KEEP, "-o", "m.json", *DATA,
                        env={**env, "ASAN_OPTIONS": job.env["ASAN_OPTIONS"]})
    try:
        pids = wait_for_ranks(process, n)
    except ValueError:
        if process.poll() is None:
            raise
        return process, [], None  # few rounds were left, and the run ended before all ranks were seen
    while process.poll() is None and any(map(is_alive, pids)):
        for pid in pids:
            if state_of(pid) == "T":
                return process, pids, pid
        time.sleep(0.002)
    return process, pids, None


def let_go_on(stopped):
    """The stopped rank runs again, unless mpirun has already ended and reaped it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(stopped, signal.SIGCONT)


def kill_one(job, n, draw, more):
    """Kills one of n ranks `more` rounds from now; 1 when that came before the end."""
    process, pids, stopped = stop_at(job, n, more)
    if stopped is not None:
        os.kill(draw.choice(pids), signal.SIGKILL)
        let_go_on(stopped)
    code, _ = end_job(process)
    while any(map(is_alive, pids)):
        time.sleep(0.02)
    check((code == 0) == (stopped is None), f"exit code {code}, stopped: {stopped}")
    check(code != 0 or (job.place.work / "m.json").exists(), "success without a model")
    return stopped is not None


def killed_and_resumed(job):
    whole, draw, hits, trial = prepare(job), random.Random(9), 0, 0
    model, checkpoint = job.place.work / "m.json", job.place.work / "run.ckpt"
    while hits < KILLS and trial < 5 * KILLS:
        hits += kill_one(job, draw.choice([2, 3, 4]), draw, draw.randint(1, 250))
        trial += 1
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
        process, pids, stopped = stop_at(job, first, 10)
        check(stopped is not None, "the job was over before it could be stopped")
        os.kill(pids[-1], signal.SIGTERM)
        let_go_on(stopped)
        code, _ = end_job(process)
        check(code != 0, "a stopped job ended well")
        check(not (work / "m.json").exists(), "a stopped job left a model")
        code, _, lines = job.run(second, *BASE, *KEEP, "-o", "m.json", *DATA)
        check(code == 0, f"{second} ranks cannot go on ({code}): {lines}")
        check((work / "m.json").read_bytes() == whole, "another model")
        (work / "m.json").unlink()


def refused(job):
    """Other data, another key, a damaged file: one line from rank 0."""
    prepare(job)
    work = job.place.work
    check(kill_one(job, 3, random.Random(1), 30), "no kill came before the end")
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


TESTS = [("killed in random rounds", killed_and_resumed),
         ("stopped, then on other ranks", stopped_and_resumed),
         ("what does not fit is refused", refused)]


def main():
    tacit, tacit_mpi, mpirun, counter, moment = map(os.path.abspath, sys.argv[1:6])

    def with_job(test):
        return lambda place: test(Job(place, mpirun, tacit_mpi, counter, moment))

    return run_tap(tacit, [(name, with_job(test)) for name, test in TESTS])


if __name__ == "__main__":
    sys.exit(main())
