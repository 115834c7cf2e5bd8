#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""table.py FOLDER: the tables of docs/results/intervals.md from what intervals.py kept in FOLDER."""
import json
import pathlib
import sys

import numpy as np
from scipy import stats

import designs
import intervals


def row(name, s, loss, n, epsilon, note=""):
    def number(value, form):
        return "–" if value != value else format(value, form)
    print(f"| {name} | {loss} | {n:,} | {epsilon} | {s['runs']} | {s['identified']:.2f} | {number(s['coverage'], '.3f')} "
          f"± {s['error']:.3f} | {number(s['least'], '.3f')} | {number(s['width'], '.2f')} |{note}")


def wrong(lines):
    """Coverage of intervals that leave something out, from the same runs."""
    e, se, sampling, privacy, df = (np.array([line[key] for line in lines]) for key in
                                    ("error", "se", "se_sampling", "se_privacy", "df"))
    t, z = stats.t.ppf(0.975, df), stats.norm.ppf(0.975)
    wide = se / np.hypot(sampling, privacy)  # the remainder of the step
    return {"as designed": t * se, "without privacy": t * wide * sampling, "without sampling": t * wide * privacy,
            "noise of one record, not two": t * wide * np.hypot(sampling, privacy / 2), "normal, not t": z * se}, e


def mutants(folder):
    print("\nIntervals that are wrong on purpose, from the same runs:\n")
    head = None
    for name in ("small logistic", "small linear", "few linear", "gauss linear 1"):
        kept = folder / intervals.kept_name(name)
        runs = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
        lines = [line for run in runs for line in run if line["identified"] and "error" in line]
        if not lines:
            continue
        reaches, e = wrong(lines)
        if head is None:
            head = "| design | " + " | ".join(reaches) + " |\n|---" + "|---" * len(reaches) + "|"
            print(head)
        print(f"| {name} | " + " | ".join(f"{np.mean(np.abs(e) <= reach):.3f}" for reach in reaches.values()) + " |")


def main():
    folder = pathlib.Path(sys.argv[1])
    seen = below = small = 0
    for title, group in (("Own designs", designs.OWN), ("Required lines", designs.REQUIRED)):
        print(f"\n{title}:\n\n| design | loss | n | ε | runs | identified | coverage ± error | least of a coefficient | width |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, (_, loss, n, epsilon, _) in group.items():
            kept = folder / intervals.kept_name(name)
            if not kept.exists():
                continue
            s = intervals.summary([json.loads(line) for line in kept.read_text().splitlines()])
            row(name, s, loss, n, epsilon)
            if name.startswith("mutant"):
                continue
            seen, below, small = seen + s["n"], below + s["below_05"], small + s["below_001"]
    print(f"\np at the true values, {seen:,} coefficients: P(p < .05) = {below / seen:.4f}, "
          f"P(p < .001) = {small / seen:.5f}")
    mutants(folder)


if __name__ == "__main__":
    main()
