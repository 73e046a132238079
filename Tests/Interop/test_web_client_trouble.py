"""latchkey.js when things go wrong: lost answers, many tabs, an absent server, a damaged store. Part of `make test-all`."""
import urllib.parse

import pytest

from support.browser import ScriptError
from support.lossy_proxy import LossyProxy
from support.mailbox import code, link, newest
from test_web_client import app, browser, uid  # noqa: F401

pytestmark = pytest.mark.engine("postgresql")


@pytest.fixture
def proxy(server):
    proxy = LossyProxy(server.url)
    yield proxy
    proxy.stop()


def through(app, proxy, **parameters):  # noqa: F811
    return f"{app.url}?{urllib.parse.urlencode({'server': proxy.url} | parameters)}"


def test_a_lost_answer_to_a_sign_up_makes_one_guest(server, app, proxy, open_browser):  # noqa: F811
    proxy.lose("accounts:signUp")
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    assert guest and proxy.lost("accounts:signUp")
    assert browser.run("return events.filter(({ event }) => event === 'guest').length") == 1
    count = sum("accounts:signUp" in path for path in proxy.seen)
    assert count >= 2


def test_a_lost_answer_to_a_refresh_signs_nobody_out(app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    proxy.lose("/v1/token", 2)
    tokens = browser.run("""
        const first = await auth.token();
        // The server's word that a token is over makes the client renew it.
        const stored = indexedDB.open("latchkey");
        await new Promise((resolve) => { stored.onsuccess = resolve; });
        const records = stored.result.transaction("servers", "readwrite").objectStore("servers");
        const [key] = await new Promise((resolve) => { records.getAllKeys().onsuccess = ({ target }) => resolve(target.result); });
        await new Promise((resolve) => {
          records.get(key).onsuccess = ({ target }) => {
            const state = target.result;
            state.session.at = 0;
            records.put(state, key).onsuccess = resolve;
          };
        });
        return first;
    """)
    browser.open(through(app, proxy))
    assert uid(browser) == guest
    assert browser.run("return auth.token()") != tokens
    assert proxy.lost("/v1/token")
    assert "ended" not in browser.run("return events.map(({ event }) => event)")


def test_a_lost_answer_to_a_redemption_links_all_the_same(server, app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    browser.run("await auth.keep('lost@example.com')")
    proxy.lose("accounts:signInWithEmailLink", 2)
    browser.open(link(newest(server, "lost@example.com")))
    handled = browser.run("const { state, outcome } = await auth.handleLink(); return [state, outcome?.event, outcome?.user.uid]")
    assert handled == ["signedIn", "linked", guest] and proxy.lost("accounts:signInWithEmailLink")


def test_a_late_look_up_of_the_guest_does_not_undo_a_link(server, app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    proxy.delay("accounts:lookup", 4)
    browser.open(through(app, proxy))
    browser.run("await auth.ready; window.request = await auth.keep('late@example.com')")
    outcome = browser.run("return request.code(args[0])", code(newest(server, "late@example.com")))
    assert (outcome["event"], outcome["user"]["uid"]) == ("linked", guest)
    browser.run("await new Promise((resolve) => setTimeout(resolve, 5000))")
    assert browser.run("return [auth.user.email, auth.user.isAnonymous]") == ["late@example.com", False]


def test_eight_tabs_share_one_session_and_one_stream(app, browser):  # noqa: F811
    guest = uid(browser)
    tabs = [browser.driver.current_window_handle]
    seen = "auth.document('notes/shared').subscribe(({ data }) => { window.shared = data; })"
    browser.run(seen)
    for _ in range(7):
        tabs.append(browser.new_tab(app.url))
        assert uid(browser) == guest
        browser.run(seen)
    browser.run("await auth.document('notes/shared').set({ n: 8 })")
    for tab in tabs:
        browser.driver.switch_to.window(tab)
        browser.wait_for("window.shared?.n === 8", "the change in every tab")
    # The tab with the stream goes, and another one takes over.
    browser.driver.switch_to.window(tabs[0])
    browser.driver.close()
    browser.driver.switch_to.window(tabs[7])
    browser.wait_for("(await auth.document('notes/shared').set({ n: 9 })).version", "a write")
    for tab in tabs[1:]:
        browser.driver.switch_to.window(tab)
        browser.wait_for("window.shared?.n === 9", "the change after the takeover", 40)


def test_fifty_calls_at_once_refresh_once(app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    uid(browser)
    before = sum("/v1/token" in path for path in proxy.seen)
    tokens = browser.run("""
        const now = Date.now;
        Date.now = () => now() + 7_200_000;
        return Promise.all(Array.from({ length: 50 }, () => auth.token()));
    """)
    assert len(set(tokens)) == 1
    assert sum("/v1/token" in path for path in proxy.seen) - before <= 2  # a preflight and the call


@pytest.mark.parametrize("hours", [-24 * 365, -3, 3, 24 * 365])
def test_a_wrong_clock_signs_nobody_out(app, browser, hours):  # noqa: F811
    guest = uid(browser)
    browser.run("const now = Date.now; Date.now = () => now() + args[0]", hours * 3_600_000)
    assert browser.run("return (await auth.token()).length") > 100
    browser.run("await auth.document('notes/today').set({ text: 'late' })")
    # The clock is set right again.
    browser.open(app.url)
    assert uid(browser) == guest and browser.run("return (await auth.document('notes/today').get()).data") == {"text": "late"}
    assert "ended" not in browser.run("return events.map(({ event }) => event)")


def test_a_page_that_is_prerendered_makes_no_guest(app, proxy, open_browser):  # noqa: F811
    browser = open_browser("about:blank")  # noqa: F811
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": "Object.defineProperty(Document.prototype, 'prerendering', { get: () => !window.isShown });"})
    browser.open(through(app, proxy))
    browser.run("await new Promise((resolve) => setTimeout(resolve, 1500))")
    assert browser.run("return auth.user ?? null") is None and not proxy.seen
    browser.run("window.isShown = true; document.dispatchEvent(new Event('prerenderingchange'))")
    assert uid(browser) is not None


def test_two_servers_on_one_page_share_nothing(app, proxy, server, browser):  # noqa: F811
    guest = uid(browser)
    other = browser.run("""
        window.other = createLatchkey({ url: args[0] });
        await other.ready;
        return other.user.uid;
    """, proxy.url)
    assert other not in (None, guest)
    assert browser.run("return [createLatchkey({ url: args[0] }) === other, createLatchkey({ url: args[1] }) === auth]",
                       proxy.url + "/", server.url) == [True, True]
    browser.run("await other.signOut({ deleteGuest: true })")
    assert browser.run("return [other.user, auth.user.uid]") == [None, guest]


def test_challenges_are_solved(start_server, app, open_browser):  # noqa: F811
    server = start_server(LATCHKEY_CHALLENGE="always")
    browser = open_browser(f"{app.url}?{urllib.parse.urlencode({'server': server.url})}")  # noqa: F811
    guest = uid(browser)
    assert guest and any("428" in line or "429" in line for line in browser.severe()), "no challenge was asked for"
    browser.run("await auth.keep('work@example.com')")
    assert browser.run("return (await auth.pending.code(args[0])).user.uid", code(newest(server, "work@example.com"))) == guest


def test_where_indexeddb_is_off_the_session_lasts_as_long_as_the_page(app, open_browser):  # noqa: F811
    browser = open_browser("about:blank")  # noqa: F811
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('off', 'SecurityError'); } });"})
    browser.open(app.url)
    guest = uid(browser)
    browser.run("await auth.document('notes/today').set({ text: 'here' })")
    assert guest and browser.run("return [auth.storage, problems]") == ["memory", []]


def test_it_starts_without_a_server_and_catches_up(app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    browser.run("await auth.document('notes/today').set({ text: 'before' })")
    proxy.is_down = True
    browser.open(through(app, proxy))
    assert uid(browser) == guest and browser.run("return events.at(-1).event") == "loaded"
    assert browser.run("return auth.document('notes/today').set({ text: 'x' }).then(() => 'written', (error) => error.code)") == "network"
    browser.run("auth.document('notes/today').subscribe(({ data }) => { window.note = data; }, ({ code }) => { window.problem = code; })")
    browser.wait_for("window.problem === 'network'", "word of the outage")
    proxy.is_down = False
    browser.wait_for("window.note?.text === 'before'", "the document after the outage", 60)


WRITE = """
    indexedDB.open("latchkey").onsuccess = ({{ target }}) => {{
      const records = target.result.transaction("servers", "readwrite").objectStore("servers");
      records.getAllKeys().onsuccess = ({{ target: {{ result: [key] }} }}) => {{
        records.put({record}, key).onsuccess = () => {{ target.result.close(); done(); }};
      }};
    }};"""


def test_a_guest_and_a_request_survive_a_restart_of_the_browser(server, app, tmp_path, open_browser):  # noqa: F811
    profile = f"--user-data-dir={tmp_path / 'kept-profile'}"
    browser = open_browser(app.url, profile)  # noqa: F811
    guest = uid(browser)
    digits = browser.run("return (await auth.keep('restart@example.com')).digits")
    browser.close()
    browser = open_browser(app.url, profile)
    assert uid(browser) == guest
    assert browser.run("return [auth.pending.email, auth.pending.digits]") == ["restart@example.com", digits]
    outcome = browser.run("return auth.pending.code(args[0])", code(newest(server, "restart@example.com")))
    assert (outcome["event"], outcome["user"]["uid"]) == ("linked", guest)


@pytest.mark.parametrize("damage", ["cleared", "without its table", "of another form", "of a later form", "in its members"])
def test_a_damaged_store_ends_in_a_new_guest_and_no_loop(app, browser, damage):  # noqa: F811
    guest = uid(browser)
    script = {
        "cleared": "indexedDB.deleteDatabase('latchkey').onsuccess = done;",
        "without its table": """
            indexedDB.deleteDatabase("latchkey").onsuccess = () => {
              indexedDB.open("latchkey", 3).onsuccess = ({ target }) => { target.result.close(); done(); };
            };""",
        "of another form": WRITE.format(record="'nonsense'"),
        "of a later form": WRITE.format(record="{ v: 99 }"),
        "in its members": WRITE.format(record="{ v: 1, session: { user: { uid: 'x' } }, pending: {}, leaving: {}, key: 7 }"),
    }[damage]
    browser.run(f"await new Promise((done) => {{ {script} }})")
    browser.open(app.url)
    assert uid(browser) not in (None, guest)
    browser.open(app.url)
    assert uid(browser) is not None
    assert browser.run("return problems") == []


def test_a_private_window_keeps_a_guest_and_signs_in(server, app, open_browser):  # noqa: F811
    browser = open_browser(app.url, "--incognito")  # noqa: F811
    guest = uid(browser)
    assert browser.run("return auth.storage") == "indexeddb"
    browser.run("await auth.document('notes/today').set({ text: 'private' })")
    browser.open(app.url)
    assert uid(browser) == guest
    browser.run("window.request = await auth.keep('private@example.com')")
    outcome = browser.run("return request.code(args[0])", code(newest(server, "private@example.com")))
    assert (outcome["event"], outcome["user"]["uid"]) == ("linked", guest)
    assert browser.run("return (await auth.document('notes/today').get()).data") == {"text": "private"}
    assert browser.run("return problems") == []


def test_a_forwarded_link_of_another_address_collects_no_guest(server, app, browser, open_browser):  # noqa: F811
    # A stranger asks for an e-mail to the stranger's own address, and sends the link to a person who uses the app.
    browser.run("window.request = await auth.keep('stranger@example.com'); request.done.catch(() => {})")
    victim = open_browser(app.url)
    guest = uid(victim)
    victim.run("await auth.document('notes/mine').set({ text: 'mine' })")
    victim.run("await auth.keep('victim@example.com')")
    own = victim.run("return auth.pending.digits")

    def is_untouched():
        return (uid(victim), victim.run("return [auth.user.isAnonymous, auth.pending.email, auth.pending.digits]"),
                victim.run("return (await auth.document('notes/mine').get()).data")) == (
            guest, [True, "victim@example.com", own], {"text": "mine"})

    victim.open(link(newest(server, "stranger@example.com")))
    handled = victim.run("window.link = await auth.handleLink(); return [link.state, link.email]")
    assert handled == ["elsewhere", "s***@example.com"] and is_untouched()
    for options, refusal in [
        ({"email": "stranger@example.com"}, "guest-would-be-lost"),
        ({"email": "victim@example.com"}, "guest-would-be-lost"),
        ({"email": "victim@example.com", "guest": "merge"}, "invalid-email"),
        ({"email": "victim@example.com", "guest": "drop"}, "invalid-email"),
    ]:
        with pytest.raises(ScriptError) as refused:
            victim.run("await link.continueHere(args[0])", options)
        assert refused.value.code == refusal and is_untouched()
    # The person's own request still works.
    outcome = victim.run("return auth.pending.code(args[0])", code(newest(server, "victim@example.com")))
    assert (outcome["event"], outcome["user"]["uid"], outcome["user"]["email"]) == ("linked", guest, "victim@example.com")
