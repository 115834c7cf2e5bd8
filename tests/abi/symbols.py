#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The binary interface is what symbols.txt says: symbols.py BUILD [--write]

Lists the functions that the shared library of a build folder exports, each with the header that
declares it, and the sizes of the structs of the public headers. A program that was compiled with
another list may have to be compiled again: --write renews the file, in a commit that says why.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTED = ROOT / "tests/abi/symbols.txt"
MAX_CORE = 120  # functions of <tacit/...>, those of <tacit/extra/...> and of table.h aside
MAX_TABLE = 12  # functions of table.h: what tables in memory may add to the core
HEAD = """\
# Exported functions with the header that declares each, then the sizes of public structs in bytes.
# Written by: python3 tests/abi/symbols.py build --write
"""


def headers(build):
    """(name after include/tacit/, text without comments) of the public headers, made ones among them."""
    for folder in (ROOT / "include/tacit", build / "include/tacit"):
        for path in sorted(folder.rglob("*.h")):
            yield path.relative_to(folder).as_posix(), re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)


def exported(library):
    """The names that the shared library defines."""
    command = os.environ.get("NM", "nm").split() + ["-D", "-P", "--defined-only", library]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names = {line.split()[0].partition("@")[0] for line in lines}
    return sorted(name for name in names if not name.startswith("__"))  # sanitizers add some


def sizes(texts, build):
    """{struct: bytes}: the compiler says it with an array of that size per struct, so nothing has to run."""
    names = [name for _, text in texts for name in re.findall(r"^}\s*(\w+);", text, re.M)]
    names = [name for name in names if not any(re.search(rf"enum [^}}]*}}\s*{name};", t) for _, t in texts)]
    lines = [f"#include <tacit/{name}>" for name, _ in texts] + [f"char size_{n}[sizeof({n})];" for n in names]
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder, "sizes.c"), pathlib.Path(folder, "sizes.o")
        source.write_text("\n".join(lines) + "\n")
        subprocess.run([*os.environ.get("CC", "cc").split(), "-std=c11", f"-I{ROOT / 'include'}",
                        f"-I{build / 'include'}", "-c", source, "-o", made], check=True)
        command = os.environ.get("NM", "nm").split() + ["-P", made]
        found = [line.split() for line in subprocess.run(command, capture_output=True, text=True,
                                                         check=True).stdout.splitlines()]
    return {word[0][len("size_"):]: int(word[3], 16) for word in found}


def interface(build):
    texts = list(headers(build))
    declared = {name: header for header, text in texts
                for name in re.findall(r"TACIT_API\b[^;(]*?\b(tacit_\w+)\s*\(", text)}
    functions = [f"{name} {declared.get(name, 'NO HEADER')}" for name in exported(build / "src/libtacit.so")]
    absent = [f"{name} {header} NOT EXPORTED" for name, header in sorted(declared.items())
              if not any(line.startswith(name + " ") for line in functions)]
    return functions + absent + [f"sizeof {name} {size}" for name, size in sorted(sizes(texts, build).items())]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    found = interface(build)
    if "--write" in sys.argv:
        LISTED.write_text(HEAD + "".join(line + "\n" for line in found))
        return 0
    wanted = [line for line in LISTED.read_text().splitlines() if not line.startswith("#")]
    changes = [line for line in difflib.unified_diff(wanted, found, "symbols.txt", "this build", lineterm="", n=0)
               if not line.startswith("@@")]
    functions = [line for line in found if not line.startswith("sizeof ")]
    table = [line for line in functions if line.endswith(" table.h")]
    core = [line for line in functions if " extra/" not in line and line not in table]
    print("1..3")
    print(f"{'not ok' if changes else 'ok'} 1 - the library exports what tests/abi/symbols.txt lists")
    for line in changes:
        print("# " + line)
    many = len(core) > MAX_CORE, len(table) > MAX_TABLE
    print(f"{'not ok' if many[0] else 'ok'} 2 - the core headers but table.h declare at most {MAX_CORE}")
    print(f"# {len(core)} functions, {len(functions) - len(core) - len(table)} in extra/")
    print(f"{'not ok' if many[1] else 'ok'} 3 - table.h declares at most {MAX_TABLE}")
    print(f"# {len(table)} functions")
    return 1 if changes or any(many) else 0


if __name__ == "__main__":
    sys.exit(main())
