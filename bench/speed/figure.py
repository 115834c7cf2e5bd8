# SPDX-License-Identifier: MIT
"""The results as an SVG figure: seconds from file to model, and growth."""

import math

from race import METHODS
from svg import document, mark, text, ticks_of

WIDTH, LEFT, BAR, LABEL = 960, 24, 17, 300
COLOURS = {"tacit": "#0b3c6f", "limit": "#9a9a9a", "variant": "#8ec3ee", "peer": "#d1541d"}
VARIANTS = ("none", "csv", "npy", "cache", "avx2", "default")


def kind_of(key):
    if key in ("cat", "wc"):
        return "limit"
    if key.startswith("tacit"):
        return "tacit"
    return "variant" if key.startswith(VARIANTS) else "peer"


def bars(about, top, high):
    """One data set: seconds of every method on a logarithmic axis that begins at 10 ms."""
    left, span = LEFT + LABEL, WIDTH - LEFT - LABEL - 90
    out = [text(LEFT, top, about["title"], size=13, extra=' font-weight="bold"')]
    methods = [(k, n) for k, n in METHODS if k in about["methods"]]
    bottom = top + 12 + BAR * len(methods)

    def at(seconds):
        return left + span * max(0, math.log10(seconds / 0.01)) / math.log10(high / 0.01)

    for power in range(-2, math.ceil(math.log10(high)) + 1):
        x = at(10.0**power)
        if x <= left + span + 1:
            out.append(f'<path d="M{x:.1f} {top + 10}V{bottom}" stroke="#e6e6e6"/>')
            out.append(text(x, bottom + 13, f"{10.0**power:g} s", "middle", 10))
    for i, (key, name) in enumerate(methods):
        y = top + 12 + BAR * i
        seconds = about["methods"][key]["seconds"]
        name = name.replace("`", "").replace("*", "").replace("&", "&amp;").replace(">", "&gt;")
        out.append(text(left - 8, y + 12, name, "end", 11))
        out.append(
            f'<rect x="{left}" y="{y + 2}" width="{max(1, at(seconds) - left):.1f}" '
            f'height="{BAR - 4}" fill="{COLOURS[kind_of(key)]}"/>'
        )
        out.append(text(at(seconds) + 5, y + 12, f"{seconds:.3g} s", size=11))
    return out, bottom + 40


def panel(left, top, width, height, title, points, logarithmic):
    """Seconds against rows, columns or rounds."""
    high = 1.1 * max(s for _, s in points)
    log = math.log if logarithmic else float
    low_x, high_x = log(points[0][0]), log(points[-1][0])
    if not logarithmic:
        low_x = 0

    def at(size, seconds):
        x = left + width * (0.06 + 0.88 * (log(size) - low_x) / (high_x - low_x))
        return x, top + height * (1 - seconds / high)

    out = [text(left, top - 8, title, size=12, extra=' font-weight="bold"')]
    values, digits = ticks_of(0, high)
    for value in values:
        y = top + height * (1 - value / high)
        out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#e6e6e6"/>')
        out.append(text(left - 5, y + 4, f"{value:.{digits}f} s", "end", 10))
    for size, _ in points:
        label = f"{size / 1000:g}k" if size >= 10_000 else f"{size:g}"
        out.append(text(at(size, 0)[0], top + height + 14, label, "middle", 10))
    path = " ".join("{:.1f},{:.1f}".format(*at(*point)) for point in points)
    out.append(f'<polyline points="{path}" fill="none" stroke="#0b3c6f" stroke-width="1.8"/>')
    out += [mark("dot", *at(*point), "#0b3c6f") for point in points]
    out.append(
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
    )
    return out


def draw(results):
    everything = [c["seconds"] for s in results["sets"].values() for c in s["methods"].values()]
    high, top = max(everything, default=1), 66
    body = [
        text(LEFT, 26, "Seconds from file to model", size=15, extra=' font-weight="bold"'),
        text(
            LEFT,
            42,
            "Dark blue: Tacit, private, ε = 1, one pass. Light blue: other levels, passes, formats, no noise. "
            "Orange: others. Grey: reading alone. Logarithmic.",
            size=11,
            extra=' fill="#555"',
        ),
    ]
    for about in results["sets"].values():
        drawn, top = bars(about, top, high)
        body += drawn
    growth = results["growth"]
    panels = [
        ("rows n (d = 128)", growth["n"], False),
        ("columns d, same cells", growth["d"], True),
        ("rounds R", growth["R"], True),
    ]
    if results["sets"]:
        shown = "dense" if "dense" in results["sets"] else list(results["sets"])[0]
        methods = results["sets"][shown]["methods"]
        threads = [[t, methods[f"tacit-{t}"]["seconds"]] for t in (1, 2)]
        panels.append((f"threads ({shown})", threads, False))
    top += 20
    width, gap = 176, 56
    for i, (title, points, logarithmic) in enumerate(panels):
        body += panel(LEFT + 34 + i * (width + gap), top, width, 150, title, points, logarithmic)
    return document(WIDTH, top + 180, body)
