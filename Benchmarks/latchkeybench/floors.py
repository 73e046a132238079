"""Latchkey on PostgreSQL beside what the same server does for pgbench, and how often transactions run again.

Each round has a database of its own. Repeats and locks depend little on how busy the machine is; rates do.
"""

import glob
import json
import os
import re
import shutil
import threading
import time
from statistics import median

from . import mail, postgresql, prepare, servers
from .load import JSON, SCRIPTS, threads, write_lines, wrk
from .postgresql import CONNECTIONS, KINDS, Server
from .processes import ProcessorTime

# The calls, each with the floor that it is compared with.
CALLS = {"signUp": "inserts", "lookup": "select", "refresh": "inserts", "redeem": "inserts"}
MAILS_PER_SECOND = {"postgresql": 900, "sqlite": 2000}
# The clients that request e-mails.
MANY = 5000
# The connections of an open loop: so many that a request hardly ever waits for one.
OPEN_CONNECTIONS = 512
# The tables whose rows change in place, mostly.
CHANGING = ("sessions", "users", "limits", "tickets")
# A server that believes the clients' addresses of its proxy.
PRODUCTION = {
    "LATCHKEY_MODE": "production",
    "LATCHKEY_SECRET": postgresql.SECRET,
    "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
    "LATCHKEY_MAIL_FROM": "Example <no-reply@example.com>",
    "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32",
    "LATCHKEY_LIMITS_MAILS_PER_MINUTE": "1000000",
}
# Makes a new session violate a constraint of the operator's, and with it the transaction that other calls share.
BROKEN_SESSIONS = """
    CREATE FUNCTION break_session() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF hashtext(NEW.sid) % {share} = 0 THEN RAISE check_violation; END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER break_session BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION break_session();
"""
MENDED_SESSIONS = "DROP FUNCTION break_session CASCADE"
# The calls that make a session each.
OPENING = ("signUp", "redeem")
TWO_INSERTS = os.path.join(os.path.dirname(SCRIPTS), "pgbench", "two-inserts.sql")


def pgbench(server: Server, database: str, seconds: float, *options: str) -> float:
    """Transactions a second of pgbench over as many connections as clients are measured with."""
    said = server.run("pgbench", "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-j", str(threads(CONNECTIONS)), "-T",
                      f"{max(1, round(seconds))}", *options, server.url(database))  # fmt: skip
    return float(re.search(r"tps = ([0-9.]+)", said).group(1))


