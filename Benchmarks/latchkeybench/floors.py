"""Latchkey on PostgreSQL beside what the same server does for pgbench, and how often transactions run again.

Each round begins with an empty database. Repeats and locks depend little on how busy the machine is; rates do.
"""

import json
import os
import re
import threading
import time

from . import mail, postgresql, prepare, servers
from .load import JSON, SCRIPTS, threads, write_lines, wrk
from .postgresql import CONNECTIONS, KINDS, Server

# The calls, each with the floor that it is compared with.
CALLS = {"signUp": "inserts", "lookup": "select", "refresh": "inserts", "redeem": "inserts"}
MAILS_PER_SECOND = {"postgresql": 900, "sqlite": 2000}
# The clients that request e-mails.
MANY = 5000
# A server that believes the clients' addresses of its proxy.
SECRET = "a-secret-of-benchmarks-with-more-than-32-bytes"
PRODUCTION = {
    "LATCHKEY_MODE": "production",
    "LATCHKEY_SECRET": SECRET,
    "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
    "LATCHKEY_MAIL_FROM": "Example <no-reply@example.com>",
    "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32",
    "LATCHKEY_LIMITS_MAILS_PER_MINUTE": "1000000",
}
TWO_INSERTS = os.path.join(os.path.dirname(SCRIPTS), "pgbench", "two-inserts.sql")


def pgbench(server: Server, database: str, seconds: float, *options: str) -> float:
    """Transactions a second of pgbench over as many connections as clients are measured with."""
    said = server.run("pgbench", "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-j", str(threads(CONNECTIONS)), "-T",
                      f"{max(1, round(seconds))}", *options, server.url(database))  # fmt: skip
    return float(re.search(r"tps = ([0-9.]+)", said).group(1))


def copied_script(folder: str) -> str:
    """A copy of the script of two INSERTs that the server's user may read."""
    path = os.path.join(folder, "two-inserts.sql")
    with open(TWO_INSERTS) as source, open(path, "w") as copy:
        copy.write(source.read())
    os.chmod(path, 0o644)
    return path


class PredicateLocks:
    """Samples what serializable transactions have read, by which others conflict with them: whole tables, or pages."""

    QUERY = """SELECT c.relname, l.locktype, count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.mode = 'SIReadLock' AND l.locktype IN ('relation', 'page') GROUP BY 1, 2"""

    def __init__(self, server: Server, database: str):
        self.found: dict[str, int] = {}
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.sample, args=(server, database))

    def sample(self, server: Server, database: str) -> None:
        while not self.ended.wait(0.5):
            for line in server.sql(database, self.QUERY).splitlines():
                relation, kind, count = line.split("|")
                name = f"{relation} ({kind})"
                self.found[name] = max(self.found.get(name, 0), int(count))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def mails(binary: str, folder: str, name: str, seconds: float, clients: int, database: dict) -> dict:
    """E-mails a second from the first request until the mail server has the last one."""
    own = os.path.join(folder, name)
    os.mkdir(own)
    count = int(MAILS_PER_SECOND["postgresql" if database else "sqlite"] * seconds)
    bodies = [json.dumps({"requestType": "EMAIL_SIGNIN", "email": prepare.address("m", n)}) for n in range(count)]
    file = write_lines(os.path.join(own, "bodies"), bodies)
    with mail.sink(own) as (port, arrived), servers.latchkey(
        binary, own, port, **(PRODUCTION | database)
    ) as server:
        asked = {}

        def ask() -> None:
            asked.update(wrk(server.url, CONNECTIONS, 60, "once.lua", "/v1/accounts:sendOobCode?key=bench", JSON, file,
                             str(threads(CONNECTIONS)), str(clients)))  # fmt: skip

        asking = threading.Thread(target=ask)
        begun = last = time.monotonic()
        asking.start()
        seen = 0
        while seen < count and time.monotonic() - last < 5:
            if (number := arrived()) > seen:
                seen, last = number, time.monotonic()
            time.sleep(0.005)
        asking.join()
    result = {"rate": seen / max(last - begun, 1e-6), "mails": seen, "asked": asked["rate"], "p50": asked["p50"],
              "p99": asked["p99"], "status": asked["status"], "socket": asked["socket"]}  # fmt: skip
    if database:
        result["costs"] = postgresql.costs([own])
    return result


def environment(server: Server, database: str) -> dict:
    server.sql("postgres", f"CREATE DATABASE {database}")
    return {"LATCHKEY_DATABASE": server.url(database), "LATCHKEY_SECRET": SECRET}


