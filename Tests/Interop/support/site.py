"""Serves a folder, as an app's own web server does."""
import functools
import http.server
import threading
from pathlib import Path

from .ports import free_port


class Site:
    """A folder on an origin of its own; `headers` go with every answer."""

    def __init__(self, folder: Path, headers: dict[str, str] = {}):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def end_headers(self):
                for name, value in ({"Cache-Control": "no-store"} | headers).items():
                    self.send_header(name, value)
                super().end_headers()

        handler = functools.partial(Handler, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://localhost:{self._server.server_port}/"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
