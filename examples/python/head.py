# SPDX-License-Identifier: MIT
"""Private fine tuning of a classifier head on embeddings.

    python head.py [FIGURE]

An embedding and a first head are trained on public images; the head is then trained on private
images. With a public start a small budget is enough.
"""
import sys

import numpy as np
import tacit
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.preprocessing import Normalizer

CLASSES = list(range(10))


def digits():
    """(public, private, held out) images, as (pixels, digit)."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    return [(X[part], y[part]) for part in np.split(order, [60, 1310])]


def main():
    public, private, held_out = digits()
    # Any network could be used here, as long as it was trained on public data only.
    network = PCA(32, random_state=0).fit(public[0])

    def embed(X):
        return Normalizer().transform(network.transform(X))

    # No noise is needed on public data; the model is marked as not private.
    start = tacit.LogisticRegression(classes=CLASSES, passes=32, options={"mechanism": "none"})
    start.fit(embed(public[0]), public[1])
    first = start.score(embed(held_out[0]), held_out[1])
    print(f"public start alone           {first:.3f}")

    epsilons, scores = [0.5, 1.0, 2.0, 4.0, 8.0], {"from zero": [], "from the public head": []}
    for epsilon in epsilons:
        for name, model in (("from zero", None), ("from the public head", start.model_)):
            head = tacit.LogisticRegression(epsilon, classes=CLASSES, passes=8, init=model,
                                            init_public=model is not None, random_state=0)
            head.fit(embed(private[0]), private[1])
            scores[name].append(head.score(embed(held_out[0]), held_out[1]))
        print(f"epsilon = {epsilon:<4} from zero {scores['from zero'][-1]:.3f}, "
              f"from the public head {scores['from the public head'][-1]:.3f}")
    if len(sys.argv) > 1:
        draw(epsilons, scores, first, sys.argv[1])
    # With a small budget the start makes the difference.
    assert scores["from the public head"][0] > scores["from zero"][0]
    assert scores["from the public head"][-1] > 0.8


def draw(epsilons, scores, first, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    axes.axhline(first, color="0.5", linestyle=":", label="public head alone")
    for (name, values), color in zip(scores.items(), ("#b8572b", "#1f5fa8")):
        axes.plot(epsilons, values, "o-", color=color, label=name)
    axes.set_xscale("log")
    axes.set_xticks(epsilons, [f"{e:g}" for e in epsilons])
    axes.minorticks_off()
    axes.set_ylim(0, 1)
    axes.set_xlabel("ε")
    axes.set_ylabel("accuracy on held-out digits")
    axes.set_title("A private head on a public embedding, 1,250 images")
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
