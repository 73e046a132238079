"""Latchkey on PostgreSQL: one node and three on this machine, beside pgbench on the same server."""

import contextlib
import glob
import json
import os
import re
import subprocess
import threading
import time
import urllib.parse

from . import documents, prepare, servers
from .client import guests
from .load import JSON, threads, write_lines, wrk
from .processes import free_port, running, stop

CALLS = ["signUp", "lookup", "set", "read", "refresh", "redeem"]
# What the server's log calls their transactions.
KINDS = {"signUp": "SignUp", "lookup": "Lookup", "set": "WriteDocument", "read": "ReadDocument", "refresh": "Token",
         "redeem": "SignInWithEmailLink"}  # fmt: skip
CONNECTIONS = 64
SECRET = "a-secret-of-benchmarks-with-more-than-32-bytes"
# At how many users latency is measured, and by how many calls at once.
SIZES = (1_000, 1_000_000)
FEW = 4
LINKS_PER_SECOND, FEW_LINKS_PER_SECOND = 6500, 1000


HAPROXY = """
global
    maxconn 4000
defaults
    mode http
    timeout connect 2s
    timeout client 75s
    timeout server 75s
frontend clients
    bind 127.0.0.1:{port}
    default_backend nodes
backend nodes
    balance leastconn
"""


def binaries() -> str:
    """Where the programs of the newest server are."""
    servers = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    if not servers:
        raise RuntimeError("no server in /usr/lib/postgresql: apt-get install postgresql")
    return os.path.dirname(max(servers, key=lambda path: int(path.split("/")[4])))


