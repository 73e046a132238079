"""The examples of docs/firebase.md, as they stand there."""
import re
from pathlib import Path

TEXT = (Path(__file__).resolve().parents[3] / "docs/firebase.md").read_text()


def example(name: str, replacing: dict[str, str] = {}) -> str:
    """The block of that name. `replacing` puts the address of a test's server, or a date, in place of what stands there."""
    text, = re.findall(rf"^```\w+ {re.escape(name)}\n(.*?)^```$", TEXT, re.M | re.S)
    for old, new in replacing.items():
        assert old in text, f"{old} is not in {name}"
        text = text.replace(old, new)
    return text


def names() -> set[str]:
    """All examples that have a name, and so can be run."""
    return set(re.findall(r"^```\w+ (\S+)$", TEXT, re.M))
