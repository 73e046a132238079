"""The Python Admin SDK, unmodified, through every call that the contract lists for it (3.16).

In development it talks to the server itself, in production to the admin listener, which is the only place that takes its
`Bearer owner`. Three calls are left out there, because in emulator mode they check or make nothing: verify_id_token,
verify_session_cookie and create_custom_token; what that means is shown at the end.
"""
import base64
import datetime
import json
import time
from dataclasses import dataclass

import firebase_admin
import jwt
import pytest
from firebase_admin import auth, exceptions

from support.firebase import PROJECT, admin_app, parameters
from support.latchkey import Latchkey, Refused
from support.ports import free_port

CONTINUE = "https://auth.example.com/app?from=mail"


@dataclass
class Backend:
    """A server and the SDK's app that administrates it."""
    server: Latchkey
    app: firebase_admin.App
    mode: str

    def sign_in(self, email: str) -> dict:
        """Signs in by a link that the SDK generates."""
        link = auth.generate_sign_in_with_email_link(email, SETTINGS, app=self.app)
        return self.server.redeem(email, parameters(link)["oobCode"])

    def lookup(self, id_token: str) -> dict:
        return self.server.call("accounts:lookup", {"idToken": id_token})["users"][0]


SETTINGS = auth.ActionCodeSettings(url=CONTINUE, handle_code_in_app=True)


@pytest.fixture
def development(start_server, monkeypatch):
    server = start_server()
    with admin_app(monkeypatch, server.url.removeprefix("http://")) as app:
        yield Backend(server, app, "development")


@pytest.fixture
def production(start_server, monkeypatch):
    listener = f"127.0.0.1:{free_port()}"
    server = start_server(
        LATCHKEY_MODE="production", LATCHKEY_SECRET="a-secret-of-the-tests-with-more-than-32-bytes",
        LATCHKEY_PUBLIC_URL="https://auth.example.com", LATCHKEY_ADMIN_LISTEN=listener,
        # No mail leaves: every link comes from the SDK.
        LATCHKEY_SMTP_URL=f"smtp://127.0.0.1:{free_port()}",
    )
    with admin_app(monkeypatch, listener) as app:
        yield Backend(server, app, "production")


@pytest.fixture(params=["development", "production"])
def backend(request):
    return request.getfixturevalue(request.param)


def code(refused: pytest.ExceptionInfo) -> str:
    """The stable code that the server gave, whatever exception the SDK makes of it."""
    return refused.value.http_response.json()["error"]["message"].split(" : ")[0]


# Create and find

def test_a_created_user_is_what_was_asked_for(backend):
    made = auth.create_user(
        email="Ann@Example.com", display_name="Ann", photo_url="https://example.com/ann.png", email_verified=True,
        app=backend.app,
    )
    assert made.email == "ann@example.com" and made.email_verified and not made.disabled
    assert (made.display_name, made.photo_url) == ("Ann", "https://example.com/ann.png")
    assert made.provider_data == [] and made.custom_claims is None
    assert abs(made.user_metadata.creation_timestamp / 1000 - time.time()) < 60
    assert made.tokens_valid_after_timestamp <= time.time() * 1000
    assert auth.get_user(made.uid, app=backend.app)._data == made._data
    assert auth.get_user_by_email("ANN@example.com", app=backend.app).uid == made.uid


def test_a_created_user_signs_in_by_link_and_keeps_the_uid(backend):
    made = auth.create_user(uid="chosen-uid", email="ann@example.com", app=backend.app)
    assert made.uid == "chosen-uid" and not made.email_verified
    signed_in = backend.sign_in("ann@example.com")
    assert signed_in["localId"] == "chosen-uid" and not signed_in["isNewUser"]
    found = auth.get_user("chosen-uid", app=backend.app)
    assert found.email_verified
    assert [row.provider_id for row in found.provider_data] == ["password"]


