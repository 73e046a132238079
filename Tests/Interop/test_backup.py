"""`latchkey backup --keep` and `latchkey restore`, also on folders and disks that are not as they should be."""
import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from support.latchkey import Latchkey, binary
from support.programs import environment

pytestmark = pytest.mark.engine("sqlite")

SECRET = "a-secret-of-the-tests-with-more-than-32-bytes"
MARKER = "latchkey-backups.txt"
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")


@pytest.fixture
def database(start_server):
    """A server's folder, with one guest in its database; the server runs."""
    server = start_server(LATCHKEY_SECRET=SECRET)
    server.call("accounts:signUp", {})
    return server.folder


def latchkey(folder: Path, *words, wrapper=(), secret=SECRET):
    settings = {"LATCHKEY_DATABASE": f"sqlite:{folder}/latchkey.db", "LATCHKEY_SECRET": secret}
    return subprocess.run([*wrapper, str(binary()), *map(str, words)], cwd=folder, text=True, timeout=180,
                          capture_output=True, env=environment(**settings))


def backups(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != MARKER)


def users(file: Path) -> int:
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT count(*) FROM users").fetchone()[0]


def test_the_newest_are_kept_and_nothing_else_is_deleted(database, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir(mode=0o700)
    old = [f"latchkey-2026010{day}T020000Z.db" for day in range(1, 6)]
    others = ["latchkey-notes.db", "latchkey-20260101T020000Z.db.txt", "other.db", "latchkey-2026x101T020000Z.db"]
    for name in old + others + ["latchkey-20260106T020000Z.db.partial-1-2"]:
        (folder / name).write_text("x")
    done = latchkey(database, "backup", "--keep", 3, folder, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    new = Path(report["file"])
    assert backups(folder) == sorted(others + old[3:] + [new.name])
    assert [Path(path).name for path in report["removed"]] == [old[2], old[1], old[0]]
    assert users(new) == 1 and new.stat().st_mode & 0o777 == 0o600
    # The second one within a second has its own name. The newest stays although a file is named after a later time.
    (folder / "latchkey-20990101T020000Z.db").write_text("x")
    done = latchkey(database, "backup", "--keep", 1, folder, "--json")
    newest = Path(json.loads(done.stdout)["file"])
    assert newest != new and backups(folder) == sorted(others + [newest.name])


def test_a_missing_folder_is_made_for_its_owner_only(database, tmp_path):
    done = latchkey(database, "backup", "--keep", 3, tmp_path / "backups")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "backups").stat().st_mode & 0o777 == 0o700
    assert latchkey(database, "backup", "--keep", 3, tmp_path / "no" / "backups").returncode == 1


def test_another_installation_s_folder_is_left_alone(database, tmp_path, start_server):
    folder = tmp_path / "backups"
    assert latchkey(database, "backup", "--keep", 1, folder).returncode == 0
    before = backups(folder)
    other = start_server(LATCHKEY_SECRET=SECRET).folder
    done = latchkey(other, "backup", "--keep", 1, folder)
    assert done.returncode == 1 and "another installation" in done.stderr
    # A copy of the database elsewhere is another installation, too.
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(folder / before[0], copy / "latchkey.db")
    done = latchkey(copy, "backup", "--keep", 1, folder)
    assert done.returncode == 1 and MARKER in done.stderr
    assert backups(folder) == before
    (folder / MARKER).unlink()
    assert latchkey(other, "backup", "--keep", 2, folder).returncode == 0


def test_links_files_and_open_folders_are_refused(database, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(folder)
    (tmp_path / "file").write_text("x")
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    linked = tmp_path / "linked"
    linked.mkdir(mode=0o700)
    (linked / MARKER).symlink_to(tmp_path / "elsewhere")
    for path, words in ((tmp_path / "link", "symbolic link"), (tmp_path / "file", "not a folder"),
                        (open_to_all, "every user"), (linked, "cannot be used")):
        done = latchkey(database, "backup", "--keep", 1, path, "--json")
        assert done.returncode == 1 and words in done.stderr, done.stderr
        assert json.loads(done.stderr)["error"]["code"] == "unusable-folder"
    assert backups(folder) == [] and not (tmp_path / "elsewhere").exists()


@root_only
def test_a_full_disk_leaves_the_old_ones(database, tmp_path):
    folder = tmp_path / "backups"
    assert latchkey(database, "backup", "--keep", 1, folder).returncode == 0
    script = """
        mount -t tmpfs -o size=2m,mode=0700 tmpfs "$0" && cp -a "$1"/. "$0"/ && head -c 3m /dev/zero >"$0/filler"
        shift; "$@"; status=$?; ls "$0"; exit $status
    """
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    done = latchkey(database, "backup", "--keep", 1, mounted,
                    wrapper=["unshare", "--mount", "bash", "-c", script, mounted, folder])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "No space left" in done.stderr or "full" in done.stderr, done.stderr
    assert sorted(done.stdout.split()) == sorted([*backups(folder), MARKER, "filler"])


@root_only
def test_a_read_only_folder(database, tmp_path):
    folder = tmp_path / "backups"
    assert latchkey(database, "backup", "--keep", 1, folder).returncode == 0
    before = backups(folder)
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    done = latchkey(database, "backup", "--keep", 1, folder, wrapper=["unshare", "--mount", "sh", "-c", script, folder])
    assert done.returncode == 1 and "Read-only file system" in done.stderr, done.stderr
    assert backups(folder) == before


def test_a_second_backup_at_the_same_time_is_refused(database, tmp_path):
    folder = tmp_path / "backups"
    assert latchkey(database, "backup", "--keep", 5, folder).returncode == 0
    lock = ["flock", "--exclusive", "--no-fork", folder / MARKER]
    done = latchkey(database, "backup", "--keep", 5, folder, wrapper=[*lock])
    assert done.returncode == 1 and "another backup" in done.stderr


def test_what_was_there_is_kept_when_a_backup_is_restored(start_server, tmp_path):
    server = start_server(LATCHKEY_SECRET=SECRET)
    folder = server.folder
    ann = server.call("accounts:signUp", {})
    backup = tmp_path / "copy.db"
    assert latchkey(folder, "backup", backup).returncode == 0
    server.call("accounts:signUp", {})

    done = latchkey(folder, "restore", backup)
    assert done.returncode == 1 and "stop the server first" in done.stderr, done.stderr
    assert server.call("accounts:signUp", {})["localId"], "the server goes on"
    server.process.kill()
    server.process.wait()

    done = latchkey(folder, "restore", backup, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["users"] == 1 and users(folder / "latchkey.db") == 1
    assert users(Path(report["kept"])) == 3, "with what was in the log"
    assert (folder / "latchkey.db").stat().st_mode & 0o777 == 0o600
    again = start_server(LATCHKEY_SECRET=SECRET, LATCHKEY_DATABASE=f"sqlite:{folder}/latchkey.db")
    assert again.refresh(ann["refreshToken"])["user_id"] == ann["localId"]
    assert latchkey(folder, "restore", folder / "latchkey.db").returncode == 1
    again.stop()
    # Back to what was kept.
    assert latchkey(folder, "restore", report["kept"]).returncode == 0
    assert users(folder / "latchkey.db") == 3


@pytest.mark.parametrize("flaw", ["damaged", "cut", "foreign", "empty", "secret", "newer", "in use", "missing", "folder"])
def test_a_backup_that_cannot_be_used_changes_nothing(database, tmp_path, flaw):
    backup = tmp_path / "copy.db"
    assert latchkey(database, "backup", backup).returncode == 0
    with sqlite3.connect(backup) as connection:
        page = connection.execute("PRAGMA page_size").fetchone()[0]
        match flaw:
            case "newer":
                connection.execute("INSERT INTO schema_migrations VALUES (999, 'later', 'x', 1)")
            case "foreign":
                connection.execute("PRAGMA application_id = 7")
    connection.close()
    content = backup.read_bytes()
    match flaw:
        case "damaged":
            backup.write_bytes(content[:5 * page] + b"\xff" * page + content[6 * page:])
        case "cut":
            backup.write_bytes(content[:len(content) // 2])
        case "empty":
            backup.write_bytes(b"")
        case "in use":
            (tmp_path / "copy.db-wal").write_bytes(b"x")
        case "missing":
            backup.unlink()
        case "folder":
            backup.unlink()
            backup.mkdir()
    target = tmp_path / "target"
    target.mkdir()
    shutil.copy(database / "latchkey.db", target / "latchkey.db")
    before = (target / "latchkey.db").read_bytes()
    secret = "another-secret-of-the-tests-with-32-bytes" if flaw == "secret" else SECRET
    done = latchkey(target, "restore", backup, secret=secret)
    assert done.returncode == 1, done.stdout
    assert sorted(path.name for path in target.iterdir()) == ["latchkey.db"]
    assert (target / "latchkey.db").read_bytes() == before


def test_a_damaged_database_is_replaced_and_kept_with_its_log(database, tmp_path):
    backup = tmp_path / "copy.db"
    assert latchkey(database, "backup", backup).returncode == 0
    target = tmp_path / "target"
    target.mkdir()
    for name in ("latchkey.db", "latchkey.db-wal"):
        (target / name).write_bytes(b"damaged " * 1024)
    done = latchkey(target, "restore", backup, "--json")
    assert done.returncode == 0, done.stderr
    kept = Path(json.loads(done.stdout)["kept"])
    assert kept.read_bytes() == b"damaged " * 1024
    assert users(target / "latchkey.db") == 1
    assert not (target / "latchkey.db-wal").exists()
    # The log of another database would damage the restored one. SQLite may have deleted it, because it has no valid entry.
    log = Path(f"{kept}-wal")
    assert not log.exists() or log.read_bytes() == b"damaged " * 1024


def test_a_backup_is_restored_where_nothing_was(database, tmp_path):
    backup = tmp_path / "copy.db"
    assert latchkey(database, "backup", backup).returncode == 0
    target = tmp_path / "new"
    target.mkdir()
    done = latchkey(target, "restore", backup)
    assert done.returncode == 0, done.stderr
    assert users(target / "latchkey.db") == 1
