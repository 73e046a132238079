"""axe-core finds no violation of WCAG 2.2, level A or AA, on any page, in any e-mail or in the demo."""
import pytest

from support.axe import Judge
from support.preview import Preview

pytestmark = pytest.mark.engine("sqlite")

# What a scheme can break: the stylesheets change nothing but colors.
COLOR_RULES = ["color-contrast", "link-in-text-block"]


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    browser = Judge(tmp_path_factory.mktemp("axe"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def preview(tmp_path_factory):
    logo = tmp_path_factory.mktemp("brand") / "logo.svg"
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><path d="M0 0h4v1H0z"/></svg>')
    running = Preview(
        LATCHKEY_BRAND_NAME="Favorite Number", LATCHKEY_BRAND_LOGO=str(logo), LATCHKEY_BRAND_COLOR="#b8256f",
        LATCHKEY_BRAND_APP_URL="https://app.example.com", LATCHKEY_BRAND_SUPPORT_URL="mailto:help@example.com",
        LATCHKEY_BRAND_PRIVACY_URL="https://example.com/privacy", LATCHKEY_BRAND_POSTAL_ADDRESS="1 Main Street\nSpringfield",
    )
    yield running
    running.stop()


@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_page_and_mail(judge, preview, language):
    wrong = {}
    for name, url in preview.urls(language).items():
        judge.place(url)
        judge.show("light")
        wrong[f"{name}, light"] = judge.violations()
        judge.show("dark")
        wrong[f"{name}, dark"] = judge.violations(COLOR_RULES)
    assert {name: found for name, found in wrong.items() if found} == {}
    direction = judge.run("return getComputedStyle(document.documentElement).direction")
    assert direction == ("rtl" if language == "ar" else "ltr")


def test_demo_and_mailbox(judge, server):
    wrong = {}

    def check(name: str):
        judge.inject()
        judge.show("light")
        wrong[f"{name}, light"] = judge.violations()
        judge.show("dark")
        wrong[f"{name}, dark"] = judge.violations(COLOR_RULES)

    judge.open(f"{server.url}/demo")
    check("demo of a guest")
    judge.wait_for("!document.getElementById('less').disabled", "the data")
    check("demo with data")
    server.send_link("ann@example.com")
    judge.open(f"{server.url}/mailbox")
    judge.wait_for("document.querySelector('.messages a')", "the e-mail")
    check("mailbox")
    judge.open(judge.run("return document.querySelector('.messages a').href"))
    check("message")
    assert {name: found for name, found in wrong.items() if found} == {}


def test_axe_finds_what_is_wrong(judge, preview):
    judge.place(f"{preview.url}/pages/landing")
    judge.run("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=x>'); document.documentElement.lang = ''")
    found = " ".join(judge.violations())
    assert "image-alt" in found and "html-has-lang" in found
    judge.place(f"{preview.url}/pages/landing")
    judge.run("document.querySelector('h1').style.color = 'light-dark(black, #222)'")
    judge.show("light")
    assert judge.violations() == []
    judge.show("dark")
    assert "color-contrast" in " ".join(judge.violations(COLOR_RULES)), "each scheme is judged"
