"""The numbers that Latchkey is judged by: each a ratio to a reference of the same run, at 64 connections."""

import os
import time
from statistics import median
from types import SimpleNamespace

from . import mail, prepare, servers, signup_floor, start, suite
from .load import wrk
from .processes import anonymous_memory

CONNECTIONS = 64
# The calls that are compared with nginx: their names for people, and what the ratio should be.
CALLS = {
    "signUp": ("sign-up", 0.17),
    "redeem": ("redemption of a link", 0.13),
    "refreshFixed": ("refresh, fixed token", 0.25),
    "refresh": ("refresh, rotating token", 0.18),
    "lookup": ("look-up", 0.40),
    "set": ("document write", 0.16),
}
# The calls that are repeated until there were enough requests for the server's memory. Redemptions need e-mails, so they are left out.
FILLING = ["lookup", "refresh", "set", "signUp", "refreshFixed"]
MAIL_AIM, MEMORY_AIMS, START_AIMS, FLOOR_AIM = 0.55, (6, 24), (40, 30), 1.3


def measure(options, folder: str, say) -> dict:
    """Runs everything. `options` has binary, rounds, seconds, mails, requests and patience."""
    results: dict = {"cores": os.cpu_count(), "calls": {}, "nginx": []}
    results["start"] = start.measure(options.binary, made(folder, "start"))
    run = suite.Suite(SimpleNamespace(seconds=options.seconds, links=1.0), folder, say)
    with servers.nginx(made(folder, "nginx")) as nginx:
        own = made(folder, "server")
        with prepare.code_server(own) as (smtp, codes), servers.latchkey(options.binary, own, smtp) as server:
            memory = {"start": anonymous_memory(server.process)}
            requests = 0
            for number in range(options.rounds):
                say(f"round {number + 1}: nginx")
                results["nginx"].append(wrk(nginx, CONNECTIONS, options.seconds))
                for call in CALLS:
                    say(f"round {number + 1}: {call}")
                    measured = run.measure(call, CONNECTIONS, f"{number}", nginx, server, codes)
                    results["calls"].setdefault(call, []).append(measured)
                    requests += measured["requests"]
            memory["requests"] = fill(options, run, server, requests, say)
            memory["end"] = anonymous_memory(server.process)
            results["memory"] = memory
    results["mail"] = []
    for number in range(options.rounds):
        say(f"round {number + 1}: {options.mails} e-mails")
        own = made(folder, f"mail{number}")
        reference = mail.reference(own, max(options.mails, 5000), 6000)
        results["mail"].append(mail.outbox(options.binary, own, options.mails) | {"reference": reference})
    results["signUpFloor"] = signup_floor.measure(
        options.binary, made(folder, "floor"), options.seconds, options.rounds, say
    )
    return results


def fill(options, run: suite.Suite, server, requests: int, say) -> int:
    """Makes calls of several kinds until there were as many as wanted, or the time for that is over. Gives their number."""
    end = time.monotonic() + options.patience
    number = 0
    while requests < options.requests and time.monotonic() < end:
        call = FILLING[number % len(FILLING)]
        say(f"{requests} requests")
        requests += run.measure(call, CONNECTIONS, f"fill{number}", "", server, "")["requests"]
        number += 1
    return requests


def made(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    os.mkdir(path)
    return path


def table(results: dict) -> str:
    """The table for people."""
    nginx = [each["rate"] for each in results["nginx"]]
    lines = [
        f"{'at 64 connections':26} {'ratio':>7} {'aim':>6} {'requests/s':>11} {'p50 ms':>8} {'p99 ms':>8} {'CPU µs':>7}  ratio by round",
        f"{'nginx, fixed response':26} {'':>7} {'':>6} {median(nginx):11.0f}",
    ]
    for call, (name, aim) in CALLS.items():
        rounds = results["calls"][call]
        ratios = [each["rate"] / reference for each, reference in zip(rounds, nginx)]
        errors = sum(each["status"] + each["socket"] for each in rounds)
        lines.append(
            f"{name + ' / nginx':26} {median(ratios):7.3f} {aim:6.2f} {median(each['rate'] for each in rounds):11.0f} "
            f"{median(each['p50'] for each in rounds) / 1000:8.2f} {median(each['p99'] for each in rounds) / 1000:8.2f} "
            f"{median(each['processor'] for each in rounds):7.0f}  {' '.join(f'{ratio:.3f}' for ratio in ratios)}"
            + (f"  {errors} errors" if errors else "")
        )
    ratios = [each["rate"] / each["reference"] for each in results["mail"]]
    rate = median(each["rate"] for each in results["mail"])
    lines.append(
        f"{'e-mail / smtp-source':26} {median(ratios):7.3f} {MAIL_AIM:6.2f} {rate:11.0f} {'':>8} {'':>8} {'':>7}  "
        + " ".join(f"{ratio:.3f}" for ratio in ratios)
    )
    memory, starts = results["memory"], results["start"]
    lines += [
        signup_floor.line(results["signUpFloor"]),
        f"anonymous memory: {memory['start']:.1f} MiB at the start  (aim {MEMORY_AIMS[0]}), {memory['end']:.1f} MiB after "
        f"{memory['requests'] / 1e6:.1f} million requests  (aim {MEMORY_AIMS[1]} after 5 million)",
        f"start until ready: new database {starts['new']:.0f} ms  (aim {START_AIMS[0]}), existing one {starts['existing']:.0f} ms  "
        f"(aim {START_AIMS[1]}); medians of {starts['count']}",
    ]
    return "\n".join(lines)
