"""The demo's whole story in Chromium, with a browser for each device of a person."""
import json
import re
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from support.browser import Browser
from support.lossy_proxy import LossyProxy
from support.mailbox import code, link, newest
from support.waiting import wait_until

pytestmark = pytest.mark.engine("sqlite")
SCRIPT = Path(__file__).resolve().parents[2] / "Sources/WebClient/demo/demo.js"

# The browser logs every answer with an error. These are part of the story: a number that was never chosen, the tokens of a
# guest who has an address now, a wrong address or code. What the page makes of them is tested by what it shows.
ANSWER = re.compile(r"/v1/\S+ - Failed to load resource: the server responded with a status of (400|404) ")

# Runs before the page's own scripts: records what the Content-Security-Policy has refused.
WATCH_POLICY = """
    window.refused = [];
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => refused.push(`${violatedDirective} ${blockedURI}`));
"""


class Demo(Browser):
    """A browser that has the demo open."""

    def __init__(self, folder):
        super().__init__(folder, "--window-size=1280,1100")
        self.driver.execute_cdp_cmd("Page.enable", {})
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_POLICY})

    def begin(self, url):
        """Opens the demo of a server that this browser has never seen."""
        origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self.severe()
        self.go(url)

    def go(self, url):
        """Opens the demo, and waits until it can be used."""
        self.open(url)
        self.wait_for("!document.getElementById('less').disabled || document.getElementById('data').hidden", "the data")

    def end(self):
        """Leaves one tab with an empty page."""
        first, *others = self.driver.window_handles
        for tab in others:
            self.driver.switch_to.window(tab)
            self.driver.close()
        self.driver.switch_to.window(first)
        self.open("about:blank")

    def press(self, selector):
        self.driver.find_element("css selector", selector).click()

    def wait_for_text(self, identifier, text, patience=20):
        """Waits until an element is shown with a text in it."""
        wait_until(lambda: self.is_shown(identifier) and text in self.text(identifier), patience,
                   f"{text!r} in #{identifier}, which has {self.text(identifier)!r}")

    def notes(self):
        return self.run("return [...document.querySelectorAll('#notes li span')].map(({ textContent }) => textContent)")

    def add_note(self, text):
        before = len(self.notes())
        self.type("text", text)
        self.press("#add button")
        wait_until(lambda: len(self.notes()) == before + 1, 20, "the note")

    def choose(self, number):
        """Presses + until the number is chosen."""
        while (shown := int(self.text("number"))) < number:
            self.click("more")
            self.wait_for_text("number", str(shown + 1))

    def keep(self, email):
        self.type("email", email)
        self.click("ask-button")
        self.wait_for_text("address", email)

    def enter(self, email, message):
        """Signs in with the code of an e-mail."""
        self.keep(email)
        self.type("code", code(message()))
        self.press("#redeem button")

    def complaints(self):
        """What the console and the Content-Security-Policy have to say, but for answers that are part of the story."""
        return [line for line in self.severe() if not ANSWER.search(line)] + self.run("return refused")


@pytest.fixture(scope="module")
def devices(tmp_path_factory):
    """Two browsers with a profile each. Every server is another origin, so they are new to each test's."""
    opened = [Demo(tmp_path_factory.mktemp("demo")) for _ in range(2)]
    yield opened
    for demo in opened:
        demo.close()


@pytest.fixture
def open_demo(server, devices):
    """Opens the demo on the first device, then on the second."""
    unused = list(devices)

    def open_one(url=f"{server.url}/demo"):
        demo = unused.pop(0)
        demo.begin(url)
        return demo

    yield open_one
    for demo in devices:
        demo.end()


def test_the_demo_is_short():
    assert len(SCRIPT.read_text().splitlines()) <= 150


