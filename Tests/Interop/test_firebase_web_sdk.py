"""Firebase's own web SDK in Chromium: its flows in development and in production, and the user that it must keep through trouble."""
import hashlib
import json
import signal
import uuid

import pytest

from conftest import smtp_settings
from support import aiosmtp, mails
from support.browser import ScriptError
from support.certificate import Certificate
from support.firebase import parameters
from support.issuer import CLIENT, Issuer
from support.jws import encode
from support.latchkey import Latchkey
from support.lossy_proxy import LossyProxy
from support.ports import free_port
from support.postgresql import PostgreSQL
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")

PROVIDER = "oidc.tests"


class Development:
    """A server in development, an app with the SDK, and the e-mails that the server sends."""

    def __init__(self, server, app):
        self.server = server
        self.app = app
        # The host that the certificate of a server in production names.
        self.url = server.url.replace("127.0.0.1", "localhost")

    def _links(self, email: str) -> list[str]:
        messages = self.server.get("/mailbox/messages")["messages"]
        return [link for message in reversed(messages) if message["to"] == [email] for link in message["links"]]

    def link(self, email: str, mode: str, count: int = 1) -> str:
        """The newest link of a kind to an address, once `count` have come."""
        def found():
            links = [link for link in self._links(email) if parameters(link).get("mode") == mode]
            return links[-1] if len(links) >= count else None
        return wait_until(found, 15, f"{count} links for {mode} to {email}")

    def provider_token(self, subject: str, nonce: str | None = None) -> str:
        """What a provider says of a person; development believes unsigned tokens too."""
        claims = {"iss": "https://issuer.example.com", "aud": CLIENT, "sub": subject, "iat": 1, "jti": str(uuid.uuid4())}
        return f"{encode({'alg': 'none'})}.{encode(claims | ({'nonce': nonce} if nonce else {}))}."


class Production(Development):
    """The same over https, with a real provider and a real mail server."""

    def __init__(self, server, app, smtp, issuer):
        super().__init__(server, app)
        self._smtp = smtp
        self._issuer = issuer

    def _links(self, email: str) -> list[str]:
        return [link for mail in list(self._smtp.mails) if email in mail.recipients for link in mails.links(mails.parse(mail.raw))]

    def provider_token(self, subject: str, nonce: str | None = None) -> str:
        return self._issuer.sign_in(subject, nonce=nonce)


@pytest.fixture(scope="module")
def start_production(make_database, start_firebase_app, tmp_path_factory):
    """Starts servers in production: `start_production(LATCHKEY_LIMITS_…="1")`."""
    started = []

    def start(**settings):
        folder = tmp_path_factory.mktemp("production")
        for name in ("issuer", "smtp"):
            (folder / name).mkdir()
        certificate = Certificate(folder)
        issuer, smtp = Issuer(folder / "issuer"), aiosmtp.AioSMTP(folder / "smtp")
        started.extend([issuer, smtp])
        port = free_port()
        app = start_firebase_app(f"https://localhost:{port}", certificate=certificate)
        (folder / "latchkey.json5").write_text(json.dumps({
            "providers": {PROVIDER: {"issuer": issuer.url, "clientIDs": [CLIENT], "certificates": issuer.authority}},
            "providersAllowPrivate": ["127.0.0.1"],
        }))
        server = Latchkey(folder, port, **smtp_settings(smtp, aiosmtp.USER, aiosmtp.PASSWORD, smtp.authority), **{
            "LATCHKEY_CONFIG": str(folder / "latchkey.json5"), "LATCHKEY_DATABASE": make_database(folder),
            "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": "interop-" * 8, "LATCHKEY_PUBLIC_URL": f"https://localhost:{port}",
            "LATCHKEY_ALLOWED_ORIGINS": app.url.rstrip("/"), "LATCHKEY_MAIL_FROM": "App <app@mail.example.org>",
            "LATCHKEY_TLS_CERTIFICATE": str(certificate.certificate), "LATCHKEY_TLS_KEY": str(certificate.key),
        } | settings)
        started.append(server)
        return Production(server, app, smtp, issuer)

    yield start
    for one in reversed(started):
        one.stop()


@pytest.fixture(scope="module")
def development(make_database, start_firebase_app, tmp_path_factory):
    folder = tmp_path_factory.mktemp("development")
    server = Latchkey(folder, LATCHKEY_DATABASE=make_database(folder))
    yield Development(server, start_firebase_app(server.url))
    server.stop()


@pytest.fixture(scope="module")
def production(start_production):
    return start_production()


