# SPDX-License-Identifier: MIT
"""Runs tacit-mpi in tests: inputs, mpirun on any machine, the ranks of a job."""
import gzip
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from golden import check  # noqa: E402

# Open MPI needs these in a container, as root, without a network, on fewer cores than ranks.
# Other MPI libraries ignore them.
MPI_ENV = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_plm": "isolated",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_oob_tcp_if_include": "lo",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PMIX_MCA_psec": "native",
}
# MPI does not free all its memory, and the counter is preloaded.
SANITIZER_ENV = {"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}


class Job:
    """mpirun with tacit-mpi, in the folder of a test."""

    def __init__(self, place, mpirun, program, counter, moment):
        self.place, self.mpirun, self.program = place, mpirun, program
        self.counter, self.moment = counter, moment  # modules to preload
        self.env = dict(place.env, **MPI_ENV, **SANITIZER_ENV)

    def words(self, n, *words):
        return [self.mpirun, "-n", str(n), self.program, *map(str, words)]

    def run(self, n, *words, env=None, timeout=120):
        """tacit-mpi WORDS on n ranks: (exit code, standard output, our error lines)."""
        return self.call(self.words(n, *words), env, timeout)

    def run_each(self, *lines, timeout=120):
        """One rank for each list of words."""
        words = []
        for i, line in enumerate(lines):
            words += [":"] if i else [self.mpirun]
            words += ["-n", "1", self.program, *map(str, line)]
        return self.call(words, None, timeout)

    def call(self, words, env, timeout):
        done = subprocess.run(words, cwd=self.place.work, env=dict(self.env, **(env or {})),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        ours = [line for line in done.stderr.decode(errors="replace").splitlines()
                if line.startswith("tacit")]
        return done.returncode, done.stdout.decode(), ours

    def start(self, n, *words, env=None):
        return subprocess.Popen(self.words(n, *words), cwd=self.place.work,
                                env=dict(self.env, **(env or {})), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            pass
    return found


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def state_of(pid):
    """The state of a process, as the letter of the system; X when it is gone."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "X"
    return status.split("State:\t", 1)[1][0]


def is_alive(pid):
    """Whether a process runs; one that nobody has waited for yet does not."""
    return state_of(pid) not in "ZX"


def rank_pids(pid):
    """Processes of tacit-mpi below a process."""
    found = []
    for child in children(pid):
        if name_of(child) == "tacit-mpi":
            found.append(child)
        found += rank_pids(child)
    return sorted(found)


def wait_for_ranks(process, n, timeout=180):
    end = time.monotonic() + timeout
    while time.monotonic() < end and process.poll() is None:
        pids = rank_pids(process.pid)
        if len(pids) == n:
            return pids
        time.sleep(0.01)
    raise ValueError("the ranks did not start")


def end_job(process, timeout=60):
    """(exit code, our error lines); a job that does not end is killed and is a failure."""
    try:
        _, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # Open MPI 4.1's mpirun may wait for itself for ever after a rank was killed; when
        # all ranks are gone the job has ended whatever it does.
        alive = [pid for pid in rank_pids(process.pid) if is_alive(pid)]
        for pid in alive + [process.pid]:
            os.kill(pid, signal.SIGKILL)
        _, err = process.communicate()
        if alive:
            raise
    lines = [line for line in err.decode(errors="replace").splitlines()
             if line.startswith("tacit")]
    return process.returncode, lines


def write_shards(folder, lines, n, name, header=None, zipped=False):
    """Splits lines over n files of uneven length; returns their names."""
    names, first = [], 0
    for i in range(n):
        end = len(lines) if i == n - 1 else len(lines) * (i + 1) * (i + 2) // (n * (n + 1))
        text = "\n".join(([header] if header else []) + lines[first:end]) + "\n"
        names.append(f"{name}-{i}.{'gz' if zipped else 'txt'}")
        path = folder / names[-1]
        path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
        first = end
    return names


def write_wide(path, rows, features=2500, entries=8, seed=4):
    """A sparse LIBSVM file over several blocks of 1024 coordinates."""
    draw = random.Random(seed)
    with open(path, "w", encoding="ascii") as file:
        for _ in range(rows):
            columns = sorted(draw.sample(range(1, features + 1), entries))
            label = 1 if draw.random() < (0.8 if columns[0] < 200 else 0.3) else -1
            cells = " ".join(f"{c}:{draw.uniform(-1, 1):.3f}" for c in columns)
            file.write(f"{label} {cells}\n")


def one_line(lines, *parts):
    check(len(lines) == 1, f"{len(lines)} error lines, not one: {lines}")
    for part in parts:
        check(part in lines[0], f"\"{lines[0]}\" does not say \"{part}\"")
