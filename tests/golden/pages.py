#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pages of `tacit report` and `tacit plan --html`: pages.py PROGRAM

Checks that they are well-formed and complete in themselves, that a reader who cannot see finds
every figure and table, that colours have contrast, that names cannot become markup, and that the
numbers on them are right by formulas of Python's own.
"""
import html
import json
import pathlib
import re
import statistics
import sys

from golden import check, run_tap
from structure import check_page, colours_have_contrast

NASTY = """{
  "tacit_schema": 2,
  "label": {"column": "outcome", "classes": ["well", "ill\\"><script>alert(1)</script>"]},
  "columns": [
    {"name": "id", "type": "ignore"},
    {"name": "<script>alert('age')</script>", "type": "numeric", "min": 0, "max": 100},
    {"name": "a\\" onload=\\"x&amp;`*|_[b](c)", "type": "numeric", "min": 30, "max": 150},
    {"name": "ward", "type": "category", "values": ["</td></table>", "b|c", "\\u202ec"]}
  ]
}
"""


def made(place, *words):
    code, out, err = place.tacit(*words)
    check(code == 0, f"{words}: {err}")
    return out


def train(place, name, rows, *more):
    made(place, "train", *rows, "-q", "-o", name, *more)


CSV = ("rows.csv", "--schema", "schema.json")


def everything(place):
    """A page with all of its sections."""
    made(place, "ledger", "init", "l.db", "--dataset", "ward 7", "--epsilon", 9, "--delta", 1e-6)
    paid = ("--ledger", "l.db", "--dataset", "ward 7")
    train(place, "m.json", CSV, "--epsilon", 1, *paid)
    (place.work / "e.json").write_text(made(place, "eval", "m.json", "rows.csv", "--epsilon", 2, "--json", *paid))
    (place.work / "a.json").write_text(made(place, "audit", "-q", "--epsilon", 1, "--trials", 20, "--json"))
    return made(place, "report", "m.json", "--eval", "e.json", "--audit", "a.json", *paid)


def whole_page_is_sound(place):
    page = check_page(everything(place))
    ids = ["plain-words", "protected", "strength", "risks", "quality", "left", "attacker", "epsilon",
           "public", "noise", "model", "evaluation", "audit", "budget", "again", "words", "source"]
    check([i for i in page.ids if i in ids] == ids, f"sections: {page.ids}")
    check(page.answers[:5] and all(page.answers[:5]), "five questions have five answers")
    check(len(page.figures) >= 6, f"figures: {page.figures}")


def colours_can_be_told_apart(place):
    train(place, "m.json", CSV, "--epsilon", 1)
    colours_have_contrast(made(place, "report", "m.json"))


def numbers_are_right(place):
    train(place, "m.json", CSV, "--epsilon", 1)
    text = html.unescape(re.sub(r"<[^>]+>", "|", made(place, "report", "m.json")))
    mu = json.loads((place.work / "m.json").read_text())["statement"]["mu"]
    normal = statistics.NormalDist()
    said = float(re.search(r"guesses right with probability at most ([\d.]+)%", text)[1])
    right = 100 * normal.cdf(mu / 2)
    check(right <= said < right + 0.011, f"guess {said}, {right}")
    for rate in (0.001, 0.01, 0.05, 0.1, 0.5):
        said = float(re.search(rf"\|{100 * rate:g}\|+{100 * rate:g}\|+([\d.]+)\|", text)[1])
        right = 100 * normal.cdf(normal.inv_cdf(rate) + mu)
        check(right <= said < right * 1.01, f"rate {rate}: {said}, {right}")
    raised = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    found = re.findall(r"\|10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]+)\|+([\d.]+)\|+([\d.]+)\|", text)
    check(len(found) >= 6, f"pairs of epsilon and delta: {found}")
    for power, epsilon, _ in found:
        delta, epsilon = 10.0 ** -int(power.translate(raised)), float(epsilon)
        exact = (normal.cdf(mu / 2 - epsilon / mu)
                 - 2.718281828459045 ** epsilon * normal.cdf(-mu / 2 - epsilon / mu))
        check(exact <= delta * (1 + 1e-4), f"epsilon {epsilon} is too small for {delta}: {exact}")


def people_sign_the_page(place):
    """Their texts are kept in a file, and attackers who are nearly sure gain what a formula says."""
    train(place, "m.json", CSV, "--epsilon", 1)
    about = ("--title", "A <b> model", "--purpose", "to call patients", "--contact", "the office", "--about", "a.json")
    page = made(place, "report", "m.json", *about, "--date", "2026-07-01")
    check_page(page)
    check(all(word in page for word in ("A &lt;b&gt; model</h1>", "to call patients", "2026-07-01", "Signature")), "texts")
    kept = json.loads((place.work / "a.json").read_text())
    check(kept == {"title": "A <b> model", "purpose": "to call patients", "contact": "the office", "date": "2026-07-01"},
          f"kept: {kept}")
    again = made(place, "report", "m.json", "--about", "a.json", "--date", "2026-08-01")
    check(again == page.replace("2026-07-01", "2026-08-01"), "the next page needs its date only")
    (place.work / "b.json").write_text('{"title": 3}')
    code, _, err = place.tacit("report", "m.json", "--about", "b.json")
    check(code == 3 and "title must be a text" in err, f"{code}: {err}")
    text = html.unescape(re.sub(r"<[^>]+>", "|", page))
    mu = json.loads((place.work / "m.json").read_text())["statement"]["mu"]
    normal = statistics.NormalDist()
    for prior in (0.5, 0.9, 0.99):
        said = re.search(rf"\|{100 * prior:g}%\|+{1000 * prior:g}\|+(\d+)\|+(\d+)\|", text)
        best = max(prior * normal.cdf(t) + (1 - prior) * normal.cdf(mu - t) for t in (i / 1000 for i in range(-9000, 9000)))
        check(0 <= int(said[1]) - 1000 * max(best, prior) < 1.001, f"{prior}: {said[0]}, {best}")
        check(int(said[2]) == int(said[1]) - round(1000 * prior), f"{prior}: {said[0]}")
    check(re.search(r"µ = 0\.\d+, and so ε = 1\.4\d+ at the same δ", text), "two runs of epsilon 1")


def names_cannot_become_markup(place):
    (place.work / "nasty.json").write_text(NASTY)
    rows = (place.work / "rows.csv").read_text().splitlines()
    head = ('id,"<script>alert(\'age\')</script>","a"" onload=""x&amp;`*|_[b](c)",ward,outcome')
    ill = '"ill""><script>alert(1)</script>"'
    wards = {"a": '"</td></table>"', "b": "b|c", "c": "\u202ec"}
    cells = [line.split(",") for line in rows[1:]]
    lines = [",".join([*c[:3], wards[c[3]], ill if c[4] == "ill" else "well"]) for c in cells]
    (place.work / "nasty.csv").write_text("\n".join([head, *lines]) + "\n")
    train(place, "<i>m.json", ("nasty.csv", "--schema", "nasty.json"), "--epsilon", 1)
    page = made(place, "report", "<i>m.json")
    check_page(page)
    check("<script" not in page and "<i>" not in page and "onload=\"" not in page, "a name became markup")
    check("&lt;script&gt;alert(&#39;age&#39;)&lt;/script&gt;" in page, "the name is not there")
    check("\u202e" not in page, "a name turns the direction of the text")
    card = made(place, "report", "<i>m.json", "--markdown")
    plain = re.sub(r"`[^`\n]*`", "", card)  # a code span is text
    check("<script" not in plain and "<i>" not in plain, "a name became markup of Markdown")
    row = next(line for line in card.splitlines() if line.startswith("| a\" onload"))
    check(r"\`\*\|\_\[b\](c)" in row, f"not escaped: {row}")
    check(len(re.findall(r"(?<!\\)\|", row)) == 7, f"a name made a column: {row}")


def all_kinds_of_models(place):
    train(place, "persons.json", ("visits.csv", "--schema", "visits.json"), "--epsilon", 1)
    train(place, "classes.json", ("kinds.csv", "--schema", "kinds.json"), "--epsilon", 4)
    train(place, "array.json", ("rows.svm", "--features", 5), "--epsilon", 1, "--adjacency", "zero-out")
    train(place, "number.json", ("number.svm", "--features", 5, "--labels", "0,20"), "--epsilon", 1)
    train(place, "pure.json", ("rows.svm", "--features", 5), "--epsilon", 2, "--delta", 0)
    train(place, "list.json", ("rows.svm", "--features", 5), "--epsilon", 2, "--no-shuffle")
    names = ["persons", "classes", "array", "number", "pure", "list"]
    for name in names:
        check_page(made(place, "report", f"{name}.json"))
        made(place, "report", f"{name}.json", "--markdown")
    for name, rows in (("classes", "kinds.csv"), ("number", "number.svm"), ("persons", "visits.csv")):
        text = made(place, "eval", f"{name}.json", rows, "--epsilon", 8, "--json")
        (place.work / f"{name}-eval.json").write_text(text)
    page = made(place, "report", *(f"{name}.json" for name in names), "--eval", "classes-eval.json", "--eval",
                "number-eval.json", "--eval", "persons-eval.json")
    check_page(page)
    check(page.count('class="answer"') >= 30, "every model has its answers")


def many_columns_have_a_page(place):
    """Work per column that grows with the columns would not end before the test is stopped."""
    names = [f"c{i}" for i in range(8000)]
    schema = {"tacit_schema": 1, "label": {"column": "y", "classes": ["a", "b"]},
              "columns": [{"name": name, "type": "numeric", "min": 0, "max": 1} for name in names]}
    (place.work / "wide.json").write_text(json.dumps(schema))
    lines = [",".join([*names, "y"])] + [",".join(["0.5"] * len(names) + ["ab"[i % 2]]) for i in range(20)]
    (place.work / "wide.csv").write_text("\n".join(lines) + "\n")
    train(place, "wide-model.json", ("wide.csv", "--schema", "wide.json"), "--epsilon", 8, "--passes", 1)
    check_page(made(place, "report", "wide-model.json"))


def pages_for_planning(place):
    for words in (("--rows", 10000, "--features", 10), ("--units", 500, "--schema", "schema.json"),
                  ("--rows", 120, "--features", 3), ("--rows", 10 ** 9, "--features", 1000)):
        for budget in (("--epsilon", 1), ("--rho", 0.1), ("--epsilon", 1, "--delta", 0)):
            made(place, "plan", *words, *budget, "--html", "p.html")
            page = check_page((place.work / "p.html").read_text())
            check(page.answers and page.figures, f"{words} {budget}")


def noise_of_the_planning_page_is_the_plan(place):
    options = ("--rows", 20000, "--features", 12)
    made(place, "plan", *options, "--epsilon", 1, "--html", "p.html")
    text = html.unescape(re.sub(r"<[^>]+>", "|", (place.work / "p.html").read_text()))
    plan = json.loads(made(place, "plan", *options, "--epsilon", 0.3, "--json"))
    said = re.search(r"\|0\.3\|+([\d.e-]+)\|+[\d.]+\|+[\d.]+%\|+(\d+)\|+([^|]+)\|", text)
    check(abs(float(said[1]) / (100 * plan["noise_share"]) - 1) < 0.01, f"{said[1]}: {plan['noise_share']}")
    check(int(said[2]) == plan["advised_passes"], "advised passes")
    check(said[3] == plan["outlook"], f"outlook: {said[3]}")


def demo_answers_five_questions(place):
    made(place, "demo", "-q", "--rows", 4000)
    page = check_page((place.work / "demo-data" / "report.html").read_text())
    patterns = [r"Every single row among the 4,000 rows .*", r"An attacker who starts at 1:1 .*in place of 50%.*",
                r"The guarantee covers this model and one row at a time.*", r"It is right for .* of 1,000 rows .*",
                r".*of the budget of “registry” is spent; a further run may spend at most ε = 2\.\d+\."]
    for answer, pattern in zip(page.answers, patterns):
        check(re.fullmatch(pattern, answer), f"{answer!r} is not like {pattern!r}")


def published_page_is_like_a_new_one(place):
    # Of few rows, noise may hide a curve of the evaluation, and the page then lacks its figure.
    made(place, "demo", "-q", "--rows", 40000)
    made(place, "plan", "--rows", 100000, "--schema", "demo-data/schema.json", "--epsilon", 1, "--html", "plan.html")
    examples = pathlib.Path(__file__).parents[2] / "docs" / "examples"
    for name, new in (("report.html", "demo-data/report.html"), ("plan.html", "plan.html")):
        old, new = check_page((examples / name).read_text()), check_page((place.work / new).read_text())
        for what in ("ids", "headings", "figures"):
            check(getattr(old, what) == getattr(new, what), f"{name}: run make example-pages ({what} differ)")


SCENARIOS = [
    ("a page with everything is sound", whole_page_is_sound),
    ("texts have contrast, light and dark", colours_can_be_told_apart),
    ("the numbers of the attacker are right", numbers_are_right),
    ("names cannot become markup", names_cannot_become_markup),
    ("models of all kinds have pages", all_kinds_of_models),
    ("a model of 8,000 columns has a page", many_columns_have_a_page),
    ("pages for planning are sound", pages_for_planning),
    ("a page for planning says what the plan says", noise_of_the_planning_page_is_the_plan),
    ("the published pages have the parts of new ones", published_page_is_like_a_new_one),
    ("people sign the page", people_sign_the_page),
    ("the page of the demo answers five questions", demo_answers_five_questions),
]

if __name__ == "__main__":
    sys.exit(run_tap(sys.argv[1], SCENARIOS))
