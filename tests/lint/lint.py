#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""House rules that a compiler does not check, one TAP line each.

lint.py ROOT [--build DIR] checks the tree; lint.py --self-test breaks every rule in a tiny
tree and checks that the rule finds it. A rule is a function that takes a Tree and yields
findings, "file:line: what is wrong". Uses the standard library only.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import comments  # noqa: E402
import follow_row  # noqa: E402
import trusted  # noqa: E402

MAX_SOURCE_BYTES = 24 * 1024
MAX_SOURCE_LINES = 400  # of a file in src/, extra/ and cli/
MAX_LINES_OF = {"src/algorithm1/algorithm1.c": 120}  # Algorithm 1 is read beside the paper
MAX_FUNCTION_LINES = 40  # of all but 1 in 100 functions in src/ and extra/, and of those in cli/
# Lines of code that each folder may have, MADE_FILES aside. A feature that needs more adds a line
# here, in its own commit, with its name and the reason; the vault only with the fact that needs it.
CEILINGS = {
    "src": [
        (33700, "the trainer of 0.2.0"),
        (20, "accuracy: slopes of counts are cut to deviations of the counts"),
        (900, "frames: columns in memory are rows, as they are"),
        (300, "curves: atoms of numbers; columns that keep the promise to be monotone"),
        (530, "frames: more than was agreed; to be taken back"),
        (330, "moments: second moments of the rows make the steps of the squared loss"),
        (20, "intervals: sums whose rows have squares"),
        (-203, "knots from counts moved to extra/draft"),
        (300, "accuracy: rows of classes are measured in their spread"),
        (175, "accuracy: columns of numbers are stretched by their released spread"),
        (320, "moments: rows with classes pass through a map (260); waves of a block of rows in vectors (60)"),
        (80, "payer: reserve, commit and refund around every run; statements as structs"),
        (60, "frames: texts of categories are looked up in blocks; batches with too few rows are refused"),
        (43, "effects: notes of schemas are kept, plans say what effects per unit cost"),
    ],
    "extra": [
        (11100, "the products beside it"),
        (900, "team: ledgers with who, what and why of every entry; find, raise, close, renew"),
        (1000, "intervals: tables of effects"),
        (1850, "intervals: more than was agreed, tables as text, JSON and CSV with contrasts and joint tests"),
        (200, "report: a page that is signed, with budgets and who spent them"),
        (200, "evaluate: groups of rows in one release"),
        (210, "knots from counts moved here from src; counts of atoms"),
        (85, "frames: tables are checked as files are"),
        (10, "moments: the attacker of an audit knows their release"),
        (70, "effects: models without scaled rows as one sum"),
        (72, "payer: runs and releases pay a ledger here and no longer in cli and r"),
        (70, "intervals: what no row shows has no number; more than was agreed, to be taken back"),
        (187, "report: forest plots, effects per unit, baselines, notes; more than was agreed, to be taken back"),
    ],
    "cli": [
        (6700, "the command line"),
        (250, "team: ledgers with who, what and why; find, raise, close, renew"),
        (250, "intervals: the command infer, plan --infer, tables in show"),
        (-110, "payer: the library pays, in src and extra"),
    ],
    "src/vault": [
        (1900, "what can be read in an afternoon"),
    ],
}
CLI_SEES = "base/output.h"  # the header of src/ that the program, which has the library in it, may include
VAULT_SEES = ("base", "norm", "batch", "vault")  # rooms that the vault may include
# Functions that no program calls yet, and why they stay.
UNCALLED = {"tacit_kernel_at": "tests compare all levels",
            "tacit_tally_mu": "a test adds up the budgets of the parts"}
# One of the two is compiled: the second has the types of the first for another processor.
SAME_TYPES = ("src/data/text/simd_vectors.h", "src/data/text/simd_neon.h")
MADE_FILES = (("tools/blt_table.py", "src/mechanism/blt_table.c"),
              ("tools/front_figure.py", "docs/figures/front.svg"),
              ("tools/gaussian_table.py", "src/vault/gaussian_table.h"),
              ("tools/matrix_table.py", "src/mechanism/matrix_table.c"),
              ("tools/place_table.py", "src/data/text/place_table.h"),
              ("tools/power_table.py", "src/data/text/power_table.h"))
RAW_ROOMS = {"base", "ranks", "kernel", "vault", "mechanism", "not_private", "admit", "loss", "gradient",
             "checkpoint", "run", "extra/ledger", "extra/evaluate", "extra/infer", "extra/stream", "extra/audit"}
