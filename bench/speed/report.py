# SPDX-License-Identifier: MIT
"""The results as Markdown and JSON: all targets, met or missed, and all numbers."""

import json

import verdict
from race import LONG_S, METHODS
from results import rounded

INTRO = """\
# Speed: from file to model

Made by `{command}` with Tacit {version} in {minutes:.0f} minutes; numbers in full in
[speed.json](speed.json).
{caution}
![Seconds from file to model, and growth](speed.svg)

Machine: {processor}, {cores} cores, caches {caches}, {memory:.0f} GB of memory, vectors
{vectors}{dispatch}. Other work kept at most {busy:.2f} cores busy, looked at between the sets;
the host of this machine took {stolen:.0f}% of its time away.
Seconds depend on the machine; compare the ratios.

## How to read this

- Times are wall clock from the start of a program to its model on disk, the best of {rounds}
  rounds in which all tools take turns. A tool that takes longer than {long_s} s is run once. Files
  are in the page cache before the first round: the disk is not part of it.
- **Tacit** runs with `--preset anytime` at ε = 1: one pass, exact noise, the secret order, and a first
  scan to count the rows. Only the number of threads is set. *All passes of the default* is the run
  without `--preset`, which goes over the rows up to nine times, and parses them once if they fit into memory: those who want the best model take that.
- Tacit has code for several kinds of processor and takes the best that there is. *Level avx2* is what
  most laptops and servers have; the same model comes out at every level.
- Vowpal Wabbit reads a file of its own format, converted beforehand and not counted; it parses
  in a thread of its own. scikit-learn reads with `load_svmlight_file`; parsing is counted and also
  shown apart. SGDClassifier and LogisticRegression are fitted to the same parse. For the tools
  in Python, starting it and importing are not counted.
- Opacus trains on dense rows in memory, made from the same parse, which is counted; making them
  dense and finding the noise is not. *Its loader* puts a batch together row by row, as it does by
  itself; *whole* hands it a batch at a time. An epoch that takes more than a minute is measured in
  part and scaled, which the table says.
- Accuracy is that on held-out rows, to show that no time is saved by learning nothing. LIBLINEAR,
  scikit-learn and Vowpal Wabbit are not private.
"""


def seconds_text(value):
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def remark_of(cell, rounds):
    parts = []
    if "parse_s" in cell:
        parts.append(f"{seconds_text(cell['parse_s'])} s of it parsing")
    if cell.get("share", 1) < 1:
        parts.append(f"scaled from {100 * cell['share']:.2g}% of the epoch")
    if cell.get("batch", 1000) != 1000:
        parts.append(f"batches of {cell['batch']}: 1000 dense rows do not fit")
    if cell["runs"] != rounds:
        parts.append("one run" if cell["runs"] == 1 else f"{cell['runs']} runs")
    return "; ".join(parts)