def test_a_user_without_anything(backend):
    made = auth.create_user(app=backend.app)
    assert made.uid and made.email is None and not made.disabled
    assert auth.create_user(disabled=True, app=backend.app).disabled


def test_uids_and_addresses_are_taken_once(backend):
    auth.create_user(uid="ann", email="ann@example.com", app=backend.app)
    with pytest.raises(auth.UidAlreadyExistsError):
        auth.create_user(uid="ann", app=backend.app)
    with pytest.raises(auth.EmailAlreadyExistsError):
        auth.create_user(email="ANN@example.com", app=backend.app)


def test_an_unknown_user_is_not_found(backend):
    app = backend.app
    for call in (
        lambda: auth.get_user("nobody", app=app), lambda: auth.get_user_by_email("nobody@example.com", app=app),
        lambda: auth.update_user("nobody", display_name="x", app=app), lambda: auth.delete_user("nobody", app=app),
        lambda: auth.set_custom_user_claims("nobody", {"a": 1}, app=app),
        lambda: auth.revoke_refresh_tokens("nobody", app=app),
    ):
        with pytest.raises(auth.UserNotFoundError):
            call()


def test_users_are_found_by_every_identifier(backend):
    app = backend.app
    auth.create_user(uid="by-uid", app=app)
    auth.create_user(uid="by-email", email="ann@example.com", app=app)
    auth.import_users(
        [auth.ImportUserRecord("by-provider", provider_data=[auth.UserProvider("subject-1", "google.com")])], app=app
    )
    unknown = [auth.UidIdentifier("nobody"), auth.ProviderIdentifier("google.com", "subject-2")]
    found = auth.get_users(
        [auth.UidIdentifier("by-uid"), auth.EmailIdentifier("ann@example.com"), auth.UidIdentifier("by-email"),
         auth.ProviderIdentifier("google.com", "subject-1")] + unknown,
        app=app,
    )
    assert [user.uid for user in found.users] == ["by-uid", "by-email", "by-provider"]
    assert found.not_found == unknown
    nobody = auth.get_users(unknown, app=app)
    assert nobody.users == [] and nobody.not_found == unknown


def test_users_are_listed_in_pages(backend):
    uids = [f"user-{number:03}" for number in range(25)]
    auth.import_users([auth.ImportUserRecord(uid) for uid in reversed(uids)], app=backend.app)
    page = auth.list_users(max_results=10, app=backend.app)
    assert [user.uid for user in page.users] == uids[:10]
    assert page.has_next_page and page.next_page_token == uids[9]
    assert [user.uid for user in page.get_next_page().users] == uids[10:20]
    assert [user.uid for user in page.iterate_all()] == uids
    assert [user.uid for user in auth.list_users(app=backend.app).iterate_all()] == uids


def test_an_empty_list(backend):
    page = auth.list_users(app=backend.app)
    assert page.users == [] and not page.has_next_page


# Change

def test_a_user_is_changed_and_changed_back(backend):
    app = backend.app
    uid = auth.create_user(email="ann@example.com", email_verified=True, app=app).uid
    changed = auth.update_user(
        uid, email="Anna@example.com", display_name="Anna", photo_url="https://example.com/a.png", disabled=True, app=app
    )
    assert (changed.email, changed.email_verified, changed.disabled) == ("anna@example.com", False, True)
    assert (changed.display_name, changed.photo_url) == ("Anna", "https://example.com/a.png")
    back = auth.update_user(
        uid, email_verified=True, display_name=auth.DELETE_ATTRIBUTE, photo_url=auth.DELETE_ATTRIBUTE, disabled=False, app=app
    )
    assert (back.display_name, back.photo_url, back.email_verified, back.disabled) == (None, None, True, False)


