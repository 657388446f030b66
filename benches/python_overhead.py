"""What the Python layer takes over the fit itself: python benches/python_overhead.py

Needs the package as users have it (`pip install .` builds it with all optimisations). Times are
minima of several fits of a greedy tree; the fit itself is what the model says (`training.seconds`).
Memory is the growth of the peak while the table is handed over.
"""

import resource
import time

import machine
import numpy as np
from treewright import GreedyTreeClassifier

ROWS, FEATURES, RUNS = 100_000, 10, 15


def table():
    chance = np.random.default_rng(0)
    X = chance.normal(size=(ROWS, FEATURES))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + chance.normal(size=ROWS) > 0).astype(int)
    return X, y


def measure(X, y):
    """Least wall time of a fit, and the least difference to the fit itself, in milliseconds."""
    walls, layers = [], []
    for _ in range(RUNS):
        tree = GreedyTreeClassifier()
        start = time.perf_counter()
        tree.fit(X, y)
        wall = time.perf_counter() - start
        walls.append(1e3 * wall)
        layers.append(1e3 * (wall - tree.tree_.training["seconds"]))
    return min(walls), min(layers)


def growth(X, y):
    """Megabytes by which the peak of memory grows when the table is handed over."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    GreedyTreeClassifier()._learning_table(X, y, None)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main():
    print(machine.heading("What the Python layer takes"))
    X, y = table()
    columns = np.asfortranarray(X)
    words = np.array(["no", "yes"])
    print(f"{ROWS:,} x {FEATURES} numbers, minima of {RUNS} fits.\n")
    print("| table | labels | fit ms | of which layer ms | share |")
    print("|---|---|---|---|---|")
    for name, rows, kind, labels in [
        ("by columns", columns, "whole numbers", y),
        ("by rows", X, "whole numbers", y),
        ("by columns", columns, "texts (objects)", words.astype(object)[y]),
        ("by columns", columns, "texts", words[y]),
    ]:
        wall, layer = measure(rows, labels)
        share = 100 * layer / (wall - layer)
        print(f"| {name} | {kind} | {wall:.1f} | {layer:.1f} | {share:.1f} % |")
    large = np.asfortranarray(np.random.default_rng(1).normal(size=(2_000_000, 20)))
    target = (large[:, 0] > 0).astype(np.int64)
    GreedyTreeClassifier().fit(large[:100], target[:100])
    size, more = large.nbytes / 2**20, growth(large, target)
    print(f"\nA table of {size:.0f} MB by columns: handing it over takes {more:.0f} MB.")


if __name__ == "__main__":
    main()
