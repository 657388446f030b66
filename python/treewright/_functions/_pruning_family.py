"""All best prunings of a greedy tree."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arguments import greedy_params, take, whole
from .._estimators import GreedyTreeClassifier, GreedyTreeRegressor, TreeBase
from .._family import Family
from .._tree import Tree
from ._refuse import refuse


def pruning_family(
    X: Any,
    y: Any = None,
    *,
    penalty: str = "linear",
    cost: str | None = None,
    cv: int | None = None,
    repeats: int = 1,
    sample_weight: Any = None,
    task: str = "classification",
    **params: Any,
) -> Family:
    """All prunings of a greedy tree that are best for some weight of a penalty.

    Parameters
    ----------
    X : table, or a fitted tree or estimator
        A table to grow the tree from; or what was learned already.
    y : array, optional
        Classes, or numbers with ``task="regression"``. Not for something learned already.
    penalty : str, default="linear"
        What leaves cost: ``"linear"``, ``"sqrt"``, ``"log"`` or ``"power:T"``.
    cost : {"error", "impurity", "mse"}, optional
        What a leaf costs: its errors (for numbers: its squared errors), or its impurity.
    cv : int, optional
        Cross-validate all members by this many folds.
    repeats : int, default=1
        How often rows are dealt into folds.
    sample_weight : array, optional
        Weights of the rows.
    task : {"classification", "regression"}, default="classification"
        What ``y`` holds.
    **params
        Of :class:`GreedyTreeClassifier` or :class:`GreedyTreeRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import pruning_family
    >>> family = pruning_family(*load_breast_cancer(return_X_y=True), cv=10)
    >>> tree = family.select("1se")
    >>> tree.certificate["optimal"]
    True
    """
    if isinstance(X, TreeBase):
        X = X.tree_
    if isinstance(X, Tree):
        if y is not None or cv is not None:
            raise ValueError("a learned tree has its rows already: leave y and cv out")
        if X._model.is_classifier:
            cost = _cost(cost, "classes", "error", "impurity")
        else:
            cost = _cost(cost, "numbers", "mse", "error")
        return Family(X._model.prunings(penalty, cost), X._labels)
    refuse("pruning_family", params, "ccp_alpha", "max_leaf_nodes", "select", "proof")
    if task not in ("classification", "regression"):
        raise ValueError(f"task: got {task!r}, expected 'classification' or 'regression'")
    estimator: Any
    if task == "classification":
        cost = _cost(cost, "classes", "error", "impurity")
        estimator = GreedyTreeClassifier(penalty=penalty, pruning_cost=cost, **params)
    else:
        _cost(cost, "numbers", "mse")
        estimator = GreedyTreeRegressor(penalty=penalty, **params)
    table = estimator._learning_table(X, y, sample_weight)
    pruning = estimator._pruning()
    pruning["selection"] |= {
        "cv": None if cv is None else whole("cv", cv, 2),
        "repeats": whole("repeats", repeats, 1),
    }
    found: list[_native.Family] = []
    outcome = _native.greedy_family(
        table, greedy_params(estimator, table.n_rows), pruning, estimator._limits()
    )
    take(outcome, found.append)
    return Family(found[0], getattr(estimator, "classes_", None))


def _cost(given: str | None, target: str, *allowed: str) -> str:
    """What a leaf costs; the first of the allowed words by default."""
    if given is not None and given not in allowed:
        words = " or ".join(map(repr, allowed))
        raise ValueError(f"cost: got {given!r}, expected {words} for {target}")
    return given or allowed[0]
