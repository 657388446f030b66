"""Reports of bundled tables, opened in a real browser.

Needs the program (TREEWRIGHT_PROGRAM, or one built in target/), Chromium with its driver, and
selenium; without them the tests are skipped and say why. TREEWRIGHT_SHOTS names a folder for
pictures of the pages.
"""

import csv
import os
import random
import shutil
from pathlib import Path

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
import report_page  # noqa: E402
from browser_page import DROP, IMAGE, SCRIPT, TABLES, Page  # noqa: E402
from report_page import ROOT, Program  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402


def find_program():
    given = os.environ.get("TREEWRIGHT_PROGRAM")
    places = [Path(given)] if given else [ROOT / "target" / kind / "treewright" for kind in KINDS]
    return next((str(place) for place in places if place.exists()), None)


KINDS = ("release", "debug")


@pytest.fixture(scope="session")
def program():
    path = find_program()
    if path is None:
        pytest.skip("the program is not built: cargo build, or set TREEWRIGHT_PROGRAM")
    return Program(path)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next((found for name in names if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("Chromium or its driver is missing (Debian: chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.add_argument("--window-size=1280,800")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    browser.downloads = tmp_path_factory.mktemp("downloads")
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(browser.downloads)},
    )
    yield browser
    browser.quit()


def hostile_table(path):
    """Names that do harm wherever they are taken for something else than text."""
    chance = random.Random(1)
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow([SCRIPT, DROP, IMAGE, "__proto__", "</title><b>bold"])
        for _ in range(200):
            name = chance.choice([IMAGE, SCRIPT, DROP, "&lt;", ""])
            size = round(chance.random() * 10, 2)
            other = chance.choice([DROP, "two\nlines", "constructor"])
            answer = SCRIPT if (name in (IMAGE, SCRIPT)) == (size > 4) else IMAGE
            answer = "toString" if other == "constructor" and size > 8 else answer
            table.writerow([name, size, other, chance.randint(0, 5), answer])


class Reports:
    """Reports of tables, each made once. The only place that knows how reports come to be."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.made = {}

    def table(self, name):
        if name != "hostile":
            return TABLES / f"{name}.csv"
        path = self.folder / "hostile.csv"
        if not path.exists():
            hostile_table(path)
        return path

    def report(self, name):
        if name not in self.made:
            path = self.folder / f"{name}.html"
            options = ["--folds", 5, "--budget", "20s"]
            payload = self.program.run("explore", self.table(name), *options, "-o", path)
            if name == "hostile":
                payload["title"] = f"</title>{SCRIPT}"
                payload["answer"] += f" {IMAGE}{SCRIPT}"
                payload["families"][0]["title"] += IMAGE
                payload["families"][0]["members"][0]["words"] += SCRIPT
                path.write_text(report_page.page(payload), encoding="utf-8")
            self.made[name] = path
        return self.made[name]


@pytest.fixture(scope="session")
def reports(program, tmp_path_factory):
    return Reports(program, tmp_path_factory.mktemp("reports"))


@pytest.fixture
def open_page(browser, reports):
    """Opens the report of a table, in a window of some size and in light or dark."""

    def open_page(name, width=1280, height=800, scheme="light"):
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        return Page(browser, reports.report(name))

    return open_page
