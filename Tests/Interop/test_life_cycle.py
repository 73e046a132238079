"""Reloads and stops of the real program, by signals, under load."""
import json
import shutil
import signal
import ssl
import time
import urllib.request
from http.client import HTTPConnection, HTTPSConnection

from support.certificate import Certificate
from support.load import Load
from support.waiting import wait_until


def reload(server) -> dict:
    """Sends SIGHUP; the line of the log, in JSON, that says how the reload ended."""
    def ends() -> list[dict]:
        found = [json.loads(line) for line in list(server.output) if line.startswith("{")]
        return [line for line in found if line["event"] in ("reload.done", "reload.refused")]

    before = len(ends())
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: len(ends()) > before, 20, "the end of a reload", server.process)
    return ends()[-1]


def test_a_certificate_is_reloaded_under_load_without_a_failed_request(start_server, tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    first.mkdir()
    second.mkdir()
    used, other = Certificate(first), Certificate(second)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    server = start_server(
        LATCHKEY_TLS_CERTIFICATE=str(used.certificate), LATCHKEY_TLS_KEY=str(used.key), LATCHKEY_LOG_FORMAT="json",
        scheme="https",
    )
    port = int(server.url.rsplit(":", 1)[1])
    load = Load(lambda: HTTPSConnection("127.0.0.1", port, timeout=30, context=context))
    try:
        load.wait(20)
        assert len(load.serials) == 1
        # The key of another certificate: nothing changes, and the log says why.
        shutil.copy(other.key, used.key)
        refused = reload(server)
        assert refused["event"] == "reload.refused" and "is not the key of the certificate" in refused["reason"]
        load.wait(20)
        assert len(load.serials) == 1
        shutil.copy(other.certificate, used.certificate)
        assert reload(server)["changed"] == ["certificate"]
        load.wait(40)
        assert reload(server)["changed"] == []
    finally:
        load.end()
    assert load.failures == []
    assert len(load.serials) == 2


def test_a_reload_applies_all_or_nothing(start_server, tmp_path):
    file = tmp_path / "latchkey.json5"
    templates = tmp_path / "templates"
    (templates / "strings").mkdir(parents=True)

    def write(**settings):
        file.write_text(json.dumps({"appName": "First", "templates": str(templates), "log": {"format": "json"}} | settings))

    write()
    server = start_server(LATCHKEY_CONFIG=str(file))

    def sign_up() -> int:
        try:
            server.call("accounts:signUp", {})
            return 200
        except Exception as error:
            return error.status

    def page() -> str:
        request = urllib.request.Request(server.url + "/", headers={"Accept": "text/html"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read().decode()

    assert sign_up() == 200
    # Broken files change nothing: JSON, a setting, a template.
    file.write_text("{ appName: ")
    assert reload(server)["event"] == "reload.refused"
    write(appName="Second", limits={"guestsPerClient": "many"})
    refused = reload(server)
    assert refused["event"] == "reload.refused" and "limits.guestsPerClient" in refused["reason"]
    (templates / "pages").mkdir()
    (templates / "pages" / "landing.html").write_text("<p>{{noSuchPlaceholder}}</p>")
    write(appName="Second", signIn={"anonymous": False})
    refused = reload(server)
    assert refused["event"] == "reload.refused" and "landing.html" in refused["reason"]
    assert sign_up() == 200 and "Second" not in page()
    # The same without the broken template: everything changes at once.
    shutil.rmtree(templates / "pages")
    write(appName="Second", signIn={"anonymous": False}, projectID="another-project", mailWorkers=2)
    done = reload(server)
    assert done["changed"] == ["appName", "signIn.anonymous"]
    assert done["needsRestart"] == ["mailWorkers", "projectID"]
    assert sign_up() == 400 and "Second" in page()
    # A logo, also one that is another picture in the same file.
    logo = tmp_path / "logo.svg"
    for width in (4, 8):
        logo.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 1"><path d="M0 0h1v1H0z"/></svg>')
        write(appName="Second", signIn={"anonymous": False}, brand={"logo": str(logo)})
        assert reload(server)["changed"] == ["brand.logo"]
        with urllib.request.urlopen(server.url + "/auth/logo.svg", timeout=10) as answer:
            assert answer.read() == logo.read_bytes()
    assert reload(server)["changed"] == []
    # Limits and the log.
    write(appName="Second", limits={"guestsPerClient": 2}, log={"format": "text"})
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_output(r" info reload\.done changed=.*limits\.guestsPerClient")
    assert [sign_up() for _ in range(4)][-1] == 429


def test_a_stop_is_announced_before_connections_are_refused(start_server):
    # The second signal ends the drain, so that its length costs no time.
    server = start_server(LATCHKEY_SHUTDOWN_DRAIN="60s")
    port = int(server.url.rsplit(":", 1)[1])

    def ready() -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        return answer.status, answer.read()

    wait_until(lambda: ready()[0] == 200, 20, "readiness")
    load = Load(lambda: HTTPConnection("127.0.0.1", port, timeout=30))
    try:
        load.wait(20)
        server.process.terminate()
        wait_until(lambda: ready() == (503, b'{"status":"unavailable","reason":"stopping"}'), 20, "the announcement")
        # The server answers everything else meanwhile.
        load.wait(20)
        assert "latchkey: stopping" not in server.output, "the drain ended early"
        server.process.terminate()
        server.process.wait(60)
    finally:
        load.end()
    assert load.failures == []
    assert server.process.returncode == 0


def test_a_stop_waits_for_the_end_of_the_drain(start_server):
    server = start_server(LATCHKEY_SHUTDOWN_DRAIN="2s")
    start = time.monotonic()
    server.process.terminate()
    assert server.process.wait(60) == 0
    assert time.monotonic() - start >= 2


def test_a_second_signal_ends_the_wait(start_server):
    server = start_server(LATCHKEY_SHUTDOWN_DRAIN="60s")
    server.process.terminate()
    server.wait_for_output("^latchkey: stopping in 60 s")
    server.process.terminate()
    # Less than the drain, which a server would wait for that ignores the second signal.
    assert server.process.wait(40) == 0


def test_rolling_restarts_lose_no_request(start_server, make_database, tmp_path):
    """Restarts without a pause for load balancers: whatever was accepted is answered."""
    database = make_database(tmp_path)
    settings = dict(LATCHKEY_DATABASE=database, LATCHKEY_SECRET="a-secret-of-the-tests-with-more-than-32-bytes")
    server = start_server(**settings)
    for _ in range(3):
        port = int(server.url.rsplit(":", 1)[1])
        load = Load(lambda: HTTPConnection("127.0.0.1", port, timeout=30))
        load.wait(20)
        server.process.terminate()
        assert server.process.wait(60) == 0
        load.end()
        assert load.failures == []
        server = start_server(**settings)
