"""Attacks on a release build in production mode behind a trusted proxy. Each gives what it reached."""

import asyncio
import base64
import contextlib
import os
import random
import re
import socket
import subprocess
import time

from . import servers
from .raw import Connection, address_in_48, flood

KEY = "?key=attack"
OFFICE = "198.51.100.7"
HOME = "203.0.113.20"
# Gives the URL of a new database for each attack; `None` for a SQLite file in the attack's folder.
new_database = None


class MailServer:
    """A mail server that keeps who got which links and codes, and may take its time for each mail."""

    def __init__(self, seconds_per_mail: float = 0.0):
        self.seconds = seconds_per_mail
        self.mails: list[tuple[float, str, str]] = []

    async def start(self) -> int:
        self.server = await asyncio.start_server(self.session, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        self.server.close()

    async def session(self, reader, writer) -> None:
        writer.write(b"220 attacked ESMTP\r\n")
        recipient = ""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                line = await reader.readuntil(b"\r\n")
                verb = line[:4].upper()
                answer = b"250 2.0.0 OK\r\n"
                if verb == b"EHLO":
                    answer = b"250-attacked\r\n250 SMTPUTF8\r\n"
                elif verb == b"RCPT":
                    recipient = line[line.find(b"<") + 1 : line.find(b">")].decode()
                elif verb == b"DATA":
                    writer.write(b"354 Go on\r\n")
                    text = await reader.readuntil(b"\r\n.\r\n")
                    await asyncio.sleep(self.seconds)
                    self.mails.append((time.monotonic(), recipient, text.replace(b"=\r\n", b"").decode(errors="replace")))
                elif verb == b"QUIT":
                    writer.write(b"221 2.0.0 Bye\r\n")
                    break
                writer.write(answer)
        writer.close()

    async def text_for(self, address: str, patience: float = 20) -> str:
        """The newest mail to an address."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            for _, recipient, text in reversed(self.mails):
                if recipient == address:
                    return text
            await asyncio.sleep(0.01)
        raise RuntimeError(f"no mail for {address}")


def link_code(text: str) -> str:
    return re.search(r"oobCode=(?:3D)?([A-Za-z0-9_-]{54})", text)[1]


@contextlib.asynccontextmanager
async def attacked(binary: str, folder: str, seconds_per_mail: float = 0.0, **settings: str):
    """A server in production mode that believes the loopback address in X-Forwarded-For, and its mail server."""
    mail = MailServer(seconds_per_mail)
    smtp = await mail.start()
    os.makedirs(folder, exist_ok=True)
    production = {
        "LATCHKEY_MODE": "production",
        "LATCHKEY_SECRET": base64.b64encode(os.urandom(48)).decode(),
        "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        "LATCHKEY_MAIL_FROM": "Example <no-reply@example.com>",
        "LATCHKEY_TRUSTED_PROXIES": "127.0.0.1/32",
    }
    if new_database:
        production["LATCHKEY_DATABASE"] = new_database()
    # The defaults of production are what is attacked.
    entered = servers.latchkey(binary, folder, smtp, raised_limits=False, **(production | settings))
    server = await asyncio.to_thread(entered.__enter__)
    try:
        server.log = os.path.join(folder, "latchkey.log")
        own = {"LATCHKEY_DATABASE": f"sqlite:{folder}/latchkey.db", "LATCHKEY_SMTP_URL": f"smtp://127.0.0.1:{smtp}"}
        server.settings = own | production | settings
        yield server, mail
    finally:
        await asyncio.to_thread(entered.__exit__, None, None, None)
        mail.stop()


async def sign_up(connection: Connection, address: str) -> dict:
    return (await connection.call("POST", f"/v1/accounts:signUp{KEY}", {}, address)).json


async def ask(connection: Connection, email: str, address: str, token: str | None = None):
    body = {"requestType": "EMAIL_SIGNIN", "email": email} | ({"idToken": token} if token else {})
    return await connection.call("POST", f"/v1/accounts:sendOobCode{KEY}", body, address)


async def sign_in(connection: Connection, mail: MailServer, email: str, address: str) -> dict:
    """Makes a permanent user who signs in from an address."""
    asked = await ask(connection, email, address)
    if asked.status != 200:
        raise RuntimeError(f"cannot ask for a mail: {asked.status} {asked.code}")
    code = link_code(await mail.text_for(email))
    answer = await connection.call("POST", f"/v1/accounts:signInWithEmailLink{KEY}", {"email": email, "oobCode": code}, address)
    if answer.status != 200:
        raise RuntimeError(f"cannot sign in: {answer.status} {answer.code}")
    return answer.json


def tally(counts: dict, answer) -> None:
    name = f"{answer.status} {answer.code}".strip()
    counts[name] = counts.get(name, 0) + 1


async def guess_codes(binary: str, folder: str) -> dict:
    """Wrong codes for strangers' tickets, over random addresses of one /48, for five seconds."""
    async with attacked(binary, folder) as (server, mail):
        counts: dict[str, int] = {}
        with open(server.log) as log:
            before = len(log.readlines())
        state = {"tickets": [], "number": 0}

        async def work(connection: Connection) -> None:
            if not state["tickets"]:
                state["number"] += 1
                asked = await ask(connection, f"victim{state['number']}@example.com", address_in_48())
                if asked.status != 200:
                    tally(counts, asked)
                    return
                state["tickets"] += [asked.json["ticket"]] * 3
                return
            ticket = state["tickets"].pop()
            body = {"ticket": ticket, "code": f"{random.randrange(10**8):08d}"}
            tally(counts, await connection.call("POST", f"/v1/accounts:signInWithTicket{KEY}", body, address_in_48()))

        await flood(server.port, work, 32, 5)
        await asyncio.sleep(0.5)
        with open(server.log) as log:
            lines = [line for line in log.readlines()[before:] if "mail" not in line]
        return {"answers": counts, "log lines": len(lines)}


async def delay_mail(binary: str, folder: str) -> dict:
    """3 000 requests from one machine (a /48), then one user's mail, through a relay that takes 150 ms for each."""
    async with attacked(binary, folder, 0.15) as (server, mail):
        counts: dict[str, int] = {}
        number = 0

        async def work(connection: Connection):
            nonlocal number
            number += 1
            if number > 6000 or counts.get("200", 0) >= 3000:
                return False
            tally(counts, await ask(connection, f"stranger{number}@example.com", address_in_48()))

        begun = time.monotonic()
        await flood(server.port, work, 16, 20)
        took = time.monotonic() - begun
        connection = Connection(server.port)
        asked = time.monotonic()
        answer = await ask(connection, "user@example.com", HOME)
        delay = None
        if answer.status == 200:
            with contextlib.suppress(RuntimeError):
                await mail.text_for("user@example.com", 180)
                delay = round(next(at for at, who, _ in mail.mails if who == "user@example.com") - asked, 2)
        return {"requests": counts, "seconds": round(took, 1), "user's mail after (s)": delay, "user": answer.status}


async def lock_out_by_bad_tokens(binary: str, folder: str) -> dict:
    """60 bad refresh tokens from an office, then valid tokens from there."""
    async with attacked(binary, folder) as (server, _):
        connection = Connection(server.port)
        user = await sign_up(connection, OFFICE)
        for _ in range(70):
            await connection.call("POST", f"/v1/token{KEY}", {"grant_type": "refresh_token", "refresh_token": "x" * 60}, OFFICE)
        token = await connection.call(
            "POST", f"/v1/token{KEY}", {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]}, OFFICE
        )
        lookup = await connection.call("POST", f"/v1/accounts:lookup{KEY}", {"idToken": user["idToken"]}, OFFICE)
        bearer = {"Authorization": f"Bearer {user['idToken']}"}
        document = await connection.call("PUT", "/v1/documents/a/b", {"n": 1}, OFFICE, bearer)
        return {"token": token.status, "lookup": lookup.status, "document": document.status}


