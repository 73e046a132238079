"""latchkey.js against wrong answers, other people's links and other users on the same browser. Part of `make test-all`."""
import time

import pytest

from support.browser import ScriptError
from support.jws import encode
from support.mailbox import code, link, newest
from support.waiting import wait_until
from test_web_client import an_account, app, approve, browser, uid  # noqa: F401
from test_web_client_outages import TWO_HOURS_LATER
from test_web_client_trouble import proxy, through  # noqa: F401

pytestmark = pytest.mark.engine("postgresql")


def custom_token(user: str) -> str:
    """A custom token as the emulator's back ends make it."""
    now = int(time.time())
    claims = {"iss": "test@example.com", "sub": "test@example.com", "iat": now, "exp": now + 3600, "uid": user,
              "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"}
    return f"{encode({'alg': 'none', 'typ': 'JWT'})}.{encode(claims)}."


# MARK: Users of one browser

def test_a_request_ends_when_another_user_signs_in(server, app, browser, open_browser):  # noqa: F811
    # A stranger asks for an e-mail on a shared browser, and leaves.
    browser.run("""
        window.request = await auth.keep("stranger@example.com");
        request.done.catch(({ code }) => { window.end = code; });
    """)
    digits = browser.run("return request.digits")
    # Then a person continues there, with a link that another device has asked for.
    laptop = open_browser(app.url)
    laptop.run("await auth.ready; await auth.keep('person@example.com')")
    browser.new_tab(link(newest(server, "person@example.com")))
    person = browser.run("""
        const link = await auth.handleLink();
        return (await link.continueHere({ email: "person@example.com", guest: "drop" })).user.uid;
    """)
    assert browser.run("return auth.pending") is None
    # The stranger's link is another device's now. Neither the link nor its approval changes anything.
    browser.open(link(newest(server, "stranger@example.com")))
    assert browser.run("return (await auth.handleLink()).state") == "elsewhere"
    approve(open_browser(link(newest(server, "stranger@example.com"))), digits)
    browser.run("await new Promise((resolve) => setTimeout(resolve, 3000))")
    assert browser.run("return [auth.user.uid, auth.user.email]") == [person, "person@example.com"]
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    assert browser.run("return [end, auth.user.uid, problems]") == ["cancelled", person, []]


def test_a_request_ends_when_a_custom_token_signs_another_user_in(server, browser):  # noqa: F811
    browser.run("await auth.keep('stranger@example.com')")
    browser.run("await auth.signInWithCustomToken(args[0])", custom_token("person"))
    assert browser.run("return [auth.pending, auth.user.uid]") == [None, "person"]
    browser.open(link(newest(server, "stranger@example.com")))
    assert browser.run("return (await auth.handleLink()).state") == "elsewhere"
    assert browser.run("return [auth.user.uid, auth.user.email]") == ["person", None]


def test_the_documents_of_the_next_user_come_at_once(browser):  # noqa: F811
    # The stream begins anew without the pause after a lost connection, which is 250 ms at least. The test looks at the timers
    # that fire, because the requests themselves may take longer than the pause.
    tokens = [custom_token(user) for user in ("ann", "ben")]
    pauses = browser.run("""
        const enter = (token) => auth.signInWithCustomToken(token, { deleteGuest: true });
        for (const token of args[0]) {
          await enter(token);
          await auth.document("notes/mine").set({ of: auth.user.uid });
        }
        let shown, changed = () => {};
        auth.document("notes/mine").subscribe(({ data }) => { shown = data?.of; changed(); });
        const schedule = window.setTimeout;
        let fired = [];
        window.setTimeout = (work, pause = 0, ...rest) => schedule(() => { fired.push(pause); work(...rest); }, pause);
        const pauses = [];
        for (let turn = 0; turn < 6; turn++) {
          fired = [0];
          await enter(args[0][turn % 2]);
          while (shown !== auth.user.uid) await new Promise((resolve) => { changed = resolve; });
          pauses.push(Math.max(...fired));
        }
        window.setTimeout = schedule;
        return pauses;
    """, tokens)
    assert min(pauses) < 250, pauses


@pytest.mark.parametrize("trace", [
    "auth.document('notes/a').set({ n: 1 })", "auth.setUsername('ann')", "auth.update({ displayName: 'Ann' })", "auth.token()",
    "auth.fetch('/')",
])
def test_a_guest_with_data_is_not_deleted_without_a_word(server, app, browser, open_browser, trace):  # noqa: F811
    guest = uid(browser)
    browser.run(f"await {trace}")
    laptop = open_browser(app.url)
    laptop.run("await auth.ready; await auth.keep('person@example.com')")
    browser.open(link(newest(server, "person@example.com")))
    browser.run("window.link = await auth.handleLink()")
    for call in ("link.continueHere({ email: 'person@example.com' })", f"auth.signInWithCustomToken('{custom_token('other')}')"):
        with pytest.raises(ScriptError) as refused:
            browser.run(f"return {call}")
        assert refused.value.code == "guest-would-be-lost" and uid(browser) == guest
    browser.run(f"await auth.signInWithCustomToken('{custom_token('other')}', {{ deleteGuest: true }})")
    assert uid(browser) == "other"
    found = {"localId": [guest]}
    wait_until(lambda: "users" not in server.call("projects/demo-latchkey/accounts:lookup", found, Authorization="Bearer owner"),
               20, "the end of the guest")


