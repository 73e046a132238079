"""docs/back-end.md, docs/verify-tokens.md and docs/sessions.md: their examples run as they stand there."""
import base64
import hashlib
import hmac
import json
import pathlib
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from support import guide
from support.jws import decode, encode
from support.ports import free_port
from support.programs import environment, run
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")

LOCAL = "http://127.0.0.1:9099"


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


def test_every_example_with_a_name_is_run_here():
    source = open(__file__).read()
    names = guide.names("back-end.md", "verify-tokens.md", "sessions.md")
    assert len(names) == 8 and not [name for name in names if f'"{name}"' not in source]


def test_the_verifier_for_python(server, tokens):
    good, bad = tokens
    verifier = {}
    exec(guide.example("verify.py", {LOCAL: server.url}), verifier)
    assert verifier["verify_id_token"](good)["firebase"]["sign_in_provider"] == "anonymous"
    for name, token in bad.items():
        with pytest.raises(verifier["jwt"].PyJWTError):
            verifier["verify_id_token"](token)
            pytest.fail(f"accepted: {name}")


def test_the_verifier_with_joserfc(server, tokens):
    from joserfc.errors import JoseError
    good, bad = tokens
    verifier = {}
    exec(guide.example("verify_joserfc.py", {LOCAL: server.url}), verifier)
    verify = verifier["verify_id_token"]
    assert verify(good)["firebase"]["sign_in_provider"] == "anonymous"
    for name, token in bad.items():
        with pytest.raises(JoseError):
            verify(token)
            pytest.fail(f"accepted: {name}")
    body = {"idToken": good}
    cookie = server.call("projects/demo-latchkey:createSessionCookie", body, Authorization="Bearer owner")["sessionCookie"]
    issuer = "https://session.firebase.google.com/demo-latchkey"
    assert verify(cookie, issuer)["sub"] == verify(good)["sub"]
    for token, its in [(cookie, verifier["ISSUER"]), (good, issuer)]:
        with pytest.raises(JoseError):
            verify(token, its)
    verifier["AUDIENCE"] = "other"
    with pytest.raises(JoseError):
        verify(good)


def with_jose(folder):
    """A folder in which Node finds Debian's jose."""
    package = pathlib.Path("/usr/share/nodejs/jose")
    assert package.is_dir(), "jose is missing: apt-get install node-jose"
    (folder / "node_modules").mkdir(exist_ok=True)
    (folder / "node_modules/jose").symlink_to(package)
    return folder


def test_the_verifier_with_jose(server, tokens, tmp_path):
    good, bad = tokens
    source = guide.example("verify-jose.mjs", {LOCAL: server.url})
    with_jose(tmp_path)
    answers = node(source, [good, *bad.values()], tmp_path)
    assert answers == [decode(good.split(".")[1])["sub"]] + [None] * len(bad), dict(zip(bad, answers[1:]))
    for old, new in [('AUDIENCE = "demo-latchkey"', 'AUDIENCE = "other"'), ("google.com/demo-latchkey", "google.com/other")]:
        assert node(guide.example("verify-jose.mjs", {LOCAL: server.url, old: new}), [good], tmp_path) == [None]
    cookie = server.call("projects/demo-latchkey:createSessionCookie", {"idToken": good}, Authorization="Bearer owner")["sessionCookie"]
    session = ("securetoken.google.com", "session.firebase.google.com")
    assert node(source, [cookie], tmp_path) == [None]
    assert node(source.replace(*session), [cookie, good], tmp_path) == [answers[0], None]


