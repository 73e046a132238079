"""How calls slow down as users and documents grow: the same calls on databases of several sizes, in turns.

The users that call are spread over the whole tables, as if the others had signed up between them.
"""

import contextlib
import ctypes
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from statistics import median

from . import client, documents, postgresql, prepare, servers, suite
from .load import JSON, threads, wrk, write_lines
from .processes import anonymous_memory, processor_time

CONNECTIONS = 64
CALLS = ["lookup", "refresh", "set", "redeem", "signUp"]
NAMES = {"signUp": "sign-up", "lookup": "look-up", "refresh": "refresh", "redeem": "redemption", "set": "document write"}
P50_AIM, RATE_AIM = 1.5, 0.7
# Users that call, and how many of them have documents, and how many each: the same at each size, so that only the tables differ.
CALLERS, OWNERS, EACH = 1_000, 100, 10
# One in so many of the users who only fill the tables is permanent.
PERMANENT = 10
# Each call is measured at most so many times at each size.
MEASUREMENTS = 8
LINKS_PER_SECOND = 2600
# The users who own the documents that only fill the table have so many each.
FILLED_EACH = 10
TEXT = json.dumps({"number": 1_000_000_000, "text": documents.TEXT})


class Size:
    """A database of some size, and what its callers send."""

    def __init__(self, folder: str, users: int):
        self.folder = os.path.join(folder, f"{users}")
        self.users = users
        self.callers = min(CALLERS, users)
        self.owners = min(OWNERS, self.callers // 10)
        self.facts: dict = {"users": users}
        self.rounds: list[dict] = []
        self.evicted: list[dict] = []
        self.tokens: list[str] = []
        os.makedirs(self.folder, exist_ok=True)

    def file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    @property
    def database(self) -> str:
        return self.file("latchkey.db")

    def sign_up(self, port: int, count: int) -> None:
        """Signs callers up. The first ones of all get documents."""
        users = client.guests(port, count)
        owners = [user["idToken"] for user in users[: max(0, self.owners - len(self.tokens))]]
        client.in_parallel(
            port, [lambda client, token=token: documents.write(client, token, documents.names(EACH)) for token in owners]
        )
        self.tokens += [user["refreshToken"] for user in users]

    def save(self) -> None:
        with open(self.file("state.json"), "w") as file:
            json.dump({"tokens": self.tokens, "facts": self.facts}, file)

    def load(self) -> bool:
        """Whether the database was filled before."""
        if not os.path.exists(self.file("state.json")):
            return False
        with open(self.file("state.json")) as file:
            state = json.load(file)
        self.tokens, self.facts = state["tokens"], state["facts"]
        return True

    def renew(self, port: int) -> None:
        """Renews all callers' tokens, which expire, and writes what they send."""
        renewed = client.in_parallel(port, [lambda client, token=token: client.renew(token) for token in self.tokens])
        owners, users = renewed[: self.owners], renewed[self.owners :]
        paths = " ".join(f"/v1/documents/bench/{id}" for id in documents.names(EACH))
        write_lines(self.file("set"), [f"{user['id_token']} {paths}" for user in owners])
        write_lines(self.file("lookup"), [json.dumps({"idToken": user["id_token"]}) for user in users])
        self.tokens = [user["refresh_token"] for user in users]

    def take_tokens(self) -> list[str]:
        """Refresh tokens that no measurement had before, because using one makes all earlier ones of its session void."""
        count = min(len(self.tokens), (self.callers - self.owners) // MEASUREMENTS)
        taken, self.tokens = self.tokens[:count], self.tokens[count:]
        if count <= CONNECTIONS:
            raise RuntimeError(f"no refresh tokens are left for another measurement with {self.users} users")
        return taken


# MARK: SQLite


def prepare_sqlite(binary: str, size: Size, count_of_documents: int, say) -> None:
    """Fills a database, unless an earlier run did."""
    if size.load():
        return
    with servers.latchkey(binary, size.folder, 1) as server:
        size.sign_up(server.port, size.callers)
    say(f"{size.users} users")
    begun = time.monotonic()
    fill_sqlite(size.database, size.users, size.callers, count_of_documents)
    size.facts |= {"seconds": time.monotonic() - begun, "bytes": os.path.getsize(size.database), "documents": count_of_documents}
    size.save()


def fill_sqlite(path: str, users: int, callers: int, count_of_documents: int) -> None:
    """Spreads the rows of the callers over the tables, and fills the gaps with those of other users."""
    database = sqlite3.connect(path, isolation_level=None)
    step = users // callers
    database.executescript(
        f"""
        PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        PRAGMA cache_size = -{min(4_000_000, 200_000 + users // 2)};
        PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY;
        UPDATE users SET id = -id; UPDATE users SET id = -id * {step};
        UPDATE sessions SET id = -id, user_number = user_number * {step}; UPDATE sessions SET id = -id * {step};
        CREATE TEMP TABLE filled AS
            WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {users})
            SELECT n AS id, lower(hex(randomblob(14))) AS uid, n % {PERMANENT} = 1 AS permanent,
                lower(hex(randomblob(4))) || '.' || n || '@example.com' AS email FROM s WHERE n % {step} <> 0;
        """
    )
    now = int(time.time() * 1000) - 3600_000
    for statement in [
        f"""INSERT INTO users (id, uid, email, email_verified_at, anonymous_since, valid_since, created_at, last_login_at,
            last_refresh_at) SELECT id, uid, CASE WHEN permanent THEN email END, CASE WHEN permanent THEN {now} END,
            CASE WHEN NOT permanent THEN {now} END, {now // 1000}, {now}, {now}, {now} FROM filled""",
        f"""INSERT INTO sessions (id, sid, uid, user_number, provider, generation, generation_at, auth_time, created_at,
            last_used_at, device) SELECT id, lower(hex(randomblob(16))), uid, id, CASE WHEN permanent THEN 'password' ELSE
            'anonymous' END, 1, {now}, {now // 1000}, {now}, {now}, 'Firefox · Linux' FROM filled""",
        f"""INSERT INTO identities (uid, provider, subject, email, created_at) SELECT uid, 'google.com', lower(hex(randomblob(10))),
            email, {now} FROM filled WHERE permanent""",
        f"""INSERT INTO known_clients (address, client, last_seen_at) SELECT lower(hex(randomblob(8))),
            substr(hex(randomblob(6)), 1, 12), {now} FROM filled WHERE permanent""",
        f"""INSERT INTO audit_log (at, event, uid) SELECT {now}, 'user.signed-in', uid FROM filled WHERE permanent""",
    ]:
        database.execute(statement)
    if count_of_documents:
        every = max(1, users * FILLED_EACH // count_of_documents)
        (own,) = database.execute("SELECT count(*) FROM documents").fetchone()
        gap = max(2, count_of_documents // max(1, own))
        database.executescript(f"UPDATE documents SET id = -id; UPDATE documents SET id = -id * {gap};")
        database.execute(
            f"""INSERT INTO documents (id, uid, collection, name, bytes, version, created_at, updated_at, content)
            SELECT r + (r - 1) / {gap - 1}, uid, 'bench', 'd' || d, {len(TEXT)}, d, {now}, {now}, '{TEXT}' FROM (
                SELECT row_number() OVER () AS r, uid, d FROM (SELECT uid FROM filled WHERE id % {every} = 1) CROSS JOIN
                (WITH RECURSIVE s (d) AS (SELECT 1 UNION ALL SELECT d + 1 FROM s WHERE d < {FILLED_EACH}) SELECT d FROM s)
            )"""
        )
        database.execute(
            f"""UPDATE users SET document_count = {FILLED_EACH}, document_bytes = {FILLED_EACH * len(TEXT)},
            change_number = {FILLED_EACH} WHERE id % {every} = 1 AND id % {step} <> 0"""
        )
    database.execute("PRAGMA journal_mode = WAL")
    database.close()


class Evictor:
    """Drops a file from the system's page cache many times a second, as if the machine had no memory for it."""

    DONTNEED = 4

    def __init__(self, path: str, pause: float = 0.02):
        self.file = os.open(path, os.O_RDONLY)
        self.pause = pause
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.system = ctypes.CDLL(None, use_errno=True)

    def run(self) -> None:
        while not self.ended.wait(self.pause):
            # Only pages that are on the disk are dropped; the system writes the others within the next seconds.
            self.system.posix_fadvise(self.file, ctypes.c_long(0), ctypes.c_long(0), self.DONTNEED)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.thread.join()
        os.close(self.file)


# MARK: Measuring


def measured(name: str, server, size: Size, codes: str, seconds: float) -> dict:
    """Measures one call at 64 connections, with `processor`: µs of the server's processor time for each request."""
    ready = prepared(name, server.port, size, codes, seconds)
    begun = processor_time(server.process)
    found = ready()
    time.sleep(suite.AFTERWARDS)
    return found | {"processor": (processor_time(server.process) - begun) / max(1, found["requests"]) * 1e6}


def prepared(name: str, port: int, size: Size, codes: str, seconds: float):
    """Makes what a call needs beforehand. Gives a function that sends the calls."""
    url, file = f"http://127.0.0.1:{port}", size.file(name)
    match name:
        case "signUp":
            write_lines(file, ["{}"])
            return lambda: wrk(url, CONNECTIONS, seconds, "post.lua", "/v1/accounts:signUp?key=bench", JSON, file)
        case "lookup":
            return lambda: wrk(url, CONNECTIONS, seconds, "post.lua", "/v1/accounts:lookup?key=bench", JSON, file)
        case "set":
            return lambda: wrk(url, CONNECTIONS, seconds, "documents.lua", "PUT", file)
        case "refresh":
            write_lines(file, size.take_tokens())
            return lambda: wrk(
                url, CONNECTIONS, seconds, "refresh.lua", "/v1/token?key=bench", file, str(threads(CONNECTIONS))
            )
        case "redeem":
            tag = f"r{time.monotonic_ns()}x"
            found = prepare.links(port, codes, int(LINKS_PER_SECOND * seconds), tag)
            write_lines(file, [json.dumps({"email": email, "oobCode": code}) for email, code in found])
            time.sleep(suite.AFTERWARDS)
            return lambda: wrk(
                url, CONNECTIONS, seconds, "once.lua", "/v1/accounts:signInWithEmailLink?key=bench", JSON, file,
                str(threads(CONNECTIONS)),
            )  # fmt: skip
    raise ValueError(name)


def rounds_of(sizes: list[tuple], codes: str, options, say) -> None:
    """Measures all calls at all sizes in turns."""
    for size, server in sizes:
        say(f"{size.users} users: warming up")
        size.renew(server.port)
        for name in CALLS:
            # Redemptions warm up with the requests for their e-mails.
            if name != "redeem":
                measured(name, server, size, codes, 1.0)
    for number in range(options.rounds):
        of_sizes: dict = {}
        for name in CALLS:
            for size, server in sizes if number % 2 == 0 else reversed(sizes):
                say(f"round {number + 1}: {name} with {size.users} users")
                of_sizes.setdefault(size, {})[name] = measured(name, server, size, codes, options.seconds)
        for size, of_calls in of_sizes.items():
            size.rounds.append(of_calls)


def filled(options, folder: str, say) -> list[Size]:
    sizes = [Size(folder, users) for users in options.sizes]
    for size in sizes:
        prepare_sqlite(options.binary, size, options.documents if size.users >= options.documents else 0, say)
    return sizes


def sqlite(options, folder: str, say) -> list[dict]:
    """Everything on SQLite. `options` has binary, sizes, documents, rounds and seconds."""
    sizes = filled(options, folder, say)
    with contextlib.ExitStack() as stack:
        # Copies are measured, so that the callers' tokens stay good for another run.
        for size in sizes:
            say(f"copying {size.users} users")
            size.folder = stack.enter_context(copied(size.folder))
        stack.enter_context(quiet(options))
        smtp, codes = stack.enter_context(prepare.code_server(sizes[0].folder))
        running = [stack.enter_context(servers.latchkey(options.binary, size.folder, smtp)) for size in sizes]
        rounds_of(list(zip(sizes, running)), codes, options, say)
        for size, server in zip(sizes, running):
            size.facts["memory"] = anonymous_memory(server.process)
        largest, server = sizes[-1], running[-1]
        with Evictor(largest.database):
            # The system first writes what is dirty.
            time.sleep(options.seconds)
            for name in CALLS:
                say(f"{name} with {largest.users} users, without the page cache")
                largest.evicted.append({name: measured(name, server, largest, codes, options.seconds)})
    return [result(size) for size in sizes]


@contextlib.contextmanager
def copied(folder: str):
    """A copy of a server's database in another folder, until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="run-", dir=os.path.dirname(folder)) as copy:
        for name in ("latchkey.db", "latchkey.db.secret"):
            shutil.copy(os.path.join(folder, name), copy)
        yield copy


def on_postgresql(options, folder: str, say) -> list[dict]:
    """Everything on PostgreSQL."""
    sizes = [Size(folder, users) for users in options.sizes]
    cluster = os.path.join(folder, "postgresql")
    os.mkdir(cluster)
    os.chmod(folder, 0o755)
    with postgresql.postgresql(cluster) as server, prepare.code_server(folder) as (smtp, codes):
        with contextlib.ExitStack() as stack:
            running = []
            for size in sizes:
                name = f"users{size.users}"
                server.sql("postgres", f"CREATE DATABASE {name}")
                group = stack.enter_context(postgresql.nodes(options.binary, size.folder, server.url(name), smtp, 1))
                running.append(group[0])
                say(f"{size.users} users")
                fill_postgresql(server, name, size, group[0].port)
                size.facts["bytes"] = int(server.sql(name, f"SELECT pg_database_size('{name}')"))
            with quiet(options):
                rounds_of(list(zip(sizes, running)), codes, options, say)
    return [result(size) for size in sizes]


def fill_postgresql(server, name: str, size: Size, port: int) -> None:
    """Signs callers up between steps of filling, so that they are spread over the tables."""
    steps = 40 if size.users > size.callers else 1
    for step in range(1, steps + 1):
        size.sign_up(port, size.callers // steps)
        if steps > 1:
            postgresql.fill(server, name, size.users * step // steps, is_last=step == steps)


def result(size: Size) -> dict:
    calls = {
        name: {
            key: median(each[name][key] for each in size.rounds) for key in ("rate", "p50", "p99", "processor")
        } | {"errors": sum(each[name]["status"] + each[name]["socket"] for each in size.rounds),
             "rounds": [[each[name]["rate"], each[name]["p50"]] for each in size.rounds]}
        for name in CALLS
    }  # fmt: skip
    evicted = {name: measured for each in size.evicted for name, measured in each.items()}
    return size.facts | {"calls": calls} | ({"without_page_cache": evicted} if evicted else {})


@contextlib.contextmanager
def quiet(options):
    """Waits until nothing else runs, where the machine has a lock for that."""
    if not options.lock:
        yield
        return
    import fcntl

    with open(options.lock, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def lines(found: list[dict], engine: str) -> list[str]:
    """The results for people."""
    first = found[0]
    rows = [f"{engine:16} {'users':>9} {'requests/s':>10} {'of first':>8} {'p50 ms':>8} {'of first':>8} {'p99 ms':>8} {'CPU µs':>7} {'of first':>8} {'errors':>6}"]
    for name in CALLS:
        for each in found:
            one, start = each["calls"][name], first["calls"][name]
            rows.append(
                f"{NAMES[name]:16} {each['users']:9} {one['rate']:10.0f} {one['rate'] / start['rate']:8.2f} {one['p50'] / 1000:8.2f} "
                f"{one['p50'] / start['p50']:8.2f} {one['p99'] / 1000:8.2f} {one['processor']:7.0f} "
                f"{one['processor'] / start['processor']:8.2f} {one['errors']:6}"
            )
            if bare := each.get("without_page_cache"):
                one = bare[name]
                rows.append(
                    f"{'':4} no page cache {each['users']:8} {one['rate']:10.0f} {one['rate'] / start['rate']:8.2f} "
                    f"{one['p50'] / 1000:8.2f} {one['p50'] / start['p50']:8.2f} {one['p99'] / 1000:8.2f} {one['processor']:7.0f} "
                    f"{one['processor'] / start['processor']:8.2f} {one['status'] + one['socket']:6}"
                )
    rows.append(f"aims: p50 at most {P50_AIM} times, rate at least {RATE_AIM} times that of {first['users']} users")
    for each in found:
        memory = f", server {each['memory']:.0f} MiB of its own" if "memory" in each else ""
        rows.append(f"{each['users']} users: {each['bytes'] / 2**20:.0f} MiB{memory}")
    return rows
