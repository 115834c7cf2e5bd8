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


# At level avx2, one thread: set, peer, and how many times faster.
AVX2_RIVALS = [
    ("a9a", "liblinear-0", 20),
    ("a9a", "vw", 3),
    ("dense", "liblinear-0", 15),
    ("dense", "vw", 3),
]
# Megabytes a second that one thread must parse at level avx2, and elsewhere.
AVX2_PARSE = {"libsvm-a9a": 900, "libsvm-dense": 1200, "csv-dense": 1200, "csv-mixed": 700}
PARSE = 400
# How many times as long as the sum of the same array a pass on one thread may take.
MEMORY = {("avx2", 128): 3.5, ("avx2", 1024): 2.5, ("avx512", 128): 2.5, ("avx512", 1024): 1.7}
CURVES = 1.1  # steps must be as fast as lines; two such times differ by some percent here
SOFTMAX = 0.6  # of the core's peak, 10 classes


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


def rivals_at_avx2(results):
    labels = {key: label for key, label, _ in RIVALS}
    for name, key, target in AVX2_RIVALS:
        rival, tacit = (seconds(results, name, k) for k in (key, "avx2-1"))
        if rival is not None and tacit is not None:
            what = f"level avx2: {name}, 1 thread: faster than {labels[key]}"
            yield at_least(what, rival / tacit, target)


def table(results):
    about = results.get("table")
    if not about:
        return
    own = about["own"]
    key = "avx2-1" if "avx2-1" in own else "tacit-1"
    what = f"raw Adult × {about['times']}, CSV with curves, one pass, 1 thread"
    what = f"level avx2: {what}" if key == "avx2-1" else what
    yield at_least(what, about["bytes"] / 1e6 / own[key], 250, " MB/s")
    if "dp-ebm" in about:
        ratio = about["dp-ebm"]["seconds"] / own["default-2"]
        what = f"raw Adult × {about['times']}, default run, 2 threads: faster than DP-EBM's fit"
        yield at_least(what, ratio, 50)


def curves(results):
    about = results.get("curves")
    if not about:
        return
    lines, steps = about["ns"]["lines"], about["ns"]["steps"]
    for way, name in enumerate(("one pass", "default run")):
        what = f"level {about['level']}: 20 columns of 16 steps, {name}, 1 thread: time / that of lines"
        yield at_most(what, steps[way] / lines[way], CURVES)


def private_cost(results):
    for name in ("a9a", "dense"):
        if name in results["sets"]:
            ratio = own(results, name, "tacit-1") / own(results, name, "none-1")
            yield at_most(f"{name}: private / `--mechanism none`, 1 thread", ratio, 1.15)


def same_bits(results):
    return all(len(set(digests.values())) == 1 for digests in results["digests"].values())


def best_kernels(results):
    """The kernels at the best level."""
    levels = list(results["inner"].get("kernels", {}).values())
    return levels[-1] if levels else {}


def sum_gb_s(results):
    """Bandwidth of a sum of an array in memory on two threads."""
    for cell in best_kernels(results).get("dense", []):
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
    passes = best_kernels(results).get("dense", [])
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
    for level, found in results["inner"].get("kernels", {}).items():
        for cell in found["dense"]:
            one = cell["threads"] == 1
            name = "1 thread" if one else f"{cell['threads']} threads"
            what = f"level {level}: in memory, d = {cell['features']}, {name}: pass / sum of one thread"
            target = MEMORY.get((level, cell["features"]), 4) if one else 2.5
            line = at_most(what, cell["ratio"], target)
            if not one:
                line.value += f" ({cell['ratio_threads']:.3g}× the sum of {name})"
            yield line
        for cell in found["outputs"]:
            if cell["outputs"] == 10 and cell["peak_gflop_s"] > 0:
                what = f"level {level}: softmax, 784 columns, 10 classes: share of the core's peak"
                yield at_least(what, cell["gflop_s"] / cell["peak_gflop_s"], SOFTMAX, "")


def parsing(results):
    for level, cells in results["inner"].get("parse", {}).items():
        for cell in cells:
            target = AVX2_PARSE.get(cell["case"], PARSE) if level == "avx2" else PARSE
            what = f"level {level}: parse, 1 thread: {cell['case']}"
            yield at_least(what, cell["parse_mb_s"], target, " MB/s")


def lines(results):
    return [
        *from_memory(results),
        *rivals(results),
        *rivals_at_avx2(results),
        *table(results),
        *curves(results),
        *parsing(results),
        *private_cost(results),
        *threads(results),
        *memory_and_growth(results),
    ]
