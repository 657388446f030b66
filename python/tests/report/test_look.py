"""What the report page looks like: what fits, what is readable, what stands where."""

import base64
import csv
import json
import random
import re

import pytest
import report_page
from browser_page import Page, wait_for
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# The contrast of every text with its ground, where it is below what WCAG asks for (AA).
FAINT_TEXTS = """
    const channels = (text) => {
      const found = text.match(/[\\d.]+(e-?\\d+)?/g).map(Number);
      const scale = text.startsWith("color(") ? 255 : 1;
      return [...found.slice(0, 3).map((x) => x * scale), found.length > 3 ? found[3] : 1];
    };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
    const light = (color) => {
      const [r, g, b] = color.map((x) => x / 255).map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const groundOf = (element) => {
      const layers = [];
      for (let one = element; one; one = one.parentElement) layers.unshift(getComputedStyle(one).backgroundColor);
      return layers.map(channels).reduce((below, top) => over(top, below), [255, 255, 255]);
    };
    const faint = [];
    for (const element of document.querySelectorAll("body *")) {
      const hasText = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
      const { width, height } = element.getBoundingClientRect();
      if (!hasText || !width || !height || element.disabled || element.tagName === "OPTION") continue;
      const style = getComputedStyle(element);
      const drawing = element.closest("svg");
      let ground = groundOf(drawing || element);
      const frame = element.closest(".node")?.querySelector(".frame");
      if (frame) ground = over(channels(getComputedStyle(frame).fill), ground);
      let solid = 1;
      for (let one = element; one; one = one.parentElement) solid *= Number(getComputedStyle(one).opacity);
      const ink = channels(drawing ? style.fill : style.color);
      const shown = over([...ink.slice(0, 3), ink[3] * solid], ground);
      const [dark, bright] = [light(shown), light(ground)].sort((a, b) => a - b);
      const contrast = (bright + 0.05) / (dark + 0.05);
      if (contrast < 4.5) faint.push([contrast.toFixed(2), element.textContent]);
    }
    return faint;
"""

LONG = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]


def write(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture(scope="module")
def explored(browser, program, tmp_path_factory):
    """Opens the report of a table that is written by `write_rows(chance)`, made once."""
    folder = tmp_path_factory.mktemp("explored")

    def explored(name, header, write_rows):
        path = folder / f"{name}.html"
        if not path.exists():
            table = write(folder / f"{name}.csv", header, write_rows(random.Random(3)))
            program.run("explore", table, "--folds", 3, "--budget", "8s", "-o", path)
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False},
        )
        return Page(browser, path)

    return explored


def steps(chance):
    """Many leaves, long names, and cuts with as many digits as a number has."""
    for _ in range(900):
        x, y = chance.random(), chance.random()
        kind = chance.choice(["almond", "barberry", "cherry", "damson", "elderberry", "fig"])
        place = int(5 * x) + int(5 * y) + (kind in ("damson", "fig"))
        yield [x, y, kind, LONG[place % 3]]


def rare(chance):
    """A class of one row in fifty that no tree predicts, though some rows are likelier than others."""
    for _ in range(2000):
        x = chance.random()
        yield [
            x,
            chance.random(),
            "yes" if chance.random() < (0.1 if x > 0.85 else 0.005) else "no",
        ]


@pytest.fixture
def steps_page(explored):
    return explored("steps", ["a_long_name_of_a_length", "width", "kind", "class"], steps)


@pytest.fixture
def rare_page(explored):
    return explored("rare", ["amount", "other", "fraud"], rare)


