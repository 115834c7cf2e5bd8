# SPDX-License-Identifier: MIT
"""What every page of HTML must be, checked with Python's own parser."""
import html.parser
import re

from golden import check

VOID = {"meta", "br", "hr", "img", "input", "link", "col"}
SHAPES = {"line", "rect", "circle"}  # of SVG, which end themselves


class Page(html.parser.HTMLParser):
    """Reads a page and notes what breaks a rule."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.links = [], [], [], []
        self.headings, self.answers, self.figures, self.tables = [], [], [], []
        self.text, self.catch = "", None
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.note(tag, given)

    def handle_startendtag(self, tag, attrs):
        self.note(tag, dict(attrs))

    def note(self, tag, given):
        if tag in {"script", "link", "img", "iframe", "object", "form", "base"}:
            self.wrong.append(f"<{tag}>")
        for name, value in given.items():
            if name.startswith("on") or name in {"src", "srcset", "style", "xlink:href"}:
                self.wrong.append(f"{tag} {name}=")
            if name == "href":
                self.links.append(value)
            if name == "id":
                self.ids.append(value)
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "svg":
            hidden = given.get("aria-hidden") == "true"
            named = given.get("role") == "img" and given.get("aria-label")
            if not hidden and not named:
                self.wrong.append("a figure without a name")
            self.figures += [] if hidden else [{"name": given.get("aria-label"), "parts": set()}]
        if tag in {"title", "desc"} and "svg" in self.open and self.figures:
            self.figures[-1]["parts"].add(tag)
        if tag == "table":
            self.tables.append(set())
        if tag in {"caption", "thead", "tbody"} and self.tables:
            self.tables[-1].add(tag)
        if tag == "th" and given.get("scope") not in {"row", "col"}:
            self.wrong.append("a head of a table without scope")
        if given.get("class") == "answer":
            self.catch = len(self.open)
            self.answers.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
            return
        if self.catch == len(self.open):
            self.catch = None
        self.open.pop()

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data
        if self.catch is not None:
            self.answers[-1] += data


def check_page(text):
    """Fails unless the text is a sound page; returns what was found."""
    check(text.startswith("<!DOCTYPE html>\n<html lang=\"en\">"), "not a page")
    page = Page(text)
    check(not page.wrong, f"{page.wrong[:5]}")
    check(page.headings.count(1) == 1 and page.headings[0] == 1, f"headings: {page.headings}")
    steps = [b - a for a, b in zip(page.headings, page.headings[1:])]
    check(all(step <= 1 for step in steps), f"a level of headings is left out: {page.headings}")
    check(len(set(page.ids)) == len(page.ids), f"an id twice: {sorted(page.ids)}")
    lost = [link for link in page.links if link[0] != "#" or link[1:] not in page.ids]
    check(not lost, f"links that lead nowhere or away: {lost}")
    check(all(f["parts"] == {"title", "desc"} for f in page.figures), f"figures: {page.figures}")
    check(all(t == {"caption", "thead", "tbody"} for t in page.tables), f"tables: {page.tables}")
    check(not re.search(r"\bnan\b|\binf\b|%[sdfg]|\*\*", page.text), "a number or a word went wrong: "
          + str(re.findall(r".{20}(?:\bnan\b|\binf\b|%[sdfg]|\*\*).{20}", page.text)))
    outside = [u for u in re.findall(r"https?://[^\s\"<]+", text) if u != "http://www.w3.org/2000/svg"]
    check(not outside, f"addresses: {outside}")
    check("@import" not in text and "url(" not in text, "the style sheet loads something")
    return page


def luminance(colour):
    if len(colour) == 4:
        colour = "#" + "".join(2 * c for c in colour[1:])
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def colours_have_contrast(text):
    """Texts have 4.5 to 1 with what is behind them; curves, which are graphics, have 3 to 1."""
    sheets = re.findall(r":root\{([^}]*)\}", text)
    check(len(sheets) == 2, "a light and a dark sheet")
    for sheet in sheets:
        colour = dict(re.findall(r"--([\w-]+):(#[0-9a-f]+)", sheet))
        pairs = [(ink, paper, 4.5) for ink in ("ink", "soft", "mark") for paper in ("paper", "tint")]
        pairs += [("warn", "warn-tint", 4.5)] + [(f"c{i}", "paper", 3) for i in range(8)] + [("grey", "paper", 3)]
        for ink, paper, least in pairs:
            found = contrast(colour[ink], colour[paper])
            check(found >= least, f"{ink} on {paper}: {found:.2f}")