# Everything in these is raw (src/data/README.md), so only fields that other rooms see are named so.
ALL_RAW = ("src/data/", "src/batch/", "extra/draft/", "extra/check/")
RAW_FIELDS = r"(?:values|values32|indices|row_start|labels|weights|unit_rows|ids|id_start|units|bytes|cells|valid|text)"
RAW_CARRIER = "mpi/group.c"  # takes sums from rank to rank
FOLDERS = ["include", "examples", "src", "extra", "cli", "demo", "mpi", "tests", "tools", "bench", "docs", "man", ".ci", ".github", "packaging", "python", "r"]
TEXT_ENDINGS = {".c", ".h", ".in", ".py", ".sh", ".md", ".build", ".txt", ".json", ".toml", ".yml", ".yaml", ".rb", ".cff"}


class Tree:
    """The files of a source tree, read once."""

    def __init__(self, root, build=None):
        self.root = pathlib.Path(root)
        self.build = build
        self.texts = {}
        tops = [p for p in sorted(self.root.iterdir()) if p.is_file() and p.name != ".git"]
        below = [p for f in FOLDERS for p in sorted((self.root / f).rglob("*"))]
        for path in tops + below:
            name = path.relative_to(self.root).as_posix()
            texty = path.suffix in TEXT_ENDINGS or path.suffix == ""
            if path.is_file() and texty and "/corpus/" not in name:
                self.texts[name] = path.read_text(encoding="utf-8", errors="replace")

    def c_files(self, *folders):
        """(name, text) of C sources and headers below the folders, by default all."""
        for name, text in self.texts.items():
            if re.search(r"\.(c|h|h\.in)$", name):
                if not folders or name.split("/")[0] in folders:
                    yield name, text

    def rooms(self):
        """The rooms in the order of src/meson.build, lowest first, and above them those of extra/."""
        found = []
        for folder in ("src/", "extra/"):
            text = self.texts.get(folder + "meson.build", "")
            match = re.search(r"foreach\s+room\s*:\s*\[(.*?)\]", text, re.S)
            rooms = re.findall(r"'([\w/]+)'", match.group(1)) if match else []
            found += [(folder + room).removeprefix("src/") for room in rooms]
        return found

    def room_of(self, name):
        """The room of a file below src/ or extra/: its folder, or None if that is not a room."""
        folder = name.removeprefix("src/").rpartition("/")[0]
        return folder if folder in self.rooms() else None


def blank(match):
    """Replaces a match by spaces but keeps line breaks, so that line numbers stay right."""
    return re.sub(r"[^\n]", " ", match.group(0))


