"""SpamAssassin with Debian's local rules, no network."""
import re
import subprocess
from pathlib import Path


class Verdict:
    def __init__(self, score: float, report: str):
        self.score = score
        self.report = report


def judge(mails: list[bytes], home: Path) -> list[Verdict]:
    """Judges mails in one run, because reading the rules takes a second."""
    files = []
    for number, raw in enumerate(mails):
        files.append(home / f"mail-{number}")
        files[-1].write_bytes(raw)
    done = subprocess.run(
        ["spamassassin", "--local", "--test-mode", "--nocreate-prefs", *files], capture_output=True, timeout=360,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"},
    )
    output = done.stdout.decode(errors="replace")
    verdicts = []
    for judged in re.split(r"^X-Spam-Checker-Version: ", output, flags=re.MULTILINE)[1:]:
        score = re.search(r"^X-Spam-Status: \w+, score=(-?[\d.]+)", judged, re.MULTILINE)
        assert score, judged[:2000]
        report = judged[judged.find("Content analysis details:"):]
        verdicts.append(Verdict(float(score[1]), report[:2000]))
    assert len(verdicts) == len(mails), f"no verdict: {done.stderr.decode(errors='replace')}\n{output[:2000]}"
    return verdicts
