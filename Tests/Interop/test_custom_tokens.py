"""Production, with tokens of others: custom tokens that firebase-admin makes with a service account's key, and Firebase's
own ID tokens while users move."""
import datetime
import json
import time
import uuid

import firebase_admin
import jwt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from firebase_admin import auth, credentials

from support.latchkey import Refused

PROJECT = "moved"
ISSUER = "https://auth.example.com"


class ServiceAccount:
    """A service account as Google makes it: a private key for the back end, a certificate for everybody."""

    def __init__(self, name="app"):
        self.email = f"{name}@{PROJECT}.iam.gserviceaccount.com"
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "app")])
        now = datetime.datetime.now(datetime.timezone.utc)
        self.certificate = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(self.key.public_key())
            .serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
            .sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()
        )

    @property
    def private_key(self):
        return self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                      serialization.NoEncryption()).decode()

    @property
    def app(self):
        """An app of firebase-admin's with this account."""
        return firebase_admin.initialize_app(credentials.Certificate({
            "type": "service_account", "project_id": PROJECT, "private_key_id": "the id of the key",
            "private_key": self.private_key, "client_email": self.email, "client_id": "1",
            "token_uri": "https://oauth2.googleapis.com/token",
        }), name=str(uuid.uuid4()))


@pytest.fixture(scope="module")
def account():
    return ServiceAccount()


@pytest.fixture(scope="module")
def firebase_key():
    """A key that signs as Google signs for Firebase."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def production(start_server, tmp_path, account, firebase_key):
    certificate = tmp_path / "account.pem"
    certificate.write_text(account.certificate)
    jwk = jwt.algorithms.RSAAlgorithm.to_jwk(firebase_key.public_key(), as_dict=True)
    keys = tmp_path / "firebase-keys.json"
    keys.write_text(json.dumps({"keys": [jwk | {"kid": "one", "alg": "RS256", "use": "sig"}]}))
    until = datetime.date.today() + datetime.timedelta(days=30)
    config = tmp_path / "latchkey.json5"
    config.write_text(json.dumps({
        "serviceAccounts": {account.email: str(certificate)},
        "firebase": {"project": "old", "exchangeUntil": until.isoformat(), "keysFile": str(keys)},
    }))
    return start_server(
        LATCHKEY_MODE="production", LATCHKEY_CONFIG=str(config), LATCHKEY_PUBLIC_URL=ISSUER,
        LATCHKEY_PROJECT_ID=PROJECT, LATCHKEY_SECRET="a-secret-of-the-tests-with-more-than-32-bytes",
        LATCHKEY_SMTP_URL="smtp://127.0.0.1:9",
    )


def sign_in(server, token):
    return server.call("accounts:signInWithCustomToken", {"token": token.decode(), "returnSecureToken": True})


def verify(server, token):
    keys = jwt.PyJWKClient(server.url + "/.well-known/jwks.json")
    return jwt.decode(token, keys.get_signing_key_from_jwt(token).key, algorithms=["ES256"], issuer=ISSUER,
                      audience=PROJECT)


def test_a_token_that_the_admin_sdk_makes_signs_in(production, account):
    token = auth.create_custom_token("ann", {"role": "editor", "level": 3}, app=account.app)
    first = sign_in(production, token)
    assert first["isNewUser"] is True and "localId" not in first
    claims = verify(production, first["idToken"])
    assert claims["sub"] == claims["user_id"] == "ann"
    assert claims["role"] == "editor" and claims["level"] == 3
    assert claims["firebase"] == {"identities": {}, "sign_in_provider": "custom"}
    refreshed = production.refresh(first["refreshToken"])
    assert verify(production, refreshed["id_token"])["role"] == "editor"
    again = sign_in(production, auth.create_custom_token("ann", app=account.app))
    assert again["isNewUser"] is False and "role" not in verify(production, again["idToken"])


def test_only_configured_service_accounts_make_tokens(production, account):
    stranger = ServiceAccount()
    with pytest.raises(Refused) as refused:
        sign_in(production, auth.create_custom_token("ann", app=stranger.app))
    assert refused.value.code == "INVALID_CUSTOM_TOKEN", "the account's name with another key"
    with pytest.raises(Refused) as refused:
        sign_in(production, auth.create_custom_token("ann", app=ServiceAccount("other").app))
    assert refused.value.code == "CREDENTIAL_MISMATCH"


def test_an_emulators_token_is_worth_nothing(production, account, monkeypatch):
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:1")
    token = auth.create_custom_token("ann", app=account.app)
    assert jwt.get_unverified_header(token)["alg"] == "none"
    with pytest.raises(Refused) as refused:
        sign_in(production, token)
    assert refused.value.code == "INVALID_CUSTOM_TOKEN"


def test_a_public_key_is_not_taken_for_a_shared_secret(production, account):
    """Algorithm confusion: the certificate is public, so a signature with it as an HMAC key proves nothing."""
    import base64
    import hashlib
    import hmac

    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    now = int(time.time())
    claims = {"iss": account.email, "sub": account.email, "uid": "ann", "iat": now, "exp": now + 3600,
              "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"}
    message = encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + encode(json.dumps(claims).encode())
    signature = hmac.new(account.certificate.encode(), message, hashlib.sha256).digest()
    with pytest.raises(Refused) as refused:
        sign_in(production, message + b"." + encode(signature))
    assert refused.value.code == "INVALID_CUSTOM_TOKEN"


def firebase_token(key, uid, **changes):
    now = int(time.time())
    claims = {"iss": "https://securetoken.google.com/old", "aud": "old", "sub": uid, "user_id": uid, "iat": now,
              "exp": now + 3600, "auth_time": now - 86400, "jti": str(uuid.uuid4()),
              "firebase": {"identities": {}, "sign_in_provider": "password"}} | changes
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "one"})


def test_firebases_tokens_are_taken_for_imported_users_only(production, account, firebase_key):
    """A user of this server's own is none of Firebase's, whatever Firebase says."""
    sign_in(production, auth.create_custom_token("ann", app=account.app))
    for uid in ("ann", "nobody"):
        with pytest.raises(Refused) as refused:
            production.call("accounts:exchangeFirebaseToken", {"firebaseToken": firebase_token(firebase_key, uid)})
        assert refused.value.code == "USER_NOT_FOUND"
    with pytest.raises(Refused) as refused:
        production.call("accounts:exchangeFirebaseToken",
                        {"firebaseToken": firebase_token(firebase_key, "ann", aud="other")})
    assert refused.value.code == "INVALID_FIREBASE_TOKEN"
