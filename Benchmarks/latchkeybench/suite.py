"""The measurements, in their order."""

import json
import os
import time

from . import delay, documents, federated, listen, mail, merge, postgresql, prepare, replies, servers
from . import signup_floor, sweep, transfer
from .client import FIREBASE, Client, guests, in_parallel
from .load import JSON, threads, write_lines, wrk
from .processes import memory, processor_time, syncs_per_second

CALLS = ["nginx", "healthz", "jwks", "signUp", "lookup", "set", "read", "refreshFixed", "refresh", "redeem"]
EXTRAS = ["mail", "delay", "replies", "listen", "merge", "sweep", "federated", "transfer", "postgresql",
          "signUpFloor"]
# Names for several of them.
GROUPS = {"documents": ["set", "read"]}
LOOKUP_TOKENS = 500
# Guests whose documents are set and read, and how many each has.
DOCUMENTS = (500, 20)
# How many guests are merged, by their documents; and with rows in a table.
MERGES = {1: 100, 100: 100, 10_000: 8}
ROW_MERGES = 6
ROWS = 100_000
# Guests of one round of the memory's measurement, half of whom are merged into the others: so many that after two rounds
# SQLite's caches are full.
MEMORY_GUESTS = 200
QUICK_MEMORY_GUESTS = 100
# Links that each measurement may use up: about what it can redeem in the time.
LINKS_PER_SECOND = {1: 600, 16: 2200, 64: 2600, 256: 2600}

# Seconds: what a call leaves to be done later, such as known clients and the trace of sent mails, is written by then.
AFTERWARDS = 1.4


