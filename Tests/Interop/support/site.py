"""Serves a folder, as an app's own web server does."""
import functools
import http.server
import ssl
import threading
from pathlib import Path

from .certificate import Certificate
from .ports import free_port


class Site:
    """A folder on an origin of its own, over https with a certificate; `headers` go with every answer from now on."""

    def __init__(self, folder: Path, headers: dict[str, str] = {}, certificate: Certificate | None = None):
        self.headers = site_headers = {"Cache-Control": "no-store"} | headers

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def end_headers(self):
                for name, value in site_headers.items():
                    self.send_header(name, value)
                super().end_headers()

        handler = functools.partial(Handler, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate.certificate, certificate.key)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"{'https' if certificate else 'http'}://localhost:{self._server.server_port}/"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
