"""Report pages made from what the program prints, without the command that writes reports.

Runs `path`, `fit`, `score` and `export` on a table and puts their results together in the form that
`docs/formats.md` describes. Standard library only.
"""

import csv
import json
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / "crates" / "treewright" / "src" / "export" / "html"
MISSING = {"", "?", "NA", "NaN", "null"}
MOST_LEAVES = 100


def page(payload):
    """The report of a payload: the parts of the page in one file."""
    text = (PARTS / "page.html").read_text(encoding="utf-8")
    include = re.compile(r"/\*include ([a-z.]+)\*/")
    text = include.sub(lambda part: _part(part[1]), text)
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    before, after = text.split("/*DATA*/")
    return before + data + after


def _part(name):
    """A part of the page without the spaces at the start of its lines."""
    return re.sub("(?m)^ +", "", (PARTS / name).read_text(encoding="utf-8"))


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        command = [self.path, *map(str, arguments), "--json", "--quiet"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
        return json.loads(done.stdout)


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def payload(program, table, *, options=(), depths=(1, 2, 3), folds=10, most_rows=1000, dyadic=True):
    """The payload of a table; `options` go to every command that learns."""
    families = []
    first = None
    for penalty, title in (("linear", "Greedy, pruned"), ("sqrt", "Greedy, pruned (√ leaves)")):
        family = program.run(
            "path", "greedy", table, "--folds", folds, "--penalty", penalty, *options
        )
        first = first or family
        families.append(_family(family, f"greedy-{penalty}", title, _GREEDY))
    classification = first["task"] == "classification"
    if classification and dyadic:
        family = program.run(
            "path", "dyadic", table, "--folds", folds, "--time-limit", "5s", *options
        )
        families.append(_family(family, "dyadic", "Dyadic", _DYADIC))
    if classification and depths:
        families.append(_optimal(program, table, depths, options))
    start = families[0]["chosen"]["1se"]
    while families[0]["members"][start]["leaves"] > MOST_LEAVES:
        start -= 1
    training = first["training"]
    chosen = families[0]["members"][start]
    return {
        "format": "treewright.report",
        "version": 1,
        "title": Path(table).name,
        "task": first["task"],
        "table": {"name": Path(table).name, "rows": training["rows"], "weight": training["weight"]},
        "features": first["features"],
        "target": first["target"],
        "folds": {"folds": folds, "repeats": 1, "seed": 0},
        "baseline": {"cost": families[0]["members"][0]["cost"]},
        "answer": f"A tree with {chosen['leaves']} leaves is good enough: its cross-validated cost "
        f"is {chosen['cv_error']:.4g}, within one standard error of the best.",
        "families": families,
        "start": {"family": 0, "member": start},
        "sample": _sample(table, first, most_rows),
    }


_GREEDY = "No pruning of the same greedy tree has a lower cost with as few leaves: proven."
_DYADIC = "No dyadic tree with these cells is better for any weight in the interval: proven."


def _family(family, name, title, words):
    members = family["members"]
    exact = family["certificate"]["exact_down_to"] == 0
    kept = [
        {"depth": None, "words": words, "optimal": True, "gap": 0.0, **member} for member in members
    ]
    for member in kept:
        if "nodes" in member:
            member["depth"] = _depth(member["nodes"])
            if member["leaves"] > MOST_LEAVES:
                member["nodes"] = None
    result = {
        "id": name,
        "title": title,
        "kind": "family",
        "learner": family["learner"],
        "penalty": family["penalty"],
        "seconds": family["search"]["seconds"],
        "chosen": family.get("chosen"),
        "certificate": family["certificate"],
        "words": "The family is complete." if exact else "A limit ended the search early.",
        "members": kept,
    }
    if "nodes" in family:
        result["nodes"] = _thinned(family)
    return result


def _thinned(family):
    """The nodes of the largest member of a nested family that is small enough for a page."""
    small = [member for member in family["members"] if member["leaves"] <= MOST_LEAVES]
    lowest = small[-1]["lambda_low"]
    nodes = family["nodes"]
    kept, order = {0: 0}, [0]
    for old in order:
        if nodes[old].get("collapse_at", lowest) > lowest:
            for child in nodes[old]["children"]:
                kept[child] = len(order)
                order.append(child)
    result = []
    for old in order:
        node = dict(nodes[old])
        if node.get("collapse_at", lowest) > lowest:
            node["children"] = [kept[child] for child in node["children"]]
        else:
            for key in ("split", "children", "missing", "collapse_at"):
                node.pop(key, None)
        result.append(node)
    return result


def _optimal(program, table, depths, options):
    members = []
    seconds = 0
    learner = None
    for depth in depths:
        model = program.run(
            "fit", "optimal", table, "--depth", depth, "--time-limit", "5s", *options
        )
        learner = model["learner"]
        seconds += model["training"]["seconds"]
        intervals = learner["params"]["intervals"]
        certificate = model["certificate"]
        proof = (
            "proven"
            if certificate["optimal"]
            else f"at most {100 * certificate['gap']:.1f}% could be gained"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            path.write_text(json.dumps(model), encoding="utf-8")
            score = program.run("score", path, table)
            rules = program.run("export", path, "--to", "rules")["text"]
        members.append(
            {
                **{key: model["training"][key] for key in ("leaves", "depth", "cost", "errors")},
                "cv_error": None,
                "cv_se": None,
                "words": f"No tree of depth {depth} with up to {intervals} intervals makes fewer "
                f"errors on these rows: {proof}.",
                "optimal": certificate["optimal"],
                "gap": certificate["gap"],
                "nodes": model["nodes"],
                "confusion": score["confusion"],
                "texts": {"rules": rules},
            }
        )
    return {
        "id": "optimal",
        "title": f"Optimal, depth {depths[0]} to {depths[-1]}",
        "kind": "trees",
        "learner": learner,
        "penalty": None,
        "seconds": seconds,
        "chosen": None,
        "certificate": None,
        "words": "",
        "members": members,
    }


def _depth(nodes):
    depth = [0] * len(nodes)
    for i, node in enumerate(nodes):
        for child in node.get("children", ()):
            depth[child] = depth[i] + 1
    return max(depth)


def _sample(table, model, most_rows):
    header, rows = read_table(table)
    step = max(1, -(-len(rows) // most_rows))
    picked = range(0, len(rows), step)
    columns = []
    for feature in model["features"]:
        at = header.index(feature["name"])
        cells = [rows[i][at] for i in picked]
        if feature["kind"] == "numeric":
            columns.append([None if cell in MISSING else float(cell) for cell in cells])
        else:
            codes = {name: code for code, name in enumerate(feature["categories"])}
            columns.append([None if cell in MISSING else codes[cell] for cell in cells])
    at = header.index(model["target"]["name"])
    cells = [rows[i][at] for i in picked]
    if model["task"] == "classification":
        classes = {name: index for index, name in enumerate(model["target"]["classes"])}
        target = [classes[cell] for cell in cells]
    else:
        target = [float(cell) for cell in cells]
    return {
        "row": [i + 1 for i in picked],
        "columns": columns,
        "target": target,
        "of": len(rows),
    }
