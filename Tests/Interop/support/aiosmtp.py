"""aiosmtpd with STARTTLS and AUTH, keeping what it receives."""
import ssl
import threading
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from .certificate import Certificate
from .ports import free_port

USER = "app"
PASSWORD = "s3cret:with@signs/and ü"


class Received:
    def __init__(self, session, envelope):
        self.sender = envelope.mail_from
        self.recipients = list(envelope.rcpt_tos)
        self.options = list(envelope.mail_options)
        self.raw = bytes(envelope.content)
        self.utf8 = envelope.smtp_utf8
        self.client_name = session.host_name
        self.tls_version = session.ssl["cipher"][1] if session.ssl and session.ssl.get("cipher") else None
        self.encrypted = session.ssl is not None
        self.user = session.auth_data.login.decode() if session.auth_data else None


class AioSMTP:
    """`mails` are what came; `rejected` counts refused credentials; `plaintext_commands` what was said before TLS."""

    def __init__(self, folder, names=("DNS:localhost", "IP:127.0.0.1"), offers_tls=True, password=PASSWORD):
        self.mails: list[Received] = []
        self.rejected = 0
        self.password = password
        self._changed = threading.Condition()
        self.certificate = Certificate(folder, names)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate.certificate, self.certificate.key)
        tls = {"tls_context": context, "require_starttls": True, "auth_require_tls": True} if offers_tls \
            else {"auth_require_tls": False}
        self.controller = Controller(
            self, hostname="127.0.0.1", port=free_port(), enable_SMTPUTF8=True, ident="aiosmtpd",
            authenticator=self._authenticate, auth_required=True, timeout=20, **tls,
        )
        self.controller.start()
        self.port = self.controller.port

    @property
    def authority(self) -> str:
        return str(self.certificate.certificate)

    def _authenticate(self, server, session, envelope, mechanism, data):
        if isinstance(data, LoginPassword) and data.login == USER.encode() and data.password == self.password.encode():
            return AuthResult(success=True, auth_data=data)
        self.rejected += 1
        return AuthResult(success=False, handled=False)

    async def handle_DATA(self, server, session, envelope):
        with self._changed:
            self.mails.append(Received(session, envelope))
            self._changed.notify_all()
        return "250 2.0.0 OK"

    def wait_for_mail(self, recipient: str, timeout: float = 15) -> Received:
        """The first mail to a recipient."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for mail in self.mails:
                    if recipient in mail.recipients:
                        return mail
                left = deadline - time.monotonic()
                assert left > 0, f"no mail for {recipient}; there is mail for {[m.recipients for m in self.mails]}"
                self._changed.wait(left)

    def stop(self):
        self.controller.stop()
