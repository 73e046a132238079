"""Clean-up: how fast a million guests go, and what sign-ups notice of it."""

import json
import os
import secrets
import sqlite3
import subprocess
import threading
import time

from .load import JSON, wrk, write_lines

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
CONNECTIONS = 16


def fill(path: str, count: int, due_at: int) -> None:
    """Puts guests with a session each into a database, as sign-ups would have; all are due at the same moment."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    number = database.execute("SELECT COALESCE(max(id), 0) FROM users").fetchone()[0]
    now = int(time.time() * 1000)
    created = now - 40 * 86_400_000
    for start in range(0, count, 50_000):
        users, sessions = [], []
        for index in range(start, min(start + 50_000, count)):
            random = secrets.token_bytes(28)
            uid = "".join(LETTERS[byte % 62] for byte in random)
            at = created + index
            users.append((number + index + 1, uid, at, at // 1000, at, at, at, due_at))
            sessions.append((f"{at:011x}{random.hex()[:11]}", uid, number + index + 1, at, at // 1000, at, at))
        database.execute("BEGIN IMMEDIATE")
        database.executemany(
            "INSERT INTO users (id, uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at, cleanup_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            users,
        )
        database.executemany(
            "INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, auth_time, created_at,"
            " last_used_at) VALUES (?, ?, ?, 'anonymous', 1, ?, ?, ?, ?)",
            sessions,
        )
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def gone(path: str) -> int:
    """How many users are former ones; ids only grow, so the last one tells."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return database.execute("SELECT COALESCE(max(id), 0) FROM former_users").fetchone()[0]
    finally:
        database.close()


def alone(binary: str, folder: str, count: int) -> dict:
    """A sweep with nothing beside it, by the operator's command."""
    path = os.path.join(folder, "alone.db")
    environment = os.environ | {"LATCHKEY_DATABASE": f"sqlite:{path}"}
    subprocess.run([binary, "cleanup", "status"], env=environment, check=True, capture_output=True)
    fill(path, count, int(time.time() * 1000) - 1)
    begun = time.monotonic()
    subprocess.run([binary, "cleanup", "status"], env=environment, check=True, capture_output=True)
    preview = time.monotonic() - begun
    begun = time.monotonic()
    done = subprocess.run([binary, "cleanup", "--json"], env=environment, check=True, capture_output=True, text=True)
    seconds = time.monotonic() - begun
    return {"removed": json.loads(done.stdout)["removed"], "rate": count / seconds, "preview": preview}


def beside_sign_ups(server_in, folder: str, count: int, seconds: float, lead: float) -> dict:
    """A sweep by a server that signs guests up meanwhile: its pace, and the sign-ups' before and during it."""
    path = os.path.join(folder, "latchkey.db")
    body = write_lines(os.path.join(folder, "body"), ["{}"])
    with server_in(folder):
        pass
    due_at = int((time.time() + lead) * 1000)
    fill(path, count, due_at)
    with server_in(folder) as server:

        def sign_ups() -> dict:
            return wrk(server.url, CONNECTIONS, seconds, "post.lua", "/v1/accounts:signUp?key=bench", JSON, body)

        sign_ups()
        before = sign_ups()
        # The server looks every minute.
        deadline = due_at / 1000 + 90
        while gone(path) == 0 and time.time() < deadline:
            time.sleep(0.1)
        marks: list[tuple[float, int]] = []
        stopped = threading.Event()

        def watch() -> None:
            while not stopped.is_set():
                marks.append((time.monotonic(), gone(path)))
                time.sleep(0.2)

        watcher = threading.Thread(target=watch)
        watcher.start()
        during = sign_ups()
        stopped.set()
        watcher.join()
    (first, start), (last, end) = marks[0], marks[-1]
    return {"before": before, "during": during, "rate": (end - start) / (last - first), "swept": end}
