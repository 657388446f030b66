"""Proofs: what a fit keeps, and whether the checker in the program confirms it."""

import json
import os
import pickle
import subprocess

import numpy as np
import pytest
from sklearn.base import clone
from treewright import (
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
    dyadic_path,
)

PROVEN = [
    OptimalTreeClassifier(max_depth=3, intervals=2, proof=True),
    OptimalTreeClassifier(max_depth=2, proof=True),
    DyadicTreeClassifier(k=2, proof=True),
    GreedyTreeClassifier(max_leaf_nodes=3, pruning_cost="error", proof=True),
    GreedyTreeClassifier(ccp_alpha=0.02, pruning_cost="error", proof=True),
]


def table():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 12, (60, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] > 11) ^ (rng.random(60) < 0.1)
    return X, np.where(y, "yes", "no")


@pytest.mark.parametrize("estimator", PROVEN, ids=repr)
def test_the_checker_confirms_a_proof(estimator, tmp_path):
    X, y = table()
    tree = clone(estimator).fit(X, y)
    lines = [
        "x0,x1,x2,y",
        *(",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True)),
    ]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    tree.save(tmp_path / "model.json")
    tree.write_proof(tmp_path / "proof.jsonl")
    head = json.loads((tmp_path / "proof.jsonl").read_text().splitlines()[0])
    assert head["format"] == "treewright.proof"
    program = os.environ.get("TREEWRIGHT_PROGRAM")
    if not program:
        pytest.skip("TREEWRIGHT_PROGRAM is not set")
    line = [program, "verify", "model.json", "table.csv", "--optimality", "--proof", "proof.jsonl"]
    line[0] = os.path.abspath(program)
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_proof_changes_no_tree_and_is_kept():
    X, y = table()
    for estimator in PROVEN:
        with_proof = clone(estimator).fit(X, y)
        without = clone(estimator).set_params(proof=False).fit(X, y)
        assert with_proof.tree_ == without.tree_
        again = pickle.loads(pickle.dumps(with_proof))
        assert again.proof_ == with_proof.proof_
        # The next fit does not keep an old proof.
        with_proof.set_params(proof=False).fit(X, y)
        assert not hasattr(with_proof, "proof_")


def test_what_has_no_proof_says_so(tmp_path):
    X, y = table()
    with pytest.raises(ValueError, match="fit with proof=True"):
        OptimalTreeClassifier().fit(X, y).write_proof(tmp_path / "proof.jsonl")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="nothing is claimed about a tree that is not pruned"):
        GreedyTreeClassifier(proof=True).fit(X, y)
    with pytest.raises(ValueError, match="proof: got 1, expected True or False"):
        OptimalTreeClassifier(proof=1).fit(X, y)
    with pytest.raises(TypeError, match="no use for: proof"):
        dyadic_path(X, y, proof=True)
    grown = GreedyTreeRegressor(max_leaf_nodes=3, proof=True).fit(X, X[:, 0])
    assert json.loads(grown.proof_.splitlines()[0])["kind"] == "grown"


def test_a_search_that_was_stopped_claims_nothing():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(3000, 20)), rng.integers(0, 2, 3000)
    tree = OptimalTreeClassifier(max_depth=4, time_limit=0.2, proof=True).fit(X, y)
    assert not json.loads(tree.proof_.splitlines()[0])["complete"]