def once(binary: str, folder: str, server: Server, number: int, seconds: float, chosen: list[str], say) -> dict:
    result: dict = {"calls": {}, "floors": {}, "costs": {}, "locks": {}}
    say(f"round {number + 1}: pgbench")
    result["floors"]["select"] = pgbench(server, "pgbench", seconds, "-S")
    server.sql("floor", "TRUNCATE users, sessions CASCADE")
    result["floors"]["inserts"] = pgbench(server, "floor", seconds, "-f", copied_script(folder))
    name = f"round{number}"
    own = os.path.join(folder, name)
    os.mkdir(own)
    settings = environment(server, name)
    with prepare.code_server(own) as (smtp, codes), servers.latchkey(binary, own, smtp, **settings) as node:
        for call in CALLS:
            if call in chosen:
                say(f"round {number + 1}: {call}")
                with PredicateLocks(server, name) as locks:
                    result["calls"][call] = postgresql.call(call, [node.port], own, codes, CONNECTIONS, seconds)
                result["locks"][call] = locks.found
    result["costs"] = postgresql.costs([own])
    server.sql("postgres", f"DROP DATABASE {name}")
    if "mail" in chosen:
        for title, clients in (("mail", MANY), ("one client", 1)):
            database = f"{name}_{title.split()[0]}"
            say(f"round {number + 1}: {title}")
            result["calls"][title] = mails(binary, folder, database, seconds, clients, environment(server, database))
            server.sql("postgres", f"DROP DATABASE {database}")
        say(f"round {number + 1}: mail on SQLite")
        result["floors"]["sqlite"] = mails(binary, folder, f"{name}_sqlite", seconds, MANY, {})["rate"]
        for kind, cost in result["calls"]["mail"]["costs"].items():
            result["costs"][kind] = result["costs"].get(kind, cost) if kind != "SendOobCode" else cost
    return result


def measure(binary: str, folder: str, seconds: float, rounds: int, say, chosen=(*CALLS, "mail")) -> list[dict]:
    """The rounds."""
    cluster = os.path.join(folder, "postgresql")
    os.mkdir(cluster)
    for above in (folder, os.path.dirname(folder)):
        os.chmod(above, 0o755)
    with postgresql.postgresql(cluster) as server:
        server.sql("postgres", "CREATE DATABASE pgbench")
        server.run("pgbench", "-i", "-q", "-s", "20", server.url("pgbench"))
        schema = os.path.join(folder, "schema")
        os.mkdir(schema)
        with servers.latchkey(binary, schema, 1, **environment(server, "floor")):
            pass
        return [once(binary, folder, server, number, seconds, list(chosen), say) for number in range(rounds)]


def ratio(round: dict, call: str) -> float:
    """The rate of a call as a part of its floor."""
    rate, floors = round["calls"][call]["rate"], round["floors"]
    match call:
        case "mail":
            return rate / floors["sqlite"]
        case "one client":
            return rate / round["calls"]["mail"]["rate"]
    return rate / floors[CALLS[call]]


REFERENCES = {"mail": "the same on SQLite", "one client": "mail from many", "select": "pgbench -S",
              "inserts": "two INSERTs"}  # fmt: skip
AIMS = {"signUp": 1.5, "lookup": 0.65, "refresh": 1.5, "redeem": 0.75, "mail": 0.8, "one client": 0.8}


def lines(rounds: list[dict]) -> list[str]:
    """What was measured, for people."""
    from statistics import median

    floors = ", ".join(f"{REFERENCES.get(name, name)} {median(r['floors'][name] for r in rounds):.0f}/s"
                       for name in rounds[0]["floors"])  # fmt: skip
    table = [
        "",
        f"on PostgreSQL, an empty database in each round, {CONNECTIONS} at once; floors of the same round: {floors}",
        f"{'':12} {'requests/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'errors':>6} {'of its floor':>12}",
    ]
    for call in rounds[0]["calls"]:
        each = [r["calls"][call] for r in rounds]
        ratios = sorted(ratio(r, call) for r in rounds)
        reference = REFERENCES.get(call) or REFERENCES[CALLS[call]]
        table.append(
            f"{call:12} {median(r['rate'] for r in each):10.0f} {median(r['p50'] for r in each) / 1000:8.2f} "
            f"{median(r['p99'] for r in each) / 1000:8.2f} {sum(r['status'] + r['socket'] for r in each):6} "
            f"{median(ratios):12.3f}  of {reference} ({ratios[0]:.3f} to {ratios[-1]:.3f}; aim {AIMS[call]})"
        )
    kinds = sorted({kind for r in rounds for kind in r["costs"]})
    table.append("repeats in 1000 transactions, with round trips and statements of each  (aim: under 5)")
    for kind in kinds:
        costs = [r["costs"][kind] for r in rounds if kind in r["costs"]]
        if max(cost["count"] for cost in costs) < 100 and kind not in KINDS.values():
            continue
        table.append(
            f"  {kind:24} {median(cost['repeats'] for cost in costs) * 1000:8.1f} of {median(cost['count'] for cost in costs):.0f}; "
            f"{median(cost['trips'] for cost in costs):.1f} round trips, "
            f"{median(cost['statements'] for cost in costs):.1f} statements"
        )
    for call, found in rounds[-1]["locks"].items():
        most = sorted(found.items(), key=lambda each: -each[1])[:6]
        said = ", ".join(f"{name} {count}" for name, count in most) or "none"
        table.append(f"  predicate locks on tables and pages during {call}, at most: {said}")
    return table
