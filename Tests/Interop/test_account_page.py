"""The account page in Chromium, without JavaScript: a person signs in, looks, ends a session, downloads, and deletes."""
import base64
import json
import urllib.request

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

from support.browser import Browser
from support.mailbox import code, link, newest
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")


class Person(Browser):
    """A browser that runs no scripts of pages."""

    def __init__(self, folder):
        super().__init__(folder, "--window-size=1280,1000")
        self.downloads = folder / "downloads"
        self.downloads.mkdir()
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.downloads)},
        )

    def press(self, action, index=0):
        """Presses the button of a form, and waits for the next page."""
        page = self.driver.find_element(By.TAG_NAME, "html")
        self.driver.find_elements(By.CSS_SELECTOR, f'form[action="{action}"] button')[index].click()
        WebDriverWait(self.driver, 15).until(expected_conditions.staleness_of(page))

    @property
    def words(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def shoot(self, folder, name):
        """Takes pictures at the widths of a phone and of a desktop, light and dark; fails if the page is wider."""
        folder.mkdir(exist_ok=True)
        for width, height in ((390, 844), (1280, 1000)):
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
            )
            for scheme in ("light", "dark"):
                self.driver.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
                )
                size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
                assert size["width"] <= width, f"{name} is {size['width']} wide"
                shot = self.driver.execute_cdp_cmd(
                    "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {**size, "scale": 1}},
                )
                (folder / f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def person(tmp_path):
    browser = Person(tmp_path)
    yield browser
    browser.close()


def sign_in(server, email):
    asked = server.send_link(email, continueUrl="")
    return server.redeem_ticket(asked["ticket"], code(newest(server, email)))


def test_a_person_manages_an_account_without_javascript(start_server, person, tmp_path):
    server = start_server(LATCHKEY_ACCOUNT_PAGE="on", LATCHKEY_APP_NAME="Meadow Notes")
    shots = tmp_path / "shots"
    app = sign_in(server, "ann@example.com")
    request = urllib.request.Request(
        f"{server.url}/v1/documents/notes/first", b'{"text": "milk"}',
        {"Content-Type": "application/json", "Authorization": f"Bearer {app['idToken']}"}, method="PUT",
    )
    urllib.request.urlopen(request, timeout=15).close()

    # By e-mail: the link, opened in this browser.
    person.open(f"{server.url}/account")
    person.shoot(shots, "sign-in")
    person.driver.find_element(By.ID, "email").send_keys("ann@example.com")
    person.press("/account/sign-in")
    assert "ann@example.com" in person.words
    person.shoot(shots, "inbox")
    person.open(link(newest(server, "ann@example.com", 2)))
    person.shoot(shots, "continue")
    person.press("/account/link")
    assert person.driver.current_url == f"{server.url}/account"
    assert "This session" in person.words
    person.shoot(shots, "account")

    # The other session is the app's.
    sessions = person.driver.find_elements(By.CSS_SELECTOR, 'form[action="/account/end-session"]')
    assert len(sessions) == 2
    person.driver.find_element(By.TAG_NAME, "summary").click()
    person.shoot(shots, "change")

    person.driver.find_element(By.CSS_SELECTOR, 'a[href="/account/export"]').click()
    files = wait_until(lambda: list(person.downloads.glob("*.json")), 20, "the download")
    export = json.loads(files[0].read_text())
    assert [document["document"] for document in export["documents"]] == [{"text": "milk"}]

    # From the app, with its URL, in the same browser.
    answer = server.call("accounts:createAccountUrl", {"idToken": app["idToken"]})
    person.open(answer["url"])
    assert "a***@example.com" in person.words
    person.press("/account/open")
    assert "ann@example.com" in person.words
    person.open(answer["url"])
    person.press("/account/open")
    assert "already used" in person.words, "the URL is used"

    person.open(f"{server.url}/account")
    person.driver.find_element(By.CSS_SELECTOR, 'a[href="/account/delete"]').click()
    person.shoot(shots, "delete")
    person.press("/account/delete")
    person.shoot(shots, "deleted")
    with pytest.raises(Exception, match="USER_NOT_FOUND"):
        server.call("accounts:lookup", {"idToken": app["idToken"]})


def test_a_guest_sees_the_page_in_their_language(start_server, person, tmp_path):
    server = start_server(LATCHKEY_ACCOUNT_PAGE="on", LATCHKEY_APP_NAME="Meadow Notes", LATCHKEY_DEFAULT_LOCALE="de")
    guest = server.call("accounts:signUp", {})
    person.driver.execute_cdp_cmd("Network.enable", {})
    person.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": "de"}})
    person.open(server.call("accounts:createAccountUrl", {"idToken": guest["idToken"]})["url"])
    person.press("/account/open")
    assert "als Gast" in person.words and "Dein Konto" in person.words
    person.shoot(tmp_path / "shots", "guest")
