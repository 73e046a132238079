"""`make cluster`: nodes, the proxy and the database when one of them stops, and an upgrade node by node."""
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.cluster import ROOT, status
from support.ports import free_port
from support.postgresql import UNPRIVILEGED, PostgreSQL, give_to_server
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")


def test_the_proxy_itself_answers_in_the_form_of_all_errors(start_cluster):
    cluster = start_cluster("--nodes", "1")
    refusals = []

    def ask():
        with pytest.raises(urllib.error.HTTPError) as refusal:
            sign_up(cluster.url)
        with refusal.value as answer:
            refusals.append((answer.code, answer.headers["Content-Type"], json.load(answer)["error"]["message"]))

    held = "FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    with subprocess.Popen(["psql", "-Xq", "-c", "BEGIN; LOCK TABLE users; SELECT pg_sleep(60)", cluster.status["database"]],
                          stderr=subprocess.DEVNULL):
        wait_until(lambda: cluster.sql(f"SELECT 1 {held}"), 20, "the lock")
        call = threading.Thread(target=ask)
        call.start()
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'users'::regclass AND mode = 'RowExclusiveLock'"
        wait_until(lambda: cluster.sql(waiting), 20, "a call that waits for the lock")
        with cluster.without_restarts():
            former = cluster.end(0, signal.SIGKILL)
            call.join()
            cluster.sql(f"SELECT pg_terminate_backend(pid) {held}")
            wait_until(lambda: status(f"{cluster.url}/readyz") == 503, 20, "the proxy to see that no node is ready")
            ask()
    assert refusals == [(code, "application/json", "UNAVAILABLE") for code in (502, 503)]
    cluster.wait_for_node(0, former)


def sign_up(url: str) -> str:
    request = urllib.request.Request(f"{url}/v1/accounts:signUp?key=x", b"{}", {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=15) as answer:
        return json.load(answer)["localId"]


class SignUps:
    """Signs up one guest after the other, on a few threads; keeps what was answered."""

    def __init__(self, url: str, acknowledged: list[str]):
        self.refused = set()
        self._url, self._acknowledged = url, acknowledged
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(4)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self):
        while not self._stop.is_set():
            try:
                self._acknowledged.append(sign_up(self._url))
            except urllib.error.HTTPError as error:
                error.close()
                self.refused.add(error.code)
                time.sleep(0.05)


def test_old_nodes_go_on_while_a_newer_one_has_migrated_and_do_not_start_again(start_cluster):
    cluster = start_cluster()
    for number in range(3):
        sign_up(cluster.node(number)["url"])
    # What a migration of the next version may do: add what the old version does not name.
    cluster.sql("""
        BEGIN;
        ALTER TABLE users ADD COLUMN added_later TEXT;
        ALTER TABLE sessions ADD COLUMN added_later BIGINT DEFAULT 7;
        CREATE TABLE made_later (id BIGINT PRIMARY KEY, uid TEXT REFERENCES users (uid) ON DELETE CASCADE);
        INSERT INTO schema_migrations SELECT max(number) + 1, 'later', 'of a newer version', 0 FROM schema_migrations;
        COMMIT;
    """)
    for number in range(3):
        for _ in range(20):
            sign_up(cluster.node(number)["url"])

    former = cluster.end(2, signal.SIGTERM)
    wait_until(lambda: cluster.node_log(2).count("newer") >= 2, 30, "the old node's refusal to start, twice")
    assert cluster.node(2)["pid"] != former
    assert status(cluster.node(2)["url"] + "/readyz") is None
    for _ in range(20):
        sign_up(cluster.url)

    cluster.sql("DELETE FROM schema_migrations WHERE name = 'later'")
    cluster.wait_for_node(2)
    sign_up(cluster.node(2)["url"])


def stores(url: str) -> bool:
    """Whether a sign-up is answered."""
    try:
        return bool(sign_up(url))
    except urllib.error.HTTPError:
        return False


@pytest.mark.parametrize("options", [(), ("--pooler",)], ids=["direct", "pgbouncer"])
def test_a_database_that_is_killed_is_back_without_a_restart_of_the_nodes(start_cluster, options):
    cluster = start_cluster(*options)
    before = {sign_up(cluster.url) for _ in range(20)}
    pids = [node["pid"] for node in cluster.status["nodes"]]
    with cluster.without_restarts():
        os.kill(cluster.status["pids"]["postgresql"], signal.SIGKILL)
        if not options:  # pgbouncer lets clients wait for the server.
            wait_until(lambda: status(cluster.node(0)["url"] + "/readyz") == 503, 30, "readyz to say so")
    for number in range(3):
        cluster.wait_for_node(number)
    wait_until(lambda: status(cluster.url + "/readyz") == 200, 20, "the proxy to see it")
    # Nodes answer /readyz from memory, so behind pgbouncer they may not have noticed anything yet.
    wait_until(lambda: all(stores(cluster.url) for _ in range(6)), 40, "all nodes to store again")
    after = {sign_up(cluster.url) for _ in range(20)}
    assert [node["pid"] for node in cluster.status["nodes"]] == pids
    kept = set(cluster.sql("SELECT uid FROM users").split())
    assert kept >= before | after


