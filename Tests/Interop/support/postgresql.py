"""PostgreSQL servers of the tests' own, as Tests/PostgreSQLHarness has them: on a socket beside their data."""
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

from .waiting import wait_until

# PostgreSQL refuses to run as root.
UNPRIVILEGED = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


def binaries() -> Path:
    """Where the programs of the newest server are."""
    servers = list(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    assert servers, "no server in /usr/lib/postgresql: apt-get install postgresql"
    return max(servers, key=lambda path: int(path.parts[4])).parent


def give_to_server(folder: Path):
    """Lets PostgreSQL write a folder."""
    if UNPRIVILEGED:
        shutil.chown(folder, "postgres", "postgres")


class PostgreSQL:
    """A server on a new data folder or one that is there already, which answers."""

    def __init__(self, data: Path, **settings: str):
        self.folder = data.parent
        self._numbers = itertools.count(1)
        if not data.exists():
            subprocess.run([*UNPRIVILEGED, binaries() / "initdb", "-D", data, "-U", "latchkey", "-A", "trust",
                            "-E", "UTF8", "--locale=C.UTF-8", "-N"], check=True, cwd="/", capture_output=True)
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder)} | settings
        self._command = [*UNPRIVILEGED, binaries() / "postgres", "-D", data,
                         *(f"--{name}={value}" for name, value in settings.items())]
        self._log = data / "server.log"
        self.start()

    def start(self):
        """Starts the server, also again after `stop`; returns once it answers."""
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(self._command, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            wait_until(lambda: self.sql("SELECT 1", "postgres"), 60, "PostgreSQL", self._process)
        except AssertionError:
            self.stop(signal.SIGQUIT)
            raise AssertionError(self._log.read_text()) from None

    @classmethod
    def temporary(cls) -> "PostgreSQL":
        """One in a folder of its own, which `remove` ends; tests break no disks.

        It is in memory if there is room, because each database is three hundred files.
        """
        memory = Path("/dev/shm")
        has_room = memory.is_dir() and shutil.disk_usage(memory).free >= 2 << 30
        folder = Path(tempfile.mkdtemp(prefix="latchkey-pg-interop-", dir=memory if has_room else None))
        give_to_server(folder)
        return cls(folder / "data", fsync="off", full_page_writes="off")

    def url(self, database: str) -> str:
        return f"postgresql://latchkey@{urllib.parse.quote(str(self.folder), safe='')}:5432/{database}"

    def sql(self, statement: str, database: str = "latchkey") -> str | None:
        """What it answers; None while it does not."""
        done = subprocess.run(["psql", "-XqAt", "-c", statement, self.url(database)], capture_output=True, text=True)
        return None if done.returncode else done.stdout.strip()

    def make_database(self) -> str:
        """The URL of a fresh, empty database."""
        name = f"interop_{next(self._numbers)}"
        assert self.sql(f"CREATE DATABASE {name} TEMPLATE template0", "postgres") is not None, name
        return self.url(name)

    def stop(self, how: signal.Signals = signal.SIGINT):
        if self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(30)

    def remove(self):
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)