async def deny_an_office(binary: str, folder: str) -> dict:
    """Three requests from an office that their addresses' owners deny; then a colleague asks for a mail."""
    async with attacked(binary, folder) as (server, mail):
        connection = Connection(server.port)
        for number in range(3):
            email = f"denier{number}@example.com"
            await ask(connection, email, OFFICE)
            code = link_code(await mail.text_for(email))
            form = f"oobCode={code}&lang=en&action=deny".encode()
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            await connection.call("POST", "/auth/action", form, HOME, headers)
        answer = await ask(connection, "colleague@example.com", OFFICE)
        return {"colleague": f"{answer.status} {answer.code}".strip()}


async def use_up_mails(binary: str, folder: str) -> dict:
    """Strangers use up the hour's mails of an address; then its owner asks from where they signed in before."""
    async with attacked(binary, folder) as (server, mail):
        connection = Connection(server.port)
        await sign_in(connection, mail, "victim@example.com", HOME)
        await asyncio.sleep(0.3)
        counts: dict[str, int] = {}
        for number in range(40):
            tally(counts, await ask(connection, "victim@example.com", f"192.0.2.{number + 1}"))
        owner = await ask(connection, "victim@example.com", HOME)
        return {"strangers": counts, "owner": f"{owner.status} {owner.code}".strip()}


