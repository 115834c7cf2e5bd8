# SPDX-License-Identifier: MIT
"""tools/summary.py decides whether `make test` says "0 failed": TAP, one line a case."""
import json
import pathlib
import subprocess
import sys
import tempfile

SUMMARY = pathlib.Path(sys.argv[1]) / "tools" / "summary.py"
TWO_OK = "1..2\nok 1 - a\nok 2 - b\n"

# name: (programs as (protocol, result, stdout), programs without a result, last line, status)
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
    "silence fails": ([("tap", "OK", "")], 0, "0 passed, 1 failed", 1),
    "nothing ran fails": ([], 0, "0 passed, 0 failed", 1),
    "a program without a result fails": ([("tap", "OK", TWO_OK)], 1, "2 passed, 1 failed", 1),
}


def run(programs, n_lost):
    """Last line and exit status of summary.py on a made-up build folder."""
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
        result = subprocess.run([sys.executable, SUMMARY, folder], capture_output=True,
                                text=True, check=False)
        return (result.stdout.splitlines() or [result.stderr])[-1], result.returncode


print(f"1..{len(CASES)}")
for number, (name, (programs, n_lost, line, status)) in enumerate(CASES.items(), 1):
    got = run(programs, n_lost)
    print(f"{'ok' if got == (line, status) else 'not ok'} {number} - {name}")
    if got != (line, status):
        print(f"# {got[0]} (status {got[1]})")
