"""`latchkey doctor` and `latchkey mail test` against real servers, broken in the ways that operators meet."""
import contextlib
import http.client
import http.server
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from conftest import smtp_settings
from support import aiosmtp, postfix
from support.authority import Authority
from support.dns import DNS
from support.latchkey import binary
from support.ports import free_port
from support.programs import environment
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")

SECRET = "a-secret-of-the-tests-with-more-than-32-bytes"
GOOD_RECORDS = {
    ("mail.example.org", "MX"): ["mx.example.org"],
    ("mail.example.org", "TXT"): ["unrelated", "v=spf1 include:relay.example.net -all"],
    ("relay.example.net", "TXT"): ["v=spf1 ip4:192.0.2.0/24 -all"],
    ("_dmarc.example.org", "TXT"): ["v=DMARC1; p=reject; rua=mailto:dmarc@example.org"],
    ("s1._domainkey.mail.example.org", "CNAME"): ["s1.relay.example.net"],
    ("s1.relay.example.net", "TXT"): ["v=DKIM1; k=rsa; p=" + "A" * 392],
}


@pytest.fixture
def start_dns():
    started = []

    def start(records, **more):
        started.append(DNS(records, **more))
        return started[-1]

    yield start
    for server in started:
        server.stop()


class Report:
    def __init__(self, done):
        self.status = done.returncode
        self.text = done.stdout + done.stderr
        self.findings = json.loads(done.stdout)["findings"] if done.stdout.startswith("{") else []

    def __getitem__(self, check: str) -> dict:
        found = [finding for finding in self.findings if finding["check"] == check]
        assert found, f"{check} is not in {self.text}"
        return max(found, key=lambda finding: ["ok", "warning", "problem"].index(finding["status"]))

    def status_of(self, check: str) -> str:
        return self[check]["status"]


def doctor(folder: Path, *words, wrapper=(), **settings) -> Report:
    settings = {"LATCHKEY_DATABASE": f"sqlite:{folder}/latchkey.db", "LATCHKEY_SECRET": SECRET,
                "LATCHKEY_MAIL_FROM": "App <app@mail.example.org>"} | settings
    done = subprocess.run([*wrapper, str(binary()), "doctor", "--json", *words], cwd=folder, text=True, timeout=180,
                          capture_output=True, env=environment(**settings))
    return Report(done)


def mail_test(folder: Path, **settings):
    settings = {"LATCHKEY_MAIL_FROM": "App <app@mail.example.org>"} | settings
    return subprocess.run([str(binary()), "mail", "test", "you@example.org"], cwd=folder, text=True, timeout=180,
                          capture_output=True, env=environment(**settings))


def test_nothing_answers_and_the_report_comes_in_time(tmp_path):
    """No network, database or mail server: the listening sockets accept nothing more, as a firewall drops packets."""
    with contextlib.ExitStack() as stack:
        silent = []
        for _ in range(3):
            listener = stack.enter_context(socket.socket())
            listener.bind(("127.0.0.1", free_port()))
            listener.listen(16)  # Connections are accepted by the system, and nothing answers.
            silent.append(listener.getsockname()[1])
        dns = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        dns.bind(("127.0.0.1", free_port()))
        start = time.monotonic()
        report = doctor(
            tmp_path, "--dns-server", f"127.0.0.1:{dns.getsockname()[1]}", LATCHKEY_MODE="production",
            LATCHKEY_PUBLIC_URL=f"https://localhost:{silent[0]}", LATCHKEY_TRUSTED_PROXIES="127.0.0.1",
            LATCHKEY_DATABASE=f"postgresql://latchkey@127.0.0.1:{silent[1]}/latchkey",
            LATCHKEY_SMTP_URL=f"smtp://u:p@127.0.0.1:{silent[2]}?starttls=required",
        )
        # 20 s as documented, and time for a slow machine. A doctor without limits would take a minute: the time that SMTP has.
        assert time.monotonic() - start < 30
    assert report.status == 1
    for check in ("public-url.reach", "database.reach", "smtp.connect", "dns"):
        assert report.status_of(check) == "problem", report.text
        assert report[check]["advice"]
    assert report.status_of("entropy") == "ok"


