"""The Debian package in a bare Debian 12: installed, used, upgraded, removed and purged, without any network.

`make test-package` makes the package and this Debian (Scripts/debian-root) beforehand. Each test unpacks it anew. What runs
in it has a network of its own with nothing but loopback.
"""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from debian import CONFIGURATION, OUTPUT, ROOT, Debian, package, with_version

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter another root folder")


@pytest.fixture
def debian(tmp_path):
    machine = Debian(tmp_path)
    yield machine
    shutil.rmtree(machine.root, ignore_errors=True)


# Starts the server as the unit does, makes a guest, prints the guest's UID, and stops the server again.
USE = """
mkdir -m 0750 /run/latchkey && chown latchkey: /run/latchkey
: >/tmp/out
setpriv --reuid=latchkey --regid=latchkey --init-groups \\
    env LATCHKEY_SHUTDOWN_DRAIN=0 latchkey serve --config /etc/latchkey/latchkey.json5 >/tmp/out 2>/tmp/err &
server=$!
i=0
until grep -q 'listening' /tmp/out; do
    i=$((i + 1)); [ $i -lt 300 ] && kill -0 $server || { cat /tmp/out /tmp/err; exit 1; }
    sleep 0.1
done
[ -S /run/latchkey/admin.sock ]
HOME=/tmp latchkey guest --server http://127.0.0.1:9099 --json
kill $server
wait $server
"""


def users(debian: Debian) -> set[str]:
    listed = debian.run("latchkey", "users", "list", "--config", f"/{CONFIGURATION}", "--json", user="latchkey")
    return {user["uid"] for user in json.loads(listed)["items"]}


def test_a_fresh_installation(debian):
    debian.install()
    # The binary runs with what the package depends on.
    assert debian.run("latchkey", "--version").startswith("latchkey ")
    assert debian.mode("etc/latchkey") == ("root:latchkey", "750")
    assert debian.mode("etc/latchkey/secret") == ("root:latchkey", "640")
    assert debian.mode("var/lib/latchkey") == ("latchkey:latchkey", "700")
    assert debian.mode("var/backups/latchkey") == ("latchkey:latchkey", "700")
    assert len(debian.path("etc/latchkey/secret").read_text()) == 64
    assert CONFIGURATION in debian.run("cat", "/var/lib/dpkg/info/latchkey.conffiles")
    assert '\n    shutdown: { drain: "5s" },\n' in debian.path(CONFIGURATION).read_text()
    # Enabled, but not started: it is not configured yet. The timer waits for its operator.
    wanted = debian.path("etc/systemd/system/multi-user.target.wants/latchkey.service")
    assert wanted.is_symlink()
    assert not debian.path("etc/systemd/system/timers.target.wants/latchkey-backup.timer").is_symlink()
    condition = re.search(r"^ExecCondition=/bin/sh -c '(.*)'$", debian.path("lib/systemd/system/latchkey.service").read_text(),
                          re.M).group(1)
    debian.run("sh", "-c", condition, status=1)
    debian.configure()
    debian.run("sh", "-c", condition)
    assert debian.run("latchkey", "check-config", "--config", f"/{CONFIGURATION}", user="latchkey").strip().endswith("valid.")
    assert debian.run("dpkg", "--verify", "latchkey").split() in ([], ["??5??????", "c", f"/{CONFIGURATION}"])
    for name in ("usr/share/man/man1/latchkey.1.gz", "usr/share/man/man1/latchkey-keys.1.gz",
                 "usr/share/bash-completion/completions/latchkey", "usr/share/zsh/vendor-completions/_latchkey"):
        assert debian.path(name).stat().st_size > 300, name


def test_the_service_is_hardened():
    unit = ROOT / "Packaging/debian/latchkey.service"
    report = subprocess.run(["systemd-analyze", "security", "--offline=true", unit], text=True, capture_output=True).stdout
    assert float(re.search(r"exposure level for latchkey.service: ([0-9.]+)", report).group(1)) <= 2.0, report


