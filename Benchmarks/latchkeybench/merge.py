"""Merges: how long they take, what others wait for meanwhile, and what they leave in memory."""

import contextlib
import os
import sqlite3
import threading
import time
from statistics import median

from . import documents, prepare, servers
from .client import Client, guests, in_parallel
from .processes import memory

# Of so many documents of a guest one has the name of one of the account's, which has as many.
CONFLICTS = 10
ROUNDS = 10
# What the rounds are compared with: the memory after this one.
SETTLED = 2
DOCUMENTS_PER_GUEST = 100


def accounts(port: int, codes: str, count: int, prefix: str) -> list[dict]:
    """Users with an address each, by a link."""
    found = prepare.links(port, codes, count, prefix)
    if len(found) < count:
        raise RuntimeError(f"{len(found)} mails of {count} came")
    return in_parallel(port, [lambda client, link=link: redeem(client, *link) for link in found])


def redeem(client: Client, email: str, code: str, **more) -> dict:
    return client.post("/v1/accounts:signInWithEmailLink", {"email": email, "oobCode": code} | more)


def merge(client: Client, account: dict, guest: dict) -> tuple[float, dict]:
    """Merges a guest into an account: seconds that the call took, and the report."""
    body = {"idToken": account["idToken"], "anonymousIdToken": guest["idToken"]}
    begun = time.perf_counter()
    answer = client.post("/v1/accounts:merge", body)
    return time.perf_counter() - begun, answer["report"]


def of_documents(server: servers.Latchkey, codes: str, each: int, count: int, prefix: str = "") -> dict:
    """Merges so many guests one after another, with so many documents each, into accounts that have as many.

    Calls that measure one server have different prefixes.
    """
    owners = accounts(server.port, codes, count, f"{prefix}d{each}x")
    visitors = guests(server.port, count)
    client = Client(server.port)
    conflicts = each // CONFLICTS
    for owner, visitor in zip(owners, visitors):
        documents.write(client, owner["idToken"], documents.names(each))
        same, other = documents.names(conflicts), documents.names(each - conflicts, "g")
        documents.write(client, visitor["idToken"], same + other)
    times = []
    for owner, visitor in zip(owners, visitors):
        took, report = merge(client, owner, visitor)
        if report["documents"]["moved"] != each - conflicts:
            raise RuntimeError(f"moved: {report['documents']['moved']} of {each - conflicts}")
        times.append(took)
    client.close()
    return {"documents": each, "p50": median(times) * 1000, "max": max(times) * 1000, "count": count}


def of_rows(server_in, folder: str, rows: int, count: int, seconds: float) -> dict:
    """Merges guests with so many rows each in a table that the operator made, beside sign-ups and look-ups."""
    with prepare.code_server(folder) as (smtp, codes):
        with server_in(folder, smtp) as server:
            owners = accounts(server.port, codes, count + 1, "rows")
            visitors = guests(server.port, count + 1)
        fill(os.path.join(folder, "latchkey.db"), [visitor["localId"] for visitor in visitors], rows)
        with server_in(folder, smtp) as server:
            client = Client(server.port)
            # The first merge of a server also learns the schema.
            merge(client, owners.pop(), visitors.pop())
            token = {"idToken": owners[0]["idToken"]}
            with Waits(server.port, "/v1/accounts:signUp", {}) as writes, Waits(
                server.port, "/v1/accounts:lookup", token
            ) as reads:
                time.sleep(0.5)
                alone = time.perf_counter()
                time.sleep(seconds)
                begun = time.perf_counter()
                times, during = [], []
                for owner, visitor in zip(owners, visitors):
                    began = time.perf_counter()
                    took, report = merge(client, owner, visitor)
                    during.append((began, began + took))
                    if (moved := sum(table["moved"] for table in report["tables"])) != rows:
                        raise RuntimeError(f"moved: {moved} of {rows} rows")
                    times.append(took)
                    time.sleep(0.2)
            client.close()
    result = {"rows": rows, "p50": median(times) * 1000, "max": max(times) * 1000, "count": len(times)}
    for name, waits in (("signUp", writes), ("lookup", reads)):
        result[name] = waits.between(during)
        result[f"{name}_alone"] = waits.between([(alone, begun)])
    return result


def fill(path: str, uids: list[str], rows: int) -> None:
    """An operator's table with rows of these users."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN IMMEDIATE")
        database.execute(
            "CREATE TABLE todos (id INTEGER PRIMARY KEY, uid TEXT NOT NULL REFERENCES users (uid) ON DELETE CASCADE,"
            " what TEXT NOT NULL)"
        )
        database.execute("CREATE INDEX todos_uid ON todos (uid)")
        # In turn, as an app's users would write them.
        database.executemany(
            "INSERT INTO todos (uid, what) VALUES (?, ?)",
            ((uid, f"Water the plants, {number}") for number in range(rows) for uid in uids),
        )
        database.execute("COMMIT")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class Waits:
    """One call made again and again on a thread, and how long each took."""

    def __init__(self, port: int, path: str, body: dict):
        self.client = Client(port)
        self.path = path
        self.body = body
        self.times: list[tuple[float, float]] = []
        self.failure: BaseException | None = None
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_) -> None:
        self.stopped.set()
        self.thread.join()
        self.client.close()
        if self.failure and not kind:
            raise self.failure

    def run(self) -> None:
        try:
            while not self.stopped.wait(0.001):
                begun = time.perf_counter()
                self.client.post(self.path, self.body)
                self.times.append((begun, time.perf_counter()))
        except BaseException as failure:
            self.failure = failure

    def between(self, spans: list[tuple[float, float]]) -> dict:
        """p99 and longest, in ms, of the calls that were under way during any of these spans of time."""
        times = sorted(
            (end - start) * 1000
            for start, end in self.times
            if any(end > begun and start < ended for begun, ended in spans)
        )
        return {"p99": times[int(len(times) * 0.99)], "max": times[-1], "count": len(times)}


def resident(server_in, folder: str, pairs: int, say) -> dict:
    """MiB after each round of: guests sign up and set documents, half of them redeem a link, the rest are merged."""
    kept = []
    with prepare.code_server(folder) as (smtp, codes), server_in(folder, smtp) as server:
        for number in range(ROUNDS):
            say(f"memory: round {number + 1} of sign-ups, documents and merges")
            visitors = in_parallel(server.port, [guest_with_documents] * (2 * pairs))
            linked, merged = visitors[:pairs], visitors[pairs:]
            found = prepare.links(server.port, codes, pairs, f"m{number}x")

            def settle(client: Client, link: tuple, first: dict, second: dict) -> None:
                merge(client, redeem(client, *link, idToken=first["idToken"]), second)

            in_parallel(
                server.port, [lambda client, each=each: settle(client, *each) for each in zip(found, linked, merged)]
            )
            kept.append(memory(server.process)[0])
    return {"rounds": kept, "guests": 2 * pairs, "ratio": kept[-1] / kept[SETTLED - 1]}


def guest_with_documents(client: Client) -> dict:
    """A guest who set documents one by one, as apps do."""
    guest = client.post("/v1/accounts:signUp", {})
    for name in documents.names(DOCUMENTS_PER_GUEST, f"{guest['localId'][:6]}-"):
        body = {"name": name, "text": documents.TEXT}
        client.call("PUT", f"/v1/documents/bench/{name}", body, guest["idToken"])
    return guest
