"""axe-core finds no violation of WCAG 2.2, level A or AA, on any page, in any e-mail or in the demo."""
import pytest

from support.axe import Judge
from support.preview import Preview

pytestmark = pytest.mark.engine("sqlite")


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


@pytest.mark.parametrize("language, scheme", [("en", "light"), ("en", "dark"), ("ar", "dark")])
def test_every_page_and_mail(judge, preview, language, scheme):
    if language not in preview.languages:
        pytest.skip(f"no texts in {language}")
    judge.show(scheme)
    wrong = {name: found for name, url in preview.urls(language).items() if (found := judge.violations(url))}
    assert wrong == {}
    direction = judge.run("return getComputedStyle(document.documentElement).direction")
    assert direction == ("rtl" if language == "ar" else "ltr")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_demo_and_mailbox(judge, server, scheme):
    judge.show(scheme)
    wrong = {"demo of a guest": judge.violations(f"{server.url}/demo")}
    judge.wait_for("!document.getElementById('less').disabled", "the data")
    wrong["demo with data"] = judge.violations()
    server.send_link("ann@example.com")
    judge.open(f"{server.url}/mailbox")
    judge.wait_for("document.querySelector('.messages a')", "the e-mail")
    wrong["mailbox"] = judge.violations()
    wrong["message"] = judge.violations(judge.run("return document.querySelector('.messages a').href"))
    assert {name: found for name, found in wrong.items() if found} == {}


def test_axe_finds_what_is_wrong(judge, preview):
    judge.open(f"{preview.url}/pages/landing")
    judge.run("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=x>'); document.documentElement.lang = ''")
    found = " ".join(judge.violations())
    assert "image-alt" in found and "html-has-lang" in found
