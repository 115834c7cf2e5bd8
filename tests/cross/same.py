#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One result on every processor: same.py PROGRAM

Runs seeded command lines with PROGRAM, of another processor, and with the program that
TACIT_HERE names, of this one. What they print and every file they write must be the same
bytes. Caches have the byte order of their machine, so only their use is compared.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from golden import Place, check, run_tap  # noqa: E402

LIBSVM = "--features 5 rows.svm"
CSV = "--schema schema.json rows.csv"
KINDS = "--features 4 --classes 4 kinds.svm"
NEEDS = {"strongly-convex": "--l2 0.1", "eg": "--domain simplex"}
LEARNERS = """osd adagrad adagrad-diag kt omd ftrl eg optimistic-omd optimistic-ftrl
    strongly-convex coin-kt coin-ons freegrad""".split()


def trained(words, data=LIBSVM):
    return [f"tacit train -q --seed 7 --epsilon 1 {words} -o m.json {data}",
            f"tacit predict m.json {data.split()[-1]}", f"tacit eval m.json {data.split()[-1]}"]


# name: lines of sh; each is compared
CASES = {f"learner {learner}": trained(f"--learner {learner} {NEEDS.get(learner, '')}")
         for learner in LEARNERS}
CASES |= {f"mechanism {name}": trained(f"--batch 4 --passes 2 --mechanism {name}", CSV)
          for name in ("tree", "banded", "blt")}
CASES |= {f"loss {loss}": trained(f"--loss {loss}", CSV)
          for loss in ("hinge", "squared-hinge", "logistic")}
CASES |= {f"loss {loss}": trained(f"--labels 0,20 --loss {loss}", "--features 5 number.svm")
          for loss in ("squared", "huber", "quantile", "poisson")}
CASES |= {f"norm {p}": trained(f"--norm {p}") for p in ("1", "1.3", "1.75")}
CASES |= {
    "no noise": ["tacit train -q --seed 7 --mechanism none -o m.json " + LIBSVM],
    "many classes": trained("", KINDS),
    "Laplace noise": trained("--law laplace --delta 0"),
    "noise in double precision": trained("--law exp-l2 --delta 0"),
    "the paper's settings": trained("--preset paper"),
    "tight bounds": trained("--bound tight --adjacency zero-out"),
    "box": trained("--domain box --radius 2"),
    "arrays": trained("", "--label-file y.npy X.npy")[:1] +
              trained("", "--label-file k.npy --classes 4 X8.npy")[:1],
    "many columns on threads": trained("--threads 3", "--features 70000 rows.svm")[:1],
    "gzip and shards": ["gzip -kn rows.svm", "tacit train -q --seed 7 --epsilon 1 --features 5 "
                        "-o m.json rows.svm.gz rows.svm"],
    "a cache": ["tacit cache --features 5 --no-shuffle -o rows.cache rows.svm",
                "tacit train -q --seed 7 --epsilon 1 -o m.json rows.cache && rm rows.cache"],
    "a start from a model": ["tacit train -q --seed 7 --epsilon 1 -o first.json " + LIBSVM,
                             *trained("--init first.json")],
    "plans": [f"tacit plan --json --rows {n} --features {d} --epsilon {e} {words}"
              for n, d, e in ((1000, 10, 1), (123456, 999, 0.3), (10**7, 20, 8))
              for words in ("", "--delta 1e-9 --norm 1.4", "--law laplace --delta 0")],
    "accounts": [f"tacit account --json {words}" for words in
                 ("--mu 1 --delta 1e-5", "--mu 0.37 --delta 1e-9", "--epsilon 1 --delta 1e-6",
                  "--epsilon 3.3 --delta 1e-12")],
}


def contents(place):
    return {name: (place.work / name).read_bytes() for name in place.files()}


def compare(lines, here, there):
    for line in lines:
        results = [place.shell(line, timeout=900) for place in (here, there)]
        check(results[0] == results[1], f"{line}\n{results[0]}\n{results[1]}")
        check(results[0][0] == 0, f"{line}: {results[0]}")
    ours, theirs = contents(here), contents(there)
    for name in sorted(set(ours) | set(theirs)):
        if not name.endswith(".npy"):  # in the byte order of their machine
            check(ours.get(name) == theirs.get(name), f"{name} differs after {lines}")


def main():
    def both(lines):
        def test(there):
            # Meson's variables say how programs of the other processor run.
            kept = {key: os.environ.pop(key) for key in ("MESON_EXE_WRAPPER", "TACIT_TEST_ENDIAN")}
            here = Place(os.environ["TACIT_HERE"])
            os.environ.update(kept)
            with here:
                compare(lines, here, there)
        return test

    return run_tap(sys.argv[1], [(name, both(lines)) for name, lines in CASES.items()])


if __name__ == "__main__":
    sys.exit(main())
