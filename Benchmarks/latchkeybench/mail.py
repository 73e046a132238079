"""Mails a second: through the outbox, and what postfix's own sender reaches."""

import contextlib
import os
import socket
import sqlite3
import subprocess
import threading
import time

from . import client, servers
from .processes import free_port, memory, running

SINK = "/usr/sbin/smtp-sink"
SOURCE = "/usr/sbin/smtp-source"
SESSIONS = 4


@contextlib.contextmanager
def sink(folder: str):
    """postfix's smtp-sink. Gives its port and a function that tells how many mails it took."""
    port = free_port()
    path = os.path.join(folder, f"sink-{port}")
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    with open(path, "wb") as counters, running(
        [SINK, *user, "-c", f"127.0.0.1:{port}", "200"], port, stdout=counters, stderr=subprocess.DEVNULL
    ):
        yield port, lambda: taken(path)


def taken(path: str) -> int:
    """The last number that smtp-sink's running counter showed."""
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 200))
        _, found, number = file.read().rpartition(b"mesg=")
    return int(number.split()[0] or 0) if found and number.split() else 0


@contextlib.contextmanager
def deaf_server():
    """A mail server that takes connections and says nothing, so that mails wait in the outbox."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken: list[socket.socket] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    taken.append(listener.accept()[0])

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        for connection in taken:
            connection.close()


def reference(folder: str, count: int, length: int) -> float:
    """Mails a second of smtp-source over as many connections as Latchkey has, reused as Latchkey does."""
    with sink(folder) as (port, _):
        command = [SOURCE, "-d", "-s", str(SESSIONS), "-m", str(count), "-l", str(length)]
        command += ["-f", "bench@example.com", "-t", "bench@example.com", f"127.0.0.1:{port}"]
        begun = time.monotonic()
        subprocess.run(command, check=True, timeout=60, capture_output=True)
        return count / (time.monotonic() - begun)


def fill(binary: str, folder: str, count: int) -> None:
    """Queues e-mails while the mail server accepts none."""
    with deaf_server() as port, servers.latchkey(binary, folder, port) as server:
        client.in_parallel(
            server.port,
            [
                lambda client, n=n: client.post(
                    "/v1/accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": f"m{n}@example.com"}
                )
                for n in range(count)
            ],
        )
    # What the deaf server kept waiting is due at once again.
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "latchkey.db"))) as database, database:
        database.execute("UPDATE outbox SET due_at = 0, leased_by = NULL WHERE settled_at IS NULL")


def outbox(binary: str, folder: str, count: int) -> dict:
    """Mails a second that leave a full outbox, from the first to the last that arrives."""
    fill(binary, folder, count)
    with sink(folder) as (port, arrived), servers.latchkey(binary, folder, port) as server:
        first = last = time.monotonic()
        begun = seen = 0
        while seen < count and time.monotonic() - last < 5:
            now, number = time.monotonic(), arrived()
            if number and not begun:
                first, begun = now, number
            if number > seen:
                seen, last = number, now
            time.sleep(0.005)
        rate = (seen - begun) / max(last - first, 1e-6)
        return {"rate": rate, "mails": seen, "memory": memory(server.process)[0]}
