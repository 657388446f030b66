"""An outside evaluator of model files.

Knows the model format and nothing of the program: it reads the table itself, sends every row down
the tree, and recomputes what the file claims (counts, values, training figures) and what
`treewright predict --proba` printed. Standard library only.

    python3 tests/python/evaluate.py target/debug/treewright

runs the bundled tables with many options. Tables of a folder with a MANIFEST.json are added when
TREEWRIGHT_DATA names one. Two further arguments check one model against one table:

    python3 tests/python/evaluate.py target/debug/treewright model.json table.csv
"""

import argparse
import csv
import gzip
import io
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from bisect import bisect_left, bisect_right
from fractions import Fraction
from pathlib import Path

TABLES = Path(__file__).resolve().parents[2] / "testdata" / "tables"
RELATIVE = 1e-9
DEFAULT_NA = ["?", "NA", "NaN", "null"]
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
MISSING = None
UNSEEN = "never seen before"


class Difference(Exception):
    """The file or the program says something else than the rows do."""


def expect(condition, message):
    if not condition:
        raise Difference(message)


def close(a, b):
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=1e-12)


# Tables


def read_table(path):
    """Header and rows of cells."""
    data = Path(path).read_bytes()
    if str(path).endswith(".gz"):
        data = gzip.decompress(data)
    header, *rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    return header, [row for row in rows if row]


