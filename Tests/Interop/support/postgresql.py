"""A PostgreSQL server of the tests' own, as Tests/PostgreSQLHarness has one: in a temporary folder, on a socket there."""
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path

BINARIES = Path("/usr/lib/postgresql/15/bin")


class PostgreSQL:
    def __init__(self):
        assert (BINARIES / "postgres").exists(), f"no server in {BINARIES}: apt-get install postgresql"
        self.folder = Path(tempfile.mkdtemp(prefix="latchkey-pg-interop-"))
        # The server refuses to run as root.
        self._as_user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self._as_user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        self._numbers = itertools.count(1)
        self._run("initdb", "-D", f"{self.folder}/data", "-U", "latchkey", "-A", "trust", "-E", "UTF8",
                  "--locale=C.UTF-8", "-N")
        # Tests break no disks.
        options = [f"unix_socket_directories={self.folder}", "listen_addresses=", "fsync=off", "full_page_writes=off"]
        with open(self.folder / "log", "w") as log:
            self._process = subprocess.Popen(
                self._as_user + [BINARIES / "postgres", "-D", f"{self.folder}/data"]
                + [word for option in options for word in ("-c", option)],
                cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                self._sql("SELECT 1")
                break
            except subprocess.CalledProcessError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise AssertionError((self.folder / "log").read_text()) from None
                time.sleep(0.05)

    def _run(self, program: str, *words: str):
        subprocess.run(self._as_user + [BINARIES / program, *words], cwd="/", check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _sql(self, statement: str):
        self._run("psql", "-X", "-h", str(self.folder), "-U", "latchkey", "-d", "postgres", "-c", statement)

    def make_database(self) -> str:
        """The URL of a fresh, empty database, which goes with the server."""
        name = f"interop_{next(self._numbers)}"
        self._sql(f"CREATE DATABASE {name} TEMPLATE template0")
        return f"postgresql://latchkey@{urllib.parse.quote(str(self.folder), safe='')}/{name}"

    def stop(self):
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
