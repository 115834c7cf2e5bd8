# SPDX-License-Identifier: MIT
"""Random schemas and rows for export.py: every kind of column with every rule for missing cells,
in every position, in crosses, for two classes, several classes and numbers."""
import datetime
import itertools
import math
import random
import re

NUMBERS = ["line", "steps", "hats", "hats and line"]
DATES = ["date " + kind for kind in NUMBERS] + ["date parts", "date of year"]
KINDS = [*NUMBERS, "bool", "ordinal", *DATES]
MISSING = ["refused", "value", "own"]
POSITIONS = ["first", "middle", "last"]
# A category has no rule for missing cells: they are texts.
RULES = [*itertools.product(KINDS, MISSING), ("category", "text")]
SMALL = [rule for rule in RULES if rule[0] != "date of year"]  # that has 366 levels
CROSSED = ["steps", "hats", "hats and line", "bool", "ordinal", "category"]
LABELS = ["two classes", "classes", "number"]
# What must occur among the first 200 schemas.
WANTED = {*itertools.product(RULES, POSITIONS), *itertools.product(RULES, LABELS),
          *((rule, "crossed") for rule in RULES if rule[0] in CROSSED),
          *((rule, "atoms") for rule in RULES if rule[0] in NUMBERS), *((kind, "crossed atoms") for kind in NUMBERS[1:])}
TEXTS = ["a", "b", "it's", 'qu"ote', "naïve", "x,y", "what??/", "50%", "2", "-7", "-7.0"]
NAMES = ["age", "it's", 'qu"ote', "größe", "select", "a-b", "100%", "c 1"]
NA = ["NA", "."]
EPOCH = datetime.date(1970, 1, 1)
OPTIONS = {
    "two classes": [[], ["--loss", "hinge"], ["--loss", "squared-hinge"], ["--loss", "softmax"]],
    "classes": [[], ["--loss", "logistic"], ["--loss", "hinge"]],
    "number": [[], ["--loss", "huber"], ["--loss", "quantile"], ["--loss", "poisson"]],
}
WAYS = [[], [], ["--row-norm", "1.5"], ["--row-norm", "0.3", "--centre", "off"], ["--scale", "same"], ["--no-bias"],
        ["--preset", "anytime"], ["--scale", "same", "--norm", "1.5", "--centre", "off"]]
# Margins beyond what e^m has doubles for: for the first and the last way of OPTIONS.
LARGE = ["--preset", "paper", "--radius", "1e4"]


def days_of(day):
    return (day - EPOCH).days


