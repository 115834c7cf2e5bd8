# SPDX-License-Identifier: MIT
"""A tiny tree that keeps every rule of lint.py, and ways to break each of them."""
import os
import pathlib
import subprocess
import tempfile

SPDX = "/* SPDX-License-Identifier: MIT */\n"

GOOD = {
    "src/meson.build": "foreach room : ['base', 'data', 'vault',\n  'learner']\nendforeach\n",
    "src/base/memory.h": SPDX + "#ifndef TACIT_BASE_MEMORY_H\n#define TACIT_BASE_MEMORY_H\n"
    "int tacit_size(int raw_count);\n#endif\n",
    "src/base/memory.c": SPDX + '#include "base/memory.h"\n'
    "int tacit_size(int raw_count) { return raw_count; }\n",
    "src/data/rows.c": SPDX + "int tacit_rows(int *raw_labels) { return raw_labels[0]; }\n",
    "src/vault/gaussian.c": SPDX + '#include "base/memory.h"\n'
    "/* Adds noise.\n   Proof: docs/proofs/noise.md */\n"
    "int tacit_sum_release(int raw_sum) {\n  return raw_sum;\n}\n",
    "src/learner/step.c": SPDX + '#include "base/memory.h"\n/* "raw_" is only a word here */\n'
    'static const char *const name = "printf(";\nint tacit_step(void) { return name[0]; }\n'
    "extern const int tacit_rate;\nconst int tacit_rate = 1;\n",
    "extra/meson.build": "foreach room : ['page']\nendforeach\n",
    "extra/page/page.c": SPDX + '#include "base/memory.h"\nint tacit_page(void) { return tacit_size(1); }\n',
    "cli/main.c": SPDX + "#include <stdio.h>\n#include <tacit/one.h>\n"
    '#include "cli.h"\nint main(void) { return puts("x") < 0; }\n',
    "mpi/main.c": SPDX + '#include "cli.h"\nint main(void) { return 0; }\n',
    "mpi/group.c": SPDX + "int tacit_carry(int raw_sum) { return raw_sum; }\n",
    "cli/calls.h": SPDX + "#ifndef TACIT_CALLS_H\n#define TACIT_CALLS_H\n"
    "int tacit_rows(int *labels), tacit_sum_release(int sum), tacit_step(void), tacit_page(void);\n"
    "static inline int calls(int *x) {\n"
    "  return tacit_rows(x) + tacit_sum_release(1) + tacit_step() + tacit_page();\n}\n#endif\n",
    "cli/cli.h": SPDX + "#ifndef TACIT_CLI_H\n#define TACIT_CLI_H\n#endif\n",
    "include/tacit/one.h": SPDX + "#ifndef TACIT_ONE_H\n#define TACIT_ONE_H\n"
    '#define TACIT_API\n#define TACIT_NODISCARD\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
    "typedef struct tacit_error { int status; } tacit_error;\ntypedef int tacit_status;\n"
    "/** One. */\nTACIT_API TACIT_NODISCARD tacit_status tacit_one(int what,\n"
    "                                                 tacit_error *err);\n"
    "#ifdef __cplusplus\n}\n#endif\n#endif\n",
    "TRUSTED": "T5: noise is secret\n  src/vault/gaussian.c | tacit_sum_release | adds noise\n",
    "tests/mutants/noise.mutant": "file: src/vault/gaussian.c\n",
    "packaging/debian/control": "Build-Depends: meson\n",
    "docs/proofs/noise.md": "# noise\n\n## Two parts\n",
    "README.md": "[the proof](docs/proofs/noise.md#two-parts), [far](https://example.org)\n",
}

