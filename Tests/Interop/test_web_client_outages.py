"""latchkey.js while the server or its database is away. Part of `make test-all`."""
import signal
import time
import urllib.parse

import pytest

from support.latchkey import Latchkey
from support.lossy_proxy import LossyProxy
from support.mailbox import code, newest
from support.postgresql import PostgreSQL
from test_web_client import app, uid  # noqa: F401
from test_web_client_trouble import through

pytestmark = pytest.mark.engine("postgresql")

# From now on every call needs a new ID token.
TWO_HOURS_LATER = "const now = Date.now; Date.now = () => now() + 7_200_000;"


def test_a_server_that_is_killed_and_starts_again_loses_no_one(make_database, app, tmp_path, open_browser):  # noqa: F811
    folder = tmp_path / "killed"
    folder.mkdir()
    database = make_database(folder)
    server = Latchkey(folder, LATCHKEY_DATABASE=database)
    proxy = LossyProxy(server.url)
    try:
        browser = open_browser(through(app, proxy))  # noqa: F811
        guest = uid(browser)
        browser.run("await auth.document('notes/today').set({ text: 'before' })")
        browser.run("auth.document('notes/today').subscribe(({ data }) => { window.note = data; })")
        browser.wait_for("window.note?.text === 'before'", "the document")
        browser.run("window.request = await auth.keep('killed@example.com'); request.done.then((outcome) => { window.outcome = outcome; })")
        digits = code(newest(server, "killed@example.com"))
        wrong = f"{(int(digits[0]) + 1) % 10}{digits[1:]}"
        # Once the server has recorded that the e-mail was sent, it judges codes. Without the record, it would send the e-mail again.
        assert browser.run("return request.code(args[0]).catch(({ code }) => code)", wrong) == "invalid-sign-in-code"
        server.process.kill()
        server.stop()
        browser.run(TWO_HOURS_LATER)
        failure = browser.run("return auth.token().then(() => null, ({ code, recovery }) => [code, recovery])")
        assert failure == ["network", "retry"] and uid(browser) == guest
        server = Latchkey(folder, LATCHKEY_DATABASE=database)
        proxy.target = urllib.parse.urlsplit(server.url)
        browser.run("await auth.document('notes/today').set({ text: 'after' })")
        browser.wait_for("window.note?.text === 'after'", "the change on the new stream", 40)
        browser.run("await request.code(args[0])", digits)
        browser.wait_for("window.outcome?.event === 'linked'", "the end of the request")
        assert uid(browser) == guest and browser.run("return problems") == []
        assert "ended" not in browser.run("return events.map(({ event }) => event)")
    finally:
        proxy.stop()
        server.stop()


def test_a_database_that_is_away_for_a_minute_signs_nobody_out(start_server, app, open_browser):  # noqa: F811
    database = PostgreSQL.temporary()
    try:
        server = start_server(LATCHKEY_DATABASE=database.make_database())
        browser = open_browser(f"{app.url}?{urllib.parse.urlencode({'server': server.url})}")  # noqa: F811
        guest = uid(browser)
        browser.run("await auth.document('notes/today').set({ text: 'before' })")
        browser.run("auth.document('notes/today').subscribe(({ data }) => { window.note = data; }, () => {})")
        browser.wait_for("window.note?.text === 'before'", "the document")
        database.stop(signal.SIGQUIT)
        gone = time.monotonic()
        browser.run(TWO_HOURS_LATER)
        failures = []
        while time.monotonic() < gone + 60:
            failures.append(browser.run("""
                return auth.document("notes/today").set({ text: "during" }).then(() => null, ({ code, recovery }) => [code, recovery]);
            """))
            time.sleep(1)
        assert failures and all(failure and failure[1] in ("retry", "wait") for failure in failures), failures
        assert uid(browser) == guest
        database.start()
        browser.wait_for(
            "(await auth.document('notes/today').set({ text: 'after' }).then(() => true, () => false))", "a write after the outage", 60)
        browser.wait_for("window.note?.text === 'after'", "the change on the stream", 40)
        assert uid(browser) == guest and browser.run("return problems") == []
        assert "ended" not in browser.run("return events.map(({ event }) => event)")
    finally:
        database.remove()
