# SPDX-License-Identifier: MIT
"""The program under test, through its command line."""

import json
import os
import subprocess
import tempfile


class Program:
    def __init__(self, path):
        self.path = path

    def call(self, *arguments):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"tacit {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def version(self):
        return self.call("--version").split()[-1]

    def knows(self, loss):
        text = self.call("train", "--help-all")
        return f"\n  {loss} " in text and "--classes" in text

    def mu(self, epsilon, delta):
        """The largest mu for which mu-GDP implies (epsilon, delta)-DP, exactly."""
        text = self.call("account", "--epsilon", repr(epsilon), "--delta", repr(delta), "--json")
        return json.loads(text)["mu"]

    def train_and_eval(self, problem, epsilon, seed, *options, judge=None):
        """Test loss and accuracy of one run, with repeatable exact noise; for numbers 1 - r^2 and
        r^2; or what judge(program, model, problem) returns."""
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.json")
            budget = ["--epsilon", repr(epsilon), "--delta", repr(problem.delta)]
            if "--adjacency" not in options:
                budget += ["--adjacency", "zero-out"]
            run = ["--seed", str(seed), "--threads", "1", "-q", "-o", model]
            self.call("train", problem.train, *problem.options, *budget, *options, *run)
            if judge is not None:
                return judge(self, model, problem)
            result = json.loads(self.call("eval", "-q", "--json", model, problem.test))
        if "r2" in result:
            return 1 - result["r2"], result["r2"]
        return result["loss"], result["accuracy"]