async def tagged_addresses(binary: str, folder: str) -> dict:
    """400 requests for mails to victim+N@gmail.com, from everywhere."""
    async with attacked(binary, folder) as (server, _):
        connection = Connection(server.port)
        counts: dict[str, int] = {}
        for number in range(400):
            address = f"{random.randrange(1, 200)}.{random.randrange(256)}.{random.randrange(256)}.9"
            tally(counts, await ask(connection, f"vic.tim+{number}@gmail.com", address))
        return counts


async def fill_the_disk(binary: str, folder: str) -> dict:
    """60 guests from one address write documents of 60 KB for four seconds."""
    async with attacked(binary, folder) as (server, _):
        tokens = [(await sign_up(Connection(server.port), OFFICE))["idToken"] for _ in range(60)]
        counts: dict[str, int] = {}
        content = {"text": "x" * 60_000}
        stored = number = 0

        async def work(connection: Connection) -> None:
            nonlocal number, stored
            number += 1
            headers = {"Authorization": f"Bearer {tokens[number % 60]}"}
            answer = await connection.call("PUT", f"/v1/documents/d/n{number}", content, OFFICE, headers)
            stored += 60_000 if answer.status in (200, 201) else 0
            tally(counts, answer)

        await flood(server.port, work, 16, 4)
        return {"answers": counts, "stored (MB)": round(stored / 1e6, 1)}


async def create_guests(binary: str, folder: str) -> dict:
    """Guests for ten seconds over random addresses of one /48; then a newcomer from elsewhere."""
    async with attacked(binary, folder) as (server, _):
        counts: dict[str, int] = {}

        async def work(connection: Connection) -> None:
            tally(counts, await connection.call("POST", f"/v1/accounts:signUp{KEY}", {}, address_in_48()))

        await flood(server.port, work, 32, 10)
        other = await Connection(server.port).call("POST", f"/v1/accounts:signUp{KEY}", {}, HOME)
        return {"guests": counts, "a newcomer from elsewhere": other.status}


async def other_sites_page(binary: str, folder: str) -> dict:
    """A page on another site calls the API from a visitor's browser."""
    async with attacked(binary, folder) as (server, _):
        connection = Connection(server.port)
        origin = {"Origin": "https://evil.example"}
        json_call = await connection.call("POST", f"/v1/accounts:signUp{KEY}", {}, HOME, origin)
        text = {"Origin": "https://evil.example", "Content-Type": "text/plain"}
        text_call = await connection.call("POST", f"/v1/accounts:signUp{KEY}", b"{}", HOME, text)
        return {"JSON": json_call.status, "text/plain": text_call.status}


async def trouble_of_web_sdks(binary: str, folder: str) -> dict:
    """What Firebase's web SDK gets after another tab has linked its guest: JSON with an error makes it forget its user."""
    async with attacked(binary, folder) as (server, mail):
        connection = Connection(server.port)
        guest = await sign_up(connection, HOME)
        await ask(connection, "tabs@example.com", HOME, guest["idToken"])
        code = link_code(await mail.text_for("tabs@example.com"))
        body = {"email": "tabs@example.com", "oobCode": code, "idToken": guest["idToken"]}
        await connection.call("POST", f"/v1/accounts:signInWithEmailLink{KEY}", body, HOME)
        sdk = {"X-Client-Version": "Chrome/JsCore/10.14.0/FirebaseCore-web"}
        answers = {}
        for name, path, body in [
            ("lookup", "/v1/accounts:lookup", {"idToken": guest["idToken"]}),
            ("token", "/v1/token", {"grant_type": "refresh_token", "refresh_token": guest["refreshToken"]}),
        ]:
            answer = await connection.call("POST", f"{path}{KEY}", body, HOME, sdk)
            kept = answer.status == 200 or "error" not in answer.json
            answers[name] = f"{answer.status} {answer.headers.get('content-type')}: user {'kept' if kept else 'lost'}"
        return answers


