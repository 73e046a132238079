"""docs/hooks.md, operations.md, settings.md, assets.md and customize.md: the server accepts their settings, tables, brand and texts."""
import datetime
import json
import re
import sqlite3
import urllib.request

import pytest

from support import guide
from support.latchkey import binary
from support.programs import environment, run
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")

PAGES = ("hooks.md", "operations.md", "settings.md", "assets.md", "customize.md")
SETTINGS = sorted(name for name in guide.names(*PAGES) if name.endswith(".json5"))
SOON = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()


def test_every_example_with_a_name_is_tried_here():
    assert {*SETTINGS, "todos.sql", "en.json"} == guide.names(*PAGES) and len(SETTINGS) == 6


def settings(name: str, folder) -> str:
    """The example of that name, with a date to come and with a logo that exists."""
    logo = folder / "logo.svg"
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z"/></svg>')
    replacing = {"review.json5": {"2027-01-31": SOON}, "brand.json5": {"/etc/latchkey/logo.png": str(logo)}}
    return "{\n" + guide.example(name, replacing.get(name, {})) + "}\n"


@pytest.mark.parametrize("name", SETTINGS)
def test_the_settings_are_accepted(name, tmp_path):
    (tmp_path / "latchkey.json5").write_text(settings(name, tmp_path))
    secret = {"LATCHKEY_HOOK_SECRETS_ORDERS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} if name == "hooks.json5" else {}
    run([binary(), "check-config", "--config", "latchkey.json5"], tmp_path, env=environment(**secret))


def test_the_brand_and_the_texts_are_used(start_server, tmp_path):
    templates = tmp_path / "templates"
    (templates / "strings").mkdir(parents=True)
    texts = guide.example("en.json")
    (templates / "strings" / "en.json").write_text(texts)
    (tmp_path / "latchkey.json5").write_text(settings("brand.json5", tmp_path))
    server = start_server(LATCHKEY_CONFIG=str(tmp_path / "latchkey.json5"), LATCHKEY_TEMPLATES=str(templates))
    server.call("accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "ann@example.com"})
    subject = json.loads(texts)["mailSignInSubject"].split(" {{")[0]
    message, = wait_until(lambda: server.get("/mailbox/messages")["messages"], 20, "the e-mail")
    assert message["subject"].startswith(subject)
    with urllib.request.urlopen(message["links"][0]) as answer:
        style, = re.findall(r'href="([^"]+\.css[^"]*)"', answer.read().decode())
    with urllib.request.urlopen(server.url + style) as answer:
        assert re.search('color: "(#[^"]+)"', guide.example("brand.json5")).group(1) in answer.read().decode()


def test_the_table_is_found(start_server, tmp_path):
    start_server()
    database, = tmp_path.rglob("latchkey.db")
    with sqlite3.connect(database) as connection:
        connection.executescript(guide.example("todos.sql"))
    variables = environment(LATCHKEY_DATABASE=f"sqlite:{database}")
    assert "todos" in run([binary(), "assets", "scan"], tmp_path, env=variables)
