"""The report page in a real browser: the tree, the curve, rows and texts."""

import csv
import json
import random
import time
from xml.etree import ElementTree

import pytest
import report_page
from browser_page import DROP, IMAGE, SCRIPT, TABLES, Page, wait_for
from report_page import PARTS, read_table
from selenium.webdriver.common.keys import Keys

UNSEEN = "never seen before"
MOST_PAGE = 200_000
CLOSE = 1e-12

ALL = ["titanic", "rings", "shop", "prices", "hostile"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light")])
def test_every_tree_is_drawn_quietly(open_page, name, width, scheme):
    page = open_page(name, width=width, scheme=scheme)
    page.shot(f"{name}-{width}-{scheme}")
    families = page.run("return treewright.report.families.map(({members}) => members.length)")
    for family, members in enumerate(families):
        for member in sorted({0, members // 2, members - 1}):
            page.select(family, member)
            leaves = page.run(
                "return treewright.report.families[arguments[0]].members[arguments[1]].leaves",
                family,
                member,
            )
            if leaves <= report_page.MOST_LEAVES:
                assert page.drawn()
    assert page.run("return document.documentElement.scrollWidth") <= width
    assert page.run("return getComputedStyle(document.body).fontFamily").startswith("system-ui")
    assert page.run("return document.documentElement.dataset.theme") == scheme
    page.assert_quiet()


def test_slider_changes_tree_and_figures(open_page):
    page = open_page("rings")
    before = (page.drawn(), page.text("#figures"), page.text("#text"), page.text("#confusion"))
    slider = page.find("#slider")
    slider.send_keys(Keys.ARROW_LEFT)
    after = (page.drawn(), page.text("#figures"), page.text("#text"), page.text("#confusion"))
    assert all(old != new for old, new in zip(before, after, strict=True))
    slider.send_keys(Keys.HOME)
    assert page.drawn() == [0]
    assert "1 leaf" in slider.get_attribute("aria-valuetext")
    slider.send_keys(Keys.END)
    last = page.run("return treewright.report.families[0].members.length") - 1
    assert page.selected()["member"] == last
    page.assert_quiet()


def test_second_slider_appears_where_the_first_is_out_of_sight(open_page):
    page = open_page("rings")
    bar = page.find("#bar")
    assert not bar.is_displayed()
    page.run("document.getElementById('rows').scrollIntoView()")
    end = time.monotonic() + 5
    while not bar.is_displayed():
        assert time.monotonic() < end
    slider = page.find("#bar input")
    before = page.drawn()
    slider.send_keys(Keys.ARROW_LEFT)
    assert page.drawn() != before
    assert page.find("#slider").get_attribute("value") == slider.get_attribute("value")
    page.assert_quiet()


def test_curve_and_slider_are_linked(open_page):
    page = open_page("rings")
    point = page.find('.point[data-family="0"][data-member="4"]')
    page.click(point)
    assert page.selected()["member"] == 4
    assert page.find("#slider").get_attribute("value") == "4"
    chosen = page.all('#curve [aria-selected="true"]')
    assert [mark.get_attribute("data-member") for mark in chosen] == ["4"]
    # The keyboard: along the family, then to another one.
    chosen[0].send_keys(Keys.ARROW_RIGHT)
    assert page.selected()["member"] == 5
    page.run(
        "return document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'ArrowDown', bubbles: true}))"
    )
    assert page.selected()["family"] == 1
    # A family that is switched off has no marks, unless it is the selected one.
    page.select(0, 4)
    page.click(page.all("#legend button")[2])
    assert page.all('.point[data-family="2"]') == []
    page.assert_quiet()


def test_nodes_fold_and_are_linked(open_page):
    page = open_page("rings")
    page.select(0, 5)
    everything = page.drawn()
    root = page.find('#tree [data-node="0"]')
    page.click(root)
    assert page.selected()["node"] == 0
    root = page.find('#tree [data-node="0"]')
    root.send_keys(Keys.SPACE)
    assert page.drawn() == [0]
    assert page.find('#tree [data-node="0"]').get_attribute("aria-expanded") == "false"
    page.find('#tree [data-node="0"]').send_keys(Keys.ARROW_RIGHT)
    assert page.drawn() == everything
    # To the first child by key, and what the other views say about it.
    page.find('#tree [data-node="0"]').send_keys(Keys.ARROW_RIGHT)
    child = page.run("return treewright.report.families[0].nodes[0].children[0]")
    assert page.selected()["node"] == child
    assert page.find("#node .path").text
    assert page.all("#node svg.plot rect")
    # A click into the partition selects a leaf.
    page.run(
        "document.querySelector('.partition .cell')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    leaf = page.selected()["node"]
    assert page.find(f'#tree [data-node="{leaf}"]').get_attribute("aria-selected") == "true"
    assert page.all(".partition .in-node")
    page.assert_quiet()


def way_of(nodes, row):
    """The nodes that a row passes, by the rules of the format alone; parents first."""
    way, stack = [], [0]
    while stack:
        at = stack.pop(0)
        way.append(at)
        node = nodes[at]
        if "children" not in node:
            continue
        split, value = node["split"], row[node["split"]["feature"]]
        position = None
        if value is not None and split["kind"] == "categories":
            position = split["branches"][value]
        elif value is not None:
            closed_right = split["closed"] == "right"
            position = sum(
                value > cut or (value == cut and not closed_right) for cut in split["cuts"]
            )
        if position is None:
            position = node["missing"]
        stack.extend(node["children"] if position == "distribute" else [node["children"][position]])
    return sorted(way)


@pytest.mark.parametrize(
    ("name", "learner"), [("titanic", "optimal"), ("shop", "dyadic"), ("rings", "dyadic")]
)
def test_clicked_row_shows_its_way(open_page, name, learner):
    page = open_page(name)
    families = page.run("return treewright.report.families.map(({learner}) => learner.name)")
    family = families.index(learner)
    page.select(family, 1)
    nodes = page.run("return treewright.report.families[arguments[0]].members[1].nodes", family)
    sample = page.run("return treewright.report.sample")
    # The table is drawn anew with every choice, so its lines are found anew.
    lines = page.all("#rows tbody tr")[:6]
    for index in [int(line.get_attribute("data-row")) for line in lines]:
        page.click(page.find(f'#rows [data-row="{index}"]'))
        row = [column[index] for column in sample["columns"]]
        assert sorted(page.on_path()) == way_of(nodes, row)
        assert page.all(".row-mark")
        answer = page.run("return treewright.predict(arguments[0]).value", row)
        label = page.run("return treewright.report.target.classes[arguments[0]]", answer)
        sentence = page.text("#sentence")
        assert f"Row {sample['row'][index]:,} of the table" in sentence
        assert page.find("#sentence strong").text == label
    page.assert_quiet()


def test_typed_row(open_page):
    page = open_page("prices")
    page.select(0, 3)
    assert page.on_path() == []
    field = page.find("#row input[type=text]")
    page.run("arguments[0].scrollIntoView({block: 'center'})", field)
    field.clear()
    field.send_keys("25.5")
    small = page.text("#sentence strong")
    assert "A row as typed" in page.text("#sentence")
    assert page.on_path()
    field.clear()
    field.send_keys("1e3")
    assert page.text("#sentence strong") != small
    # What is no number leaves the row as it was, and is marked.
    said = page.text("#sentence")
    field.send_keys("x")
    assert page.text("#sentence") == said
    assert field.get_attribute("aria-invalid") == "true"
    # An empty field is a missing value, which greedy trees share out.
    field.clear()
    assert "shared out" in page.text("#sentence")
    page.assert_quiet()


def test_hostile_names_stay_text(open_page):
    page = open_page("hostile")
    for family in range(4):
        for member in range(
            page.run("return treewright.report.families[arguments[0]].members.length", family)
        ):
            page.select(family, member)
            page.run(
                "document.querySelectorAll('#tree [data-node]')"
                ".forEach((node) => node.dispatchEvent(new MouseEvent('click', {bubbles: true})))"
            )
    page.click(page.find("#rows tbody tr"))
    assert page.text("h1") == f"</title>{SCRIPT}"
    assert page.text("#legend button").endswith(IMAGE)
    assert page.all("img, b.bold, title b") == []
    assert len(page.all("script")) == 2
    assert page.run("return Object.prototype.hasOwnProperty.call(Object.prototype, '0')") is False
    names = page.run("return [...document.querySelectorAll('#rows th button')].map((b) => b.title)")
    assert names[1:5] == [SCRIPT, DROP, IMAGE, "__proto__"]
    # An alert would have made every command after it fail.
    page.assert_quiet()


def members_to_compare(family):
    """A few members that are in the page, the largest among them."""
    count = len([one for one in family["members"] if one["leaves"] <= report_page.MOST_LEAVES])
    return sorted({0, 1, count // 3, 2 * count // 3, count - 1} & set(range(count)))


def altered(rows, columns, kinds, chance):
    """Every row as it is, and once more with cells emptied or unknown."""
    result = [list(row) for row in rows]
    for row in rows:
        row = list(row)
        for at, kind in zip(columns, kinds, strict=True):
            if chance.random() < 0.4:
                row[at] = "" if kind == "numeric" or chance.random() < 0.5 else UNSEEN
        result.append(row)
    return result


@pytest.mark.parametrize("name", ["titanic", "rings", "shop", "prices"])
@pytest.mark.parametrize("learner", ["greedy", "branch", "dyadic", "optimal", "costs"])
def test_answers_are_those_of_the_program(open_page, program, tmp_path, name, learner):
    if name == "prices" and learner in ("dyadic", "optimal", "costs"):
        pytest.skip("for classes only")
    table = TABLES / f"{name}.csv"
    page = open_page(name)
    models = []
    if learner == "optimal":
        for depth in (1, 2, 3):
            models.append(program.run("fit", "optimal", table, "--depth", depth))
        family = {"members": [{**model["training"], "nodes": model["nodes"]} for model in models]}
        family.update({key: models[0][key] for key in ("features", "target", "task")})
    else:
        options = {"branch": ["--missing", "branch"]}.get(learner, [])
        if learner == "costs":
            classes = page.run("return treewright.report.target.classes")
            costs = tmp_path / "costs.csv"
            lines = [["", *classes]]
            for i, label in enumerate(classes):
                lines.append([label, *(0 if i == j else 1 + 3 * i for j in range(len(classes)))])
            with open(costs, "w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(lines)
            options = ["--costs", costs]
        kind = "dyadic" if learner == "dyadic" else "greedy"
        family = program.run("path", kind, table, *options)
        path = tmp_path / "family.json"
        path.write_text(json.dumps(family), encoding="utf-8")
        for member in family["members"]:
            models.append(program.run("prune", path, "--lambda", repr(member["lambda_low"])))
    header, rows = read_table(table)
    features = family["features"]
    at = [header.index(feature["name"]) for feature in features]
    rows = altered(rows[:400], at, [feature["kind"] for feature in features], random.Random(2))
    given = tmp_path / "rows.csv"
    with open(given, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    coded = [
        [code(feature, row[i]) for feature, i in zip(features, at, strict=True)] for row in rows
    ]
    # The page answers for what it holds, so it gets this family in place of its first.
    page.run(
        "Object.assign(treewright.report.target, arguments[1]);"
        "treewright.report.families[0] = arguments[0]; treewright.select(1, 0);",
        family,
        family["target"],
    )
    for member in members_to_compare(family):
        page.run(
            "treewright.forget(); treewright.select(1, 0); treewright.select(0, arguments[0])",
            member,
        )
        answers = page.run(
            "return arguments[0].map((row) => treewright.predict(row))"
            ".map(({value, proba}) => [value, proba])",
            coded,
        )
        model = tmp_path / "model.json"
        model.write_text(json.dumps(models[member]), encoding="utf-8")
        assert page.text("#text") == program.run("export", model, "--to", "rules")["text"]
        proba = ["--proba"] if family["task"] == "classification" else []
        expected = program.run("predict", model, given, *proba)
        for i, (value, own) in enumerate(answers):
            if proba:
                assert family["target"]["classes"][value] == expected["predictions"][i], rows[i]
                assert own == pytest.approx(expected["proba"][i], abs=CLOSE)
            else:
                assert value == pytest.approx(expected["predictions"][i], rel=CLOSE)


def code(feature, cell):
    if cell in report_page.MISSING:
        return None
    if feature["kind"] == "numeric":
        return float(cell)
    return feature["categories"].index(cell) if cell in feature["categories"] else -1


def test_single_model_without_rows(browser, program, tmp_path):
    """The least that a report can be: one tree, nothing validated, no rows, no optional field."""
    model = program.run("fit", "optimal", TABLES / "shop.csv", "--depth", 2)
    training = model["training"]
    member = {key: training[key] for key in ("leaves", "cost", "errors")}
    member.update(nodes=model["nodes"], texts={"sql": "CASE 1", "python": "def predict(): ..."})
    payload = {
        "format": "treewright.report",
        "version": 1,
        "title": "model.json",
        "task": model["task"],
        "table": {"name": "shop.csv", "rows": training["rows"], "weight": training["weight"]},
        "features": model["features"],
        "target": model["target"],
        "families": [{"id": "model", "title": "Optimal", "kind": "trees", "members": [member]}],
    }
    path = tmp_path / "model.html"
    path.write_text(report_page.page(payload), encoding="utf-8")
    page = Page(browser, path)
    assert len(page.drawn()) == len(model["nodes"])
    assert [tab.text for tab in page.all("#texts-tools [role=tab]")] == ["Rules", "SQL", "Python"]
    page.click(page.all("#texts-tools [role=tab]")[1])
    assert page.text("#text") == "CASE 1"
    page.click(page.find("#copy"))
    assert page.find("#copy").text == "Copied"
    page.click(page.all("#tree [data-node]")[1])
    page.click(page.find("#row select"))
    assert page.find("#sentence strong").text in model["target"]["classes"]
    page.assert_quiet()


def test_tree_that_is_not_part_of_the_page(open_page):
    page = open_page("shop")
    last = page.run("return treewright.report.families[0].members.length") - 1
    page.select(0, last)
    assert page.drawn() == []
    assert "not part of the page" in page.text("#tree")
    page.click(page.find("#rows tbody tr"))
    page.select(0, 1)
    assert page.drawn()
    page.assert_quiet()


def test_drawings_are_saved(open_page, browser):
    page = open_page("shop")
    for tools, name in (("#curve-tools", "error-against-size"), ("#partition-tools", "partition")):
        svg, png = page.all(f"{tools} button")[-2:]
        page.click(svg)
        page.click(png)
        drawing = ElementTree.fromstring(wait_for(browser.downloads / f"{name}.svg"))
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in ElementTree.tostring(drawing, encoding="unicode")
        assert wait_for(browser.downloads / f"{name}.png").startswith(b"\x89PNG")
    page.assert_quiet()


def test_theme_can_be_chosen(open_page):
    page = open_page("titanic")
    page.click(page.find("#theme"))
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    page.run("localStorage.clear()")
    page.assert_quiet()


@pytest.mark.parametrize("name", ALL)
def test_opens_within_a_second(open_page, name):
    taken = []
    for _ in range(3):
        page = open_page(name)
        taken.append(
            page.run("const t = performance.timing; return t.loadEventEnd - t.navigationStart")
        )
    assert min(taken) < 1000


def test_page_is_small_and_complete():
    empty = report_page.page({})
    assert len(empty.encode()) < MOST_PAGE
    assert "/*include" not in empty
    assert "http://" not in empty.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in empty
    parts = {path.relative_to(PARTS).as_posix() for path in PARTS.rglob("*") if path.is_file()}
    used = parts - {"page.html", "PAYLOAD.md"}
    skeleton = (PARTS / "page.html").read_text(encoding="utf-8")
    assert all(f"/*include {name}*/" in skeleton for name in used)