def code_of(text):
    """C text without comments, strings and character constants."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, blank, text, flags=re.S)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def hits(name, text, pattern, what):
    for match in re.finditer(pattern, text):
        yield f"{name}:{line_of(text, match.start())}: {what.format(*match.groups(), match.group(0))}"


def definitions(code):
    """(function name, position) of the functions a C file defines."""
    pattern = r"^[A-Za-z_][\w\s\*]*?\b(\w+)\s*\(([^;{}]*)\)\s*\{"
    for match in re.finditer(pattern, code, re.M):
        if match.group(1) not in {"if", "for", "while", "switch"}:
            yield match.group(1), match.start()


def declarations(text):
    """(statement, position) of the top level of a header, without bodies and macros."""
    code = re.sub(r'extern\s*"C"\s*\{', blank, text)
    code = code_of(code)
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, code, flags=re.M)
    while True:  # bodies, innermost first
        shorter = re.sub(r"\{[^{}]*\}", blank, code)
        if shorter == code:
            break
        code = shorter
    for match in re.finditer(r"[^;}]+;", code):
        statement = " ".join(match.group(0).split())
        start = match.start() + len(match.group(0)) - len(match.group(0).lstrip())
        yield statement, start


# ---- the rules ----------------------------------------------------------------------


def rooms_include_only_lower_rooms(tree):
    rooms = tree.rooms()
    if not rooms:
        yield "src/meson.build: no list of rooms found"
    for name, text in tree.c_files("src", "extra"):
        room = tree.room_of(name)
        if room is None:
            yield f"{name}: this room is not in the list of meson.build"
            continue
        for match in re.finditer(r'^\s*#\s*include\s*"([^"]+)"', text, re.M):
            where = f"{name}:{line_of(text, match.start(1))}"
            other = match.group(1).rpartition("/")[0]
            if other not in rooms:
                yield f'{where}: write "room/file.h", not "{match.group(1)}"'
            elif rooms.index(other) > rooms.index(room):
                yield f"{where}: {room}/ may not look up into {other}/"


def objects(tree):
    """(object file, its source) of the library in the build folder.

    Meson names an object after the path of its source below the target's folder: csv.c of
    src/data/text, part of a target of src/, becomes src/*.p/data_text_csv.c.o, and book.c of
    extra/ledger src/*.p/.._extra_ledger_book.c.o."""
    build = pathlib.Path(tree.build)
    sources = [name for name, _ in tree.c_files("src", "extra") if name.endswith(".c")]
    for path in sorted((build / "src").rglob("*.p/*.o")):
        folder = path.parent.parent.relative_to(build).as_posix()
        for source in sources:
            if os.path.relpath(source, folder).replace("/", "_") + ".o" == path.name:
                yield path, source


def symbols(paths):
    """(path, symbol, is defined there) of the global symbols in object files."""
    command = os.environ.get("NM", "nm").split() + ["-A", "-P", "-g"]
    result = subprocess.run(command + paths, capture_output=True, text=True, check=True)
    for line in result.stdout.splitlines():
        path, _, rest = line.rpartition(": ")
        symbol, kind = rest.split()[:2]
        yield path, symbol, kind not in "Uvw"


def rooms_call_only_lower_rooms(tree):
    """The include rule by symbol, which also finds calls of functions declared elsewhere."""
    if tree.build is None:
        return
    rooms = tree.rooms()
    source_of = {str(path): source for path, source in objects(tree)}
    if not source_of:
        yield "src: the build folder holds no objects of the library"
        return
    found = list(symbols(list(source_of)))
    home = {symbol: source_of[path] for path, symbol, is_defined in found if is_defined}
    calls = {(source_of[path], symbol) for path, symbol, is_defined in found
             if not is_defined and symbol in home}
    for source, symbol in sorted(calls):
        here, there = tree.room_of(source), tree.room_of(home[symbol])
        if here not in rooms or there not in rooms:
            continue
        if rooms.index(there) > rooms.index(here):
            yield f"{source}: {here}/ may not call {symbol} of {home[symbol]}"


def program_sees_the_public_interface_only(tree):
    for name, text in tree.c_files("cli", "demo", "mpi"):
        for match in re.finditer(r'^\s*#\s*include\s*([<"])([^">]+)', text, re.M):
            where = f"{name}:{line_of(text, match.start(1))}"
            bracket, header = match.groups()
            own = {"cli/" + header, name.split("/")[0] + "/" + header}
            if bracket == '"' and header != CLI_SEES and not own & set(tree.texts):
                yield f"{where}: {header} is not a header of cli/"
            elif re.match(r"(sodium|zlib|zstd|mpfr|gmp)\b", header):
                yield f"{where}: {header} belongs behind the library"


def public_headers_need_nothing_else(tree):
    allowed = r"tacit/\w+\.h|stdbool\.h|stddef\.h|stdint\.h"
    of_extra = allowed + r"|tacit/extra/\w+\.h"
    for name, text in tree.c_files("include"):
        for match in re.finditer(r'^\s*#\s*include\s*([<"][^">]+[">])', text, re.M):
            fits = of_extra if name.startswith("include/tacit/extra/") else allowed
            if not re.fullmatch(f"<({fits})>", match.group(1)):
                yield f"{name}:{line_of(text, match.start(1))}: includes {match.group(1)}"
        yield from hits(name, text, r"#\s*if(?:def|n?def)?\b.*TACIT_HAVE", "depends on build options")


def raw_values_stay_in_their_rooms(tree):
    for name, text in tree.c_files("src", "extra", "cli", "demo", "mpi"):
        if name.startswith(ALL_RAW):
            yield from hits(name, code_of(text), rf"\braw_(?!{RAW_FIELDS}\b)\w+",
                            "{0}: everything in this room is raw, names there do not say it")
            continue
        if name.removeprefix("src/").rpartition("/")[0] in RAW_ROOMS or name == RAW_CARRIER:
            continue
        yield from hits(name, code_of(text), r"\braw_\w+", "{0} outside the rooms of raw values")


def only_the_vault_releases(tree):
    for name, text in tree.c_files("src", "extra", "cli", "demo", "mpi"):
        if name.startswith("src/vault/"):
            continue
        code = code_of(text)
        for function, position in definitions(code):
            if function.endswith("_release"):
                yield f"{name}:{line_of(code, position)}: {function} is defined outside vault/"


def only_runs_load_sums(tree):
    """Integers enter a sum without the clip by one door, for other processes and checkpoints."""
    for name, text in tree.c_files("src", "extra", "cli", "demo", "mpi"):
        if name.startswith(("src/vault/", "src/run/")):
            continue
        code = code_of(text)
        for call in re.finditer(r"\btacit_sum_raw_load\b", code):
            yield f"{name}:{line_of(code, call.start())}: only src/run may load a sum"


def releases_carry_their_proof(tree):
    for name, text in tree.c_files("src", "extra"):
        code = code_of(text)
        for function, position in definitions(code):
            before = text[:position].rstrip()
            comment = before[before.rfind("/*"):] if before.endswith("*/") else ""
            if function.endswith("_release") and "Proof: docs/proofs/" not in comment:
                yield f"{name}:{line_of(code, position)}: {function} names no proof"


