"""How long one user's mail takes while a flood of others' mails waits."""

import asyncio
import contextlib
import os
import statistics
import time

from . import attacks
from .raw import Connection, address_in_48

# As many requests as one machine made in the attack, over so many seconds, from one IPv6 /48.
REQUESTS = 3000
SECONDS = 9.0
CONNECTIONS = 16
# What the mail server takes for each mail.
SECONDS_PER_MAIL = 0.15
# How many users ask after the flood, one after the other, each from a network of their own.
USERS = 5

LIMITS = (
    "MAILS_PER_MINUTE", "MAILS_PER_CLIENT", "MAILS_PER_ADDRESS", "LINKS_PER_CLIENT", "CONNECTIONS_PER_CLIENT",
)  # fmt: skip


def raised(binary: str) -> dict[str, str]:
    """Limits out of reach, so that every request is accepted; without those that an older binary does not know."""
    with open(binary, "rb") as file:
        knows_ceiling = b"limits.mailsPerMinute" in file.read()
    names = [name for name in LIMITS if knows_ceiling or name != "MAILS_PER_MINUTE"]
    return {f"LATCHKEY_LIMITS_{name}": "1000000" for name in names}


async def flood(port: int) -> int:
    """Asks for mails to ever new addresses at an even pace. Gives how many requests were accepted."""
    begun = time.monotonic()
    accepted = number = 0

    async def work() -> None:
        nonlocal accepted, number
        connection = Connection(port)
        while number < REQUESTS:
            number += 1
            mine = number
            await asyncio.sleep(max(0.0, begun + mine * SECONDS / REQUESTS - time.monotonic()))
            answer = await attacks.ask(connection, f"stranger{mine}@example.com", address_in_48())
            accepted += answer.status == 200

    await asyncio.gather(*(work() for _ in range(CONNECTIONS)))
    return accepted


async def attack(binary: str, folder: str) -> dict:
    async with attacks.attacked(binary, folder, SECONDS_PER_MAIL, **raised(binary)) as (server, mail):
        begun = time.monotonic()
        accepted = await flood(server.port)
        took = time.monotonic() - begun
        connection = Connection(server.port)
        asked = {}
        for number in range(USERS):
            address = f"user{number}@example.com"
            asked[address] = time.monotonic()
            answer = await attacks.ask(connection, address, f"203.0.{113 + number}.20")
            if answer.status != 200:
                raise RuntimeError(f"a user's request was refused: {answer.status} {answer.code}")
            await asyncio.sleep(0.3)
        for address in asked:
            with contextlib.suppress(RuntimeError):
                await mail.text_for(address, 300)
        arrived = {who: at for at, who, _ in mail.mails}
        delays = [arrived[address] - moment for address, moment in asked.items() if address in arrived]
        return {
            "accepted": accepted,
            "seconds": took,
            "delays": delays,
            "median": statistics.median(delays) if delays else None,
            "longest": max(delays, default=None),
            "lost": USERS - len(delays),
        }


def measure(binary: str, folder: str) -> dict:
    """The attack in production mode, and how long the mails of users elsewhere took in the midst of it."""
    return asyncio.run(attack(binary, os.path.join(folder, "server")))
