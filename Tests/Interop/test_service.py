"""What the server tells systemd, on a socket that stands in for systemd's (sd_notify)."""
import contextlib
import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.latchkey import SECRET, binary
from support.ports import free_port
from support.postgresql import PostgreSQL
from support.programs import environment
from support.service_manager import Manager
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")

# The server pings three times within this.
INTERVAL = 3.0
# The interval where a test measures the time between pings. The pauses of a slow machine are short next to it.
LONG_INTERVAL = 9.0


class Service:
    def __init__(self, folder: Path, manager: Manager, **settings):
        self.port = free_port()
        settings = {
            "LATCHKEY_LISTEN": f"127.0.0.1:{self.port}", "LATCHKEY_MAILBOX_LISTEN": f"127.0.0.1:{free_port()}",
            "LATCHKEY_DATABASE": f"sqlite:{folder}/latchkey.db", "NOTIFY_SOCKET": manager.address,
            "WATCHDOG_USEC": str(int(INTERVAL * 1_000_000)),
        } | settings
        self.process = subprocess.Popen([str(binary()), "serve"], cwd=folder, env=environment(**settings),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def status(self, path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()


@pytest.fixture(params=["file", "abstract"])
def manager(request, tmp_path):
    address = f"@latchkey-test-{os.getpid()}-{tmp_path.name}" if request.param == "abstract" else f"{tmp_path}/notify"
    listening = Manager(address)
    yield listening
    listening.stop()


@pytest.fixture
def start(tmp_path):
    started = []

    def begin(manager, **settings):
        started.append(Service(tmp_path, manager, **settings))
        return started[-1]

    yield begin
    for service in started:
        service.stop()


def test_ready_pings_and_stop_are_reported(manager, start):
    service = start(manager)
    wait_until(lambda: manager.heard("READY"), 30, "READY=1", service.process)
    assert service.status("/readyz") in (200, 503), "it answers once it is ready"
    wait_until(lambda: len(manager.heard("WATCHDOG")) >= 4, 30, "pings", service.process)
    assert manager.heard("READY")[0] < manager.heard("WATCHDOG")[0]
    service.process.terminate()
    assert service.process.wait(20) == 0
    wait_until(lambda: manager.heard("STOPPING"), 20, "STOPPING=1")
    statuses = [message["STATUS"] for _, message in manager.messages if "STATUS" in message]
    assert statuses[0] == f"Listening on http://127.0.0.1:{service.port}" and statuses[-1] == "Stopping"


def test_a_reload_is_reported_from_its_beginning_to_its_end(tmp_path, start):
    manager = Manager(f"{tmp_path}/notify")
    file = tmp_path / "latchkey.json5"
    file.write_text("{}")
    service = start(manager, LATCHKEY_CONFIG=str(file))
    wait_until(lambda: manager.heard("READY"), 30, "READY=1", service.process)
    # A reload that is refused ends too: otherwise systemd would wait for it.
    for count, text in enumerate(['{ appName: "Other" }', "{ appName: "], 1):
        file.write_text(text)
        asked = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(manager.heard("READY")) > count, 30, "the end of a reload", service.process)
        told = [message for _, message in manager.messages if not message.keys() & {"WATCHDOG"}]
        assert ["RELOADING" in message for message in told[-2:]] == [True, False]
        # systemd ignores notifications that are older than its signal.
        assert asked <= int(told[-2]["MONOTONIC_USEC"]) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        assert len(manager.heard("RELOADING")) == count
    manager.stop()


def test_a_stop_is_reported_before_the_wait_for_load_balancers(tmp_path, start):
    manager = Manager(f"{tmp_path}/notify")
    service = start(manager, LATCHKEY_SHUTDOWN_DRAIN="60s")
    wait_until(lambda: manager.heard("READY"), 30, "READY=1", service.process)
    service.process.terminate()
    wait_until(lambda: manager.heard("STOPPING"), 20, "STOPPING=1", service.process)
    wait_until(lambda: service.status("/readyz") == 503, 20, "a node that is not ready", service.process)
    stopped = time.monotonic()
    # The watchdog gets its pings until the process ends.
    wait_until(lambda: [moment for moment in manager.heard("WATCHDOG") if moment > stopped], 20, "pings", service.process)
    service.process.terminate()
    assert service.process.wait(20) == 0
    manager.stop()


def test_pings_meant_for_another_process_are_not_sent(tmp_path, start):
    manager = Manager(f"{tmp_path}/notify")
    service = start(manager, WATCHDOG_PID="1", WATCHDOG_USEC="300000")
    wait_until(lambda: manager.heard("READY"), 30, "READY=1", service.process)
    time.sleep(1)
    assert not manager.heard("WATCHDOG")
    manager.stop()


def test_a_database_that_is_away_does_not_stop_the_pings(tmp_path, start):
    manager = Manager(f"{tmp_path}/notify")
    cluster = PostgreSQL.temporary()
    try:
        service = start(manager, LATCHKEY_DATABASE=cluster.make_database(), LATCHKEY_SECRET=SECRET,
                        WATCHDOG_USEC=str(int(LONG_INTERVAL * 1_000_000)))
        wait_until(lambda: manager.heard("READY"), 30, "READY=1", service.process)
        wait_until(lambda: service.status("/readyz") == 200, 30, "a ready node", service.process)
        cluster.stop(signal.SIGQUIT)
        wait_until(lambda: service.status("/readyz") == 503, 30, "a node that is not ready", service.process)
        away = time.monotonic()
        # Calls that need the database come in all the time.
        ends = threading.Event()

        def keep_calling():
            while not ends.wait(0.1):
                with contextlib.suppress(OSError):
                    service.status("/.well-known/jwks.json")

        calls = [threading.Thread(target=keep_calling) for _ in range(20)]
        for call in calls:
            call.start()
        try:
            wait_until(lambda: len([moment for moment in manager.heard("WATCHDOG") if moment > away]) >= 5, 60, "pings",
                       service.process)
        finally:
            ends.set()
            for call in calls:
                call.join()
        pings = [moment for moment in manager.heard("WATCHDOG") if moment > away]
        assert max(later - earlier for earlier, later in zip(pings, pings[1:])) < LONG_INTERVAL
    finally:
        cluster.remove()
        manager.stop()


def test_a_process_that_is_stuck_sends_no_pings(tmp_path, start):
    manager = Manager(f"{tmp_path}/notify")
    service = start(manager)
    wait_until(lambda: manager.heard("WATCHDOG"), 30, "a ping", service.process)
    service.process.send_signal(signal.SIGSTOP)
    time.sleep(1)  # A ping may be on its way.
    count = len(manager.heard("WATCHDOG"))
    time.sleep(INTERVAL)
    assert len(manager.heard("WATCHDOG")) == count
    service.process.send_signal(signal.SIGCONT)
    wait_until(lambda: len(manager.heard("WATCHDOG")) > count, 30, "pings again", service.process)
    manager.stop()
