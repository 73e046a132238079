"""What the measured calls need beforehand: tokens of users, and links."""

import contextlib
import os
import subprocess
import sys
import time

from . import client
from .processes import free_port, running


@contextlib.contextmanager
def code_server(folder: str):
    """The mail server that writes codes down. Gives its port and the file."""
    port = free_port()
    path = os.path.join(folder, "codes")
    open(path, "w").close()
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "codes.py")
    with running([sys.executable, script, str(port), path], port, stderr=subprocess.DEVNULL):
        yield port, path


def address(prefix: str, number: int) -> str:
    """Scattered, as people's are: neighbours in an index get in each other's way."""
    return f"{number * 2654435761 % 2**32:08x}.{prefix}@example.com"


def client_address(number: int) -> str:
    """The address of a client, by the rule of wrk/once.lua: the first 65 536 clients are each in a /24 network of their own."""
    return f"10.{number % 256}.{number // 256 % 256}.{number // 65536 % 256}"


def links(
    port: int, codes: str, count: int, prefix: str, patience: float = 60, clients: int | None = None
) -> list[tuple[str, str]]:
    """Requests links for so many addresses and waits for their mails: addresses and codes.

    With `clients`, the requests come from so many client addresses, for a server that trusts 127.0.0.1 as a proxy.
    """

    def ask(connection: client.Client, number: int) -> None:
        headers = {"X-Forwarded-For": client_address(number % clients)} if clients else None
        body = {"requestType": "EMAIL_SIGNIN", "email": address(prefix, number)}
        connection.post("/v1/accounts:sendOobCode", body, headers)

    # Mails of earlier calls need not be read again.
    earlier = os.path.getsize(codes)
    client.in_parallel(port, [lambda connection, n=n: ask(connection, n) for n in range(count)])
    deadline = time.monotonic() + patience
    while True:
        found = received(codes, prefix, earlier)
        if len(found) >= count or time.monotonic() > deadline:
            return found
        time.sleep(0.2)


def received(codes: str, prefix: str, earlier: int = 0) -> list[tuple[str, str]]:
    """The addresses with a prefix that got links, and their codes. The first so many bytes of the file are not read."""
    with open(codes) as file:
        file.seek(earlier)
        return [tuple(line.split()) for line in file if f".{prefix}@" in line and line.endswith("\n")]
