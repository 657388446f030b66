"""Learning greedy trees: treewright beside scikit-learn and LightGBM.

    python benches/fit_greedy.py [--small] [--folder CACHE] > benches/record/<date>-fit-greedy.md

Times are CPU seconds of learning alone, the shortest of several runs. scikit-learn gets a float32
array in its own layout. LightGBM grows one tree on binned features and is here only to show what
binning buys: its splits are not exact. Memory is the peak of whole processes that read the same
CSV file.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import tables
from sklearn.tree import DecisionTreeClassifier

READ_AND_FIT = """
import sys, pandas
from sklearn.tree import DecisionTreeClassifier
table = pandas.read_csv(sys.argv[1])
depth = None if sys.argv[3] == "-" else int(sys.argv[3])
model = DecisionTreeClassifier(criterion=sys.argv[2], max_depth=depth, random_state=0)
model.fit(table.iloc[:, :-1].to_numpy(dtype="float32"), table.iloc[:, -1])
"""
START_ONLY = "import pandas, sklearn.tree"


def repeats_for(seconds):
    """More runs for short ones: about ten seconds in all."""
    return max(1, min(7, int(10 / max(seconds, 0.01))))


def shortest(work):
    """Least CPU seconds of several runs, and the last result."""
    best, left, result = float("inf"), None, None
    while left is None or left > 0:
        start = time.process_time()
        result = work()
        seconds = time.process_time() - start
        left = repeats_for(seconds) - 1 if left is None else left - 1
        best = min(best, seconds)
    return best, result


def fit_sklearn(table, criterion, depth):
    def work():
        model = DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0)
        return model.fit(table.x, table.y)

    seconds, model = shortest(work)
    return seconds, model.get_n_leaves()


def fit_lightgbm(table, depth):
    """One tree; the binning of the features counts, as our sorting does."""
    try:
        import lightgbm
    except (ImportError, OSError):
        return None, None
    n_classes = int(table.y.max()) + 1
    params = {
        "objective": "binary" if n_classes == 2 else "multiclass",
        "num_leaves": min(131072, len(table.y)) if depth is None else 2**depth,
        "max_depth": -1 if depth is None else depth,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "num_threads": 1,
        "verbose": -1,
    }
    if n_classes > 2:
        params["num_class"] = n_classes

    def work():
        return lightgbm.train(params, lightgbm.Dataset(table.x, table.y), num_boost_round=1)

    seconds, model = shortest(work)
    return seconds, sum(tree["num_leaves"] for tree in model.dump_model()["tree_info"])


def fit_ours(program, table, criterion, depth, threads, repeats):
    depth = "-" if depth is None else str(depth)
    command = [program, table.path, criterion, depth, str(threads), str(repeats)]
    return json.loads(subprocess.check_output(command))


def fitting(program, cases):
    header = [
        "table",
        "rows x features",
        "criterion",
        "depth",
        "leaves",
        "scikit-learn s",
        "leaves",
    ]
    header += ["ours s, 1 thread", "ratio", "ours wall s, 2 threads", "LightGBM s", "leaves"]

    def rows():
        for table, criterion, depth in cases:
            theirs, their_leaves = fit_sklearn(table, criterion, depth)
            repeats = min(15, 4 * repeats_for(theirs))
            one = fit_ours(program, table, criterion, depth, 1, repeats)
            two = fit_ours(program, table, criterion, depth, 2, repeats)
            lightgbm, lightgbm_leaves = (None, None)
            # Its trees do not depend on our criterion: once is enough.
            if criterion == "gini":
                lightgbm, lightgbm_leaves = fit_lightgbm(table, depth)
            ours = one["fit_cpu_seconds"]
            yield [
                table.name,
                table.shape,
                criterion,
                "full" if depth is None else depth,
                one["leaves"],
                f"{theirs:.3f}",
                their_leaves,
                f"{ours:.4f}",
                f"{theirs / ours:.1f}",
                f"{two['fit_wall_seconds']:.4f}",
                "" if lightgbm is None else f"{lightgbm:.3f}",
                "" if lightgbm_leaves is None else lightgbm_leaves,
            ]

    machine.print_table(header, rows())


def memory(program, cases):
    header = ["table", "rows x features", "depth", "CSV MB", "scikit-learn peak MB"]
    header += ["of it start-up MB", "ours peak MB", "ratio", "scikit-learn CPU s", "ours CPU s"]

    def rows():
        floor, _ = machine.peak_megabytes(["true"])
        idle, _ = machine.peak_megabytes([sys.executable, "-c", START_ONLY])
        for table, depth in cases:
            shown = "-" if depth is None else str(depth)
            command = [sys.executable, "-c", READ_AND_FIT, table.path, "gini", shown]
            theirs, their_seconds = machine.peak_megabytes(command)
            command = [program, "fit", "greedy", table.path, "--json", "--quiet"]
            command += ["--task", "classification", "--threads", "1"]
            if depth is not None:
                command += ["--max-depth", shown]
            ours, seconds = machine.peak_megabytes(command)
            yield [
                table.name,
                table.shape,
                "full" if depth is None else depth,
                f"{table.path.stat().st_size / 2**20:.0f}",
                f"{theirs:.0f}",
                f"{idle:.0f}",
                # Less than the launcher itself takes cannot be seen.
                f"{ours:.0f}" if ours > 1.1 * floor else f"at most {ours:.0f}",
                f"{theirs / ours:.2f}" if ours > 1.1 * floor else "",
                f"{their_seconds:.2f}",
                f"{seconds:.2f}",
            ]

    machine.print_table(header, rows())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", help="keep the generated tables here")
    parser.add_argument("--small", action="store_true", help="without the table of 1e6 rows")
    parser.add_argument("--tiny", action="store_true", help="only a small table, to try the script")
    arguments = parser.parse_args()
    bench_fit, treewright = machine.build()
    print(machine.heading("Learning greedy trees"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments.folder or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cases, measured = choose(folder, arguments)
        print("## Time\n")
        fitting(bench_fit, cases)
        print("## Memory, from the CSV file to the tree\n")
        memory(treewright, measured)
    return 0


def choose(folder, arguments):
    """Which tables with which criteria and depths."""
    if arguments.tiny:
        table = tables.generated("5e3x20", folder, 5_000, 20, 2, 0.03)
        return [(table, "gini", None), (table, "entropy", 4)], [(table, None)]
    two = tables.generated("1e5x20", folder, 100_000, 20, 2, 0.08)
    eight = tables.generated("1e5x20-8", folder, 100_000, 20, 8, 0.0)
    cases = [(two, c, depth) for c in ("gini", "entropy") for depth in (None, 8, 4)]
    cases += [(eight, c, depth) for c in ("gini", "entropy") for depth in (None, 8, 4)]
    measured = [(two, None), (two, 4), (eight, None)]
    if not arguments.small:
        large = tables.generated("1e6x10", folder, 1_000_000, 10, 2, 0.1)
        cases += [(large, c, depth) for c in ("gini", "entropy") for depth in (None, 8, 4)]
        measured += [(large, None), (large, 4)]
    for table in tables.real(["adult", "letter", "madelon"], folder):
        cases += [(table, c, depth) for c in ("gini", "entropy") for depth in (None, 8)]
        measured.append((table, None))
    return cases, measured


if __name__ == "__main__":
    sys.exit(main())
