"""Sign-in by tokens of others: an identity provider, whose keys the server has fetched, and a service account."""

import base64
import contextlib
import json
import os
import subprocess
import sys
import time

from . import servers
from .load import JSON, wrk, write_lines
from .processes import free_port, running

# So many different users sign in again and again, as most sign-ins are those of people who are known.
USERS = 300
CLIENT = "bench"
ACCOUNT = "bench@example.iam.gserviceaccount.com"
AUDIENCE = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"


def measure(binary: str, folder: str, smtp: int, connections: int, seconds: float) -> dict:
    """Rates of signInWithIdp and signInWithCustomToken, whose signatures the server checks each time."""
    with issuer(folder) as url:
        settings = {
            "providers": {"oidc.bench": {"issuer": url, "clientIDs": [CLIENT], "certificates": f"{folder}/tls.pem"}},
            "providersAllowPrivate": ["127.0.0.1/32"],
            "serviceAccounts": {ACCOUNT: f"{folder}/public.pem"},
            "limits": {"customSignInsPerUser": 10_000_000},
        }
        config = os.path.join(folder, "latchkey.json5")
        with open(config, "w") as file:
            json.dump(settings, file)
        production = {
            "LATCHKEY_MODE": "production",
            "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
            "LATCHKEY_SECRET": "a-secret-of-the-benchmarks-with-more-than-32-bytes",
            "LATCHKEY_MAIL_FROM": "bench@example.com",
        }
        with servers.latchkey(binary, folder, smtp, config=config, **production) as server:
            now = int(time.time())
            results = {}
            for name, path, body in [
                ("idp", "/v1/accounts:signInWithIdp?key=bench", lambda n: idp_body(folder, url, n, now)),
                ("custom", "/v1/accounts:signInWithCustomToken?key=bench", lambda n: custom_body(folder, n, now)),
            ]:
                file = write_lines(os.path.join(folder, name), [json.dumps(body(n)) for n in range(USERS)])
                # The first of each makes the user, and fetches the keys.
                wrk(server.url, 4, 1, "post.lua", path, JSON, file)
                results[name] = wrk(server.url, connections, seconds, "post.lua", path, JSON, file)
            return results


def idp_body(folder: str, url: str, number: int, now: int) -> dict:
    claims = {"iss": url, "aud": CLIENT, "sub": f"subject-{number}", "iat": now, "exp": now + 3600, "name": "Bench"}
    token = sign(folder, {"alg": "RS256", "kid": "bench"}, claims)
    return {"requestUri": "http://localhost", "postBody": f"id_token={token}&providerId=oidc.bench", "returnSecureToken": True}


def custom_body(folder: str, number: int, now: int) -> dict:
    claims = {"iss": ACCOUNT, "sub": ACCOUNT, "aud": AUDIENCE, "iat": now, "exp": now + 3600, "uid": f"user-{number}"}
    return {"token": sign(folder, {"alg": "RS256", "typ": "JWT"}, claims), "returnSecureToken": True}


def sign(folder: str, header: dict, claims: dict) -> str:
    signed = b".".join(encode(json.dumps(part).encode()) for part in (header, claims))
    command = ["openssl", "dgst", "-sha256", "-sign", f"{folder}/private.pem"]
    signature = subprocess.run(command, input=signed, capture_output=True, check=True).stdout
    return (signed + b"." + encode(signature)).decode()


def encode(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


@contextlib.contextmanager
def issuer(folder: str):
    """An OpenID Connect issuer as far as its published documents go: https with a certificate of its own. Gives its URL."""
    port = free_port()
    url = f"https://127.0.0.1:{port}"
    openssl("genrsa", "-out", f"{folder}/private.pem", "2048")
    openssl("rsa", "-in", f"{folder}/private.pem", "-pubout", "-out", f"{folder}/public.pem")
    openssl(
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.pem",
        "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
    )  # fmt: skip
    modulus = openssl("rsa", "-in", f"{folder}/private.pem", "-noout", "-modulus").partition("=")[2].strip()
    key = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "bench", "e": "AQAB"}
    key["n"] = encode(bytes.fromhex(modulus)).decode()
    os.makedirs(f"{folder}/published/.well-known")
    with open(f"{folder}/published/.well-known/openid-configuration", "w") as file:
        json.dump({"issuer": url, "jwks_uri": f"{url}/keys.json"}, file)
    with open(f"{folder}/published/keys.json", "w") as file:
        json.dump({"keys": [key]}, file)
    script = (
        "import http.server, ssl, sys\n"
        "server = http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), http.server.SimpleHTTPRequestHandler)\n"
        "context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n"
        "context.load_cert_chain(sys.argv[2], sys.argv[3])\n"
        "server.socket = context.wrap_socket(server.socket, server_side=True)\n"
        "server.serve_forever()\n"
    )
    command = [sys.executable, "-c", script, str(port), f"{folder}/tls.pem", f"{folder}/tls.key"]
    with running(command, port, cwd=f"{folder}/published", stderr=subprocess.DEVNULL):
        yield url


def openssl(*arguments: str) -> str:
    return subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=True).stdout
