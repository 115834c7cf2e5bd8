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

    def train_and_eval(self, problem, epsilon, seed, *options):
        """Test loss and accuracy of one run, with repeatable exact noise."""
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.json")
            budget = ["--epsilon", repr(epsilon), "--delta", repr(problem.delta)]
            if "--adjacency" not in options:
                budget += ["--adjacency", "zero-out"]
            self.call(
                "train",
                problem.train,
                *problem.options,
                *budget,
                *options,
                "--seed",
                str(seed),
                "--threads",
                "1",
                "-q",
                "-o",
                model,
            )
            result = json.loads(self.call("eval", "-q", "--json", model, problem.test))
        return result["loss"], result["accuracy"]