def test_an_address_is_not_taken_from_its_owner(backend):
    auth.create_user(email="ann@example.com", app=backend.app)
    bob = auth.create_user(email="bob@example.com", app=backend.app)
    with pytest.raises(auth.EmailAlreadyExistsError):
        auth.update_user(bob.uid, email="ann@example.com", app=backend.app)
    assert auth.get_user(bob.uid, app=backend.app).email == "bob@example.com"


def test_a_provider_is_taken_off(backend):
    app = backend.app
    record = auth.ImportUserRecord(
        "ann", email="ann@example.com",
        provider_data=[auth.UserProvider("subject-1", "google.com", email="ann@gmail.com", display_name="Ann")],
    )
    auth.import_users([record], app=app)
    row = auth.get_user("ann", app=app).provider_data[0]
    assert (row.uid, row.provider_id, row.email, row.display_name) == ("subject-1", "google.com", "ann@gmail.com", "Ann")
    assert auth.update_user("ann", providers_to_delete=["google.com"], app=app).provider_data == []
    assert auth.get_users([auth.ProviderIdentifier("google.com", "subject-1")], app=app).users == []


def test_a_disabled_user_is_out_at_once(backend):
    ann = backend.sign_in("ann@example.com")
    auth.update_user(ann["localId"], disabled=True, app=backend.app)
    with pytest.raises(Refused) as refused:
        backend.lookup(ann["idToken"])
    assert refused.value.code in ("USER_DISABLED", "TOKEN_EXPIRED")
    with pytest.raises(Refused) as refused:
        backend.sign_in("ann@example.com")
    assert refused.value.code == "USER_DISABLED"
    auth.update_user(ann["localId"], disabled=False, app=backend.app)
    assert backend.sign_in("ann@example.com")["localId"] == ann["localId"]


def test_claims_are_in_the_next_token(backend):
    ann = backend.sign_in("ann@example.com")
    claims = {"role": "editor", "teams": [1, 2], "nested": {"ä": None}}
    auth.set_custom_user_claims(ann["localId"], claims, app=backend.app)
    assert auth.get_user(ann["localId"], app=backend.app).custom_claims == claims
    token = decoded(backend.server.refresh(ann["refreshToken"])["id_token"])
    assert claims.items() <= token.items()
    auth.set_custom_user_claims(ann["localId"], None, app=backend.app)
    assert not auth.get_user(ann["localId"], app=backend.app).custom_claims
    assert "role" not in decoded(backend.sign_in("ann@example.com")["idToken"])


def test_revoking_ends_every_session(backend):
    ann = backend.sign_in("ann@example.com")
    auth.revoke_refresh_tokens(ann["localId"], app=backend.app)
    for call in (lambda: backend.lookup(ann["idToken"]), lambda: backend.server.call(
            "token", {"grant_type": "refresh_token", "refresh_token": ann["refreshToken"]})):
        with pytest.raises(Refused) as refused:
            call()
        assert refused.value.code == "TOKEN_EXPIRED"
    valid_after = auth.get_user(ann["localId"], app=backend.app).tokens_valid_after_timestamp
    assert abs(valid_after / 1000 - time.time()) < 60
    assert backend.sign_in("ann@example.com")["localId"] == ann["localId"]


# Delete

def test_a_deleted_user_is_gone(backend):
    ann = backend.sign_in("ann@example.com")
    auth.delete_user(ann["localId"], app=backend.app)
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user(ann["localId"], app=backend.app)
    with pytest.raises(Refused) as refused:
        backend.lookup(ann["idToken"])
    assert refused.value.code == "USER_NOT_FOUND"
    assert backend.sign_in("ann@example.com")["localId"] != ann["localId"]


def test_many_users_are_deleted_at_once(backend):
    uids = [auth.create_user(app=backend.app).uid for _ in range(5)]
    result = auth.delete_users(uids[:3] + ["nobody"], app=backend.app)
    assert (result.success_count, result.failure_count, result.errors) == (4, 0, [])
    assert [user.uid for user in auth.list_users(app=backend.app).iterate_all()] == sorted(uids[3:])


