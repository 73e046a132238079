"""The built server, started as its users start it, and its client calls over plain HTTP."""
import json
import os
import re
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from .ports import free_port

SECRET = "a-secret-of-the-tests-with-more-than-32-bytes"


def binary() -> Path:
    root = Path(__file__).resolve().parents[3]
    path = Path(os.environ.get("LATCHKEY_BINARY", root / ".build/debug/latchkey"))
    assert path.exists(), f"{path} does not exist; build it, or name it in LATCHKEY_BINARY"
    return path


class Refused(Exception):
    """An answer with an error; `code` is the stable part of its message."""

    def __init__(self, status: int, body: dict):
        self.status = status
        self.body = body
        self.message = body.get("error", {}).get("message", "")
        self.code = self.message.split(" : ")[0]
        super().__init__(f"{status} {self.message}")


class Latchkey:
    """One running server with a database of its own.

    `settings` are environment variables; those of the caller that begin with LATCHKEY_ do not reach it.
    With a certificate (`LATCHKEY_TLS_CERTIFICATE`) it serves https.
    """

    def __init__(self, folder: Path, port: int | None = None, **settings: str):
        self.folder = folder
        port = port or free_port()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LATCHKEY_")}
        environment |= {
            "LATCHKEY_LISTEN": f"127.0.0.1:{port}",
            "LATCHKEY_MAILBOX_LISTEN": f"127.0.0.1:{free_port()}",
            "LATCHKEY_MAIL_FROM": "Schlüsseldienst <app@mail.example.org>",
        } | settings
        # The servers of a database on PostgreSQL share a configured secret.
        if settings.get("LATCHKEY_DATABASE", "").startswith("postgresql:") and "LATCHKEY_SECRET_FILE" not in settings:
            environment.setdefault("LATCHKEY_SECRET", SECRET)
        self.settings = {k: v for k, v in environment.items() if k.startswith("LATCHKEY_")}
        certificate = settings.get("LATCHKEY_TLS_CERTIFICATE")
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{port}"
        self._trust = ssl.create_default_context(cafile=certificate) if certificate else None
        self.output: list[str] = []
        self._changed = threading.Condition()
        self.process = subprocess.Popen(
            [str(binary()), "serve"], env=environment, cwd=folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            listening = r'^latchkey: listening on {0}|"server\.listening","url":"{0}"'.format(re.escape(self.url))
            self.wait_for_output(listening, timeout=90)
        except BaseException:
            self.stop()
            raise

    def _read(self):
        for line in self.process.stdout:
            with self._changed:
                self.output.append(line.rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def wait_for_output(self, pattern: str, timeout: float = 60) -> str:
        """The first line that matches, waited for."""
        compiled = re.compile(pattern)
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for line in self.output:
                    if compiled.search(line):
                        return line
                left = deadline - time.monotonic()
                if left <= 0 or self.process.poll() is not None:
                    raise AssertionError(f"no line {pattern!r} in:\n" + "\n".join(self.output))
                self._changed.wait(min(left, 0.2))

    def stop(self) -> int:
        """SIGTERM, as an operator stops it; the exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join()
        self.process.stdout.close()
        return self.process.returncode

    # Calls

    def get(self, path: str) -> dict:
        with urllib.request.urlopen(self.url + path, timeout=15, context=self._trust) as answer:
            return json.load(answer)

    def call(self, name: str, body: dict, **headers: str) -> dict:
        """A client call of Identity Toolkit: `call("accounts:signUp", {})`."""
        request = urllib.request.Request(
            f"{self.url}/v1/{name}?key=interop", json.dumps(body).encode(),
            {"Content-Type": "application/json"} | headers,
        )
        try:
            with urllib.request.urlopen(request, timeout=15, context=self._trust) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, json.loads(error.read() or b"{}")) from None

    def send_link(self, email: str, locale: str = "en", **more) -> dict:
        body = {"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "http://localhost/app",
                "canHandleCodeInApp": True} | more
        return self.call("accounts:sendOobCode", body, **{"X-Firebase-Locale": locale})

    def redeem(self, email: str, code: str, **more) -> dict:
        return self.call("accounts:signInWithEmailLink", {"email": email, "oobCode": code} | more)

    def redeem_ticket(self, ticket: str, code: str) -> dict:
        """Redeems a ticket by its code, again while the server has not recorded that the mail left."""
        for _ in range(50):
            try:
                return self.call("accounts:signInWithTicket", {"ticket": ticket, "code": code})
            except Refused as refused:
                if "MAIL_PENDING" not in str(refused.args):
                    raise
            time.sleep(0.1)
        raise AssertionError("the mail stays pending")

    def refresh(self, token: str) -> dict:
        form = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": token}).encode()
        with urllib.request.urlopen(f"{self.url}/v1/token?key=interop", form, timeout=15, context=self._trust) as answer:
            return json.load(answer)
