#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""follow_row.py [--check] PROGRAM: writes docs/follow-a-row.md from a trace of a run.

PROGRAM is a build with -Og, which keeps functions apart; `tools/check.sh row` makes it. callgrind traces
a run with the defaults on made-up rows. The page lists the functions of src/ that another .c file calls,
below the function that adds rows and the one that releases a sum, and the first sentence of the comment
on each. It leaves out base/, whose functions are tools, and functions with less than one instruction in
PARTS: they do not handle the numbers of a row.

With --check the page must be what the trace says; it is not written.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/follow-a-row.md"
ROWS, PER_PASS, PARTS = 3000, 8, 60
ADDS, CLOSES = "add_task", "tacit_split_close"
PHASES = ("round 0", "first pass", "later passes")
MOST = (34, 24, 24)  # functions from the files to y_t; round 0 reads and keeps the rows, and adds waves in vectors
LEVEL = "avx2"

HEAD = """# Follow a row

One row of a CSV file, from the file to y_t, the release of its round: every function that a function of
another file calls, in the order of the calls, with the first sentence of its comment. `make check` traces
a run with the defaults ({rows} rows, one thread, level {level}) and compares this page, which
`tools/follow_row.py` writes. Tools of `base/`, inline functions of headers, and functions with less than
1/{parts} of the instructions are left out. The words are in the [glossary](glossary.md), the reasons in
[design.md](design.md).

The three columns count the calls: in round 0, which reads the files and keeps the rows; in the first pass;
and in all later passes. With `--centre head` or `off` the first pass reads the files.
"""
BETWEEN = """
From here on the row exists only inside an integer sum.
"""
END = """
Only y_t leaves the vault. The way has {counts}. After the
release `tacit_algorithm1_end` ([algorithm1.c](../src/algorithm1/algorithm1.c)) decodes y_t, and
`tacit_learner_step` ([learner.c](../src/learner/learner.c)) makes the next point. After the last round
`tacit_train_finish` ([train.c](../src/run/train.c)) ends the run, and `tacit_model_write`
([file.c](../src/model/file.c)) writes the model file.

## Rows that take another way

- A weight is a column of the file (`tacit_simd_csv` divides it by the declared maximum) or a number of
  `--weights` (`store_cursor_next` puts it into the batch). The vault multiplies with it in
  `tacit_sum_add`.
- Rows of persons: `tacit_roster_add` ([roster.c](../src/admit/roster.c)) has counted the row for its person
  before the first round, `tacit_roster_deal` has put all rows of a person into one round, and `add_persons`
  ([run.c](../src/run/run.c)) writes the number of the person's rows next to the row. `tacit_sum_add` divides
  contribution and clip by it, rounded toward zero.
- Rows that do not fit into memory are read again in every pass. `tacit_digest_add`
  ([digest.c](../src/admit/digest.c)) takes a digest of each, which later passes compare.
- Without AVX2 or NEON `tacit_csv_fast` ([csv_fast.c](../src/data/text/csv_fast.c)) parses a line.
"""


def make_data(folder):
    draw = random.Random(1)
    rows = [f"{draw.randint(18, 90)},{draw.uniform(0, 80):.1f},{draw.choice('abc')},{draw.choice('01')}\n"
            for _ in range(ROWS)]
    (folder / "rows.csv").write_text("age,hours,job,label\n" + "".join(rows))
    (folder / "schema.json").write_text(
        '{"tacit_schema": 1, "columns": [{"name": "age", "type": "numeric", "min": 18, "max": 90},'
        ' {"name": "hours", "type": "numeric", "min": 0, "max": 80},'
        ' {"name": "job", "type": "category", "values": ["a", "b", "c"]}],'
        ' "label": {"column": "label", "classes": ["0", "1"]}}')


