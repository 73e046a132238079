"""A network between a node and its database: a relay that holds each message for a while."""

import contextlib
import socket
import threading
import time


@contextlib.contextmanager
def relay(path: str, seconds: float):
    """Relays connections to a Unix socket, each message that long in each direction; returns the TCP port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, args=(listener, path, seconds), daemon=True).start()
        yield listener.getsockname()[1]


def accept(listener: socket.socket, path: str, seconds: float) -> None:
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        far = socket.socket(socket.AF_UNIX)
        far.connect(path)
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=forward, args=(source, target, seconds), daemon=True).start()


def forward(source: socket.socket, target: socket.socket, seconds: float) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            time.sleep(seconds)
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