def test_nothing_listens(tmp_path):
    report = doctor(
        tmp_path, "--dns-server", f"127.0.0.1:{free_port()}", LATCHKEY_MODE="production",
        LATCHKEY_PUBLIC_URL=f"https://localhost:{free_port()}",
        LATCHKEY_DATABASE=f"postgresql://latchkey:pass-word@127.0.0.1:{free_port()}/latchkey",
        LATCHKEY_SMTP_URL=f"smtp://u:pass-word@127.0.0.1:{free_port()}?starttls=required",
    )
    assert report.status == 1
    for check in ("public-url.reach", "database.reach", "smtp.connect", "dns", "configuration.proxy"):
        assert report.status_of(check) == "problem", report.text
    assert "pass-word" not in report.text
    assert not list(tmp_path.iterdir()), "it changes nothing"


def test_a_bad_configuration_is_a_finding(tmp_path):
    report = doctor(tmp_path, LATCHKEY_MODE="production")
    assert report.status == 1
    assert report.status_of("configuration") == "problem"
    assert report.status_of("entropy") == "ok"


def test_good_records_of_the_sender(tmp_path, start_dns):
    dns = start_dns(GOOD_RECORDS)
    report = doctor(tmp_path, "--dns-server", dns.address, "--dkim-selector", "s1")
    for check in ("dns.sender", "dns.spf", "dns.dmarc", "dns.dkim"):
        assert report.status_of(check) == "ok", report.text
    assert report.status == 0, report.text


@pytest.mark.parametrize("changes, check, status, words", [
    ({("mail.example.org", "MX"): []}, "dns.sender", "problem", "no MX"),
    ({("mail.example.org", "TXT"): ["other"]}, "dns.spf", "problem", "has no SPF record"),
    ({("mail.example.org", "TXT"): ["v=spf1 -all", "v=spf1 mx -all"]}, "dns.spf", "problem", "2 SPF records"),
    ({("mail.example.org", "TXT"): ["v=spf1 +all"]}, "dns.spf", "problem", "every machine"),
    ({("mail.example.org", "TXT"): ["v=spf1 mx"]}, "dns.spf", "warning", "other senders"),
    ({("mail.example.org", "TXT"): ["v=spf1 include:relay.example.net -all"],
      ("relay.example.net", "TXT"): ["v=spf1 " + "a:x.example.net " * 10 + "-all"]}, "dns.spf", "problem", "more than 10"),
    ({("mail.example.org", "TXT"): ["v=spf1 include:mail.example.org -all"]}, "dns.spf", "problem", "more than 10"),
    ({("mail.example.org", "TXT"): ["v=spf1 -all"] + ["x" * 250] * 10}, "dns.spf", "ok", "v=spf1 -all"),
    ({("_dmarc.example.org", "TXT"): []}, "dns.dmarc", "problem", "no DMARC record"),
    ({("_dmarc.example.org", "TXT"): ["v=DMARC1; p=none"]}, "dns.dmarc", "warning", "example.org is none"),
    ({("_dmarc.mail.example.org", "TXT"): ["v=DMARC1; sp=none"]}, "dns.dmarc", "problem", "no valid policy"),
    ({("s1.relay.example.net", "TXT"): ["v=DKIM1; p="]}, "dns.dkim", "problem", "revoked"),
    ({("s1.relay.example.net", "TXT"): []}, "dns.dkim", "problem", "no DKIM key"),
    ({("s1.relay.example.net", "TXT"): ["p=" + "A" * 216]}, "dns.dkim", "warning", "shorter than 2048"),
])
def test_records_that_receivers_distrust(tmp_path, start_dns, changes, check, status, words):
    dns = start_dns({key: values for key, values in (GOOD_RECORDS | changes).items() if values})
    report = doctor(tmp_path, "--dns-server", dns.address, "--dkim-selector", "s1")
    assert report.status_of(check) == status, report.text
    assert words in report[check]["message"]
    assert report.status == (1 if status == "problem" else 0)


