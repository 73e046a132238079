"""A proxy before a server that loses answers, and gives answers of its own."""
import http.client
import http.server
import socket
import threading
import time
import urllib.parse

from .ports import free_port


class Hold:
    """An answer that the proxy keeps until `released` is set. `is_waiting` is set once the server has answered."""

    def __init__(self):
        self.is_waiting, self.released = threading.Event(), threading.Event()


class LossyProxy:
    """Passes on requests.

    `lose(path, count)` drops the next answers to a path: the server has done what was asked, and the client does not
    know. `delay(path, seconds)` holds one answer back for a time, and `hold(path)` until the test releases it.
    `answer(path, …)` answers in the server's place.
    """

    def __init__(self, server_url: str):
        self.target = urllib.parse.urlsplit(server_url)
        self.is_down = False
        self._losses: dict[str, int] = {}
        self._delays: dict[str, float] = {}
        self._holds: dict[str, Hold] = {}
        self._answers: dict[str, tuple] = {}
        self._open: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()
        self.seen: list[str] = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def _pass_on(self):
                proxy.seen.append(self.path)
                self.close_connection = True
                if proxy.is_down:
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.command != "OPTIONS" and (own := proxy._take_answer(self.path, body)):
                    return self._answer(*own)
                upstream = http.client.HTTPConnection(proxy.target.hostname, proxy.target.port, timeout=70)
                try:
                    headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                    proxy._open.add(upstream)
                    upstream.request(self.command, self.path, body, headers)
                    answer = upstream.getresponse()
                    if self.command != "OPTIONS" and proxy._loses(self.path):
                        answer.read()
                        return
                    if self.command != "OPTIONS":
                        time.sleep(proxy._take_delay(self.path))
                        if hold := proxy._take_hold(self.path):
                            hold.is_waiting.set()
                            hold.released.wait(60)
                    self.send_response_only(answer.status)
                    for name, value in answer.getheaders():
                        if name.lower() not in ("connection", "transfer-encoding"):
                            self.send_header(name, value)
                    self.send_header("Connection", "close")
                    self.end_headers()
                    while piece := answer.read1(65536):
                        self.wfile.write(piece)
                        self.wfile.flush()
                except OSError:
                    pass
                finally:
                    proxy._open.discard(upstream)
                    upstream.close()

            def _answer(self, status, body, headers):
                self.send_response_only(status)
                own = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After", "Connection": "close"}
                for name, value in (own | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _pass_on

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def lose(self, path: str, count: int = 1) -> None:
        with self._lock:
            self._losses[path] = count

    def _loses(self, path: str) -> bool:
        with self._lock:
            for lost, left in self._losses.items():
                if lost in path and left:
                    self._losses[lost] = left - 1
                    return True
        return False

    def delay(self, path: str, seconds: float) -> None:
        with self._lock:
            self._delays[path] = seconds

    def _take_delay(self, path: str) -> float:
        with self._lock:
            return sum(self._delays.pop(delayed) for delayed in list(self._delays) if delayed in path)

    def hold(self, path: str) -> Hold:
        """Holds the next answer to a path back, for a minute at most."""
        with self._lock:
            hold = self._holds[path] = Hold()
            return hold

    def _take_hold(self, path: str) -> Hold | None:
        with self._lock:
            return next((self._holds.pop(held) for held in list(self._holds) if held in path), None)

    def answer(self, path: str, status: int, body: str = "", headers: dict[str, str] = {}, count: float = 1, to: str = "") -> None:
        """Answers the next `count` requests to a path whose bodies contain `to`."""
        with self._lock:
            self._answers[path] = (count, to.encode(), (status, body, headers))

    def _take_answer(self, path: str, body: bytes) -> tuple | None:
        with self._lock:
            for answered, (left, to, answer) in self._answers.items():
                if answered in path and left and to in body:
                    self._answers[answered] = (left - 1, to, answer)
                    return answer
        return None

    def cut(self) -> None:
        """Ends the answers that are on their way, such as streams."""
        for upstream in list(self._open):
            if upstream.sock:
                upstream.sock.shutdown(socket.SHUT_RDWR)

    def lost(self, path: str) -> bool:
        """Whether all answers to be lost have been."""
        return self._losses.get(path) == 0

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