def trace(program):
    """The dumps of callgrind: what comes before the first round, then one per round."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_data(folder)
        subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=trace", "--dump-before=tacit_round_open",
             "--separate-callers2=tacit_pool_run",  # which runs tasks of several callers
             "--compress-strings=no", "--compress-pos=no", program, "train", "--schema", "schema.json",
             "--rows", str(ROWS), "--epsilon", "1", "--seed", "1", "--threads", "1", "--quiet",
             "-o", "model.json", "rows.csv"],
            check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=os.environ | {"TACIT_DISPATCH": LEVEL})
        parts = sorted(folder.glob("trace.*"), key=lambda path: int(path.suffix[1:]))
        return [path.read_text() for path in [*parts, folder / "trace"]]


class Calls:
    """The calls of one phase: what calls what, how often, at which line and at what cost."""

    def __init__(self, dumps):
        self.count, self.cost, self.line = collections.Counter(), collections.Counter(), {}
        self.below = collections.defaultdict(set)
        for dump in dumps:
            self.take(dump)

    def take(self, dump):
        source = caller = callee = where = ""
        lines = iter(dump.splitlines())
        for line in lines:
            key, _, value = line.partition("=")
            if key == "fl":
                source = where = value
            elif key == "fn":
                caller = (source, value)
            elif key in ("cfi", "cfl"):
                where = value
            elif key == "cfn":
                callee = (where, value)
            elif key == "calls":
                place = next(lines).split()
                self.count[caller, callee] += int(value.split()[0])
                self.cost[caller, callee] += int(place[-1])
                self.line.setdefault((caller, callee), int(place[0]))
                self.below[caller].add(callee)
                where = source

    def way(self, name):
        """{function: calls} of the functions between files below one, in the order of the calls."""
        roots = {callee for _, callee in self.count if plain(callee)[1] == name}
        whole = sum(cost for (_, callee), cost in self.cost.items() if callee in roots)
        found, seen = {}, set(roots)

        def add(function, calls):
            found[plain(function)] = found.get(plain(function), 0) + calls

        def walk(caller, file):
            for callee in sorted(self.below[caller], key=lambda to: self.line[caller, to]):
                path = tree_path(callee[0])
                if path is None or self.cost[caller, callee] * PARTS < whole:
                    continue
                is_step = path.endswith(".c") and not path.startswith("src/base/")
                if is_step and path != file:
                    add(callee, self.count[caller, callee])
                if callee not in seen:
                    seen.add(callee)
                    walk(callee, path if is_step else file)

        for root in roots:
            add(root, sum(calls for (_, callee), calls in self.count.items() if callee == root))
            walk(root, tree_path(root[0]))
        return found


def plain(function):
    """A function without the callers that callgrind appends to its name."""
    return (tree_path(function[0]) or function[0], function[1].partition("'")[0])


def tree_path(file):
    """The path of a source file in the tree, or None."""
    at = file.rfind("/src/")
    path = file[at + 1:] if at >= 0 else file
    return path if path.startswith("src/") else None


def sentence(function, path):
    """The first sentence of the comment on a function: where it is defined, or else declared."""
    level = re.fullmatch(rf"tacit_(\w+)_{LEVEL}", function)
    pattern = rf"\(\*{level.group(1)}\)" if level else rf"^[\w \*]*\b{function}\b[(,;]"
    for file in [ROOT / path, *sorted((ROOT / "src").rglob("*.h"))]:
        if level and file.name not in ("level.h", "kernel.h"):
            continue
        text = file.read_text()
        for match in re.finditer(pattern, text, re.M):
            start = text.rfind("\n", 0, match.start()) + 1
            above = re.search(r"/\*((?:[^*]|\*(?!/))*)\*/\n(?:(?!\s*(?:/\*|[#}]|\n)).*\n)*\Z", text[:start])
            if above:
                words = " ".join(re.sub(r"\n[ \t]*\*?", "\n", above.group(1)).split())
                return re.split(r"(?<=[a-z)][.]) ", words + " ")[0].strip().rstrip(".:")
    sys.exit(f"{path}: {function} has no comment")


def shown(function, path):
    return function.removesuffix("_" + LEVEL) if function.endswith("_" + LEVEL) else function


def table(ways):
    """The rows of a table. The order is that of the phase with most functions; others are put in."""
    order = list(max(ways, key=len))
    for way in ways:
        last = -1
        for function in way:
            if function in order:
                last = order.index(function)
            else:
                order.insert(last + 1, function)
                last += 1
    lines = [f"| function | file | {' | '.join(PHASES)} | what it does |", "|---|---|--:|--:|--:|---|"]
    for path, name in order:
        counts = " | ".join(str(way.get((path, name), "")) for way in ways)
        lines.append(f"| `{shown(name, path)}` | [{path[4:]}](../{path}) | {counts} | {sentence(name, path)} |")
    return "\n".join(lines) + "\n"


def page(dumps):
    phases = [Calls(dumps[1:2]), Calls(dumps[2:2 + PER_PASS]), Calls(dumps[2 + PER_PASS:])]
    adds, closes = ([phase.way(root) for phase in phases] for root in (ADDS, CLOSES))
    counts = [len(add) + len(close) for add, close in zip(adds, closes)]
    for phase, count, most in zip(PHASES, counts, MOST):
        if count > most:
            sys.exit(f"{phase}: {count} functions between files up to y_t, more than {most}")
    words = "{} functions in round 0, {} in the first pass and {} in later passes".format(*counts)
    return (HEAD.format(rows=ROWS, level=LEVEL, parts=PARTS) + "\n## From the file to the sum\n\n" + table(adds)
            + BETWEEN + "\n## From the sum to the release\n\n" + table(closes) + END.format(counts=words))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    text = page(trace(options.program.resolve()))
    if not options.check:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        (ROOT / "build").mkdir(exist_ok=True)
        (ROOT / "build/follow-a-row.md").write_text(text)
        sys.exit("docs/follow-a-row.md is not what a run does: compare build/follow-a-row.md, and make it anew")


if __name__ == "__main__":
    main()
