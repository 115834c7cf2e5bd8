# SPDX-License-Identifier: MIT
"""What was asked of the speed, each with the ratio measured and whether it is met."""

from dataclasses import dataclass

FORMS = {"tacit": "LIBSVM", "csv": "CSV", "npy": ".npy", "cache": "cache"}
# Peer, its name, how many times faster Tacit must be.
RIVALS = [
    ("liblinear-0", "LIBLINEAR `-s 0`", 10),
    ("vw", "one Vowpal Wabbit pass", 3),
    ("sgd", "one SGDClassifier pass", 3),
    ("opacus", "one Opacus epoch (its loader)", 100),
    ("opacus-whole", "one Opacus epoch (whole batches)", 100),
]


@dataclass
class Line:
    what: str
    value: str
    target: str
    met: bool | None  # None: not measured

    def mark(self):
        return "not measured" if self.met is None else "yes" if self.met else "**no**"


def at_least(what, value, target, unit="×"):
    return Line(what, f"{value:.3g}{unit}", f"≥ {target:g}{unit}", value >= target)


def at_most(what, value, target, unit="×"):
    return Line(what, f"{value:.3g}{unit}", f"≤ {target:g}{unit}", value <= target)


def seconds(results, name, key):
    return results["sets"].get(name, {}).get("methods", {}).get(key, {}).get("seconds")


def rivals(results):
    for name in results["sets"]:
        for key, label, target in RIVALS:
            rival = seconds(results, name, key)
            for threads in (1, 2):
                if rival is not None:
                    ratio = rival / seconds(results, name, f"tacit-{threads}")
                    what = f"{name}, {threads} thread{'s' * (threads > 1)}: faster than {label}"
                    yield at_least(what, ratio, target)


def private_cost(results):
    for name in ("a9a", "dense"):
        if name in results["sets"]:
            ratio = seconds(results, name, "tacit-1") / seconds(results, name, "none-1")
            yield at_most(f"{name}: private / `--mechanism none`, 1 thread", ratio, 1.15)


def same_bits(results):
    return all(len(set(digests.values())) == 1 for digests in results["digests"].values())


def threads(results):
    for name in results["sets"]:
        for form, label in FORMS.items():
            one, two = (seconds(results, name, f"{form}-{t}") for t in (1, 2))
            if one is not None:
                yield at_least(f"{name}, {label}: 2 threads against 1", one / two, 1.7)
    tried = sorted({key for digests in results["digests"].values() for key in digests})
    same = same_bits(results)
    text = "the same" if same else "DIFFERENT"
    yield Line(f"models of a seed: {', '.join(tried)}", text, "byte-identical", same)


def memory_and_growth(results):
    if "memory" in results:
        cell = results["memory"]["stream"]
        what = f"peak memory on a CSV stream of {cell['bytes'] / 1e9:.1f} GB"
        yield at_most(what, cell["peak_mb"], 200, " MB")
    sizes = results["growth"]["n"]
    for (n, s), (n2, s2) in zip(sizes, sizes[1:]):
        off = abs(s2 / s - n2 / n) / (n2 / n)
        what = f"time for {n2:,} rows / {n:,} rows"
        yield Line(what, f"{s2 / s:.3f}×", f"{n2 / n:g}× within 10%", off <= 0.1)


def inner_lines(name, found):
    """What a program of bench/speed found, a line each."""
    return [f"{name}: {key} {value}" for key, value in found.items()]


def lines(results):
    return [
        *rivals(results),
        *private_cost(results),
        *threads(results),
        *memory_and_growth(results),
    ]
