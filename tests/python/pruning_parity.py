"""Families of prunings against scikit-learn's cost-complexity path, on the same tree.

A tree that scikit-learn has grown is written as a model file. Its family for `--cost impurity` must
have scikit-learn's alphas as thresholds and the leaf counts of scikit-learn's pruned trees between
them. Equal alphas count once.

    python tests/python/pruning_parity.py target/debug/treewright [--all]

Takes numeric tables of the folder that TREEWRIGHT_DATA names, or the bundled ones.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import numpy as np
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
except ImportError as missing:
    print(f"skipped: pruning against scikit-learn ({missing})")
    sys.exit(0)

from sklearn_model import write_model

TABLES = Path(__file__).resolve().parents[2] / "testdata" / "tables"
RELATIVE, ABSOLUTE = 1e-7, 1e-12
MOST_TREES = 40  # pruned by scikit-learn for their leaf counts, spread over the path
USUAL = {"iris", "glass2", "ionosphere", "pima", "segment", "spambase", "ida-banana", "magic"}


def tables(folder, everything):
    for name in ["rings"]:
        yield name, pd.read_csv(TABLES / f"{name}.csv")
    if folder is None:
        print("skipped: tables of TREEWRIGHT_DATA, which is not set")
        return
    for entry in json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8")):
        is_plain = not (entry["categorical"] or entry["missing_cells"])
        if is_plain and (everything or entry["name"] in USUAL) and entry["rows"] < 50_000:
            yield entry["name"], pd.read_csv(folder / entry["file"], dtype={"class": str})


def estimators(frame):
    x = frame.iloc[:, :-1].to_numpy(dtype=np.float32)
    y = frame.iloc[:, -1].astype(str).to_numpy()
    for criterion in ["gini", "entropy"]:
        yield criterion, DecisionTreeClassifier(criterion=criterion, random_state=0).fit(x, y)
    # A feature that is predicted from the others.
    regressor = DecisionTreeRegressor(min_samples_leaf=3, random_state=0)
    yield "mse", regressor.fit(x[:, 1:], x[:, 0].astype(np.float64))


def merged(alphas):
    """Rising alphas without those that are equal to the one before but for rounding."""
    kept = []
    for alpha in alphas:
        if not kept or alpha - kept[-1] > max(RELATIVE * alpha, ABSOLUTE):
            kept.append(alpha)
    return np.array(kept)


def leaves_at(estimator, alpha):
    pruned = copy.deepcopy(estimator)
    pruned.ccp_alpha = alpha
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pruned._prune_tree()
    return pruned.get_n_leaves()


def compare(program, estimator, n_rows, path):
    """The first difference between the two families, or None."""
    write_model(estimator, path, n_rows)
    arguments = [program, "prune", str(path), "--family", "--cost", "impurity", "--json"]
    family = json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)
    members = family["members"][::-1]  # the largest tree first, as scikit-learn has it
    from sklearn.tree._tree import ccp_pruning_path

    theirs = merged(ccp_pruning_path(estimator.tree_)["ccp_alphas"])
    ours = merged([member["lambda_low"] for member in members])
    if len(ours) != len(theirs):
        return f"{len(ours)} thresholds, scikit-learn has {len(theirs)}"
    slack = np.maximum(RELATIVE * theirs, ABSOLUTE)
    if (np.abs(ours - theirs) > slack).any():
        at = int(np.argmax(np.abs(ours - theirs) - slack))
        return f"threshold {at} is {ours[at]!r}, scikit-learn has {theirs[at]!r}"
    middles = np.append((theirs[:-1] + theirs[1:]) / 2, theirs[-1] * 2 + 1)
    step = max(1, len(middles) // MOST_TREES)
    lows = np.array([member["lambda_low"] for member in members])
    for middle in middles[::step]:
        # The member whose interval holds the weight is the last with a threshold below it.
        found = members[int(np.searchsorted(lows, middle, side="right")) - 1]["leaves"]
        expected = leaves_at(estimator, middle)
        if found != expected:
            return f"{found} leaves at {middle!r}, scikit-learn has {expected}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    folder = os.environ.get("TREEWRIGHT_DATA")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, frame in tables(Path(folder) if folder else None, arguments.all):
            for criterion, estimator in estimators(frame):
                path = Path(scratch) / "model.json"
                difference = compare(arguments.program, estimator, len(frame), path)
                passed += difference is None
                failed += difference is not None
                if difference:
                    print(f"FAILED {name}, {criterion}: {difference}")
    print(f"{passed} families agree with scikit-learn, {failed} do not")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
