"""An app of its own origin that uses latchkey.js: one page, whose scripts tests run."""
from pathlib import Path

from .site import Site

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>app</title><link rel="icon" href="data:,">
<script type="module">
import {{ createLatchkey, LatchkeyError }} from "{server}/sdk/latchkey.js";
const parameters = new URLSearchParams(location.search);
window.auth = createLatchkey({{ url: parameters.get("server") ?? "{server}", guests: parameters.get("guests") ?? "auto" }});
window.createLatchkey = createLatchkey;
window.events = [];
auth.onChange(({{ user, event }}) => events.push({{ event, uid: user?.uid }}));
window.seen = [];
if (parameters.has("document")) {{
  auth.document(parameters.get("document")).subscribe(({{ data }}) => seen.push(data ?? null), ({{ code }}) => seen.push(code));
}}
window.problems = [];
addEventListener("unhandledrejection", ({{ reason }}) => problems.push(String(reason)));
addEventListener("error", ({{ message }}) => problems.push(message));
</script>"""


class App(Site):
    """Serves the page on a port of its own."""

    def __init__(self, folder: Path, server_url: str):
        (folder / "index.html").write_text(PAGE.format(server=server_url))
        super().__init__(folder)
