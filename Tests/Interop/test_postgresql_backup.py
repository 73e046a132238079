"""docs/scaling.md, backups of a PostgreSQL database: a test follows its commands, from the dump to the recovery of a moment."""
import os
import subprocess
from pathlib import Path

import pytest

from support import guide
from support.latchkey import binary
from support.postgresql import UNPRIVILEGED, PostgreSQL, give_to_server
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")

SECRET = "a-secret-of-the-tests-with-more-than-32-bytes"


@pytest.fixture
def database():
    """A server with an empty database `latchkey`."""
    server = PostgreSQL.temporary()
    assert server.sql("CREATE DATABASE latchkey", "postgres") is not None
    yield server
    server.remove()


@pytest.fixture
def start_node(database, start_server):
    return lambda name="latchkey": start_server(LATCHKEY_DATABASE=database.url(name), LATCHKEY_SECRET=SECRET)


def follow(name: str, database: PostgreSQL, replacing: dict[str, str] = {}) -> str:
    """Runs the commands of the guide as the server's user, in the server's folder."""
    done = subprocess.run(
        [*UNPRIVILEGED, "bash", "-e", "-c", guide.example(name, replacing)], text=True, capture_output=True, timeout=180,
        cwd=database.folder, env={"PATH": os.environ["PATH"], "PGHOST": str(database.folder), "PGUSER": "latchkey"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_every_example_with_a_name_is_followed_here():
    assert guide.names("scaling.md") == {"dump.sh", "restore-dump.sh", "archive.conf", "base-backup.sh", "restore-base.sh",
                                         "recovery.conf", "recovered.sh"}


def test_a_dump_is_a_backup_and_latchkey_backup_names_the_tool(database, start_node, tmp_path):
    node = start_node()
    refused = subprocess.run(
        [str(binary()), "backup", str(tmp_path / "copy.db")], text=True, capture_output=True, cwd=tmp_path,
        env={"LATCHKEY_DATABASE": database.url("latchkey"), "LATCHKEY_SECRET": SECRET},
    )
    assert refused.returncode == 1 and "pg_dump" in refused.stderr, refused.stderr
    assert not (tmp_path / "copy.db").exists()

    guest = node.call("accounts:signUp", {})
    follow("dump.sh", database)
    later = node.call("accounts:signUp", {})
    follow("restore-dump.sh", database)

    restored = start_node("restored")
    assert restored.refresh(guest["refreshToken"])["user_id"] == guest["localId"]
    with pytest.raises(OSError):
        restored.refresh(later["refreshToken"])
    assert restored.call("accounts:signUp", {})["localId"]


def test_a_database_goes_back_to_any_moment_since_its_base_backup(database, start_node):
    archive, backup = database.folder / "archive", database.folder / "base"
    archive.mkdir()
    give_to_server(archive)

    def add(name: str, replacing: dict[str, str]) -> Path:
        file = database.folder / "data/postgresql.conf"
        file.write_text(f"{file.read_text()}\n{guide.example(name, replacing)}")
        return file

    add("archive.conf", {"/archive/": f"{archive}/"})
    database.stop()
    database.start()
    node = start_node()
    first = node.call("accounts:signUp", {})
    follow("base-backup.sh", database, {"/backup/base": str(backup)})
    second = node.call("accounts:signUp", {})
    moment = database.sql("SELECT pg_sleep(0.05); SELECT now()").splitlines()[-1]
    third = node.call("accounts:signUp", {})
    # In real life the archive has it after a minute.
    segment = database.sql("SELECT pg_walfile_name(pg_switch_wal())")
    wait_until(lambda: (archive / segment).exists(), 20, "the archive")

    node.stop()
    database.stop()
    follow("restore-base.sh", database,
           {"/var/lib/postgresql/15/main": str(database.folder / "data"), "/backup/base": str(backup)})
    settings = add("recovery.conf", {"/archive/": f"{archive}/", "2026-11-21 12:00:00+00": moment})
    database.start()
    wait_until(lambda: follow("recovered.sh", database) == "f", 30, "the recovery")
    settings.write_text(settings.read_text().split("restore_command")[0])

    restored = start_node()
    for guest in (first, second):
        assert restored.refresh(guest["refreshToken"])["user_id"] == guest["localId"]
    with pytest.raises(OSError):
        restored.refresh(third["refreshToken"])
    assert restored.call("accounts:signUp", {})["localId"]
