"""How often the server allocates memory."""
import struct
import subprocess
from pathlib import Path


class Allocations:
    """Counts the allocations of a server that is started with `settings`."""

    def __init__(self, folder: Path):
        library = folder / "allocations.so"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["clang", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source], check=True)
        self.path = folder / "allocations"
        self.path.write_bytes(bytes(4096))
        self.settings = {"LD_PRELOAD": str(library), "ALLOCATIONS": str(self.path)}

    @property
    def count(self) -> int:
        """The number so far."""
        with open(self.path, "rb") as file:
            return struct.unpack("q", file.read(8))[0]