def test_a_guest_keeps_it_in_the_same_tab_and_picks_a_username(server, open_demo):
    laptop = open_demo()
    assert laptop.text("who") == "Guest" and laptop.text("number") == "7" and laptop.text("empty") == "No notes yet."
    laptop.choose(9)
    laptop.add_note("Buy bread")
    laptop.go(f"{server.url}/demo")
    assert (laptop.text("who"), laptop.text("number")) == ("Guest", "9")
    wait_until(lambda: laptop.notes() == ["Buy bread"], 20, "the note after a reload")

    laptop.keep("ann@example.com")
    assert re.fullmatch(r"\d{3}", laptop.text("digits"))
    assert laptop.run("return document.activeElement.id") == "pending-title"
    assert not laptop.is_shown("keep")
    digits = laptop.text("digits")
    laptop.go(f"{server.url}/demo")
    laptop.wait_for_text("digits", digits)

    laptop.go(link(newest(server, "ann@example.com")))
    laptop.wait_for_text("message", "Kept")
    assert "oobCode" not in laptop.driver.current_url and not laptop.is_shown("pending")
    assert (laptop.text("who"), laptop.text("number")) == ("ann@example.com", "9")
    wait_until(lambda: laptop.notes() == ["Buy bread"], 20, "the note of the guest")

    laptop.type("username", "ann_1")
    laptop.press("#claim button")
    laptop.wait_for_text("who", "ann_1 · ann@example.com")
    assert not laptop.is_shown("welcome")

    laptop.driver.find_element("css selector", "#notes button").send_keys(Keys.ENTER)
    wait_until(lambda: laptop.notes() == [], 20, "the end of the note")
    assert laptop.run("return document.activeElement.id") == "notes-title"

    laptop.go(link(newest(server, "ann@example.com")))
    laptop.wait_for_text("message", "This link is over")
    laptop.click("leave")
    laptop.wait_for_text("who", "Signed out")
    assert not laptop.is_shown("data") and not laptop.is_shown("message")
    assert laptop.complaints() == []


def test_the_link_in_another_tab_finishes_the_first_tab_too(server, open_demo):
    laptop = open_demo()
    laptop.keep("tab@example.com")
    first = laptop.driver.current_window_handle
    laptop.new_tab(link(newest(server, "tab@example.com")))
    laptop.wait_for_text("message", "Kept")
    laptop.driver.switch_to.window(first)
    laptop.wait_for_text("message", "Kept")
    assert laptop.text("who") == "tab@example.com" and not laptop.is_shown("pending")
    assert laptop.complaints() == []


def test_the_link_on_a_phone_signs_the_laptop_in(server, open_demo):
    laptop = open_demo()
    laptop.choose(8)
    laptop.keep("far@example.com")
    phone = open_demo(link(newest(server, "far@example.com")))
    phone.wait_for_text("link", "f***@example.com")
    assert "Chrome · Linux asked at" in phone.text("link-text") and phone.text("who") == "Guest"
    digits = laptop.text("digits")
    phone.click("approve")
    phone.driver.find_element("name", "confirmation").send_keys(digits, Keys.ENTER)
    laptop.wait_for_text("message", "Kept")
    assert (laptop.text("who"), laptop.text("number")) == ("far@example.com", "8")
    phone.go(link(newest(server, "far@example.com")))
    phone.wait_for_text("message", "This link is over")
    assert phone.text("who") == "Guest" and not phone.is_shown("link")
    assert laptop.complaints() + phone.complaints() == []


def test_a_request_can_be_denied_on_a_phone(server, open_demo):
    laptop = open_demo()
    laptop.keep("no@example.com")
    phone = open_demo(link(newest(server, "no@example.com")))
    phone.wait_for_text("link", "n***@example.com")
    phone.click("deny")
    phone.wait_for_text("message", "Declined")
    assert not phone.is_shown("link")
    laptop.wait_for("!document.getElementById('message').hidden", "the end of the request")
    assert (laptop.text("who"), laptop.is_shown("keep"), laptop.is_shown("pending")) == ("Guest", True, False)
    assert laptop.complaints() + phone.complaints() == []


