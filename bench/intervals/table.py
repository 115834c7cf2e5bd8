#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""table.py FOLDER: the tables of docs/results/intervals.md from what intervals.py kept in FOLDER."""
import json
import pathlib
import sys

import designs
import intervals


def row(name, s, loss, n, epsilon, note=""):
    def number(value, form):
        return "–" if value != value else format(value, form)
    print(f"| {name} | {loss} | {n:,} | {epsilon} | {s['runs']} | {s['identified']:.2f} | {number(s['coverage'], '.3f')} "
          f"± {s['error']:.3f} | {number(s['least'], '.3f')} | {number(s['width'], '.2f')} |{note}")


def main():
    folder = pathlib.Path(sys.argv[1])
    seen = below = small = 0
    for title, group in (("Own designs", designs.OWN), ("Required lines", designs.REQUIRED)):
        print(f"\n{title}:\n\n| design | loss | n | ε | runs | identified | coverage ± error | least of a coefficient | width |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, (_, loss, n, epsilon, _) in group.items():
            kept = folder / (name.replace(" ", "_").replace("%", "") + ".jsonl")
            if not kept.exists():
                continue
            s = intervals.summary([json.loads(line) for line in kept.read_text().splitlines()])
            row(name, s, loss, n, epsilon)
            seen, below, small = seen + s["n"], below + s["below_05"], small + s["below_001"]
    print(f"\np at the true values, {seen:,} coefficients: P(p < .05) = {below / seen:.4f}, "
          f"P(p < .001) = {small / seen:.5f}")


if __name__ == "__main__":
    main()