class Column:
    """A column of a schema, and cells for it. A cell is None where it is missing, else a number, a
    text, a truth value or a date."""

    def __init__(self, draw, name, kind, missing):
        self.name, self.kind, self.missing, self.edges = name, kind, missing, []
        self.json = {"name": name, "type": re.sub(" .*", "", kind)}
        if kind in NUMBERS:
            self.number(draw)
        elif kind in DATES:
            self.date(draw)
        elif kind != "bool":
            count = draw.randint(1 + (kind == "ordinal"), 4)
            self.json["values"] = draw.sample(TEXTS + ["", "NA"] * (kind == "category"), count)
        if missing == "own":
            self.json["missing"] = "own"
        elif missing == "value":
            self.json["missing"] = self.written(self.missing_value(draw))

    @property
    def type(self):
        return self.json["type"]

    def number(self, draw):
        low, high = draw.choice([(0, 1), (0, 1000), (1, 1024), (0.1, 0.7), (17, 90), (1e-3, 1e6),
                                 (round(draw.uniform(0, 5), 2), round(draw.uniform(6, 99), 3)), (-2, 5), (-1e5, -7.3)])
        maps = ["log1p", "sqrt"] * (low >= 0) + ["log"] * (low > 0)
        self.json |= {"type": "numeric", "min": low, "max": high}
        if maps and draw.random() < 0.5:
            self.json["map"] = draw.choice(maps)
        elif draw.random() < 0.5:
            self.json["map"] = draw.choice([[-1, 1], [0, 1]])
        self.curve(draw, self.kind)
        if self.kind != "line" and draw.random() < 0.4:
            edges = sorted({round(draw.uniform(low, high), 3) for _ in range(draw.randint(1, 4))})
            self.json["edges"] = [edge for edge in edges if low < edge < high] or [(low + high) / 2]
            if self.kind == "steps":
                del self.json["curve"]
            else:
                del self.json["curve"]["knots"]
        if draw.random() < 0.4:
            self.json["atoms"] = sorted(draw.sample([low, high, (low + high) / 2, low + (high - low) / 4], draw.randint(1, 3)))
        count = self.json.get("curve") if self.kind == "steps" else 4
        self.edges = self.json.get("edges") or [low + (high - low) * i / count for i in range(1, count)]
        self.edges = self.edges + self.json.get("atoms", [])
        self.edges = self.edges + [math.nextafter(x, up) for x in self.edges for up in (low, high)]

    def curve(self, draw, kind):
        if kind.endswith("steps"):
            self.json["curve"] = draw.randint(2, 6)
        elif "hats" in kind:
            self.json["curve"] = {"knots": draw.randint(2, 5), "kind": "linear", "line": kind.endswith("line")}

    def date(self, draw):
        low = EPOCH + datetime.timedelta(draw.randint(-3000, 18000))
        high = low + datetime.timedelta(draw.choice([1, 40, 365, 1500]))
        others = ["year", "month", "weekday"]
        parts = draw.sample(others, draw.randint(self.kind == "date parts", 3))
        if self.kind == "date of year":
            parts += ["yearday"] + ["days"] * draw.randint(0, 1)
        elif self.kind != "date parts":
            parts = draw.choice([[], parts]) + ["days"]
            self.curve(draw, self.kind)
        draw.shuffle(parts)
        self.json |= {"min": low.isoformat(), "max": high.isoformat(), "parts": parts,
                      "format": draw.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y"])}
        self.low, self.high = low, high

    def missing_value(self, draw):
        """A value that counts where a cell is missing; of a date also one out of its bounds."""
        if self.type == "numeric":
            low, high = self.json["min"], self.json["max"]
            return draw.choice([low, high, min(high, round(draw.uniform(low, high), 3)), self.edges[0]])
        if self.type == "ordinal":
            return draw.choice(self.json["values"])
        return self.cell(draw)

    def written(self, value):
        return value.isoformat() if self.type == "date" else value

    def may_be_missing(self):
        return self.missing != "refused"

    def cell(self, draw):
        """A cell that is not missing."""
        if self.type == "numeric":
            low, high = self.json["min"], self.json["max"]
            span = high - low
            inside = draw.uniform(low, high)
            return float(draw.choice([inside, inside, round(inside, 2), low, high, draw.choice(self.edges),
                                      draw.choice(self.edges), low - draw.random() * span, high + draw.random() * span,
                                      draw.choice([-1e300, 1e300, 0.0, -0.0])]))
        if self.type == "bool":
            return draw.random() < 0.5
        if self.type == "ordinal":
            return self.spelled(draw, draw.choice(self.json["values"]))
        if self.type == "category":
            return self.spelled(draw, draw.choice(self.json["values"] * 2 + ["unheard", "NA", "other", "7"]))
        span = (self.high - self.low).days
        return draw.choice([self.low, self.high, self.low + datetime.timedelta(draw.randint(-span // 4, span * 5 // 4)),
                            self.low + datetime.timedelta(draw.randint(0, span)), datetime.date(2099, 12, 31),
                            datetime.date(1901, 2, 28)])

    @staticmethod
    def spelled(draw, value):
        """A text, or a whole number as programs write it in a column with missing cells."""
        return value + ".0" if value in ("2", "-7", "7") and draw.random() < 0.5 else value

    def text(self, draw, cell):
        """How a CSV file writes a cell."""
        if cell is None:
            return draw.choice(["", *NA]) if self.type != "category" else ""
        if self.type == "bool":
            return draw.choice(["true", "T", "yes", "Y", "1"] if cell else ["false", "F", "no", "N", "0"])
        if self.type == "date":
            return cell.strftime(self.json["format"])
        return repr(cell) if self.type == "numeric" else cell

    def refused(self):
        """Cells that predict refuses."""
        return [None] * (self.missing == "refused") + ["unheard"] * (self.type == "ordinal")


class Case:
    """A random schema, rows that fit it, and rows that predict refuses."""

    def __init__(self, number, rows=24):
        draw = random.Random(f"schema {number}")
        wanted = list(itertools.product(RULES, POSITIONS))
        self.number, self.label = number, LABELS[(number + number // len(wanted)) % 3]
        rule, position = wanted[number % len(wanted)]
        before = 0 if position == "first" else draw.randint(1, 2)
        after = 0 if position == "last" else draw.randint(position == "middle", 3 - before)
        rules = [draw.choice(SMALL) for _ in range(before)] + [rule] + [draw.choice(SMALL) for _ in range(after)]
        self.columns = [Column(draw, f"{draw.choice(NAMES)}{i}", *rule) for i, rule in enumerate(rules)]
        self.crosses = self.draw_crosses(draw)
        self.is_large = draw.random() < 0.12
        self.options = (draw.choice(OPTIONS[self.label][::3]) + LARGE if self.is_large
                        else draw.choice(OPTIONS[self.label]) + draw.choice(WAYS))
        self.classes = {"two classes": ["no", "yes"], "classes": ["a", "it's", 'qu"ote', "d d"][:draw.randint(3, 4)],
                        "number": []}[self.label]
        self.outputs = len(self.classes) if len(self.classes) > 2 else 1
        self.rows = [self.row(draw) for _ in range(rows)]
        self.refused = [{**self.row(draw), column.name: cell} for column in self.columns for cell in column.refused()]
        self.written = [[column.text(draw, row[column.name]) for column in self.columns] + [self.answer(draw)]
                        for row in self.rows]
        # Columns that are no inputs.
        self.ignored = draw.randint(0, len(self.columns)) if draw.random() < 0.3 else None
        self.weight = "weight" if draw.random() < 0.2 else None

    def draw_crosses(self, draw):
        able = [column for column in self.columns if column.kind in CROSSED]
        return [[column.name for column in draw.sample(able, draw.randint(2, min(3, len(able))))]
                for _ in range(draw.randint(0, 2))] if len(able) >= 2 else []

    def row(self, draw):
        return {column.name: None if (column.may_be_missing() and draw.random() < 0.2) else column.cell(draw)
                for column in self.columns}

    def answer(self, draw):
        return draw.choice(self.classes) if self.classes else draw.randint(0, 9)

    def json(self):
        columns = [column.json for column in self.columns]
        if self.ignored is not None:
            columns.insert(self.ignored, {"name": "ignored", "type": "ignore"})
        label = {"classes": self.classes} if self.classes else {"min": 0, "max": 9}
        weight = {"weight": {"column": self.weight, "max": 2}} if self.weight else {}
        return {"tacit_schema": 2, "na": NA, "label": {"column": "label"} | label, "columns": columns,
                "crosses": self.crosses} | weight

    def table(self):
        """The CSV file: its header and its rows."""
        more = {"ignored": "any"} if self.ignored is not None else {}
        more |= {self.weight: 1} if self.weight else {}
        yield [column.name for column in self.columns] + ["label", *more]
        for cells in self.written:
            yield [*cells, *more.values()]

    def seen(self):
        """What of WANTED occurs in this schema."""
        for i, column in enumerate(self.columns):
            rule = (column.kind, column.missing)
            last = i == len(self.columns) - 1
            yield from ((rule, position) for position, here in zip(POSITIONS, [i == 0, 0 < i and not last, last]) if here)
            yield rule, self.label
            if "atoms" in column.json:
                yield rule, "atoms"
            if any(column.name in cross for cross in self.crosses):
                yield rule, "crossed"
                if "atoms" in column.json:
                    yield column.kind, "crossed atoms"