@pytest.fixture(params=["development", "production"])
def mode(request):
    """A server of either mode with an app, one for all tests of this file."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def ann():
    """An address that no other test has."""
    return f"ann-{uuid.uuid4()}@example.com"


USER = """(({ uid, email, emailVerified, isAnonymous, providerData }) =>
    ({ uid, email, emailVerified, isAnonymous, providers: providerData.map(({ providerId }) => providerId) }))(auth.currentUser)"""


def user(page) -> dict:
    return page.run(f"return auth.currentUser && {USER}")


def guest(page) -> str:
    """A new guest's UID."""
    return page.run("return (await signInAnonymously(auth)).user.uid")


def send_link(mode, page, email: str, count: int = 1) -> str:
    """The sign-in link that an app has sent, which leads back to its page."""
    page.run("await sendSignInLinkToEmail(auth, args[0], { url: args[1], handleCodeInApp: true })", email, mode.app.url)
    return mode.link(email, "signIn", count)


def link_address(mode, page, email: str) -> None:
    """Opens a new link in the app's tab, and links it to the user."""
    mode.app.open(page, send_link(mode, page, email))
    page.run("""
        if (!isSignInWithEmailLink(auth, location.href)) throw new Error(location.href);
        await linkWithCredential(auth.currentUser, EmailAuthProvider.credentialWithLink(args[0], location.href));
    """, email)


def permanent(uid: str, email: str | None, *providers: str) -> dict:
    return {"uid": uid, "email": email, "emailVerified": email is not None, "isAnonymous": False, "providers": list(providers)}


def test_a_guest_survives_a_reload(mode, one_tab):
    mode.app.open(one_tab)
    uid = guest(one_tab)
    assert guest(one_tab) == uid, "a second call answers the same guest"
    one_tab.run("await updateProfile(auth.currentUser, { displayName: 'Ann' }); await auth.currentUser.getIdToken(true)")
    mode.app.open(one_tab)
    assert user(one_tab) == {"uid": uid, "email": None, "emailVerified": False, "isAnonymous": True, "providers": []}
    names = [one_tab.run("await updateProfile(auth.currentUser, { displayName: args[0] }); await reload(auth.currentUser);"
                         "return auth.currentUser.displayName", name) for name in (None, "")]
    assert names == ["Ann", None], "null changes nothing, and an empty text clears"
    assert one_tab.run("return [events.slice(0, 2), problems]") == [[["auth", uid], ["token", uid]], []]


def test_a_guest_keeps_the_uid_when_an_e_mail_link_is_linked(mode, one_tab, ann):
    mode.app.open(one_tab)
    uid = guest(one_tab)
    link_address(mode, one_tab, ann)
    assert user(one_tab) == permanent(uid, ann, "password")
    mode.app.open(one_tab)
    assert user(one_tab) == permanent(uid, ann, "password")
    one_tab.run("await signOut(auth)")
    mode.app.open(one_tab, send_link(mode, one_tab, ann, 2))
    signed_in = one_tab.run("""
        const credential = await signInWithEmailLink(auth, args[0], location.href);
        return [credential.user.uid, getAdditionalUserInfo(credential).isNewUser];
    """, ann)
    assert signed_in == [uid, False]
    assert one_tab.run("return problems") == []


def test_an_account_reauthenticates_and_changes_its_address(mode, one_tab, ann):
    mode.app.open(one_tab)
    uid = guest(one_tab)
    link_address(mode, one_tab, ann)
    credential = "EmailAuthProvider.credentialWithLink(args[0], args[1])"
    new = f"new-{ann}"
    again = send_link(mode, one_tab, ann, 2)
    one_tab.run(f"await reauthenticateWithCredential(auth.currentUser, {credential})", ann, again)

    one_tab.run("await verifyBeforeUpdateEmail(auth.currentUser, args[0], { url: args[1] })", new, mode.app.url)
    code = parameters(mode.link(new, "verifyAndChangeEmail"))["oobCode"]
    info = one_tab.run("return checkActionCode(auth, args[0])", code)
    assert (info["operation"], info["data"]["email"], info["data"]["previousEmail"]) == (
        "VERIFY_AND_CHANGE_EMAIL", new, ann)
    one_tab.run("await applyActionCode(auth, args[0])", code)
    assert user(one_tab)["email"] == ann, "an open page learns of it when it reloads the user"
    one_tab.run("await auth.currentUser.reload()")
    assert user(one_tab) == permanent(uid, new, "password")
    mode.app.open(one_tab)
    assert user(one_tab) == permanent(uid, new, "password")
    assert one_tab.run("return problems") == []


