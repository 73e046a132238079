"""Whether the time of a reply tells if an address has an account: known and unknown addresses, interleaved."""

import math
import random
import time

from .client import Client


def measure(port: int, known: list[str], unknown: list[str], count: int) -> tuple[list[float], list[float]]:
    """Reply times of sendOobCode in µs: of known addresses and of unknown ones, in random order on one connection."""
    client = Client(port)
    order = ["known", "unknown"] * count
    random.shuffle(order)
    times: dict[str, list[float]] = {"known": [], "unknown": []}
    for number, kind in enumerate(order):
        emails = known if kind == "known" else unknown
        email = emails[number % len(emails)]
        begun = time.perf_counter_ns()
        client.post("/v1/accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email})
        times[kind].append((time.perf_counter_ns() - begun) / 1000)
    client.close()
    return times["known"], times["unknown"]


def compare(one: list[float], other: list[float]) -> dict:
    """Mann-Whitney: the chance that one of the first is greater than one of the second, and how many standard
    deviations that is from one half."""
    pooled = sorted([(value, 0) for value in one] + [(value, 1) for value in other])
    ranks, ties, index = 0.0, 0.0, 0
    while index < len(pooled):
        end = index
        while end < len(pooled) and pooled[end][0] == pooled[index][0]:
            end += 1
        size = end - index
        ranks += (index + 1 + end) / 2 * sum(1 for value, kind in pooled[index:end] if kind == 0)
        ties += size**3 - size
        index = end
    m, n = len(one), len(other)
    u = ranks - m * (m + 1) / 2
    variance = m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)))
    z = (u - m * n / 2) / math.sqrt(variance)
    return {"greater": u / (m * n), "z": z, "p": math.erfc(abs(z) / math.sqrt(2))}


def quantiles(values: list[float]) -> dict:
    ordered = sorted(values)
    return {
        name: ordered[min(len(ordered) - 1, int(len(ordered) * share))]
        for name, share in [("p5", 0.05), ("p25", 0.25), ("p50", 0.5), ("p75", 0.75), ("p95", 0.95), ("p99", 0.99)]
    }