def proofs_exist_and_are_used(tree):
    used = set()
    for name, text in tree.texts.items():
        if name.startswith("tests/lint/"):
            continue
        for match in re.finditer(r"docs/proofs/([\w.-]+\.md)", text):
            if name.startswith(("src/", "extra/")):
                used.add(match.group(1))
            if "docs/proofs/" + match.group(1) not in tree.texts:
                yield f"{name}:{line_of(text, match.start())}: {match.group(0)} does not exist"
    for name in tree.texts:
        proof = name[len("docs/proofs/"):]
        if name.startswith("docs/proofs/") and proof not in used | {"README.md"}:
            yield f"{name}: nothing in src/ and extra/ names this proof"


def randomness_comes_from_the_vault(tree):
    names = "s?rand|rand_r|s?random|random_r|[delmnj]rand48|srand48|arc4random\\w*"
    for name, text in tree.c_files("src", "extra", "cli", "demo"):
        yield from hits(name, code_of(text), rf"\b({names})\s*\(", "{0}() is no source of noise")


def library_is_silent(tree):
    names = (
        "v?f?printf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort|setlocale|signal|"
        "sigaction|atexit"
    )
    for name, text in tree.c_files("src", "extra"):
        code = code_of(text)
        yield from hits(name, code, rf"\b({names})\s*\(", "{0}() in the library")
        yield from hits(name, code, r"\b(stdout|stderr)\b", "{0} in the library")


def targets_of_workflows_exist(tree):
    """Every `make` target that a workflow runs, directly or from a matrix, is in the Makefile."""
    made = set(re.findall(r"^([\w-]+):", tree.texts.get("Makefile", ""), re.M))
    for name, text in tree.texts.items():
        if name.startswith(".github/workflows/"):
            named = re.findall(r"\brun: (?:sudo )?make ([a-z][\w-]*)", text)
            named += [t for m in re.findall(r"^ +target: \[([^\]]+)\]", text, re.M) for t in re.split(r",\s*", m)]
            yield from (f"{name}: the Makefile has no target {t}" for t in named if t not in made)


def files_name_one_version(tree):
    """What `tools/version.sh set` writes agrees with meson.build."""
    said = re.search(r"^  version: '([^']*)',", tree.texts.get("meson.build", ""), re.M)
    version = said[1] if said else "?"
    plain = version.removesuffix("-dev")
    spelt = plain if plain == version else plain + ".9000"
    for name, pattern, wanted in (("CITATION.cff", r"^version: (\S+)", version),
                                  ("r/DESCRIPTION", r"^Version: (\S+)", spelt), ("r/NEWS.md", r"\A# tacit (\S+)", spelt),
                                  ("packaging/conda/recipe.yaml", r"^  version: (\S+)", plain),
                                  ("packaging/homebrew/tacit.rb", r"tacit-([\d.]+)\.tar", plain)):
        found = re.search(pattern, tree.texts.get(name, ""), re.M)
        if name in tree.texts and (found is None or found[1] != wanted):
            yield f"{name}: the version is not {wanted}: tools/version.sh set {version}"


def packages_need_every_library(tree):
    """Libraries that are linked, by docs/dependencies.md, are in every recipe of a package."""
    linked = re.findall(r"^\| (\w+) \|[^|]*\|[^|]*\| linked \|", tree.texts.get("docs/dependencies.md", ""), re.M)
    for name in ("packaging/debian/control", "packaging/conda/recipe.yaml", "packaging/homebrew/tacit.rb"):
        yield from (f"{name}: {library} is missing, which docs/dependencies.md says is linked" for library in linked
                    if name in tree.texts and library != "openmpi" and library not in tree.texts[name])


def nothing_is_left_for_later(tree):
    words = "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"])
    for name, text in tree.texts.items():
        yield from hits(name, text, rf"\b({words})\b", "{0}")


def comments_are_understood_alone(tree):
    """The rules that tools/comments.py holds by pattern, in the folders that it lists."""
    for name, text in tree.c_files():
        for line, what in comments.stumbles(name, text):
            yield f"{name}:{line}: {what}"


def licence_is_named(tree):
    for name, text in tree.c_files():
        if not text.startswith("/* SPDX-License-Identifier: MIT */\n"):
            yield f"{name}:1: the first line must be the SPDX line"


def no_paths_of_one_machine(tree):
    pattern = r"(?<![\w.}])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")\b"
    for name, text in tree.texts.items():
        yield from hits(name, text, pattern, "a path of one machine")


def headers_have_guards(tree):
    seen = {}
    for name, text in tree.c_files():
        if not re.search(r"\.h(\.in)?$", name):
            continue
        match = re.search(r"^#ifndef (\w+)\n#define (\w+)\n", text, re.M)
        guard = match.group(1) if match and match.group(1) == match.group(2) else ""
        expected = r"TACIT_\w+_H"
        if name.startswith("include/"):
            stem = re.sub(r"\.h(\.in)?$", "", name.split("/")[-1]).upper()
            extra = "EXTRA_" if "/extra/" in name else ""
            expected = "TACIT_H" if stem == "TACIT" else f"TACIT_{extra}{stem}_H"
        if not re.fullmatch(expected, guard):
            yield f"{name}: the guard must be {expected}"
        elif guard in seen:
            yield f"{name}: has the guard of {seen[guard]}"
        seen[guard] = name


