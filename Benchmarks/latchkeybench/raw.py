"""A small asynchronous HTTP/1.1 client for floods: keep-alive connections, JSON bodies, a forwarded address per request."""

import asyncio
import json
import random


class Answer:
    """Status, headers in lower case, and body of a response."""

    def __init__(self, status: int, headers: dict, body: bytes):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> dict:
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def code(self) -> str:
        """The error code, without its sentence; empty where there is none."""
        error = self.json.get("error", {})
        return error.get("message", "").split(" ")[0] if isinstance(error, dict) else str(error)


class Connection:
    """One keep-alive connection, as a trusted proxy has it."""

    def __init__(self, port: int):
        self.port = port
        self.writer = None

    async def call(self, method: str, path: str, body=None, client: str | None = None, headers: dict | None = None) -> Answer:
        """Sends a request in the name of `client` and reads its answer."""
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: auth.example.com", f"Content-Length: {len(data)}"]
        if data and "Content-Type" not in (headers or {}):
            lines.append("Content-Type: application/json")
        if client:
            lines.append(f"X-Forwarded-For: {client}")
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        return await self.answer()

    async def answer(self) -> Answer:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return Answer(int(head[0].split()[1]), headers, body)

    def close(self) -> None:
        if self.writer:
            self.writer.close()
        self.writer = None


async def flood(port: int, work, connections: int, seconds: float | None = None) -> None:
    """Runs `work(connection)` again and again over several connections, for some seconds or until it answers False."""
    loop = asyncio.get_running_loop()
    end = loop.time() + (seconds or 3600)
    over = False

    async def run() -> None:
        nonlocal over
        connection = Connection(port)
        while not over and loop.time() < end:
            if await work(connection) is False:
                over = True
        connection.close()

    await asyncio.gather(*(run() for _ in range(connections)))


def address_in_48(prefix: str = "2001:db8:7") -> str:
    """A random address of a /48."""
    return prefix + "".join(f":{random.randrange(65536):x}" for _ in range(5))
