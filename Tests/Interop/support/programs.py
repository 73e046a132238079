"""Programs that tests run."""
import os
import subprocess


def run(command, folder, **more):
    """A program's output; fails with what it said where it fails."""
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=180, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(**more) -> dict:
    return {name: value for name, value in os.environ.items() if not name.startswith(("FIREBASE_", "LATCHKEY_"))} | more
