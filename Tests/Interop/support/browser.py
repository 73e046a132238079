"""Browsers, driven by Selenium: one profile each, as two devices of a person are."""
import os
import subprocess
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.webkitgtk.options import Options as WebKitOptions
from selenium.webdriver.webkitgtk.service import Service as WebKitService

from .waiting import wait_until


class ScriptError(AssertionError):
    """What a script in the page has thrown; `code` is a LatchkeyError's."""

    def __init__(self, code: str, text: str):
        self.code = code
        super().__init__(f"{code}: {text}")


class Browser:
    """Chromium with a profile of its own."""

    def __init__(self, folder: Path, *arguments: str):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        profile = tempfile.mkdtemp(dir=folder, prefix="profile-")
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en",
                         f"--user-data-dir={profile}", *arguments]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(60)

    def open(self, url: str) -> None:
        self.driver.get(url)

    def new_tab(self, url: str) -> str:
        """Opens a tab and goes to it; the handle of the tab."""
        self.driver.switch_to.new_window("tab")
        self.driver.get(url)
        return self.driver.current_window_handle

    def run(self, script: str, *arguments):
        """The result of an asynchronous function's body in the page; `args` are the arguments."""
        answer = self.driver.execute_async_script(
            "const reply = arguments[arguments.length - 1], args = [...arguments].slice(0, -1);"
            f"(async () => {{ {script} }})().then((value) => reply({{ value }}),"
            "(error) => reply({ code: error.code ?? error.name, text: String(error.stack ?? error) }));",
            *arguments,
        )
        if "code" in answer:
            raise ScriptError(answer["code"], answer["text"])
        return answer.get("value")

    def wait_for(self, expression: str, what: str, patience: float = 20):
        """Waits until an expression in the page is true, and returns its value."""
        return wait_until(lambda: self.run(f"return {expression}"), patience, what)

    def click(self, identifier: str) -> None:
        self.driver.find_element("id", identifier).click()

    def type(self, identifier: str, text: str) -> None:
        """Replaces what a field holds, as one change: `clear()` would be one of its own, which pages save."""
        self.driver.find_element("id", identifier).send_keys(Keys.CONTROL + "a" + Keys.NULL + text)

    def text(self, identifier: str) -> str:
        return self.driver.find_element("id", identifier).text

    def is_shown(self, identifier: str) -> bool:
        return self.driver.find_element("id", identifier).is_displayed()

    def severe(self) -> list[str]:
        """Script errors and refused resources that the page has reported since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def forget(self) -> None:
        """Becomes as good as new: one tab, and nothing stored."""
        former = self.driver.window_handles
        self.driver.switch_to.window(former[0])
        self.driver.switch_to.new_window("tab")
        for tab in former:
            self.driver.execute_cdp_cmd("Target.closeTarget", {"targetId": tab})
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.severe()

    def close(self) -> None:
        self.driver.quit()


class WebKit(Browser):
    """WebKitGTK's browser, on a display of its own; what it stores is gone with it."""

    def __init__(self):
        self._display = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        options = WebKitOptions()
        options.binary_location, = map(str, Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"))
        options.add_argument("--automation")
        environment = os.environ | {
            "DISPLAY": f":{self._display.stdout.readline().decode().strip()}",
            "LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
            # Namespaces, which the sandbox needs, are missing where tests run in a container.
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
        }
        try:
            service = WebKitService("/usr/bin/WebKitWebDriver", env=environment)
            self.driver = webdriver.WebKitGTK(options=options, service=service)
        except BaseException:
            self._end_display()
            raise
        self.driver.set_script_timeout(60)

    def close(self) -> None:
        super().close()
        self._end_display()

    def _end_display(self) -> None:
        self._display.terminate()
        self._display.wait()