def test_a_dns_server_that_fails(tmp_path, start_dns):
    report = doctor(tmp_path, "--dns-server", start_dns(GOOD_RECORDS, code=2).address)
    assert "code 2" in report["dns"]["message"]


def test_answers_that_are_no_dns(tmp_path):
    """Whatever a server sends, the report says so and does not crash."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", free_port()))

        def answer():
            with contextlib.suppress(OSError):
                while True:
                    message, client = server.recvfrom(4096)
                    for junk in (b"", b"x", message[:2], message[:2] + b"\x81\x80" + message[4:20],
                                 message[:2] + b"\x81\x80\x00\x01\x00\x07\x00\x00\x00\x00" + message[12:-11] + b"\xc0"):
                        server.sendto(junk, client)

        threading.Thread(target=answer, daemon=True).start()
        report = doctor(tmp_path, "--dns-server", f"127.0.0.1:{server.getsockname()[1]}")
    assert report.status_of("dns") == "problem", report.text
    assert report.status == 1


def test_the_dialogue_with_postfix(tmp_path, real_postfix, start_dns):
    settings = smtp_settings(real_postfix, postfix.USER, postfix.PASSWORD, real_postfix.authority)
    done = mail_test(tmp_path, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    for wanted in ("> EHLO", "> STARTTLS", "* Encrypted with TLSv1.3", "> AUTH PLAIN (credentials)", "< 235",
                   "> MAIL FROM:<app@mail.example.org>", "> RCPT TO:<you@example.org>", "> DATA", "< 354", "< 250"):
        assert any(line.startswith(wanted) for line in lines), f"{wanted}\n{done.stdout}"
    assert "encrypted with TLSv1.3" in lines[-1]
    received = real_postfix.wait_for_mail("you@example.org")
    assert received
    report = doctor(tmp_path, "--dns-server", start_dns(GOOD_RECORDS).address, **settings)
    assert report.status == 0, report.text
    for check in ("smtp.connect", "smtp.tls", "smtp.login"):
        assert report.status_of(check) == "ok"
    assert report.status_of("smtp.certificate") == "warning", "the certificate of the tests lives two days"


def test_a_mail_server_on_this_machine_that_insists_on_starttls(tmp_path, real_postfix):
    done = mail_test(tmp_path, LATCHKEY_SMTP_URL=f"smtp://{postfix.USER}:x@localhost:{real_postfix.port}")
    assert done.returncode == 1 and "wants an encrypted connection: 530" in done.stderr, done.stderr
    assert "?starttls=required" in done.stderr


@pytest.mark.parametrize("trouble, check, words", [
    ("password", "smtp.login", "rejects the login: 5"),
    ("authority", "smtp.certificate", "not accepted: self-signed certificate"),
    ("name", "smtp.certificate", "another name"),
    ("starttls", "smtp.tls", "offers no STARTTLS"),
    ("implicit", "smtp.tls", "TLS could not be set up"),
])
def test_the_dialogue_ends_with_what_is_wrong(tmp_path, start_aiosmtp, start_dns, trouble, check, words):
    names = ("DNS:mail.example.net",) if trouble == "name" else ("DNS:localhost",)
    server = start_aiosmtp(offers_tls=trouble != "starttls", names=names)
    password = "wr0ng-pass-word" if trouble == "password" else aiosmtp.PASSWORD
    settings = smtp_settings(server, aiosmtp.USER, password, None if trouble == "authority" else server.authority)
    if trouble == "implicit":
        settings["LATCHKEY_SMTP_URL"] = f"smtps://u:p@localhost:{server.port}"
    done = mail_test(tmp_path, **settings)
    assert done.returncode == 1
    assert words in done.stderr, done.stdout + done.stderr
    assert len(done.stderr.splitlines()) >= 2, "it says what to do"
    report = doctor(tmp_path, "--dns-server", start_dns(GOOD_RECORDS).address, **settings)
    assert report.status == 1
    assert report.status_of(check) == "problem", report.text
    assert words in report[check]["message"]
    assert "wr0ng-pass-word" not in report.text + done.stdout + done.stderr
    assert server.mails == []


class Proxy:
    """An HTTPS proxy in front of a server, as an operator might have set it up."""

    def __init__(self, folder: Path, target: int, drop=(), add=()):
        self.authority = Authority(folder)
        certificate, key = self.authority.issue("localhost")

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                upstream = http.client.HTTPConnection("127.0.0.1", target, timeout=10)
                upstream.request("GET", self.path, headers={"Host": self.headers["Host"], "X-Forwarded-For": "192.0.2.7"})
                answer = upstream.getresponse()
                body = answer.read()
                self.send_response_only(answer.status)
                for name, value in [*answer.getheaders(), *add]:
                    if name.lower() not in {"connection", *drop}:
                        self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"https://localhost:{self._server.server_port}"

    def trusted(self) -> list[str]:
        """Words that start a program for which the system trusts this proxy's authority."""
        script = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'
        return ["unshare", "--mount", "sh", "-c", script, str(self.authority.certificate)]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can replace the system's authorities for one process")
