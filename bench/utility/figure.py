# SPDX-License-Identifier: MIT
"""The results as an SVG figure: test loss and accuracy against epsilon, a row of two
panels for each problem. Plain text output, no plotting library."""

import math

from svg import document, mark, text, ticks_of
from targets import key_of

# key, colour, dash, marker
STYLES = [
    ("tacit:8", "#0b3c6f", "", "dot"),
    ("tacit:1", "#5aa5e0", "", "dot"),
    ("tacit-anytime", "#8a8a8a", "6 3", "dot"),
    ("dp-gd", "#d1541d", "", "square"),
    ("opacus", "#7a3fa0", "", "square"),
    ("dp-ftrl", "#2b8a3e", "", "square"),
    ("dp-ebm", "#c2185b", "", "square"),
    ("adassp", "#00838f", "", "square"),
    ("diffprivlib", "#b8860b", "2 3", "square"),
]
WIDTH, LEFT, RIGHT, PANEL, HEIGHT, GAP_X, GAP_Y = 960, 64, 16, 392, 190, 88, 62


def label_of(key, cells):
    """The label of a line: name and passes."""
    taken = sorted({c["passes"] for c in cells if c["passes"]})
    span = f"{taken[0]}–{taken[-1]}" if len(taken) > 1 else f"{taken[0]}" if taken else ""
    return {
        "tacit:1": "Tacit, 1 pass",
        "tacit:8": "Tacit, 8 passes",
        "tacit-anytime": "Tacit, preset anytime, 8 passes",
        "dp-gd": f"DP descent, tuned, {span} passes",
        "opacus": f"DP-SGD (Opacus), tuned, {span} passes",
        "dp-ftrl": "DP-FTRL, tuned, 1 pass",
        "dp-ebm": "DP-EBM, tuned",
        "adassp": "AdaSSP",
        "diffprivlib": "diffprivlib, tuned, δ = 0",
    }[key]


def range_of(cells, floor, field):
    """The range of the axis: Tacit and gradient descent fit, worse methods may not."""
    values = [c[field] for c in cells if c["method"] in ("tacit", "dp-gd")]
    values.append(floor[field])
    low, high = min(values), max(values)
    spread = max(high - low, 1e-4)
    return low - 0.08 * spread, high + 0.08 * spread


def name_of(field, about):
    if about["classes"]:
        return field
    return "1 - r²" if field == "loss" else "r²"


def panel(left, top, field, about, cells, number):
    own = [c for c in cells if c["problem"] == about["name"]]
    floor = next((c for c in own if c["method"] == "no-privacy"), None)
    private = [c for c in own if c["epsilon"] is not None]
    low, high = range_of(private, floor or private[0], field)
    epsilons = sorted({c["epsilon"] for c in private})
    log_low, log_high = math.log(epsilons[0]) - 0.25, math.log(epsilons[-1]) + 0.25

    def at(epsilon, value):
        x = left + PANEL * (math.log(epsilon) - log_low) / (log_high - log_low)
        return x, top + HEIGHT * (high - value) / (high - low)

    frame = f'<rect x="{left}" y="{top}" width="{PANEL}" height="{HEIGHT}"'
    out = [f'<clipPath id="c{number}">{frame}/></clipPath>']
    values, digits = ticks_of(low, high)
    for value in values:
        _, y = at(epsilons[0], value)
        out.append(f'<path d="M{left} {y:.1f}h{PANEL}" stroke="#e6e6e6"/>')
        out.append(text(left - 6, y + 4, f"{value:.{digits}f}", "end", 11))
    for epsilon in epsilons:
        x, _ = at(epsilon, low)
        out.append(f'<path d="M{x:.1f} {top + HEIGHT}v4" stroke="#888"/>')
        out.append(text(x, top + HEIGHT + 17, f"{epsilon:g}", "middle", 11))
    out.append(text(left + PANEL / 2, top + HEIGHT + 33, "ε", "middle", 12))
    out.append(
        text(
            left,
            top - 8,
            name_of(field, about),
            size=12,
            extra=' fill="#555"',
        )
    )
    out.append(f'<g clip-path="url(#c{number})">')
    if floor is not None:
        _, y = at(epsilons[0], floor[field])
        out.append(f'<path d="M{left} {y:.1f}h{PANEL}" stroke="#000" stroke-dasharray="5 4"/>')
    for key, colour, dash, kind in reversed(STYLES):
        line = sorted((c for c in private if key_of(c) == key), key=lambda c: c["epsilon"])
        points = [at(c["epsilon"], c[field]) for c in line]
        if not points:
            continue
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        out.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dashed}/>'
        )
        out += [mark(kind, x, y, colour) for x, y in points]
    out.append("</g>")
    out.append(f'{frame} fill="none" stroke="#888"/>')
    return out


def legend(cells, top):
    """The legend, three entries per line, and its height."""
    entries = []
    for key, colour, dash, kind in STYLES:
        own = [c for c in cells if key_of(c) == key]
        if own:
            entries.append((label_of(key, own), colour, dash, kind))
    entries.append(("no privacy", "#000", "5 4", None))
    out = []
    for i, (label, colour, dash, kind) in enumerate(entries):
        x, y = LEFT + (i % 3) * 298, top + 20 * (i // 3)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        out.append(f'<path d="M{x} {y}h28" stroke="{colour}" stroke-width="1.8"{dashed}/>')
        if kind:
            out.append(mark(kind, x + 14, y, colour))
        out.append(text(x + 35, y + 4, label))
    return out, 20 * math.ceil(len(entries) / 3)


def draw(results):
    cells, top = results["results"], 66
    body = [
        text(
            LEFT,
            26,
            "Test loss and accuracy against ε; Tacit untuned, tuned peers picked by the test loss",
            size=15,
            extra=' font-weight="bold"',
        ),
        text(
            LEFT,
            42,
            "A line that leaves its panel is worse than what fits in it.",
            size=11,
            extra=' fill="#555"',
        ),
    ]
    entries, height = legend(cells, top)
    body += entries
    top += height + 46
    for i, about in enumerate(results["problems"]):
        body.append(
            text(
                LEFT,
                top - 26,
                about["title"].replace("&", "&amp;"),
                size=13,
                extra=' font-weight="bold"',
            )
        )
        for j, field in enumerate(("loss", "accuracy")):
            body += panel(LEFT + j * (PANEL + GAP_X), top, field, about, cells, 2 * i + j)
        top += HEIGHT + GAP_Y + 26
    return document(WIDTH, top - 26, body)
