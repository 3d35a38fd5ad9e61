"""A browser that waits for conditions, and looks at a page as a critic does."""

import pathlib

import axe_playwright_python
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from fleet import eventually

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


class Browser:
    def __init__(self, pictures=None):
        self.pictures = pictures and pathlib.Path(pictures)
        if self.pictures:
            self.pictures.mkdir(parents=True, exist_ok=True)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Root has no sandbox, and containers have a small /dev/shm.
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.shape(1280, "light")

    def shape(self, width, scheme, height=900):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def open(self, url, path=""):
        self.driver.get("about:blank")
        self.driver.get(url + path)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return eventually(f"an element {css}", lambda: self.all(css))[0]

    def text(self, css="main"):
        return self.script("return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText).join('\\n')", css)

    def sees(self, words, css="main"):
        try:
            eventually(f"'{words}' in {css}", lambda: words in self.text(css))
        except AssertionError as error:
            raise AssertionError(f"{error}; the page shows:\n{self.text(css)[:3000]}") from None

    def clicks(self, css, words=""):
        def click():
            found = [each for each in self.all(css) if words in each.text and each.is_displayed()]
            if found:
                self.script("arguments[0].scrollIntoView({ block: 'center' })", found[0])
                found[0].click()
            return bool(found)

        eventually(f"{css} with '{words}' can be clicked", click)

    def writes(self, css, text):
        field = self.one(css)
        field.clear()
        field.send_keys(text)

    def presses(self, key):
        webdriver.ActionChains(self.driver).send_keys(key).perform()

    @property
    def address(self):
        return self.script("return location.hash")

    def judge(self, name, ignored=()):
        """Looks at the page for faults, and takes its picture."""
        if self.pictures:
            self.driver.save_screenshot(str(self.pictures / f"{name}.png"))
        wide, window = self.script("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= window, f"{name} is {wide} pixels wide, and its window {window}"
        if not self.script("return 'axe' in window"):
            self.script(AXE)
        found = self.driver.execute_async_script("const done = arguments[0]; axe.run().then((result) => done(result.violations), (error) => done([String(error)]))")
        faults = [f"{each['id']}: {each['help']}: {[node['html'][:160] + ' ' + str(node.get('failureSummary'))[:300] for node in each['nodes'][:3]]}" for each in found if each["id"] not in ignored]
        assert not faults, f"{name}: " + "\n".join(faults)

    def complaints(self, *expected):
        """What the console shows, but for failed requests that a test expects."""
        lines = [each["message"] for each in self.driver.get_log("browser") if each["level"] in ("SEVERE", "WARNING")]
        return [line for line in lines if not any(words in line for words in expected)]

    def quit(self):
        self.driver.quit()
