"""A page in the browser, and what tests ask of it."""

import base64
import json
import os
import time
from pathlib import Path

from report_page import ROOT
from selenium.webdriver.common.by import By

TABLES = ROOT / "testdata" / "tables"
SCRIPT = "</script><script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
DROP = '"; DROP TABLE x; --'


class Page:
    def __init__(self, browser, path):
        self.browser = browser
        self.path = path
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get(path.as_uri())

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def click(self, element):
        self.run("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", element)
        element.click()

    def selected(self):
        return self.run("return treewright.selected()")

    def select(self, family, member):
        self.run("treewright.select(arguments[0], arguments[1])", family, member)

    def drawn(self):
        """The positions of the nodes in the drawing."""
        found = "[...document.querySelectorAll('#tree [data-node]')]"
        return self.run(f"return {found}.map((node) => Number(node.dataset.node))")

    def on_path(self):
        found = "[...document.querySelectorAll('#tree .node.on-path')]"
        return self.run(f"return {found}.map((node) => Number(node.dataset.node))")

    def assert_quiet(self):
        """No message in the console, and nothing asked for beyond the file itself."""
        assert [entry["message"] for entry in self.browser.get_log("browser")] == []
        asked = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        own = self.path.as_uri()
        assert [url for url in asked if url != own and not url.startswith(("data:", "blob:"))] == []

    def shot(self, name):
        folder = os.environ.get("TREEWRIGHT_SHOTS")
        if not folder:
            return
        size = self.browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        picture = self.browser.execute_cdp_cmd(
            "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
        )
        path = Path(folder) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(picture["data"]))


def wait_for(path):
    end = time.monotonic() + 10
    while not path.exists() or not path.stat().st_size:
        assert time.monotonic() < end, f"{path.name} was not saved"
        time.sleep(0.05)
    return path.read_bytes()
