# SPDX-License-Identifier: MIT
"""A registry in a DataFrame: numbers with bounds, categories, a private model.

    python registry.py [FIGURE]

The people are synthetic, similar to the census data "Adult". Everything that shapes the input
is declared: bounds of the numbers, categories, classes. To learn these from the records would
leak.
"""
import sys

import numpy as np
import pandas as pd
import tacit
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

BOUNDS = {"age": (17, 90), "education_years": (1, 16), "hours_a_week": (1, 80)}
CATEGORIES = {
    "work": ["private", "public", "self-employed", "none"],
    "household": ["single", "couple", "family"],
}


def made_up_people(n, seed=0):
    rng = np.random.default_rng(seed)
    people = pd.DataFrame({
        "age": rng.integers(17, 91, n),
        "education_years": np.clip(rng.normal(10, 2.5, n), 1, 16).round(),
        "hours_a_week": np.clip(rng.normal(40, 12, n), 1, 80).round(),
        "work": rng.choice(CATEGORIES["work"], n, p=[0.7, 0.13, 0.11, 0.06]),
        "household": rng.choice(CATEGORIES["household"], n, p=[0.45, 0.2, 0.35]),
    })
    score = (0.04 * (people.age - 40) + 0.45 * (people.education_years - 10)
             + 0.06 * (people.hours_a_week - 40) + 1.5 * (people.household != "single")
             + 0.8 * (people.work == "self-employed") - 2.0)
    people["income"] = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), ">50K", "<=50K")
    return people


def preparation():
    """The public part of the model: nothing here is learned from the records."""
    low, high = ({name: bound[k] for name, bound in BOUNDS.items()} for k in (0, 1))
    return make_column_transformer(
        (tacit.BoundsScaler(low, high), list(BOUNDS)),
        (OneHotEncoder(categories=list(CATEGORIES.values())), list(CATEGORIES)),
        sparse_threshold=0)


def main():
    people = made_up_people(40_000)
    known, held_out = train_test_split(people, test_size=0.25, random_state=0)
    columns = [*BOUNDS, *CATEGORIES]

    # Columns within [-1, 1]: a person's row is at most sqrt(3 + 2 + 1) long.
    private = make_pipeline(preparation(), tacit.LogisticRegression(
        epsilon=1.0, classes=["<=50K", ">50K"], data_norm=np.sqrt(6)))
    private.fit(known[columns], known.income)
    plain = make_pipeline(preparation(), LogisticRegression()).fit(known[columns], known.income)

    print(private[-1].privacy_)
    scores = {
        "private, epsilon = 1": private.score(held_out[columns], held_out.income),
        "not private": plain.score(held_out[columns], held_out.income),
        "majority class": np.mean(held_out.income == "<=50K"),
    }
    for name, score in scores.items():
        print(f"{name:22} {score:.3f}")
    if len(sys.argv) > 1:
        draw(private, plain, sys.argv[1])
    assert scores["private, epsilon = 1"] > scores["majority class"] + 0.03


def draw(private, plain, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = [n.split("__")[-1] for n in private[0].get_feature_names_out()]
    place = np.arange(len(names))
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.barh(place + 0.2, plain[-1].coef_[0], 0.4, label="not private", color="0.7")
    axes.barh(place - 0.2, private[-1].coef_[0], 0.4, label="private, ε = 1", color="#1f5fa8")
    axes.set_yticks(place, names)
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.set_xlabel("coefficient")
    axes.set_title("What the private model says about income")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
