#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs.py BUILD STAGE: lays out what `make docs` renders, in the folder STAGE.

Copies the Markdown pages of the tree and their pictures to the places they have in the tree, so that
links between them hold. Every source file that a page links becomes a page of its own, and so does every
linked folder. Adds the man pages that the program in BUILD writes, and the Python package as its
docstrings describe it. Writes STAGE/../mkdocs.yml.
"""
import ast
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
COPIED = {".svg", ".png", ".html", ".json"}
SEARCH = ROOT / "tools/iframe-worker.js"
PYTHON = {"docstring_style": "numpy", "show_source": False, "show_root_heading": True, "show_submodules": False,
          "members_order": "source", "inherited_members": ["fit", "partial_fit", "predict", "predict_proba", "score", "check", "plot"],
          "show_signature_annotations": True, "separate_signature": True, "show_bases": False, "show_root_full_path": False}
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".sh": "sh", ".build": "meson", ".R": "r"}
NAV = [("Home", "README.md"), ("By reader", "docs/index.md"),
       ("How to", "docs/howto"), ("Notebooks", "docs/notebooks"), ("Privacy", "docs/privacy.md"), ("Proofs", "docs/proofs"),
       ("Design", "docs/design.md"), ("Rooms and parts", "docs/design"), ("A row's way", "docs/follow-a-row.md"),
       ("Results", "docs/results"), ("Theory", "docs/theory.md"), ("C headers", "docs/api"),
       ("Python", "reference/python.md"), ("Commands", "reference/commands"), ("Glossary", "docs/glossary.md"),
       ("Contributing", "CONTRIBUTING.md"), ("Changes", "CHANGELOG.md"), ("Upgrading", "UPGRADING.md")]


def tracked():
    """The files that git knows of, as paths relative to the root."""
    listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"],
                             check=True, capture_output=True, text=True).stdout
    return [pathlib.PurePosixPath(name) for name in listing.split("\0") if name and (ROOT / name).is_file()]


def fenced(text, language):
    fence = "````" if "```" in text else "```"
    return f"{fence}{language}\n{text}\n{fence}\n"


class Stage:
    """The folder that is rendered, and the files of the tree that pages of it show."""

    def __init__(self, folder):
        self.folder = folder
        self.files = set(tracked())
        self.shown = set()  # source files and folders that have a page

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def target(self, page, link):
        """The path in the tree that a link of a page names, or None."""
        parts = []
        for part in (page.parent / link).parts:
            if part == "..":
                if not parts:
                    return None
                parts.pop()
            elif part != ".":
                parts.append(part)
        return pathlib.PurePosixPath(*parts)

    def rewritten(self, page, text):
        """The text of a page, with links to sources turned into links to their pages."""
        def replace(match):
            link = match.group(2)
            if re.match(r"[a-z]+:", link):
                return match.group(0)
            target = self.target(page, link)
            if target is not None and target.suffix == ".ipynb":
                return f"{match.group(1)}{link.removesuffix('.ipynb')}.md{match.group(3)}"
            if target is None or target.suffix == ".md" or target.suffix in COPIED and target.parts[0] == "docs":
                return match.group(0)
            if target in self.files:
                self.shown.add(target)
                return f"{match.group(1)}{link}.md{match.group(3)}"
            if (ROOT / target).is_dir():
                self.shown.add(target)
                return f"{match.group(1)}{link.rstrip('/')}/index.md{match.group(3)}"
            return match.group(0)  # dead: MkDocs names it
        # A fence names its language; "run" after it is for tests/howto.
        text = re.sub(r"^(```\w+) .*$", r"\1", text, flags=re.M)
        return LINK.sub(replace, text)

    def pages(self):
        for name in sorted(self.files):
            if name.suffix == ".md" and not str(name).startswith((".github/", "tests/fuzz/")):
                # MkDocs serves README.md as the index of its folder.
                self.write(name, self.rewritten(name, (ROOT / name).read_text(encoding="utf-8")))
            elif name.suffix == ".ipynb":
                self.notebook(name)
            elif name.suffix in COPIED and name.parts[0] == "docs":
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.folder / name)

    def notebook(self, name):
        """The page of a notebook: its texts, its code, and what the code showed."""
        parts = []
        for number, cell in enumerate(json.loads((ROOT / name).read_text(encoding="utf-8"))["cells"]):
            text = "".join(cell["source"])
            parts.append(text if cell["cell_type"] == "markdown" else fenced(text, "python"))
            for output in cell.get("outputs", []):
                data = {kind: "".join(shown) for kind, shown in output.get("data", {}).items()}
                if "image/png" in data:
                    picture = name.with_name(f"{name.stem}-{number}.png")
                    self.write(picture, "")
                    (self.folder / picture).write_bytes(base64.b64decode(data["image/png"]))
                    parts.append(f"![What the cell draws]({picture.name})")
                elif "text/html" in data:
                    parts.append(re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.S))
                else:
                    parts.append(fenced(data.get("text/plain", "".join(output.get("text", ""))).strip(), "text"))
        self.write(name.with_suffix(".md"), self.rewritten(name, "\n\n".join(parts) + "\n"))

    def sources(self):
        """Pages of the files and folders that are linked. Pages of folders link more files."""
        done = set()
        while self.shown - done:
            target = (self.shown - done).pop()
            done.add(target)
            if target in self.files:
                text = (ROOT / target).read_text(encoding="utf-8", errors="replace")
                self.write(f"{target}.md", f"# {target}\n\n{fenced(text, LANGUAGES.get(target.suffix, 'text'))}")
            elif not {target / "README.md", target / "index.md"} & self.files:
                self.folder_page(target)

    def folder_page(self, folder):
        inside = sorted({name.relative_to(folder).parts[0] for name in self.files if folder in name.parents})
        inside = [part for part in inside if not part.startswith(".")]  # MkDocs leaves them out
        lines = [f"# {folder}/\n"]
        for part in inside:
            if folder / part not in self.files:
                lines.append(f"- [{part}/]({part}/index.md)")
                self.shown.add(folder / part)
            elif part.endswith(".md"):
                lines.append(f"- [{part}]({part})")
            else:
                lines.append(f"- [{part}]({part}.md)")
                self.shown.add(folder / part)
        self.write(folder / "index.md", "\n".join(lines) + "\n")

    def commands(self, program):
        """The man pages, as text."""
        pages = sorted(p for p in (program.parent / "man").glob("*.1"))
        for page in pages:
            text = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=96", page], check=True,
                                  capture_output=True, text=True).stdout
            text = re.sub(".\b", "", text)  # bold and underlined letters
            self.write(f"reference/commands/{page.stem}.md", f"# {page.stem.replace('-', ' ')}\n\n{fenced(text.strip(), 'text')}")

    def python(self):
        """The reference of the package. Estimators share parameters, which their classes get when they are imported."""
        def section(title, *names):
            return f"## {title}\n\n" + "".join(f"::: {name}\n    options:\n      heading_level: 3\n\n" for name in names)

        def shared(path, name):
            tree = ast.parse((ROOT / "python/tacit/_estimators" / path).read_text(encoding="utf-8"))
            text = next(node.value.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == name)
            return fenced(textwrap.dedent(text).strip(), "text") + "\n"

        arrays = [f"tacit._estimators.classifiers.{name}" for name in ("LogisticRegression", "LinearSVC")]
        arrays += [f"tacit._estimators.regressors.{name}" for name in
                   ("LinearRegression", "Ridge", "PoissonRegressor", "HuberRegressor", "QuantileRegressor")]
        tables = [f"tacit._estimators.tables.{name}" for name in ("TableClassifier", "TableRegressor")]
        self.write("reference/python.md", "# Python\n\nHow to use the package: [python](../docs/howto/python.md). All names but those of"
                   " `tacit.metrics` and `tacit.spark` are in `tacit` itself.\n\n"
                   + section("Estimators of tables", *tables) + shared("tables.py", "PARAMETERS")
                   + section("Estimators of arrays", *arrays, "tacit._estimators.scaler.BoundsScaler", "tacit._estimators.from_json")
                   + shared("parameters.py", "COMMON")
                   + section("Methods of a model", *(f"tacit._show.{name}" for name in ("show", "to_html", "report", "export", "explain")),
                             *(f"tacit._table.{name}" for name in ("predict", "predict_proba", "plot")))
                   + section("Private evaluation", "tacit.metrics") + section("Spark", "tacit.spark.fit")
                   + section("Everything else", "tacit"))

    def navigation(self):
        """The list of pages. A folder lists its pages by name."""
        entries = []
        for title, place in NAV:
            path = self.folder / place
            if path.is_dir():
                inside = sorted(p for p in path.glob("*.md"))
                entries.append({title: [p.relative_to(self.folder).as_posix() for p in inside]})
            elif path.exists():
                entries.append({title: place})
        return entries

    def config(self):
        settings = {
            "site_name": "Tacit",
            "site_description": "Differentially private models in one or a few passes over the data",
            "docs_dir": str(self.folder), "site_dir": str(self.folder.parent / "site"),
            "use_directory_urls": False, "strict": True,
            "theme": {"name": "material", "font": False, "features": ["navigation.top", "content.code.copy"],
                      "palette": [{"media": "(prefers-color-scheme: light)", "scheme": "default"},
                                  {"media": "(prefers-color-scheme: dark)", "scheme": "slate"}]},
            "markdown_extensions": ["tables", "attr_list", "pymdownx.superfences", "pymdownx.highlight",
                                    {"toc": {"permalink": True}}],
            "extra": {"polyfills": [SEARCH.name]},
            "plugins": ["search", "offline",
                        {"mkdocstrings": {"handlers": {"python": {"paths": [str(ROOT / "python")], "options": PYTHON}}}}],
            "validation": {"nav": {"omitted_files": "ignore"},
                           "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}},
            "nav": self.navigation(),
        }
        shutil.copy(SEARCH, self.folder)
        # YAML reads JSON.
        (self.folder.parent / "mkdocs.yml").write_text(json.dumps(settings, indent=1), encoding="utf-8")


def main(build, stage):
    folder = pathlib.Path(stage).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    page = Stage(folder)
    page.pages()
    page.sources()
    page.commands(pathlib.Path(build).resolve() / "tacit")
    page.python()
    page.config()


if __name__ == "__main__":
    main(*sys.argv[1:])