@pytest.mark.parametrize("guest", ["merge", "drop"])
def test_the_link_continues_here_only_with_its_address_and_a_choice(server, open_demo, guest):
    laptop = open_demo()
    laptop.keep("here@example.com")
    phone = open_demo(link(newest(server, "here@example.com")))
    phone.add_note("Of the phone")
    phone.press("#link summary")
    phone.type("here-email", "wrong@example.com")
    phone.press("#here .primary")
    phone.wait_for_text("fate", "What happens to them?")
    assert phone.run("return document.querySelectorAll('#fate :checked').length") == 0
    phone.press("#here .primary")  # refused by the browser: nothing is selected
    assert phone.text("who") == "Guest" and phone.run("return document.querySelector('#here').checkValidity()") is False

    phone.press(f"#fate [value={guest}]")
    phone.press("#here .primary")
    wait_until(lambda: "does not match" in phone.driver.find_element("css selector", "#link .problem").text, 20, "the refusal")
    assert phone.is_shown("here") and phone.text("who") == "Guest"

    phone.type("here-email", "here@example.com")
    phone.press("#here .primary")
    phone.wait_for_text("who", "here@example.com")
    wait_until(lambda: phone.notes() == (["Of the phone"] if guest == "merge" else []), 20, "the notes of the account")
    assert not phone.is_shown("link")
    laptop.wait_for_text("message", "The link was used in another browser")
    assert laptop.text("who") == "Guest" and laptop.is_shown("keep")
    assert laptop.complaints() + phone.complaints() == []


class TestShortLinks:
    @pytest.fixture
    def server(self, start_server):
        return start_server(LATCHKEY_LIFE_SIGN_IN_LINK="8s")

    def test_a_link_that_expired_is_over_and_a_new_one_can_be_sent(self, server, open_demo):
        laptop = open_demo()
        laptop.keep("late@example.com")
        message = newest(server, "late@example.com")
        laptop.wait_for_text("message", "expired", 60)
        assert laptop.is_shown("keep") and not laptop.is_shown("pending")
        laptop.go(link(message))
        laptop.wait_for_text("message", "This link is over")
        laptop.keep("late@example.com")
        assert laptop.text("who") == "Guest"


def test_two_browsers_merge_and_follow_each_other(server, open_demo):
    laptop = open_demo()
    laptop.choose(8)
    laptop.add_note("Of the laptop")
    laptop.enter("both@example.com", lambda: newest(server, "both@example.com"))
    laptop.wait_for_text("message", "Kept")

    phone = open_demo()
    phone.choose(9)
    phone.add_note("Of the phone")
    phone.keep("both@example.com")
    phone.type("code", "0000 0000")
    phone.press("#redeem button")
    wait_until(lambda: "not the code" in phone.driver.find_element("css selector", "#pending .problem").text, 20, "the refusal")
    phone.type("code", code(newest(server, "both@example.com", 2)))
    phone.press("#redeem button")
    phone.wait_for_text("message", "Welcome back, both@example.com")
    assert phone.text("message-lines").splitlines() == [
        "Notes: 1 moved into your account.", "Favourite number: both had one, and your account’s stays.",
    ]
    for browser in (laptop, phone):
        wait_until(lambda: browser.notes() == ["Of the laptop", "Of the phone"], 20, "the notes of both")
        browser.wait_for_text("number", "8")

    phone.choose(9)
    laptop.wait_for_text("number", "9")
    laptop.add_note("Live")
    wait_until(lambda: "Live" in phone.notes(), 20, "the note on the other device")
    laptop.type("username", "both")
    laptop.press("#claim button")
    phone.wait_for_text("who", "both · both@example.com")
    assert laptop.complaints() + phone.complaints() == []


