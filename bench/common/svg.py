# SPDX-License-Identifier: MIT
"""Pieces of an SVG figure, as text: no plotting library."""

import math


def ticks_of(low, high):
    """About four round numbers between low and high."""
    rough = (high - low) / 4
    step = 10 ** math.floor(math.log10(rough))
    step = min((step * m for m in (1, 2, 5, 10)), key=lambda s: abs(s - rough))
    first = math.ceil(low / step - 1e-9)
    values = []
    while first * step <= high + 1e-12:
        values.append(first * step)
        first += 1
    return values, max(0, -math.floor(math.log10(step) + 1e-9))


def mark(kind, x, y, colour):
    if kind == "dot":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{colour}"/>'
    return f'<rect x="{x - 2.8:.1f}" y="{y - 2.8:.1f}" width="5.6" height="5.6" fill="{colour}"/>'


def text(x, y, body, anchor="start", size=12, extra=""):
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f"<text {place}{extra}>{body}</text>"


def document(width, height, body):
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" font-family="sans-serif">',
                f'<rect width="{width}" height="{height}" fill="#fff"/>',
                *body,
                "</svg>",
            ]
        )
        + "\n"
    )