# Import

def test_an_import_keeps_what_it_is_given(backend):
    made, seen = 1_500_000_000_000, 1_600_000_000_000
    records = [
        auth.ImportUserRecord(
            "ann", email="Ann@example.com", email_verified=True, display_name="Ann", photo_url="https://example.com/a.png",
            disabled=True, user_metadata=auth.UserMetadata(made, seen), custom_claims={"role": "admin"},
            provider_data=[auth.UserProvider("subject-1", "google.com"), auth.UserProvider("subject-2", "apple.com")],
        ),
        auth.ImportUserRecord("guest"),
    ]
    result = auth.import_users(records, app=backend.app)
    assert (result.success_count, result.failure_count) == (2, 0)
    ann = auth.get_user("ann", app=backend.app)
    assert (ann.email, ann.email_verified, ann.display_name, ann.disabled) == ("ann@example.com", True, "Ann", True)
    assert (ann.user_metadata.creation_timestamp, ann.user_metadata.last_sign_in_timestamp) == (made, seen)
    assert ann.custom_claims == {"role": "admin"}
    assert [(row.provider_id, row.uid) for row in ann.provider_data if row.provider_id != "password"] == [
        ("google.com", "subject-1"), ("apple.com", "subject-2")]
    assert auth.get_user("guest", app=backend.app).email is None


def test_an_import_tells_which_rows_it_refused(backend):
    auth.create_user(uid="there", email="ann@example.com", app=backend.app)
    result = auth.import_users(
        [auth.ImportUserRecord("new"), auth.ImportUserRecord("other", email="ann@example.com")], app=backend.app
    )
    assert (result.success_count, result.failure_count) == (1, 1)
    assert [(error.index, error.reason) for error in result.errors] == [
        (1, "email exists in other account in database")]
    assert auth.get_user("new", app=backend.app)


def test_password_hashes_are_dropped(backend):
    record = auth.ImportUserRecord("ann", email="ann@example.com", password_hash=b"hash", password_salt=b"salt")
    result = auth.import_users([record], hash_alg=auth.UserImportHash.scrypt(b"key", 8, 14), app=backend.app)
    assert result.failure_count == 0
    assert "passwordHash" not in auth.get_user("ann", app=backend.app)._data
    assert backend.sign_in("ann@example.com")["localId"] == "ann"


# Links

def test_a_generated_link_signs_in_once(backend):
    link = auth.generate_sign_in_with_email_link("Ann@example.com", SETTINGS, app=backend.app)
    fields = parameters(link)
    assert fields["mode"] == "signIn" and fields["apiKey"] and fields["continueUrl"] == CONTINUE
    start = backend.server.url + "/emulator" if backend.mode == "development" else "https://auth.example.com/auth"
    assert link.startswith(start + "/action?")
    signed_in = backend.server.redeem("ann@example.com", fields["oobCode"])
    assert signed_in["isNewUser"] and signed_in["email"] == "ann@example.com"
    with pytest.raises(Refused) as refused:
        backend.server.redeem("ann@example.com", fields["oobCode"])
    assert refused.value.code == "INVALID_OOB_CODE"


def test_a_generated_link_links_a_guest(backend):
    guest = backend.server.call("accounts:signUp", {})
    link = auth.generate_sign_in_with_email_link("ann@example.com", SETTINGS, app=backend.app)
    linked = backend.server.redeem("ann@example.com", parameters(link)["oobCode"], idToken=guest["idToken"])
    assert linked["localId"] == guest["localId"]
    assert auth.get_user(guest["localId"], app=backend.app).email == "ann@example.com"


def test_a_generated_link_verifies_an_address(backend):
    uid = auth.create_user(email="ann@example.com", app=backend.app).uid
    link = auth.generate_email_verification_link("ann@example.com", SETTINGS, app=backend.app)
    assert parameters(link)["mode"] == "verifyEmail"
    assert not auth.get_user(uid, app=backend.app).email_verified
    applied = backend.server.call("accounts:update", {"oobCode": parameters(link)["oobCode"]})
    assert applied["email"] == "ann@example.com" and applied["emailVerified"]
    assert auth.get_user(uid, app=backend.app).email_verified


