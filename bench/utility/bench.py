# SPDX-License-Identifier: MIT
"""bench.py --program PATH --out FOLDER [--data FOLDER] [--quick] [--tune] [--jobs N]
[--only NAME,…] [--resume FILE]

Trains with Tacit and with its peers on the same data at the same adjacency, epsilon and
delta, and writes utility.md, utility.json and utility.svg to FOLDER, with the tables that the
defaults rest on in defaults.md.
"""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # parallel by runs, not inside one

import argparse
import functools
import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from dataclasses import asdict, replace

import evidence
import family
import figure
import peers
import peers_pypi
import problems
import report
import synthetic
import tune
from program import Program
from results import missing, write

STATE = {}  # problems, program and options; the workers inherit it by fork
NEEDS = {  # modules from PyPI
    "opacus": ("torch", "opacus"),
    "opacus-usual": ("torch", "opacus"),
    "diffprivlib": ("sklearn", "diffprivlib"),
    "dp-ebm": ("interpret",),
    "dp-ebm-usual": ("interpret",),
}
TUNED = ("dp-gd", "dp-ftrl", "opacus", "opacus-usual", "diffprivlib", "dp-ebm")


@functools.lru_cache(maxsize=None)
def task_of(name):
    return peers.Task(STATE["problems"][name])


def tacit(problem, epsilon, method, passes):
    preset = {"tacit": "practical", "tacit-anytime": "anytime", "tacit-paper": "paper"}[method]
    seeds = problem.seeds_low if epsilon < 0.25 else problem.seeds
    if method != "tacit":
        seeds = min(seeds, problem.slow_seeds)
    both = [
        STATE["program"].train_and_eval(
            problem, epsilon, seed, "--passes", str(passes), "--preset", preset
        )
        for seed in range(1, 1 + (min(3, seeds) if STATE["quick"] else seeds))
    ]
    return {}, *zip(*both)


def each(run, seeds):
    return zip(*(run(seed) for seed in range(1, seeds + 1)))


def peer(problem, epsilon, method, setting):
    """Settings, losses and accuracies of a method that is not Tacit."""
    task, seeds = task_of(problem.name), 3 if STATE["quick"] else problem.peer_seeds
    slow = 2 if STATE["quick"] else problem.slow_seeds
    if method == "no-privacy":
        loss, accuracy, ridge = peers.without_noise(task)
        return {"ridge": ridge}, [loss], [accuracy]
    mu = STATE["program"].mu(epsilon, problem.delta)
    if method in ("dp-gd", "dp-ftrl"):
        chosen = peers.Setting(**setting)
        run = peers.descend if method == "dp-gd" else peers.follow
        plain = replace(chosen, output="last")
        found = {s: scores for s, *scores in run(task, mu, [plain], 1, seeds)}
        return setting, *found[chosen]
    if method == "dp-gd-usual":
        chosen, *scores = peers.usual_descent(task, mu, seeds)
        return asdict(chosen), *scores
    if method == "adassp":
        return {}, *each(lambda s: peers.ada_ssp(task, mu, s, problem.delta), seeds)
    if method in ("opacus", "opacus-usual"):
        model, chosen = peers_pypi.Opacus(problem), peers.SgdSetting(**setting)
        return setting, *each(lambda s: model.run(chosen, s), 1 if "usual" in method else slow)
    if method in ("dp-ebm", "dp-ebm-usual"):
        rate = setting["rate"] if setting else 0.01
        return {"rate": rate}, *each(lambda s: peers_pypi.ebm(problem, epsilon, rate, s), slow)
    c = setting["C"] if setting else None
    return setting or {}, *each(lambda s: peers_pypi.diffprivlib(problem, epsilon, c, s), slow)


def run(job):
    """Computes one cell of the table: mean and standard error over seeds."""
    method, name, epsilon, passes = job
    start = sum(os.times()[:4])
    try:
        if method == "family":
            return family.cell(STATE["program"], name)
        if method == "evidence":
            return evidence.cell(STATE["program"], STATE["problems"], name)
        problem = STATE["problems"][name]
        if STATE["tuning"]:
            mu = STATE["program"].mu(epsilon, problem.delta)
            setting = tune.find(method, task_of(name), epsilon, mu, STATE["tuned"])
            return {"problem": name, "method": method, "epsilon": epsilon, "found": setting}
        if method.startswith("tacit"):
            found = tacit(problem, epsilon, method, passes)
        else:
            setting = STATE["tuned"].get(name, method, epsilon) if epsilon else None
            found = peer(problem, epsilon, method, setting)
    except Exception as error:  # a peer that fails is reported; Tacit must not fail
        if method.startswith("tacit") or method in ("family", "evidence"):
            raise
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        return {"problem": name, "method": method, "epsilon": epsilon, "failed": text}
    settings, loss, accuracy = found
    passes = settings.get("passes", settings.get("steps")) if "dp-ftrl" != method else 1
    if method.startswith("tacit"):
        passes = job[3]
    seconds = sum(os.times()[:4]) - start
    return report.cell(name, method, epsilon, passes, settings, loss, accuracy, seconds)


