# SPDX-License-Identifier: MIT
"""What test scripts of the command line share: TAP lines, and calls of the program in a temporary
folder of their own."""
import os
import shutil
import subprocess
import tempfile


class Script:
    def __init__(self, program, name):
        self.program, self.count = os.path.abspath(program), 0
        self.folder = tempfile.mkdtemp(prefix=f"tacit-{name}-")
        os.chdir(self.folder)

    def check(self, ok, name, note=""):
        """A TAP line; the note is for a failure."""
        self.count += 1
        print(f"{'ok' if ok else 'not ok'} {self.count} - {name}")
        if not ok and note:
            print("\n".join("# " + line for line in str(note).splitlines()))

    def call(self, *words, env=None):
        """Exit code, standard output and standard error."""
        result = subprocess.run([self.program, *words], capture_output=True, text=True,
                                env={**os.environ, **(env or {})})
        return result.returncode, result.stdout, result.stderr

    def end(self):
        os.chdir("/")
        shutil.rmtree(self.folder)
        print(f"1..{self.count}")
