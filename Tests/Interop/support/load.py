"""Load on a server: requests, of which none may fail."""
import ssl
import threading
import time

from .waiting import wait_until


# A server that stops closes a new connection on which no request arrives for two seconds.
SILENCE = 2.0


class Load:
    """Threads that send requests one after another, each on a fresh connection, and note what fails."""

    def __init__(self, connect, path="/v1/accounts:signUp?key=k", threads=4):
        self.connect = connect
        self.path = path
        self.answers = 0
        self.failures: list[str] = []
        self.serials: set[str] = set()
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def _run(self):
        while not self._ends.is_set():
            connection = self.connect()
            begun, sent = time.monotonic(), None
            try:
                connection.connect()
            except ConnectionRefusedError:
                # Nothing was accepted, and so nothing broken.
                time.sleep(0.01)
                continue
            try:
                if isinstance(connection.sock, ssl.SSLSocket):
                    self.serials.add(ssl.DER_cert_to_PEM_cert(connection.sock.getpeercert(True)))
                connection.request("POST", self.path, "{}", {"Content-Type": "application/json"})
                sent = time.monotonic()
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    self.failures.append(f"status {answer.status}")
                self.answers += 1
            except Exception as error:
                # A slow machine may hold this thread so long that the server has a right to close the connection.
                if isinstance(error, ConnectionError) and (sent or time.monotonic()) - begun >= SILENCE:
                    continue
                self.failures.append(repr(error))
            finally:
                connection.close()

    def wait(self, more: int):
        """Waits until that many more requests were answered."""
        goal = self.answers + more
        wait_until(lambda: self.answers >= goal or self.failures, 60, "answers")

    def end(self):
        self._ends.set()
        for thread in self._threads:
            thread.join()