def test_data_survives_an_upgrade_a_removal_and_a_purge(debian, tmp_path):
    debian.install()
    debian.configure()
    first = json.loads(debian.shell(USE))["uid"]
    secret = debian.path("etc/latchkey/secret").read_text()
    configuration = debian.path(CONFIGURATION).read_text()

    shutil.copy(with_version(package(), "99.1", tmp_path), debian.path("later.deb"))
    debian.install("/later.deb")
    assert "99.1" in debian.run("dpkg-query", "--show", "latchkey")
    second = json.loads(debian.shell(USE))["uid"]
    assert users(debian) == {first, second}
    assert debian.path("etc/latchkey/secret").read_text() == secret
    assert debian.path(CONFIGURATION).read_text() == configuration

    debian.run("apt-get", "remove", "--yes", "latchkey")
    assert not debian.path("usr/bin/latchkey").exists()
    assert debian.path("var/lib/latchkey/latchkey.db").exists() and debian.path(CONFIGURATION).exists()
    debian.install("/later.deb")
    assert users(debian) == {first, second}

    # Without an answer, a purge keeps both.
    debian.run("apt-get", "purge", "--yes", "latchkey")
    assert not debian.path(CONFIGURATION).exists()
    assert debian.path("etc/latchkey/secret").read_text() == secret
    assert debian.path("var/lib/latchkey/latchkey.db").exists()
    debian.install("/later.deb")
    debian.configure()
    assert debian.path("etc/latchkey/secret").read_text() == secret
    assert users(debian) == {first, second}

    debian.shell("echo latchkey latchkey/delete-data boolean true | debconf-set-selections")
    debian.run("apt-get", "purge", "--yes", "latchkey")
    assert not debian.path("var/lib/latchkey").exists() and not debian.path("etc/latchkey/secret").exists()
    assert debian.path("var/backups/latchkey").is_dir()


def test_no_secret_is_made_beside_an_old_database(debian):
    debian.path("var/lib/latchkey").mkdir()
    debian.path("var/lib/latchkey/latchkey.db").write_text("the database of an installation whose secret is elsewhere")
    debian.install()
    assert not debian.path("etc/latchkey/secret").exists()


def test_an_old_secret_stays(debian):
    debian.path("etc/latchkey").mkdir()
    debian.path("etc/latchkey/secret").write_text("an old secret with more than thirty-two bytes")
    debian.install()
    assert debian.path("etc/latchkey/secret").read_text().startswith("an old secret")


def test_backup_destroy_and_restore(debian):
    debian.install()
    debian.configure()
    uid = json.loads(debian.shell(USE))["uid"]
    unit = debian.path("lib/systemd/system/latchkey-backup.service").read_text()
    backup = re.search(r"^ExecStart=(.*)$", unit, re.M).group(1).split()
    debian.run(*backup, user="latchkey")
    (file,) = debian.path("var/backups/latchkey").glob("*.db")
    debian.path("var/lib/latchkey/latchkey.db").write_text("destroyed")
    debian.run("latchkey", "restore", f"/var/backups/latchkey/{file.name}", "--config", f"/{CONFIGURATION}")
    # Restored by root, and usable by the server.
    assert debian.mode("var/lib/latchkey/latchkey.db") == ("latchkey:latchkey", "600")
    assert users(debian) == {uid}
    debian.shell(USE)


def test_the_tarball_runs_and_its_checksums_are_right(debian, tmp_path):
    found = sorted(OUTPUT.glob("latchkey-*-linux-*.tar.gz"))
    if not found:
        pytest.skip("no tarball: make tarball")
    subprocess.run(["sha256sum", "--check", "--quiet", f"{found[-1].name}.sha256"], cwd=OUTPUT, check=True)
    subprocess.run(["tar", "--extract", "--file", found[-1], "--directory", tmp_path], check=True)
    (folder,) = tmp_path.glob("latchkey-*")
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
    for name in ("latchkey", "Templates/strings/en.json", "LICENSE", "config/production.json5"):
        assert (folder / name).is_file()
    debian.install()
    shutil.copy(folder / "latchkey", debian.path("tmp/latchkey"))
    assert debian.run("/tmp/latchkey", "--version").startswith("latchkey ")