@pytest.mark.parametrize("name", ["titanic", "rings", "shop", "prices"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(open_page, name, scheme):
    page = open_page(name, scheme=scheme)
    assert page.run(FAINT_TEXTS) == []


def test_first_tree_fits_and_names_are_whole(steps_page):
    page = steps_page
    width, room = page.run(
        "const box = document.querySelector('#tree'); return [box.scrollWidth, box.clientWidth]"
    )
    assert width <= room
    names = page.run(
        "return [...document.querySelectorAll('#tree .leaf .name')].map((one) => one.textContent)"
    )
    assert set(names) <= set(LONG)
    page.assert_quiet()


def test_questions_say_where_their_feature_begins_and_ends(open_page):
    page = open_page("rings")
    page.select(0, 3)
    columns = page.run("return treewright.report.sample.columns")
    feature = page.run(
        "const {family} = treewright.selected();"
        "return treewright.report.families[family].nodes[0].split.feature"
    )
    texts = page.run(
        "return [...document.querySelectorAll('#tree [data-node=\"0\"] .picture text')]"
        ".map((one) => Number(one.textContent))"
    )
    known = [value for value in columns[feature] if value is not None]
    assert texts == pytest.approx([min(known), max(known)], rel=1e-3)


def test_numbers_are_points_with_the_means_beside_the_cut(open_page):
    page = open_page("prices")
    page.select(0, 2)
    numeric = page.run(
        "const {features} = treewright.report; const {nodes} = treewright.report.families[0];"
        "return [...document.querySelectorAll('#tree .node:not(.leaf)')]"
        ".filter((node) => features[nodes[node.dataset.node].split.feature].kind === 'numeric')"
        ".map((node) => [node.querySelectorAll('.dots').length, node.querySelectorAll('.level').length])"
    )
    assert numeric
    assert all(dots and levels == 2 for dots, levels in numeric)
    page.assert_quiet()


def holds(condition, value):
    """Whether a number fulfils conditions such as `> 0.25 and ≤ 0.5`."""
    tests = {
        "≤": lambda cut: value <= cut,
        "<": lambda cut: value < cut,
        ">": lambda cut: value > cut,
        "≥": lambda cut: value >= cut,
    }
    return all(
        tests[sign](float(cut)) for sign, cut in re.findall(r"([≤<>≥]) ([\d.e-]+)", condition)
    )


def test_rounded_cuts_divide_the_rows_alike(steps_page, browser):
    """Rules on the page have few digits and still hold for the rows of their leaves; the file has all digits."""
    page = steps_page
    lines = page.run(
        "return [...document.querySelectorAll('#leaves tbody tr')]"
        ".map((line) => [Number(line.dataset.leaf), line.querySelector('.rule').textContent])"
    )
    sample = page.run("return treewright.report.sample.columns")
    names = page.run("return treewright.report.features.map(({name}) => name)")
    longest = 0
    for column, name in zip(sample[:2], names[:2], strict=True):
        for leaf, rule in lines:
            found = re.search(rf"{name} ((?:[≤<>≥] [\d.e-]+)(?: and [≤<>≥] [\d.e-]+)*)", rule)
            if not found:
                continue
            longest = max(longest, *(len(one) for one in re.findall(r"[\d.e-]+", found[1])))
            page.run(
                "document.querySelector(arguments[0]).click()", f'#leaves tr[data-leaf="{leaf}"]'
            )
            boxes = page.all("#rows-tools input")
            if not boxes[-1].is_selected():
                boxes[-1].click()
            rows = page.run(
                "return [...document.querySelectorAll('#rows tbody tr')].map((row) => Number(row.dataset.row))"
            )
            assert all(holds(found[1], column[row]) for row in rows), rule
    assert 0 < longest <= 8
    page.click(page.find("#leaves-csv"))
    path = browser.downloads / f"leaves-{len(lines)}.csv"
    assert re.search(r"0\.\d{12,}", wait_for(path).decode())
    path.unlink()
    page.assert_quiet()


def test_long_sets_are_numbers_where_the_other_branch_names_them(steps_page):
    page = steps_page
    labels = []
    for member in range(3, 7):
        page.select(0, member)
        labels += page.run(
            "return [...document.querySelectorAll('#tree .edge-label')]"
            ".map((one) => [one.firstChild.data, one.lastChild.textContent])"
        )
    numbers = [
        (int(found[1]), whole)
        for label, whole in labels
        if (found := re.match(r"(\d+) others$", label))
    ]
    assert numbers
    for number, whole in numbers:
        assert whole.count(",") + 1 == number
    page.assert_quiet()


def test_curve_fills_its_card_and_outdone_families_are_folded(open_page):
    page = open_page("titanic")
    dominated = page.run("return treewright.report.families.filter((one) => one.dominated).length")
    assert dominated
    count = len(page.run("return treewright.report.families"))
    assert len(page.all("#others .mark")) == count - dominated
    room = (
        "const note = document.querySelector('#curve-note');"
        "return note.closest('.card').getBoundingClientRect().bottom - note.getBoundingClientRect().bottom"
    )
    assert page.run(room) < 50
    page.click(page.find("#unfold"))
    assert len(page.all("#others .mark")) == count
    assert page.all("#unfold") == []


def test_eight_families_have_eight_marks(browser, open_page, tmp_path):
    page = open_page("titanic")
    payload = page.run("return treewright.report")
    payload["families"] = [{**payload["families"][0], "id": f"f{i}"} for i in range(8)]
    path = tmp_path / "eight.html"
    path.write_text(report_page.page(payload), encoding="utf-8")
    page = Page(browser, path)
    marks = page.run(
        "return [...document.querySelectorAll('#legend .mark path')]"
        ".map((one) => [one.getAttribute('d'), getComputedStyle(one).fill])"
    )
    assert len({shape for shape, _ in marks}) == len({color for _, color in marks}) == 8


def test_compared_trees_are_whole(steps_page):
    page = steps_page
    page.select(0, 3)
    page.click(page.find("#keep"))
    for member in (1, 5):
        page.select(0, member)
        cut_off = page.run(
            "return [...document.querySelectorAll('.still-box')].map((box) => box.scrollWidth - box.clientWidth)"
        )
        assert cut_off == [0, 0]
    page.click(page.find("#compare-close"))
    page.assert_quiet()


def test_print_has_all_lines_and_few_pages(steps_page, browser):
    page = steps_page
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        height, whole, lines, note = page.run(
            "const box = document.querySelector('#leaves .tall');"
            "return [box.clientHeight, box.scrollHeight,"
            "[...box.querySelectorAll('tbody tr')].filter((line) => line.getClientRects().length).length,"
            "Boolean(document.querySelector('#leaves .print-only'))]"
        )
        leaves = len(page.all("#leaves tbody tr"))
        assert height == whole
        assert lines == min(30, leaves)
        assert note == (leaves > 30)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    pdf = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", base64.b64decode(pdf["data"]))
    assert 0 < len(pages) <= 8


def test_rare_class_leads_to_the_tree_that_ranks_best(rare_page):
    page = rare_page
    best = page.run(
        "return Math.max(...treewright.report.families.flatMap(({members}) => members)"
        ".map(({quality}) => quality && quality.ranking ? quality.ranking.auc : 0))"
    )
    page.select(0, 0)
    page.click(page.find("#ranks-best"))
    auc = page.run(
        "const {family, member} = treewright.selected();"
        "return treewright.report.families[family].members[member].quality.ranking.auc"
    )
    assert auc == best > 0.6
    assert page.find("#enough select").get_attribute("value") == "auc"
    # Precision of a rare class is drawn as high as it is, not as a line along the floor.
    tops = page.run(
        "return [...document.querySelectorAll('#quality svg.plot')][1].querySelector('path.line:not(.baseline)')"
        ".getBBox().height"
    )
    assert tops > 60
    page.select(0, 1)
    assert page.all("#ranks-best") == []
    page.assert_quiet()


def test_selection_by_hand_is_called_so(open_page):
    page = open_page("shop")
    select = page.find("#enough select")
    start = select.get_attribute("value")
    slider = page.find("#slider")
    slider.send_keys(Keys.END)
    assert select.get_attribute("value") == "hand"
    family, member = page.run(
        "const {family, member} = treewright.report.start; return [family, member]"
    )
    page.select(family, member)
    assert select.get_attribute("value") == start


def test_sliders_obey_mouse_and_keyboard(open_page, browser):
    page = open_page("shop")
    for selector in ("#threshold", "#cost"):
        slider = page.find(selector)
        page.run("arguments[0].scrollIntoView({block: 'center'})", slider)
        before = page.text("#threshold-words"), slider.get_attribute("aria-valuetext")
        slider.send_keys(Keys.ARROW_RIGHT)
        slider.send_keys(Keys.ARROW_RIGHT)
        after = page.text("#threshold-words"), slider.get_attribute("aria-valuetext")
        assert before != after
        wide = slider.size["width"]
        ActionChains(browser).move_to_element_with_offset(
            slider, wide // 2 - 12, 0
        ).click().perform()
        assert slider.get_attribute("aria-valuetext") != after[1]
    assert page.find("#cost").get_attribute("aria-valuetext").startswith("A missed")
    page.assert_quiet()


def test_fields_are_short_and_say_their_range(steps_page):
    page = steps_page
    row = page.run("return treewright.report.sample.columns.map((column) => column[0])")
    page.run("document.querySelector('#rows tbody tr[data-row=\"0\"]').click()")
    fields = page.all("#row input[type=text]")
    for field in fields:
        assert len(field.get_attribute("value")) <= 9
    assert re.search(r"\d to [01]", page.text("#row .field small"))
    # What is not typed in keeps its digits.
    field = next(one for one in fields if one.is_displayed())
    field.clear()
    field.send_keys("0.5")
    values = page.selected()["row"]["values"]
    assert sorted(json.dumps(value) for value in values if value in row) != []
    assert sum(value != own for value, own in zip(values, row, strict=True)) == 1
    page.run("document.querySelector('#row-tools button').click()")


def test_regression_figures_are_written_as_in_the_answer(open_page):
    page = open_page("prices")
    found = re.search(r"off by ([\d.,]+) ± ([\d.,]+)", page.text("#answer"))
    headline = page.text("#headline").replace(",", "")
    for figure in found.groups():
        assert figure.rstrip(".,").replace(",", "") in headline