def pgbench_latencies(server: Server, database: str, seconds: float, pace: float, script: str) -> dict:
    """p50 and p99 (µs) of a script in an open loop of so many transactions a second, with the waits for a connection."""
    logs = os.path.join(server.folder, "latencies")
    os.mkdir(logs)
    os.chmod(logs, 0o777)
    pgbench(server, database, seconds, "-R", f"{pace:.0f}", "-f", script, "-l", f"--log-prefix={logs}/log")
    latencies = []
    for log in glob.glob(f"{logs}/*"):
        with open(log) as lines_of_log:
            latencies += [int(line.split()[2]) for line in lines_of_log]
    shutil.rmtree(logs)
    latencies.sort()
    return {"p50": latencies[len(latencies) // 2], "p99": latencies[len(latencies) * 99 // 100]}


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


def mails(
    binary: str, folder: str, name: str, seconds: float, clients: int, database: dict, connections: int = CONNECTIONS,
    pace: float | None = None,
) -> dict:  # fmt: skip
    """What wrk says of requests for e-mails, with the e-mails a second as `rate`.

    That is measured from the first request until the mail server has the last e-mail. With `pace`, so many requests a second are
    made in an open loop.
    """
    own = os.path.join(folder, name)
    os.mkdir(own)
    count = int((pace or MAILS_PER_SECOND["postgresql" if database else "sqlite"]) * seconds)
    # Many connections without a pace make all requests, however long that takes. A single one makes as many as it can.
    longest = 60 if connections == CONNECTIONS else seconds
    bodies = [json.dumps({"requestType": "EMAIL_SIGNIN", "email": prepare.address("m", n)}) for n in range(count)]
    file = write_lines(os.path.join(own, "bodies"), bodies)
    with mail.sink(own) as (port, arrived), servers.latchkey(
        binary, own, port, **(PRODUCTION | database)
    ) as server:
        asked, done = {}, threading.Event()

        def ask() -> None:
            asked.update(wrk(server.url, connections, longest, "once.lua", "/v1/accounts:sendOobCode?key=bench", JSON, file,
                             str(threads(connections)), str(clients), pace=pace, done=done))  # fmt: skip

        asking = threading.Thread(target=ask)
        begun = last = time.monotonic()
        asking.start()
        seen = 0
        while seen < count and time.monotonic() - last < 5:
            if (number := arrived()) > seen:
                seen, last = number, time.monotonic()
            time.sleep(0.005)
        done.set()
        asking.join()
    result = asked | {"rate": seen / max(last - begun, 1e-6), "mails": seen, "asked": asked["rate"]}
    if database:
        result["costs"] = postgresql.costs([own])
    return result


def environment(server: Server, database: str) -> dict:
    server.sql("postgres", f"CREATE DATABASE {database}")
    return {"LATCHKEY_DATABASE": server.url(database), "LATCHKEY_SECRET": postgresql.SECRET}


def in_place(server: Server, database: str) -> dict:
    """For each table of CHANGING, its updates, those that no index noticed (HOT), and the rows that vacuum would remove."""
    # The server's processes tell what they did when their connections end, which is a moment ago.
    time.sleep(1)
    rows = server.sql(
        database, f"SELECT relname, n_tup_upd, n_tup_hot_upd, n_dead_tup FROM pg_stat_user_tables WHERE relname IN {CHANGING}"
    )
    found = {}
    for row in rows.splitlines():
        table, *numbers = row.split("|")
        found[table] = dict(zip(("updates", "hot", "dead"), map(int, numbers)))
    return found


class Round:
    """One round on a database of its own."""

    def __init__(self, binary: str, folder: str, server: Server, number: int, options, say):
        self.binary = binary
        self.server = server
        self.options = options
        self.name = f"round{number}"
        self.folder = os.path.join(folder, self.name)
        self.result: dict = {"calls": {}, "broken": {}, "open": {}, "alone": {}, "floors": {}, "costs": {}, "locks": {},
                             "in_place": {}, "processor": {}}  # fmt: skip
        self.say = lambda text: say(f"round {number + 1}: {text}")
        os.mkdir(self.folder)

    def run(self) -> dict:
        self.measure_floors()
        self.measure_calls()
        if "mail" in self.options.only:
            self.measure_mails()
        return self.result

    def measure_floors(self) -> None:
        self.say("pgbench")
        seconds, floors = self.options.seconds, self.result["floors"]
        floors["select"] = pgbench(self.server, "pgbench", seconds, "-S")
        self.server.sql("floor", "TRUNCATE users, sessions CASCADE")
        script = copied_script(self.folder)
        floors["inserts"] = pgbench(self.server, "floor", seconds, "-f", script)
        self.result["open floor"] = pgbench_latencies(self.server, "floor", seconds, floors["inserts"] / 2, script)

    def measure_calls(self) -> None:
        server, options, name, result = self.server, self.options, self.name, self.result
        settings = environment(server, name) | options.settings
        url = settings.pop("LATCHKEY_DATABASE")
        with prepare.code_server(self.folder) as (smtp, codes):
            with postgresql.nodes(self.binary, self.folder, url, smtp, options.nodes, **settings) as nodes:
                if options.users:
                    self.say(f"{options.users} users")
                    postgresql.fill(server, name, options.users)
                with postgresql.proxied(self.folder, [node.port for node in nodes]) as port:

                    def call(kind: str, connections: int, pace: float | None = None, **more) -> dict:
                        return postgresql.call(kind, [port], self.folder, codes, connections, options.seconds, pace, **more)

                    times = ProcessorTime({"node": [node.process.pid for node in nodes], "postgresql": [server.pid]})
                    self.say("a fixed answer")
                    with times:
                        fixed = wrk(f"http://127.0.0.1:{port}/healthz", CONNECTIONS, options.seconds)
                    result["processor"]["fixed"] = times.each(fixed["requests"])

                    for kind in CALLS:
                        if kind not in options.only:
                            continue
                        self.say(kind)
                        with PredicateLocks(server, name) as locks:
                            result["calls"][kind] = call(kind, CONNECTIONS, beside=times)
                        result["processor"][kind] = times.each(result["calls"][kind]["requests"])
                        result["locks"][kind] = locks.found
                        if options.broken and kind in OPENING:
                            self.say(f"{kind}, some of them broken")
                            server.sql(name, BROKEN_SESSIONS.format(share=options.broken))
                            result["broken"][kind] = call(kind, CONNECTIONS)
                            server.sql(name, MENDED_SESSIONS)
                        result["alone"][kind] = call(kind, 1)
                        result["open"][kind] = call(kind, OPEN_CONNECTIONS, result["calls"][kind]["rate"] / 2)
        result["costs"] = postgresql.costs([node.folder for node in nodes])
        result["in_place"] = in_place(server, name)
        server.sql("postgres", f"DROP DATABASE {name}")

    def measure_mails(self) -> None:
        calls, costs = self.result["calls"], self.result["costs"]
        seconds, settings = self.options.seconds, self.options.settings
        for title, clients in (("mail", MANY), ("one client", 1)):
            database = f"{self.name}_{title.split()[0]}"
            self.say(title)
            on_server = environment(self.server, database)
            calls[title] = mails(self.binary, self.folder, database, seconds, clients, on_server | settings)
            self.server.sql("postgres", f"DROP DATABASE {database}")
        half = calls["mail"]["rate"] / 2
        for manner, connections, pace in (("alone", 1, None), ("open", OPEN_CONNECTIONS, half)):
            database = f"{self.name}_mail_{manner}"
            self.say(f"mail, {manner}")
            on_server = environment(self.server, database)
            self.result[manner]["mail"] = mails(
                self.binary, self.folder, database, seconds, MANY, on_server | settings, connections, pace
            )
            self.server.sql("postgres", f"DROP DATABASE {database}")
        self.say("mail on SQLite")
        self.result["floors"]["sqlite"] = mails(self.binary, self.folder, "sqlite", seconds, MANY, {})["rate"]
        for kind, cost in calls["mail"]["costs"].items():
            costs[kind] = costs.get(kind, cost) if kind != "SendOobCode" else cost


def measure(binary: str, folder: str, options, say) -> list[dict]:
    """The rounds.

    `options` has `rounds`; `seconds`, the length of each measurement; `only`, the names of the calls; `nodes`, behind a proxy if
    there are several; `users`, who are in the database beforehand; `broken`, of how many new sessions one violates a constraint in
    a second measurement, 0 for none; and `settings` of the nodes.
    """
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
        return [Round(binary, folder, server, number, options, say).run() for number in range(options.rounds)]


def ratio(round: dict, call: str) -> float:
    """The rate of a call as a part of its floor."""
    rate, floors = round["calls"][call]["rate"], round["floors"]
    match call:
        case "mail":
            return rate / floors["sqlite"]
        case "one client":
            return rate / round["calls"]["mail"]["rate"]
    return rate / floors[CALLS[call]]


def possible(round: dict, call: str) -> float:
    """The calls a second of a node that does no more than answer HTTP, on this machine and with these statements.

    The processors then have only the load, a fixed answer and PostgreSQL's part of the call.
    """
    spent = round["processor"][call]
    return (os.cpu_count() or 1) * 1e6 / (round["processor"]["fixed"]["node"] + spent["postgresql"] + spent["rest"])


REFERENCES = {"mail": "the same on SQLite", "one client": "mail from many", "select": "pgbench -S",
              "inserts": "two INSERTs"}  # fmt: skip
AIMS = {"signUp": 1.5, "lookup": 0.65, "refresh": 1.5, "redeem": 0.75, "mail": 0.8, "one client": 0.8}


# The p99 in ms of an open loop at half the rate, of e-mails and of other calls.
MAIL_AIM, OPEN_AIM = 100, 25
# What the calls that break nothing keep of their rate.
BROKEN_AIM = 0.8


def lines(rounds: list[dict], options) -> list[str]:
    """What was measured, for people."""
    floors = ", ".join(f"{REFERENCES.get(name, name)} {middle(rounds, 'floors', name):.0f}/s" for name in rounds[0]["floors"])
    nodes = "one node" if options.nodes == 1 else f"{options.nodes} nodes behind haproxy"
    users = f"a database of {options.users} users" if options.users else "an empty database"
    table = [
        "",
        f"{nodes} on PostgreSQL, {users} in each round, {CONNECTIONS} at once; floors of the same round: {floors}",
        f"{'':12} {'requests/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'errors':>6} {'of its floor':>12}",
    ]
    for call in rounds[0]["calls"]:
        each = [r["calls"][call] for r in rounds]
        ratios = sorted(ratio(r, call) for r in rounds)
        reference = REFERENCES.get(call) or REFERENCES[CALLS[call]]
        table.append(
            f"{call:12} {middle(rounds, 'calls', call, 'rate'):10.0f} {middle(rounds, 'calls', call, 'p50') / 1000:8.2f} "
            f"{middle(rounds, 'calls', call, 'p99') / 1000:8.2f} {sum(r['status'] + r['socket'] for r in each):6} "
            f"{median(ratios):12.3f}  of {reference} ({ratios[0]:.3f} to {ratios[-1]:.3f}; aim {AIMS[call]})"
        )
    for call in rounds[0]["broken"]:
        kept = sorted(
            r["broken"][call]["rate"] * (1 - 1 / options.broken) / r["calls"][call]["rate"] for r in rounds
        )  # fmt: skip
        table.append(
            f"{call:12} with one in {options.broken} broken: {middle(rounds, 'broken', call, 'rate'):.0f}/s, the others keep "
            f"{median(kept):.3f} of their rate ({kept[0]:.3f} to {kept[-1]:.3f}; aim {BROKEN_AIM})"
        )
    table.append(
        f"one request at a time, and an open loop at half the rate above  (aim: p99 {OPEN_AIM} ms, of mail {MAIL_AIM} ms)"
    )
    table.append(f"{'':12} {'p50 ms':>8} | {'requests/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'errors':>6} {'began late':>10}")
    table.append(
        f"{'two INSERTs':12} {'':8} | {middle(rounds, 'floors', 'inserts') / 2:10.0f} "
        f"{middle(rounds, 'open floor', 'p50') / 1000:8.2f} {middle(rounds, 'open floor', 'p99') / 1000:8.2f}"
    )
    for call in rounds[0]["open"]:
        each = [r["open"][call] for r in rounds]
        late = sum(r["late"] for r in each) / max(1, sum(r["requests"] for r in each))
        table.append(
            f"{call:12} {middle(rounds, 'alone', call, 'p50') / 1000:8.2f} | {middle(rounds, 'open', call, 'rate'):10.0f} "
            f"{middle(rounds, 'open', call, 'p50') / 1000:8.2f} {middle(rounds, 'open', call, 'p99') / 1000:8.2f} "
            f"{sum(r['status'] + r['socket'] for r in each):6} {late:10.2%}"
        )
    table.append("processor time of a request in µs, and what is possible if the node does no more than answer HTTP")
    table.append(f"{'':12} {'node':>8} {'PostgreSQL':>10} {'the rest':>8} | {'requests/s':>10} {'of its floor':>12} {'reached':>8}")
    for call in rounds[0]["processor"]:
        spent = " ".join(
            f"{middle(rounds, 'processor', call, name):{width}.0f}" for name, width in (("node", 8), ("postgresql", 10), ("rest", 8))
        )
        if call == "fixed":
            table.append(f"{'fixed answer':12} {spent} |")
            continue
        highest = median(possible(r, call) for r in rounds)
        floor = median(possible(r, call) / r["floors"][CALLS[call]] for r in rounds)
        reached = median(r["calls"][call]["rate"] / possible(r, call) for r in rounds)
        table.append(f"{call:12} {spent} | {highest:10.0f} {floor:12.2f} {reached:8.2f}")
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
    table.append("updates in place (HOT), and dead rows at the end  (aim: 0.9 of the updates)")
    for name in CHANGING:
        each = [r["in_place"][name] for r in rounds if r["in_place"].get(name, {}).get("updates")]
        if each:
            share = sum(r["hot"] for r in each) / sum(r["updates"] for r in each)
            table.append(f"  {name:24} {share:8.2f} of {sum(r['updates'] for r in each)}; {median(r['dead'] for r in each):.0f} dead")
    for call, found in rounds[-1]["locks"].items():
        most = sorted(found.items(), key=lambda each: -each[1])[:6]
        said = ", ".join(f"{name} {count}" for name, count in most) or "none"
        table.append(f"  predicate locks on tables and pages during {call}, at most: {said}")
    return table


def middle(rounds: list[dict], *path: str) -> float:
    """The median over the rounds of the value at a path."""

    def value(found: dict):
        for name in path:
            found = found[name]
        return found

    return median(value(each) for each in rounds)
