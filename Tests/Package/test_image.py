"""The OCI image, run once where this machine allows containers. `make test-image` makes it."""
import json
import os
import subprocess
from pathlib import Path

import pytest

OUTPUT = Path(__file__).resolve().parents[2] / ".build/package"

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or "LATCHKEY_IMAGE" not in os.environ, reason="make test-image runs it")


@pytest.fixture
def buildah(tmp_path):
    storage = ["buildah", "--storage-driver", "vfs", "--root", str(tmp_path / "root"), "--runroot", str(tmp_path / "run")]

    def run(*words, status=0):
        done = subprocess.run([*storage, *words], text=True, capture_output=True, timeout=300)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout.strip()

    return run


def test_the_image_serves(buildah):
    (archive,) = OUTPUT.glob("latchkey-*-oci.tar")
    container = buildah("from", "--pull-never", f"oci-archive:{archive}")
    settings = json.loads(buildah("inspect", "--type", "container", container))["OCIv1"]["config"]
    assert settings["User"] == "latchkey" and settings["Entrypoint"] == ["/usr/bin/latchkey"]
    script = """
        export LATCHKEY_LISTEN=127.0.0.1:9099 LATCHKEY_DATABASE=sqlite:/var/lib/latchkey/latchkey.db HOME=/tmp
        latchkey serve >/tmp/out 2>&1 & server=$!
        i=0; until grep -q 'listening' /tmp/out; do i=$((i + 1)); [ $i -lt 300 ] || { cat /tmp/out; exit 1; }; sleep 0.1; done
        latchkey guest --server http://127.0.0.1:9099 --json; kill $server; wait $server
    """
    # Without network, and in a chroot where runc is missing or not allowed.
    answer = buildah("run", "--isolation", "chroot", "--user", "latchkey", container, "--", "sh", "-ec", script)
    assert json.loads(answer)["uid"]
