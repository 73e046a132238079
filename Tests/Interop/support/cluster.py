"""What `make cluster` starts: PostgreSQL, three nodes, and haproxy. A killed process is started again after a second."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from .latchkey import binary
from .ports import free_ports
from .postgresql import give_to_server
from .waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]


class Cluster:
    def __init__(self, folder: Path, *options: str):
        self._status = folder / "status.json"
        self.log = folder / "cluster.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "Scripts/cluster"), "--port", str(free_ports(13)),
                 "--status", str(self._status), "--binary", str(binary()), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )
        try:
            wait_until(lambda: self._status.exists(), 270, "the cluster", self.process)
        except BaseException:
            self.stop()
            raise AssertionError(self.log.read_text()) from None

    @property
    def status(self) -> dict:
        return json.loads(self._status.read_text())

    @property
    def url(self) -> str:
        return self.status["proxy"]

    @property
    def secret(self) -> str:
        return (Path(self.status["folder"]) / "secret").read_text()

    def database_url(self, role: str = "latchkey", database: str = "latchkey") -> str:
        host = self.status["folder"].replace("/", "%2F")
        return f"postgresql://{role}@{host}:5432/{database}"

    def node(self, number: int) -> dict:
        return self.status["nodes"][number]

    def end(self, number: int, how: signal.Signals) -> int:
        """Ends a node; the pid that it had."""
        pid = self.node(number)["pid"]
        os.kill(pid, how)
        return pid

    @contextlib.contextmanager
    def without_restarts(self):
        """Stops the script that starts killed processes again, so that an outage lasts as long as a test looks at it."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def wait_for_node(self, number: int, former: int | None = None, timeout: float = 90):
        """Until the node answers, in another process than the former one."""
        def is_back():
            node = self.node(number)
            return node["pid"] != former and status(node["url"] + "/readyz") == 200
        wait_until(is_back, timeout, f"node {number}", self.process)

    def node_log(self, number: int) -> str:
        return (Path(self.status["folder"]) / f"{self.node(number)['name']}.log").read_text()

    def sql(self, statement: str) -> str:
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement, self.status["database"]],
            check=True, capture_output=True, text=True,
        ).stdout

    def folder(self, name: str) -> Path:
        """A folder that PostgreSQL may write."""
        path = Path(self.status["folder"]) / name
        path.mkdir(mode=0o700)
        give_to_server(path)
        return path

    def restart_postgresql(self):
        former = self.status["pids"]["postgresql"]
        os.kill(former, signal.SIGINT)
        wait_until(lambda: self.status["pids"]["postgresql"] != former, 90, "PostgreSQL", self.process)
        for number in range(len(self.status["nodes"])):
            self.wait_for_node(number)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Unrest:
    """Ends one node after the other, by kill -9 or SIGTERM, and goes on when it is back: two always serve.

    With the default pause each lives for more than five seconds. None that lives less takes up what the dead had in hand.
    """

    def __init__(self, cluster: Cluster, pause: float = 2):
        self.cluster = cluster
        self.ended = 0
        # The moments right before and after each end, by the system's clock.
        self.moments: list[tuple[float, float]] = []
        self._pause = pause
        self._stop = threading.Event()
        self._failure = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        if self._failure:
            raise self._failure

    def _run(self):
        try:
            while not self._stop.wait(self._pause):
                number = self.ended % 3
                before = time.time()
                former = self.cluster.end(number, signal.SIGTERM if self.ended % 4 == 3 else signal.SIGKILL)
                self.moments.append((before, time.time()))
                self.ended += 1
                self.cluster.wait_for_node(number, former)
        except BaseException as failure:
            self._failure = failure


def status(url: str) -> int | None:
    """The status of an answer; None without one."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return None
