"""SpamAssassin with Debian's local rules, no network."""
import re
import subprocess
from pathlib import Path


class Verdict:
    def __init__(self, score: float, report: str):
        self.score = score
        self.report = report


def judge(raw: bytes, home: Path) -> Verdict:
    done = subprocess.run(
        ["spamassassin", "--local", "--test-mode", "--nocreate-prefs"], input=raw, capture_output=True, timeout=120,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"},
    )
    output = done.stdout.decode(errors="replace")
    found = re.search(r"^X-Spam-Status: \w+, score=(-?[\d.]+)", output, re.MULTILINE)
    assert found, f"no verdict: {done.stderr.decode(errors='replace')}\n{output[:2000]}"
    report = output[output.find("Content analysis details:"):]
    return Verdict(float(found[1]), report)
