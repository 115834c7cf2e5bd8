# SPDX-License-Identifier: MIT
"""bench.py --program PATH --out FOLDER [--data FOLDER] [--quick] [--jobs N] [--only NAME,…]

Trains with Tacit and with its peers on the same data at the same adjacency, epsilon and
delta, and writes utility.md, utility.json and utility.svg to FOLDER.
"""

import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # parallel by runs, not inside one

import argparse
import multiprocessing
import sys
import tempfile
import time

import figure
import peers
import peers_pypi
import problems
import report
from program import Program
from results import missing, write

STATE = {}  # problems, program and options; the workers inherit it by fork


def task_of(problem):
    tasks = STATE.setdefault("tasks", {})
    if problem.name not in tasks:
        tasks[problem.name] = peers.Task(problem)
    return tasks[problem.name]


def tacit(problem, epsilon, quick, passes, *options):
    low = problem.seeds_low if epsilon < 0.25 else problem.seeds
    if "paper" in options:
        low = min(low, problem.paper_seeds)
    seeds = range(1, 1 + (min(3, low) if quick else low))
    both = [
        STATE["program"].train_and_eval(problem, epsilon, seed, "--passes", str(passes), *options)
        for seed in seeds
    ]
    return ({"options": " ".join(options)},) + tuple(zip(*both))


def run(job):
    """Computes one cell of the table: mean and standard error over seeds."""
    method, name, epsilon, passes = job
    problem, quick = STATE["problems"][name], STATE["quick"]
    start = sum(os.times()[:4])
    try:
        if method == "tacit":
            found = tacit(problem, epsilon, quick, passes)
        elif method == "tacit-paper":
            found = tacit(problem, epsilon, quick, 1, "--preset", "paper")
        elif method == "tacit-replace":
            found = tacit(problem, epsilon, quick, passes, "--adjacency", "replace")
        elif method == "no-privacy":
            loss, accuracy, ridge = peers.without_noise(task_of(problem))
            found = {"ridge": ridge}, [loss], [accuracy]
        elif method == "dp-gd":
            mu = STATE["program"].mu(epsilon, problem.delta)
            found = peers.gradient_descent(task_of(problem), mu, quick)
        elif method == "dp-ftrl":
            mu = STATE["program"].mu(epsilon, problem.delta)
            found = peers.tree_on_gradients(task_of(problem), mu, quick)
        elif method == "opacus":
            found = peers_pypi.opacus_tuned(problem, epsilon, task_of(problem).smoothness, quick)
        elif method == "opacus-usual":
            found = peers_pypi.opacus_usual(problem, epsilon, quick)
        else:
            found = peers_pypi.diffprivlib(problem, epsilon, quick)
    except Exception as error:  # a peer that fails is reported; Tacit must not fail
        if method.startswith("tacit"):
            raise
        return {
            "problem": name,
            "method": method,
            "epsilon": epsilon,
            "failed": f"{type(error).__name__}: {error}",
        }
    settings, loss, accuracy = found
    if method == "dp-gd":
        passes = settings["steps"]
    elif method.startswith("opacus"):
        passes = settings["passes"]
    return report.cell(
        name, method, epsilon, passes, settings, loss, accuracy, sum(os.times()[:4]) - start
    )


def load(options, program, folder, skipped):
    """The problems whose data is available, in the order of the report."""
    wanted = options.only.split(",") if options.only else None
    found = []

    def add(name, make):
        if wanted is None or name in wanted:
            print(f"  {name}", file=sys.stderr, flush=True)
            problem = make()
            if isinstance(problem, problems.Problem):
                found.append(problem)
            else:
                skipped.append(f"{name}: {problem}")

    print("data:", file=sys.stderr)
    hint = (
        "a9a.gz and a9a.t.gz are not in the data folder. They are UCI Adult in the "
        "LIBSVM encoding (123 binary features); set DATA to a folder that has them"
    )
    add("a9a", lambda: problems.a9a(options.data) or hint)
    add("demo", lambda: problems.demo(program.path, os.path.join(folder, "demo")))
    if options.quick:
        skipped.append("quick run: synthetic problems and MNIST left out, few seeds, small grids")
        return found
    add("ill-20", lambda: problems.ill_conditioned(folder, 20, 0.5))
    add("ill-20-flat", lambda: problems.ill_conditioned(folder, 20, 1))
    add("ill-100", lambda: problems.ill_conditioned(folder, 100, 0.5))
    if program.knows("softmax"):
        add("mnist", lambda: problems.mnist(folder))
    else:
        skipped.append("mnist: this program does not know the softmax loss")
    return found


def plan(found, quick, skipped):
    """All cells, the long ones first so that no core is idle at the end."""
    jobs = []
    why_not = {
        "opacus": missing("torch", "opacus"),
        "diffprivlib": missing("sklearn", "diffprivlib"),
    }
    skipped += [f"{name}: {reason}" for name, reason in why_not.items() if reason]
    for problem in found:
        name = problem.name
        two = problem.classes == 2
        size = problem.n * problem.d * (1 if two else 10)
        jobs.append((size, ("no-privacy", name, None, None)))
        if not two:
            skipped.append(
                f"{name}: Opacus, diffprivlib and the paper preset are run on two classes only"
            )
        elif not problem.opacus:
            skipped.append(f"{name}: Opacus is run on a9a and demo only, to bound the time")
        for epsilon in problem.epsilons:
            if quick and epsilon not in (0.1, 1.0, 8.0):
                continue
            jobs += [(size * 0.2 * p, ("tacit", name, epsilon, p)) for p in problem.passes]
            jobs.append((size * 10 * max(problem.steps) / 100, ("dp-gd", name, epsilon, None)))
            jobs.append((size, ("dp-ftrl", name, epsilon, 1)))
            if problem.paper_seeds:
                jobs.append((size * 2, ("tacit-paper", name, epsilon, 1)))
            if two and not why_not["diffprivlib"]:
                jobs.append((size, ("diffprivlib", name, epsilon, None)))
            if problem.opacus and not why_not["opacus"]:
                jobs.append((size * 8, ("opacus", name, epsilon, None)))
                if name == "a9a" and (not quick or epsilon == 1):
                    jobs.append((size * 4, ("opacus-usual", name, epsilon, None)))
        if name == "a9a":
            jobs.append((size, ("tacit-replace", name, 1.0, 4)))
    return [job for _, job in sorted(jobs, key=lambda pair: -pair[0])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--command", default="make bench-utility")
    options = parser.parse_args()

    start = time.monotonic()
    program = Program(os.path.abspath(options.program))
    skipped, cells = [], []
    with tempfile.TemporaryDirectory() as folder:
        found = load(options, program, folder, skipped)
        STATE.update(problems={p.name: p for p in found}, program=program, quick=options.quick)
        jobs = plan(found, options.quick, skipped)
        with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
            for done in pool.imap_unordered(run, jobs):
                cells.append(done)
                print(
                    f"{len(cells):4d}/{len(jobs)}  {report.one_line(done)}",
                    file=sys.stderr,
                    flush=True,
                )
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
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    for line in skipped:
        print(f"skipped: {line}", file=sys.stderr)
    print(report.verdicts(results))


if __name__ == "__main__":
    main()
