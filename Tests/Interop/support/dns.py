"""A DNS server on loopback with the records that a test gives it, by UDP and TCP."""
import socket
import socketserver
import struct
import threading

from .ports import free_port

TYPES = {"A": 1, "CNAME": 5, "MX": 15, "TXT": 16, "AAAA": 28}


def _name(text: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"


def _data(kind: str, value: str) -> bytes:
    if kind == "TXT":
        parts = [value[i:i + 255].encode() for i in range(0, len(value), 255)] or [b""]
        return b"".join(bytes([len(part)]) + part for part in parts)
    if kind == "A":
        return socket.inet_aton(value)
    return (struct.pack("!H", 10) if kind == "MX" else b"") + _name(value)


class DNS:
    """`records` has values by name and type: `{("example.org", "TXT"): ["v=spf1 -all"]}`.

    A name with no record of any type does not exist. `code` answers every question with that code of failure.
    """

    def __init__(self, records: dict[tuple[str, str], list[str]], code: int = 0):
        self.records = records
        self.code = code
        self.asked: list[tuple[str, int]] = []
        dns = self

        class Datagram(socketserver.BaseRequestHandler):
            def handle(self):
                message, sock = self.request
                answer = dns.answer(message)
                # What does not fit is cut off, and asked for again by TCP.
                if len(answer) > 1232:
                    answer = answer[:2] + struct.pack("!H", 0x8380) + answer[4:6] + bytes(6) + dns._question(message)
                sock.sendto(answer, self.client_address)

        class Stream(socketserver.BaseRequestHandler):
            def handle(self):
                length = struct.unpack("!H", self.request.recv(2, socket.MSG_WAITALL))[0]
                answer = dns.answer(self.request.recv(length, socket.MSG_WAITALL))
                self.request.sendall(struct.pack("!H", len(answer)) + answer)

        self.port = free_port()
        self._servers = [socketserver.ThreadingUDPServer(("127.0.0.1", self.port), Datagram),
                         socketserver.ThreadingTCPServer(("127.0.0.1", self.port), Stream)]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @staticmethod
    def _question(message: bytes) -> bytes:
        end = message.index(b"\0", 12) + 5
        return message[12:end]

    def answer(self, message: bytes) -> bytes:
        question = self._question(message)
        labels, position = [], 0
        while question[position]:
            labels.append(question[position + 1:position + 1 + question[position]].decode())
            position += question[position] + 1
        name, kind = ".".join(labels).lower(), struct.unpack("!H", question[-4:-2])[0]
        self.asked.append((name, kind))
        records = []
        alias = self.records.get((name, "CNAME"))
        if alias:
            records.append((name, "CNAME", alias[0]))
            name = alias[0]
        records += [(name, known, value) for (owner, known), values in self.records.items() for value in values
                    if owner == name and TYPES[known] == kind]
        exists = any(owner == name for owner, _ in self.records)
        code = self.code or (0 if exists else 3)
        answer = b"".join(
            _name(owner) + struct.pack("!HHIH", TYPES[known], 1, 60, len(data := _data(known, value))) + data
            for owner, known, value in records
        )
        return message[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(records), 0, 0) + question + answer

    def stop(self):
        for server in self._servers:
            server.shutdown()
            server.server_close()
