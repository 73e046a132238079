"""Fixtures: a server, and the real mail servers that it sends to. Everything on loopback, everything stopped at the end."""
import os
import shutil
import urllib.parse

import pytest
from selenium.common.exceptions import WebDriverException

from support import aiosmtp, firebase_web_sdk, postfix, postgresql
from support.browser import Browser
from support.cluster import Cluster
from support.latchkey import Latchkey


ENGINE = os.environ.get("LATCHKEY_TEST_ENGINE", "sqlite")
assert ENGINE in ("sqlite", "postgresql"), f"LATCHKEY_TEST_ENGINE={ENGINE}"


# The files that take minutes. They begin first, so that the end of a run has work for all processors.
LONG = ("test_cluster_tour.py", "test_web_client_outages.py", "test_web_client_trouble.py", "test_web_client_attacks.py", "test_cluster.py",
        "test_accessibility.py", "test_web_client_tabs.py", "test_demo.py", "test_web_client.py", "test_openapi.py", "test_firebase_web_sdk.py")


def pytest_collection_modifyitems(config, items):
    """Leaves out the tests that one run of the two in `make test-all` is enough for, in the other run."""
    left = [item for item in items if any(mark.args != (ENGINE,) for mark in item.iter_markers("engine"))]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))


@pytest.fixture(scope="session")
def make_database():
    """Makes databases for servers in folders, on the engine that this run is about: their URLs."""
    if ENGINE == "sqlite":
        yield lambda folder: f"sqlite:{folder}/latchkey.db"
        return
    cluster = postgresql.PostgreSQL.temporary()
    yield lambda folder: cluster.make_database()
    cluster.remove()


@pytest.fixture
def start_server(tmp_path, make_database):
    """Starts servers with settings: `start_server(LATCHKEY_SMTP_URL=…)`; each has a folder and a database of its own."""
    started = []

    def start(**settings):
        folder = tmp_path / f"server-{len(started)}"
        folder.mkdir()
        started.append(Latchkey(folder, **{"LATCHKEY_DATABASE": make_database(folder)} | settings))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def server(start_server):
    """A server in development mode with its own mailbox."""
    return start_server()


@pytest.fixture
def start_cluster(tmp_path):
    """Starts clusters: `start_cluster("--pooler")`."""
    started = []

    def start(*options) -> Cluster:
        folder = tmp_path / f"cluster-{len(started)}"
        folder.mkdir()
        started.append(Cluster(folder, *options))
        return started[-1]

    yield start
    for cluster in started:
        cluster.stop()


@pytest.fixture(scope="session")
def real_postfix():
    """One postfix for all tests: submission with STARTTLS and SASL."""
    if os.geteuid() != 0:
        pytest.skip("postfix can be started by root only")
    for tool in ("postfix", "saslpasswd2"):
        assert shutil.which(tool), f"{tool} is missing: apt-get install postfix sasl2-bin"
    instance = postfix.Postfix()
    yield instance
    instance.stop()


@pytest.fixture
def start_aiosmtp(tmp_path):
    """Starts aiosmtpd servers: `start_aiosmtp(offers_tls=False)`."""
    started = []

    def start(**options):
        folder = tmp_path / f"aiosmtpd-{len(started)}"
        folder.mkdir()
        started.append(aiosmtp.AioSMTP(folder, **options))
        return started[-1]

    yield start
    for instance in started:
        instance.stop()


@pytest.fixture
def aiosmtp_server(start_aiosmtp):
    """aiosmtpd with STARTTLS and AUTH, both required."""
    return start_aiosmtp()


@pytest.fixture(scope="session")
def idle_browsers():
    """Browsers that tests have given back, because it takes two seconds to start one."""
    idle = []
    yield idle
    for browser in idle:
        browser.close()


@pytest.fixture
def open_browser(tmp_path_factory, idle_browsers):
    """Opens browsers, each with a profile of its own and nothing in it; `arguments` are Chromium's."""
    opened, reusable = [], []

    def open_one(url, *arguments):
        if idle_browsers and not arguments:
            browser = idle_browsers.pop()
        else:
            browser = Browser(tmp_path_factory.mktemp("chromium"), *arguments)
        (opened if arguments else reusable).append(browser)
        browser.open(url)
        return browser

    yield open_one
    for browser in reusable:
        try:
            browser.forget()
            idle_browsers.append(browser)
        except WebDriverException:
            opened.append(browser)
    for browser in opened:
        browser.close()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """One browser for many tests, which saves two seconds a test. It accepts the certificates of tests."""
    browser = Browser(tmp_path_factory.mktemp("chromium"), "--ignore-certificate-errors")
    yield browser
    browser.close()


@pytest.fixture
def one_tab(chromium):
    """That browser with one tab, in which the pages of other tests have stored nothing."""
    yield chromium
    first, *others = chromium.driver.window_handles
    for tab in [*others, first]:
        chromium.driver.switch_to.window(tab)
        origin = chromium.run("return location.origin")
        chromium.open("about:blank")
        chromium.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        if tab != first:
            chromium.driver.close()


@pytest.fixture(scope="session")
def firebase_sdk(tmp_path_factory):
    """Firebase's web SDK, bundled: the folder of its modules."""
    return firebase_web_sdk.build(tmp_path_factory.mktemp("firebase-web-sdk"))


@pytest.fixture(scope="module")
def start_firebase_app(firebase_sdk, tmp_path_factory):
    """Starts web apps that use Firebase's SDK, each on an origin of its own: `start_firebase_app(server.url)`."""
    started = []

    def start(server_url, **site):
        folder = tmp_path_factory.mktemp("firebase-app")
        started.append(firebase_web_sdk.FirebaseApp(folder, firebase_sdk, server_url, **site))
        return started[-1]

    yield start
    for app in started:
        app.stop()


def smtp_settings(server, user, password, authority=None):
    """The settings that send through a server: STARTTLS required, credentials percent-encoded."""
    credentials = f"{urllib.parse.quote(user, safe='')}:{urllib.parse.quote(password, safe='')}"
    settings = {"LATCHKEY_SMTP_URL": f"smtp://{credentials}@localhost:{server.port}?starttls=required"}
    return settings | ({"LATCHKEY_SMTP_CERTIFICATES": authority} if authority else {})


@pytest.fixture
def postfix_sender(start_server, real_postfix):
    """A server that sends through postfix."""
    return start_server(**smtp_settings(real_postfix, postfix.USER, postfix.PASSWORD, real_postfix.authority))


@pytest.fixture
def aiosmtp_sender(start_server, aiosmtp_server):
    """A server that sends through aiosmtpd."""
    return start_server(**smtp_settings(aiosmtp_server, aiosmtp.USER, aiosmtp.PASSWORD, aiosmtp_server.authority))
