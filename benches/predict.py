"""Rows a second of predictions: treewright beside scikit-learn.

    python benches/predict.py [--rows N] [--folder CACHE] > benches/record/<date>-predict.md

Both predict the rows they learned from, held in memory: scikit-learn as a float32 array, we as
columns. Wall time, the shortest of five runs.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import machine
import tables
from fit_greedy import fit_ours
from sklearn.tree import DecisionTreeClassifier


def their_rows_per_second(table, depth):
    model = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(table.x, table.y)
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        model.predict(table.x)
        best = min(best, time.perf_counter() - start)
    return len(table.y) / best, model.get_n_leaves()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", help="keep the generated tables here")
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    bench_fit, _ = machine.build()
    print(machine.heading("Predicting with greedy trees"))
    header = ["rows x features", "depth", "leaves", "scikit-learn rows/s", "ours rows/s, 1 thread"]
    header += ["ratio", "ours rows/s, 2 threads", "ratio"]

    def rows(table):
        for depth in (4, 8, None):
            theirs, _ = their_rows_per_second(table, depth)
            one, two = (fit_ours(bench_fit, table, "gini", depth, n, 1) for n in (1, 2))
            speeds = [run["predict_rows_per_second"] for run in (one, two)]
            shown = "full" if depth is None else depth
            row = [table.shape, shown, one["leaves"], f"{theirs:.3g}"]
            for speed in speeds:
                row += [f"{speed:.3g}", f"{speed / theirs:.1f}"]
            yield row

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments.folder or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        table = tables.generated(f"{arguments.rows}x10", folder, arguments.rows, 10, 2, 0.1)
        machine.print_table(header, rows(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
