"""The servers that are measured: nginx, the reference, and Latchkey."""

import contextlib
import os

from .processes import free_port, running

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

NGINX = """
worker_processes auto;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 16384; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    default_type application/json;
    server {{ listen 127.0.0.1:{port}; location / {{ return 200 '{{"status":"ok"}}'; }} }}
}}
"""


@contextlib.contextmanager
def nginx(folder: str):
    """nginx that answers 200 to everything. Gives its URL."""
    port = free_port()
    configuration = os.path.join(folder, "nginx.conf")
    with open(configuration, "w") as file:
        file.write(NGINX.format(folder=folder, port=port))
    with running(["/usr/sbin/nginx", "-p", folder, "-c", configuration], port):
        yield f"http://127.0.0.1:{port}"


def plain_environment() -> dict:
    """This process's environment without settings of Latchkey."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LATCHKEY_")}


class Latchkey:
    """A running server."""

    def __init__(self, process, port: int):
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def latchkey(
    binary: str, folder: str, smtp_port: int, config: str | None = None, raised_limits: bool = True,
    core: int | None = None, **settings: str,
):  # fmt: skip
    """The server on a SQLite file in a folder, sending its mail to a port. Its log goes to a file there.

    With `core`, all its threads run on that core of the machine.
    """
    port = free_port()
    environment = plain_environment() | {
        "LATCHKEY_LISTEN": f"127.0.0.1:{port}",
        "LATCHKEY_DATABASE": f"sqlite:{folder}/latchkey.db",
        "LATCHKEY_SMTP_URL": f"smtp://127.0.0.1:{smtp_port}",
    }
    # All load comes from one address.
    raised = {
        "LATCHKEY_LIMITS_GUESTS_PER_CLIENT": "10000000",
        "LATCHKEY_LIMITS_LINKS_PER_CLIENT": "10000000",
        "LATCHKEY_LIMITS_FAILURES_PER_CLIENT": "10000000",
        "LATCHKEY_LIMITS_CONNECTIONS_PER_CLIENT": "10000",
        "LATCHKEY_LIMITS_MAILS_PER_ADDRESS": "10000000",
        "LATCHKEY_LIMITS_MAILS_PER_CLIENT": "10000000",
    }
    environment |= (raised if raised_limits else {}) | settings
    with open(os.path.join(folder, "latchkey.log"), "ab") as log:
        command = [] if core is None else ["taskset", "-c", str(core)]
        command += [binary, "serve"] + (["--config", config] if config else [])
        with running(command, port, env=environment, stdout=log, stderr=log) as process:
            yield Latchkey(process, port)
