"""docs/firebase.md, "Web apps": its JavaScript runs as it stands there, with Firebase's own web SDK."""
import hashlib
import re

import pytest

from support import guide
from support.browser import ScriptError
from support.latchkey import binary
from support.programs import environment, run
from test_firebase_web_sdk import ann, production, send_link, start_production, user  # noqa: F401

pytestmark = pytest.mark.engine("sqlite")

# Without a policy of its own, and with no script in the page.
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>guide</title><link rel="icon" href="data:,">
<div id="button"></div><script type="module" src="/start.js"></script>"""

START = """
import { auth } from "./firebase.js";
import * as sdk from "/firebase/auth.js";
import * as conflict from "./conflict.js";
import * as links from "./links.js";
import * as button from "./button.js";
globalThis.refusals = [];
addEventListener("securitypolicyviolation", ({ blockedURI }) => refusals.push(blockedURI));
Object.assign(globalThis, sdk, conflict, links, button, { auth });
globalThis.events = [];
onAuthStateChanged(auth, (user) => events.push(user?.uid ?? null));
await auth.authStateReady();
globalThis.isReady = true;
"""

POLICY, = re.findall(r"^    Content-Security-Policy: (default-src .*)$", guide.PAGES["firebase.md"], re.M)


@pytest.fixture
def open_guide(start_firebase_app, one_tab):
    """Puts the modules of the page into an app, and opens it: `open_guide(production)`."""

    opened = []

    def open_it(mode, *more: str):
        opened.append(mode.app)
        folder = mode.app.folder
        folder.joinpath("guide.html").write_text(PAGE)
        folder.joinpath("start.js").write_text(START + "".join(f'import "./{name}";' for name in more))
        for name in ("firebase.js", "conflict.js", "before.js", "links.js", "button.js"):
            replacing = {"https://auth.example.com": mode.url} if name == "firebase.js" else {}
            replacing |= {'"google.com"': '"oidc.tests"'} if name == "button.js" else {}
            text = re.sub(r'from "firebase/(\w+)"', r'from "/firebase/\1.js"', guide.example(name, replacing))
            folder.joinpath(name).write_text(text)
        mode.app.headers["Content-Security-Policy"] = POLICY.replace("https://auth.example.com", mode.url)
        mode.app.open(one_tab, f"{mode.app.url}guide.html")
        return one_tab

    yield open_it
    for app in opened:
        app.headers.pop("Content-Security-Policy", None)


def guest_with_a_note(page, mode) -> str:
    """A new guest's UID; it has a document."""
    uid = page.run("return (await signInAnonymously(auth)).user.uid")
    page.run("""
        const headers = { Authorization: `Bearer ${await auth.currentUser.getIdToken()}`, "Content-Type": "application/json" };
        const answer = await fetch(`${args[0]}/v1/documents/notes/${args[1]}`, { method: "PUT", headers, body: "{}" });
        if (!answer.ok) throw new Error(await answer.text());
    """, mode.url, uid)
    return uid


def notes(page, mode) -> set[str]:
    """The guests whose documents the user has."""
    return set(page.run("""
        const headers = { Authorization: `Bearer ${await auth.currentUser.getIdToken()}` };
        const { documents } = await (await fetch(`${args[0]}/v1/documents?collection=notes`, { headers })).json();
        return (documents ?? []).map(({ id }) => id);
    """, mode.url))


def finish(page, mode, link: str, asks: str = "() => { throw new Error('asked'); }"):
    """Opens a link, and what `finishLink` returns."""
    mode.app.open(page, link)
    found = page.run(f"const result = await finishLink({asks}); return result && result.user.uid")
    assert "oobCode" not in page.driver.current_url
    return found


def test_links_conflicts_and_links_opened_elsewhere_under_the_policy(production, open_guide, ann):  # noqa: F811
    page = open_guide(production)
    account = guest_with_a_note(page, production)
    page.run("await sendLink(args[0])", ann)
    assert finish(page, production, production.link(ann, "signIn")) == account
    assert user(page)["email"] == ann

    page.run("await signOut(auth)")
    guest = guest_with_a_note(page, production)
    page.run("await sendLink(args[0])", ann)
    assert finish(page, production, production.link(ann, "signIn", 2)) == account
    assert notes(page, production) == {account, guest}, "the guest's documents have moved"

    # Another browser asked for this one: nothing here knows the address, and there is a guest with data.
    page.run("await sendLink(args[0]); localStorage.clear(); await signOut(auth)", ann)
    stranger = guest_with_a_note(page, production)
    link = production.link(ann, "signIn", 3)
    assert finish(page, production, link, "() => ''") is None and user(page)["uid"] == stranger
    assert finish(page, production, link, f"() => '{ann}'") == account
    assert notes(page, production) == {account, guest}, "that browser's guest was left alone"
    warns = "document.querySelector('.firebase-emulator-warning') !== null"
    assert page.run(f"return [refusals, {warns}]") == [[], False]
    assert page.run(f"""
        const {{ initializeApp }} = await import("/firebase/app.js");
        connectAuthEmulator(getAuth(initializeApp({{ apiKey: "any", projectId: "demo-latchkey" }}, "loud")), args[0]);
        return {warns};
    """, production.url), "disableWarnings is what keeps the warning away"


