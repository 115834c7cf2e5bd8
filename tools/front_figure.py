#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the figure of the README to standard output:

    python3 tools/front_figure.py > docs/figures/front.svg

Left: test loss against epsilon; right: seconds from file to model. Every number comes from
docs/results/utility.json and docs/results/speed.json.
"""
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "common"))

from svg import document, mark, text  # noqa: E402

BLUE, ORANGE, GREY, INK = "#0b5cad", "#d1541d", "#8a8a8a", "#333"
WIDTH, HEIGHT = 960, 372
TOP, PANEL = 84, 228  # upper edge and height of both panels

# method, passes, colour, dash, lines of the label, its place relative to the last point
CURVES = [
    ("dp-gd", None, ORANGE, "5 4", "DP gradient descent,|tuned on the test set", (-290, -100)),
    ("tacit", 8, BLUE, "", "Tacit, 8 passes, nothing tuned", (-192, -30)),
    ("dp-gd-usual", None, GREY, "", "DP gradient descent, untuned", (-196, -12)),
]
BARS = [
    ("tacit-2", "Tacit, private, ε = 1", BLUE),
    ("vw", "Vowpal Wabbit, one pass", GREY),
    ("sgd", "scikit-learn SGD, one pass", GREY),
    ("liblinear-0", "LIBLINEAR", GREY),
    ("opacus-whole", "Opacus, private, one pass", ORANGE),
]


def heading(left, title, subtitle):
    return [
        text(left, 30, title, size=17, extra=f' font-weight="bold" fill="{INK}"'),
        text(left, 52, subtitle, size=12.5, extra=' fill="#666"'),
    ]


def loss_panel(results, left, width):
    own = [r for r in results if r["problem"] == "a9a"]
    floor = next(r["loss"] for r in own if r["method"] == "no-privacy")
    low, high = 0.32, 0.362
    first, last = math.log(0.085), math.log(10)

    def at(epsilon, value):
        x = left + width * (math.log(epsilon) - first) / (last - first)
        return x, TOP + PANEL * (high - value) / (high - low)

    out = heading(left, "Close to the optimum, nothing tuned",
                  "Adult census (a9a), 32,560 people: test loss against ε")
    for value in (0.32, 0.33, 0.34, 0.35, 0.36):
        _, y = at(1, value)
        out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#ececec"/>')
        out.append(text(left - 8, y + 4, f"{value:.2f}", "end", 11.5, ' fill="#666"'))
    for epsilon in (0.1, 0.5, 1, 2, 8):
        x, y = at(epsilon, low)
        out.append(text(x, y + 20, f"{epsilon:g}", "middle", 11.5, ' fill="#666"'))
    out.append(text(left + width / 2, TOP + PANEL + 42, "ε: privacy budget, smaller is more private",
                    "middle", 12, ' fill="#666"'))
    _, y = at(1, floor)
    out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="{INK}" stroke-dasharray="2 3"/>')
    out.append(text(left + 4, y + 16, f"optimum without privacy: {floor:.3f}", size=12,
                    extra=f' fill="{INK}"'))
    for method, passes, colour, dash, label, (dx, dy) in CURVES:
        cells = sorted((r for r in own if r["method"] == method and passes in (None, r["passes"])),
                       key=lambda r: r["epsilon"])
        points = [at(r["epsilon"], r["loss"]) for r in cells]
        bold = 3 if method == "tacit" else 1.8
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{bold}"'
                   + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")
        out += [mark("dot", x, y, colour) for x, y in points]
        weight = ' font-weight="bold"' if method == "tacit" else ""
        for i, line in enumerate(label.split("|")):
            out.append(text(points[-1][0] + dx, points[-1][1] + dy + 14 * i, line, size=12,
                            extra=f' fill="{colour}"{weight}'))
    return out


def speed_panel(about, left, width):
    methods = about["methods"]
    names, bar = 182, 26
    low, high = math.log(0.05), math.log(20)

    def x_of(seconds):
        return left + names + (width - names) * (math.log(seconds) - low) / (high - low)

    out = heading(left, "Nearly a million rows in 0.1 s",
                  f"{about['rows']:,} rows × {about['features']}: seconds from text file to model")
    for seconds in (0.1, 1, 10):
        x = x_of(seconds)
        out.append(f'<path d="M{x:.1f} {TOP}v{PANEL}" stroke="#ececec"/>')
        out.append(text(x, TOP + PANEL + 20, f"{seconds:g} s", "middle", 11.5, ' fill="#666"'))
    bars = [entry for entry in BARS if entry[0] in methods]  # a peer may have been missing
    step = PANEL / len(bars)
    for i, (key, label, colour) in enumerate(bars):
        y = TOP + step * i + (step - bar) / 2
        seconds = methods[key]["seconds"]
        weight = ' font-weight="bold"' if i == 0 else ""
        out.append(text(left + names - 8, y + 17, label, "end", 12, f' fill="{INK}"{weight}'))
        start, end = x_of(0.05), x_of(seconds)
        out.append(f'<rect x="{start:.1f}" y="{y:.1f}" width="{end - start:.1f}" height="{bar}" '
                   f'rx="2" fill="{colour}"/>')
        shown = f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
        out.append(text(end + 6, y + 17, shown, size=12, extra=f' fill="{INK}"{weight}'))
    out.append(text(left + names + (width - names) / 2, TOP + PANEL + 42, "log scale, 2 cores",
                    "middle", 12, ' fill="#666"'))
    return out


def main():
    results = ROOT / "docs" / "results"
    utility = json.loads((results / "utility.json").read_text())
    speed = json.loads((results / "speed.json").read_text())
    body = loss_panel(utility["results"], 60, 400)
    body += speed_panel(speed["sets"]["a9a"], 500, 410)
    print(document(WIDTH, HEIGHT, body), end="")


if __name__ == "__main__":
    main()
