# SPDX-License-Identifier: MIT
"""Wall clock and memory of a child process, and the machine it ran on."""

import os
import pathlib
import re
import subprocess
import threading
import time
from dataclasses import dataclass


@dataclass
class Run:
    seconds: float
    cpu_s: float  # of all its threads: less noisy on a busy machine
    code: int
    out: str
    err: str
    peak_mb: float = 0.0  # resident at the most, pages of mapped files included
    own_mb: float = 0.0  # of it the process's own memory


def watch(pid, run, stop):
    """Samples the memory of a process every 10 ms; the maximum of wait4 would include the
    memory of the parent before exec."""
    while not stop.wait(0.01):
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        except OSError:
            return
        sizes = {k: int(v) / 1024 for k, v in re.findall(r"(\w+):\s+(\d+) kB", status)}
        run.peak_mb = max(run.peak_mb, sizes.get("VmHWM", 0))
        run.own_mb = max(run.own_mb, sizes.get("RssAnon", 0))


def run(argv, stdin=None, environment=None, memory=False):
    """Runs a child from start to exit; its output is read afterwards."""
    done, stop = Run(0, 0, 0, "", ""), threading.Event()
    with open(os.memfd_create("out"), "w+b") as out, open(os.memfd_create("err"), "w+b") as err:
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(a) for a in argv],
            stdin=stdin or subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env={**os.environ, **(environment or {})},
        )
        watcher = threading.Thread(target=watch, args=(child.pid, done, stop))
        if memory:
            watcher.start()
        _, status, usage = os.wait4(child.pid, 0)
        done.seconds = time.perf_counter() - start
        done.cpu_s = usage.ru_utime + usage.ru_stime
        done.code = child.returncode = os.waitstatus_to_exitcode(status)
        stop.set()
        if memory:
            watcher.join()
        out.seek(0)
        err.seek(0)
        done.out, done.err = (f.read().decode(errors="replace") for f in (out, err))
    return done


def must(argv, **options):
    """A run that must succeed."""
    done = run(argv, **options)
    if done.code != 0:
        raise SystemExit(f"failed: {' '.join(str(a) for a in argv)}\n{done.err.strip()}")
    return done


def interleaved(commands, times=3, **options):
    """From {key: argv} to {key: best seconds}; the commands take turns."""
    seconds = {key: [] for key in commands}
    for _ in range(times):
        for key, argv in commands.items():
            seconds[key].append(must(argv, **options).seconds)
    return {key: min(values) for key, values in seconds.items()}


def cpu_times():
    with open("/proc/stat", encoding="ascii") as file:
        numbers = [int(n) for n in file.readline().split()[1:9]]
    return sum(numbers), numbers[3] + numbers[4]  # all, idle


def stolen_times():
    """Ticks that a host took from this virtual machine while it had work to do, and ticks with work."""
    with open("/proc/stat", encoding="ascii") as file:
        numbers = [int(n) for n in file.readline().split()[1:9]]
    return numbers[7], sum(numbers) - numbers[3] - numbers[4]


def busy_cores(seconds=2):
    """How many cores other processes use, measured while this process sleeps."""
    total, idle = cpu_times()
    time.sleep(seconds)
    total2, idle2 = cpu_times()
    return os.cpu_count() * (1 - (idle2 - idle) / max(1, total2 - total))


def machine():
    """The facts about the machine that affect speed, without names."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    model = re.search(r"model name\s*:\s*(.*)", text)
    flags = re.search(r"flags\s*:\s*(.*)", text)
    flags = flags.group(1).split() if flags else []
    caches = {}
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level, size = (
            (index / name).read_text(encoding="ascii").strip() for name in ("type", "level", "size")
        )
        if kind != "Instruction":
            caches[f"L{level}"] = size
    memory = re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text("ascii"))
    return {
        "processor": model.group(1) if model else os.uname().machine,
        "cores": len(os.sched_getaffinity(0)),
        "caches": caches,
        "memory_gb": int(memory.group(1)) / 2**20 if memory else None,
        "vectors": [f for f in ("sse4_2", "avx2", "fma", "avx512f") if f in flags],
    }