def public_functions_are_marked(tree):
    for name, text in tree.c_files("include"):
        for statement, position in declarations(text):
            if "(" not in statement or statement.startswith("typedef"):
                continue
            where = f"{name}:{line_of(text, position)}"
            if not statement.startswith("TACIT_API "):
                yield f"{where}: no TACIT_API: {statement[:60]}"
            fallible = re.search(r"\btacit_status \w+\(.*tacit_error \*err\);$", statement)
            if fallible and "TACIT_NODISCARD" not in statement:
                yield f"{where}: no TACIT_NODISCARD: {statement[:60]}"
            if "tacit_error *" in statement and not fallible:
                yield f"{where}: returns a status and takes the error last: {statement[:60]}"


def no_flags_that_change_results(tree):
    flags = "|".join(["-march=" + "native", "-ffast" + "-math", "-Ofa" + "st",
                      "-funsafe" + "-math-optimizations", "fp_contract" + r"\s+on"])
    for name, text in tree.texts.items():
        if not name.endswith(".md"):
            yield from hits(name, text, rf"({flags})\b", "{0} changes results")


def results_do_not_depend_on_the_processor(tree):
    for name, text in tree.c_files("src", "extra"):
        yield from hits(name, code_of(text), r"\bhypotf?\s*\(",
                        "its last bit differs between processors; use tacit_norm_of_two")
    for name, text in tree.c_files("tests"):
        yield from hits(name, code_of(text), r"\bskip\s*\(",
                        "prints \"not ok\"; use LEAVE_OUT of tests/check.h")


def headers_compile_alone(tree):
    include = [f"-I{tree.root / f}" for f in ("include", "src", "cli", "demo", ".")]
    if tree.build:
        include.append(f"-I{pathlib.Path(tree.build) / 'include'}")
    compiler = os.environ.get("CC", "cc").split()
    options = "-std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
    for name, _ in tree.c_files("include", "src", "extra", "cli", "demo"):
        if not name.endswith(".h"):
            continue
        header = name if name.startswith("extra/") else name.split("/", 1)[1]
        result = subprocess.run(
            compiler + options.split() + include + ["-fsyntax-only", "-x", "c", "-"],
            input=f'#include "{header}"\nextern int something;\n',
            capture_output=True, text=True, check=False)
        if result.returncode != 0:
            said = next((x for x in result.stderr.splitlines() if "error:" in x), "failed")
            yield f"{name}: does not compile alone: {said}"


def bench_programs_compile(tree):
    """No test runs the programs of bench/, so at least the compiler must accept them."""
    folders = [tree.root / folder for folder in ("include", "src", "tests", ".")]
    if tree.build:
        folders.append(pathlib.Path(tree.build) / "include")
    for name, _ in tree.c_files("bench"):
        result = subprocess.run(
            [*os.environ.get("CC", "cc").split(), "-std=c11", "-D_GNU_SOURCE", "-fsyntax-only",
             *(f"-I{folder}" for folder in folders), str(tree.root / name)],
            capture_output=True, text=True, check=False)
        if result.returncode != 0:
            said = next((x for x in result.stderr.splitlines() if "error:" in x), "failed")
            yield f"{name}: does not compile: {said}"


def doc_comments_stand_over_a_declaration(tree):
    for name, text in tree.c_files("include"):
        yield from hits(name, text, r"/\*\*(?!<)(?:[^*]|\*(?!/))*\*/\s*/\*",
                        "a comment for the interface hangs over another comment")


def compiler_error(tree, lines):
    """The first error of the compiler for lines of C that use the public headers; None if none."""
    names = ("tacit_config config; tacit_train *train; tacit_reader *reader; tacit_model *model; "
             "tacit_schema *schema = 0; tacit_error err; tacit_status status;")
    include = [f"-I{tree.root / 'include'}"] + (
        [f"-I{pathlib.Path(tree.build) / 'include'}"] if tree.build else [])
    result = subprocess.run(
        os.environ.get("CC", "cc").split() + ["-std=c11", "-Wall", "-Werror", "-fsyntax-only",
            "-Wno-unused-but-set-variable", "-Wno-unused-variable", "-Wno-uninitialized", *include,
            "-x", "c", "-"],
        input="#include <stdio.h>\n#include <tacit/tacit.h>\nvoid example(void);\n"
              "void example(void) {\n" + names + "\n" + "\n".join(lines) + "\n}\n",
        capture_output=True, text=True, check=False)
    if result.returncode == 0 and lines:
        return None
    return next((x for x in result.stderr.splitlines() if "error:" in x), "no example")


