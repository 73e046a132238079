"""latchkey.js in WebKitGTK: a smoke test of another engine. Part of `make test-all`."""

import pytest

from support.browser import WebKit
from support.mailbox import code, link, newest
from test_web_client import app, uid  # noqa: F401

pytestmark = pytest.mark.engine("postgresql")


@pytest.fixture
def browser(app):  # noqa: F811
    browser = WebKit()
    browser.open(app.url)
    browser.run("await auth.ready")
    yield browser
    browser.close()


def test_a_guest_keeps_the_notes_and_links_an_address_in_webkit(server, app, browser):  # noqa: F811
    assert "AppleWebKit" in (agent := browser.run("return navigator.userAgent")) and "Chrome" not in agent
    guest = uid(browser)
    assert browser.run("return [auth.storage, Boolean(navigator.locks)]") == ["indexeddb", True]
    browser.run("await auth.document('notes/today').set({ text: 'milk' })")
    browser.open(app.url)
    assert uid(browser) == guest
    browser.run("auth.document('notes/today').subscribe(({ data }) => { window.note = data; })")
    browser.wait_for("window.note?.text === 'milk'", "the note after the reload")

    # Two tabs: one stream, and the link in the second.
    first = browser.driver.current_window_handle
    browser.run("window.request = await auth.keep('webkit@example.com'); request.done.then((outcome) => { window.outcome = outcome; })")
    browser.new_tab(link(newest(server, "webkit@example.com")))
    handled = browser.run("const { state, outcome } = await auth.handleLink(); return [state, outcome.event, outcome.user.uid]")
    assert handled == ["signedIn", "linked", guest] and browser.run("return location.search") == ""
    browser.run("await auth.document('notes/today').set({ text: 'bread' })")
    browser.driver.switch_to.window(first)
    browser.wait_for("window.outcome?.user.uid === auth.user.uid && auth.user.email === 'webkit@example.com'", "the user in the first tab")
    browser.wait_for("window.note?.text === 'bread'", "the change of the second tab")

    # Signing out, and in again by the code, with a new guest's note.
    browser.run("await auth.signOut(); await auth.start(); await auth.document('notes/other').set({ text: 'eggs' })")
    browser.run("window.request = await auth.keep('webkit@example.com')")
    outcome = browser.run("return request.code(args[0])", code(newest(server, "webkit@example.com", 2)))
    assert (outcome["event"], outcome["user"]["uid"], outcome["report"]["documents"]["moved"]) == ("merged", guest, 1)
    assert browser.run("return problems") == []