def test_a_node_serves_with_a_role_that_may_not_change_the_schema(start_cluster, start_server):
    cluster = start_cluster("--nodes", "1")
    # As docs/operations.md says.
    cluster.sql("""
        CREATE ROLE latchkey_node LOGIN;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO latchkey_node;
    """)
    node = start_server(LATCHKEY_DATABASE=cluster.database_url("latchkey_node"), LATCHKEY_SECRET=cluster.secret)
    guest = node.call("accounts:signUp", {})
    # Else the mail might be sent by the node of the cluster, which has all rights.
    os.kill(cluster.node(0)["pid"], signal.SIGSTOP)
    try:
        node.send_link("you@example.org")
        wait_until(lambda: node.get("/mailbox/messages")["messages"], 20, "the mail")
    finally:
        os.kill(cluster.node(0)["pid"], signal.SIGCONT)
    link = node.get("/mailbox/messages")["messages"][0]["links"][0]
    owner = node.redeem("you@example.org", re.search("oobCode=([^&]*)", link)[1], idToken=guest["idToken"])
    assert owner["localId"] == guest["localId"]
    node.call("accounts:delete", {"idToken": owner["idToken"]})
    assert cluster.sql("SELECT usename FROM pg_stat_activity WHERE usename = 'latchkey_node' LIMIT 1").strip()
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(["psql", "-Xc", "CREATE TABLE x (y INT)", cluster.database_url("latchkey_node")],
                       check=True, capture_output=True)


def test_a_node_follows_a_failover_to_a_synchronous_standby_and_nothing_acknowledged_is_lost(start_server):
    with contextlib.ExitStack() as at_end:
        folders = [Path(at_end.enter_context(tempfile.TemporaryDirectory(prefix="latchkey-standby-"))) for _ in range(2)]
        for folder in folders:
            give_to_server(folder)
        primary = PostgreSQL(folders[0] / "data", synchronous_standby_names="*")
        at_end.callback(primary.stop, signal.SIGQUIT)
        subprocess.run([*UNPRIVILEGED, "pg_basebackup", f"--dbname={primary.url('postgres')}", "--write-recovery-conf",
                        f"--pgdata={folders[1]}/data", "--checkpoint=fast"], check=True, cwd="/", capture_output=True)
        # Itself without a standby, once it is the primary.
        standby = PostgreSQL(folders[1] / "data", synchronous_standby_names="")
        at_end.callback(standby.stop)
        wait_until(lambda: primary.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'", "postgres"), 30,
                   "the standby")
        primary.sql("CREATE DATABASE latchkey", "postgres")

        hosts = ",".join(f"{str(folder).replace('/', '%2F')}:5432" for folder in folders)
        node = start_server(
            LATCHKEY_DATABASE=f"postgresql://latchkey@{hosts}/latchkey?target_session_attrs=read-write",
            LATCHKEY_SECRET="s" * 40,
        )
        acknowledged = []
        with SignUps(node.url, acknowledged) as sign_ups:
            wait_until(lambda: len(acknowledged) > 50, 20, "calls")
            primary.stop(signal.SIGQUIT)
            before = len(acknowledged)
            assert standby.sql("SELECT pg_promote()") == "t"
            wait_until(lambda: len(acknowledged) > before + 50, 30, "calls that the standby serves")
        assert sign_ups.refused == {503}, sign_ups.refused
        assert set(standby.sql("SELECT uid FROM users").split()) >= set(acknowledged)


def test_the_balancer_of_the_docs_passes_the_client_address_to_production_nodes(start_cluster, start_server, tmp_path):
    cluster = start_cluster("--nodes", "1")
    nodes = [
        start_server(
            LATCHKEY_MODE="production", LATCHKEY_DATABASE=cluster.status["database"], LATCHKEY_SECRET=cluster.secret,
            LATCHKEY_PUBLIC_URL="https://auth.example.com", LATCHKEY_SMTP_URL="smtp://127.0.0.1:1",
            LATCHKEY_TRUSTED_PROXIES="127.0.0.1/32", LATCHKEY_LIMITS_GUESTS_PER_CLIENT="3",
        )
        for _ in range(2)
    ]
    text = (ROOT / "docs/scaling.md").read_text()
    configuration = "".join(
        f"{line[4:]}\n" for line in text[text.index("    defaults\n"):].split("\n\n")[0].splitlines()
        if "server node-3" not in line
    )
    port = free_port()
    for was, now in {
        "bind :443 ssl crt /etc/haproxy/auth.example.com.pem": f"bind 127.0.0.1:{port}",
        "10.0.0.11:9099": nodes[0].url.removeprefix("http://"), "10.0.0.12:9099": nodes[1].url.removeprefix("http://"),
    }.items():
        assert configuration.count(was) == 1, configuration
        configuration = configuration.replace(was, now)
    (tmp_path / "haproxy.cfg").write_text(configuration)
    proxy = subprocess.Popen(["/usr/sbin/haproxy", "-db", "-q", "-f", str(tmp_path / "haproxy.cfg")])
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until(lambda: status(f"{url}/readyz") == 200, 10, "the proxy", proxy)

        def sign_up_from(address: str) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10, source_address=(address, 0))
            try:
                # What a client says of itself is not believed.
                headers = {"Content-Type": "application/json", "X-Forwarded-For": f"203.0.113.{time.monotonic_ns() % 200}"}
                connection.request("POST", "/v1/accounts:signUp?key=x", "{}", headers)
                return connection.getresponse().status
            finally:
                connection.close()

        # Three at each of two nodes, for each client on its own.
        for address in ("127.0.0.2", "127.0.0.3"):
            answers = [sign_up_from(address) for _ in range(12)]
            assert answers.count(200) == 6 and answers.count(429) == 6, answers
    finally:
        proxy.terminate()
        proxy.wait()
