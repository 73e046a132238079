"""The pages of docs/web.md as they stand there: the first one, and the recipe for pages that a server renders."""
import re
import subprocess
import urllib.error
import urllib.request

import pytest

from support import guide
from support.mailbox import link, newest
from support.ports import free_port
from support.programs import environment
from support.site import Site
from support.waiting import wait_until
from test_web_client import approve

pytestmark = pytest.mark.engine("sqlite")

LOCAL = "http://127.0.0.1:9099"


@pytest.fixture
def pages(server, tmp_path):
    """The address of the app's own server."""
    port = free_port()
    (tmp_path / "verify.mjs").write_text(guide.example("verify.mjs", {LOCAL: server.url}))
    (tmp_path / "pages.mjs").write_text(guide.example("pages.mjs", {LOCAL: server.url, "listen(8000": f"listen({port}"}))
    process = subprocess.Popen(["node", "pages.mjs"], cwd=tmp_path, env=environment())
    url = f"http://localhost:{port}/"

    def answers():
        try:
            return urllib.request.urlopen(url).status == 200
        except urllib.error.URLError:
            return False

    wait_until(answers, 20, "the app's server", process)
    yield url
    process.kill()
    process.wait()


@pytest.fixture
def browser(open_browser):
    return open_browser("about:blank")


@pytest.fixture
def site(server, tmp_path):
    """The first page, on an origin of its own, under the policy that docs/web.md names: its script is a file."""
    folder = tmp_path / "site"
    folder.mkdir()
    page = guide.example("index.html").replace(LOCAL, server.url)
    start, script, end = re.match(r'(.*<script type="module")>\n(.*)(</script>\n)$', page, re.S).groups()
    (folder / "index.html").write_text(f'{start} src="/app.js">{end}')
    (folder / "app.js").write_text(script)
    policy, = re.findall(r"^    Content-Security-Policy: (.*)$", guide.PAGES["web.md"], re.M)
    site = Site(folder, {"Content-Security-Policy": policy.replace("https://auth.example.com", server.url)})
    yield site
    site.stop()


def test_every_example_of_web_md_with_a_name_is_run():
    assert guide.names("web.md") == {"index.html", "auth.js", "main.jsx", "pages.mjs"}


def test_the_first_page_from_guest_to_two_browsers(server, site, browser, open_browser):
    def has(browser, identifier, text):
        wait_until(lambda: text in browser.text(identifier), 20, f"{text} in {identifier}")

    browser.open(site.url)
    has(browser, "who", "Guest (")
    uid = browser.text("who").split("(")[1]
    browser.type("note", "milk\n")
    browser.driver.find_element("name", "email").send_keys("ann@example.com\n")
    has(browser, "hint", "Open the link in the e-mail.")
    browser.open(link(newest(server, "ann@example.com")))
    has(browser, "who", f"ann@example.com ({uid}")
    browser.wait_for("document.getElementById('note').value === 'milk'", "the note")

    browser.open(link(newest(server, "ann@example.com")))
    has(browser, "hint", "This link is over.")

    # Another browser signs in with the link on the first one, which sends its person to the page that approves it.
    other = open_browser(site.url)
    has(other, "who", "Guest (")
    other.driver.find_element("name", "email").send_keys("not an address\n")
    other.run("document.querySelector('form').noValidate = true")
    other.driver.find_element("css selector", "#keep button").click()
    has(other, "hint", "This is not an e-mail address.")
    other.run("document.querySelector('form').reset()")
    other.driver.find_element("name", "email").send_keys("ann@example.com\n")
    has(other, "hint", "On another device, type ")
    digits = other.text("hint").split("type ")[1][:3]
    browser.open(link(newest(server, "ann@example.com", 2)))
    wait_until(lambda: browser.driver.current_url.startswith(server.url), 20, "the server's page")
    approve(browser, digits, browser.driver.current_url)
    has(other, "hint", "Welcome back.")
    has(other, "who", f"ann@example.com ({uid}")
    browser.open(site.url)
    # A change that arrives while the user types replaces the typed letters.
    other.wait_for("document.getElementById('note').value === 'milk'", "the account's note")
    other.type("note", "bread\n")
    browser.wait_for("document.getElementById('note').value === 'bread'", "the change of the other browser")
    assert not [one for one in browser.severe() + other.severe() if "Failed to load resource" not in one]


def cookie(browser):
    return browser.driver.get_cookie("session")


def test_the_server_knows_the_user_by_a_cookie_until_the_sign_out(pages, browser):
    browser.open(pages)
    assert browser.text("who") == "Hello"
    browser.run("await auth.ready")
    wait_until(lambda: cookie(browser), 20, "the cookie")
    uid = browser.run("return auth.user.uid")
    assert cookie(browser)["httpOnly"] and cookie(browser)["sameSite"] == "Lax" and browser.run("return document.cookie") == ""
    browser.open(pages)
    assert browser.text("who") == f"Hello {uid}"

    browser.run("await auth.signOut({ deleteGuest: true })")
    wait_until(lambda: not cookie(browser), 20, "the end of the cookie")
    browser.open(pages)
    assert browser.text("who") == "Hello" and browser.run("await auth.ready; return auth.user") is None

    browser.run("await auth.start()")
    wait_until(lambda: cookie(browser), 20, "the next guest's cookie")
    browser.open(pages)
    assert browser.text("who") == f"Hello {browser.run('return auth.user.uid')}" != f"Hello {uid}"


def test_a_cookie_that_is_none_renders_no_user_and_a_bad_token_makes_none(server, pages, browser):
    token = server.call("accounts:signUp", {})["idToken"]

    def asked(path="", **more):
        try:
            return urllib.request.urlopen(urllib.request.Request(pages + path, **more))
        except urllib.error.HTTPError as refused:
            return refused

    assert asked("session", method="POST", headers={"Authorization": f"Bearer {token}"}).status == 204
    for authorization in ["", "Bearer ", f"Bearer {token}x", "Bearer owner"]:
        assert asked("session", method="POST", headers={"Authorization": authorization}).status == 401, authorization
    assert asked("session", method="GET", headers={"Authorization": f"Bearer {token}"}).status == 401
    # An ID token is no cookie.
    for value in [token, "x", "a.b.c"]:
        assert b">Hello</p>" in asked(headers={"Cookie": f"session={value}"}).read(), value
    server.stop()
    assert asked("session", method="POST", headers={"Authorization": f"Bearer {token}"}).status == 503