def test_the_server_merges_where_the_operator_wants_it(start_production, one_tab, tmp_path, ann):  # noqa: F811
    (tmp_path / "on-conflict.json5").write_text(guide.example("on-conflict.json5"))
    run([binary(), "check-config", "--config", "on-conflict.json5"], tmp_path, env=environment())
    mode = start_production(LATCHKEY_FIREBASE_ON_CONFLICT="merge")
    mode.app.open(one_tab)
    account = guest_with_a_note(one_tab, mode)
    link = "await linkWithCredential(auth.currentUser, EmailAuthProvider.credentialWithLink(args[0], args[1]))"
    one_tab.run(link, ann, send_link(mode, one_tab, ann))
    one_tab.run("await signOut(auth)")
    guest = guest_with_a_note(one_tab, mode)
    one_tab.run(f"events.length = 0; {link}", ann, send_link(mode, one_tab, ann, 2))
    assert user(one_tab) == {"uid": account, "email": ann, "emailVerified": True, "isAnonymous": False, "providers": ["password"]}
    one_tab.wait_for(f"events.some(([listener, uid]) => listener === 'auth' && uid === '{account}')", "word of the other user")
    assert notes(one_tab, mode) == {account, guest}
    mode.app.open(one_tab)
    assert user(one_tab)["uid"] == account == one_tab.run("return (await stored()).uid")
    assert one_tab.run("return problems") == []


def test_other_code_that_signs_in_loses_no_guest(production, open_guide, ann):  # noqa: F811
    page = open_guide(production, "before.js")
    account = guest_with_a_note(page, production)
    page.run("await linkWithCredential(auth.currentUser, EmailAuthProvider.credentialWithLink(args[0], args[1]))",
             ann, send_link(production, page, ann))
    page.run("await signOut(auth)")
    guest = guest_with_a_note(page, production)
    link = send_link(production, page, ann, 2)
    page.run("await signInWithEmailLink(auth, args[0], args[1])", ann, link)
    assert user(page)["uid"] == account
    page.wait_for(f"(await (await fetch('{production.url}/v1/documents?collection=notes', {{ headers: {{ Authorization:"
                  f" `Bearer ${{await auth.currentUser.getIdToken()}}` }} }})).json()).documents.length === 2", "the guest's note")
    assert notes(page, production) == {account, guest}
    with pytest.raises(ScriptError) as blocked:
        page.run("beforeAuthStateChanged(auth, () => { throw new Error('no'); }); await signOut(auth)")
    assert blocked.value.code == "auth/login-blocked"


def test_a_provider_s_button_links_with_a_nonce(production, open_guide):  # noqa: F811
    page = open_guide(production)
    guest = guest_with_a_note(page, production)
    page.run("""
        const id = { initialize: (given) => { globalThis.given = given; }, renderButton: (element) => { globalThis.shown = element.id; } };
        globalThis.google = { accounts: { id } };
        await showButton(document.getElementById("button"), "client");
    """)
    assert page.run("return [given.client_id, shown]") == ["client", "button"]
    nonce = page.run("return given.nonce")
    assert re.fullmatch("[0-9a-f]{64}", nonce)
    with pytest.raises(ScriptError) as refused:
        page.run("await given.callback({ credential: args[0] })",
                 production.provider_token("ben", hashlib.sha256(b"another page's").hexdigest()))
    assert refused.value.code == "auth/missing-or-invalid-nonce" and user(page)["isAnonymous"]
    page.run("await given.callback({ credential: args[0] })", production.provider_token("ben", nonce))
    assert user(page) == {"uid": guest, "email": None, "emailVerified": False, "isAnonymous": False, "providers": ["oidc.tests"]}


def test_origins_that_the_server_does_not_know(production, start_firebase_app, one_tab, tmp_path):  # noqa: F811
    (tmp_path / "latchkey.json5").write_text(guide.example("origins.json5"))
    run([binary(), "check-config", "--config", "latchkey.json5"], tmp_path, env=environment())
    production.app.open(one_tab)
    with pytest.raises(ScriptError) as refused:
        one_tab.run("await sendSignInLinkToEmail(auth, 'ann@example.com', { url: 'https://other.example.com', handleCodeInApp: true })")
    assert refused.value.code == "auth/unauthorized-continue-uri"
    other = start_firebase_app(production.url)
    other.open(one_tab)
    with pytest.raises(ScriptError) as failed:
        one_tab.run("await signInAnonymously(auth)")
    assert failed.value.code == "auth/network-request-failed"
    assert other.url.rstrip("/") in production.server.wait_for_output("origin.refused")


def test_sign_in_methods_are_found_only_without_e_mail_privacy(production, start_production, one_tab, ann):  # noqa: F811
    assert methods(production, one_tab, ann) == []
    assert methods(start_production(LATCHKEY_EMAIL_PRIVACY="false"), one_tab, ann) == ["emailLink"]


def methods(mode, page, email: str) -> list[str]:
    mode.app.open(page)
    page.run("await signInWithEmailLink(auth, args[0], args[1])", email, send_link(mode, page, email))
    return page.run("return fetchSignInMethodsForEmail(auth, args[0])", email)