async def half_sent_heads(binary: str, folder: str) -> dict:
    """50 addresses with 200 half-sent heads each; then a request from elsewhere."""
    async with attacked(binary, folder) as (server, _):
        held, refused = [], 0
        for number in range(50):
            for _ in range(200):
                raw = socket.socket()
                raw.settimeout(1)
                try:
                    raw.bind((f"127.0.1.{number + 1}", 0))
                    raw.connect(("127.0.0.1", server.port))
                    raw.send(b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ")
                    held.append(raw)
                except OSError:
                    refused += 1
                    raw.close()
            await asyncio.sleep(0)
        begun = time.monotonic()
        status = "no answer within 10 s"
        with contextlib.suppress(Exception):
            answer = await asyncio.wait_for(Connection(server.port).call("GET", "/healthz"), 10)
            status = answer.status
        took = time.monotonic() - begun
        for raw in held:
            raw.close()
        return {"connected": len(held), "refused": refused, "request from elsewhere": status, "after (s)": round(took, 2)}


async def many_streams(binary: str, folder: str) -> dict:
    """8 000 streams of 800 guests from five addresses behind the proxy; then one from a sixth."""
    async with attacked(binary, folder) as (server, _):
        held, counts = [], {}

        async def stream(address: str, token: str) -> int:
            connection = Connection(server.port)
            connection.reader, connection.writer = await asyncio.open_connection("127.0.0.1", server.port)
            connection.writer.write(
                f"GET /v1/documents:listen HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                f"X-Forwarded-For: {address}\r\n\r\n".encode()
            )
            head = await connection.reader.readuntil(b"\r\n")
            held.append(connection)
            return int(head.split()[1])

        for number in range(5):
            address = f"192.0.2.{number + 1}"
            connection = Connection(server.port)
            for _ in range(160):
                token = (await sign_up(connection, address)).get("idToken")
                for _ in range(10 if token else 0):
                    status = await stream(address, token)
                    counts[status] = counts.get(status, 0) + 1
        token = (await sign_up(Connection(server.port), HOME))["idToken"]
        other = await stream(HOME, token)
        for connection in held:
            connection.close()
        return {"streams": counts, "one from elsewhere": other}


async def many_arguments(binary: str, folder: str) -> dict:
    """A request with 600 query arguments."""
    async with attacked(binary, folder) as (server, _):
        path = "/healthz?" + "&".join(f"a{number}=1" for number in range(600))
        begun = time.monotonic()
        try:
            answer = await asyncio.wait_for(Connection(server.port).call("GET", path), 10)
            status: object = answer.status
        except (asyncio.TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
            status = f"no answer ({type(error).__name__})"
        return {"answer": status, "after (s)": round(time.monotonic() - begun, 2)}


async def old_tls(binary: str, folder: str) -> dict:
    """Handshakes by TLS 1.0 and by TLS 1.2 with CBC."""
    os.makedirs(folder, exist_ok=True)
    certificate, key = f"{folder}/certificate.pem", f"{folder}/key.pem"
    await asyncio.to_thread(
        subprocess.run,
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=auth.example.com"],
        check=True, capture_output=True,
    )  # fmt: skip
    results = {}
    async with attacked(binary, folder, LATCHKEY_TLS_CERTIFICATE=certificate, LATCHKEY_TLS_KEY=key) as (server, _):
        for name, options in {
            "TLS 1.0": ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
            "TLS 1.1": ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
            "TLS 1.2 with CBC": ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-SHA:AES128-SHA@SECLEVEL=0"],
            "TLS 1.2 with GCM": ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"],
            "TLS 1.3": ["-tls1_3"],
        }.items():
            command = ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", *options]
            done = await asyncio.to_thread(subprocess.run, command, input=b"", capture_output=True, timeout=20)
            results[name] = "negotiated" if done.returncode == 0 and b"Cipher is (NONE)" not in done.stdout else "refused"
    return results


ATTACKS = {
    "guess-codes": guess_codes,
    "delay-mail": delay_mail,
    "bad-tokens": lock_out_by_bad_tokens,
    "denials": deny_an_office,
    "use-up-mails": use_up_mails,
    "tagged-addresses": tagged_addresses,
    "disk": fill_the_disk,
    "guests": create_guests,
    "other-sites": other_sites_page,
    "web-sdk": trouble_of_web_sdks,
    "half-heads": half_sent_heads,
    "streams": many_streams,
    "arguments": many_arguments,
    "tls": old_tls,
}
