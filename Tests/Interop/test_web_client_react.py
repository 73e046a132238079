"""latchkey.js under React's StrictMode: the recipe of docs/web.md, bundled from installed packages, in Chromium."""
import pytest

from support import guide
from support.mailbox import link, newest
from support.programs import environment, run
from support.site import Site
from support.web_client import LIBRARIES, install

pytestmark = pytest.mark.engine("sqlite")

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>app</title><link rel="icon" href="data:,">
<div id="probe"></div><div id="root"></div><script type="module" src="main.bundle.js"></script>"""

# Runs the recipe, and tells the test what happens in the page.
PROBE = """
import { StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { auth, useUser } from "./auth.js";
import "./main.jsx";

(window.instances ??= []).push(auth);
window.mounts ??= 0;
window.shown ??= [];
function Probe() {
  const user = useUser();
  useEffect(() => { window.mounts++; }, []);
  useEffect(() => { window.shown.push(user?.email ?? user?.uid ?? null); }, [user]);
  return null;
}
const place = document.createElement("div");
document.getElementById("probe").append(place);
createRoot(place).render(<StrictMode><Probe /></StrictMode>);
"""


@pytest.fixture
def site(server, tmp_path):
    """The recipe as an app: the package installed, React from Debian's packages, and all of it bundled for development."""
    folder = tmp_path / "app"
    folder.mkdir()
    install(server.url, folder)
    for name in ("react", "react-dom"):
        assert (LIBRARIES / name).is_dir(), f"apt-get install node-{name}"
        (folder / "node_modules" / name).symlink_to(LIBRARIES / name)
    (folder / "auth.js").write_text(guide.example("auth.js", {"https://auth.example.com": server.url}))
    (folder / "main.jsx").write_text(guide.example("main.jsx"))
    (folder / "probe.jsx").write_text(PROBE)
    (folder / "index.html").write_text(PAGE)
    run(["esbuild", "probe.jsx", "--bundle", "--format=esm", "--target=es2022", "--jsx=automatic", "--jsx-dev", "--log-level=warning",
         '--define:process.env.NODE_ENV="development"', "--outfile=main.bundle.js"], folder, env=environment(NODE_PATH=str(LIBRARIES)))
    site = Site(folder)
    yield site
    site.stop()


@pytest.fixture
def browser(site, open_browser):
    browser = open_browser(site.url)
    browser.wait_for("window.auth ??= window.instances?.[0]", "the app")
    return browser


def complaints(browser) -> list[str]:
    """Warnings and errors on the console; React's are errors. The browser's own list of answers such as 404 is no part of it."""
    return [entry["message"] for entry in browser.driver.get_log("browser")
            if entry["level"] in ("WARNING", "SEVERE") and entry["source"] != "network"]


def guests(browser) -> int:
    """How many guests this page has made."""
    return browser.run("return performance.getEntriesByType('resource').filter(({ name }) => name.includes('accounts:signUp')).length")


def test_strict_mode_makes_one_guest_and_renders_each_change(server, site, browser):
    browser.wait_for("document.querySelector('#who').textContent.startsWith('Guest')", "the guest on the page")
    uid = browser.run("return auth.user.uid")
    assert browser.text("who") == f"Guest {uid}"
    assert browser.run("return window.mounts") == 2, "not the development build, or not StrictMode"
    assert guests(browser) == 1

    # The document's hook, mounted twice, follows a write of this tab and one from outside of React.
    browser.type("note", "milk")
    browser.driver.find_element("id", "email").click()
    browser.wait_for("(await auth.document('notes/today').get()).data?.text === 'milk'", "the note on the server")
    browser.run("await auth.document('notes/today').set({ text: 'bread' })")
    browser.wait_for("document.getElementById('note').value === 'bread'", "the change of the document")

    # The request, and the link in another tab: the first tab renders the linked user.
    browser.type("email", "react@example.com")
    browser.click("keep")
    browser.wait_for("document.getElementById('hint').textContent.includes(auth.pending?.digits)", "the hint")
    first = browser.driver.current_window_handle
    browser.new_tab(link(newest(server, "react@example.com")))
    browser.wait_for("document.getElementById('who')?.textContent === 'react@example.com'", "the user in the second tab")
    assert browser.run("return location.search") == ""
    browser.driver.switch_to.window(first)
    browser.wait_for("document.getElementById('who').textContent === 'react@example.com'", "the user in the first tab")
    browser.wait_for("document.getElementById('hint').textContent === 'Kept.'", "the end of the request")
    assert browser.run("return [auth.user.uid, auth.user.isAnonymous, document.getElementById('keep')]") == [uid, False, None]
    shown = browser.run("return window.shown.filter((one, i, all) => one !== all[i - 1])")
    assert [one for one in shown if one] == [uid, "react@example.com"]
    assert complaints(browser) == []


def test_a_hot_reload_keeps_the_instance_and_the_guest(site, browser):
    browser.wait_for("document.querySelector('#who').textContent.startsWith('Guest')", "the guest on the page")
    who = browser.text("who")
    # All modules again, with a second copy of the client and of React, in a new place.
    browser.run("""
        document.getElementById("root").replaceWith(Object.assign(document.createElement("div"), { id: "root" }));
        await import("/main.bundle.js?again");
    """)
    browser.wait_for("document.querySelector('#who')?.textContent.startsWith('Guest')", "the guest after the reload")
    assert browser.text("who") == who
    assert browser.run("return [instances.length, instances[0] === instances[1]]") == [2, True]
    assert guests(browser) == 1
    browser.run("await auth.document('notes/today').set({ text: 'both' })")
    browser.wait_for("document.getElementById('note').value === 'both'", "the change in the new components")
    assert complaints(browser) == []