def test_an_approval_during_a_sign_out_signs_no_one_in(server, app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    uid(browser)
    browser.run("window.request = await auth.keep('race@example.com')")
    digits = browser.run("return request.digits")
    phone = open_browser(link(newest(server, "race@example.com")))
    hold = proxy.hold("/v1/token")
    browser.run(TWO_HOURS_LATER + "window.refreshed = auth.token().catch(() => {})")
    assert hold.is_waiting.wait(20), "the call for another token"
    browser.run("window.left = auth.signOut({ deleteGuest: true })")
    approve(phone, digits)
    time.sleep(1)  # The approval reaches the call that waits for it.
    hold.released.set()
    browser.run("await refreshed; await left; await new Promise((resolve) => setTimeout(resolve, 2000))")
    assert browser.run("return [auth.user, auth.pending, problems]") == [None, None, []]
    account = an_account(open_browser, app, server, "race@example.com", 2)
    sessions = account.run("return (await auth.sessions.list()).length")
    assert sessions == 1, "the session of the approval goes on"


# MARK: Wrong answers

@pytest.mark.parametrize("answer", ["{}", "null", "[]", '"x"', "<html>", '{"id_token":"x","refresh_token":"y","expires_in":"3600"}'])
def test_an_answer_of_another_server_does_not_take_the_place_of_tokens(app, proxy, open_browser, answer):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    proxy.answer("/v1/token", 200, answer)
    browser.run(TWO_HOURS_LATER)
    with pytest.raises(ScriptError) as refused:
        browser.run("return auth.token()")
    assert refused.value.code == "network"
    assert browser.run("await auth.token(); return auth.user.uid") == guest


@pytest.mark.parametrize("answer", ["{}", "null", "[]", '"x"'])
def test_an_answer_of_another_server_does_not_end_a_request(server, app, proxy, open_browser, answer):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    proxy.answer("accounts:signInWithTicket", 200, answer)
    browser.run("window.request = await auth.keep('odd@example.com'); request.done.then((o) => { window.end = o.event; }, (e) => { window.end = e.code; })")
    wait_until(lambda: proxy.seen.count("/v1/accounts:signInWithTicket?key=web") >= 3, 20, "the next call")
    assert browser.run("return [window.end ?? null, auth.pending.email]") == [None, "odd@example.com"]
    browser.run("await request.code(args[0])", code(newest(server, "odd@example.com")))
    browser.wait_for("window.end === 'linked'", "the end of the request")
    assert uid(browser) == guest


# In milliseconds, 2147484 seconds are more than the 31 bits that a timer takes.
FLOODS = {
    "a late repetition": ("accounts:signInWithTicket", 503, "", {"Retry-After": "2147484"}),
    "a pending answer, for years": ("accounts:signInWithTicket", 200, '{"pending":true}', {"Retry-After": "2147484"}),
    "a pending answer, before now": ("accounts:signInWithTicket", 200, '{"pending":true}', {"Retry-After": "-5"}),
    "a pending answer at once": ("accounts:signInWithTicket", 200, '{"pending":true}', {}),
    "a stream later": ("documents:listen", 429, "{}", {"Retry-After": "2147484"}),
}


@pytest.mark.parametrize("name", FLOODS)
def test_no_answer_makes_it_ask_again_and_again(app, proxy, open_browser, name):  # noqa: F811
    path, status, body, headers = FLOODS[name]
    proxy.answer(path, status, body, headers, count=float("inf"))
    browser = open_browser(through(app, proxy))  # noqa: F811
    uid(browser)
    begun = time.monotonic()
    browser.run("auth.document('notes/a').subscribe(() => {}, () => {}); await auth.keep('flood@example.com')")
    wait_until(lambda: any(path in one for one in proxy.seen), 20, "the first call")
    browser.run("await new Promise((resolve) => setTimeout(resolve, 4000))")
    calls, seconds = sum(path in one for one in proxy.seen), time.monotonic() - begun
    assert calls / seconds <= 3, f"{calls} calls in {seconds:.1f} s, not a preflight and a call once a second"


def test_a_question_that_cannot_be_answered_is_not_asked_again_and_again(server, app, proxy, open_browser):  # noqa: F811
    an_account(open_browser, app, server, "asked@example.com")
    browser = open_browser(through(app, proxy))  # noqa: F811
    uid(browser)
    proxy.answer("accounts:signInWithTicket", 429, '{"error":{"code":429,"message":"TOO_MANY_ATTEMPTS_TRY_LATER"}}', count=float("inf"), to='"report"')
    browser.run("window.request = await auth.keep('asked@example.com', { onConflict: 'ask' }); request.done.then(({ conflict }) => { window.conflict = conflict; })")
    digits = browser.run("return request.digits")
    approve(open_browser(link(newest(server, "asked@example.com", 2))), digits)
    before, begun = len(proxy.seen), time.monotonic()
    browser.run("await new Promise((resolve) => setTimeout(resolve, 3000))")
    calls, seconds = len(proxy.seen) - before, time.monotonic() - begun
    assert calls / seconds <= 8, proxy.seen[before:]
    proxy.answer("accounts:signInWithTicket", 429, count=0)
    browser.wait_for("window.conflict", "the question, once the server answers", 40)


def test_a_session_that_ended_while_there_was_no_connection_ends_here_soon(server, app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    browser.run("auth.document('notes/a').subscribe(() => {}, () => {})")
    wait_until(lambda: any("documents:listen" in one for one in proxy.seen), 20, "the stream")
    proxy.is_down = True
    proxy.cut()
    revoked = {"localId": guest, "validSince": str(int(time.time()) + 1)}
    server.call("projects/demo-latchkey/accounts:update", revoked, Authorization="Bearer owner")
    proxy.is_down = False
    browser.wait_for("events.at(-1).event === 'ended'", "the end of the session", 40)
    assert browser.run("return [auth.user, problems]") == [None, []]


def test_a_link_is_handled_again_after_a_failure(server, app, proxy, open_browser):  # noqa: F811
    browser = open_browser(through(app, proxy))  # noqa: F811
    guest = uid(browser)
    browser.run("await auth.keep('again@example.com')")
    proxy.answer("accounts:signInWithEmailLink", 503, count=8)
    browser.open(link(newest(server, "again@example.com")))
    with pytest.raises(ScriptError) as refused:
        browser.run("return auth.handleLink()")
    assert refused.value.code == "unavailable" and browser.run("return location.search.includes('oobCode')") is False
    proxy.answer("accounts:signInWithEmailLink", 503, count=0)
    handled = browser.run("const { state, outcome } = await auth.handleLink(); return [state, outcome.event, outcome.user.uid]")
    assert handled == ["signedIn", "linked", guest]
    assert browser.run("return auth.handleLink()") is None


def test_the_link_of_an_earlier_email_is_this_browser_s_too(server, app, browser):  # noqa: F811
    guest = uid(browser)
    browser.run("await auth.keep('twice@example.com'); await auth.keep('twice@example.com'); await auth.pending.resend()")
    newest(server, "twice@example.com", 3)
    messages = [one for one in server.get("/mailbox/messages")["messages"] if "twice@example.com" in one["to"][0]]
    first = min(messages, key=lambda one: [int(number) for number in one["id"].split(".")])
    browser.open(first["links"][0])
    handled = browser.run("const { state, outcome } = await auth.handleLink(); return [state, outcome?.event, outcome?.user.uid]")
    assert handled == ["signedIn", "linked", guest]
    assert browser.run("return [auth.pending, problems]") == [None, []]


def test_a_question_that_was_given_up_merges_nothing(server, app, browser, open_browser):  # noqa: F811
    an_account(open_browser, app, server, "given@example.com")
    guest = uid(browser)
    browser.run("window.request = await auth.keep('given@example.com', { onConflict: 'ask' })")
    browser.run("window.outcome = await request.code(args[0]); await request.cancel()", code(newest(server, "given@example.com", 2)))
    with pytest.raises(ScriptError) as refused:
        browser.run("return outcome.conflict.merge()")
    assert refused.value.code == "cancelled" and uid(browser) == guest


def test_fetch_sends_the_token_to_no_other_origin_than_those_it_is_told(app, proxy, browser):  # noqa: F811
    sent = browser.run("""
        const client = createLatchkey({ url: args[0], apiOrigins: ["https://api.example.com"] }), sent = [];
        await client.ready;
        const send = globalThis.fetch;
        globalThis.fetch = async (input, init) => {
          const { url, headers } = new Request(input, init);
          sent.push([url, headers.get("Authorization")?.slice(0, 10) ?? null]);
          return new Response();
        };
        for (const url of ["/own", "https://api.example.com/x", "https://api.example.com.evil.example/", "http://api.example.com/",
                           "//evil.example/own"]) await client.fetch(url);
        globalThis.fetch = send;
        return sent;
    """, proxy.url)
    assert sent == [
        [f"{app.url}own", "Bearer eyJ"], ["https://api.example.com/x", "Bearer eyJ"], ["https://api.example.com.evil.example/", None],
        ["http://api.example.com/", None], ["http://evil.example/own", None],
    ]


def test_fetch_follows_a_redirect_only_if_told(app, browser, tmp_path):  # noqa: F811
    (tmp_path / "app/folder").mkdir()
    with pytest.raises(ScriptError):
        browser.run("return (await auth.fetch('/folder')).status")
    assert browser.run("return (await auth.fetch('/folder', { redirect: 'follow' })).status") == 200