def example_of_the_header_compiles(tree):
    """Compiles the lines of code in the first comment of tacit.h."""
    text = tree.texts.get("include/tacit/tacit.h")
    said = text and compiler_error(tree, re.findall(r"^ \*   (.*)$", text, re.M))
    if said:
        yield f"include/tacit/tacit.h: its example does not compile: {said}"


def example_of_the_readme_compiles(tree):
    """The blocks of C in the README."""
    for block in re.findall(r"^```c\n(.*?)^```", tree.texts.get("README.md", ""), re.M | re.S):
        said = compiler_error(tree, block.splitlines())
        if said:
            yield f"README.md: its example does not compile: {said}"


def pages_show_examples_as_they_are(tree):
    """A block of C that begins with a licence line is one of examples/, to the letter."""
    examples = {text for name, text in tree.texts.items() if name.startswith("examples/")}
    for name, text in tree.texts.items():
        for block in re.findall(r"^```c\n(/\* SPDX.*?)^```", text if name.endswith(".md") else "", re.M | re.S):
            if block not in examples:
                yield f"{name}: its program differs from examples/"


def followed_row_passes_real_functions(tree):
    """docs/follow-a-row.md, which tools/follow_row.py writes from a trace, names functions that their
    files define, and no column of calls has more than its limit."""
    name = "docs/follow-a-row.md"
    row = r"^\| `(\w+)` \| \[[^\]]*\]\(\.\./([^)]*)\) \|([ \d|]*)\|"
    steps = re.findall(row, tree.texts.get(name, ""), re.M)
    if name not in tree.texts:
        return
    for i, (phase, most) in enumerate(zip(follow_row.PHASES, follow_row.MOST)):
        count = sum(1 for step in steps if step[2].split("|")[i].strip())
        if not 0 < count <= most:
            yield f"{name}: {count} functions in {phase}, not 1 to {most}"
    for function, path, _ in steps:
        code = code_of(tree.texts.get(path, ""))
        if function not in {found for found, _ in definitions(code)} and f"LEVEL({function}_)" not in code:
            yield f"{name}: {path} defines no {function}"


def config_names_every_mechanism(tree):
    text = tree.texts.get("include/tacit/config.h", "")
    comment = re.search(r"const char \*mechanism;(.*)", text)
    names = re.findall(r'\.name = "([\w-]+)"', "".join(
        tree.texts.get(f"src/mechanism/{file}.c", "") for file in ("tree", "banded", "blt", "mechanism")))
    for mechanism in names:
        if comment is None or f'"{mechanism}"' not in comment.group(1):
            yield f"include/tacit/config.h: mechanism {mechanism} is not named"


def config_agrees_with_its_table(tree):
    """tacit_config has the fields of tacit/config_fields.h, and its comments the same words and defaults."""
    text = tree.texts.get("include/tacit/config.h", "")
    table = re.sub(r'"\s*\\\s*"|\\\n\s*', "", tree.texts.get("include/tacit/config_fields.h", ""))
    rows = re.findall(r'F\((\w+), (\w+), [^,]+, [^,]+, (?:NULL|"([^"]*)"), "[^"]+", \S+, (?:NULL|"([^"]*)"),', table)
    struct = re.search(r"typedef struct tacit_config \{(.*?)^\} tacit_config;", text, re.S | re.M)
    fields = re.findall(r"(?:const )?(\w+)\s*(\*?)(\w+);\s*(/\*\*<.*?\*/)?", struct.group(1) if struct else "", re.S)
    types = {name: (kind + stars, comment) for kind, stars, name, comment in fields}
    wanted = {"double": "REAL", "int": "WHOLE", "unsigned": "COUNT", "int64_t": "LONG", "uint64_t": "LONG",
              "bool": "FLAG", "char*": "TEXT"}
    for name in sorted({n for n, (kind, _) in types.items() if kind in wanted} - {row[0] for row in rows}):
        yield f"include/tacit/config_fields.h: no row of {name}"
    for name, kind, words, fallback in rows:
        where = f"include/tacit/config_fields.h: {name}"
        type_name, comment = types.get(name, ("", ""))
        if wanted.get(type_name, "WORD" if type_name.startswith("tacit_") else "") != kind:
            yield f"{where}: {kind}, but {type_name or 'nothing'} in config.h"
        enum = re.search(rf"typedef enum {type_name} \{{(.*?)\}} {type_name};", text, re.S)
        if kind == "WORD" and enum:
            plain = re.sub(r"/\*.*?\*/", "", enum.group(1), flags=re.S)
            values = re.findall(r"TACIT_(\w+) =", plain)[1:]
            endings = [value.lower().replace("_", "-").endswith(word) for value, word in zip(values, words.split())]
            if len(values) != len(words.split()) or not all(endings):
                yield f"{where}: words {words}, but {values} in config.h"
            comment = enum.group(1).split(" = 1")[0]
        stated = re.match(r"[\w.-]+", fallback)
        if (kind == "WORD" or re.fullmatch(r"[\d.]+", fallback)) and not re.search(
                rf"(?<![\w.]){re.escape(stated.group(0))}(?![\w])", comment):
            yield f"{where}: default {fallback}, and config.h does not say it"


