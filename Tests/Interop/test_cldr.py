"""The tables of plural rules and time formats, against the Python package from which they are made."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_tables_are_those_of_cldr():
    check = subprocess.run(
        [sys.executable, ROOT / "Scripts/make-cldr-tables", "--check"], capture_output=True, text=True, timeout=360
    )
    assert check.returncode == 0, check.stderr
