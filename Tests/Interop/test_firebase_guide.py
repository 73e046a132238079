"""docs/firebase.md: its examples run as they stand there."""
import base64
import datetime
import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from support import guide
from support.latchkey import Refused, binary
from support.ports import free_port

LOCAL = "http://127.0.0.1:9099"


def run(command, folder, **more):
    """A program's output; fails with what it said where it fails."""
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=60, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def encode(part: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def decode(part: str) -> dict:
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.fixture
def tokens(server, start_server):
    """A good token, and those that a verifier must refuse."""
    good = server.call("accounts:signUp", {})["idToken"]
    head, body, signature = good.split(".")
    header, claims = decode(head), decode(body)
    other_key = start_server().call("accounts:signUp", {})["idToken"]
    other_head, other_body, other_signature = other_key.split(".")
    keys = server.get("/.well-known/jwks.json")["keys"]
    symmetric = f"{encode(header | {'alg': 'HS256'})}.{body}"
    secret = json.dumps(keys[0]).encode()
    return good, {
        "unsigned": f"{encode({'alg': 'none', 'typ': 'JWT'})}.{body}.",
        "unsigned, with a kid": f"{encode(header | {'alg': 'none'})}.{body}.",
        "another's claims": f"{head}.{encode(claims | {'sub': 'administrator'})}.{signature}",
        "no signature": f"{head}.{body}.",
        "of another server": other_key,
        "of another server, under this one's kid": f"{head}.{other_body}.{other_signature}",
        "by a public key as secret": symmetric + "." + base64.urlsafe_b64encode(
            hmac.new(secret, symmetric.encode(), hashlib.sha256).digest()).rstrip(b"=").decode(),
        "an unknown kid": f"{encode(header | {'kid': '../../etc/passwd'})}.{body}.{signature}",
        "two parts": f"{head}.{body}",
        "four parts": f"{good}.x",
        "nothing": "",
    }


def test_the_warning_comes_before_anything_of_admin_sdks():
    text = " ".join(guide.TEXT.split())
    warning = text.index("check no signature")
    for first in ("Admin SDKs", "FIREBASE_AUTH_EMULATOR_HOST", "firebase_admin", "## Admin"):
        assert warning < text.index(first), first


def test_every_example_with_a_name_is_run_here():
    source = open(__file__).read()
    assert not [name for name in guide.names() if f'"{name}"' not in source]


def test_the_verifier_for_python(server, tokens):
    good, bad = tokens
    verifier = {}
    exec(guide.example("verify.py", {LOCAL: server.url}), verifier)
    assert verifier["verify_id_token"](good)["firebase"]["sign_in_provider"] == "anonymous"
    for name, token in bad.items():
        with pytest.raises(verifier["jwt"].PyJWTError):
            verifier["verify_id_token"](token)
            pytest.fail(f"accepted: {name}")


def test_the_verifiers_insist_on_audience_and_issuer(server, tokens, tmp_path):
    for old, new in [('AUDIENCE = "demo-latchkey"', 'AUDIENCE = "other"'),
                     ("google.com/demo-latchkey", "google.com/other")]:
        verifier = {}
        exec(guide.example("verify.py", {LOCAL: server.url, old: new}), verifier)
        with pytest.raises(verifier["jwt"].InvalidTokenError):
            verifier["verify_id_token"](tokens[0])
        assert node(guide.example("verify.mjs", {LOCAL: server.url, old: new}), [tokens[0]], tmp_path) == [None]


def node(source: str, tokens: list[str], folder) -> list:
    """What the verifier for Node says of tokens: a UID, or None for a refused one."""
    program = shutil.which("node") or shutil.which("nodejs")
    assert program, "node is missing: apt-get install nodejs"
    (folder / "verify.mjs").write_text(source)
    (folder / "main.mjs").write_text("""
        import { verifyIdToken } from "./verify.mjs";
        const answers = [];
        for (const token of JSON.parse(process.argv[2])) {
            answers.push(await verifyIdToken(token).then((claims) => claims.sub, () => null));
        }
        console.log(JSON.stringify(answers));
    """)
    return json.loads(run([program, "main.mjs", json.dumps(tokens)], folder))


def test_the_verifier_for_node(server, tokens, tmp_path):
    good, bad = tokens
    answers = node(guide.example("verify.mjs", {LOCAL: server.url}), [good, *bad.values()], tmp_path)
    assert answers == [decode(good.split(".")[1])["sub"]] + [None] * len(bad), dict(zip(bad, answers[1:]))


def production(start_server, **settings):
    return start_server(
        LATCHKEY_MODE="production", LATCHKEY_SECRET="a-secret-of-the-tests-with-more-than-32-bytes",
        LATCHKEY_PUBLIC_URL="https://auth.example.com", LATCHKEY_SMTP_URL=f"smtp://127.0.0.1:{free_port()}",
        LATCHKEY_ALLOWED_ORIGINS="https://app.example.com", LATCHKEY_PROJECT_ID="demo-latchkey", **settings)


def environment(**more) -> dict:
    return {name: value for name, value in os.environ.items() if not name.startswith(("FIREBASE_", "LATCHKEY_"))} | more


@pytest.mark.parametrize("mode", ["development", "production"])
def test_the_calls_of_an_admin_sdk(server, start_server, tmp_path, mode):
    host = server.url.removeprefix("http://")
    if mode == "production":
        host = f"127.0.0.1:{free_port()}"
        production(start_server, LATCHKEY_ADMIN_LISTEN=host)
    (tmp_path / "admin.py").write_text(guide.example("admin.py"))
    output = run([sys.executable, "admin.py"], tmp_path, env=environment(FIREBASE_AUTH_EMULATOR_HOST=host))
    claims, link = output.splitlines()
    assert claims == "{'role': 'editor'}"
    assert re.search(r"[?&]oobCode=[\w-]{54}\b", link)
    assert link.startswith("https://auth.example.com/" if mode == "production" else server.url)


def test_a_custom_token_of_a_service_account(start_server, tmp_path):
    (tmp_path / "make.sh").write_text(guide.example("service-account.sh"))
    run(["sh", "-eu", "make.sh"], tmp_path)
    (tmp_path / "custom_token.py").write_text(guide.example("custom_token.py"))
    token = run([sys.executable, "custom_token.py"], tmp_path, env=environment()).strip()
    (tmp_path / "latchkey.json5").write_text(
        guide.example("latchkey.json5", {"public.pem": str(tmp_path / "public.pem")}))
    server = production(start_server, LATCHKEY_CONFIG=str(tmp_path / "latchkey.json5"))
    claims = decode(server.call("accounts:signInWithCustomToken", {"token": token})["idToken"].split(".")[1])
    assert claims["sub"] == "ann" and claims["role"] == "editor"
    head, body, _ = token.split(".")
    for forged in [f"{encode({'alg': 'none', 'typ': 'JWT'})}.{body}.", f"{head}.{body}.AAAA"]:
        with pytest.raises(Refused) as refused:
            server.call("accounts:signInWithCustomToken", {"token": forged})
        assert refused.value.code == "INVALID_CUSTOM_TOKEN"


def test_moving_a_guest_to_the_account_that_has_the_address(server, tmp_path):
    def oob_code() -> str:
        server.send_link("ann@example.com")
        codes = server.get("/emulator/v1/projects/demo-latchkey/oobCodes")["oobCodes"]
        return codes[-1]["oobCode"]

    account = server.redeem("ann@example.com", oob_code())
    (tmp_path / "merge.sh").write_text(guide.example("merge.sh"))
    report = json.loads(run(["bash", "-euo", "pipefail", "merge.sh"], tmp_path, env=environment(
        SERVER=server.url, EMAIL="ann@example.com", OOB_CODE=oob_code())))
    assert report["localId"] == account["localId"]


def test_the_settings_of_the_exchange_are_settings(tmp_path):
    soon = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()
    (tmp_path / "latchkey.json5").write_text(guide.example("exchange.json5", {"2027-01-31": soon}))
    run([binary(), "check-config", "--config", "latchkey.json5"], tmp_path, env=environment())