# rule: list of (file, text to append or a pair (old, new) to replace)
BREAKS = {
    "rooms_include_only_lower_rooms": [
        ("src/base/memory.c", '#include "vault/law.h"\n'),
        ("src/base/memory.c", '#include "extra/page/page.h"\n'),
        ("extra/page/page.c", '#include "page.h"\n'),
        ("src/learner/step.c", '#include "memory.h"\n'),
        ("src/attic/old.c", SPDX),
        ("src/meson.build", ("foreach", "forevery")),
    ],
    "rooms_call_only_lower_rooms": [
        ("src/base/memory.c", "int tacit_step(void);\nint tacit_up(void) { return tacit_step(); }\n"),
        ("src/base/memory.c", "int tacit_page(void);\nint tacit_up(void) { return tacit_page(); }\n"),
        ("src/vault/gaussian.c", "extern const int tacit_rate;\n"
         "int tacit_now(void) { return tacit_rate; }\n"),
    ],
    "program_sees_the_public_interface_only": [
        ("cli/main.c", '#include "base/memory.h"\n'),
        ("cli/main.c", "#include <sodium.h>\n"),
        ("mpi/main.c", '#include "base/memory.h"\n'),
    ],
    "public_headers_need_nothing_else": [
        ("include/tacit/one.h", "#include <jansson.h>\n"),
        ("include/tacit/one.h", "#include <tacit/extra/two.h>\n"),
        ("include/tacit/one.h", "#ifdef TACIT_HAVE_ZSTD\n#endif\n"),
    ],
    "raw_values_stay_in_their_rooms": [
        ("src/learner/step.c", "int tacit_more(int raw_value);\n"),
        ("src/data/rows.c", "int tacit_less(int raw_value);\n"),
        ("cli/main.c", "static int raw_loss;\n"),
        ("mpi/main.c", "static int raw_loss;\n"),
    ],
    "only_the_vault_releases": [
        ("src/learner/step.c", "int tacit_step_release(int a,\n    int b)\n{\n  return a + b;\n}\n"),
    ],
    "only_runs_load_sums": [
        ("src/learner/step.c", "void tacit_fill(tacit_sum *sum) { *tacit_sum_raw_load(sum, 1) = 7; }\n"),
    ],
    "releases_carry_their_proof": [
        ("src/vault/gaussian.c", ("Proof: docs/proofs/noise.md ", "")),
        ("src/vault/gaussian.c", "int tacit_other_release(int a) { return a; }\n"),
    ],
    "proofs_exist_and_are_used": [
        ("src/base/memory.c", "/* Proof: docs/proofs/gone.md */\n"),
        ("docs/proofs/spare.md", "# spare\n"),
        ("src/vault/gaussian.c", ("docs/proofs/noise.md", "")),
    ],
    "randomness_comes_from_the_vault": [
        ("src/vault/gaussian.c", "int tacit_die(void) { return rand() % 6; }\n"),
        ("cli/main.c", "static double toss(void) { return drand48 (); }\n"),
    ],
    "library_is_silent": [
        ("src/base/memory.c", 'void tacit_say(void) { printf("x"); }\n'),
        ("src/base/memory.c", "void tacit_end(void) { exit(1); }\n"),
        ("src/base/memory.c", "void tacit_to(void) { fputs(name, stderr); }\n"),
    ],
    "pages_show_examples_as_they_are": [
        ("docs/howto/c.md", "```c\n/* SPDX-License-Identifier: MIT */\nint main(void) { return 1; }\n```\n"),
    ],
    "targets_of_workflows_exist": [
        (".github/workflows/ci.yml", "      - run: make nowhere\n"),
        (".github/workflows/ci.yml", "        target: [test, nowhere]\n      - run: make ${{ matrix.target }}\n"),
    ],
    "files_name_one_version": [
        ("CITATION.cff", "version: 0.1.9\n"),
        ("packaging/homebrew/tacit.rb", 'url "tacit-0.1.9.tar.gz"\n'),
    ],
    "packages_need_every_library": [
        ("docs/dependencies.md", "| libnone | >= 1 | MIT | linked | nothing |\n"),
    ],
    "nothing_is_left_for_later": [
        ("src/base/memory.c", "/* TO" + "DO: finish */\n"),
        ("README.md", "FIX" + "ME\n"),
    ],
    "comments_are_understood_alone": [
        ("extra/page/page.c", f"/* {words} */\n") for words in (
            "0: it is not as it should be.", "Makes a page; NULL: no memory.", "its name; NULL: none",
            "Those of\n   the file.", "its number, that of the file", "the number is none",
            "The same, backwards.", "… and its size", "Reads it. The same for files.", "done likewise",
            "Takes this in place of that.", "not a number, too", "the field behind it",
            "8 bytes a row")
    ],
    "licence_is_named": [("src/base/more.c", "int tacit_x(void);\n")],
    "no_paths_of_one_machine": [
        ("README.md", "see /ho" + "me/ann/x\n"),
        ("src/base/memory.c", '/* "/wo' + 'rk" */\n'),
    ],
    "headers_have_guards": [
        ("src/base/other.h", SPDX + "#ifndef OTHER_H\n#define OTHER_H\n#endif\n"),
        ("src/base/bare.h", SPDX),
        ("src/base/same.h", SPDX + "#ifndef TACIT_ONE_H\n#define TACIT_ONE_H\n#endif\n"),
        ("include/tacit/one.h", ("TACIT_ONE_H", "TACIT_FIRST_H")),
        ("cli/cli.h", ("#define TACIT_CLI_H", "#define CLI_H")),
    ],
    "public_functions_are_marked": [
        ("include/tacit/one.h", "int tacit_two(int x);\n"),
        ("include/tacit/one.h", "TACIT_API tacit_status tacit_two(tacit_error *err);\n"),
        ("include/tacit/one.h", "TACIT_API void tacit_two(tacit_error *err, int x);\n"),
    ],
    "no_flags_that_change_results": [
        ("src/meson.build", "c_args: '-ffast" + "-math'\n"),
        ("tools/build.sh", "gcc -march=" + "native\n"),
    ],
    "results_do_not_depend_on_the_processor": [
        ("src/base/size.c", SPDX + "double size(double a) { return hypot(a, 1); }\n"),
        ("tests/unit/data/text/shapes.c", SPDX + "static void test(void) { skip(); }\n"),
    ],
    "bench_programs_compile": [("bench/speed/old.c", SPDX + '#include "gone.h"\n')],
    "headers_compile_alone": [("cli/cli.h", ("#endif", "size_t count;\n#endif"))],
    "doc_comments_stand_over_a_declaration": [
        ("include/tacit/one.h", ("/** One. */\n", "/** One. */\n/** Another. */\n")),
    ],
    "example_of_the_header_compiles": [
        ("include/tacit/tacit.h", SPDX + "#ifndef TACIT_H\n#define TACIT_H\n"
         "/*\n *   tacit_no_such_thing(\n */\n#endif\n"),
    ],
    "example_of_the_readme_compiles": [
        ("README.md", "\n```c\ntacit_no_such_thing();\n```\n"),
    ],
    "followed_row_passes_real_functions": [
        ("docs/follow-a-row.md", "| `tacit_gone` | [one](../src/base/memory.c) | 1 | 1 | 1 | is gone |\n"),
        ("docs/follow-a-row.md", "| `main` | [main](../cli/main.c) | 1 | 1 |  | starts |\n"),
        ("docs/follow-a-row.md", "| `main` | [main](../cli/main.c) | 1 | 1 | 1 | starts |\n" * 25),
        ("docs/follow-a-row.md", "# Follow a row\n"),
    ],
    "config_names_every_mechanism": [
        ("src/mechanism/tree.c", SPDX + 'static const struct ops tree = {.name = "tree"};\n'),
    ],
    "config_agrees_with_its_table": [
        ("include/tacit/config_fields.h", '  F(size, REAL, 0, 1, NULL, "size", "S", "7", "a size", 0)\n'),
    ],
    "python_guide_names_every_library": [("meson.build", "curl = dependency('libcurl')\n")],
    "files_are_short": [
        ("src/base/long.c", SPDX + "int a;\n" * 400),
        ("cli/long.c", SPDX + "int a;\n" * 400),
        ("src/algorithm1/algorithm1.c", SPDX + "int a;\n" * 120),
    ],
    "functions_are_short": [
        ("src/base/long.c", SPDX + "int tacit_long(int a) {\n" + "  ++a;\n" * 38 + "  return a;\n}\n"),
        ("cli/long.c", SPDX + "int cli_long(int a) {\n" + "  ++a;\n" * 38 + "  return a;\n}\n"),
    ],
    "functions_are_called": [
        ("src/learner/step.c", "int tacit_idle(void) { return 1; }\n"),
        ("src/base/memory.h", ("#endif", "static inline int tacit_idle(void) { return 1; }\n#endif")),
    ],
    "trusted_files_carry_planted_bugs": [
        ("TRUSTED", "  src/base/memory.c | counts\n"),
        ("TRUSTED", ("adds noise", "adds noise; none: it is short")),
        ("TRUSTED", ("tacit_sum_release", "tacit_other")),
        ("TRUSTED", ("T5", "T2")),
        ("TRUSTED", "  bugs: silence\n"),
        ("tests/mutants/noise.mutant", "file: src/base/memory.c\n"),
        ("src/vault/key.c", SPDX),
    ],
    "vault_stands_on_three_rooms": [
        ("src/vault/gaussian.c", '#include "data/rows.h"\n'),
    ],
    "folders_stay_below_their_ceilings": [
        ("src/base/many.c", SPDX + "int a;\n" * 99999),
        ("extra/page/many.c", SPDX + "int a;\n" * 99999),
        ("src/vault/long.c", SPDX + "int a;\n" * 1901),
        ("cli/many.c", SPDX + "int a;\n" * 9999),
    ],
    "type_tags_have_one_body": [
        ("src/learner/step.c", "struct tacit_error { int code; };\n"),
        ("src/learner/step.c", "struct tacit_twice { int one; };\nstruct tacit_twice { int two; };\n"),
        ("include/tacit/one.h", ("struct tacit_error", "enum where { HERE };\nenum where { THERE };\nstruct tacit_error")),
    ],
    "programs_read_json_when_memory_runs_out": [
        ("cli/read.c", SPDX + "void *read(void) { return json_loads(0, 0, 0); }\n"),
    ],
    "made_files_are_fresh": [("tools/blt_table.py", "print('another table')\n")],
    "links_lead_somewhere": [
        ("README.md", "[gone](docs/gone.md)\n"),
        ("README.md", "[gone](docs/proofs/noise.md#three-parts)\n"),
        ("docs/proofs/noise.md", "[gone](docs/proofs/noise.md)\n"),
    ],
}

