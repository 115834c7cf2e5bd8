#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checkpoints of tacit-mpi: resume.py TACIT TACIT-MPI MPIRUN

Ranks are killed at random moments and the job is resumed on another number of ranks.
"""
import os
import random
import signal
import subprocess
import sys
import time

from job import Job, end_job, rank_pids, write_shards

from golden import check, run_tap  # noqa: E402  job.py says where it is

OPTIONS = ["--features", "5", "--epsilon", "1", "--seed", "3", "-q"]
KEEP = ["--checkpoint", "run.ckpt", "--key-file", "key", "--resume", "-o", "m.json"]


def write_inputs(job, rows):
    draw, lines = random.Random(2), []
    for _ in range(rows):
        x = [draw.uniform(-1, 1) for _ in range(5)]
        cells = " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x))
        lines.append(f"{1 if x[0] > x[1] else 0} {cells}")
    key = job.place.work / "key"
    key.write_text("0123456789abcdef0123456789abcdef")
    key.chmod(0o600)
    return write_shards(job.place.work, lines, 3, "shard")


def kept(job):
    try:
        return (job.place.work / "run.ckpt").stat().st_size
    except FileNotFoundError:
        return 0


def one_attempt(job, n, words, wait, draw):
    """A job of n ranks, one of which is killed after `wait` seconds of its run: 1; 0 when
    it was through before."""
    process = job.start(n, *words)
    began = time.monotonic()
    pids = []
    while process.poll() is None and len(pids) < n and time.monotonic() < began + 30:
        pids = rank_pids(process.pid)
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        pass
    if process.poll() is None and pids:
        try:
            os.kill(draw.choice(pids), signal.SIGKILL)
        except ProcessLookupError:
            pass
    code, lines = end_job(process)
    deadline = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)  # the lock ends with the last of them
    # A killed job may say that it lost its ranks; any other complaint is a fault.
    check(all("lost the other ranks" in line for line in lines), f"{lines}")
    return code != 0


def killed(*options, kills=20, seed=1):
    def scenario(job):
        files = write_inputs(job, 6000)
        words = ["train", *OPTIONS, *options, *KEEP, *files]
        code, _, err = job.place.tacit("train", *OPTIONS, *options, "-o", "whole.json", *files)
        check(code == 0, err)
        whole = (job.place.work / "whole.json").read_bytes()
        began = time.monotonic()
        code, _, lines = job.run(2, *words)
        check(code == 0, f"{lines}")
        lasts = time.monotonic() - began
        draw, done, sizes = random.Random(seed), 0, set()
        model = job.place.work / "m.json"
        check(model.read_bytes() == whole, "a checkpoint changes the model")
        model.unlink()
        while done < kills:
            n = draw.choice((1, 2, 3, 4))
            done += one_attempt(job, n, words, draw.uniform(0, 0.7 * lasts), draw)
            sizes.add(kept(job))
            if model.exists():
                check(model.read_bytes() == whole, f"another model, on {n} ranks")
                model.unlink()
        check(len(sizes) > 2, f"all killed at one place: {sizes}")
        # One process, without MPI, goes on with what the ranks left.
        code, _, err = job.place.tacit(*words)
        check(code == 0, err)
        check(model.read_bytes() == whole, "another model in one process")
        check(kept(job) == 0, "the checkpoint is still there")
    return scenario


def refused(job):
    """What rank 0 finds wrong all ranks know, and it is said once."""
    files = write_inputs(job, 600)
    words = ["train", *OPTIONS, *KEEP, *files]
    process = job.start(2, "train", *OPTIONS, "--batch", "2", *KEEP, *files)
    while kept(job) < 1000 and process.poll() is None:
        time.sleep(0.0005)
    for pid in rank_pids(process.pid):
        os.kill(pid, signal.SIGKILL)
    end_job(process)
    check(kept(job) >= 1000, "not stopped in time")
    code, out, lines = job.run(3, *words)
    check(code == 5 and out == "" and len(lines) == 1 and "other options" in lines[0],
          f"{code}: {lines}")
    (job.place.work / "key").write_text("0123456789abcdef0123456789abcdeF")
    code, out, lines = job.run(3, *words)
    check(code == 3 and out == "" and len(lines) == 1 and "wrong key file" in lines[0],
          f"{code}: {lines}")
    check(not (job.place.work / "m.json").exists(), "a model after a refusal")


TESTS = [
    ("a rank killed at 20 moments, resumed on other ranks", killed("--batch", "100")),
    ("the same in 3 passes by tree", killed("--passes", "3", "--mechanism", "tree", kills=8,
                                            seed=2)),
    ("refused on all ranks", refused),
]


def main():
    tacit, tacit_mpi, mpirun = map(os.path.abspath, sys.argv[1:4])
    return run_tap(tacit, [(name, lambda place, test=test: test(Job(place, mpirun, tacit_mpi, None)))
                           for name, test in TESTS])


if __name__ == "__main__":
    sys.exit(main())
