"""From a bare Debian 12 to an upgrade, by the commands of docs/install.md and docs/operations.md as they stand there.

The package is installed and configured. A sign-in e-mail arrives through a real postfix with STARTTLS and AUTH. A real Prometheus
sees it. A certificate is reloaded under load. The database is backed up, destroyed and restored, and the package upgraded.

There is no systemd in a chroot, so the test does what the unit says: its commands, its user, and a socket for its notifications.
"""
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from debian import CONFIGURATION, ROOT, Debian, package, with_version

sys.path.insert(0, str(ROOT / "Tests/Interop"))

from support import guide, mails, postfix  # noqa: E402
from support.authority import Authority  # noqa: E402
from support.load import Load  # noqa: E402
from support.ports import free_port  # noqa: E402
from support.prometheus import Prometheus  # noqa: E402
from support.service_manager import Manager  # noqa: E402
from support.waiting import wait_until  # noqa: E402

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter another root folder")


def command(page: str, beginning: str, replacing: dict[str, str] = {}) -> str:
    """The one command of a page in docs/ that begins so."""
    text, = {found[1] for found in re.finditer(rf"^(?: {{4,}}|\d\. `)({re.escape(beginning)}[^`\n]*)`?$", guide.PAGES[page], re.M)}
    for old, new in replacing.items():
        assert old in text, f"{old} is not in {text}"
        text = text.replace(old, new)
    return text


class Service:
    """The server as systemd would run it: by the lines of the unit."""

    def __init__(self, debian: Debian, folder: Path):
        self._debian = debian
        self._log = folder / "journal"
        # systemd makes it. In a network that this machine shares, an abstract socket is reached from the chroot.
        self._manager = Manager(f"@latchkey-tour-{os.getpid()}-{free_port()}")

    def _lines(self, name: str) -> list[str]:
        """The values of an entry of the unit."""
        unit = self._debian.path("lib/systemd/system/latchkey.service").read_text()
        return re.findall(rf"^{name}=(.*)$", unit, re.M)

    def start(self):
        self._manager.messages.clear()
        folder = f"install -d -m 0750 -o latchkey -g latchkey /run/latchkey; umask {self._lines('UMask')[0]}; "
        user = "exec setpriv --reuid=latchkey --regid=latchkey --init-groups "
        self._debian.run("sh", "-c", re.search(r"'(.*)'", self._lines("ExecCondition")[0])[1])
        words = self._debian.words("sh", "-ec", folder + user + self._lines("ExecStart")[0],
                                   NOTIFY_SOCKET=self._manager.address, WATCHDOG_USEC="30000000", STATE_DIRECTORY="/var/lib/latchkey")
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(lambda: self._manager.heard("READY"), 60, "READY=1", self.process)

    @property
    def pid(self) -> int:
        children, = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children)

    def events(self, name: str) -> list[dict]:
        lines = [line for line in self._log.read_text().splitlines() if line.startswith("{")]
        return [event for event in map(json.loads, lines) if event.get("event") == name]

    def reload(self) -> dict:
        before = len(self.events("reload.done"))
        check, signals = self._lines("ExecReload")
        self._debian.run(*check.split(), user="latchkey")
        # systemd does this in the namespace of the service, and the test outside of it.
        assert signals == "/bin/sh -c 'kill -HUP $MAINPID'"
        os.kill(self.pid, signal.SIGHUP)
        wait_until(lambda: len(self.events("reload.done")) > before, 20, "the reload", self.process)
        return self.events("reload.done")[-1]

    def stop(self):
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGTERM)
            assert self.process.wait(60) == 0

    def end(self):
        if getattr(self, "process", None) and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._manager.stop()


class Client:
    """A client of the server, who trusts its certificate."""

    def __init__(self, port: int, authority: Path):
        self.url = f"https://localhost:{port}"
        self.trust = ssl.create_default_context(cafile=authority)

    def post(self, path: str, body: dict) -> dict:
        request = urllib.request.Request(f"{self.url}{path}?key=any", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=15, context=self.trust) as answer:
            return json.load(answer)

    def refresh(self, token: str) -> dict:
        form = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": token}).encode()
        with urllib.request.urlopen(f"{self.url}/v1/token?key=any", form, timeout=15, context=self.trust) as answer:
            return json.load(answer)

    def sign_in(self, email: str, mailbox: postfix.Postfix) -> dict:
        """Asks for a link, and redeems the one that postfix delivers."""
        known = {raw_name(mailbox, email)}
        self.post("/v1/accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email, "canHandleCodeInApp": True,
                                               "continueUrl": "https://app.example.com/"})
        raw = wait_until(lambda: (new := raw_name(mailbox, email)) not in known and new, 30, "the e-mail")
        message = mails.parse(raw)
        received = "\n".join(message.get_all("Received"))
        assert "using TLSv1.3" in received and "ESMTPSA" in received, received
        return self.post("/v1/accounts:signInWithEmailLink", {"email": email, "oobCode": mails.code(message)})


def raw_name(mailbox: postfix.Postfix, email: str) -> bytes | None:
    """The newest e-mail to an address; `None` without one."""
    try:
        return mailbox.wait_for_mail(email, timeout=0.2)
    except AssertionError:
        return None


def edit(file: Path, changes: dict[str, str]):
    text = file.read_text()
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file.write_text(text)


@pytest.fixture
def debian(tmp_path):
    machine = Debian(tmp_path, has_loopback_of_host=True)
    # No name server is asked, and nothing is downloaded.
    machine.path("etc/resolv.conf").write_text("nameserver 127.0.0.1\n")
    # What packages recommend is not at hand.
    machine.path("etc/apt/apt.conf.d/tests").write_text('APT::Install-Recommends "false";\n')
    yield machine
    shutil.rmtree(machine.root, ignore_errors=True)


