# SPDX-License-Identifier: MIT
"""Checks tools/summary.py, which counts the failures of `make test`. TAP, one line per case."""
import json
import pathlib
import subprocess
import sys
import tempfile

SUMMARY = pathlib.Path(sys.argv[1]) / "tools" / "summary.py"
TWO_OK = "1..2\nok 1 - a\nok 2 - b\n"

GOOD = '<testcase classname="c" name="a"/>'
BAD = '<testcase classname="c" name="b"><failure/></testcase>'
LOST = '<testcase classname="c" name="c"><error/></testcase>'
LEFT_OUT = '<testcase classname="c" name="d"><skipped/></testcase>'

# name: (JUnit file or None if it is missing, last line, status); beside it two TAP lines pass
JUNIT = {
    "JUnit cases are added": (f"<t>{GOOD}{GOOD}{LEFT_OUT}</t>", "4 passed, 0 failed", 0),
    "a JUnit failure fails": (f"<t>{GOOD}{BAD}</t>", "3 passed, 1 failed", 1),
    "a JUnit error fails": (f"<t>{GOOD}{LOST}</t>", "3 passed, 1 failed", 1),
    "no JUnit file fails": (None, "2 passed, 1 failed", 1),
    "half a JUnit file fails": (f"<t>{GOOD}", "2 passed, 1 failed", 1),
    "an empty JUnit file fails": ("<t/>", "2 passed, 1 failed", 1),
}

# name: (programs as (protocol, result, stdout), programs without a result, last line, status
#        and optionally a line that must come before)
CASES = {
    "counts TAP lines": ([("tap", "OK", TWO_OK)], 0, "2 passed, 0 failed", 0),
    "a program without TAP is one test": (
        [("exitcode", "OK", "ok 1\nok 2\n"), ("tap", "OK", TWO_OK)], 0, "3 passed, 0 failed", 0),
    "a failed line fails": (
        [("tap", "FAIL", "1..2\nok 1 - a\nnot ok 2 - b\n")], 0, "1 passed, 1 failed", 1),
    "a crash after good lines fails": ([("tap", "ERROR", TWO_OK)], 0, "2 passed, 1 failed", 1),
    "a timeout fails": ([("exitcode", "TIMEOUT", "")], 0, "0 passed, 1 failed", 1),
    "an unexpected pass fails": ([("exitcode", "UNEXPECTEDPASS", "")], 0, "0 passed, 1 failed", 1),
    "skipped is not passed": (
        [("tap", "OK", "1..2\nok 1 - a # SKIP no tool\nok 2 - b\n")], 0, "1 passed, 0 failed", 0),
    "left out is a pass with a note": (
        [("tap", "OK", "1..1\n# left out: a: no such processor\nok 1 - a\n")], 0,
        "1 passed, 0 failed", 0, "left out of program0: a: no such processor"),
    "silence fails": ([("tap", "OK", "")], 0, "0 passed, 1 failed", 1),
    "nothing ran fails": ([], 0, "0 passed, 0 failed", 1),
    "a program without a result fails": ([("tap", "OK", TWO_OK)], 1, "2 passed, 1 failed", 1),
}


def run(programs, n_lost, junit=()):
    """The lines and the exit status of summary.py for a synthetic build folder."""
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        (build / "meson-logs").mkdir()
        (build / "meson-info").mkdir()
        lines, known = [], []
        for number, (protocol, result, stdout) in enumerate(programs):
            command = [f"program{number}"]
            known.append({"cmd": command, "protocol": protocol})
            lines.append(json.dumps(
                {"name": command[0], "command": command, "result": result, "stdout": stdout}))
        known += [{"cmd": [f"lost{i}"], "protocol": "tap"} for i in range(n_lost)]
        (build / "meson-logs" / "testlog.json").write_text("\n".join(lines), "utf-8")
        (build / "meson-info" / "intro-tests.json").write_text(json.dumps(known), "utf-8")
        more = [str(build / "results.xml") for _ in junit]
        if any(junit):
            (build / "results.xml").write_text(junit[0], "utf-8")
        result = subprocess.run([sys.executable, SUMMARY, folder, str(len(known)), *more], capture_output=True,
                                text=True, check=False)
        return result.stdout.splitlines() or [result.stderr], result.returncode


results = [(name, run(*case[:2]), case[2:]) for name, case in CASES.items()]
results += [(name, run([("tap", "OK", TWO_OK)], 0, [text]), (line, status))
            for name, (text, line, status) in JUNIT.items()]
print(f"1..{len(results)}")
for number, (name, (lines, status), (last, wanted, *others)) in enumerate(results, 1):
    good = lines[-1] == last and status == wanted and all(line in lines for line in others)
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not good:
        print(f"# {' / '.join(lines)} (status {status})")