def test_links_that_there_are_not(backend):
    with pytest.raises(auth.UserNotFoundError):
        auth.generate_email_verification_link("nobody@example.com", app=backend.app)
    auth.create_user(email="ann@example.com", app=backend.app)
    with pytest.raises(exceptions.InvalidArgumentError) as refused:
        auth.generate_password_reset_link("ann@example.com", app=backend.app)
    assert code(refused) == "OPERATION_NOT_ALLOWED"
    with pytest.raises(exceptions.InvalidArgumentError) as refused:
        auth.create_user(email="bob@example.com", password="secret-password", app=backend.app)
    assert code(refused) == "OPERATION_NOT_ALLOWED"


# Session cookies

def test_a_session_cookie_verifies_with_the_published_keys(backend):
    ann = backend.sign_in("ann@example.com")
    cookie = auth.create_session_cookie(ann["idToken"], datetime.timedelta(days=5), app=backend.app)
    claims = verified(backend.server, cookie, f"https://session.firebase.google.com/{PROJECT}")
    assert claims["exp"] - claims["iat"] == 5 * 86400 and abs(claims["iat"] - time.time()) < 60
    own = {"iss", "iat", "exp"}
    token = decoded(ann["idToken"])
    assert {k: v for k, v in claims.items() if k not in own} == {k: v for k, v in token.items() if k not in own}
    # Each verifier accepts only its own kind.
    issuer = backend.server.get("/.well-known/openid-configuration")["issuer"]
    assert verified(backend.server, ann["idToken"], issuer)["sub"] == ann["localId"]
    with pytest.raises(jwt.InvalidIssuerError):
        verified(backend.server, cookie, issuer)


def test_no_cookie_for_a_token_that_is_none(backend):
    with pytest.raises(auth.InvalidIdTokenError):
        auth.create_session_cookie("no.token.atall", 300, app=backend.app)
    guest = backend.server.call("accounts:signUp", {})
    auth.delete_user(guest["localId"], app=backend.app)
    with pytest.raises(auth.UserNotFoundError):
        auth.create_session_cookie(guest["idToken"], 300, app=backend.app)


# What the SDK does in development only, and what it is worth in emulator mode

def test_tokens_pass_the_sdk_in_development(development):
    ann = development.sign_in("ann@example.com")
    assert auth.verify_id_token(ann["idToken"], app=development.app)["uid"] == ann["localId"]
    assert auth.verify_id_token(ann["idToken"], app=development.app, check_revoked=True)["email"] == "ann@example.com"
    cookie = auth.create_session_cookie(ann["idToken"], 300, app=development.app)
    assert auth.verify_session_cookie(cookie, app=development.app, check_revoked=True)["uid"] == ann["localId"]


def test_the_sdk_learns_of_revoked_and_disabled_users(development):
    ann = development.sign_in("ann@example.com")
    # Seconds decide, so the revocation has to be in a later one.
    time.sleep(1.1)
    auth.revoke_refresh_tokens(ann["localId"], app=development.app)
    with pytest.raises(auth.RevokedIdTokenError):
        auth.verify_id_token(ann["idToken"], app=development.app, check_revoked=True)
    auth.update_user(ann["localId"], disabled=True, app=development.app)
    with pytest.raises(auth.UserDisabledError):
        auth.verify_id_token(ann["idToken"], app=development.app, check_revoked=True)


