"""Greedy trees against scikit-learn, node by node.

Trees are not compared as wholes: where two splits gain the same, scikit-learn takes one by chance
and everything below differs. Instead both trees are walked from the root together. At every node
the gains of both splits are computed from the rows; ours must not be below. Equal partitions are
followed, ties are not. Besides, at every larger node of our tree every cut is tried.

    python tests/python/parity.py target/debug/treewright [--all]

Takes the numeric tables of the folder that TREEWRIGHT_DATA names (see its MANIFEST.json), or the
bundled ones. Numbers are rounded to float32 for both sides, since scikit-learn computes with those.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier
except ImportError as missing:
    print(f"skipped: parity with scikit-learn ({missing})")
    sys.exit(0)

TABLES = Path(__file__).resolve().parents[2] / "testdata" / "tables"
SLACK = 1e-9
SEARCHED_FROM = 50  # nodes with more rows are searched in full
MOST_ROWS = 60_000  # larger tables are thinned out
BLOCK = 2_000_000  # cells sorted at a time


def bundled():
    table = pd.read_csv(TABLES / "rings.csv")
    yield "rings", table
    # Whole numbers with many ties, to see that ties are told apart from losses.
    coarse = table.copy()
    features = coarse.columns[:-1]
    coarse[features] = (coarse[features] * 2).round()
    yield "rings, coarse", coarse


def outside(folder, largest):
    left_out = []
    for entry in json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8")):
        if entry["categorical"] or entry["missing_cells"]:
            continue
        if entry["rows"] * entry["features"] > largest:
            left_out.append(entry["name"])
            continue
        path = folder / entry["file"]
        table = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"class": str})
        if len(table) > MOST_ROWS:
            table = table.sample(MOST_ROWS, random_state=0)
        yield entry["name"], table
    if left_out:
        print(f"skipped: too large without --all: {', '.join(left_out)}")


class Table:
    """Features as float32 (and the same numbers as float64), classes as codes; its file for us."""

    def __init__(self, frame, path):
        self.x32 = np.ascontiguousarray(frame.iloc[:, :-1].to_numpy(dtype=np.float32))
        self.x = self.x32.astype(np.float64)
        labels, self.y = np.unique(frame.iloc[:, -1].astype(str), return_inverse=True)
        self.n_classes = len(labels)
        self.path = path
        names = [f"x{i}" for i in range(self.x.shape[1])]
        out = pd.DataFrame(self.x, columns=names)
        out["class"] = np.array([f"c{code:03}" for code in self.y])
        # Seventeen digits are enough for every double to be read back unchanged.
        out.to_csv(path, index=False, float_format="%.17g")


def impurity(counts, criterion):
    """Impurity of class counts along the last axis, times their sum."""
    total = counts.sum(axis=-1)
    safe = np.maximum(total, 1)
    if criterion == "gini":
        return total - (counts.astype(np.float64) ** 2).sum(axis=-1) / safe
    logs = np.log2(np.maximum(counts, 1))
    return total * np.log2(safe) - (counts * logs).sum(axis=-1)


def gain(table, rows, below, criterion):
    """What a partition of the rows gains at its node."""
    y = table.y[rows]
    count = lambda part: np.bincount(part, minlength=table.n_classes)  # noqa: E731
    parts = np.stack([count(y), count(y[below]), count(y[~below])])
    whole, left, right = impurity(parts, criterion)
    return (whole - left - right) / len(rows)


def best_gain(table, rows, criterion):
    """The largest gain over all cuts of all features; 0 if there is none."""
    x, y = table.x[rows], table.y[rows]
    n = len(rows)
    present = np.unique(y)
    whole = impurity(np.bincount(y, minlength=table.n_classes), criterion)
    best = 0.0
    step = max(1, BLOCK // (n * len(present)))
    for start in range(0, x.shape[1], step):
        block = x[:, start : start + step]
        order = np.argsort(block, axis=0, kind="stable")
        sorted_x = np.take_along_axis(block, order, axis=0)
        is_cut = sorted_x[:-1] < sorted_x[1:]
        if not is_cut.any():
            continue
        sorted_y = y[order]
        left = np.stack([np.cumsum(sorted_y == c, axis=0)[:-1] for c in present], axis=-1)
        left = left[is_cut]
        right = np.bincount(y, minlength=table.n_classes)[present] - left
        gains = (whole - impurity(left, criterion) - impurity(right, criterion)) / n
        best = max(best, gains.max())
    return best


class Tally:
    def __init__(self):
        self.nodes = self.same = self.ties = self.above = self.searched = 0
        self.failures = []


def fit_ours(program, table, criterion, max_depth):
    command = [program, "fit", "greedy", table.path, "--json", "--quiet"]
    command += ["--criterion", criterion, "--task", "classification"]
    if max_depth is not None:
        command += ["--max-depth", str(max_depth)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["nodes"]


def our_split(table, node, rows):
    """Which rows go below the cut; nothing for a leaf."""
    if "split" not in node:
        return None
    split = node["split"]
    assert split["kind"] == "intervals" and split["closed"] == "right" and len(split["cuts"]) == 1
    return table.x[rows, split["feature"]] <= split["cuts"][0]


def their_split(table, tree, at, rows):
    if tree.children_left[at] < 0:
        return None
    return table.x32[rows, tree.feature[at]] <= tree.threshold[at]


def passed_over(table, node, rows, below):
    """Does scikit-learn hold the values on both sides of our cut for equal, so that it skips it?"""
    values = table.x32[rows, node["split"]["feature"]]
    return values[~below].min() <= values[below].max() + np.float32(1e-7)


def walk_together(table, nodes, tree, criterion, tally):
    everything = np.arange(len(table.y))
    stack = [(0, 0, everything)]
    while stack:
        ours, theirs, rows = stack.pop()
        below = our_split(table, nodes[ours], rows)
        other = their_split(table, tree, theirs, rows)
        tally.nodes += 1
        if below is None and other is None:
            tally.same += 1
            continue
        if below is not None and other is not None and np.array_equal(below, other):
            tally.same += 1
            left, right = nodes[ours]["children"]
            stack.append((left, tree.children_left[theirs], rows[below]))
            stack.append((right, tree.children_right[theirs], rows[~below]))
            continue
        gains = [
            0.0 if part is None else gain(table, rows, part, criterion) for part in (below, other)
        ]
        if gains[0] < gains[1] - SLACK:
            tally.failures.append(
                f"node {ours}: gain {gains[0]:.12g}, scikit-learn {gains[1]:.12g}"
            )
        elif gains[0] <= gains[1] + SLACK:
            tally.ties += 1
        elif passed_over(table, nodes[ours], rows, below):
            tally.above += 1
        else:
            message = f"node {ours}: gain {gains[0]:.12g}, scikit-learn only {gains[1]:.12g}; why?"
            tally.failures.append(message)


def search_all(table, nodes, criterion, max_depth, tally):
    """No cut of any feature gains more than the one our tree took, or more than 0 at our leaves."""
    stack = [(0, 0, np.arange(len(table.y)))]
    while stack:
        at, depth, rows = stack.pop()
        below = our_split(table, nodes[at], rows)
        if len(rows) > SEARCHED_FROM and depth != max_depth:
            tally.searched += 1
            ours = 0.0 if below is None else gain(table, rows, below, criterion)
            best = best_gain(table, rows, criterion)
            if best > ours + SLACK:
                tally.failures.append(f"node {at}: gain {ours:.12g}, best cut {best:.12g}")
        if below is not None:
            left, right = nodes[at]["children"]
            stack.append((left, depth + 1, rows[below]))
            stack.append((right, depth + 1, rows[~below]))


def compare(program, table, criterion, max_depth):
    tally = Tally()
    try:
        nodes = fit_ours(program, table, criterion, max_depth)
    except RuntimeError as error:
        tally.failures.append(str(error))
        return tally
    model = DecisionTreeClassifier(criterion=criterion, max_depth=max_depth, random_state=0)
    model.fit(table.x32, table.y)
    walk_together(table, nodes, model.tree_, criterion, tally)
    search_all(table, nodes, criterion, max_depth, tally)
    return tally


def main():
    parser = argparse.ArgumentParser(description="Greedy trees against scikit-learn.")
    parser.add_argument("program", help="the treewright binary")
    parser.add_argument("--all", action="store_true", help="also the large tables")
    arguments = parser.parse_args()
    tables = list(bundled())
    folder = os.environ.get("TREEWRIGHT_DATA")
    if folder:
        tables += outside(Path(folder), float("inf") if arguments.all else 400_000)
    else:
        print("skipped: TREEWRIGHT_DATA is not set, bundled tables only")
    passed = failed = 0
    print("| table | criterion | depth | nodes | same | ties | above | searched | failures |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for name, frame in tables:
            table = Table(frame, str(Path(scratch) / "table.csv"))
            for criterion in ("gini", "entropy"):
                for depth in (6, None):
                    t = compare(arguments.program, table, criterion, depth)
                    passed += not t.failures
                    failed += bool(t.failures)
                    figures = [t.nodes, t.same, t.ties, t.above, t.searched, len(t.failures)]
                    cells = [name, criterion, "full" if depth is None else depth, *figures]
                    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
                    for failure in t.failures[:5]:
                        print(f"FAILED {name}, {criterion}: {failure}")
    print("above: our cut gains more; scikit-learn holds the values on its two sides for equal")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