IDENTITY = "new OAuthProvider('oidc.tests').credential({ idToken: args[0], rawNonce: args[1] })"


def test_providers_and_the_address_are_linked_and_unlinked(mode, one_tab, ann):
    nonce = str(uuid.uuid4())
    token = lambda: mode.provider_token("ann", hashlib.sha256(nonce.encode()).hexdigest())  # noqa: E731
    mode.app.open(one_tab)
    uid = guest(one_tab)
    one_tab.run(f"await linkWithCredential(auth.currentUser, {IDENTITY})", token(), nonce)
    assert user(one_tab) == permanent(uid, None, PROVIDER)
    link_address(mode, one_tab, ann)
    one_tab.run(f"await reauthenticateWithCredential(auth.currentUser, {IDENTITY})", token(), nonce)
    assert sorted(user(one_tab)["providers"]) == [PROVIDER, "password"]
    one_tab.run("await unlink(auth.currentUser, args[0])", PROVIDER)
    assert user(one_tab) == permanent(uid, ann, "password")
    with pytest.raises(ScriptError) as refused:
        one_tab.run("await unlink(auth.currentUser, args[0])", PROVIDER)
    assert refused.value.code == "auth/no-such-provider"
    one_tab.run(f"await linkWithCredential(auth.currentUser, {IDENTITY})", token(), nonce)
    one_tab.run("await unlink(auth.currentUser, 'password')")
    assert user(one_tab)["providers"] == [PROVIDER]
    one_tab.run("await signOut(auth)")
    assert one_tab.run(f"return (await signInWithCredential(auth, {IDENTITY})).user.uid", token(), nonce) == uid
    assert one_tab.run("return problems") == []


def test_users_are_deleted_right_after_they_signed_in(mode, one_tab, ann):
    mode.app.open(one_tab)
    first = guest(one_tab)
    one_tab.run("await deleteUser(auth.currentUser)")
    assert user(one_tab) is None and one_tab.run("return stored()") is None
    second = guest(one_tab)
    assert second != first
    link_address(mode, one_tab, ann)
    one_tab.run("await deleteUser(auth.currentUser)")
    mode.app.open(one_tab)
    assert user(one_tab) is None and one_tab.run("return problems") == []


# Trouble: the SDK deletes its stored user when an answer at page load is JSON with an error.


def test_the_sdk_deletes_its_user_at_any_error_in_json(development, one_tab):
    """What the next tests are about; one that ceases to be true here would make them idle."""
    proxy = LossyProxy(development.server.url)
    try:
        development.app.open(one_tab)
        guest(one_tab)
        proxy.answer("accounts:lookup", 503, '{"error": {"code": 503, "message": "UNAVAILABLE"}}', {"Content-Type": "application/json"})
        development.app.open(one_tab, f"{development.app.url}?server={proxy.url}")
        assert user(one_tab) is None and one_tab.run("return stored()") is None
    finally:
        proxy.stop()


def test_a_user_is_kept_while_the_database_is_away(start_server, start_firebase_app, one_tab):
    database = PostgreSQL.temporary()
    try:
        server = start_server(LATCHKEY_DATABASE=database.make_database())
        app = start_firebase_app(server.url)
        app.open(one_tab)
        uid = guest(one_tab)
        database.stop(signal.SIGQUIT)
        app.open(one_tab)
        assert user(one_tab)["uid"] == uid
        with pytest.raises(ScriptError) as failed:
            one_tab.run("await auth.currentUser.getIdToken(true)")
        assert failed.value.code == "auth/network-request-failed"
        assert one_tab.run("return (await stored()).uid") == uid
        database.start()
        wait_until(lambda: one_tab.run("return auth.currentUser.getIdToken(true).then(() => true, () => false)"), 30, "the database")
        app.open(one_tab)
        assert user(one_tab)["uid"] == uid
    finally:
        database.remove()


def test_a_user_is_kept_while_the_server_stops_and_starts(make_database, start_firebase_app, tmp_path, one_tab):
    port, database = free_port(), make_database(tmp_path)
    app = start_firebase_app(f"http://127.0.0.1:{port}")
    server = Latchkey(tmp_path, port, LATCHKEY_DATABASE=database)
    try:
        app.open(one_tab)
        uid = guest(one_tab)
        server.stop()
        app.open(one_tab)
        assert user(one_tab)["uid"] == uid == one_tab.run("return (await stored()).uid")
        server = Latchkey(tmp_path, port, LATCHKEY_DATABASE=database)
        app.open(one_tab)
        assert user(one_tab)["uid"] == uid and one_tab.run("return (await auth.currentUser.getIdToken(true)).length") > 100
    finally:
        server.stop()


