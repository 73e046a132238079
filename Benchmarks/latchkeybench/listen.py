"""Listeners: what each costs, how soon it hears, and what the others notice of it."""

import http.client
import json
import os
import random
import selectors
import socket
import time
from statistics import median

from . import servers
from .client import guests
from .load import JSON, write_lines, wrk
from .processes import memory

COUNTS = [1000, 10_000]
STREAMS_PER_USER = 8
CONNECTIONS = 64


def measure(binary: str, folder: str, smtp: int, count: int, changes: int, seconds: float, say) -> dict:
    """A server with so many listeners: MiB, KiB for each, ms from a PUT to its event, signUp's rate beside them."""
    settings = {
        "LATCHKEY_CONNECTIONS": str(count + 2000),
        "LATCHKEY_LISTENERS": str(count),
        "LATCHKEY_LIMITS_CONNECTIONS_PER_CLIENT": str(count + 2000),
    }
    body = write_lines(os.path.join(folder, "signUp"), ["{}"])
    with servers.latchkey(binary, folder, smtp, **settings) as server:

        def sign_ups() -> float:
            url = server.url
            return wrk(url, CONNECTIONS, seconds, "post.lua", "/v1/accounts:signUp?key=bench", JSON, body)["rate"]

        users = guests(server.port, -(-count // STREAMS_PER_USER))
        say(f"signUp without the {count} listeners")
        before = sign_ups()
        at_rest = memory(server.process)[0]
        say(f"connecting {count} listeners")
        with Listeners(server.port, users, count) as listeners:
            kept = memory(server.process)[0]
            say(f"{changes} changes to one of {count} listeners")
            times = listeners.times(changes)
            say(f"signUp beside {count} listeners")
            beside = sign_ups()
        time.sleep(3)
        say(f"signUp after the {count} listeners")
        after = sign_ups()
    times.sort()
    return {
        "count": count,
        "memory": kept,
        "each": (kept - at_rest) * 1024 / count,
        "p50": median(times) * 1000,
        "p99": times[int(len(times) * 0.99)] * 1000,
        "max": times[-1] * 1000,
        "signUp": beside,
        "signUp_alone": (before + after) / 2,
    }


class Listeners:
    """Connections that listen, several of each user."""

    def __init__(self, port: int, users: list[dict], count: int):
        self.selector = selectors.DefaultSelector()
        self.streams: list[tuple[socket.socket, dict]] = []
        self.writer = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for number in range(count):
            user = users[number % len(users)]
            stream = socket.create_connection(("127.0.0.1", port))
            stream.sendall(
                b"GET /v1/documents:listen HTTP/1.1\r\nHost: localhost\r\n"
                b"Authorization: Bearer " + user["idToken"].encode() + b"\r\n\r\n"
            )
            self.streams.append((stream, user))
        for stream, _ in self.streams:
            received = b""
            while b"event: ready" not in received:
                piece = stream.recv(4096)
                if not piece or b"HTTP/1.1 4" in piece:
                    raise RuntimeError(f"no stream: {piece[:200]!r}")
                received += piece
            stream.setblocking(False)
            self.selector.register(stream, selectors.EVENT_READ)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.selector.close()
        self.writer.close()
        for stream, _ in self.streams:
            stream.close()

    def times(self, count: int) -> list[float]:
        """Seconds from sending a PUT to its event at one stream, again and again at random ones."""
        return [self.time(number, *random.choice(self.streams)) for number in range(count)]

    def time(self, number: int, stream: socket.socket, user: dict) -> float:
        self.drain(0.01)
        begun = time.monotonic()
        headers = {"Authorization": "Bearer " + user["idToken"], "Content-Type": JSON}
        self.writer.request("PUT", "/v1/documents/bench/d", json.dumps({"number": number}), headers)
        while True:
            for key, _ in self.selector.select(10):
                came = key.fileobj.recv(65536)
                if key.fileobj is stream and b"event: change" in came:
                    took = time.monotonic() - begun
                    answer = self.writer.getresponse()
                    if answer.status not in (200, 201):
                        raise RuntimeError(f"PUT: {answer.status}")
                    answer.read()
                    return took
            if time.monotonic() - begun > 10:
                raise RuntimeError("an event did not come")

    def drain(self, patience: float) -> None:
        """Reads what is still on its way: other streams of the user, heartbeats."""
        end = time.monotonic() + patience
        while (rest := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(rest):
                key.fileobj.recv(65536)
