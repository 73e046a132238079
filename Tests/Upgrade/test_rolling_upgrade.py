"""The released version and this one beside each other on one PostgreSQL database, as during an upgrade node by node.

`make test-upgrade` builds both. LATCHKEY_RELEASED names the binary of the released version.
"""
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Interop"))

from support.latchkey import Latchkey, binary  # noqa: E402
from support.postgresql import PostgreSQL  # noqa: E402
from support.programs import environment  # noqa: E402

SECRET = "a-secret-of-the-tests-with-more-than-32-bytes"


@pytest.fixture
def cluster():
    server = PostgreSQL.temporary()
    yield server
    server.remove()


@contextlib.contextmanager
def node(folder: Path, name: str, program: str, url: str):
    """A node of one of the two versions."""
    (folder / name).mkdir()
    before = os.environ.get("LATCHKEY_BINARY")
    os.environ["LATCHKEY_BINARY"] = program
    try:
        running = Latchkey(folder / name, LATCHKEY_DATABASE=url, LATCHKEY_SECRET=SECRET)
    finally:
        if before is None:
            del os.environ["LATCHKEY_BINARY"]
        else:
            os.environ["LATCHKEY_BINARY"] = before
    try:
        yield running
    finally:
        running.stop()


def write(server: Latchkey, id_token: str, text: str):
    request = urllib.request.Request(
        f"{server.url}/v1/documents/notes/first", json.dumps({"text": text}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {id_token}"}, method="PUT",
    )
    urllib.request.urlopen(request, timeout=15).close()


def read(server: Latchkey, id_token: str) -> str:
    headers = {"Authorization": f"Bearer {id_token}"}
    request = urllib.request.Request(f"{server.url}/v1/documents/notes/first", headers=headers)
    with urllib.request.urlopen(request, timeout=15) as answer:
        return answer.read().decode()


def link_code(server: Latchkey, email: str) -> str:
    codes = server.get("/emulator/v1/projects/demo-latchkey/oobCodes")["oobCodes"]
    return next(code["oobCode"] for code in reversed(codes) if code["email"] == email)


def sign_in(asked: Latchkey, redeemed: Latchkey, email: str, **more) -> dict:
    """A sign-in whose link is asked for at one node and redeemed at another."""
    asked.send_link(email, **({"idToken": more["idToken"]} if "idToken" in more else {}))
    return redeemed.redeem(email, link_code(asked, email), **more)


class Load:
    """Guests that sign up, refresh and write at both nodes all the time. Every failure is kept."""

    def __init__(self, *servers: Latchkey):
        self.servers = list(servers)
        self.failures: list[str] = []
        self.sessions: list[tuple[str, str]] = []
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(4)]

    def _run(self):
        while not self._ends.is_set():
            servers = list(self.servers)
            for index, server in enumerate(servers):
                other = servers[index - 1]
                try:
                    guest = server.call("accounts:signUp", {})
                    self.sessions.append((guest["localId"], guest["refreshToken"]))
                    token = other.refresh(guest["refreshToken"])
                    write(other, token["id_token"], "Grüße")
                except Exception as error:
                    # A node that was taken out of the balancer meanwhile is no failure.
                    if server in self.servers and other in self.servers:
                        self.failures.append(f"{server.url}, {other.url}: {error!r}")
                time.sleep(0.02)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        for thread in self._threads:
            thread.join()


def test_nodes_of_both_versions_serve_the_same_users(cluster, tmp_path):
    url = cluster.make_database()
    old_program, new_program = os.environ["LATCHKEY_RELEASED"], str(binary())
    with contextlib.ExitStack() as nodes:
        old = nodes.enter_context(node(tmp_path, "old", old_program, url))
        before = sign_in(old, old, "before@example.com")
        write(old, before["idToken"], "from the old version")
        # As if the installation were a day old, so that the new version's migrations are an upgrade.
        assert cluster.sql("UPDATE schema_migrations SET applied_at = applied_at - 86400000", url.rsplit("/", 1)[1]) == ""
        with Load(old) as load:
            new = nodes.enter_context(node(tmp_path, "new", new_program, url))
            load.servers.append(new)
            new.wait_for_output("nodes of an earlier version run")
            # Whatever one version issues, the other accepts.
            for here, there in ((old, new), (new, old)):
                guest = here.call("accounts:signUp", {})
                assert there.refresh(guest["refreshToken"])["user_id"] == guest["localId"]
                users = there.call("accounts:lookup", {"idToken": guest["idToken"]})["users"]
                assert users[0]["localId"] == guest["localId"]
                email = f"{'old' if here is old else 'new'}@example.com"
                linked = sign_in(here, there, email, idToken=guest["idToken"])
                assert linked["localId"] == guest["localId"]
                assert sign_in(there, here, email)["localId"] == guest["localId"]
            assert "from the old version" in read(new, before["idToken"])
            time.sleep(3)
            # The old node is taken out of the balancer, and stops. A second new one takes its place.
            load.servers.remove(old)
            assert old.stop() == 0
            second = nodes.enter_context(node(tmp_path, "second", new_program, url))
            load.servers.append(second)
            new.wait_for_output("the nodes of an earlier version have stopped", timeout=60)
            assert second.refresh(before["refreshToken"])["user_id"] == before["localId"]
        assert not load.failures, load.failures[:5]
        assert len(load.sessions) > 50
        for uid, token in load.sessions:
            assert second.refresh(token)["user_id"] == uid
    check = subprocess.run([new_program, "database", "check", "--database", url], text=True, capture_output=True,
                           env=environment(LATCHKEY_SECRET=SECRET))
    assert check.returncode == 0, check.stdout + check.stderr
