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

    def violations(self, url: str | None = None) -> list[str]:
        """What is wrong with a page, or with the one that is open."""
        if url and "/mails/" in url:
            # The policy of the preview forbids all scripts here, also this one.
            mail = self.folder / "mail.html"
            mail.write_bytes(urllib.request.urlopen(url, timeout=30).read())
            url = mail.as_uri()
        if url:
            self.open(url)
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": self.script})
        found = self.run(
            "return (await axe.run(document, { runOnly: args[0], resultTypes: ['violations'], iframes: false })).violations"
            ".map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)", TAGS)
        return found
