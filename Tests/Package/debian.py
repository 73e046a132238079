"""A bare Debian 12 in a folder, in which tests install the package."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / ".build/package"
CONFIGURATION = "etc/latchkey/latchkey.json5"


def package() -> Path:
    found = sorted(OUTPUT.glob("latchkey_*.deb"), key=lambda path: path.stat().st_mtime)
    assert found, "no package: make package"
    return found[-1]


class Debian:
    """A bare Debian in a folder, with the package and what it depends on at hand.

    It has a network of its own with nothing but loopback, unless a test gives it the loopback of this machine.
    """

    def __init__(self, folder: Path, has_loopback_of_host: bool = False):
        self._namespaces = ["--mount", "--pid", "--fork", "--kill-child", *([] if has_loopback_of_host else ["--net"])]
        self.root = folder / "root"
        self.root.mkdir()
        subprocess.run(["tar", "--extract", "--file", OUTPUT / "root.tar", "--directory", self.root], check=True)
        self.root.chmod(0o755)

    def words(self, *command, user: str | None = None, **environment: str) -> list[str]:
        script = ('ip link set lo up 2>/dev/null || true; mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; '
                  'mount -t tmpfs tmpfs "$0/run"; exec "$@"')
        change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        return ["unshare", *self._namespaces, "sh", "-c", script, str(self.root),
                "chroot", str(self.root), "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                "DEBIAN_FRONTEND=noninteractive", *(f"{name}={value}" for name, value in environment.items()),
                *change, *map(str, command)]

    def run(self, *command, status: int | None = 0, user: str | None = None, **more) -> str:
        done = subprocess.run(self.words(*command, user=user), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, **more)
        assert status is None or done.returncode == status, done.stdout
        return done.stdout

    def shell(self, script: str, **more) -> str:
        return self.run("sh", "-ec", script, **more)

    def install(self, deb: str = "/latchkey.deb") -> str:
        return self.run("apt-get", "install", "--yes", "--no-install-recommends", deb)

    def path(self, name: str) -> Path:
        return self.root / name

    def mode(self, name: str) -> tuple[str, int]:
        return tuple(self.run("stat", "-c", "%U:%G %a", f"/{name}").split())

    def configure(self, **changes: str):
        file = self.path(CONFIGURATION)
        text = file.read_text()
        for old, new in {"https://auth.example.com": "https://auth.latchkey.test"}.items():
            assert old in text
            text = text.replace(old, new)
        file.write_text(text)
        (self.path("etc/latchkey/smtp-url")).write_text("smtp://127.0.0.1:2525\n")


def with_version(deb: Path, version: str, folder: Path) -> Path:
    """The same package as a later version."""
    tree = folder / version
    subprocess.run(["dpkg-deb", "--raw-extract", deb, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.M))
    later = folder / f"latchkey_{version}.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, later], check=True, capture_output=True)
    return later
