"""Pruning: treewright beside scikit-learn, on the same trees.

    python benches/prune.py [--small] [--folder CACHE] > benches/record/<date>-prune.md

scikit-learn grows the trees; they are written as model files, so that both sides prune the very
same nodes by the same cost (Gini impurity). Wall time of one thread. Ours is the shortest of
several runs, theirs of as many as fit into a minute. To get the trees of all members scikit-learn
fits once for each alpha; that is projected from 20 fits, spread evenly along the path.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import numpy as np
import tables
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import ccp_pruning_path

sys.path.insert(0, str(machine.ROOT / "tests" / "python"))
from sklearn_model import write_model  # noqa: E402

STEPS = 20


def their_path(estimator):
    """Seconds of the path on a tree that is there, and its alphas."""
    best, start = float("inf"), time.perf_counter()
    for _ in range(5):
        began = time.perf_counter()
        alphas = ccp_pruning_path(estimator.tree_)["ccp_alphas"]
        best = min(best, time.perf_counter() - began)
        if time.perf_counter() - start > 60:
            break
    return best, alphas


def their_members(table, alphas):
    """Projected seconds of one fit for each alpha."""
    alphas = np.unique(alphas)
    chosen = alphas[np.linspace(0, len(alphas) - 1, STEPS).astype(int)]
    began = time.perf_counter()
    for alpha in chosen:
        DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(table.x, table.y)
    return (time.perf_counter() - began) / STEPS * len(alphas)


def ours(program, estimator, table, cost, repeats):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "model.json"
        write_model(estimator, path, len(table.y))
        command = [program, path, cost, str(repeats)]
        return json.loads(subprocess.check_output(command))


def classification(folder, n_rows):
    """The generator of scikit-learn, as most of its users would try it."""
    x, y = make_classification(
        n_rows, 10, n_informative=6, n_redundant=2, flip_y=0.1, random_state=0
    )
    path = Path(folder) / f"make-classification-{n_rows}.csv"
    return tables.stored(f"make_classification {n_rows:,} x 10", path, x.astype(np.float32), y)


def sizes(folder, small):
    yield classification(folder, 100_000)
    yield tables.generated("generated 100,000 x 20", folder, 100_000, 20, 2, 0.08)
    if not small:
        yield tables.generated("generated 1,000,000 x 10", folder, 1_000_000, 10, 2, 0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", help="keep the generated tables here")
    parser.add_argument("--small", action="store_true", help="without the table of a million rows")
    arguments = parser.parse_args()
    program = machine.build_bench("prune")
    print(machine.heading("Pruning"))
    paths, members, least = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments.folder or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for table in sizes(folder, arguments.small):
            estimator = DecisionTreeClassifier(random_state=0).fit(table.x, table.y)
            seconds, alphas = their_path(estimator)
            run = ours(program, estimator, table, "gini", 50)
            row = [table.name, f"{run['leaves']:,}", f"{len(alphas):,}", f"{run['members']:,}"]
            row += [f"{seconds:.3f} s", f"{run['path_seconds'] * 1e3:.2f} ms"]
            paths.append([*row, f"{seconds / run['path_seconds']:,.0f}"])
            if len(table.y) <= 100_000:
                total = run["path_seconds"] + run["all_trees_seconds"]
                theirs = seconds + their_members(table, alphas)
                row = [table.name, f"{run['members']:,}", f"{run['all_trees_nodes']:,}"]
                members.append(
                    [*row, f"{theirs:,.0f} s*", f"{total:.2f} s", f"{theirs / total:,.0f}"]
                )
            for cost in ("gini", "error"):
                run = ours(program, estimator, table, cost, 20)
                row = [table.name, cost, f"{run['leaves']:,}", f"{run['table_seconds']:.4f} s"]
                row += [f"{run['table_kilobytes'] / 1024:.0f} MB"]
                least.append([*row, f"{run['by_size_seconds'] * 1e3:.2f} ms"])
    print("## The path alone, tree given\n")
    header = [
        "tree",
        "leaves",
        "alphas",
        "members (equal ones merged)",
        "scikit-learn",
        "ours",
        "ratio",
    ]
    machine.print_table(header, paths)
    print("## Every member as a usable tree\n")
    header = ["table", "members", "nodes in all", "scikit-learn: path and fits", "ours", "ratio"]
    machine.print_table(header, members)
    print(f"\\* path measured, fits projected from {STEPS} of them\n")
    print("## Least cost for every number of leaves\n")
    header = [
        "tree",
        "cost",
        "leaves",
        "tables",
        "peak memory added",
        "one tree of half the leaves",
    ]
    machine.print_table(header, least)
    return 0


if __name__ == "__main__":
    sys.exit(main())
