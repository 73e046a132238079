"""Hours of a real app in short: a steady mix of calls, and whether memory, descriptors, the log and latencies stay as they are."""

import asyncio
import json
import os
import random
import time
from array import array
from collections import deque
from statistics import median

from . import documents, prepare, servers
from .processes import anonymous_memory, descriptors, processor_time
from .raw import Connection

# What one call in a hundred is, by kind.
MIX = {"refresh": 35, "lookup": 35, "set": 10, "read": 10, "signUp": 8, "mail": 1, "redeem": 1}
CONNECTIONS = 48
USERS = 5000
NAMES = [f"d{number}" for number in range(20)]
# Streams that are open at any time, and how many seconds each stays.
STREAMS, STREAM_SECONDS = 100, 20
SAMPLES = 240
MEMORY_AIM, LOG_AIM, P99_AIM = 1.05, 200, 1.2
BODY = json.dumps({"number": 1, "text": documents.TEXT}).encode()
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Soak:
    """One run against one server."""

    def __init__(self, options, server, folder: str, codes: str):
        self.options = options
        self.server = server
        self.port = server.port
        self.log = os.path.join(folder, "latchkey.db-wal")
        self.codes = open(codes)
        self.users: deque[dict] = deque()
        self.links: deque[tuple[str, str]] = deque()
        self.mails = 0
        self.kinds = [kind for kind, share in MIX.items() for _ in range(share)]
        self.times = {kind: [array("I") for _ in range(4)] for kind in MIX}
        self.failures: dict[str, int] = {}
        self.samples: list[dict] = []
        self.streams = 0
        self.begun = 0.0

    async def run(self) -> None:
        await self.sign_up()
        self.begun = time.monotonic()
        self.end = self.begun + self.options.seconds
        self.due = self.begun
        await asyncio.gather(
            self.sample(), *(self.work() for _ in range(CONNECTIONS)), *(self.stream(n) for n in range(STREAMS))
        )

    async def sign_up(self) -> None:
        async def some() -> None:
            connection = Connection(self.port)
            while len(self.users) < USERS:
                if failure := await self.signUp(connection, 0):
                    raise RuntimeError(f"sign-up: {failure}")
            connection.close()

        await asyncio.gather(*(some() for _ in range(16)))

    async def work(self) -> None:
        connection = Connection(self.port)
        while True:
            # Calls begin at a steady pace, whichever connection is free.
            self.due = max(self.due + 1 / self.options.rate, time.monotonic() - 0.1)
            due = self.due
            if due > self.end:
                break
            await asyncio.sleep(max(0, due - time.monotonic()))
            await self.call(random.choice(self.kinds), connection, random.random())
        connection.close()

    async def call(self, kind: str, connection: Connection, chance: float) -> None:
        if kind == "redeem" and not self.links:
            kind = "lookup"
        begun = time.perf_counter()
        try:
            good = await getattr(self, kind)(connection, chance)
        except (OSError, EOFError, asyncio.IncompleteReadError):
            good = "connection"
            connection.close()
        taken = time.perf_counter() - begun
        quarter = int(min(3, 4 * (time.monotonic() - self.begun) / self.options.seconds))
        self.times[kind][quarter].append(int(taken * 1e6))
        if good is not None:
            self.failures[f"{kind} {good}"] = self.failures.get(f"{kind} {good}", 0) + 1

    # Each call gives nothing if it succeeded, otherwise what to count it as.

    async def signUp(self, connection: Connection, chance: float):
        answer = await connection.call("POST", "/v1/accounts:signUp?key=bench", b"{}", headers=JSON)
        if answer.status != 200:
            return answer.status
        user = answer.json
        self.users.append({"id": user["idToken"], "refresh": user["refreshToken"]})
        if len(self.users) > USERS:
            self.users.popleft()

    async def refresh(self, connection: Connection, chance: float):
        # A user is taken out meanwhile, because a second call with the same token would not be a real app's.
        user = self.users.popleft()
        body = f"grant_type=refresh_token&refresh_token={user['refresh']}".encode()
        answer = await connection.call("POST", "/v1/token?key=bench", body, headers=FORM)
        if answer.status == 200:
            user |= {"id": answer.json["id_token"], "refresh": answer.json["refresh_token"]}
            self.users.append(user)
            return None
        return f"{answer.status} {answer.code}"

    def user(self, chance: float) -> dict:
        return self.users[int(chance * len(self.users))]

    async def lookup(self, connection: Connection, chance: float):
        body = {"idToken": self.user(chance)["id"]}
        answer = await connection.call("POST", "/v1/accounts:lookup?key=bench", body)
        return None if answer.status == 200 else f"{answer.status} {answer.code}"

    async def set(self, connection: Connection, chance: float):
        headers = JSON | {"Authorization": f"Bearer {self.user(chance)['id']}"}
        answer = await connection.call("PUT", f"/v1/documents/bench/{random.choice(NAMES)}", BODY, headers=headers)
        return None if answer.status in (200, 201) else f"{answer.status} {answer.code}"

    async def read(self, connection: Connection, chance: float):
        headers = {"Authorization": f"Bearer {self.user(chance)['id']}"}
        answer = await connection.call("GET", f"/v1/documents/bench/{random.choice(NAMES)}", headers=headers)
        return None if answer.status in (200, 404) else f"{answer.status} {answer.code}"

    async def mail(self, connection: Connection, chance: float):
        self.mails += 1
        email = prepare.address("soak", self.mails)
        answer = await connection.call(
            "POST", "/v1/accounts:sendOobCode?key=bench", {"requestType": "EMAIL_SIGNIN", "email": email}
        )
        for line in self.codes:
            if line.endswith("\n"):
                self.links.append(tuple(line.split()))
        return None if answer.status == 200 else f"{answer.status} {answer.code}"

    async def redeem(self, connection: Connection, chance: float):
        email, code = self.links.popleft()
        body = {"email": email, "oobCode": code}
        answer = await connection.call("POST", "/v1/accounts:signInWithEmailLink?key=bench", body)
        return None if answer.status == 200 else f"{answer.status} {answer.code}"

    async def stream(self, number: int) -> None:
        """Listens to the documents of one user after the other."""
        await asyncio.sleep(number * STREAM_SECONDS / STREAMS)
        while time.monotonic() < self.end:
            token = self.user(random.random())["id"]
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(
                f"GET /v1/documents:listen HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
            )
            try:
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + STREAM_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                    if b" 200 " not in head.split(b"\r\n")[0]:
                        self.failures["stream"] = self.failures.get("stream", 0) + 1
                    self.streams += 1
                    while await reader.read(4096):
                        pass
            except (TimeoutError, OSError, EOFError):
                pass
            writer.close()

    async def sample(self) -> None:
        pause = self.options.seconds / SAMPLES
        while (now := time.monotonic()) < self.end:
            process = self.server.process
            self.samples.append(
                {
                    "at": round(now - self.begun, 1),
                    "memory": round(anonymous_memory(process), 2),
                    "descriptors": descriptors(process),
                    "log": os.path.getsize(self.log) if os.path.exists(self.log) else 0,
                    "processor": round(processor_time(process), 2),
                }
            )
            await asyncio.sleep(pause)

    def quarter(self, number: int) -> dict:
        start, end = number * self.options.seconds / 4, (number + 1) * self.options.seconds / 4
        samples = [each for each in self.samples if start <= each["at"] < end]
        times = sorted(time for of_kind in self.times.values() for time in of_kind[number])
        return {
            "requests": len(times),
            "memory": median(each["memory"] for each in samples),
            "descriptors": median(each["descriptors"] for each in samples),
            "log": max(each["log"] for each in samples) / 2**20,
            "p50": times[len(times) // 2] / 1000,
            "p99": times[len(times) * 99 // 100] / 1000,
            "calls": {
                kind: sorted(of_kind[number])[len(of_kind[number]) * 99 // 100] / 1000
                for kind, of_kind in self.times.items()
                if of_kind[number]
            },
        }


def measure(options, folder: str, say) -> dict:
    """Runs the mix. `options` has binary, seconds and rate."""
    own = os.path.join(folder, "server")
    os.mkdir(own)
    # The name by which raw.Connection calls the server.
    settings = {"LATCHKEY_DEVELOPMENT_HOSTS": "auth.example.com"}
    with prepare.code_server(folder) as (smtp, codes), servers.latchkey(options.binary, own, smtp, **settings) as server:
        say(f"{options.seconds:.0f} s of {options.rate:.0f} requests a second")
        soak = Soak(options, server, own, codes)
        asyncio.run(soak.run())
        return {
            "seconds": options.seconds,
            "rate": options.rate,
            "quarters": [soak.quarter(number) for number in range(4)],
            "streams": soak.streams,
            "failures": soak.failures,
            "samples": soak.samples,
        }


def lines(results: dict) -> list[str]:
    """The results for people."""
    quarters = results["quarters"]
    rows = [f"{'quarter':8} {'requests':>9} {'RssAnon MiB':>11} {'descriptors':>11} {'WAL MiB':>8} {'p50 ms':>7} {'p99 ms':>7}  p99 by kind"]
    for number, each in enumerate(quarters):
        kinds = ", ".join(f"{kind} {time:.1f}" for kind, time in each["calls"].items())
        rows.append(
            f"{number + 1:<8} {each['requests']:9} {each['memory']:11.1f} {each['descriptors']:11.0f} {each['log']:8.1f} "
            f"{each['p50']:7.2f} {each['p99']:7.2f}  {kinds}"
        )
    second, last = quarters[1], quarters[3]
    rows.append(
        f"last quarter to second: memory {last['memory'] / second['memory']:.3f}  (aim {MEMORY_AIM}), descriptors "
        f"{last['descriptors'] - second['descriptors']:+.0f}  (aim 0), p99 {last['p99'] / second['p99']:.2f}  (aim {P99_AIM}); "
        f"log at most {max(each['log'] for each in quarters):.0f} MiB  (aim {LOG_AIM})"
    )
    rows.append(f"{results['streams']} streams; failures: {results['failures'] or 'none'}")
    return rows
