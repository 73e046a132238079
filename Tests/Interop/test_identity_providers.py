"""A server in production takes the ID tokens of a real OpenID Connect issuer, which has a certificate authority of its own."""
import hashlib
import json
import time
import urllib.error
import urllib.parse

import jwt
import pytest

from conftest import smtp_settings
from support import aiosmtp, mails
from support.issuer import CLIENT, Issuer
from support.latchkey import Refused

PROVIDER = "oidc.tests"


@pytest.fixture
def issuer(tmp_path):
    folder = tmp_path / "issuer"
    folder.mkdir()
    started = Issuer(folder)
    yield started
    started.stop()


@pytest.fixture
def start(start_server, tmp_path, issuer, aiosmtp_server):
    """Starts servers in production that know the issuer: `start(trustEmail=True)`."""

    def start(gate=("127.0.0.1",), environment=None, **provider):
        file = tmp_path / f"latchkey-{len(list(tmp_path.iterdir()))}.json5"
        members = {"issuer": issuer.url, "clientIDs": [CLIENT], "certificates": issuer.authority} | provider
        members = {name: value for name, value in members.items() if value is not None}
        file.write_text(json.dumps({"providers": {PROVIDER: members}, "providersAllowPrivate": list(gate)}))
        mail = smtp_settings(aiosmtp_server, aiosmtp.USER, aiosmtp.PASSWORD, aiosmtp_server.authority)
        return start_server(**mail, **{
            "LATCHKEY_CONFIG": str(file), "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": "interop-" * 8,
            "LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_MAIL_FROM": "App <app@mail.example.org>",
            "LATCHKEY_ALLOWED_ORIGINS": "https://app.example.com",
        } | (environment or {}))

    return start


def sign_in(server, token, nonce=None, **more):
    """As the JavaScript SDK calls, its leading & included."""
    parameters = {"id_token": token, "providerId": PROVIDER} | ({"nonce": nonce} if nonce else {})
    body = {"requestUri": "http://localhost", "postBody": "&" + urllib.parse.urlencode(parameters),
            "returnSecureToken": True}
    return server.call("accounts:signInWithIdp", body | more)


def refusal(server, token, nonce=None, **more) -> Refused:
    with pytest.raises(Refused) as caught:
        sign_in(server, token, nonce, **more)
    return caught.value


def claims(answer):
    return jwt.decode(answer["idToken"], options={"verify_signature": False})


def account_with_link(server, mailbox, email):
    """A user who signed in with an e-mail link."""
    server.send_link(email, continueUrl="https://app.example.com/")
    mail = mails.parse(mailbox.wait_for_mail(email).raw)
    return server.redeem(email, mails.code(mail))


def test_a_person_signs_in_and_is_the_same_one_next_time(start, issuer):
    server = start()
    first = sign_in(server, issuer.sign_in("ann", name="Ann", email="ann@example.org", email_verified=True))
    assert first["isNewUser"] is True and first["providerId"] == PROVIDER and first["federatedId"] == "ann"
    assert json.loads(first["rawUserInfo"])["iss"] == issuer.url
    said = claims(first)
    assert said["firebase"]["sign_in_provider"] == PROVIDER
    assert said["firebase"]["identities"][PROVIDER] == ["ann"]
    second = sign_in(server, issuer.sign_in("ann", name="Ann"))
    assert second["localId"] == first["localId"] and "isNewUser" not in second
    assert sign_in(server, issuer.sign_in("bob"))["localId"] != first["localId"]
    # One document and one key set for all of them, whatever proxy the environment names.
    asked = [path for path in issuer.requests if path in ("/.well-known/openid-configuration", "/jwks")]
    assert asked == ["/.well-known/openid-configuration", "/jwks"]


def test_the_environments_proxy_is_not_asked(start, issuer):
    proxy = {name: "http://127.0.0.1:1" for name in ("https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")}
    assert sign_in(start(environment=proxy), issuer.sign_in("ann"))["isNewUser"] is True


def test_a_guest_links_the_identity_and_keeps_the_uid(start, issuer):
    server = start()
    guest = server.call("accounts:signUp", {})
    linked = sign_in(server, issuer.sign_in("ann"), idToken=guest["idToken"])
    assert linked["localId"] == guest["localId"]
    again = sign_in(server, issuer.sign_in("ann"))
    assert again["localId"] == guest["localId"]
    [user] = server.call("accounts:lookup", {"idToken": again["idToken"]})["users"]
    assert [row["providerId"] for row in user["providerUserInfo"]] == [PROVIDER]
    with pytest.raises(Refused, match="TOKEN_EXPIRED"):
        server.call("accounts:lookup", {"idToken": guest["idToken"]})

    other = server.call("accounts:signUp", {})
    assert refusal(server, issuer.sign_in("ann"), idToken=other["idToken"]).code == "FEDERATED_USER_ID_ALREADY_LINKED"
    merged = sign_in(server, issuer.sign_in("ann"), idToken=other["idToken"], onConflict="merge")
    assert merged["localId"] == guest["localId"]

    left = server.call("accounts:update", {"idToken": merged["idToken"], "deleteProvider": [PROVIDER]})
    assert not [row for row in left.get("providerUserInfo", []) if row["providerId"] == PROVIDER]
    assert sign_in(server, issuer.sign_in("ann"))["localId"] != guest["localId"]