def write_table(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def is_number(text):
    return NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def is_missing(text, na):
    return text == "" or text in na


def sorted_labels(labels):
    """Class labels by number if all are numbers, else by code point."""
    if all(is_number(label) for label in labels):
        return sorted(labels, key=lambda label: (float(label), label))
    return sorted(labels)


class Rows:
    """The rows of a table as a model sees them."""

    def __init__(self, model, header, rows, options, with_target=True):
        self.na = set(model["reading"]["na"])
        weight = model["reading"]["weight"] if with_target else None
        if weight is not None:
            at = header.index(weight)
            rows = [row for row in rows if float(row[at]) > 0.0]
            self.weights = [float(row[at]) for row in rows]
        else:
            self.weights = [1.0] * len(rows)
        self.n = len(rows)
        self.columns = [self.column(feature, header, rows) for feature in model["features"]]
        self.target = None
        if with_target:
            at = header.index(model["target"]["name"])
            cells = [row[at] for row in rows]
            if model["task"] == "classification":
                index = {label: i for i, label in enumerate(model["target"]["classes"])}
                self.target = [index[cell] for cell in cells]
                self.weigh_classes(model["target"]["classes"], options.get("class_weight"))
            else:
                self.target = [float(cell) for cell in cells]
        self.whole = all(weight.is_integer() for weight in self.weights)

    def column(self, feature, header, rows):
        at = header.index(feature["name"])
        cells = [row[at] for row in rows]
        if feature["kind"] == "numeric":
            return [MISSING if is_missing(cell, self.na) else float(cell) for cell in cells]
        code = {text: i for i, text in enumerate(feature["categories"])}
        return [MISSING if is_missing(cell, self.na) else code.get(cell) for cell in cells]

    def weigh_classes(self, classes, class_weight):
        if class_weight is None:
            return
        if class_weight == "balanced":
            totals = [0.0] * len(classes)
            for truth, weight in zip(self.target, self.weights, strict=True):
                totals[truth] += weight
            by_class = [sum(totals) / (len(classes) * total) for total in totals]
        else:
            by_class = [class_weight.get(label, 1.0) for label in classes]
        pairs = zip(self.target, self.weights, strict=True)
        self.weights = [by_class[truth] * weight for truth, weight in pairs]


def check_reading(model, header, rows, options):
    """Kinds, categories and classes follow from the table and the options."""
    na = set(model["reading"]["na"])
    expect(sorted(na) == sorted(options.get("na", DEFAULT_NA)), f"reading.na is {sorted(na)}")
    weight = options.get("weight")
    expect(model["reading"]["weight"] == weight, f"reading.weight is not {weight!r}")
    if weight is not None:
        at = header.index(weight)
        rows = [row for row in rows if float(row[at]) > 0.0]
    names = [name for name in header if name != weight]
    target = options.get("target", names[-1])
    expect(model["target"]["name"] == target, f"the target is not {target!r}")
    found = [feature["name"] for feature in model["features"]]
    expect(found == [name for name in names if name != target], f"the features are {found}")
    for feature in model["features"]:
        at = header.index(feature["name"])
        present = {row[at] for row in rows} - na - {""}
        by_hand = feature["name"] in options.get("categorical", [])
        numeric = not by_hand and all(is_number(text) for text in present)
        kind = "numeric" if numeric else "categorical"
        expect(feature["kind"] == kind, f"feature {feature['name']!r} is not {kind}")
        if not numeric:
            expect(
                feature["categories"] == sorted(present),
                f"categories of {feature['name']!r} are not the sorted texts of the column",
            )
    if model["task"] == "classification":
        at = header.index(target)
        labels = sorted_labels({row[at] for row in rows})
        expect(model["target"]["classes"] == labels, f"the classes are not {labels}")
    expect(model["target"].get("costs") == options.get("costs"), "costs are not those given")


# Trees


class Tree:
    def __init__(self, model):
        self.nodes = model["nodes"]
        self.classes = model["target"].get("classes")
        self.costs = model["target"].get("costs")
        self.check_structure(model["features"])
        self.shares = [self.child_shares(node) for node in self.nodes]
        if self.classes is not None:
            self.proba = [self.shares_of_classes(at) for at in range(len(self.nodes))]

    def check_structure(self, features):
        parents = [0] * len(self.nodes)
        self.parent = [None] * len(self.nodes)
        self.depth = [0] * len(self.nodes)
        for at, node in enumerate(self.nodes):
            together = {"split", "children", "missing"} & set(node)
            expect(len(together) in (0, 3), f"node {at} has only {sorted(together)}")
            if not together:
                continue
            n = len(node["children"])
            expect(n >= 2, f"node {at} has {n} children")
            self.check_split(at, node, features)
            route = node["missing"]
            expect(
                route == "distribute" or (type(route) is int and 0 <= route < n),
                f"node {at}: missing is {route!r}",
            )
            for child in node["children"]:
                expect(at < child < len(self.nodes), f"node {at}: child {child}")
                parents[child] += 1
                self.parent[child] = at
                self.depth[child] = self.depth[at] + 1
        expect(parents == [0] + [1] * (len(parents) - 1), "a node has no parent, or several")

    def check_split(self, at, node, features):
        split = node["split"]
        kind = features[split["feature"]]["kind"]
        if split["kind"] == "intervals":
            cuts = split["cuts"]
            expect(kind == "numeric", f"node {at} cuts a categorical feature")
            expect(all(a < b for a, b in zip(cuts, cuts[1:], strict=False)), f"node {at}: {cuts}")
            expect(split["closed"] in ("left", "right"), f"node {at}: closed")
            present = len(cuts) + 1
        else:
            expect(kind == "categorical", f"node {at} asks a numeric feature for categories")
            branches = split["branches"]
            categories = features[split["feature"]]["categories"]
            expect(len(branches) == len(categories), f"node {at}: {len(branches)} branches")
            used = {branch for branch in branches if branch is not None}
            expect(used == set(range(len(used))), f"node {at}: branches leave out a child")
            present = len(used)
        extra = len(node["children"]) - present
        expect(extra in (0, 1), f"node {at} has {extra} children too many")
        if extra:
            expect(node["missing"] == present, f"node {at}: the last child is not for missing")

    def weight(self, node):
        return sum(node["counts"]) if "counts" in node else node["weight"]

    def child_shares(self, node):
        if node.get("missing") != "distribute":
            return None
        weights = [self.weight(self.nodes[child]) for child in node["children"]]
        total = sum(weights)
        if total == 0:
            return [1.0 / len(weights)] * len(weights)
        return [weight / total for weight in weights]

    def position(self, split, value):
        """The child position for a value, or nothing."""
        if value is MISSING:
            return None
        if split["kind"] == "intervals":
            if split["closed"] == "right":
                return bisect_left(split["cuts"], value)
            return bisect_right(split["cuts"], value)
        return split["branches"][value]

    def visit(self, rows, row):
        """Every node the row passes, with its share there."""
        stack = [(0, 1.0)]
        while stack:
            at, share = stack.pop()
            yield at, share
            node = self.nodes[at]
            if "split" not in node:
                continue
            split = node["split"]
            value = rows.columns[split["feature"]][row]
            place = self.position(split, value)
            if place is None and node["missing"] != "distribute":
                place = node["missing"]
            if place is not None:
                stack.append((node["children"][place], share))
                continue
            for child, part in zip(node["children"], self.shares[at], strict=True):
                if part > 0.0:
                    stack.append((child, share * part))

    def leaves_of(self, rows, row):
        return [(at, s) for at, s in self.visit(rows, row) if "split" not in self.nodes[at]]

    def occupied(self, at):
        """The node, or its nearest ancestor that has training rows."""
        while self.parent[at] is not None and self.weight(self.nodes[at]) == 0:
            at = self.parent[at]
        return at

    def shares_of_classes(self, at):
        counts = self.nodes[self.occupied(at)]["counts"]
        return [count / sum(counts) for count in counts]

    def expected_costs(self, counts):
        """The cost of predicting each class; exact where counts and costs are fractions."""
        if self.costs is None:
            total = sum(counts)
            return [total - count for count in counts]
        return [
            sum(count * row[guess] for count, row in zip(counts, self.costs, strict=True))
            for guess in range(len(counts))
        ]

    def cheapest(self, counts, exact):
        """The classes of least expected cost: the first of them, or all within rounding."""
        if exact:
            costs = self.expected_costs([Fraction(count) for count in counts])
            return [costs.index(min(costs))]
        costs = self.expected_costs(counts)
        limit = min(costs) + RELATIVE * sum(counts) * self.largest_cost()
        return [guess for guess, cost in enumerate(costs) if cost <= limit]

    def largest_cost(self):
        return 1.0 if self.costs is None else max(max(row) for row in self.costs)

    def distribution(self, leaves):
        mixture = [0.0] * len(self.classes)
        for at, share in leaves:
            for i, proba in enumerate(self.proba[at]):
                mixture[i] += share * proba
        return mixture


# What the file claims


def check_model(model, header, rows, options):
    expect(model["format"] == "treewright.tree" and model["version"] == 1, "format or version")
    tree = Tree(model)
    data = Rows(model, header, rows, options)
    members = [[] for _ in tree.nodes]
    distributed = False
    for row in range(data.n):
        for at, share in tree.visit(data, row):
            members[at].append((row, share))
            distributed |= share != 1.0
    exact = data.whole and not distributed
    for at in range(len(tree.nodes)):
        try:
            if model["task"] == "classification":
                check_counts(tree, at, data, members[at], exact)
            else:
                check_moments(tree, at, data, members[at], options)
        except Difference as difference:
            raise Difference(f"node {at}: {difference}") from None
    check_training(model, tree, data, exact)
    if options.get("max_depth") is not None:
        expect(max(tree.depth) <= options["max_depth"], "deeper than --max-depth")
    if options.get("min_leaf") is not None:
        check_min_leaf(tree, members, options["min_leaf"])
    return tree


def check_counts(tree, at, data, members, exact):
    node = tree.nodes[at]
    sums = [[] for _ in tree.classes]
    for row, share in members:
        sums[data.target[row]].append(data.weights[row] * share)
    counts = [math.fsum(terms) for terms in sums]
    if exact:
        expect(counts == node["counts"], f"counts are {node['counts']}, the rows give {counts}")
    else:
        same = all(close(a, b) for a, b in zip(counts, node["counts"], strict=True))
        expect(same, f"counts are {node['counts']}, the rows give {counts}")
    value = node["value"]
    expect(type(value) is int and 0 <= value < len(tree.classes), f"value is {value!r}")
    if members:
        best = tree.cheapest(node["counts"], exact)
        expect(value in best, f"class {value} is not the cheapest, which is {best}")
    else:
        check_empty(tree, at)


def check_empty(tree, at):
    node, ancestor = tree.nodes[at], tree.nodes[tree.occupied(at)]
    expect(tree.weight(node) == 0, "counts without rows")
    expect(node["value"] == ancestor["value"], "value is not that of the nearest occupied ancestor")


def check_moments(tree, at, data, members, options):
    node = tree.nodes[at]
    if not members:
        check_empty(tree, at)
        return
    weighted = [(data.target[row], data.weights[row] * share) for row, share in members]
    weight = math.fsum(w for _, w in weighted)
    mean = math.fsum(y * w for y, w in weighted) / weight
    sse = math.fsum(w * (y - mean) ** 2 for y, w in weighted)
    scale = math.fsum(w * y * y for y, w in weighted)
    expect(close(node["weight"], weight), f"weight is {node['weight']}, the rows give {weight}")
    # Rounding of a mean is relative to the numbers, not to their possibly small sum.
    size = math.sqrt(scale / weight)
    expect(abs(node["mean"] - mean) <= RELATIVE * size, f"mean is {node['mean']}, not {mean}")
    expect(abs(node["sse"] - sse) <= RELATIVE * scale, f"sse is {node['sse']}, not {sse}")
    if options.get("predict") == "median":
        check_median(node["value"], weighted, weight)
    else:
        expect(abs(node["value"] - mean) <= RELATIVE * size, f"value {node['value']} is not {mean}")
    if options.get("criterion") == "binned-gini":
        check_bins(node, data, weighted, options.get("bins", 32))


def check_median(value, weighted, weight):
    weighted = sorted(weighted)
    below = 0.0
    low = high = None
    for y, w in weighted:
        below += w
        if low is None and below >= weight / 2 * (1 - 1e-12):
            low = y
        if below > weight / 2 * (1 + 1e-12):
            high = y
            break
    allowed = [low, high, low / 2 + high / 2] if high is not None else [low]
    if all(w == 1.0 for _, w in weighted):
        allowed = allowed[2:]
    expect(any(close(value, y) for y in allowed), f"value {value} is not the median {allowed}")


def check_bins(node, data, weighted, n_bins):
    """Bins of equal width; a number within rounding of an edge may be on either side."""
    low, high = min(data.target), max(data.target)
    sure, possible = [0.0] * n_bins, [0.0] * n_bins
    for y, w in weighted:
        place = (y - low) / (high - low) * n_bins
        bins = {min(max(int(place + e), 0), n_bins - 1) for e in (-1e-9, 1e-9)}
        for i in bins:
            possible[i] += w
            sure[i] += w if len(bins) == 1 else 0.0
    expect(len(node["bins"]) == n_bins, f"{len(node['bins'])} bins")
    for i, count in enumerate(node["bins"]):
        slack = RELATIVE * (1.0 + possible[i])
        fits = sure[i] - slack <= count <= possible[i] + slack
        expect(fits, f"bin {i} is {count}, the rows give {sure[i]} to {possible[i]}")
    expect(close(sum(node["bins"]), node["weight"]), "bins do not add up to the weight")


def check_training(model, tree, data, exact):
    training = model["training"]
    total = math.fsum(data.weights)
    expect(training["rows"] == data.n, f"training.rows is {training['rows']}, not {data.n}")
    expect(close(training["weight"], total), f"training.weight is not {total}")
    leaves = sum("split" not in node for node in tree.nodes)
    expect(training["leaves"] == leaves, f"training.leaves is {training['leaves']}, not {leaves}")
    expect(training["depth"] == max(tree.depth), f"training.depth is {training['depth']}")
    expect(training["seconds"] >= 0, "training.seconds is negative")
    errors, cost, unsure_errors, unsure_cost = [], [], 0.0, 0.0
    for row in range(data.n):
        truth, weight = data.target[row], data.weights[row]
        leaves = tree.leaves_of(data, row)
        if tree.classes is None:
            cost.append(weight * (truth - number_of(tree, leaves)) ** 2)
            continue
        guess, *others = classes_of(tree, leaves)
        errors.append(weight * (guess != truth))
        loss = tree.costs[truth][guess] if tree.costs else float(guess != truth)
        cost.append(weight * loss)
        if others:
            unsure_errors += weight
            unsure_cost += weight * tree.largest_cost()
    cost = math.fsum(cost)
    if tree.classes is None:
        expect("errors" not in training, "training.errors in regression")
        scale = math.fsum(w * y * y for y, w in zip(data.target, data.weights, strict=True))
        slack = RELATIVE * scale
    else:
        wrong = math.fsum(errors)
        slack = 0.0 if exact else RELATIVE * (1.0 + wrong)
        same = abs(training["errors"] - wrong) <= slack + unsure_errors
        expect(same, f"training.errors is {training['errors']}, predictions give {wrong}")
        slack = RELATIVE * cost + unsure_cost
    expect(
        abs(training["cost"] * total - cost) <= slack + 1e-12,
        f"training.cost is {training['cost']}, predictions give {cost / total}",
    )


def number_of(tree, leaves):
    return math.fsum(share * tree.nodes[at]["value"] for at, share in leaves)


def classes_of(tree, leaves):
    """The classes a row may be given: one, unless a mixture ties up to rounding."""
    if len(leaves) == 1:
        return [tree.nodes[leaves[0][0]]["value"]]
    return tree.cheapest(tree.distribution(leaves), exact=False)


def check_min_leaf(tree, members, least):
    """A child has at least this many rows, shares counted."""
    for at, rows in enumerate(members[1:], start=1):
        n = math.fsum(share for _, share in rows)
        expect(n >= least - 1e-9, f"node {at} has {n} rows, fewer than --min-leaf {least}")


# What the program predicts


def check_predictions(model, tree, data, text):
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    names = [] if tree.classes is None else tree.classes
    names = ["proba:prediction" if name == "prediction" else name for name in names]
    expect(header == ["prediction", *names], f"the header of the predictions is {header}")
    expect(len(lines) == data.n, f"{len(lines)} predictions for {data.n} rows")
    for row, line in enumerate(lines):
        leaves = tree.leaves_of(data, row)
        if tree.classes is None:
            number = number_of(tree, leaves)
            expect(close(float(line[0]), number), f"row {row + 1}: {line[0]}, not {number}")
            continue
        allowed = [tree.classes[guess] for guess in classes_of(tree, leaves)]
        expect(line[0] in allowed, f"row {row + 1}: class {line[0]!r}, not {allowed}")
        mixture = tree.distribution(leaves)
        same = all(close(float(a), b) for a, b in zip(line[1:], mixture, strict=True))
        expect(same, f"row {row + 1}: probabilities {line[1:]}, not {mixture}")


# Running the program


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        shown = " ".join(str(part) for part in command)
        raise Difference(f"exit {done.returncode} from `{shown}`: {done.stderr.strip()}")
    return done.stdout


def as_record(names):
    """A list on the command line is one CSV record."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def flags(options):
    """Command-line flags for the options of a case."""
    words = []
    for name, value in options.items():
        if name == "costs":
            continue
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, dict):
            words += [flag, as_record(f"{key}={item}" for key, item in value.items())]
        elif isinstance(value, list):
            words += [flag, as_record(value)]
        else:
            words += [flag, str(value)]
    return words


class Runner:
    def __init__(self, program, folder):
        self.program = program
        self.folder = Path(folder)
        self.passed = 0
        self.failed = 0

    def case(self, name, path, options):
        """Fits, checks the model, has it verified, predicts the same rows and spoiled ones."""
        try:
            self.check(path, options)
            self.passed += 1
        except Difference as difference:
            self.failed += 1
            shown = " ".join(flags(options)) + (" with costs" if "costs" in options else "")
            print(f"FAILED {name} {shown}: {difference}")

    def check(self, path, options):
        header, rows = read_table(path)
        command = [self.program, "fit", "greedy", path, "--json", "--quiet", *flags(options)]
        if "costs" in options:
            labels = sorted_labels({row[header.index(options["target"])] for row in rows})
            costs = self.folder / "costs.csv"
            table = [[label, *line] for label, line in zip(labels, options["costs"], strict=True)]
            write_table(costs, ["", *labels], table)
            command += ["--costs", costs]
        model_path = self.folder / "model.json"
        model_path.write_text(run(command), encoding="utf-8")
        model = json.loads(model_path.read_text(encoding="utf-8"))
        check_reading(model, header, rows, options)
        tree = check_model(model, header, rows, options)
        run([self.program, "verify", model_path, path, "--quiet"])
        self.predict(model_path, model, tree, path, header, rows)
        spoiled = self.folder / "spoiled.csv"
        header, rows = spoil(model, header, rows)
        write_table(spoiled, header, rows)
        self.predict(model_path, model, tree, spoiled, header, rows)

    def predict(self, model_path, model, tree, path, header, rows):
        command = [self.program, "predict", model_path, path, "--quiet"]
        if model["task"] == "classification":
            command.append("--proba")
        data = Rows(model, header, rows, {}, with_target=False)
        check_predictions(model, tree, data, run(command))


def spoil(model, header, rows, seed=7):
    """The table without its target, with cells blanked and categories nobody has seen."""
    draw = random.Random(seed)
    target = header.index(model["target"]["name"])
    categorical = {f["name"] for f in model["features"] if f["kind"] == "categorical"}
    spoiled = []
    for row in rows:
        cells = []
        for at, cell in enumerate(row):
            chance = draw.random()
            if chance < 0.15:
                cell = ""
            elif chance < 0.25 and header[at] in categorical:
                cell = UNSEEN
            cells.append(cell)
        spoiled.append(cells[:target] + cells[target + 1 :])
    return header[:target] + header[target + 1 :], spoiled


# Cases


def with_weights(path, folder, name, weights):
    """A copy of the table with a column of row weights in front."""
    header, rows = read_table(path)
    draw = random.Random(3)
    rows = [[repr(draw.choice(weights)), *row] for row in rows]
    copy = Path(folder) / f"{path.stem}-{name}.csv"
    write_table(copy, ["w", *header], rows)
    return copy


POLICIES = ("distribute", "branch", "majority", "learned")


def classification_cases():
    yield {}
    for criterion in ("gini", "entropy", "gain-ratio", "error"):
        for missing in POLICIES:
            yield {"criterion": criterion, "missing": missing}
            for splits in ("multiway", "one-vs-rest"):
                yield {"criterion": criterion, "missing": missing, "categorical_splits": splits}
    for missing in POLICIES:
        yield {"missing": missing, "max_depth": 3}
        yield {"missing": missing, "max_depth": 0}
        yield {"missing": missing, "min_leaf": 12, "categorical_splits": "one-vs-rest"}
        yield {"missing": missing, "min_split": 40, "min_gain": 0.01}
        yield {"missing": missing, "zero_gain": True, "max_depth": 4}
        yield {"missing": missing, "class_weight": "balanced"}


def regression_cases():
    for missing in POLICIES:
        for criterion in ("mse", "mae", "binned-gini"):
            for predict in ("mean", "median"):
                yield {
                    "criterion": criterion,
                    "missing": missing,
                    "predict": predict,
                    "max_depth": 6,
                }
        yield {"missing": missing, "categorical_splits": "one-vs-rest", "min_leaf": 5}
    yield {"criterion": "binned-gini", "bins": 7, "max_depth": 4}
    yield {}


def holes(path, folder):
    """A copy of the table in which one cell in eight of the features is missing."""
    header, rows = read_table(path)
    draw = random.Random(11)
    words = ["", "?", "NA", "NaN", "null"]
    rows = [
        [draw.choice(words) if draw.random() < 0.125 else cell for cell in row[:-1]] + row[-1:]
        for row in rows
    ]
    copy = Path(folder) / f"{path.stem}-holes.csv"
    write_table(copy, header, rows)
    return copy


def bundled(runner, folder):
    class_tables = [("titanic", "survived"), ("rings", "ring"), ("shop", "returned")]
    for name, target in class_tables:
        path = TABLES / f"{name}.csv"
        header, rows = read_table(path)
        labels = sorted_labels({row[-1] for row in rows})
        n = len(labels)
        costs = [[0 if i == j else 1 + 3 * i + j for j in range(n)] for i in range(n)]
        whole = with_weights(path, folder, "whole", [0, 1, 2, 5])
        real = with_weights(path, folder, "real", [0.0, 0.25, 0.7, 1.3])
        for options in classification_cases():
            runner.case(name, path, options)
        for missing in POLICIES:
            base = {"missing": missing}
            runner.case(name, path, base | {"target": target, "costs": costs})
            runner.case(name, path, base | {"class_weight": {labels[-1]: 3.5}})
            runner.case(name, holes(path, folder), base | {"criterion": "entropy"})
            runner.case(f"{name}, whole weights", whole, base | {"weight": "w"})
            runner.case(f"{name}, real weights", real, base | {"weight": "w", "max_depth": 5})
            both = {"weight": "w", "class_weight": "balanced", "max_depth": 5}
            runner.case(f"{name}, whole weights", whole, base | both)
        runner.case(name, path, {"na": [labels[0] + "!"], "categorical": [header[0]]})
    path = TABLES / "prices.csv"
    whole = with_weights(path, folder, "whole", [0, 1, 2, 5])
    for options in regression_cases():
        runner.case("prices", path, options)
        runner.case("prices, with holes", holes(path, folder), options)
        runner.case("prices, whole weights", whole, options | {"weight": "w"})


def outside(runner, largest):
    folder = os.environ.get("TREEWRIGHT_DATA")
    if not folder:
        print("skipped: TREEWRIGHT_DATA is not set")
        return
    folder = Path(folder)
    left_out = []
    for entry in json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8")):
        if entry["rows"] * entry["features"] > largest:
            left_out.append(entry["name"])
            continue
        base = {"na": [], "target": "class", "task": "classification"}
        if entry["categorical_columns"]:
            base["categorical"] = entry["categorical_columns"]
        for criterion, missing in (
            ("gini", "distribute"),
            ("entropy", "branch"),
            ("gain-ratio", "majority"),
        ):
            options = base | {"criterion": criterion, "missing": missing}
            runner.case(entry["name"], folder / entry["file"], options)
    if left_out:
        print(f"skipped: too large without --all: {', '.join(left_out)}")


def main():
    parser = argparse.ArgumentParser(description="Checks model files from the rows alone.")
    parser.add_argument("program", help="the treewright binary")
    parser.add_argument("model", nargs="?", help="check this model only")
    parser.add_argument("table", nargs="?", help="against this table")
    parser.add_argument("--all", action="store_true", help="also the large outside tables")
    arguments = parser.parse_args()
    if arguments.model:
        model = json.loads(Path(arguments.model).read_text(encoding="utf-8"))
        header, rows = read_table(arguments.table)
        tree = check_model(model, header, rows, model["learner"]["params"])
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(arguments.program, folder)
            runner.predict(arguments.model, model, tree, arguments.table, header, rows)
        print("1 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.program, folder)
        bundled(runner, folder)
        outside(runner, math.inf if arguments.all else 120_000)
    print(f"{runner.passed} passed, {runner.failed} failed")
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
