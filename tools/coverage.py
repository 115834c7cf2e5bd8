#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py SUMMARY PAGE [NOTE]: writes gcovr's summary as a table of rooms, those below 90% of lines first
with the reason from REASONS; ends with an error if one of them has none. NOTE says that fewer tests ran."""
import collections
import json
import pathlib
import sys

ENOUGH = 90
# Rooms with fewer covered lines, and why more tests would not help.
REASONS: dict[str, str] = {}

HEAD = """# Coverage

What `make test` runs of the C code (`make coverage` writes this page; gcovr counts). A line that runs
is not a line that is right: `make mutants` plants privacy bugs for that.

| room | lines | covered | branches covered |
|---|---|---|---|
"""


def rooms(summary):
    """{room: [lines, covered, branches, covered]}"""
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in summary["files"]:
        room = str(pathlib.PurePosixPath(file["filename"]).parent).removeprefix("src/")
        for i, key in enumerate(("line_total", "line_covered", "branch_total", "branch_covered")):
            sums[room][i] += file[key]
    return sums


def main(summary, page, note=None):
    found = rooms(json.loads(pathlib.Path(summary).read_text(encoding="utf-8")))
    found["all"] = [sum(column) for column in zip(*found.values())]
    share = {room: 100 * n[1] / max(n[0], 1) for room, n in found.items()}
    text = HEAD if note is None else HEAD.replace("\n\n| room", f"\n\n**{note}**\n\n| room")
    for room in sorted(found, key=lambda room: (room == "all", share[room])):
        lines, _, branches, covered = found[room]
        text += f"| {room} | {lines} | {share[room]:.1f}% | {100 * covered / max(branches, 1):.1f}% |\n"
    low = sorted(room for room in found if share[room] < ENOUGH)
    if low:
        text += f"\nBelow {ENOUGH}% of lines:\n\n" + "".join(f"- {room}: {REASONS.get(room, 'no reason yet' if note is None else 'see the note above')}\n" for room in low)
    pathlib.Path(page).write_text(text, encoding="utf-8")
    print(f"{share['all']:.1f}% of {found['all'][0]} lines; {page}")
    return [] if note else [room for room in low if room not in REASONS]


if __name__ == "__main__":
    missing = main(*sys.argv[1:])
    if missing:
        sys.exit(f"below {ENOUGH}% of lines and without a reason in {sys.argv[0]}: {', '.join(missing)}")
