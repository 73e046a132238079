"""A mail server that keeps nothing of a mail but its recipient and the code in its link: python3 codes.py PORT FILE."""

import asyncio
import re
import sys

CODE = re.compile(rb"oobCode=(?:3D)?([A-Za-z0-9_-]{54})")


class Session(asyncio.Protocol):
    """As much of SMTP as a client needs that never errs."""

    def __init__(self, output):
        self.output = output
        self.buffer = b""
        self.recipient = b""
        self.in_data = False

    def connection_made(self, transport):
        self.transport = transport
        transport.write(b"220 codes ESMTP\r\n")

    def data_received(self, data):
        self.buffer += data
        while True:
            end = b"\r\n.\r\n" if self.in_data else b"\r\n"
            piece, found, rest = self.buffer.partition(end)
            if not found:
                return
            self.buffer = rest
            self.transport.write(self.mail(piece) if self.in_data else self.command(piece))

    def mail(self, text):
        self.in_data = False
        # Quoted-printable: soft line breaks may cut the code anywhere.
        found = CODE.search(text.replace(b"=\r\n", b""))
        if found:
            self.output.write(self.recipient + b" " + found[1] + b"\n")
        return b"250 2.0.0 OK\r\n"

    def command(self, line):
        verb = line[:4].upper()
        if verb == b"EHLO":
            return b"250-codes\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n"
        if verb == b"RCPT":
            self.recipient = line[line.find(b"<") + 1 : line.find(b">")]
        if verb == b"DATA":
            self.in_data = True
            return b"354 Go on\r\n"
        if verb == b"QUIT":
            return b"221 2.0.0 Bye\r\n"
        return b"250 2.0.0 OK\r\n"


async def main():
    with open(sys.argv[2], "ab", buffering=1 << 16) as output:
        server = await asyncio.get_running_loop().create_server(
            lambda: Session(output), "127.0.0.1", int(sys.argv[1])
        )
        async with server:
            while True:
                await asyncio.sleep(0.1)
                output.flush()


if __name__ == "__main__":
    asyncio.run(main())
