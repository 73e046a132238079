"""axe-core, which judges the accessibility of documents in a browser."""
import importlib.metadata
import urllib.request

from .browser import Browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AXE = next(file for file in importlib.metadata.files("axe-playwright-python") if file.name == "axe.min.js").locate()


class Judge(Browser):
    """A browser that puts axe-core into documents."""

    def __init__(self, folder):
        super().__init__(folder, "--window-size=1280,900")
        self.folder = folder
        self.script = AXE.read_text()

    def show(self, scheme: str):
        """Takes a color scheme from now on."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def place(self, url: str):
        """Opens a page or an e-mail, with axe-core in it."""
        if "/mails/" in url:
            # The policy of the preview forbids all scripts here, also this one.
            mail = self.folder / "mail.html"
            mail.write_bytes(urllib.request.urlopen(url, timeout=30).read())
            url = mail.as_uri()
        self.open(url)
        self.inject()

    def inject(self):
        """Puts axe-core into the open page."""
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": self.script})

    def violations(self, rules: list[str] | None = None) -> list[str]:
        """What is wrong with the open page, by all rules of WCAG or by some of axe's."""
        found = self.run(
            "return (await axe.run(document, { runOnly: args[1] ?? args[0], resultTypes: ['violations'], iframes: false })).violations"
            ".map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)", TAGS, rules)
        return found
