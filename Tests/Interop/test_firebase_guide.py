"""docs/firebase.md: its examples run as they stand there."""
import datetime
import json
import re
import sys
from pathlib import Path

import pytest

from support import guide
from support.jws import decode, encode
from support.latchkey import Refused, binary
from support.ports import free_port
from support.programs import environment, run


def test_the_warning_comes_before_anything_of_admin_sdks():
    text = " ".join(guide.PAGES["firebase.md"].split())
    warning = text.index("check no signature")
    for first in ("Admin SDKs", "FIREBASE_AUTH_EMULATOR_HOST", "firebase_admin", "## Admin"):
        assert warning < text.index(first), first


def test_every_example_with_a_name_is_run():
    source = Path(__file__).read_text() + Path(__file__).with_name("test_firebase_web_guide.py").read_text()
    assert not [name for name in guide.names("firebase.md") if f'"{name}"' not in source]


def production(start_server, **settings):
    return start_server(
        LATCHKEY_MODE="production", LATCHKEY_SECRET="a-secret-of-the-tests-with-more-than-32-bytes",
        LATCHKEY_PUBLIC_URL="https://auth.example.com", LATCHKEY_SMTP_URL=f"smtp://127.0.0.1:{free_port()}",
        LATCHKEY_ALLOWED_ORIGINS="https://app.example.com", LATCHKEY_PROJECT_ID="demo-latchkey", **settings)


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