def load(options, program, folder, skipped):
    """The problems whose data is available, in the order of the report."""
    wanted = options.only.split(",") if options.only else None
    quick = ("a9a", "small-1k", "linear")
    found = []

    def add(name, make):
        if (wanted is None or name in wanted) and (not options.quick or name in quick):
            print(f"  {name}", file=sys.stderr, flush=True)
            problem = make()
            if isinstance(problem, problems.Problem):
                found.append(problem)
            else:
                skipped.append(f"{name}: {problem}")

    print("data:", file=sys.stderr)
    hint = "{} are not in the data folder. They are UCI Adult{}; set DATA to a folder that has them"
    encoded = hint.format("a9a.gz and a9a.t.gz", " in the LIBSVM encoding (123 binary features)")
    raw = hint.format("adult.csv.gz and adult-test.csv.gz", " as CSV with a header")
    add("a9a", lambda: problems.a9a(options.data) or encoded)
    add("adult", lambda: problems.adult(folder, options.data) or raw)
    add("mnist", lambda: problems.mnist(folder))
    add("demo", lambda: problems.demo(program.path, os.path.join(folder, "demo")))
    add("ill-20-flat", lambda: synthetic.ill_conditioned(folder, 20, 1))
    add("ill-100", lambda: synthetic.ill_conditioned(folder, 100, 0.5))
    for name in synthetic.SMALL:
        add(name, lambda name=name: synthetic.small(folder, name))
    for name in synthetic.REGRESSION:
        add(name, lambda name=name: synthetic.regression(folder, name))
    if options.quick:
        skipped.append("quick run: few problems and seeds, nothing new from PyPI")
    return found


def methods_of(problem):
    """The peers of a problem, the slow ones first."""
    methods = ["opacus", "dp-gd"]
    if problem.classes <= 2:
        methods.append("dp-gd-usual")
    if not problem.all_peers:
        return methods
    methods += ["opacus-usual", "diffprivlib"]
    if problem.raw is not None:
        methods += ["dp-ebm", "dp-ebm-usual"]
    return methods + ["dp-ftrl" if problem.classes else "adassp"]


def plan(found, options, skipped, why_not):
    """All cells, the long ones first so that no core is idle at the end."""
    jobs = []
    for problem in found:
        name, size = problem.name, problem.n * problem.d * problem.outputs
        if not options.tune:
            jobs.append((size * 20, ("no-privacy", name, None, None)))
        for epsilon in problem.epsilons:
            for method in methods_of(problem):
                wants = method in TUNED and (method, problem.classes) != ("diffprivlib", 0)
                if method in why_not or options.tune and not wants:
                    continue
                if wants and not options.tune and not STATE["tuned"].get(name, method, epsilon):
                    skipped.append(f"{name}: {method}, ε = {epsilon:g}: not tuned (TUNE=1 does)")
                    continue
                jobs.append((size * 50, (method, name, epsilon, None)))
            if options.tune:
                continue
            jobs += [(size * p, ("tacit", name, epsilon, p)) for p in problem.passes]
            jobs.append((size, ("tacit-anytime", name, epsilon, 8)))
            if problem.paper:
                jobs.append((size, ("tacit-paper", name, epsilon, 1)))
    if not options.tune and not options.quick and not options.only:
        jobs += [(0, ("family", i, None, 8)) for i in range(family.TABLES)]
        jobs += [(1, ("evidence", name, None, None)) for name in evidence.names(skipped)]
    return [job for _, job in sorted(jobs, key=lambda pair: -pair[0])]


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def key_of(job):
    """Names a cell and what it was made with: Tacit's the program, a tuned peer's its setting."""
    method, name, epsilon, _ = job
    if method.startswith("tacit") or method in ("family", "evidence"):
        return json.dumps([job, STATE["digest"]])
    return json.dumps([job, STATE["tuned"].get(name, method, epsilon) if epsilon else None])


def kept(path):
    """The cells that an earlier run has left in this file, by key."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        return dict(map(json.loads, file))


def run_with_job(job):
    return job, run(job)


def compute(options, jobs):
    old = {} if STATE["tuning"] else kept(options.resume)
    cells = [old[key_of(job)] for job in jobs if key_of(job) in old]
    jobs = [job for job in jobs if key_of(job) not in old]
    total = len(cells) + len(jobs)
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for job, done in pool.imap_unordered(run_with_job, jobs):
            cells.append(done)
            line = report.one_line(done)
            print(f"{len(cells):4d}/{total}  {line}", file=sys.stderr, flush=True)
            if "found" in done:
                STATE["tuned"].put(done["problem"], done["method"], done["epsilon"], done["found"])
                STATE["tuned"].save()
            elif options.resume:
                with open(options.resume, "a") as file:
                    file.write(json.dumps([key_of(job), done]) + "\n")
    return cells


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--resume", default="")
    parser.add_argument("--command", default="make bench-utility")
    return parser.parse_args()


def main():
    options, start = parse(), time.monotonic()
    program = Program(os.path.abspath(options.program))
    why_not = {method: missing(*modules) for method, modules in NEEDS.items()}
    why_not = {method: reason for method, reason in why_not.items() if reason}
    skipped = [f"{method}: {reason}" for method, reason in why_not.items()]
    with tempfile.TemporaryDirectory() as folder:
        found = load(options, program, folder, skipped)
        STATE.update(problems={p.name: p for p in found}, program=program, quick=options.quick)
        STATE.update(tuned=tune.Tuned(), tuning=options.tune, digest=digest_of(program.path))
        if options.tune:
            compute(options, plan(found, options, skipped, why_not))
            STATE.update(tuning=False)
            options.tune = False
        cells = compute(options, plan(found, options, skipped, why_not))
    for cell in [c for c in cells if "failed" in c]:
        where = f"{cell['problem']}: {cell['method']} at epsilon {cell['epsilon']}"
        skipped.append(f"{where} failed: {cell['failed']}")
        cells.remove(cell)
    results = report.collect(options.command, program.version(), found, cells, skipped)
    texts = {
        "md": report.markdown(results),
        "json": report.as_json(results),
        "svg": figure.draw(results),
    }
    write(options.out, "utility", texts)
    evidence.into_page(results, os.path.join(options.out, "defaults.md"))
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    for line in skipped:
        print(f"skipped: {line}", file=sys.stderr)
    print(report.verdicts(results))


if __name__ == "__main__":
    main()