@pytest.mark.parametrize("form", ["signed", "unsigned"])
def test_what_nodes_admin_sdk_accepts_in_development(start_server, tmp_path, form):
    """The SDK, told of an emulator, decodes as jose's UnsecuredJWT does: `none` and an empty third part, nothing else."""
    server = start_server(LATCHKEY_DEVELOPMENT_TOKENS=form)
    token = server.call("accounts:signUp", {})["idToken"]
    cookie = server.call("projects/demo-latchkey:createSessionCookie", {"idToken": token}, Authorization="Bearer owner")["sessionCookie"]
    noisy = token.rsplit(".", 1)[0] + ".c2ln"
    source = """
        import { UnsecuredJWT } from "jose";
        const issuers = ["https://securetoken.google.com/demo-latchkey", "https://session.firebase.google.com/demo-latchkey"];
        export const verifyIdToken = async (token) =>
            UnsecuredJWT.decode(token, { issuer: issuers, audience: "demo-latchkey" }).payload;
    """
    uid = decode(token.split(".")[1])["sub"]
    expected = [uid, uid, None] if form == "unsigned" else [None, None, None]
    assert node(source, [token, cookie, noisy], with_jose(tmp_path)) == expected
    if form == "unsigned":
        verifier = {}
        exec(guide.example("verify.py", {LOCAL: server.url}), verifier)
        with pytest.raises(verifier["jwt"].PyJWTError):
            verifier["verify_id_token"](token)


def test_the_verifiers_insist_on_audience_and_issuer(server, tokens, tmp_path):
    for old, new in [('AUDIENCE = "demo-latchkey"', 'AUDIENCE = "other"'),
                     ("google.com/demo-latchkey", "google.com/other")]:
        verifier = {}
        exec(guide.example("verify.py", {LOCAL: server.url, old: new}), verifier)
        with pytest.raises(verifier["jwt"].InvalidTokenError):
            verifier["verify_id_token"](tokens[0])
        assert node(guide.example("verify.mjs", {LOCAL: server.url, old: new}), [tokens[0]], tmp_path) == [None]


def test_the_verifier_for_python_checks_session_cookies_by_their_issuer(server):
    verifier = {}
    exec(guide.example("verify.py", {LOCAL: server.url}), verifier)
    verify = verifier["verify_id_token"]
    body = {"idToken": server.call("accounts:signUp", {})["idToken"]}
    cookie = server.call("projects/demo-latchkey:createSessionCookie", body, Authorization="Bearer owner")["sessionCookie"]
    issuer = "https://session.firebase.google.com/demo-latchkey"
    assert verify(cookie, issuer)["sub"] == verify(body["idToken"])["sub"]
    for token, its in [(cookie, verifier["ISSUER"]), (body["idToken"], issuer)]:
        with pytest.raises(verifier["jwt"].InvalidIssuerError):
            verify(token, its)


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


def status(url: str) -> int | None:
    """What a call without a token is answered; None while nothing listens."""
    try:
        return urllib.request.urlopen(url).status
    except urllib.error.HTTPError as refused:
        return refused.code
    except urllib.error.URLError:
        return None


@pytest.mark.parametrize("app, verifier", [("app.py", "verify.py"), ("app.mjs", "verify.mjs")])
def test_a_back_end_greets_only_callers_with_a_valid_token(server, tmp_path, app, verifier):
    port = free_port()
    own = f"http://127.0.0.1:{port}/"
    (tmp_path / verifier).write_text(guide.example(verifier, {LOCAL: server.url}))
    (tmp_path / app).write_text(guide.example(app, {"8000": str(port)}))
    program = sys.executable if app.endswith(".py") else shutil.which("node") or shutil.which("nodejs")
    process = subprocess.Popen([program, app], cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: status(own) == 401, 20, "the back end", process)
        call = guide.example("call.sh", {LOCAL: server.url, "http://127.0.0.1:8000/": own})
        greeting = run(["bash", "-euo", "pipefail", "-c", call], tmp_path, env=environment())
        assert greeting.startswith("Hello ") and len(greeting.split()[1]) == 28, greeting
    finally:
        process.kill()
        process.wait()


def test_a_session_from_its_start_to_its_end(server, tmp_path):
    script = guide.example("sessions.sh", {LOCAL: server.url})
    session, ended, refused = run(["bash", "-euo", "pipefail", "-c", script], tmp_path, env=environment()).splitlines()
    assert json.loads(session)["current"] and json.loads(session)["signInProvider"] == "anonymous"
    assert json.loads(ended) == {"reset": True}
    assert refused == "USER_NOT_FOUND"
