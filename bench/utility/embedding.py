# SPDX-License-Identifier: MIT
"""embedding.py PROGRAM [--seeds N] [--epsilons 1,3,8] [--spiky]: moments of classes, and rows with many zeros.

Made-up embeddings: 50,000 rows and 10,000 test rows of 512 columns, 100 classes whose means have the spectrum of the noise around them,
i^-0.6, turned at random, shifted, of norm 1; zero-out, delta = 1e-6. Prints test accuracy and log-loss with --moments off and on.
--spiky: 5,000 rows of 40 columns, 85% zeros, bounds 0 to 20, replace, --scale own and spread. Needs numpy.
"""
import argparse
import json
import subprocess
import tempfile

import numpy as np


def embeddings(rng):
    columns, classes = 512, 100
    spread = np.arange(1, columns + 1) ** -0.6
    turn = np.linalg.qr(rng.normal(size=(columns, columns)))[0]
    means = spread * rng.normal(size=(classes, columns))

    def draw(rows):
        label = rng.integers(classes, size=rows)
        x = (means[label] + 4.5 * spread * rng.normal(size=(rows, columns))) @ turn.T + 0.9 / np.sqrt(columns)
        return (x / np.linalg.norm(x, axis=1)[:, None]).astype(np.float32), label

    return [*draw(50000), *draw(10000)]


def spikes(rng):
    weights = np.zeros(40)
    weights[:10] = rng.choice([-1, 1], 10) * rng.uniform(0.7, 1.1, 10)

    def draw(rows):
        x = np.minimum(20, rng.exponential(1.5, (rows, 40)) * (rng.random((rows, 40)) < 0.15))
        return x / 10 - 1, (rng.random(rows) < 1 / (1 + np.exp(0.3 - x @ weights))).astype(int)

    return [*draw(5000), *draw(20000)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilons", default="1,3,8")
    parser.add_argument("--spiky", action="store_true")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    ways = [("--scale", "own"), ("--scale", "spread")] if options.spiky else [("--moments", "off"), ("--moments", "on")]
    named = ["--adjacency", "replace"] if options.spiky else ["--classes", 100, "--delta", 1e-6, "--adjacency", "zero-out"]
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{folder}/{name}.npy" for name in ("x", "y", "xt", "yt")]
        for name, array in zip(names, spikes(rng) if options.spiky else embeddings(rng)):
            np.save(name, array.astype(np.int64) if array.ndim == 1 else array)
        for epsilon in options.epsilons.split(","):
            for way in ways:
                scores = []
                for seed in range(1, options.seeds + 1):
                    model = f"{folder}/model.json"
                    train = [options.program, "train", "-q", "--epsilon", epsilon, *named, *way, "--seed", seed,
                             "--label-file", names[1], "-o", model, names[0]]
                    subprocess.run([str(word) for word in train], check=True, capture_output=True)
                    scored = subprocess.run([options.program, "eval", "-q", "--json", model, names[2], "--label-file", names[3]],
                                            check=True, capture_output=True, text=True)
                    scores.append([json.loads(scored.stdout)[key] for key in ("accuracy", "loss")])
                (accuracy, loss), error = np.mean(scores, 0), np.std(scores, 0) / np.sqrt(len(scores))
                print(f"epsilon {epsilon} {' '.join(way)}: accuracy {accuracy:.4f} ({error[0]:.4f}), "
                      f"log-loss {loss:.4f} ({error[1]:.4f})", flush=True)


if __name__ == "__main__":
    main()