@pytest.fixture
def mailbox():
    running = postfix.Postfix()
    yield running
    running.stop()


@pytest.fixture
def service(debian, tmp_path):
    running = Service(debian, tmp_path)
    yield running
    running.end()


def test_install_configure_measure_reload_back_up_restore_and_upgrade(debian, mailbox, service, tmp_path):
    authority = Authority(tmp_path)
    port, metrics = free_port(), free_port()
    client = Client(port, authority.certificate)

    def install_certificate():
        for made, name in zip(authority.issue("localhost"), ("fullchain.pem", "privkey.pem")):
            shutil.copy(made, debian.path(f"etc/latchkey/{name}"))
        debian.shell(command("install.md", "chgrp latchkey") + "\n" + command("install.md", "chmod 0640"))

    # Install. An operator answers apt's question with yes.
    version = re.search("_(.*?)_", package().name)[1]
    shutil.move(debian.path("latchkey.deb"), debian.path(f"latchkey_{version}_amd64.deb"))
    installing = command("install.md", "apt install ./latchkey_VERSION", {"VERSION": version})
    debian.shell(f"cd /; {installing}", input="y\n")

    # Configure.
    debian.shell(command("install.md", "install -m 0640"))
    user = urllib.parse.quote(postfix.USER), urllib.parse.quote(postfix.PASSWORD)
    # On loopback the server speaks STARTTLS only if it is told to.
    relay = f"{user[0]}:{user[1]}@localhost:{mailbox.port}?starttls=required"
    debian.shell(command("install.md", "echo 'smtp://", {"user:password@mail.example.com:587": relay}))
    shutil.copy(mailbox.authority, debian.path("etc/latchkey/mail-ca.pem"))
    debian.path("etc/latchkey/mail-ca.pem").chmod(0o644)
    edit(debian.path(CONFIGURATION), {
        'listen: "127.0.0.1:9099"': f'listen: "127.0.0.1:{port}"',
        '    publicURL: "https://auth.example.com"': f'    publicURL: "{client.url}"',
        '// tls: {': 'tls: {', '    trustedProxies: ["127.0.0.1/32"],': '',
        '// smtpCertificates: "/etc/latchkey/mail-ca.pem"': 'smtpCertificates: "/etc/latchkey/mail-ca.pem"',
        '// metricsListen: "127.0.0.1:9464"': f'metricsListen: "127.0.0.1:{metrics}"',
        # The load of this test comes from one address.
        "guestsPerClient: 200": "guestsPerClient: 1000000", "guestsPerMinute: 600": "guestsPerMinute: 1000000",
    })
    install_certificate()
    assert debian.shell(command("install.md", "runuser -u latchkey -- latchkey check-config")).strip().endswith("valid.")
    debian.shell(command("install.md", "runuser -u latchkey -- latchkey mail test"))
    assert raw_name(mailbox, "you@example.com")

    # Start, and look at everything. Without a name server, only the checks of names fail.
    service.start()
    report = debian.shell(command("install.md", "runuser -u latchkey -- latchkey doctor") + " --json", status=1)
    found = json.loads(report.splitlines()[0])
    checks = {finding["check"]: finding["status"] for finding in found["findings"]}
    assert checks.get("smtp.login") == "ok", report

    # An e-mail arrives, and Prometheus sees it.
    prometheus_folder = tmp_path / "prometheus"
    prometheus_folder.mkdir()
    prometheus = Prometheus(prometheus_folder, [f"127.0.0.1:{metrics}"])
    try:
        ann = client.sign_in("ann@example.com", mailbox)
        prometheus.wait_for('latchkey_mails_total{result="sent"} == 1')
        prometheus.wait_for('latchkey_links_total{stage="redeemed"} == 1')
    finally:
        prometheus.stop()

    # A new certificate, under load.
    load = Load(lambda: HTTPSConnection("localhost", port, timeout=30, context=client.trust))
    try:
        load.wait(20)
        install_certificate()
        assert service.reload()["changed"] == ["certificate"]
        load.wait(40)
    finally:
        load.end()
    assert load.failures == [] and len(load.serials) == 2

    # Back up while it serves, destroy, restore.
    backup = debian.path("lib/systemd/system/latchkey-backup.service").read_text()
    debian.run(*re.search(r"^ExecStart=(.*)$", backup, re.M)[1].split(), user="latchkey")
    file, = debian.path("var/backups/latchkey").glob("*.db")
    client.post("/v1/accounts:signUp", {})
    service.stop()
    for path in debian.path("var/lib/latchkey").glob("latchkey.db*"):
        path.write_text("destroyed")
    debian.shell(command("operations.md", "latchkey restore", {"latchkey-20261124T020000Z.db": file.name}))
    service.start()
    assert client.refresh(ann["refreshToken"])["user_id"] == ann["localId"]

    # Upgrade, with all data.
    shutil.copy(with_version(package(), "99.1", tmp_path), debian.path("latchkey_99.1_amd64.deb"))
    service.stop()
    debian.shell("cd /; " + command("install.md", "apt install ./latchkey_VERSION", {"VERSION": "99.1"}), input="y\n")
    assert "99.1" in debian.run("dpkg-query", "--show", "latchkey")
    service.start()
    assert client.refresh(ann["refreshToken"])["user_id"] == ann["localId"]
    assert client.sign_in("ann@example.com", mailbox)["localId"] == ann["localId"]
    service.stop()