def set_table(about, rounds):
    methods = about["methods"]
    lines = [
        "| | seconds | / Tacit, 2 threads | / Tacit, 1 thread | MB/s | test accuracy | |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, name in METHODS:
        cell = methods.get(key)
        if cell is None:
            continue
        ratios = [
            verdict.digits(cell["seconds"] / methods[own]["seconds"])
            for own in ("tacit-2", "tacit-1")
        ]
        accuracy = cell.get("accuracy")
        speed = "–"
        if not key.startswith(("csv", "npy", "cache", "default")):
            speed = f"{about['bytes'] / 1e6 / cell['seconds']:.0f}"
        lines.append(
            f"| {name} | {seconds_text(cell['seconds'])} | {ratios[0]} | {ratios[1]} | {speed} | "
            f"{'–' if accuracy is None else f'{accuracy:.4f}'} | {remark_of(cell, rounds)} |"
        )
    return "\n".join(lines)


def shares_table(results):
    parts = {
        "parse": "parse (src/data)",
        "pass": "gradients: margins, slopes, clip, sums",
        "encode": "encode (vault)",
        "noise": "noise, with keys",
        "learner": "learner, decoding, averages",
        "rest": "the rest: kernel, C library, model file",
    }
    names = list(results["shares"])
    lines = [
        "| seconds of one thread | " + " | ".join(names) + " |",
        "|---|" + "---|" * len(names),
    ]
    for part, text in parts.items():
        row = []
        for name in names:
            share = results["shares"][name][part]
            total = results["sets"][name]["own"]["tacit-1"]
            row.append(f"{seconds_text(share * total)} ({100 * share:.0f}%)")
        lines.append(f"| {text} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def cost_section(results):
    lines = ["| | private | `--mechanism none` | difference | ratio |", "|---|---|---|---|---|"]
    for name, about in results["sets"].items():
        for threads in (1, 2):
            private, none = (about["own"][f"{kind}-{threads}"] for kind in ("tacit", "none"))
            lines.append(
                f"| {name}, {threads} thread{'s' * (threads > 1)} | {seconds_text(private)} s | "
                f"{seconds_text(none)} s | {private - none:+.3f} s | {private / none:.3f} |"
            )
    text = (
        "## What privacy costs\n\nTacit beside Tacit, here and below: further turns without the other tools, best of\n"
        "3, or of 7 where a run takes less than 2 s.\n\n" + "\n".join(lines) + "\n"
    )
    if results["shares"]:
        text += (
            "\nWhere the time of a private run goes: shares of samples that `perf` took in one run\n"
            "with one thread, by the source file of the function, times the best time of the\n"
            "table above. Inlined functions count where they were inlined, so neighbours may\n"
            f"trade a few percent.\n\n{shares_table(results)}\n"
        )
    noise = results["inner"].get("noise")
    if noise:
        listed = ", ".join(f"{value:.1f} ns ({key})" for key, value in noise.items())
        text += f"\nA sample of noise by itself on one core: {listed}.\n"
    return text


def threads_section(results):
    lines = ["| | 1 thread | 2 threads | speed-up |", "|---|---|---|---|"]
    for name, about in results["sets"].items():
        for form, label in verdict.FORMS.items():
            pair = [about["own"].get(f"{form}-{t}") for t in (1, 2)]
            if None not in pair:
                lines.append(
                    f"| {name}, {label} | {seconds_text(pair[0])} s | {seconds_text(pair[1])} s | "
                    f"{pair[0] / pair[1]:.2f} |"
                )
    bits = ["| | model of seed 1 (SHA-256) | the same for |", "|---|---|---|"]
    for name, digests in results["digests"].items():
        for digest in dict.fromkeys(digests.values()):
            who = ", ".join(key for key, value in digests.items() if value == digest)
            bits.append(f"| {name} | `{digest[:16]}…` | {who} |")
    return "## Threads\n\n" + "\n".join(lines) + "\n\n" + "\n".join(bits) + "\n"


def growth_section(results):
    growth = results["growth"]
    bytes_of = dict(growth["d_bytes"])
    n0, s0 = growth["n"][0]
    d_rows = "\n".join(
        f"| {d} | {seconds_text(s)} | {bytes_of[d] / 1e6 / s:.0f} MB/s |" for d, s in growth["d"]
    )
    n_rows = "\n".join(
        f"| {n:,} | {seconds_text(s)} | {s / s0 / (n / n0):.3f} |" for n, s in growth["n"]
    )
    r_base = dict(growth["R"])[32]
    r_rows = "\n".join(f"| {r} | {seconds_text(s)} | {s / r_base:.3f} |" for r, s in growth["R"])
    return (
        "## Growth\n\nOne thread, ε = 1, dense LIBSVM rows; the file is given once, twice and four\n"
        "times for n, columns are traded for rows in d, and R is set by `--batch`.\n\n"
        f"| n (d = 128) | seconds | seconds a row, relative |\n|---|---|---|\n{n_rows}\n\n"
        f"| d (same number of cells) | seconds | |\n|---|---|---|\n{d_rows}\n\n"
        f"| R (d = 128) | seconds | / R = 32 |\n|---|---|---|\n{r_rows}\n"
    )


def memory_section(results):
    lines = ["| CSV | GB | seconds | peak resident | of it its own |", "|---|---|---|---|---|"]
    for key, label in (("stream", "from a pipe"), ("files", "from files")):
        cell = results["memory"][key]
        lines.append(
            f"| {label} | {cell['bytes'] / 1e9:.2f} | {seconds_text(cell['seconds'])} | "
            f"{cell['peak_mb']:.0f} MB | {cell['own_mb']:.0f} MB |"
        )
    return (
        "## Memory\n\nThe dense rows as CSV, over and over, all cores. Resident pages of a mapped file are\n"
        "the page cache's: they count as resident, but not as the process's own.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def kernel_parts(kernels):
    """Passes over rows in memory, of one output and of several, by level."""
    rows = "\n".join(
        f"| {level} | {c['features']} | {c['threads']} | {1e3 * c['sum_threads_s']:.1f} | "
        f"{1e3 * c['pass_s']:.1f} | {c['ratio']:.2f} | {c['ratio_threads']:.2f} |"
        for level, found in kernels.items()
        for c in found["dense"]
    )
    outputs = "\n".join(
        f"| {level} | {c['features']} | {c['outputs']} | {c['row_ns']:.0f} | {c['gflop_s']:.1f} | "
        f"{c['peak_gflop_s']:.1f} |"
        for level, found in kernels.items()
        for c in found["outputs"]
    )
    return [
        f"A private pass over {list(kernels.values())[0]['mib']} MiB of dense float32 beside a sum of the\n"
        "same array in vectors of the same level, in milliseconds:\n\n"
        "| level | d | threads | sum | pass | pass / sum of 1 thread | pass / sum of as many |\n"
        f"|---|---|---|---|---|---|---|\n{rows}\n",
        "Several classes (softmax), one thread, beside what the core does at this level if it only\n"
        "multiplies and adds:\n\n"
        "| level | d | classes | ns a row | Gflop/s | peak |\n|---|---|---|---|---|---|\n"
        f"{outputs}\n",
    ]


def table_section(about):
    names = {key: name.replace("*", "") for key, name in METHODS}
    rows = "\n".join(
        f"| {names[key]} | {seconds_text(seconds)} | {about['bytes'] / 1e6 / seconds:.0f} |"
        for key, seconds in sorted(about["own"].items(), key=lambda item: item[1])
    )
    if "dp-ebm" in about:
        rows += f"\n| DP-EBM (interpret), the fit alone | {seconds_text(about['dp-ebm']['seconds'])} | – |"
    return (
        f"## Raw Adult × {about['times']}: categories and curves\n\n"
        f"{about['rows']:,} rows, {about['bytes'] / 1e6:.0f} MB of CSV; the schema is that of `tacit schema "
        "--dictionary`, numbers as\ncurves. DP-EBM has its defaults and gets the rows in memory.\n\n"
        f"| | seconds | MB/s |\n|---|---|---|\n{rows}\n"
    )


def curves_section(about):
    rows = "\n".join(
        f"| {shape} | {one:.1f} | {default:.1f} |" for shape, (one, default) in about["ns"].items()
    )
    return (
        "## Lines and curves\n\n"
        f"The same {about['rows']:,} rows of 20 numbers as CSV, each column a line, 16 steps, 16 hats, or hats\n"
        "and a line. A cell is one number of a row for lines and steps, two for hats, three for hats\n"
        f"and lines. Nanoseconds a cell, one thread, level {about['level']}:\n\n"
        f"| | one pass | default run |\n|---|---|---|\n{rows}\n"
    )


def inner_section(results):
    inner, parts = results["inner"], []
    if "kernels" in inner:
        parts += kernel_parts(inner["kernels"])
    if "parse" in inner:
        rows = "\n".join(
            f"| {level} | {c['case']} | {c['parse_mb_s']:.0f} | {c['strtod_mb_s']:.0f} | "
            f"{c['lines_mb_s']:.0f} | {c['copy_mb_s']:.0f} |"
            for level, cells in inner["parse"].items()
            for c in cells
        )
        parts.append(
            "Text in memory parsed by one thread, in MB/s of its own processor time, beside a plain\n"
            "loop of `strtod`, a search for the ends of lines and a copy:\n\n"
            f"| level | | parsed | strtod | lines | copy |\n|---|---|---|---|---|---|\n{rows}\n"
        )
    if inner.get("instructions"):
        rows = "\n".join(f"| {key} | {value:.1f} |" for key, value in inner["instructions"].items())
        parts.append(
            "Instructions by callgrind, which a busy machine does not change (kernels: rows of 128\n"
            f"dense features, or of 40 entries of 2^20):\n\n| | instructions |\n|---|---|\n{rows}\n"
        )
    return "## Inside, from memory\n\n" + "\n".join(parts) if parts else ""


def caution(results):
    """Why this run should not be quoted; empty if it may be."""
    busy, reasons = max(results["busy_cores"]), []
    if "QUICK" in results["command"]:
        reasons.append("sizes are those of the quick form")
    if busy > 0.2:
        of_all = f"{busy:.1f} of {results['machine']['cores']} cores"
        reasons.append(f"other work kept up to {of_all} busy")
    if results["stolen"] > 0.05:
        reasons.append(f"the host gave {100 * results['stolen']:.0f}% of the time to other machines")
    return f"\n**Do not quote these times**: {'; '.join(reasons)}.\n" if reasons else ""


def must_table(results):
    rows = "\n".join(
        f"| {line.what} | {line.value} | {line.target} | {line.mark()} |"
        for line in verdict.lines(results)
    )
    return f"| | measured | target | met |\n|---|---|---|---|\n{rows}"


def markdown(results):
    machine = results["machine"]
    parts = [
        INTRO.format(
            command=results["command"],
            version=results["tacit"],
            minutes=results["minutes"],
            processor=machine["processor"],
            cores=machine["cores"],
            caches=", ".join(f"{k} {v}" for k, v in machine["caches"].items()),
            memory=machine["memory_gb"],
            vectors=", ".join(machine["vectors"]),
            dispatch=f"; Tacit runs at level {machine['dispatch']}" if machine["dispatch"] else "",
            caution=caution(results),
            rounds=results["rounds"],
            busy=max(results["busy_cores"]),
            stolen=100 * results["stolen"],
            long_s=LONG_S,
        ),
        f"## What must be shown\n\n{must_table(results)}\n",
    ]
    for name, about in results["sets"].items():
        parts.append(
            f"## {about['title']}\n\n`{name}`: {about['rows']:,} rows, {about['features']:,} columns, "
            f"{about['bytes'] / 1e6:.0f} MB of LIBSVM text.\n\n{set_table(about, results['rounds'])}\n"
        )
    if results.get("table"):
        parts.append(table_section(results["table"]))
    if results.get("curves"):
        parts.append(curves_section(results["curves"]))
    parts += [inner_section(results), cost_section(results), threads_section(results)]
    parts.append(growth_section(results))
    if "memory" in results:
        parts.append(memory_section(results))
    if results["skipped"]:
        parts.append("## Left out\n\n" + "\n".join(f"- {x}" for x in results["skipped"]) + "\n")
    return "\n".join(part for part in parts if part)


def as_json(results):
    return json.dumps(rounded(results), indent=1) + "\n"


def verdicts(results):
    """A summary for the terminal."""
    lines = []
    for about in results["sets"].values():
        lines += [f"\n{about['title']}", set_table(about, results["rounds"])]
    lines.append("")
    for line in verdict.lines(results):
        met = "met" if line.met else "NOT MET"
        lines.append(f"{met:8} {line.what}: {line.value} ({line.target})")
    lines += [f"left out: {text}" for text in results["skipped"]]
    return "\n".join(lines)
