"""How long the server takes to start: from the new process until `/readyz` says that it is ready."""

import contextlib
import signal
import socket
import subprocess
import time
from statistics import median

from . import servers
from .processes import anonymous_memory, free_port, processor_time

COUNT = 9
# Seconds: what a start leaves to be done later is done by then.
AFTERWARDS = 1.0


def measure(binary: str, folder: str) -> dict:
    """Milliseconds until ready, with a new database and with one that exists: medians of several starts."""
    new = [measured(binary, f"{folder}/new{number}.db", 0.0)[0] for number in range(COUNT)]
    existing = [measured(binary, f"{folder}/new0.db", 0.0)[0] for _ in range(COUNT)]
    return {"new": median(new), "existing": median(existing), "count": COUNT}


def measured(binary: str, database: str, afterwards: float = AFTERWARDS) -> tuple[float, float, float]:
    """Milliseconds until the server is ready, of processor time, and MiB of anonymous memory a moment later."""
    port = free_port()
    environment = servers.plain_environment() | {
        "LATCHKEY_LISTEN": f"127.0.0.1:{port}",
        "LATCHKEY_DATABASE": f"sqlite:{database}",
        "LATCHKEY_SMTP_URL": "smtp://127.0.0.1:1",
    }
    begun = time.monotonic()
    process = subprocess.Popen([binary, "serve"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not is_ready(port):
            if process.poll() is not None or time.monotonic() > begun + 60:
                raise RuntimeError(f"{binary} does not become ready")
            time.sleep(0.0005)
        ready = time.monotonic() - begun
        time.sleep(afterwards)
        return ready * 1000, processor_time(process) * 1000, anonymous_memory(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def is_ready(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as connection:
        connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return b" 200 " in connection.recv(64)
    return False
