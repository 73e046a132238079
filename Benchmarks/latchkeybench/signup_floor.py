"""A guest's sign-up beside its floor: a C program that writes the same rows, signs and answers, and does nothing else."""

import json
import os
import signal
import subprocess
import time
from statistics import median

from . import prepare, servers
from .load import JSON, wrk, write_lines
from .processes import free_port, processor_time, running

SOURCE = os.path.join(servers.REPOSITORY, "Benchmarks", "floor", "sign-up.c")
PATH = "/v1/accounts:signUp?key=bench"
CONNECTIONS = 64
# Seconds: what a sign-up leaves to be done later is done by then.
AFTERWARDS = 1.0


def measure(binary: str, folder: str, seconds: float, rounds: int, say) -> list[dict]:
    """For each round what wrk and the system measured of both programs. They take turns, and one is under load at a time."""
    program = os.path.join(folder, "sign-up")
    subprocess.run(["cc", "-O2", "-o", program, SOURCE, "-lsqlite3", "-lcrypto", "-lpthread"], check=True)
    bodies = write_lines(os.path.join(folder, "bodies"), ["{}"])
    below = os.path.join(folder, "floor")
    own = os.path.join(folder, "server")
    os.mkdir(below)
    os.mkdir(own)
    with prepare.code_server(folder) as (smtp, _):
        # The server makes the schema, and leaves the file.
        with servers.latchkey(binary, below, smtp):
            pass
        port = free_port()
        command = [program, str(port), os.path.join(below, "latchkey.db"), str(os.cpu_count() or 1)]
        found = []
        with open(os.path.join(below, "counts"), "w+") as counts, servers.latchkey(binary, own, smtp) as server:
            with running(command, port, stdout=counts) as floor:
                sides = {"floor": (floor, f"http://127.0.0.1:{port}"), "latchkey": (server.process, server.url)}
                for number in range(rounds):
                    say(f"round {number + 1}: signUp and its floor")
                    order = list(sides) if number % 2 == 0 else list(reversed(sides))
                    found.append({name: load(*sides[name], seconds, bodies) for name in order})
                floor.send_signal(signal.SIGTERM)
                floor.wait(10)
            counts.seek(0)
            told = json.loads(counts.read())
        found[0]["floor"]["batch"] = told["signUps"] / max(1, told["commits"])
    return found


def load(process, url: str, seconds: float, bodies: str) -> dict:
    begun = processor_time(process)
    measured = wrk(url, CONNECTIONS, seconds, "post.lua", PATH, JSON, bodies)
    time.sleep(AFTERWARDS)
    used = processor_time(process) - begun
    return measured | {"processor": used / max(1, measured["requests"]) * 1e6}


def line(rounds: list[dict]) -> str:
    """The result for people."""
    ours, floor = ([each[name] for each in rounds] for name in ("latchkey", "floor"))
    ratio = median(each["latchkey"]["processor"] / each["floor"]["processor"] for each in rounds)
    return (
        f"signUp at {CONNECTIONS}: {median(each['processor'] for each in ours):.0f} µs of processor time, "
        f"{ratio:.2f} times the floor's {median(each['processor'] for each in floor):.0f} µs  (aim: under 1.3); "
        f"{median(each['rate'] for each in ours):.0f}/s of {median(each['rate'] for each in floor):.0f}/s; "
        f"{rounds[0]['floor']['batch']:.0f} sign-ups in a commit of the floor's"
    )