def test_signing_out_warns_before_it_deletes_a_guest(server, open_demo):
    laptop = open_demo()
    laptop.add_note("Only here")
    for stay in (lambda: laptop.click("stay"), lambda: laptop.driver.switch_to.active_element.send_keys(Keys.ESCAPE)):
        laptop.click("leave")
        laptop.wait_for_text("farewell", "deletes your number and your notes for good")
        assert laptop.run("return document.activeElement.id") == "stay"
        stay()
        wait_until(lambda: not laptop.is_shown("farewell"), 20, "the end of the dialog")
        assert laptop.text("who") == "Guest" and laptop.notes() == ["Only here"]
    laptop.click("leave")
    laptop.click("delete")
    laptop.wait_for_text("who", "Signed out")
    laptop.go(f"{server.url}/demo")
    assert laptop.text("who") == "Signed out"
    laptop.click("again")
    laptop.wait_for_text("who", "Guest")
    wait_until(lambda: laptop.notes() == [] and laptop.is_shown("empty"), 20, "a guest without notes")
    assert laptop.complaints() == []


def test_nothing_can_be_changed_before_it_is_loaded(server, devices):
    laptop, _ = devices
    proxy = LossyProxy(server.url)
    hold = proxy.hold("accounts:signUp")
    try:
        laptop.open(f"{proxy.url}/demo")
        assert laptop.text("who") == "Starting…"
        assert [laptop.driver.find_element("id", one).is_enabled() for one in ("less", "more", "text", "add-button")] == [False] * 4
        hold.released.set()
        laptop.wait_for("!document.getElementById('less').disabled", "the number")
        assert laptop.driver.find_element("id", "add-button").is_enabled()
    finally:
        hold.released.set()
        laptop.end()
        proxy.stop()


def test_markup_stays_text(server, open_demo):
    markup = """<img src=x onerror="window.owned = 1"><script>window.owned = 1</script>"""
    laptop = open_demo()
    laptop.enter("markup@example.com", lambda: newest(server, "markup@example.com"))
    laptop.wait_for_text("who", "markup@example.com")

    # What other apps and tools of the user may have written.
    token = laptop.run("""
        const { createLatchkey } = await import("/sdk/latchkey.js");
        return createLatchkey({ url: location.origin }).token();
    """)
    server.call("accounts:update", {"idToken": token, "displayName": markup})
    for name, document in {
        "notes/raw": {"text": markup}, "notes/array": {"text": [markup]}, "notes/none": {"text": None},
        "notes/owned": {"markup": markup}, "favourites/number": {"value": markup},
    }.items():
        put = urllib.request.Request(f"{server.url}/v1/documents/{name}", json.dumps(document).encode(), method="PUT",
                                     headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        urllib.request.urlopen(put, timeout=15).close()
    wait_until(lambda: len(laptop.notes()) == 4, 20, "the raw documents")
    laptop.add_note(markup)
    laptop.wait_for_text("who", f"{markup} · markup@example.com")
    laptop.go(f"{server.url}/demo")
    wait_until(lambda: laptop.notes().count(markup) == 3, 20, "the markup as text")
    laptop.wait_for_text("number", "0")
    # A username cannot have markup; the page checks before the server does.
    laptop.run("document.getElementById('claim').noValidate = true; document.getElementById('username').value = args[0]", markup)
    laptop.press("#claim button")
    wait_until(lambda: laptop.driver.find_element("css selector", "#welcome .problem").text, 20, "the refusal")

    # The link's page may be any below the server's origin, with any parameters.
    continued = f"{server.url}/demo?{urllib.parse.quote(markup)}#{urllib.parse.quote(markup)}"
    server.send_link("url@example.com", continueUrl=continued)
    phone = open_demo(link(newest(server, "url@example.com")))
    phone.wait_for_text("link", "u***@example.com")
    assert "onerror" in phone.driver.current_url

    for browser in (laptop, phone):
        assert browser.run("return window.owned ?? null") is None
        assert browser.run("return document.querySelectorAll('body img, body script').length") == 0
        assert browser.complaints() == []
