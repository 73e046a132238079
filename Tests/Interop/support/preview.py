"""`latchkey preview`, started as its users start it."""
import json
import os
import re
import subprocess
import urllib.request

from .latchkey import binary
from .ports import free_port


class Preview:
    """A running preview. `settings` are environment variables."""

    def __init__(self, **settings: str):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LATCHKEY_")} | settings
        self.process = subprocess.Popen(
            [str(binary()), "preview", "--listen", f"127.0.0.1:{free_port()}"], env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        for line in self.process.stdout:
            if found := re.match(r"latchkey: preview on (\S+)", line):
                self.url = found[1]
                break
        else:
            raise AssertionError(f"the preview did not start: {self.process.wait()}")
        with urllib.request.urlopen(f"{self.url}/states.json", timeout=30) as answer:
            states = json.load(answer)
        self.pages, self.mails, self.languages = states["pages"], states["mails"], states["languages"]

    def urls(self, language: str) -> dict[str, str]:
        """The URL of every page and e-mail in a language, by a name for it."""
        pages = {f"page-{name}": f"{self.url}/pages/{name}?lang={language}" for name in self.pages}
        return pages | {f"mail-{name}": f"{self.url}/mails/{name}?lang={language}" for name in self.mails}

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)
