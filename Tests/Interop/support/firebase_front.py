"""Google's hosts as tests have them: a Latchkey behind a server that gives refresh tokens another shape, and can fail."""
import http.client
import http.server
import json
import threading
import urllib.parse

from .ports import free_port

KEYS = "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
SHAPE = "AMf-"


def wrapped(token: str) -> str:
    return SHAPE + token[::-1]


class FirebaseFront:
    """Answers as Google's three hosts do, from another Latchkey.

    `manner(path)` decides what happens to each question: None to answer it, `(status, body)` to say that instead, `"lose"` to do
    what was asked and lose the answer, or a function that is called between the old side's answer and ours.
    """

    def __init__(self, old_url: str, port: int | None = None):
        self.manner = lambda path: None
        self.seen: list[str] = []
        front, old = self, urllib.parse.urlsplit(old_url)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def _pass_on(self):
                self.close_connection = True
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.command == "OPTIONS":
                    return self._answer(204, b"")
                path = urllib.parse.urlsplit(self.path).path
                manner = None
                if path != KEYS:
                    front.seen.append(path)
                    manner = front.manner(path)
                if isinstance(manner, tuple):
                    return self._answer(manner[0], manner[1].encode(), "text/html" if manner[1].startswith("<") else "application/json")
                if b"refresh_token=" in body:
                    fields = dict(urllib.parse.parse_qsl(body.decode()))
                    token = fields["refresh_token"]
                    fields["refresh_token"] = token[len(SHAPE):][::-1] if token.startswith(SHAPE) else token
                    body = urllib.parse.urlencode(fields).encode()
                upstream = http.client.HTTPConnection(old.hostname, old.port, timeout=30)
                try:
                    headers = {n: v for n, v in self.headers.items() if n.lower() in ("content-type", "x-client-version")}
                    upstream.request(self.command, "/.well-known/jwks.json" if path == KEYS else self.path, body, headers)
                    answer = upstream.getresponse()
                    text = answer.read()
                except OSError:
                    return
                finally:
                    upstream.close()
                if manner == "lose":
                    return
                if callable(manner):
                    manner()
                try:
                    object = json.loads(text)
                    for name in ("refreshToken", "refresh_token"):
                        if name in object:
                            object[name] = wrapped(object[name])
                    text = json.dumps(object).encode()
                except ValueError:
                    pass
                self._answer(answer.status, text)

            def _answer(self, status, body, kind="application/json"):
                try:
                    self.send_response_only(status)
                    for name, value in {
                        "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET,POST", "Content-Type": kind,
                        "Access-Control-Allow-Headers": self.headers.get("Access-Control-Request-Headers", "*"),
                        "Content-Length": str(len(body)), "Connection": "close",
                    }.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass

            do_GET = do_POST = do_OPTIONS = _pass_on

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self._server = Server(("127.0.0.1", port or free_port()), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
