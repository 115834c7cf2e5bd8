# SPDX-License-Identifier: MIT
"""A PostgreSQL server for tests, in a temporary folder."""
import glob
import os
import pwd
import subprocess


class Server:
    """A PostgreSQL server on a socket in a folder of its own. It refuses to run as root,
    so root starts it as the user that Debian's package makes."""

    def __init__(self, folder):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise FileNotFoundError("no PostgreSQL server is installed")
        self.bin, self.folder, self.user = programs[-1], folder, None
        if os.geteuid() == 0:
            self.user = pwd.getpwnam("postgres")
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
            os.chmod(folder, 0o755)
        self.call("initdb", "-D", folder + "/data", "-A", "trust", "-U", "tacit", "-N")
        options = f"-k {folder} -c listen_addresses= -c max_connections=200"
        self.call("pg_ctl", "-D", folder + "/data", "-w", "-l", folder + "/log",
                  "-o", options, "start")

    def call(self, program, *words):
        switch = {}
        if self.user is not None:
            switch = dict(user=self.user.pw_uid, group=self.user.pw_gid, extra_groups=[])
        subprocess.run([f"{self.bin}/{program}", *words], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **switch)

    def address(self):
        return f"postgresql://tacit@/postgres?host={self.folder}"

    def stop(self):
        self.call("pg_ctl", "-D", self.folder + "/data", "-m", "immediate", "stop")
