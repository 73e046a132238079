"""The package in a booted Debian 12 with a real systemd, in systemd-nspawn where this machine allows that."""
import os
import shutil
import subprocess

import pytest

from debian import CONFIGURATION, Debian

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can boot a container")

# Runs at the end of the boot. Each line of the result is a name and a value; the journal follows.
SCRIPT = r"""
exec >/root/result 2>/dev/null
echo booted yes
show() { systemctl show latchkey --property="$1" --value; }
ip link set lo up
systemctl start latchkey; echo start $?
echo state $(show ActiveState) $(show Type)
echo ready $(curl --silent http://127.0.0.1:9464/readyz)
echo metrics $(curl --silent --unix-socket /run/latchkey/admin.sock http://localhost/metrics | grep -c '^latchkey_build_info{')
sed -i 's/name: "Example"/name: "Changed"/' /etc/latchkey/latchkey.json5
systemctl reload latchkey; echo reload $?
cp /etc/latchkey/latchkey.json5 /root/good
echo '{ broken' >/etc/latchkey/latchkey.json5
systemctl reload latchkey; echo broken $?
cp /root/good /etc/latchkey/latchkey.json5
echo still $(show ActiveState)
kill -STOP "$(show MainPID)"
for i in $(seq 600); do [ "$(show NRestarts)" = 1 ] && [ "$(show ActiveState)" = active ] && break; sleep 0.1; done
echo restarts $(show NRestarts) $(show ActiveState)
systemctl start latchkey-backup; echo backup $? $(ls /var/backups/latchkey | grep -c '[.]db$')
systemctl stop latchkey; echo stop $? $(show Result) $(show ExecMainStatus)
journalctl --unit latchkey --no-pager --output cat
"""

UNIT = """
[Unit]
After=multi-user.target
[Service]
ExecStart=/bin/bash /root/check.sh
ExecStopPost=/bin/systemctl poweroff
"""


@pytest.fixture
def debian(tmp_path):
    machine = Debian(tmp_path)
    yield machine
    shutil.rmtree(machine.root, ignore_errors=True)


def test_systemd_starts_watches_reloads_and_stops_the_service(debian, tmp_path):
    if not shutil.which("systemd-nspawn"):
        pytest.skip("systemd-nspawn is missing: apt-get install systemd-container")
    debian.run("apt-get", "install", "--yes", "--no-install-recommends", "/latchkey.deb", "systemd-sysv", "curl")
    debian.configure()
    file = debian.path(CONFIGURATION)
    file.write_text(file.read_text().replace('// metricsListen: "127.0.0.1:9464"', 'metricsListen: "127.0.0.1:9464"'))
    debian.shell("chgrp latchkey /etc/latchkey/smtp-url; chmod 0640 /etc/latchkey/smtp-url")
    system = debian.path("etc/systemd/system")
    (system / "latchkey.service.d").mkdir()
    # Shorter than the package's half a minute, and longer than a slow machine may delay a ping.
    (system / "latchkey.service.d/tests.conf").write_text("[Service]\nWatchdogSec=12s\n")
    (system / "check.service").write_text(UNIT)
    (system / "multi-user.target.wants/check.service").symlink_to("/etc/systemd/system/check.service")
    debian.path("root/check.sh").write_text(SCRIPT)

    booted = subprocess.run(
        ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", f"--directory={debian.root}", "--boot"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400,
    )
    result = debian.path("root/result")
    if not result.exists():
        pytest.skip(f"this machine boots no container: {booted.stdout[-500:]}")
    lines = result.read_text().splitlines()
    assert lines[:12] == [
        "booted yes", "start 0", "state active notify", 'ready {"status":"ready"}', "metrics 1", "reload 0", "broken 1", "still active",
        "restarts 1 active", "backup 0 1", "stop 0 success 0", lines[11],
    ], result.read_text()
    journal = "\n".join(lines[11:])
    assert '"event":"reload.done","changed":["brand.name"]' in journal and "Watchdog timeout" in journal, journal
