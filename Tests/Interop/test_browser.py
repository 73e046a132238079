"""A real browser opens an e-mail link: it sees a page, and the link still works afterwards."""
import shutil
import subprocess
import time

import pytest

CHROMIUM = shutil.which("chromium")


def open_in_browser(url, folder):
    """The page as the browser has built it, scripts and all; a fresh profile each time."""
    return subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         f"--user-data-dir={folder}", "--dump-dom", url],
        capture_output=True, text=True, timeout=180, check=True,
    ).stdout


def newest_link(server, email):
    for _ in range(100):
        for message in server.get("/mailbox/messages")["messages"]:
            if message["to"] == [email]:
                return message["links"][0]
        time.sleep(0.05)
    raise AssertionError("no mail came")


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_opening_a_link_in_a_browser_spends_nothing(server, tmp_path):
    email = "scanned@example.com"
    server.send_link(email, continueUrl="")
    link = newest_link(server, email)
    code = link.split("oobCode=")[1].split("&")[0]

    for round in range(3):
        page = open_in_browser(link, tmp_path / f"profile-{round}")
        assert 'class="page-code"' in page and "<h1>" in page

    signed_in = server.redeem(email, code)
    assert signed_in["isNewUser"] is True
    assert "page-already-signed-in" in open_in_browser(link, tmp_path / "profile-after"), "now it is spent"


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_page_asks_for_the_digits_of_a_waiting_device(server, tmp_path):
    email = "waiting@example.com"
    ticket = server.send_link(email, locale="de", continueUrl="")
    with pytest.raises(Exception, match="TICKET_PENDING"):
        server.call("accounts:signInWithTicket", {"ticket": ticket["ticket"]})
    page = open_in_browser(newest_link(server, email), tmp_path / "profile")
    assert '<html lang="de"' in page
    assert 'name="confirmation"' in page and 'class="page-approve"' in page
    assert f'>{ticket["confirmation"]}<' not in page, "the page never shows the digits"