# Rules that read the objects of the library.
NEED_OBJECTS = {"rooms_call_only_lower_rooms"}


def compile_sources(root):
    """Makes the objects of src/ and extra/ in a build folder, named as Meson names them."""
    build = root / "build"
    (build / "src/libtacit.p").mkdir(parents=True)
    for source in sorted([*(root / "src").rglob("*.c"), *(root / "extra").rglob("*.c")]):
        name = os.path.relpath(source, root / "src").replace("/", "_")
        subprocess.run(os.environ.get("CC", "cc").split() + ["-I", root / "src", "-c", source,
                       "-o", build / "src/libtacit.p" / f"{name}.o"], check=True)
    return build


def plant(lint, files, rule):
    """Writes the files below a new folder and reads them as a tree."""
    folder = tempfile.TemporaryDirectory()
    for name, text in files.items():
        path = pathlib.Path(folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    root = pathlib.Path(folder.name)
    build = compile_sources(root) if rule.__name__ in NEED_OBJECTS else None
    return folder, lint.Tree(root, build)


def damaged(name, change):
    files = dict(GOOD)
    if isinstance(change, tuple):
        assert change[0] in files[name], (name, change)
        files[name] = files[name].replace(*change)
    else:
        files[name] = files.get(name, "") + change
    return files


def run(lint):
    """TAP: each rule finds nothing in the good tree and something in each broken one."""
    print(f"1..{len(lint.RULES)}")
    failed = False
    for number, rule in enumerate(lint.RULES, 1):
        faults = []
        folder, tree = plant(lint, GOOD, rule)
        with folder:
            faults += [f"on the good tree: {x}" for x in rule(tree)]
        breaks = BREAKS.get(rule.__name__, [])
        if not breaks:
            faults.append("no example breaks it")
        for name, change in breaks:
            folder, tree = plant(lint, damaged(name, change), rule)
            with folder:
                if not list(rule(tree)):
                    faults.append(f"misses the fault in {name}: {change!r:.80}")
        print(f"{'not ok' if faults else 'ok'} {number} - can fail: {lint.title(rule)}")
        for fault in faults:
            print(f"# {fault}")
        failed = failed or bool(faults)
    return 1 if failed else 0
