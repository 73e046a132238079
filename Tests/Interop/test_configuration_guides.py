"""docs/hooks.md, operations.md, assets.md and customize.md: the server accepts their settings, tables and texts."""
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

PAGES = ("hooks.md", "operations.md", "assets.md", "customize.md")
SETTINGS = sorted(name for name in guide.names(*PAGES) if name.endswith(".json5"))
SOON = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()


def test_every_example_with_a_name_is_tried_here():
    assert {*SETTINGS, "todos.sql", "en.json", "colors.json"} == guide.names(*PAGES) and len(SETTINGS) == 5


@pytest.mark.parametrize("name", SETTINGS)
def test_the_settings_are_accepted(name, tmp_path):
    text = guide.example(name, {"2027-01-31": SOON} if name == "review.json5" else {})
    (tmp_path / "latchkey.json5").write_text("{\n" + text + "}\n")
    secret = {"LATCHKEY_HOOK_SECRETS_ORDERS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} if name == "hooks.json5" else {}
    run([binary(), "check-config", "--config", "latchkey.json5"], tmp_path, env=environment(**secret))


def test_the_texts_and_colors_are_used(start_server, tmp_path):
    templates = tmp_path / "templates"
    (templates / "strings").mkdir(parents=True)
    texts = guide.example("en.json")
    (templates / "strings" / "en.json").write_text(texts)
    (templates / "colors.json").write_text(guide.example("colors.json"))
    server = start_server(LATCHKEY_TEMPLATES=str(templates))
    server.call("accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "ann@example.com"})
    subject = json.loads(texts)["mailSignInSubject"].split(" {{")[0]
    message, = wait_until(lambda: server.get("/mailbox/messages")["messages"], 20, "the e-mail")
    assert message["subject"].startswith(subject)
    with urllib.request.urlopen(message["links"][0]) as answer:
        style, = re.findall(r'href="([^"]+\.css[^"]*)"', answer.read().decode())
    with urllib.request.urlopen(server.url + style) as answer:
        assert json.loads(guide.example("colors.json"))["accent"] in answer.read().decode()


def test_the_table_is_found(start_server, tmp_path):
    start_server()
    database, = tmp_path.rglob("latchkey.db")
    with sqlite3.connect(database) as connection:
        connection.executescript(guide.example("todos.sql"))
    variables = environment(LATCHKEY_DATABASE=f"sqlite:{database}")
    assert "todos" in run([binary(), "assets", "scan"], tmp_path, env=variables)
