#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The resulting models: models.py PROGRAM

Same bits from seeds and threads, order of rows, every learner, a start from another model,
scores of many classes.
"""
import csv
import io
import json
import sys

from golden import KINDS, check, promise, run_tap, train, write_inputs

# Options that a learner needs.
LEARNER_NEEDS = {"strongly-convex": ["--l2", 0.1], "eg": ["--domain", "simplex"]}


def same_bytes(place, a, b):
    return (place.work / a).read_bytes() == (place.work / b).read_bytes()


def seeds(place):
    train(place, "--epsilon", 1, "--seed", 7, model="a.json")
    train(place, "--epsilon", 1, "--seed", 7, model="b.json")
    train(place, "--epsilon", 1, "--seed", 8, model="c.json")
    check(same_bytes(place, "a.json", "b.json"), "the same seed gave two models")
    check(not same_bytes(place, "a.json", "c.json"), "two seeds gave the same model")


def secret_noise_is_fresh(place):
    _, a = train(place, "--epsilon", 1, model="a.json")
    _, b = train(place, "--epsilon", 1, model="b.json")
    check(a["weights"] != b["weights"], "two private runs drew the same noise")
    check(promise(a) == promise(b), "the statements of equal runs differ")


def threads(place):
    write_inputs(place.work, rows=5000)
    kinds = {"data": "kinds.svm", "columns": ("--features", 4, "--classes", 4)}
    runs = [([], {}), (["--passes", 3], {}), (["--batch", 7, "--bound", "tight"], {}),
            ([], kinds)]
    # Enough columns that the threads also divide the work on vectors.
    wide = {"columns": ("--features", 70000)}
    runs += [(["--learner", learner, "--mechanism", mechanism], wide)
             for learner, mechanism in [("kt", "banded"), ("adagrad", "blt"), ("omd", "tree"),
                                        ("coin-kt", "tree"), ("bettor", "banded")]]
    runs += [(["--radius", 0.01], wide), (["--norm", 1.5], wide)]
    for extra, source in runs:
        for n in (1, 2, 5):
            train(place, "--epsilon", 1, "--seed", 3, "--threads", n, *extra, model=f"t{n}.json",
                  **source)
        check(same_bytes(place, "t1.json", "t2.json") and same_bytes(place, "t1.json", "t5.json"),
              f"the model depends on the number of threads {extra}")


def pipe_equals_file_order(place):
    _, file = train(place, "--epsilon", 1, "--seed", 5, "--no-shuffle", "--passes", 1,
                    "--centre", "off")
    code, _, err = place.shell("cat rows.svm | tacit train -q --epsilon 1 --seed 5 --features 5 "
                               "--rows 400 --centre off -o pipe.json -")
    check(code == 0, f"train from a pipe failed ({code}): {err}")
    pipe = json.loads((place.work / "pipe.json").read_text())
    check(pipe["weights"] == file["weights"], "pipe and --no-shuffle give other weights")
    _, shuffled = train(place, "--epsilon", 1, "--seed", 5, model="s.json")
    check(shuffled["weights"] != file["weights"], "--no-shuffle changes nothing")


def compression_changes_nothing(place):
    train(place, "--epsilon", 1, "--seed", 5, model="plain.json")
    place.shell("gzip -k rows.svm")
    train(place, "--epsilon", 1, "--seed", 5, model="gzip.json", data="rows.svm.gz")
    check(same_bytes(place, "plain.json", "gzip.json"), "gzip changes the model")


def every_learner_trains(place):
    _, version, _ = place.tacit("version", "--json")
    learners = json.loads(version)["learners"]
    wanted = set("""osd adagrad adagrad-diag kt omd ftrl eg optimistic-omd optimistic-ftrl
        strongly-convex coin-kt coin-ons freegrad""".split())
    check(wanted <= set(learners), f"missing: {wanted - set(learners)}")
    code, _, err = place.tacit("demo", "-q", "--rows", 1500)
    check(code == 0, err)
    demo = {"data": "demo-data/train.csv", "columns": ("--schema", "demo-data/schema.json")}
    for learner in learners:
        needs = LEARNER_NEEDS.get(learner, [])
        for source in ({}, demo):
            _, model = train(place, "--epsilon", 8, "--learner", learner, *needs, **source)
            check(model["statement"]["private"] is True, f"{learner} is not private")
            check(any(w != 0 for w in model["weights"]), f"{learner} did not learn")


def a_start_composes(place):
    _, first = train(place, "--epsilon", 1, "--delta", "1e-6", model="first.json")
    text, both = train(place, "--epsilon", 1, "--delta", "1e-6", "--init", "first.json")
    said, of_first = both["statement"], first["statement"]
    check(said["private"] is True and said["run_epsilon"] == 1, f"{said}")
    root = (of_first["mu"] ** 2 + said["run_mu"] ** 2) ** 0.5
    check(0 <= said["mu"] - root < 1e-9, f"mu {said['mu']} is not {root} rounded up")
    check(1 < said["epsilon"] < 2, f"{said['epsilon']}")
    check(said["init"]["name"] == "first.json" and said["init"]["statement"] == of_first, f"{said}")
    check("Starts from: first.json, a private model (epsilon = 1," in text, text)
    check("This run alone: epsilon = 1," in text, text)
    text, again = train(place, "--epsilon", 1, "--delta", "1e-6", "--init", "first.json",
                        "--init-public", model="again.json")
    check(again["statement"]["mu"] == again["statement"]["run_mu"], f"{again['statement']}")
    check(again["statement"]["init"]["public"] is True and "declared public" in text, text)


def many_scores(place):
    """Each class has a column of scores; the predicted class has the largest score."""
    train(place, "--epsilon", 8, "--seed", 1, data="kinds.csv", columns=("--schema", "kinds.json"))
    with_scores = list(csv.reader(io.StringIO(place.tacit("predict", "--scores", "m.json",
                                                          "kinds.csv")[1])))
    plain = list(csv.reader(io.StringIO(place.tacit("predict", "m.json", "kinds.csv")[1])))
    objects = json.loads(place.tacit("predict", "--scores", "--json", "m.json", "kinds.csv")[1])
    check(with_scores[0] == ["prediction", *KINDS] and plain[0] == ["prediction", "score"],
          f"{with_scores[0]}")
    check(len(plain) == len(with_scores) == 1 + objects["rows"] == 401, "rows are missing")
    right = 0
    labels = list(csv.reader(io.StringIO((place.work / "kinds.csv").read_text())))[1:]
    for label, row, short, item in zip(labels, with_scores[1:], plain[1:], objects["predictions"]):
        scores = dict(zip(KINDS, map(float, row[1:])))
        check(abs(sum(scores.values()) - 1) < 1e-9, f"no probabilities: {row}")
        check(scores[row[0]] == max(scores.values()), f"not the likeliest: {row}")
        check(short == [row[0], row[1 + KINDS.index(row[0])]], f"{short} {row}")
        check(item == {"prediction": row[0], "scores": scores}, f"{item} {row}")
        right += row[0] == label[-1]
    evaluation = json.loads(place.tacit("eval", "--json", "m.json", "kinds.csv")[1])
    check(evaluation["accuracy"] == right / 400 > 0.8, f"{evaluation} {right}")


def order_of_the_file_does_not_matter(place):
    """A file sorted by label trains as well as an unsorted one, private or not."""
    code, _, err = place.tacit("demo", "-q", "--rows", 100000)
    check(code == 0, err)
    folder = place.work / "demo-data"
    head, *rows = (folder / "train.csv").read_text().splitlines(keepends=True)
    rows.sort(key=lambda row: row.rsplit(",", 1)[1])
    (folder / "sorted.csv").write_text(head + "".join(rows))

    def loss(data, *words):
        train(place, *words, data=f"demo-data/{data}", columns=("--schema", "demo-data/schema.json"))
        _, out, _ = place.tacit("eval", "--json", "m.json", "demo-data/test.csv")
        return json.loads(out)["loss"]

    for settings in (["--mechanism", "none"], ["--epsilon", 1]):
        runs = [[]] if "none" in settings else [["--seed", s] for s in range(4)]
        means = [sum(loss(data, *settings, *run) for run in runs) / len(runs)
                 for data in ("train.csv", "sorted.csv")]
        check(abs(means[0] - means[1]) <= 0.005, f"{settings}: loss {means}")
    unshuffled = loss("sorted.csv", "--mechanism", "none", "--no-shuffle", "--preset", "anytime")
    check(unshuffled > means[1] + 0.05, "the file is not sorted in a way that could hurt")


SCENARIOS = [
    ("same seed, same model; another seed, another model", seeds),
    ("noise is fresh without a seed", secret_noise_is_fresh),
    ("threads do not change the model", threads),
    ("a pipe trains like the file in its order", pipe_equals_file_order),
    ("gzip trains like the plain file", compression_changes_nothing),
    ("every learner trains on a file and on the demo", every_learner_trains),
    ("a start from another model is added to the budget", a_start_composes),
    ("scores of more than two classes", many_scores),
    ("the order of the file does not matter", order_of_the_file_does_not_matter),
]

sys.exit(run_tap(sys.argv[1], SCENARIOS))