class Server:
    """A PostgreSQL server as an operator would have it: what it confirms is on the disk."""

    def __init__(self, folder: str):
        self.folder = folder
        self.pid = 0
        self.user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.getuid() == 0 else []

    @property
    def socket(self) -> str:
        """The path of its Unix socket."""
        return os.path.join(self.folder, ".s.PGSQL.5432")

    def url(self, database: str) -> str:
        return f"postgresql://latchkey@{urllib.parse.quote(self.folder, safe='')}/{database}"

    def run(self, *command: str) -> str:
        done = subprocess.run(
            [*self.user, f"{binaries()}/{command[0]}", *command[1:]], capture_output=True, text=True, cwd="/"
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stderr.strip()}")
        return done.stdout

    def sql(self, database: str, statement: str) -> str:
        return self.run("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement, self.url(database))


@contextlib.contextmanager
def postgresql(folder: str):
    """A new cluster on a socket in a folder."""
    if os.getuid() == 0:
        # The server refuses to run as root; the folders above are the caller's.
        subprocess.run(["chown", "postgres", folder], check=True)
    server = Server(folder)
    server.run("initdb", "-D", f"{folder}/data", "-U", "latchkey", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
    settings = ["listen_addresses=", f"unix_socket_directories={folder}", "max_connections=200", "shared_buffers=256MB",
                "max_wal_size=4GB"]  # fmt: skip
    command = [*server.user, f"{binaries()}/postgres", "-D", f"{folder}/data"]
    command += [part for setting in settings for part in ("-c", setting)]
    with open(os.path.join(folder, "..", "postgresql.log"), "ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        server.pid = process.pid
        try:
            deadline = time.monotonic() + 30
            while True:
                try:
                    server.sql("postgres", "SELECT 1")
                    break
                except RuntimeError:
                    if time.monotonic() > deadline or process.poll() is not None:
                        raise
                    time.sleep(0.05)
            yield server
        finally:
            # SIGINT: PostgreSQL ends all connections and stops.
            process.send_signal(2)
            stop(process)


def reference(server: Server, seconds: float) -> float:
    """pgbench's simple-update: durable transactions a second, over as many connections as a node has."""
    said = server.run("pgbench", "-n", "-N", "-M", "prepared", "-c", "16", "-j", str(threads(16)), "-T",
                      f"{max(1, round(seconds))}", server.url("pgbench"))  # fmt: skip
    return float(re.search(r"tps = ([0-9.]+)", said).group(1))


@contextlib.contextmanager
def nodes(binary: str, folder: str, url: str, smtp: int, count: int, **settings: str):
    """So many servers on one database."""
    settings = {"LATCHKEY_DATABASE": url, "LATCHKEY_SECRET": SECRET} | settings
    with contextlib.ExitStack() as stack:
        running_nodes = []
        for number in range(count):
            own = os.path.join(folder, f"node-{count}-{number}-{time.monotonic_ns()}")
            os.mkdir(own)
            node = stack.enter_context(servers.latchkey(binary, own, smtp, **settings))
            node.folder = own
            running_nodes.append(node)
        yield running_nodes


def costs(folders: list[str]) -> dict:
    """Round trips and statements of each kind of transaction, as the servers say when they stop."""
    found: dict = {}
    for folder in folders:
        with open(os.path.join(folder, "latchkey.log")) as log:
            for line in log:
                if "in all: " not in line:
                    continue
                for kind, *numbers in re.findall(
                    r"(\S+) (\d+) \(([0-9.]+) round trips, ([0-9.]+) statements, (\d+) repeats", line
                ):
                    count, trips, statements, repeats = map(float, numbers)
                    sums = found.setdefault(kind, {"count": 0, "trips": 0, "statements": 0, "repeats": 0})
                    sums["count"] += int(count)
                    sums["trips"] += trips * count
                    sums["statements"] += statements * count
                    sums["repeats"] += repeats
    for sums in found.values():
        for name in ("trips", "statements", "repeats"):
            sums[name] /= max(1, sums["count"])
    return found


@contextlib.contextmanager
def proxied(folder: str, ports: list[int]):
    """haproxy before nodes. Gives its port; without a proxy, the port of the one node."""
    if len(ports) == 1:
        yield ports[0]
        return
    port = free_port()
    path = os.path.join(folder, "haproxy.cfg")
    with open(path, "w") as file:
        file.write(HAPROXY.format(port=port))
        file.writelines(f"    server node-{node} 127.0.0.1:{node}\n" for node in ports)
    with running(["/usr/sbin/haproxy", "-f", path], port):
        yield port


def at_once(ports: list[int], measure) -> dict:
    """The same measurement of several nodes at the same time: their rates together, the worst of their latencies."""
    results: list = [None] * len(ports)

    def work(index: int) -> None:
        results[index] = measure(index, ports[index])

    workers = [threading.Thread(target=work, args=(index,)) for index in range(len(ports))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if None in results:
        raise RuntimeError("a measurement broke")
    return {
        "rate": sum(result["rate"] for result in results),
        "p50": max(result["p50"] for result in results),
        "p99": max(result["p99"] for result in results),
        "requests": sum(result["requests"] for result in results),
        "status": sum(result["status"] for result in results),
        "socket": sum(result["socket"] for result in results),
        "late": sum(result["late"] for result in results),
    }


def call(
    name: str,
    ports: list[int],
    folder: str,
    codes: str,
    connections: int,
    seconds: float,
    pace: float | None = None,
    beside=contextlib.nullcontext(),
) -> dict:
    """Measures one call on all nodes together; with `pace`, in an open loop of so many requests a second in all.

    `beside` is a context manager for the measurement alone, without what is made beforehand.
    """
    each = max(1, connections // len(ports))
    tag = f"{name}{len(ports)}x{time.monotonic_ns()}"
    files = [os.path.join(folder, f"{tag}-{index}") for index in range(len(ports))]
    # What each needs is made beforehand, so that nothing else runs beside the measurement.
    for index, (port, file) in enumerate(zip(ports, files)):
        match name:
            case "signUp":
                write_lines(file, ["{}"])
            case "lookup":
                write_lines(file, [json.dumps({"idToken": user["idToken"]}) for user in guests(port, 300)])
            case "set" | "read":
                write_lines(file, documents.guests(port, 200, 10))
            case "refresh":
                write_lines(file, [user["refreshToken"] for user in guests(port, each * 2 + 8)])
            case "redeem":
                rate = pace or (LINKS_PER_SECOND if connections > FEW else FEW_LINKS_PER_SECOND)
                count = int(rate * seconds / len(ports))
                found = prepare.links(port, codes, count, f"{tag}n{index}x")
                write_lines(file, [json.dumps({"email": email, "oobCode": code}) for email, code in found])

    def measure(index: int, port: int) -> dict:
        match name:
            case "signUp":
                script = ["post.lua", "/v1/accounts:signUp?key=bench", JSON, files[index]]
            case "lookup":
                script = ["post.lua", "/v1/accounts:lookup?key=bench", JSON, files[index]]
            case "set" | "read":
                script = ["documents.lua", "PUT" if name == "set" else "GET", files[index]]
            case "refresh":
                script = ["refresh.lua", "/v1/token?key=bench", files[index], str(threads(each))]
            case "redeem":
                path = "/v1/accounts:signInWithEmailLink?key=bench"
                script = ["once.lua", path, JSON, files[index], str(threads(each))]
            case _:
                raise ValueError(name)
        return wrk(f"http://127.0.0.1:{port}", each, seconds, *script, pace=pace and pace / len(ports))

    with beside:
        return at_once(ports, measure)


def fill(server: Server, database: str, count: int, is_last: bool = True) -> None:
    """Puts users with an address and a session each into a database, until there are so many."""
    server.sql(
        database,
        f"""
        WITH filled AS (
            INSERT INTO users (uid, email, email_verified_at, valid_since, created_at, last_login_at, last_refresh_at)
            SELECT translate(encode(sha256(CAST('user' || n AS bytea)), 'base64'), '+/=', 'xyz'), 'filled' || n || '@example.com', 1,
                1, 1700000000000 + n, 1700000000000 + n, 1700000000000 + n
            FROM generate_series((SELECT count(*) + 1 FROM users), {count}) n
            RETURNING id, uid, created_at
        )
        INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, auth_time, created_at,
            last_used_at)
        SELECT substr(translate(encode(sha256(CAST('session' || id AS bytea)), 'base64'), '+/=', 'xyz'), 1, 22), uid, id,
            'emailLink', 1, created_at, created_at / 1000, created_at, created_at
        FROM filled;
        """,
    )
    if is_last:
        server.sql(database, "ANALYZE")
        server.sql(database, "CHECKPOINT")


def measure(binary: str, folder: str, seconds: float, rounds: int, say) -> dict:
    results: dict = {"pgbench": [], "nodes": {1: [], 3: []}, "sizes": []}
    cluster = os.path.join(folder, "postgresql")
    os.mkdir(cluster)
    for above in (folder, os.path.dirname(folder)):
        os.chmod(above, 0o755)
    with postgresql(cluster) as server, prepare.code_server(folder) as (smtp, codes):
        for name in ("pgbench", "latchkey", "sizes"):
            server.sql("postgres", f"CREATE DATABASE {name}")
        server.run("pgbench", "-i", "-q", "-s", "20", server.url("pgbench"))
        stopped: list[str] = []
        for number in range(rounds):
            say(f"round {number + 1}: pgbench")
            results["pgbench"].append(reference(server, seconds))
            for count in (1, 3):
                with nodes(binary, folder, server.url("latchkey"), smtp, count) as group:
                    ports = [node.port for node in group]
                    measured = {}
                    for name in CALLS:
                        say(f"round {number + 1}: {name} on {count} {'node' if count == 1 else 'nodes'}")
                        measured[name] = call(name, ports, folder, codes, CONNECTIONS, seconds)
                    results["nodes"][count].append(measured)
                if count == 1:
                    stopped = [node.folder for node in group]
        results["costs"] = costs(stopped)
        for size in SIZES:
            with nodes(binary, folder, server.url("sizes"), smtp, 1) as group:
                say(f"{size} users")
                fill(server, "sizes", size)
                ports = [group[0].port]
                measured = {}
                for name in CALLS:
                    say(f"{name} with {size} users")
                    # Once for the caches.
                    call(name, ports, folder, codes, FEW, min(1.0, seconds))
                    measured[name] = call(name, ports, folder, codes, FEW, seconds)
                results["sizes"].append({"users": size, "calls": measured})
    return results
