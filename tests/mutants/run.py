#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py ROOT BUILD JOBS [NAME…]: plants each privacy bug of this folder in a copy of the
tree and sees that a test fails. Exits with 1 when one survives or cannot be tried.

Each of at most four workers has a copy below BUILD, kept between runs. The tests are first
run on the tree as it is, where all must pass. For each bug only the test programs it names are
built again; the first one that fails ends it. A bug that does not compile is an error, not a
catch.
"""
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time

import plan

MAX_WORKERS = 4
TEST_SECONDS = 900  # a busy machine gets longer than meson's limits
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"
CORE = "python/_core.abi3.so"


class Trouble(Exception):
    """The copy cannot be made, built or tested."""


def call(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)
    return done.returncode, done.stdout


class Copy:
    """A copy of the tree with a build folder of its own."""

    def __init__(self, root, folder, jobs):
        self.root, self.tree, self.build = root, folder / "tree", folder / "build"
        self.jobs, self.tests = jobs, {}

    def sync(self):
        """Brings the copy up to date; files that are the same keep their time."""
        code, names = call(["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others",
                            "--exclude-standard"])
        if code != 0:
            raise Trouble("the tree is not a git checkout: " + names)
        wanted = {name for name in names.split("\0") if name and (self.root / name).is_file()}
        for name in wanted:
            source, target = self.root / name, self.tree / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
        for path in sorted(self.tree.rglob("*")):
            if path.is_file() and path.relative_to(self.tree).as_posix() not in wanted:
                path.unlink()

    def configure(self):
        options = ["-Dtests=enabled", "-Dmpi=disabled", "-Dpython=enabled"]
        code, text = call([str(self.tree / "tools/configure.sh"), str(self.build), *options, "--"],
                          cwd=self.tree)
        if code == 0:  # a kept folder may not know the newest tests yet
            code, text = call(["ninja", "-C", str(self.build), "build.ninja"])
        if code == 0:
            code, text = call(["meson", "introspect", str(self.build), "--tests", "--targets"])
        if code != 0:
            raise Trouble(text)
        facts = json.loads(text)
        files = {target["id"]: target["filename"] for target in facts["targets"]}
        for test in facts["tests"]:
            suite = test["suite"][0].partition(":")[2] or test["suite"][0]
            test["needs"] = {os.path.relpath(file, self.build) for target in test["depends"]
                             for file in files[target]}
            self.tests[f"{suite}/{test['name']}"] = test
        module = self.tree / "python/tacit/_core.abi3.so"
        if not module.is_symlink():
            module.symlink_to(self.build / CORE)

    def targets(self, name):
        """What must be built before the test can run."""
        if name.startswith("python/"):
            return {CORE, "tacit"}
        if name not in self.tests:
            raise Trouble(f"there is no test {name}")
        return self.tests[name]["needs"]

    def make(self, targets):
        return call(["ninja", "-C", str(self.build), "-j", str(self.jobs), *sorted(targets)])

    def test(self, name):
        """None when it passes, "failed" or "hung"."""
        environment, command, folder = dict(os.environ), None, self.build
        if name.startswith("python/"):
            environment |= {"PYTHONPATH": str(self.tree / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                            "TACIT_PROGRAM": str(self.build / "tacit")}
            command, folder = [PYTHON, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
                               f"tests/{name}"], self.tree
        else:
            environment |= self.tests[name]["env"]
            command = self.tests[name]["cmd"]
        try:
            code, text = call(command, env=environment, cwd=folder, timeout=TEST_SECONDS)
        except subprocess.TimeoutExpired:
            return "hung"
        if name.startswith("python/") and code not in (0, 1):
            raise Trouble(f"{name} cannot be run:\n{text}")
        return "failed" if code != 0 or "\nnot ok " in "\n" + text else None

    def try_mutant(self, mutant):
        """The test that caught it, or None."""
        before = {}
        try:
            for file, text in mutant.texts(self.tree).items():
                before[file] = (self.tree / file).read_text(encoding="utf-8")
                (self.tree / file).write_text(text, encoding="utf-8")
            for name in mutant.tests:
                code, text = self.make(self.targets(name))
                if code != 0:
                    raise Trouble("it does not compile:\n" + text)
                result = self.test(name)
                if result == "failed" or (result == "hung" and mutant.hangs):
                    return name
            return None
        finally:
            for file, text in before.items():
                (self.tree / file).write_text(text, encoding="utf-8")


class Workers:
    """Workers that share one list of things to do."""

    def __init__(self, copies):
        self.copies, self.lock, self.faults = copies, threading.Lock(), []

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def fault(self, text):
        self.faults.append(text.splitlines()[0])
        self.say("ERROR     " + text)

    def each(self, things, work):
        todo = queue.Queue()
        for thing in things:
            todo.put(thing)

        def worker(copy):
            while True:
                try:
                    thing = todo.get_nowait()
                except queue.Empty:
                    return
                try:
                    work(copy, thing)
                except (Trouble, plan.Broken) as fault:
                    self.fault(f"{getattr(thing, 'name', thing)}: {fault}")

        threads = [threading.Thread(target=worker, args=(copy,)) for copy in self.copies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def prepare(self, tests):
        """Builds every copy and runs the tests on the tree as it is."""
        def build(copy):
            try:
                copy.sync()
                copy.configure()
                code, text = copy.make(set().union(*(copy.targets(test) for test in tests)))
                if code != 0:
                    raise Trouble("the tree does not build:\n" + text)
            except Trouble as fault:
                self.fault(str(fault))

        threads = [threading.Thread(target=build, args=(copy,)) for copy in self.copies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        def clean(copy, test):
            if copy.test(test) is not None:
                raise Trouble("fails without a planted bug")

        if not self.faults:
            self.each(tests, clean)

    def hunt(self, mutants):
        """Names of those that survive."""
        survivors = []

        def work(copy, mutant):
            start = time.monotonic()
            caught = copy.try_mutant(mutant)
            seconds = time.monotonic() - start
            if caught:
                self.say(f"caught    {mutant.name} by {caught} ({seconds:.0f} s)")
            else:
                survivors.append(mutant.name)
                self.say(f"SURVIVED  {mutant.name}: {mutant.facts['bug']}")

        self.each(mutants, work)
        return survivors


def main():
    # A shell makes background processes ignore SIGINT, and the tests inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    jobs = int(sys.argv[3])
    mutants, faults = plan.load(root / "tests" / "mutants", sys.argv[4:])
    workers = max(1, min(jobs, len(mutants), MAX_WORKERS))
    pool = Workers([Copy(root, build / str(i), max(1, jobs // workers)) for i in range(workers)])
    for fault in faults:
        pool.fault(fault)
    if not pool.faults:
        tests = list(dict.fromkeys(test for mutant in mutants for test in mutant.tests))
        print(f"building {workers} copies of the tree, then {len(tests)} tests without a bug", flush=True)
        pool.prepare(tests)
    if pool.faults:
        return 1
    survivors = pool.hunt(mutants)
    lost = len(survivors) + len(pool.faults)
    for name in survivors:
        print(f"survived: {name}")
    print(f"{len(mutants) - lost} of {len(mutants)} caught")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
