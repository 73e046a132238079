"""The examples of the pages in docs/, as they stand there."""
import re
from pathlib import Path

PAGES = {page.name: page.read_text() for page in (Path(__file__).resolve().parents[3] / "docs").glob("*.md")}


def example(name: str, replacing: dict[str, str] = {}) -> str:
    """The block of that name. `replacing` puts the address of a test's server, or a date, in place of what stands there."""
    text, = (found for page in PAGES.values()
             for found in re.findall(rf"^ *```\w+ {re.escape(name)}\n(.*?)^ *```$", page, re.M | re.S))
    for old, new in replacing.items():
        assert old in text, f"{old} is not in {name}"
        text = text.replace(old, new)
    return text


def names(*pages: str) -> set[str]:
    """All examples of the pages that have a name, and so can be run."""
    return {name for page in pages for name in re.findall(r"^ *```\w+ (\S+)$", PAGES[page], re.M)}
