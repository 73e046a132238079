"""The number of allocations of each kind of call may not grow unnoticed: they take about a seventh of a sign-up's time."""
import http.client
import itertools
import json
import time
import urllib.parse

import pytest

from support.allocations import Allocations

pytestmark = pytest.mark.engine("sqlite")

# Allocations of one call in a debug build, at most. Lower a number when you have made its call cheaper; raise one only with a reason.
COMMITTED = {
    "signUp": 314,
    "lookup": 96,
    "refresh": 265,
    "refreshFixed": 232,
    "writeDocument": 223,
    "readDocument": 139,
    "requestLink": 22550,
}
# What a call may take more than committed.
TOLERANCE = 1.05
# The call whose work goes on after its answer: its e-mail is written and delivered.
CONTINUED = "requestLink"
# Work in the background allocates beside the calls, so the window with the fewest allocations counts.
WINDOWS, CALLS = 6, 50
# Windows of at most this many seconds have so little work in the background that it does not matter. A slow machine needs longer.
SHORT = 0.5


class Connection:
    """One connection, because a new one costs allocations of its own."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=15)

    def call(self, method: str, path: str, body: dict | None, **headers: str) -> dict:
        content = None if body is None else json.dumps(body)
        self.connection.request(method, path, content, {"Content-Type": "application/json"} | headers)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status in (200, 201), text
        return json.loads(text)

    def post(self, name: str, body: dict, **headers: str) -> dict:
        return self.call("POST", f"/v1/{name}?key=interop", body, **headers)


def calls(connection: Connection):
    """Each kind of call: a function that makes one, with a number that differs for each."""
    guest = connection.post("accounts:signUp", {})
    sdk = {"X-Client-Version": "Chrome/JsCore/11.0.0/FirebaseCore-web"}
    firebase = connection.post("accounts:signUp", {}, **sdk)
    bearer = {"Authorization": f"Bearer {guest['idToken']}"}
    rotating = {"grantType": "refresh_token", "refreshToken": guest["refreshToken"]}

    def refresh(number):
        rotating["refreshToken"] = connection.post("token", rotating)["refresh_token"]

    return {
        "signUp": lambda number: connection.post("accounts:signUp", {}),
        "lookup": lambda number: connection.post("accounts:lookup", {"idToken": guest["idToken"]}),
        "refresh": refresh,
        "refreshFixed": lambda number: connection.post(
            "token", {"grantType": "refresh_token", "refreshToken": firebase["refreshToken"]}, **sdk
        ),
        "writeDocument": lambda number: connection.call("PUT", "/v1/documents/notes/a", {"number": 1000 + number}, **bearer),
        "readDocument": lambda number: connection.call("GET", "/v1/documents/notes/a", None, **bearer),
        "requestLink": lambda number: connection.post(
            "accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": f"user{1000 + number}@example.com"}
        ),
    }


def settled(allocations) -> int:
    """The number of allocations once the server rests: what remains are a few of its timers."""
    count = allocations.count
    for _ in range(100):
        time.sleep(0.1)
        before, count = count, allocations.count
        if count - before < 100:
            break
    return count


def idle_rate(allocations) -> float:
    """The allocations per second of a server that rests. The lowest of several rates counts, so that it is not too high."""
    settled(allocations)
    rates = []
    for _ in range(4):
        begun, before = time.monotonic(), allocations.count
        time.sleep(0.5)
        rates.append((allocations.count - before) / (time.monotonic() - begun))
    return min(rates)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    from support.latchkey import Latchkey

    folder = tmp_path_factory.mktemp("allocations")
    allocations = Allocations(folder)
    server = Latchkey(folder, LATCHKEY_DATABASE=f"sqlite:{folder}/latchkey.db", **allocations.settings)
    try:
        connection = Connection(server)
        numbers = itertools.count()
        found = {}
        for name, call in calls(connection).items():
            # The first calls prepare statements and fill caches.
            for _ in range(CALLS):
                call(next(numbers))
            count = (lambda: settled(allocations)) if name == CONTINUED else (lambda: allocations.count)
            windows = []
            for _ in range(WINDOWS):
                before, begun = count(), time.monotonic()
                for _ in range(CALLS):
                    call(next(numbers))
                windows.append((count() - before, time.monotonic() - begun))
            idle = idle_rate(allocations) if min(seconds for _, seconds in windows) > SHORT else 0
            found[name] = min(allocated - idle * max(0, seconds - SHORT) for allocated, seconds in windows) / CALLS
        yield found
    finally:
        server.stop()


@pytest.mark.parametrize("call", COMMITTED)
def test_a_call_allocates_no_more_than_committed(measured, call):
    print(f"{call}: {measured[call]:.1f} allocations, {COMMITTED[call]} committed")
    assert measured[call] <= COMMITTED[call] * TOLERANCE


def test_the_committed_numbers_are_not_far_above_what_the_calls_take(measured):
    """Otherwise they would let a later change take everything back that an earlier one has won."""
    for call, committed in COMMITTED.items():
        assert measured[call] >= committed / TOLERANCE / TOLERANCE, call
