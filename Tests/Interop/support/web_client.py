"""latchkey.js as an installed npm package."""
import json
import subprocess
import urllib.request
from pathlib import Path

# Where Debian's packages of JavaScript libraries are.
LIBRARIES = Path("/usr/share/nodejs")


def version() -> str:
    package = Path(__file__).resolve().parents[3] / "Sources/WebClient/package.json"
    return json.loads(package.read_text())["version"]


def install(server_url: str, folder: Path) -> Path:
    """Unpacks the server's npm package where `npm install` puts it; the package's folder."""
    with urllib.request.urlopen(f"{server_url}/sdk/latchkey-{version()}.tgz", timeout=15) as answer:
        archive = answer.read()
    modules = folder / "node_modules"
    modules.mkdir()
    subprocess.run(["tar", "--extract", "--gzip", "--directory", modules], input=archive, check=True, timeout=90)
    # npm takes the one folder away that all files of a package are in.
    package, = modules.iterdir()
    assert package.name == "package"
    return package.rename(modules / "latchkey")
