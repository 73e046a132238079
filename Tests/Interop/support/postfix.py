"""A real postfix in a folder of its own: submission with STARTTLS and SASL on loopback, delivery into a Maildir.

Two addresses pass reports about undeliverable e-mails to `latchkey mail bounce`, as docs/missing-mail.md says: one by a transport, one by
an alias. Recipients at `gone.example` are accepted and do not exist.

It shares nothing with a postfix of the system: own configuration, queue, data and password file. Postfix drops privileges
itself and therefore wants to be started by root.
"""
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from . import guide
from .certificate import Certificate
from .latchkey import binary
from .ports import free_port

USER = "app"
PASSWORD = "s3cret-paßwort"
# Postfix runs `latchkey mail bounce` as this user.
BOUNCE_USER = "nobody"

MAIN = """\
compatibility_level = 3.6
queue_directory = {root}/queue
data_directory = {root}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
maillog_file = {root}/log/mail.log
maillog_file_prefixes = {root}/log
myhostname = localhost
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks =
alias_maps = hash:{root}/bounce/aliases
transport_maps = texthash:{root}/etc/transport
local_recipient_maps =
smtputf8_enable = yes

virtual_mailbox_domains = static:all
virtual_mailbox_base = {root}/mail
virtual_mailbox_maps = static:inbox/
virtual_minimum_uid = 1
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}

smtpd_tls_security_level = encrypt
smtpd_tls_cert_file = {certificate}
smtpd_tls_key_file = {key}
smtpd_tls_received_header = yes
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = cyrus
smtpd_sasl_path = smtpd
smtpd_sasl_local_domain = localhost
smtpd_sasl_security_options = noanonymous
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = permit_sasl_authenticated, reject

strict_rfc821_envelopes = yes
strict_mime_encoding_domain = yes
smtpd_helo_required = yes
smtpd_forbid_bare_newline = reject
smtpd_reject_unlisted_recipient = no
line_length_limit = 998
"""

MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup  unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr    unix n - n 300 1 qmgr
tlsmgr  unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce  unix - - n - 0 bounce
defer   unix - - n - 0 bounce
trace   unix - - n - 0 bounce
verify  unix - - n - 1 verify
flush   unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq   unix n - n - - showq
error   unix - - n - - error
retry   unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
local   unix - n n - - local
anvil   unix - - n - 1 anvil
scache  unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""

TRANSPORT = """\
gone.example error:5.1.1 No such user here
transport@auth.example.com latchkey-bounce:
no-reply@auth.example.com local:
"""

SASL = """\
pwcheck_method: auxprop
auxprop_plugin: sasldb
sasldb_path: {root}/sasl/sasldb2
mech_list: PLAIN LOGIN
"""


class Postfix:
    def __init__(self):
        # Not below pytest's folder, which only its owner may enter: postfix's daemons run as another user.
        self.root = Path(tempfile.mkdtemp(prefix="latchkey-postfix-"))
        self.root.chmod(0o755)
        self.port = free_port()
        try:
            self._lay_out()
            self._run("start")
            self._wait_until_listening()
        except BaseException:
            self.stop()
            raise

    @property
    def bounce_configuration(self) -> Path:
        """The configuration of `latchkey mail bounce`, which a test writes."""
        return self.root / "bounce/latchkey.json5"

    @property
    def authority(self) -> str:
        """The certificate to trust."""
        return str(self.certificate.certificate)

    def _lay_out(self):
        owner = pwd.getpwnam("postfix")
        for name in ("etc", "queue", "data", "log", "mail", "sasl", "tls", "bounce"):
            (self.root / name).mkdir()
        for name in ("data", "mail"):
            shutil.chown(self.root / name, owner.pw_uid, owner.pw_gid)
        self.certificate = Certificate(self.root / "tls")
        facts = {"root": self.root, "port": self.port, "uid": owner.pw_uid, "gid": owner.pw_gid,
                 "certificate": self.certificate.certificate, "key": self.certificate.key}
        (self.root / "etc/main.cf").write_text(MAIN.format(**facts))
        commands = {"/usr/bin/latchkey": str(binary()), "/etc/latchkey/latchkey.json5": str(self.bounce_configuration)}
        transport = guide.example("master.cf", commands | {"user=latchkey": f"user={BOUNCE_USER}"})
        (self.root / "etc/master.cf").write_text(MASTER.format(**facts) + transport)
        (self.root / "etc/transport").write_text(TRANSPORT)
        aliases = self.root / "bounce/aliases"
        aliases.write_text(guide.example("aliases", commands))
        subprocess.run(["postalias", "-c", str(self.root / "etc"), f"hash:{aliases}"], check=True, capture_output=True)
        shutil.chown(f"{aliases}.db", BOUNCE_USER)
        # Debian's postfix looks for it here, whatever cyrus_sasl_config_path says.
        (self.root / "etc/sasl").mkdir()
        (self.root / "etc/sasl/smtpd.conf").write_text(SASL.format(**facts))
        database = self.root / "sasl/sasldb2"
        subprocess.run(["saslpasswd2", "-p", "-c", "-f", str(database), "-u", "localhost", USER],
                       input=PASSWORD.encode(), check=True, capture_output=True)
        shutil.chown(database, owner.pw_uid, owner.pw_gid)

    def _run(self, command: str):
        done = subprocess.run(["postfix", "-c", str(self.root / "etc"), command], capture_output=True, text=True)
        assert done.returncode == 0 or command == "stop", f"postfix {command}: {done.stderr}\n{self.log()}"

    def _wait_until_listening(self):
        import socket
        deadline = time.monotonic() + 20
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as probe:
                    probe.settimeout(5)
                    if probe.recv(100).startswith(b"220 "):
                        return
            except OSError:
                pass
            assert time.monotonic() < deadline, "postfix does not listen\n" + self.log()
            time.sleep(0.1)

    def log(self) -> str:
        file = self.root / "log/mail.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def wait_for_mail(self, recipient: str, timeout: float = 20) -> bytes:
        """The newest delivered message for a recipient, as postfix stored it."""
        deadline = time.monotonic() + timeout
        wanted = f"Delivered-To: {recipient}\n".encode()
        while time.monotonic() < deadline:
            folder = self.root / "mail/inbox/new"
            files = sorted(folder.iterdir(), key=lambda f: f.stat().st_mtime_ns, reverse=True) if folder.exists() else []
            for file in files:
                raw = file.read_bytes()
                if wanted in raw:
                    return raw
            time.sleep(0.1)
        raise AssertionError(f"no mail for {recipient}\n{self.log()}")

    def stop(self):
        try:
            self._run("stop")
        finally:
            # `postfix stop` waits for its daemons.
            shutil.rmtree(self.root, ignore_errors=True)
