"""A service of the operator's that hooks call: it keeps what it is told, and agrees."""
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class HookReceiver:
    def __init__(self):
        self.messages: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.messages.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def wait_for(self, count: int, timeout: float = 10) -> list[tuple[dict[str, str], bytes]]:
        """The messages, once there are so many."""
        deadline = time.monotonic() + timeout
        while len(self.messages) < count:
            assert time.monotonic() < deadline, f"{len(self.messages)} of {count} messages came"
            time.sleep(0.02)
        return list(self.messages)

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
