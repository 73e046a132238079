"""Backups of a PostgreSQL database: a dump, and point-in-time recovery."""
import subprocess

import pytest

from support.latchkey import binary
from support.postgresql import UNPRIVILEGED, PostgreSQL
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")


def test_a_dump_is_a_backup_and_latchkey_backup_names_the_tool(start_cluster, start_server, tmp_path):
    cluster = start_cluster("--nodes", "1")
    refused = subprocess.run(
        [str(binary()), "backup", str(tmp_path / "copy.db")], text=True, capture_output=True, cwd=tmp_path,
        env={"LATCHKEY_DATABASE": cluster.status["database"], "LATCHKEY_SECRET": cluster.secret},
    )
    assert refused.returncode == 1 and "pg_dump" in refused.stderr, refused.stderr
    assert not (tmp_path / "copy.db").exists()

    original = start_server(LATCHKEY_DATABASE=cluster.status["database"], LATCHKEY_SECRET=cluster.secret)
    guest = original.call("accounts:signUp", {})
    dump = tmp_path / "latchkey.dump"
    subprocess.run(["pg_dump", "--format=custom", f"--file={dump}", cluster.status["database"]], check=True)
    later = original.call("accounts:signUp", {})
    subprocess.run(["createdb", "--template=template0", f"--maintenance-db={cluster.status['database']}", "restored"],
                   check=True)
    subprocess.run(["pg_restore", "--exit-on-error", f"--dbname={cluster.database_url(database='restored')}", str(dump)],
                   check=True)

    restored = start_server(LATCHKEY_DATABASE=cluster.database_url(database="restored"), LATCHKEY_SECRET=cluster.secret)
    assert restored.refresh(guest["refreshToken"])["user_id"] == guest["localId"]
    with pytest.raises(OSError):
        restored.refresh(later["refreshToken"])
    assert restored.call("accounts:signUp", {})["localId"]


def test_a_database_goes_back_to_any_moment_since_its_base_backup(start_cluster, start_server):
    cluster = start_cluster("--nodes", "1")
    archive, back = cluster.folder("archive"), cluster.folder("back")
    # As docs/scaling.md says.
    cluster.sql("ALTER SYSTEM SET archive_mode = on")
    cluster.sql(f"ALTER SYSTEM SET archive_command = 'test ! -f {archive}/%f && cp %p {archive}/%f'")
    cluster.restart_postgresql()
    node = start_server(LATCHKEY_DATABASE=cluster.status["database"], LATCHKEY_SECRET=cluster.secret)
    first = node.call("accounts:signUp", {})
    subprocess.run([*UNPRIVILEGED, "pg_basebackup", f"--dbname={cluster.status['database']}", f"--pgdata={back}/data",
                    "--checkpoint=fast"], check=True, cwd="/", capture_output=True)
    second = node.call("accounts:signUp", {})
    moment = cluster.sql("SELECT pg_sleep(0.05); SELECT now()").strip().splitlines()[-1]
    third = node.call("accounts:signUp", {})
    segment = cluster.sql("SELECT pg_walfile_name(pg_switch_wal())").strip()
    wait_until(lambda: (archive / segment).exists(), 20, "the archive")
    (back / "data/recovery.signal").touch()

    server = PostgreSQL(
        back / "data", archive_mode="off", restore_command=f"cp {archive}/%f %p", recovery_target_time=moment,
        # No fewer connections than the server had that wrote the archive.
        recovery_target_action="promote", max_connections="300",
    )
    try:
        wait_until(lambda: server.sql("SELECT pg_is_in_recovery()") == "f", 30, "the recovery")
        restored = start_server(LATCHKEY_DATABASE=server.url("latchkey"), LATCHKEY_SECRET=cluster.secret)
        for guest in (first, second):
            assert restored.refresh(guest["refreshToken"])["user_id"] == guest["localId"]
        with pytest.raises(OSError):
            restored.refresh(third["refreshToken"])
        assert restored.call("accounts:signUp", {})["localId"]
        restored.stop()
    finally:
        server.stop()
