"""The console in Chromium, on the admin listener of a production server: every page, every action, and no axe violation."""
import base64
import json
import os
import pathlib
import sqlite3
import subprocess
import urllib.request

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

from support.axe import Judge
from support.latchkey import Refused, binary
from support.ports import free_port


class Operator(Judge):
    """An operator's browser."""

    def __init__(self, folder, base, shots):
        super().__init__(folder)
        self.base = base
        self.shots = shots

    def visit(self, path):
        self.open(self.base + path)

    def press(self, action, index=0):
        """Presses the button of a form, and waits for the next page."""
        page = self.driver.find_element(By.TAG_NAME, "html")
        self.driver.find_elements(By.CSS_SELECTOR, f'form[action="{action}"] button')[index].click()
        # While the page changes, Chromium may answer that it does not know the node of the old one.
        waiting = WebDriverWait(self.driver, 15, ignored_exceptions=[WebDriverException])
        waiting.until(expected_conditions.staleness_of(page))

    def follow(self, text):
        """Follows a link, and waits until its page stands in the place of the old one."""
        link = self.driver.find_element(By.LINK_TEXT, text)
        path = link.get_attribute("href")
        link.click()
        waiting = WebDriverWait(self.driver, 15, ignored_exceptions=[WebDriverException])
        waiting.until(lambda driver: driver.current_url == path and driver.find_elements(By.CSS_SELECTOR, "main h1"))

    def load_count(self):
        """Marks the document, so that a full load is noticed; returns whether it was marked before."""
        return self.driver.execute_script("const known = !!window.known; window.known = true; return known")

    @property
    def words(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def unfold(self):
        """Opens everything on the page that a click would open."""
        self.driver.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")

    def judge(self, name):
        """Asks axe about the page in both schemes, and checks that it fits on a phone; keeps pictures if a folder is given."""
        self.inject()
        for width, height in ((390, 844), (1280, 900)):
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
            )
            for scheme in ("light", "dark"):
                self.show(scheme)
                size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
                assert size["width"] <= width, f"{name} is {size['width']} wide"
                assert self.violations() == [], f"{name} {width} {scheme}"
                if self.shots:
                    shot = self.driver.execute_cdp_cmd(
                        "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {**size, "x": 0, "y": 0, "scale": 1}},
                    )
                    (self.shots / f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def console(start_server, tmp_path):
    """A server, the environment of its commands, and a browser that the command `latchkey console` let in."""
    port = free_port()
    settings = {
        "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": "a-secret-of-the-tests-with-more-than-32-bytes",
        "LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_SMTP_URL": f"smtp://127.0.0.1:{free_port()}",
        "LATCHKEY_MAIL_FROM": "Example <no-reply@example.com>", "LATCHKEY_ADMIN_LISTEN": f"127.0.0.1:{port}",
        "LATCHKEY_PROJECT_ID": "meadow", "LATCHKEY_APP_NAME": "Meadow Notes",
    }
    server = start_server(**settings)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LATCHKEY_")} | server.settings
    shots = os.environ.get("LATCHKEY_TEST_SHOTS")
    if shots:
        pathlib.Path(shots).mkdir(parents=True, exist_ok=True)
    browser = Operator(tmp_path, f"http://127.0.0.1:{port}", pathlib.Path(shots) if shots else None)
    yield server, environment, browser
    browser.close()


def administrate(browser, call, body):
    """A call on the admin listener, as an administrator's program."""
    request = urllib.request.Request(
        f"{browser.base}/v1/projects/meadow/{call}", json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer owner"},
    )
    with urllib.request.urlopen(request, timeout=15) as answer:
        return json.load(answer)


def test_an_operator_works_through_the_console(console):
    server, environment, browser = console
    uids = [administrate(browser, "accounts", {"email": f"{name}@example.com", "displayName": f"{name.title()} Miller"})["localId"]
            for name in ("ann", "bob", "clara")]
    guest = server.call("accounts:signUp", {})
    # A trace: e-mails that no mail server takes, until a limit refuses them.
    refused = 0
    while refused < 2:
        try:
            server.call("accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "bob@example.com"})
        except Refused as refusal:
            assert refusal.code == "TOO_MANY_ATTEMPTS_TRY_LATER", refusal.message
            refused += 1
    note = urllib.request.Request(
        f"{server.url}/v1/documents/notes/first", b'{"text": "milk"}',
        {"Content-Type": "application/json", "Authorization": f"Bearer {guest['idToken']}"}, method="PUT",
    )
    urllib.request.urlopen(note, timeout=15).close()

    browser.visit("/console")
    assert "Sign in to the console" in browser.words
    browser.judge("sign-in")
    made = subprocess.run([binary(), "console", "--as", "ann"], env=environment, cwd=server.folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert "No server listens" not in made.stdout
    url = made.stdout.split()[0]
    browser.open(url)
    browser.judge("open")
    browser.press("/console/open")
    assert "Overview" in browser.words
    browser.unfold()
    browser.judge("overview")
    for section in ("Mail", "Clean-up", "Refused", "Audit", "Configuration"):
        browser.follow(section)
        assert browser.driver.find_element(By.CSS_SELECTOR, "[aria-current=page]").text == section
        browser.judge(section.lower())

    # By keyboard alone: the search has a label, and Enter sends it.
    browser.follow("Users")
    browser.judge("users")
    # One document shows all these pages: nothing was loaded in full since the mark.
    assert not browser.load_count()
    browser.driver.find_element(By.ID, "search").send_keys("BOB@", Keys.ENTER)
    WebDriverWait(browser.driver, 15).until(lambda driver: "search=BOB" in driver.current_url)
    assert uids[1] in browser.words and uids[0] not in browser.words
    assert browser.load_count(), "the search replaced the content alone"
    assert browser.driver.switch_to.active_element.get_attribute("id") == "search", "the person can go on typing"
    status = browser.driver.find_element(By.CSS_SELECTOR, "[role=status].hidden").get_attribute("textContent")
    assert status.endswith("console, 1 row"), status
    browser.follow(uids[1])
    assert "Bob Miller" in browser.words and browser.load_count()
    assert browser.driver.switch_to.active_element.tag_name == "h1", "reading starts at the heading"
    assert "A limit refused the request: limits." in browser.words
    assert "the last attempt failed" in browser.words and "Wait until the limit allows more" in browser.words
    browser.unfold()
    assert "queued" in browser.words and "postponed" in browser.words
    browser.judge("user")
    browser.driver.back()
    WebDriverWait(browser.driver, 15).until(lambda driver: uids[1] in browser.words and "Bob Miller" not in browser.words)
    assert "search=BOB" in browser.driver.current_url and browser.load_count()
    browser.driver.forward()
    WebDriverWait(browser.driver, 15).until(lambda driver: "Bob Miller" in browser.words)
    user = f"/console/users/{uids[1]}"
    browser.follow("Disable…")
    browser.judge("confirm")
    browser.press(f"{user}/disable")
    assert "The user is disabled." in browser.words
    browser.follow("Change the address…")
    browser.driver.find_element(By.ID, "email").send_keys("robert@example.com")
    browser.press(f"{user}/change-address")
    assert "robert@example.com" in browser.words

    guests = f"/console/users/{guest['localId']}"
    browser.visit(guests)
    assert "notes/first" in browser.words and "milk" not in browser.words
    browser.press(f"{guests}/document")
    assert "milk" in browser.words
    browser.judge("document")
    browser.visit(f"{guests}/delete")
    browser.press(f"{guests}/delete")
    assert "The user was deleted" in browser.words
    browser.judge("receipt")
    browser.visit(guests)
    assert "was deleted" in browser.words
    browser.judge("gone")

    # The same without JavaScript: links and searches load pages in full.
    browser.visit("/console")
    assert not browser.load_count()
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.visit("/console/users")
    browser.driver.find_element(By.ID, "search").send_keys("CLARA@", Keys.ENTER)
    WebDriverWait(browser.driver, 15).until(lambda driver: "search=CLARA" in driver.current_url)
    assert browser.driver.find_elements(By.LINK_TEXT, uids[2]) and not browser.driver.find_elements(By.LINK_TEXT, uids[0])
    browser.follow("Audit")
    assert browser.driver.find_element(By.CSS_SELECTOR, "[aria-current=page]").text == "Audit"
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    # A page that cannot be fetched is loaded by the browser: here, the sign-in after the session has ended elsewhere.
    browser.visit("/console/users")
    cookies = browser.driver.get_cookies()
    browser.driver.delete_all_cookies()
    browser.driver.find_element(By.LINK_TEXT, "Audit").click()
    WebDriverWait(browser.driver, 15).until(lambda driver: "Sign in to the console" in browser.words)
    for cookie in cookies:
        browser.driver.add_cookie(cookie)

    # The URL is used up, and nothing is left after the sign-out.
    browser.visit("/console")
    browser.press("/console/sign-out")
    assert "Sign in to the console" in browser.words
    browser.open(url)
    assert "was used" in browser.words
    browser.visit(user)
    assert "robert@example.com" not in browser.words


def add_guests(database, count):
    """Adds guests with a statement of both engines."""
    statement = f"""INSERT INTO users (uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at)
        WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT 'many' || n, 1, 0, 1, 1, 1 FROM s"""
    if database.startswith("sqlite:"):
        with sqlite3.connect(database.removeprefix("sqlite:"), timeout=30) as connection:
            connection.execute(statement)
    else:
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-c", statement, database], check=True)


def test_many_guests_are_counted_beside_the_page(console):
    server, environment, browser = console
    add_guests(server.settings["LATCHKEY_DATABASE"], 30_000)
    made = subprocess.run([binary(), "console"], env=environment, cwd=server.folder, capture_output=True, text=True)
    browser.open(made.stdout.split()[0])
    browser.press("/console/open")

    def await_numbers():
        WebDriverWait(browser.driver, 30).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "#numbers dl"))
        assert "30000" in browser.words and "being counted" not in browser.words

    # The script replaces the numbers, and keeps what the person types meanwhile.
    browser.follow("Clean-up")
    browser.load_count()
    days = browser.driver.find_element(By.ID, "days")
    days.clear()
    days.send_keys("12")
    await_numbers()
    assert browser.load_count() and browser.driver.find_element(By.ID, "days").get_attribute("value") == "12"
    # Without JavaScript the page loads itself again. Another setting is counted anew.
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.visit("/console/clean-up?days=7")
    WebDriverWait(browser.driver, 30, ignored_exceptions=[WebDriverException]).until(
        lambda driver: "30000" in browser.words and "being counted" not in browser.words
    )
