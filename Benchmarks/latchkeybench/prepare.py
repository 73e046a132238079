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


def links(port: int, codes: str, count: int, prefix: str, patience: float = 60) -> list[tuple[str, str]]:
    """Requests links for so many addresses and waits for their mails: addresses and codes."""
    client.in_parallel(
        port,
        [
            lambda client, n=n: client.post(
                "/v1/accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": address(prefix, n)}
            )
            for n in range(count)
        ],
    )
    deadline = time.monotonic() + patience
    while True:
        with open(codes) as file:
            found = [tuple(line.split()) for line in file if f".{prefix}@" in line and line.endswith("\n")]
        if len(found) >= count or time.monotonic() > deadline:
            return found
        time.sleep(0.2)
