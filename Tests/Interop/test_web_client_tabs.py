"""latchkey.js in tabs that the browser freezes. Part of `make test-all`."""
import time

import pytest

from support.mailbox import link, newest
from support.waiting import wait_until
from test_web_client import app, approve, uid  # noqa: F401
from test_web_client_trouble import proxy, through  # noqa: F401

pytestmark = pytest.mark.engine("postgresql")


def test_a_frozen_tab_loses_the_stream_to_a_visible_one(app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    uid(browser)
    seen = "auth.document('notes/shared').subscribe(({ data }) => { window.shared = data; })"
    streams = lambda: sum("documents:listen" in path for path in proxy.seen)  # noqa: E731
    first = browser.driver.current_window_handle
    browser.run(seen)
    browser.run("await auth.document('notes/shared').set({ n: 1 })")
    browser.wait_for("window.shared?.n === 1", "the change in the first tab")
    second = browser.new_tab(through(app, proxy))
    uid(browser)
    browser.run(seen)
    browser.wait_for("window.shared?.n === 1", "the document in the second tab")
    before = streams()

    browser.driver.switch_to.window(first)
    browser.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "frozen"})
    browser.driver.switch_to.window(second)
    assert browser.run("return document.visibilityState") == "visible"
    browser.run("await auth.document('notes/shared').set({ n: 2 })")
    # Where this took so long that the second tab has a stream of its own, the change may have arrived on that.
    assert browser.run("return shared.n") == 1 or streams() > before, "the frozen tab passed a change on"
    browser.wait_for("window.shared?.n === 2", "the change after the takeover", 40)
    assert streams() > before

    browser.driver.switch_to.window(first)
    browser.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "active"})
    browser.wait_for("window.shared?.n === 2", "what the frozen tab missed")
    browser.driver.switch_to.window(second)
    browser.run("await auth.document('notes/shared').set({ n: 3 })")
    for tab in (first, second):
        browser.driver.switch_to.window(tab)
        browser.wait_for("window.shared?.n === 3", "the change in both tabs")
        assert browser.run("return problems") == []


def test_a_frozen_tab_leaves_the_waiting_for_an_approval_to_another(server, app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    calls = lambda: sum("accounts:signInWithTicket" in path for path in proxy.seen)  # noqa: E731
    follow = "auth.pending.done.then((outcome) => { window.outcome = outcome; })"
    first = browser.driver.current_window_handle
    digits = browser.run(f"const {{ digits }} = await auth.keep('frozen@example.com'); {follow}; return digits")
    wait_until(calls, 40, "the waiting call of the first tab")
    second = browser.new_tab(through(app, proxy))
    uid(browser)
    browser.run(follow)
    before = calls()
    browser.driver.switch_to.window(first)
    browser.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "frozen"})
    wait_until(lambda: calls() > before, 40, "the waiting call of the second tab")

    approve(open_browser(link(newest(server, "frozen@example.com"))), digits)
    browser.driver.switch_to.window(second)
    browser.wait_for("window.outcome", "the approval in the second tab")
    assert browser.run("return [outcome.event, outcome.user.uid, problems]") == ["linked", guest, []]
    browser.driver.switch_to.window(first)
    browser.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "active"})
    browser.wait_for("window.outcome", "the approval in the first tab")
    assert browser.run("return [outcome.event, outcome.user.uid, auth.user.email, problems]") == [
        "linked", guest, "frozen@example.com", []]


def test_a_tab_that_waits_again_after_a_freeze_gets_the_approval(server, app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    uid(browser)
    digits = browser.run("return (await auth.keep('thawed@example.com')).digits")
    for state in ("frozen", "active"):
        browser.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": state})
    browser.run("auth.pending.done.then((outcome) => { window.outcome = outcome; })")
    approve(open_browser(link(newest(server, "thawed@example.com"))), digits)
    browser.wait_for("window.outcome?.event === 'linked'", "the approval")
    assert browser.run("return problems") == []


def test_a_tab_that_is_alone_goes_on_after_a_freeze(app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    uid(browser)
    browser.run("await auth.document('notes/mine').set({ n: 0 })")
    browser.run("auth.document('notes/mine').subscribe(({ data }) => { window.mine = data; })")
    browser.wait_for("window.mine?.n === 0", "the document")
    for state in ("frozen", "active"):
        browser.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": state})
    # Twice the time after which a tab takes the stream from a tab that does not answer.
    before = len(proxy.seen)
    for n in range(1, 21):
        browser.run("await auth.document('notes/mine').set({ n: args[0] })", n)
        browser.wait_for(f"window.mine.n === {n}", "the change after the freeze")
        time.sleep(1)
    connections = [path for path in proxy.seen[before:] if "documents:listen" in path]
    assert len(connections) <= 2, connections  # a preflight, and one connection that replaces the old one
    assert browser.run("return problems") == []