def test_a_user_is_kept_at_a_limit(start_production, one_tab):
    mode = start_production(LATCHKEY_LIMITS_FAILURES_PER_CLIENT="1")
    mode.app.open(one_tab)
    uid = guest(one_tab)
    for _ in range(3):
        with pytest.raises(Exception):
            mode.server.refresh("a-guess")
    # A valid token passes a limit of failures, so that the stored token becomes one that the server does not know.
    one_tab.run("""
        await new Promise((resolve) => {
          indexedDB.open("firebaseLocalStorageDb").onsuccess = ({ target: { result: database } }) => {
            const users = database.transaction("firebaseLocalStorage", "readwrite").objectStore("firebaseLocalStorage");
            users.getAll().onsuccess = ({ target: { result: [record] } }) => {
              record.value.stsTokenManager.accessToken = "unknown";
              users.put(record).onsuccess = () => { database.close(); resolve(); };
            };
          };
        });
    """)
    mode.app.open(one_tab)
    assert one_tab.severe()[-1].count("429") == 1
    assert user(one_tab)["uid"] == uid == one_tab.run("return (await stored()).uid")


def second_tab(mode, page) -> str:
    """Opens a tab with the app that misses what the first one does."""
    page.driver.switch_to.new_window("tab")
    mode.app.open(page, f"{mode.app.url}?misses-changes")
    assert page.run("return polls.length") == 1
    return page.driver.current_window_handle


@pytest.mark.parametrize("call", ["auth.currentUser.reload()", "auth.currentUser.getIdToken(true)"], ids=["reload", "refresh"])
def test_a_call_of_a_second_tab_keeps_the_user_that_the_first_has_linked(mode, one_tab, call, ann):
    mode.app.open(one_tab)
    uid = guest(one_tab)
    first, second = one_tab.driver.current_window_handle, second_tab(mode, one_tab)
    one_tab.driver.switch_to.window(first)
    link_address(mode, one_tab, ann)
    one_tab.driver.switch_to.window(second)
    assert user(one_tab)["isAnonymous"], "the second tab knows nothing of it yet"
    with pytest.raises(ScriptError) as failed:
        one_tab.run(f"await {call}")
    assert failed.value.code == "auth/network-request-failed"
    assert one_tab.run("return (await stored()).email") == ann
    one_tab.run("events.length = 0; polls.forEach((poll) => poll())")
    one_tab.wait_for(f"auth.currentUser.email === '{ann}'", "the second tab's user")
    assert user(one_tab)["uid"] == uid
    assert one_tab.wait_for("events.length && events", "an event") == [["token", uid]], "onAuthStateChanged is not called"
    one_tab.run(f"await {call}")
    one_tab.driver.switch_to.window(first)
    mode.app.open(one_tab)
    assert user(one_tab) == permanent(uid, ann, "password")


def test_a_call_of_a_second_tab_keeps_the_account_that_the_first_has_merged_into(mode, one_tab, ann):
    mode.app.open(one_tab)
    guest(one_tab)
    link_address(mode, one_tab, ann)
    account = user(one_tab)["uid"]
    one_tab.run("await signOut(auth)")
    guest(one_tab)
    first, second = one_tab.driver.current_window_handle, second_tab(mode, one_tab)
    one_tab.driver.switch_to.window(first)
    mode.app.open(one_tab, send_link(mode, one_tab, ann, 2))
    one_tab.run("""
        const anonymousIdToken = await auth.currentUser.getIdToken();
        await signInWithEmailLink(auth, args[0], location.href);
        const { protocol, host, port } = auth.emulatorConfig;
        const answer = await fetch(`${protocol}://${host}:${port}/v1/accounts:merge?key=any`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ idToken: await auth.currentUser.getIdToken(), anonymousIdToken }),
        });
        if (!answer.ok) throw new Error(await answer.text());
    """, ann)
    one_tab.driver.switch_to.window(second)
    assert user(one_tab)["isAnonymous"], "the second tab knows nothing of it yet"
    with pytest.raises(ScriptError) as failed:
        one_tab.run("await auth.currentUser.reload()")
    assert failed.value.code == "auth/network-request-failed"
    assert one_tab.run("return (await stored()).uid") == account
    one_tab.run("polls.forEach((poll) => poll())")
    one_tab.wait_for(f"auth.currentUser?.uid === '{account}'", "the account in the second tab")
    one_tab.driver.switch_to.window(first)
    mode.app.open(one_tab)
    assert user(one_tab) == permanent(account, ann, "password")
