"""ID tokens verify with PyJWT against the published key set."""
import time

import jwt
import pytest

PROJECT = "demo-latchkey"


@pytest.fixture
def discovery(server):
    return server.get("/.well-known/openid-configuration")


@pytest.fixture
def keys(server, discovery):
    assert discovery["jwks_uri"] == server.url + "/.well-known/jwks.json"
    return jwt.PyJWKClient(discovery["jwks_uri"])


def verify(token, keys, discovery, **changes):
    options = {"algorithms": ["ES256"], "audience": PROJECT, "issuer": discovery["issuer"],
               "options": {"require": ["exp", "iat", "aud", "iss", "sub"]}} | changes
    return jwt.decode(token, keys.get_signing_key_from_jwt(token).key, **options)


def test_an_anonymous_users_token(server, keys, discovery):
    guest = server.call("accounts:signUp", {})
    claims = verify(guest["idToken"], keys, discovery)
    assert claims["sub"] == claims["user_id"] == guest["localId"]
    assert claims["exp"] - claims["iat"] == 3600
    assert abs(claims["iat"] - time.time()) < 60 and claims["auth_time"] <= claims["iat"]
    assert claims["firebase"] == {"identities": {}, "sign_in_provider": "anonymous"}
    assert claims["provider_id"] == "anonymous"
    assert "email" not in claims
    header = jwt.get_unverified_header(guest["idToken"])
    assert header["alg"] == "ES256" and header["kid"]


def test_a_refreshed_token(server, keys, discovery):
    guest = server.call("accounts:signUp", {})
    fresh = server.refresh(guest["refreshToken"])
    assert fresh["access_token"] == fresh["id_token"]
    claims = verify(fresh["id_token"], keys, discovery)
    assert claims["sub"] == guest["localId"] == fresh["user_id"]
    assert claims["auth_time"] == verify(guest["idToken"], keys, discovery)["auth_time"]


@pytest.mark.parametrize("changes, error", [
    ({"audience": "another"}, jwt.InvalidAudienceError),
    ({"issuer": "https://another.example"}, jwt.InvalidIssuerError),
    ({"algorithms": ["RS256"]}, jwt.InvalidAlgorithmError),
])
def test_a_token_is_for_one_audience_and_issuer(server, keys, discovery, changes, error):
    token = server.call("accounts:signUp", {})["idToken"]
    with pytest.raises(error):
        verify(token, keys, discovery, **changes)


def test_a_changed_token_fails(server, keys, discovery):
    head, body, signature = server.call("accounts:signUp", {})["idToken"].split(".")
    other = server.call("accounts:signUp", {})["idToken"].split(".")[1]
    with pytest.raises(jwt.InvalidSignatureError):
        verify(f"{head}.{other}.{signature}", keys, discovery)


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA", "RS256"])
def test_every_algorithm_verifies(start_server, algorithm):
    server = start_server(LATCHKEY_SIGNING_ALGORITHM=algorithm)
    discovery = server.get("/.well-known/openid-configuration")
    token = server.call("accounts:signUp", {})["idToken"]
    assert jwt.get_unverified_header(token)["alg"] == algorithm
    claims = verify(token, jwt.PyJWKClient(discovery["jwks_uri"]), discovery, algorithms=[algorithm])
    assert claims["aud"] == PROJECT
    assert algorithm in discovery["id_token_signing_alg_values_supported"]
