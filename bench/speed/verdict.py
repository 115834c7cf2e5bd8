# SPDX-License-Identifier: MIT
"""The targets of the speed bench, each with the measured ratio and whether it is met."""

from dataclasses import dataclass

FORMS = {"tacit": "LIBSVM", "csv": "CSV", "npy": ".npy", "cache": "cache"}
# Peer, its name, and how many times faster Tacit must be.
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
    met: bool

    def mark(self):
        return "yes" if self.met else "**no**"


def digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def at_least(what, value, target, unit="×"):
    return Line(what, f"{digits(value)}{unit}", f"≥ {target:g}{unit}", value >= target)


def at_most(what, value, target, unit="×"):
    return Line(what, f"{digits(value)}{unit}", f"≤ {target:g}{unit}", value <= target)


def seconds(results, name, key):
    return results["sets"].get(name, {}).get("methods", {}).get(key, {}).get("seconds")


def own(results, name, key):
    """Seconds of a variant of Tacit."""
    return results["sets"][name]["own"].get(key)


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
            ratio = own(results, name, "tacit-1") / own(results, name, "none-1")
            yield at_most(f"{name}: private / `--mechanism none`, 1 thread", ratio, 1.15)


def same_bits(results):
    return all(len(set(digests.values())) == 1 for digests in results["digests"].values())


def sum_gb_s(results):
    """Bandwidth of a sum of an array in memory on two threads."""
    for cell in results["inner"].get("kernels", {}).get("dense", []):
        if cell["threads"] == 2:
            return 4e-9 * cell["rows"] * cell["features"] / cell["sum_threads_s"]
    return None


def dense_threads(results, what, one, two, size):
    """Met at 1.7 times, or at 60% of the bandwidth of the sum, which limits all threads."""
    line, limit = at_least(what, one / two, 1.7), sum_gb_s(results)
    if limit:
        share = 1e-9 * size / two / limit
        line.value += f"; {100 * share:.0f}% of the sum's bandwidth"
        line.target += " or ≥ 60%"
        line.met = line.met or share >= 0.6
    return line


def threads(results):
    for name, about in results["sets"].items():
        for form, label in FORMS.items():
            one, two = (own(results, name, f"{form}-{t}") for t in (1, 2))
            what = f"{name}, {label}: 2 threads against 1"
            if one is None or form == "cache":
                continue
            if form == "npy":
                size = 4 * about["rows"] * about["features"]
                yield dense_threads(results, what, one, two, size)
            else:
                yield at_least(what, one / two, 1.7)
    passes = results["inner"].get("kernels", {}).get("dense", [])
    for one, two in zip(passes[::2], passes[1::2]):
        what = f"in memory, d = {one['features']}: 2 threads against 1"
        size = 4 * one["rows"] * one["features"]
        yield dense_threads(results, what, one["pass_s"], two["pass_s"], size)
    tried = dict.fromkeys(key for digests in results["digests"].values() for key in digests)
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


def from_memory(results):
    """A pass compared with a sum of the same array, in vectors of the same level."""
    for cell in results["inner"].get("kernels", {}).get("dense", []):
        one = cell["threads"] == 1
        name = "1 thread" if one else f"{cell['threads']} threads"
        what = f"in memory, d = {cell['features']}, {name}: pass / sum of one thread"
        line = at_most(what, cell["ratio"], 4 if one else 2.5)
        if not one:
            line.value += f" ({cell['ratio_threads']:.3g}× the sum of {name})"
        yield line


def parsing(results):
    for cell in results["inner"].get("parse", []):
        yield at_least(f"parse, 1 thread: {cell['case']}", cell["parse_mb_s"], 400, " MB/s")


def lines(results):
    return [
        *from_memory(results),
        *rivals(results),
        *parsing(results),
        *private_cost(results),
        *threads(results),
        *memory_and_growth(results),
    ]
