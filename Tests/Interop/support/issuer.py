"""A real OpenID Connect issuer (oidc-provider-mock, which is made of Authlib and Flask) on loopback over TLS."""
import logging
import ssl
import threading
import urllib.parse

import httpx
import oidc_provider_mock
import werkzeug.serving

from .authority import Authority
from .ports import free_port

CLIENT = "app-of-the-tests"


class Issuer:
    """`requests` are the paths that were asked for, while it runs."""

    def __init__(self, folder):
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._authority = Authority(folder)
        self._pair = self._authority.issue("localhost")
        self._trust = ssl.create_default_context(cafile=str(self._authority.certificate))
        self._port = free_port()
        self.url = f"https://localhost:{self._port}"
        self.requests: list[str] = []
        self._users: dict[str, dict] = {}
        self._server = None
        self.rotate()
        self.start()

    @property
    def authority(self) -> str:
        return str(self._authority.certificate)

    def start(self):
        """Serves, again after an outage."""
        self._server = werkzeug.serving.make_server(
            "127.0.0.1", self._port, self._serve, threaded=True, ssl_context=tuple(map(str, self._pair))
        )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self):
        """Starts an outage: no program answers at the port."""
        if self._server is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None

    def rotate(self):
        """Makes a new key; the old one is published no longer."""
        self._app = oidc_provider_mock.app()

    def _serve(self, environment, start_response):
        self.requests.append(environment["PATH_INFO"])
        return self._app(environment, start_response)

    def sign_in(self, subject: str, client: str = CLIENT, nonce: str | None = None, **claims) -> str:
        """The ID token that a person gets who signs in there, by the authorization code flow."""
        callback = "https://app.example.com/callback"
        asked = {"client_id": client, "redirect_uri": callback, "response_type": "code", "state": "s",
                 "scope": "openid profile email"} | ({} if nonce is None else {"nonce": nonce})
        with httpx.Client(base_url=self.url, verify=self._trust, trust_env=False) as browser:
            browser.put(f"/users/{subject}", json=claims).raise_for_status()
            answer = browser.post("/oauth2/authorize", params=asked, data={"sub": subject})
            [code] = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)["code"]
            form = {"grant_type": "authorization_code", "code": code, "redirect_uri": callback}
            answer = browser.post("/oauth2/token", data=form, auth=(client, "secret"))
            answer.raise_for_status()
            return answer.json()["id_token"]