def test_the_public_url_through_a_proxy(tmp_path, start_dns):
    port = free_port()
    dns = start_dns(GOOD_RECORDS)
    started = []

    def proxy(name, **more):
        (tmp_path / name).mkdir()
        started.append(Proxy(tmp_path / name, port, **more))
        return started[-1]

    good = proxy("good")
    settings = {
        "LATCHKEY_MODE": "production", "LATCHKEY_PUBLIC_URL": good.url, "LATCHKEY_LISTEN": f"127.0.0.1:{port}",
        "LATCHKEY_SMTP_URL": f"smtp://127.0.0.1:{free_port()}", "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1",
        "LATCHKEY_DATABASE": f"sqlite:{tmp_path}/latchkey.db", "LATCHKEY_SECRET": SECRET,
        "LATCHKEY_MAIL_FROM": "App <app@mail.example.org>",
    }
    server = subprocess.Popen([str(binary()), "serve"], cwd=tmp_path, env=environment(**settings), text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, 30, "the server", server)

        def report(through, **more):
            return doctor(tmp_path, "--dns-server", dns.address, wrapper=through.trusted(), **(settings | more))

        found = report(good)
        for check in ("public-url", "public-url.headers", "database.version", "database.latency", "database.secret"):
            assert found.status_of(check) == "ok", found.text
        assert found.status_of("public-url.certificate") == "warning", "the certificate of the tests lives two days"
        untrusted = doctor(tmp_path, "--dns-server", dns.address, **settings)
        assert "not accepted" in untrusted["public-url.certificate"]["message"]

        stripping = proxy("stripping", drop=("strict-transport-security",))
        found = report(stripping, LATCHKEY_PUBLIC_URL=stripping.url)
        assert found.status_of("public-url") == "problem", "the server has another public URL"
        assert found.status_of("public-url.headers") == "problem"
        adding = proxy("adding", add=(("Strict-Transport-Security", "max-age=1"),))
        assert report(adding, LATCHKEY_PUBLIC_URL=adding.url).status_of("public-url.headers") == "warning"

        found = report(good, LATCHKEY_SECRET="another-secret-of-the-tests-with-32-bytes")
        assert found.status_of("database.secret") == "problem"
        os.chmod(tmp_path / "latchkey.db", 0o666)
        assert report(good).status_of("files.database") == "problem"
    finally:
        server.terminate()
        server.wait(20)
        for each in started:
            each.stop()


def test_a_file_that_is_no_database(tmp_path, start_dns):
    shutil.copy("/bin/true", tmp_path / "latchkey.db")
    os.chmod(tmp_path / "latchkey.db", 0o600)
    report = doctor(tmp_path, "--dns-server", start_dns(GOOD_RECORDS).address)
    assert report.status == 1
    assert report.status_of("database.damage") == "problem", report.text
