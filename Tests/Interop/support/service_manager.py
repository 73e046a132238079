"""What a service tells its manager (sd_notify(3))."""
import socket
import threading
import time


class Manager:
    """The socket of a service manager, and what it was told, with the times."""

    def __init__(self, address: str):
        self.address = address
        self.messages: list[tuple[float, dict[str, str]]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            try:
                text = self._socket.recv(4096).decode()
            except OSError:
                return
            self.messages.append((time.monotonic(), dict(line.split("=", 1) for line in text.splitlines())))

    def heard(self, name: str) -> list[float]:
        """When it was told this."""
        return [moment for moment, message in self.messages if message.get(name) == "1"]

    def stop(self):
        self._socket.close()