class Suite:
    """One run: rounds of everything that was asked for."""

    def __init__(self, options, folder: str, say):
        self.options = options
        self.folder = folder
        self.say = say
        self.rounds: list[dict] = []
        self.results: dict = {}

    def run(self) -> dict:
        self.results["syncs"] = syncs_per_second(self.folder)
        with servers.nginx(self.subfolder("nginx")) as nginx:
            folder = self.subfolder("server")
            with prepare.code_server(folder) as (smtp, codes), servers.latchkey(
                self.options.binary, folder, smtp
            ) as server:
                self.results["memory_at_start"] = memory(server.process)[0]
                self.requests = 0
                for number in range(self.options.rounds):
                    self.rounds.append(self.round(number, nginx, server, codes))
                now, peak = memory(server.process)
                self.results["memory_at_end"] = {"now": now, "peak": peak, "requests": self.requests}
                if "replies" in self.options.only:
                    self.results["replies"] = self.replies(server, codes)
        if "mail" in self.options.only:
            self.results["mail"] = [self.mail(number) for number in range(self.options.rounds)]
        if "delay" in self.options.only:
            self.say("one user's mail behind a flood")
            self.results["delay"] = delay.measure(self.options.binary, self.subfolder("delay"))
        if "listen" in self.options.only:
            self.results["listen"] = [self.listen(count) for count in listen.COUNTS]
        if "merge" in self.options.only:
            self.results["merge"] = self.merge()
        if "sweep" in self.options.only:
            self.results["sweep"] = self.sweep()
        if "federated" in self.options.only:
            self.results["federated"] = self.federated()
        if "transfer" in self.options.only:
            self.results["transfer"] = self.transfer()
        if "postgresql" in self.options.only:
            options = self.options
            self.results["postgresql"] = postgresql.measure(
                options.binary, self.subfolder("on-postgresql"), options.seconds, options.rounds, self.say
            )
        if "signUpFloor" in self.options.only:
            options = self.options
            self.results["signUpFloor"] = signup_floor.measure(
                options.binary, self.subfolder("sign-up-floor"), options.seconds, options.rounds, self.say
            )
        self.results["rounds"] = self.rounds
        return self.results

    def subfolder(self, name: str) -> str:
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        return path

    def round(self, number: int, nginx: str, server: servers.Latchkey, codes: str) -> dict:
        measured: dict = {}
        for call in CALLS:
            if call not in self.options.only:
                continue
            for connections in self.options.connections:
                self.say(f"round {number + 1}: {call} at {connections}")
                result = self.measure(call, connections, f"{number}c{connections}", nginx, server, codes)
                if call != "nginx":
                    result["memory"] = memory(server.process)[0]
                    self.requests += result["requests"]
                measured.setdefault(call, {})[connections] = result
        return measured

    def measure(self, call: str, connections: int, name: str, nginx: str, server, codes: str) -> dict:
        seconds = self.options.seconds
        file = os.path.join(self.folder, f"{call}-{name}")
        match call:
            case "nginx":
                return wrk(nginx, connections, seconds)
            case "healthz":
                return self.load(server, connections, seconds, path="/healthz")
            case "jwks":
                return self.load(server, connections, seconds, path="/.well-known/jwks.json")
            case "signUp":
                write_lines(file, ["{}"])
                return self.load(server, connections, seconds, "post.lua", "/v1/accounts:signUp?key=bench", JSON, file)
            case "lookup":
                bodies = [json.dumps({"idToken": user["idToken"]}) for user in guests(server.port, LOOKUP_TOKENS)]
                write_lines(file, bodies)
                return self.load(server, connections, seconds, "post.lua", "/v1/accounts:lookup?key=bench", JSON, file)
            case "set" | "read":
                write_lines(file, documents.guests(server.port, *DOCUMENTS))
                method = "PUT" if call == "set" else "GET"
                return self.load(server, connections, seconds, "documents.lua", method, file)
            case "refresh":
                users = guests(server.port, connections * 2 + 8)
                write_lines(file, [user["refreshToken"] for user in users])
                return self.load(
                    server, connections, seconds, "refresh.lua", "/v1/token?key=bench", file,
                    str(threads(connections)),
                )  # fmt: skip
            case "refreshFixed":
                # As Firebase's SDKs refresh. The first refresh of a session is stored, and those after it are not.
                tokens = [user["refreshToken"] for user in guests(server.port, LOOKUP_TOKENS, FIREBASE)]
                bodies = [json.dumps({"grantType": "refresh_token", "refreshToken": token}) for token in tokens]
                in_parallel(server.port, [lambda client, body=json.loads(body): client.post("/v1/token", body) for body in bodies])
                write_lines(file, bodies)
                return self.load(
                    server, connections, seconds, "post.lua", "/v1/token?key=bench", JSON, file,
                    FIREBASE["X-Client-Version"],
                )  # fmt: skip
            case "redeem":
                rate = LINKS_PER_SECOND.get(connections, 2600)
                count = int(rate * seconds * self.options.links)
                found = prepare.links(server.port, codes, count, f"r{name}x")
                bodies = [json.dumps({"email": email, "oobCode": code}) for email, code in found]
                write_lines(file, bodies)
                time.sleep(AFTERWARDS)
                return self.load(
                    server, connections, seconds, "once.lua", "/v1/accounts:signInWithEmailLink?key=bench", JSON,
                    file, str(threads(connections)),
                )  # fmt: skip
        raise ValueError(call)

    def load(self, server, *arguments, path: str = "") -> dict:
        """What `wrk` gives, with `processor`: µs of the server's processor time for each request.

        That includes what the server does within `AFTERWARDS` of the last answer.
        """
        begun = processor_time(server.process)
        measured = wrk(server.url + path, *arguments)
        time.sleep(AFTERWARDS)
        used = processor_time(server.process) - begun
        return measured | {"processor": used / max(1, measured["requests"]) * 1e6}

    def replies(self, server: servers.Latchkey, codes: str) -> dict:
        self.say("reply times of sendOobCode")
        count = self.options.replies
        # Addresses as long as each other, which have asked for as many mails; only the first ones become users.
        client = Client(server.port)
        known, unknown = [prepare.links(server.port, codes, min(200, count), prefix) for prefix in ("k", "u")]
        for email, code in known:
            client.post("/v1/accounts:signInWithEmailLink", {"email": email, "oobCode": code})
        client.close()
        time.sleep(0.5)
        one, other = replies.measure(
            server.port, [email for email, _ in known], [email for email, _ in unknown], count
        )  # fmt: skip
        # The first calls of a connection and of two new statements are about nothing but themselves.
        one, other = one[20:], other[20:]
        return {
            "known": replies.quantiles(one),
            "unknown": replies.quantiles(other),
            "comparison": replies.compare(one, other),
            "count": len(one),
        }

    def listen(self, count: int) -> dict:
        folder = self.subfolder(f"listen{count}")
        with prepare.code_server(folder) as (smtp, _):
            options = self.options
            return listen.measure(options.binary, folder, smtp, count, options.changes, options.seconds, self.say)

    def mail(self, number: int) -> dict:
        count = self.options.mails
        self.say(f"round {number + 1}: {count} mails through the outbox")
        folder = self.subfolder(f"mail{number}")
        reference = mail.reference(folder, max(count, 5000), 6000)
        return mail.outbox(self.options.binary, folder, count) | {"reference": reference}

    def merge(self) -> dict:
        options = self.options
        # Quick runs merge a few guests only.
        share = 4 if options.quick else 1

        def server_in(folder: str, smtp: int):
            return servers.latchkey(options.binary, folder, smtp)

        folder = self.subfolder("merges")
        of_documents = []
        with prepare.code_server(folder) as (smtp, codes), server_in(folder, smtp) as server:
            # The first merges of a server are about nothing but themselves.
            merge.of_documents(server, codes, 0, 3)
            for each, count in MERGES.items():
                self.say(f"merges of guests with {each} documents")
                of_documents.append(merge.of_documents(server, codes, each, max(3, count // share)))
        self.say(f"merges of guests with {ROWS} rows")
        count = max(3, ROW_MERGES // share)
        of_rows = merge.of_rows(server_in, self.subfolder("rows"), ROWS, count, options.seconds)
        pairs = (QUICK_MEMORY_GUESTS if options.quick else MEMORY_GUESTS) // 2
        resident = merge.resident(server_in, self.subfolder("memory"), pairs, self.say)
        return {"documents": of_documents, "rows": of_rows, "memory": resident}

    def sweep(self) -> dict:
        count = self.options.guests
        self.say(f"a sweep of {count} guests")
        alone = sweep.alone(self.options.binary, self.subfolder("sweep"), count)
        self.say(f"a sweep of {count} guests beside sign-ups")

        def server_in(folder: str):
            return servers.latchkey(self.options.binary, folder, 1)

        # Long enough to fill the database and to measure sign-ups without a sweep.
        lead = count / 40_000 + 2 * self.options.seconds + 8
        beside = sweep.beside_sign_ups(server_in, self.subfolder("beside"), count, self.options.seconds, lead)
        return {"guests": count, "alone": alone, "beside": beside}

    def federated(self) -> dict:
        connections = 64 if 64 in self.options.connections else self.options.connections[-1]
        self.say(f"sign-ins by tokens of others at {connections}")
        folder = self.subfolder("federated")
        with prepare.code_server(folder) as (smtp, _), servers.nginx(self.subfolder("nginx-beside")) as nginx:
            seconds = self.options.seconds
            reference = wrk(nginx, connections, seconds)
            measured = federated.measure(self.options.binary, folder, smtp, connections, seconds)
        return measured | {"nginx": reference, "connections": connections}

    def transfer(self) -> dict:
        def server_in(folder: str):
            return servers.latchkey(self.options.binary, folder, 1)

        options = self.options
        return transfer.measure(options.binary, self.subfolder("transfer"), options.users, server_in, self.say)
