"""A bug in the compiled part is a RuntimeError, wherever it is."""

import numpy as np
import pytest
from treewright import (
    BackwardFeatureSelector,
    CompleteFeatureSelector,
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    OptimalTreeClassifier,
    _native,
    distinct_trees,
    dyadic_path,
    explore,
    pruning_family,
)

X = np.random.default_rng(2).normal(size=(40, 3))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")
TREE = GreedyTreeClassifier().fit(X, Y)
MODEL = TREE.tree_._model
FAMILY = pruning_family(X, Y, cv=3)._family
COSTS = _native.CostTree([[1, 2], [], []], [2.0, 1.0, 0.5])
REPORT = MODEL.report("title")
ROWS = TREE._rows(X)


def table():
    return GreedyTreeClassifier()._learning_table(X, Y, None)


# What is called after a table was made, so that the panic is there and not in the table.
WORK = {
    "table": table,
    "model": lambda: _native.Model(""),
    "model to_json": MODEL.to_json,
    "export": lambda: MODEL.export("text"),
    "onnx": MODEL.to_onnx,
    "model report": lambda: MODEL.report("title"),
    "importances": MODEL.importances,
    "predict": lambda: MODEL.predict(ROWS),
    "predict_proba": lambda: MODEL.predict_proba(ROWS),
    "apply": lambda: MODEL.apply(ROWS),
    "decision_path": lambda: MODEL.decision_path(ROWS),
    "prunings": lambda: MODEL.prunings("linear", "error"),
    "cost tree": lambda: _native.CostTree([[]], [1.0]),
    "prune costs": lambda: COSTS.prune("linear", alpha="1"),
    "family of costs": lambda: COSTS.family("linear"),
    "least costs": COSTS.least_costs,
    "family": lambda: _native.Family(""),
    "family to_json": FAMILY.to_json,
    "members": FAMILY.members,
    "member": lambda: FAMILY.model(0),
    "at": lambda: FAMILY.at("0.1"),
    "with_leaves": lambda: FAMILY.with_leaves(3),
    "chosen": lambda: FAMILY.chosen,
    "family report": lambda: FAMILY.report("title"),
    "html": REPORT.to_html,
    "report to_json": REPORT.to_json,
}
FITS = {
    "greedy": GreedyTreeClassifier(),
    "greedy family": GreedyTreeClassifier(select="cv"),
    "dyadic": DyadicTreeClassifier(k=1),
    "dyadic family": DyadicTreeClassifier(k=1, select="cv"),
    "optimal": OptimalTreeClassifier(),
    "backward": BackwardFeatureSelector(),
    "complete": CompleteFeatureSelector(),
}
FUNCTIONS = {
    "distinct": lambda: next(distinct_trees(X, Y)),
    "explore": lambda: explore(X, Y, budget=0.1),
    "dyadic_path": lambda: dyadic_path(X, Y, k=1),
}


def check(work):
    with pytest.raises(RuntimeError, match="this is a bug of treewright.*a test panics"):
        work()


@pytest.mark.parametrize("name", WORK)
def test_a_panic_is_a_runtime_error(name):
    _native.panic_next_for_tests()
    check(WORK[name])


@pytest.mark.parametrize("name", [*FITS, *FUNCTIONS])
def test_a_panic_in_a_fit_is_a_runtime_error(name, monkeypatch):
    """The table is sound; what follows panics."""
    made = _native.Table

    def sound(*arguments):
        found = made(*arguments)
        _native.panic_next_for_tests()
        return found

    monkeypatch.setattr(_native, "Table", sound)
    if name in FITS:
        check(lambda: FITS[name].fit(X, Y))
        assert not hasattr(FITS[name], "tree_")
    else:
        check(FUNCTIONS[name])
