"""More clients than the server can serve: 10 000 connections from 32 loopback addresses, beside 64 connections."""

import json
import os
import subprocess

from . import documents, servers
from .client import guests
from .processes import anonymous_memory, processor_time

SOURCE = os.path.join(servers.REPOSITORY, "Benchmarks", "clients", "closed-loop.c")
ADDRESSES = 32
FEW, MANY = 64, 10_000
# What clients that are told to come back do, and the load that this makes: one that heeds `Retry-After`, as Latchkey's client does,
# and one that ignores it.
MANNERS = ["heed", "ignore"]
RATE_AIM, SUCCESS_AIM, REFUSAL_AIM = 0.8, 250, 100


def build(folder: str) -> str:
    program = os.path.join(folder, "closed-loop")
    subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
    return program


def request(path: str, method: str, target: str, body: str, headers: dict) -> str:
    """Writes a request to a file. Gives its path."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with open(path, "w", newline="") as file:
        file.write("\r\n".join(lines) + "\r\n\r\n" + body)
    return path


def measure(binary: str, folder: str, seconds: float, rounds: int, say, manners: list[str], calls: list[str], settings: dict) -> list:
    """For each call and round: the peak at 64 connections, and each kind of clients at 10 000. First the same for nginx."""
    program = build(folder)
    # The connections of one measurement may still be closing when those of the next one open.
    connections = str(2 * MANY + 1000)
    settings = {
        "LATCHKEY_CONNECTIONS": connections,
        "LATCHKEY_LIMITS_CONNECTIONS_PER_CLIENT": connections,
        "LATCHKEY_LIMITS_GUESTS_PER_CLIENT": "10000000",
    } | settings
    say("nginx")
    found = [floor(program, folder, seconds)]
    with servers.latchkey(binary, folder, 1, **settings) as server:
        # Before the first load, because the server refuses calls for a moment after one.
        paths = {call: make_request(call, folder, server.port) for call in calls}
        for call, path in paths.items():
            for number in range(rounds):
                say(f"{call}, round {number + 1}: {FEW} connections")
                measured = {"call": call, "few": loaded(program, server, path, FEW, 1, seconds, "heed")}
                for manner in manners:
                    say(f"{call}, round {number + 1}: {MANY} connections that {manner} Retry-After")
                    # The warm-up is long enough for the connections to open and for the first to be told to wait.
                    measured[manner] = loaded(program, server, path, MANY, 6, seconds, manner)
                found.append(measured)
    return found


def make_request(call: str, folder: str, port: int) -> str:
    path = os.path.join(folder, f"request-{call}")
    content = {"Content-Type": "application/json"}
    if call == "signUp":
        return request(path, "POST", "/v1/accounts:signUp?key=bench", "{}", content)
    user = guests(port, 1)[0]
    if call == "lookup":
        return request(path, "POST", "/v1/accounts:lookup?key=bench", f'{{"idToken":"{user["idToken"]}"}}', content)
    if call == "set":
        bearer = {"Authorization": f"Bearer {user['idToken']}"}
        return request(path, "PUT", "/v1/documents/bench/one", f'{{"text":"{documents.TEXT}"}}', content | bearer)
    raise ValueError(call)


def floor(program: str, folder: str, seconds: float) -> dict:
    """What the same clients get from nginx, which sends a fixed response: the least that 10 000 of them have to wait here."""
    own = os.path.join(folder, "nginx")
    os.mkdir(own)
    path = request(os.path.join(own, "request"), "GET", "/", "", {})
    with servers.nginx(own) as url:
        port = int(url.rsplit(":", 1)[1])
        few, many = [load(program, port, path, *clients, seconds, "ignore") for clients in ((FEW, 1), (MANY, 6))]
    return {"call": "nginx", "few": few, "ignore": many}


def loaded(program: str, server, path: str, connections: int, warm_up: float, seconds: float, manner: str) -> dict:
    """What clients get from the server, with the processor time that it used and its memory afterwards."""
    begun = processor_time(server.process)
    answers = load(program, server.port, path, connections, warm_up, seconds, manner)
    return answers | {"processor": processor_time(server.process) - begun, "memory": anonymous_memory(server.process)}


def load(program: str, port: int, path: str, connections: int, warm_up: float, seconds: float, manner: str) -> dict:
    """What clients get from the server at a port (closed-loop.c)."""
    done = subprocess.run(
        [program, str(port), path, str(connections), str(ADDRESSES), str(warm_up), str(seconds), manner],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def lines(found: list) -> list[str]:
    """The results for people."""
    head = f"{'':8} {'connections':22} {'successes/s':>11} {'of 64':>6} {'p50 ms':>7} {'p99 ms':>7} {'503s/s':>7} {'p99 ms':>7} {'others':>7} {'broken':>7} {'MiB':>6}"
    rows = [head]
    for measured in found:
        peak = measured["few"]["successes"]["rate"]
        for name in ["few", *MANNERS]:
            if name not in measured:
                continue
            each = measured[name]
            good, bad = each["successes"], each["refusals"]
            noun = f"{FEW}" if name == "few" else f"{MANY}, {name} Retry-After"
            rows.append(
                f"{measured['call']:8} {noun:22} {good['rate']:11.0f} {good['rate'] / max(peak, 1):6.2f} {good['p50'] / 1000:7.1f} "
                f"{good['p99'] / 1000:7.1f} {bad['rate']:7.0f} {bad['p99'] / 1000:7.1f} {each['others']:7} {each['broken']:7} "
                + (f"{each['memory']:6.1f}" if "memory" in each else "")
            )
    rows.append(f"aims at {MANY}: {RATE_AIM} of the rate at {FEW}, p99 {SUCCESS_AIM} ms of successes and {REFUSAL_AIM} ms of 503s")
    return rows
