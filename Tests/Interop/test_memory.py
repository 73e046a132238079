"""The server's memory: how many arenas glibc's allocator may make."""
import http.client
import os
import re
import urllib.parse

import pytest

from support.load import Load

pytestmark = pytest.mark.engine("sqlite")

# glibc reserves this much address space, aligned to the same number, for the heap of each arena but the main one.
HEAP = 64 << 20


def arenas(process: int) -> int:
    """The number of arenas of a process, of which none needs more than one heap."""
    with open(f"/proc/{process}/maps") as maps:
        starts = [int(line.split("-")[0], 16) for line in maps if re.match(r"\S+ rw-p 0+ 00:00 0\s*$", line)]
    return 1 + sum(start % HEAP == 0 for start in starts)


def arenas_under_load(server) -> int:
    address = urllib.parse.urlsplit(server.url)
    load = Load(lambda: http.client.HTTPConnection(address.hostname, address.port, timeout=30), threads=16)
    try:
        load.wait(400)
    finally:
        load.end()
    assert not load.failures
    return arenas(server.process.pid)


def test_the_allocator_makes_no_more_arenas_than_there_are_processors(start_server):
    assert arenas_under_load(start_server()) <= max(2, os.cpu_count())


def test_a_number_of_arenas_in_the_environment_stays(start_server, monkeypatch):
    # Also shows that arenas are counted at all.
    monkeypatch.setenv("MALLOC_ARENA_MAX", "16")
    assert arenas_under_load(start_server()) > max(2, os.cpu_count())