def python_guide_names_every_library(tree):
    """pip fetches no system library: the guide names the Debian package of each."""
    guide = tree.texts.get("docs/howto/python.md", "")
    for library in re.findall(r"dependency\('(?:lib)?(\w+)'", tree.texts.get("meson.build", "")):
        if library in ("threads", "mpi"):  # the compiler's, and not for the package
            continue
        if not re.search(rf"`[\w ]*{library}\w*-dev`", guide):
            yield f"docs/howto/python.md: the package of {library} is not named"


def files_are_short(tree):
    for name, text in tree.c_files("src", "extra", "cli", "demo", "include"):
        size = len(text.encode("utf-8"))
        is_made = name in (made for _, made in MADE_FILES)
        if size > MAX_SOURCE_BYTES and not is_made:
            yield f"{name}: {size} bytes, more than {MAX_SOURCE_BYTES}"
        lines = text.count("\n")
        most = MAX_LINES_OF.get(name, MAX_SOURCE_LINES)
        if name.startswith(("src/", "extra/", "cli/")) and lines > most and not is_made:
            yield f"{name}: {lines} lines, more than {most}"


def function_lengths(name, text):
    """(lines, name, where) of the functions of a C file, from the first line to the last."""
    code = code_of(text)
    for function, position in definitions(code):
        end = code.find("\n}", position)  # clang-format puts the last brace there
        first = line_of(code, position)
        one_line = code.find("\n", position)
        is_short = "}" in code[code.find("{", position):one_line]
        last = first if is_short or end < 0 else line_of(code, end + 1)
        yield last - first + 1, function, f"{name}:{first}"


def functions_are_short(tree):
    for folders in (("src", "extra"), ("cli",)):
        functions = [found for name, text in tree.c_files(*folders) for found in function_lengths(name, text)]
        long = sorted((found for found in functions if found[0] > MAX_FUNCTION_LINES), reverse=True)
        if 100 * len(long) > len(functions):
            yield (f"{folders[0]}: {len(long)} of {len(functions)} functions have more than "
                   f"{MAX_FUNCTION_LINES} lines")
            for lines, function, where in long:
                yield f"{where}: {function} has {lines} lines"


def code_lines(texts):
    """Lines that are not empty without their comments."""
    codes = (re.sub(r"/\*.*?\*/", blank, text, flags=re.S) for text in texts)
    return sum(1 for code in codes for line in code.splitlines() if line.strip())


def folders_stay_below_their_ceilings(tree):
    made = {name for _, name in MADE_FILES}
    for folder, raises in CEILINGS.items():
        ceiling = sum(lines for lines, _ in raises)
        lines = code_lines(text for name, text in tree.c_files("src", "extra", "cli")
                           if name.startswith(folder + "/") and name not in made)
        if lines > ceiling:
            yield f"{folder}: {lines} lines of code, more than {ceiling}"