def test_nonces_plain_and_hashed(start, issuer):
    server = start()
    hashed = hashlib.sha256(b"raw").hexdigest()
    assert sign_in(server, issuer.sign_in("ann", nonce="plain"), "plain")["isNewUser"] is True
    token = issuer.sign_in("ann", nonce=hashed)
    for nonce in (None, "another"):
        assert refusal(server, token, nonce).code == "MISSING_OR_INVALID_NONCE"
    assert sign_in(server, token, "raw")["federatedId"] == "ann"
    assert refusal(server, token, "raw").message == \
        "MISSING_OR_INVALID_NONCE : Duplicate credential received. Please try again with a new credential."
    assert refusal(server, issuer.sign_in("ann"), "raw").code == "MISSING_OR_INVALID_NONCE"


def test_a_token_for_another_client_or_of_another_issuer_is_refused(start, issuer, tmp_path):
    server = start()
    assert refusal(server, issuer.sign_in("ann", client="somebody-else")).code == "INVALID_IDP_RESPONSE"
    folder = tmp_path / "impostor"
    folder.mkdir()
    impostor = Issuer(folder)
    try:
        assert refusal(server, impostor.sign_in("ann")).code == "INVALID_IDP_RESPONSE"
    finally:
        impostor.stop()
    forged = jwt.encode({"iss": issuer.url, "aud": CLIENT, "sub": "ann", "exp": 9999999999, "iat": 1}, None, "none")
    assert refusal(server, forged).code == "INVALID_IDP_RESPONSE"
    assert refusal(server, json.dumps({"sub": "ann"})).code == "INVALID_IDP_RESPONSE"


def test_rotated_keys_are_found_and_withdrawn_ones_are_not_good(start, issuer):
    server = start()
    old = issuer.sign_in("ann")
    user = sign_in(server, old)
    issuer.rotate()
    assert sign_in(server, issuer.sign_in("ann"))["localId"] == user["localId"]
    assert refusal(server, old).code == "INVALID_IDP_RESPONSE"


def test_tokens_of_known_keys_sign_in_during_an_outage(start, issuer):
    server = start()
    user = sign_in(server, issuer.sign_in("ann"))
    tokens = [issuer.sign_in("ann") for _ in range(4)]
    issuer.rotate()
    new = issuer.sign_in("ann")
    issuer.stop()
    last = tokens.pop()
    for token in tokens:
        assert sign_in(server, token)["localId"] == user["localId"]
    # A key that is not known cannot be looked up now; that is no fault of the token's.
    refused = refusal(server, new)
    assert refused.status == 503 and refused.code == "PROVIDER_UNAVAILABLE"
    assert sign_in(server, last)["localId"] == user["localId"]
    issuer.start()
    eventually(lambda: sign_in(server, new)["localId"] == user["localId"])


def test_an_issuer_that_was_down_at_first_is_asked_again(start, issuer):
    server = start()
    token = issuer.sign_in("ann")
    issuer.stop()
    for _ in range(5):
        assert refusal(server, token).code == "PROVIDER_UNAVAILABLE"
    server.wait_for_output("keys.not-fetched")
    issuer.start()
    eventually(lambda: sign_in(server, token)["federatedId"] == "ann")
    assert token not in "".join(server.output)


def eventually(condition, timeout=20):
    deadline = time.monotonic() + timeout
    while True:
        try:
            if condition():
                return
            assert time.monotonic() < deadline
        except Refused as refused:
            assert refused.code == "PROVIDER_UNAVAILABLE" and time.monotonic() < deadline, refused
        time.sleep(0.2)


def test_an_issuer_of_an_unlisted_authority_is_not_trusted(start, issuer):
    server = start(certificates=None)
    assert refusal(server, issuer.sign_in("ann")).code == "PROVIDER_UNAVAILABLE"
    server.wait_for_output("keys.not-fetched.*certificate")


def test_an_issuer_at_an_inner_address_is_not_connected_to(start, issuer):
    server = start(gate=["10.0.0.0/8"])
    token = issuer.sign_in("ann")
    before = len(issuer.requests)
    assert refusal(server, token).code == "PROVIDER_UNAVAILABLE"
    server.wait_for_output("keys.not-fetched.*an address that is not allowed")
    assert len(issuer.requests) == before


def test_the_word_about_an_address_counts_where_it_is_trusted(start, issuer, aiosmtp_server):
    email = "ann@example.org"
    token = {"email": email, "email_verified": True, "name": "Ann"}

    wary = start()
    owner = account_with_link(wary, aiosmtp_server, email)
    answer = sign_in(wary, issuer.sign_in("mallory", **token))
    assert answer["needConfirmation"] is True and "idToken" not in answer and "refreshToken" not in answer
    guest = wary.call("accounts:signUp", {})
    assert refusal(wary, issuer.sign_in("mallory", **token), idToken=guest["idToken"]).code == "EMAIL_EXISTS"
    # A signed-in user may add the identity: that proves both.
    assert sign_in(wary, issuer.sign_in("ann", **token), idToken=owner["idToken"])["localId"] == owner["localId"]

    # The notice of the linked identity is the second mail.
    eventually(lambda: len(aiosmtp_server.mails) == 2)
    aiosmtp_server.mails.clear()
    trusting = start(trustEmail=True, emailDomains=["example.org"])
    owner = account_with_link(trusting, aiosmtp_server, email)
    for word in ("false", False, 1, "yes", None):
        unproven = sign_in(trusting, issuer.sign_in("mallory", **(token | {"email_verified": word})))
        assert unproven["needConfirmation"] is True and "idToken" not in unproven, word
    assert sign_in(trusting, issuer.sign_in("ann", **token))["localId"] == owner["localId"]
    foreign = sign_in(trusting, issuer.sign_in("eve", email="eve@other.example", email_verified=True))
    assert foreign["isNewUser"] is True