def test_a_custom_token_signs_in(development):
    token = auth.create_custom_token("from-the-app", {"tier": 2}, app=development.app).decode()
    signed_in = development.server.call("accounts:signInWithCustomToken", {"token": token, "returnSecureToken": True})
    assert signed_in["isNewUser"] and "localId" not in signed_in
    claims = auth.verify_id_token(signed_in["idToken"], app=development.app)
    assert claims["uid"] == "from-the-app" and claims["tier"] == 2
    assert claims["firebase"]["sign_in_provider"] == "custom"
    assert decoded(development.server.refresh(signed_in["refreshToken"])["id_token"])["tier"] == 2


def test_a_forged_token_passes_verify_id_token_in_emulator_mode_and_no_other_check(production):
    ann = production.sign_in("ann@example.com")
    forged = forge(ann["localId"])
    # The SDK believes it, though it is unsigned: in emulator mode it checks no signature and no expiry …
    assert auth.verify_id_token(forged, app=production.app)["uid"] == ann["localId"]
    # … and even with the look-up of revoked users.
    assert auth.verify_id_token(forged, app=production.app, check_revoked=True)["uid"] == ann["localId"]
    # What to use instead refuses it, and takes the real one.
    issuer = production.server.get("/.well-known/openid-configuration")["issuer"]
    with pytest.raises(jwt.PyJWTError):
        verified(production.server, forged, issuer)
    assert verified(production.server, ann["idToken"], issuer)["sub"] == ann["localId"]
    # The server itself refuses it.
    with pytest.raises(Refused) as refused:
        production.lookup(forged)
    assert refused.value.code == "INVALID_ID_TOKEN"
    with pytest.raises(auth.InvalidIdTokenError):
        auth.create_session_cookie(forged, 300, app=production.app)


def test_a_custom_token_of_the_sdk_in_emulator_mode_is_nothing_in_production(production):
    token = auth.create_custom_token("from-the-app", app=production.app).decode()
    assert jwt.get_unverified_header(token)["alg"] == "none"
    with pytest.raises(Refused) as refused:
        production.server.call("accounts:signInWithCustomToken", {"token": token})
    # No service account is configured, so the server refuses every custom token.
    assert refused.value.code == "OPERATION_NOT_ALLOWED"


def test_the_sdks_credential_is_nothing_on_the_main_listener(production, monkeypatch):
    auth.create_user(uid="ann", app=production.app)
    with admin_app(monkeypatch, production.server.url.removeprefix("http://")) as app:
        for call in (
            lambda: auth.get_user("ann", app=app), lambda: auth.list_users(app=app), lambda: auth.create_user(app=app),
            lambda: auth.delete_user("ann", app=app), lambda: auth.update_user("ann", disabled=True, app=app),
            lambda: auth.delete_users(["ann"], app=app), lambda: auth.import_users([auth.ImportUserRecord("b")], app=app),
            lambda: auth.generate_sign_in_with_email_link("ann@example.com", SETTINGS, app=app),
            lambda: auth.create_session_cookie("x.y.z", 300, app=app),
        ):
            with pytest.raises(exceptions.FirebaseError) as refused:
                call()
            assert refused.value.http_response.status_code == 401


# Tokens

def decoded(token: str) -> dict:
    """What a token says, unchecked."""
    return jwt.decode(token, options={"verify_signature": False})


def verified(server: Latchkey, token: str, issuer: str) -> dict:
    """What a token says, by the keys that the server publishes: the check for back ends."""
    keys = jwt.PyJWKClient(server.url + "/.well-known/jwks.json")
    return jwt.decode(
        token, keys.get_signing_key_from_jwt(token).key, algorithms=["ES256"], audience=PROJECT, issuer=issuer,
        options={"require": ["exp", "iat", "aud", "iss", "sub"]},
    )


def forge(uid: str) -> str:
    """An unsigned ID token that expired long ago."""
    def part(value: dict) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    then = int(time.time()) + 3600
    claims = {"iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "sub": uid, "user_id": uid,
              "iat": then, "auth_time": then, "exp": 1, "firebase": {"identities": {}, "sign_in_provider": "password"}}
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}."
