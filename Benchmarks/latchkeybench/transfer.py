"""Moving users: how fast a million are imported and exported, in how much memory, and pages over all of them."""

import http.client
import json
import os
import subprocess
import time
import urllib.parse
from statistics import median

PAGE = 1000
# Pages whose times are told, in each part of the list.
TIMED = 20


def write_export(path: str, count: int) -> None:
    """A file as `firebase auth:export` writes it, in the order of UIDs: a third guests, a third addresses, a third Google."""
    times = '"lastSignedInAt":"1600000000000","createdAt":"1500000000000"'
    with open(path, "w") as file:
        file.write('{"users": [\n')
        for number in range(count):
            # As random as UIDs are, and in order.
            uid = f"{number:07d}{number * 2654435761 % 2**64:016x}Abcde"
            if number % 3 == 0:
                user = f'{{"localId":"{uid}",{times},"providerUserInfo":[]}}'
            elif number % 3 == 1:
                address = f"{number * 2654435761 % 2**32:08x}.{number}@example.com"
                user = (
                    f'{{"localId":"{uid}","email":"{address}","emailVerified":true,"passwordHash":"{"h" * 88}",'
                    f'"salt":"c2FsdA==","displayName":"Somebody Somewhere",{times},"providerUserInfo":[]}}'
                )
            else:
                address = f"{number * 2246822519 % 2**32:08x}.{number}@gmail.com"
                user = (
                    f'{{"localId":"{uid}","email":"{address}","emailVerified":true,"displayName":"Somebody",{times},'
                    f'"photoUrl":"https://lh3.example.com/a/{uid}","providerUserInfo":[{{"providerId":"google.com",'
                    f'"rawId":"{number * 2654435761 % 2**64:020d}","email":"{address}","displayName":"Somebody"}}]}}'
                )
            file.write(user + (",\n" if number < count - 1 else "\n"))
        file.write("]}\n")


def run(binary: str, words: list[str], database: str) -> dict:
    """Runs a command: what it printed, how long it took, and the most memory that it had, in MiB."""
    environment = os.environ | {"LATCHKEY_DATABASE": f"sqlite:{database}"}
    begun = time.monotonic()
    process = subprocess.Popen([binary, *words, "--json"], env=environment, stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} ended with status {process.returncode}: {output.decode()}")
    return {"seconds": time.monotonic() - begun, "memory": usage.ru_maxrss / 1024, "report": json.loads(output)}


def pages(port: int, count: int) -> dict | None:
    """Walks over all users as `list_users` does, and tells how long pages take where in the list."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    path = f"/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts:batchGet?maxResults={PAGE}"
    took: list[float] = []
    seen, token = 0, ""
    while True:
        target = path + (f"&nextPageToken={urllib.parse.quote(token)}" if token else "")
        begun = time.perf_counter()
        connection.request("GET", target, headers={"Authorization": "Bearer owner"})
        reply = connection.getresponse()
        body = reply.read()
        took.append((time.perf_counter() - begun) * 1000)
        if reply.status != 200:
            return None
        answer = json.loads(body)
        seen += len(answer.get("users", []))
        token = answer.get("nextPageToken", "")
        if not token:
            break
    if seen < count:
        raise RuntimeError(f"pages showed {seen} of {count} users")
    middle = len(took) // 2
    parts = {"first": took[1 : TIMED + 1], "middle": took[middle : middle + TIMED], "last": took[-TIMED - 1 : -1]}
    return {name: median(part) for name, part in parts.items() if part} | {"pages": len(took)}


def measure(binary: str, folder: str, count: int, server_in, say) -> dict:
    """Imports, repeats the import, exports, and walks over the pages."""
    database, file = os.path.join(folder, "latchkey.db"), os.path.join(folder, "users.json")
    say(f"writing an export of {count} users")
    write_export(file, count)
    say(f"an import of {count} users")
    first = run(binary, ["import", "firebase", file], database)
    if first["report"]["created"] != count:
        raise RuntimeError(f"imported {first['report']['created']} of {count} users")
    say("the same import again")
    again = run(binary, ["import", "firebase", file], database)
    say(f"an export of {count} users")
    export = run(binary, ["export", os.path.join(folder, "export.json")], database)
    say("pages")
    with server_in(folder) as server:
        walked = pages(server.port, count)
    return {"users": count, "import": first, "again": again, "export": export, "pages": walked}