def type_tags_have_one_body(tree):
    """A shared tag is defined once; one of a single .c file is no tag of a header."""
    bodies = collections.defaultdict(set)
    for name, text in tree.c_files("include", "src", "extra", "cli", "demo", "mpi"):
        code = code_of(text)
        for match in re.finditer(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", code):
            if name != SAME_TYPES[1]:
                bodies[match.group(1)].add((name, line_of(code, match.start())))
    for tag, places in bodies.items():
        is_shared = tag.startswith(("tacit_", "cli_")) or any(name.endswith(".h") for name, _ in places)
        if is_shared and len(places) > 1:
            for name, line in sorted(places):
                yield f"{name}:{line}: {tag} has another body elsewhere"


def programs_read_json_when_memory_runs_out(tree):
    """jansson's own reader writes through null pointers then; cli_json_read reports it."""
    for name, text in tree.c_files("cli", "demo", "mpi"):
        yield from hits(name, code_of(text), r"\bjson_load\w*", "{0}: use cli_json_read")


def vault_stands_on_three_rooms(tree):
    for name, text in tree.c_files("src"):
        for match in re.finditer(r'^\s*#\s*include\s*"([^"]+)/[^"/]+"', text, re.M):
            if name.startswith("src/vault/") and match.group(1) not in VAULT_SEES:
                yield f"{name}:{line_of(text, match.start(1))}: the vault may not include {match.group(1)}/"


def functions_are_called(tree):
    """Shared functions of src/ and extra/ that are neither public nor named by another line of a program."""
    public = " ".join(text for _, text in tree.c_files("include"))
    named = {".c": collections.Counter(), ".h": collections.Counter()}
    codes = {name: code_of(text) for name, text in tree.c_files("src", "extra", "cli", "demo", "mpi")}
    for name, code in codes.items():
        named[name[-2:]].update(re.findall(r"\w+", code))
    for name, code in codes.items():
        for function, position in definitions(code):
            if re.match(r"static|INLINE", code[position:]) and name.endswith(".c"):
                continue  # the compiler finds these
            alone = 1 if name.endswith(".c") else 0
            is_called = named[".c"][function] > alone or named[".h"][function] > 1
            if name.startswith(("src/", "extra/")) and not is_called and function not in UNCALLED and not re.search(
                    rf"\b{function}\b", public):
                yield f"{name}:{line_of(code, position)}: nothing calls {function}"


def trusted_files_carry_planted_bugs(tree):
    """TRUSTED, tests/mutants/, src/vault/ and the tables of the pages say the same."""
    if "TRUSTED" not in tree.texts:
        yield "TRUSTED: is not there"
        return
    yield from trusted.faults(tree.root)


def made_files_are_fresh(tree):
    """Committed files that scripts write are what the scripts write now, except for layout."""
    for maker, made in MADE_FILES:
        if not (tree.root / maker).exists():
            continue
        run = subprocess.run([sys.executable, tree.root / maker], capture_output=True, text=True)
        kept = (tree.root / made).read_text() if (tree.root / made).exists() else ""
        if run.returncode != 0 or run.stdout.split() != kept.split():
            yield f"{made}: not what {maker} writes"


def slug(heading):
    """The anchor that the usual hosts give a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain))


def links_lead_somewhere(tree):
    for name, text in tree.texts.items():
        if not name.endswith(".md"):
            continue
        prose = re.sub(r"^```.*?^```", blank, text, flags=re.S | re.M)
        for match in re.finditer(r"\]\(([^)\s]+)\)", prose):
            link = match.group(1)
            if re.match(r"[a-z]+:", link):
                continue
            where = f"{name}:{line_of(prose, match.start())}"
            path, _, anchor = link.partition("#")
            base = tree.root / pathlib.PurePosixPath(name).parent
            target = (base / path) if path else tree.root / name
            if not target.exists():
                yield f"{where}: {link} leads nowhere"
            elif anchor and target.suffix == ".md":
                headings = re.findall(r"^#+\s+(.*)$", target.read_text("utf-8"), re.M)
                if anchor not in {slug(heading) for heading in headings}:
                    yield f"{where}: {link}: no such heading"


RULES = [
    rooms_include_only_lower_rooms,
    rooms_call_only_lower_rooms,
    program_sees_the_public_interface_only,
    public_headers_need_nothing_else,
    raw_values_stay_in_their_rooms,
    only_the_vault_releases,
    only_runs_load_sums,
    releases_carry_their_proof,
    proofs_exist_and_are_used,
    randomness_comes_from_the_vault,
    library_is_silent,
    targets_of_workflows_exist,
    files_name_one_version,
    packages_need_every_library,
    nothing_is_left_for_later,
    comments_are_understood_alone,
    licence_is_named,
    no_paths_of_one_machine,
    headers_have_guards,
    public_functions_are_marked,
    no_flags_that_change_results,
    results_do_not_depend_on_the_processor,
    headers_compile_alone,
    bench_programs_compile,
    doc_comments_stand_over_a_declaration,
    example_of_the_header_compiles,
    example_of_the_readme_compiles,
    pages_show_examples_as_they_are,
    followed_row_passes_real_functions,
    config_names_every_mechanism,
    config_agrees_with_its_table,
    python_guide_names_every_library,
    files_are_short,
    functions_are_short,
    functions_are_called,
    folders_stay_below_their_ceilings,
    type_tags_have_one_body,
    vault_stands_on_three_rooms,
    trusted_files_carry_planted_bugs,
    programs_read_json_when_memory_runs_out,
    made_files_are_fresh,
    links_lead_somewhere,
]


def title(rule):
    return rule.__name__.replace("_", " ")


def check(root, build):
    tree = Tree(root, build)
    failed = False
    print(f"1..{len(RULES)}")
    for number, rule in enumerate(RULES, 1):
        findings = list(rule(tree))
        print(f"{'not ok' if findings else 'ok'} {number} - {title(rule)}")
        for finding in findings:
            print(f"# {finding}")
        failed = failed or bool(findings)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?")
    parser.add_argument("--build")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        import broken  # beside this file

        return broken.run(sys.modules[__name__])
    if options.root is None:
        parser.error("the source tree is missing")
    return check(options.root, options.build)


if __name__ == "__main__":
    sys.exit(main())
