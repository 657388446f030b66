"""Pruning anybody's tree, given by children and costs."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import _native
from .._arguments import flag, whole
from .._family import number_text


def prune_costs(
    children: Any,
    costs: Any,
    *,
    penalty: Any = "linear",
    alpha: float | str | None = None,
    leaves: int | None = None,
    max_cost: float | str | None = None,
    family: bool = False,
    all_sizes: bool = False,
) -> Any:
    """Prunes anybody's tree exactly: all that is needed are its shape and a cost for each node.

    Say what is wanted by one of ``alpha``, ``leaves``, ``max_cost``, ``family`` and ``all_sizes``.

    Parameters
    ----------
    children : list of lists of int
        For each node the numbers of its children, any number of them. Node 0 is the root.
    costs : array of float
        What each node costs as a leaf; not negative. Costs of up to 15 digits are exact decimals.
    penalty : str or list of numbers, default="linear"
        What leaves cost: ``"linear"``, ``"sqrt"``, ``"log"``, ``"power:T"``, or a rising list of
        what 1, 2, ... leaves cost.
    alpha : float or str, optional
        The least ``cost + alpha * penalty(leaves)``; a text such as ``"1/300"`` is taken exactly.
    leaves : int, optional
        The least cost with at most so many leaves.
    max_cost : float or str, optional
        The fewest leaves with at most this cost.
    family : bool, default=False
        All prunings that are best for some ``alpha``.
    all_sizes : bool, default=False
        The least cost for every number of leaves, without the prunings.

    Returns
    -------
    dict or list of dict
        ``kept`` (the nodes that stay), ``leaves``, ``cost``, and ``exact``: were costs taken
        without rounding? With ``family`` a list of these, smallest first, each with ``lambda_low``
        and ``lambda_high``; with ``all_sizes`` a list of ``leaves`` and ``cost``.

    Examples
    --------
    >>> from treewright import prune_costs
    >>> prune_costs([[1, 2], [3, 4], [], [], []], [10, 4, 3, 1, 1.5], alpha=2)
    {'kept': [0, 1, 2], 'leaves': 2, 'cost': 7.0, 'exact': True}
    """
    aims = {"alpha": alpha is not None, "leaves": leaves is not None}
    aims |= {"max_cost": max_cost is not None, "family": flag("family", family)}
    aims |= {"all_sizes": flag("all_sizes", all_sizes)}
    given = [name for name, is_given in aims.items() if is_given]
    if len(given) != 1:
        got = " and ".join(given) or "none"
        raise ValueError(f"got {got}, expected one of {', '.join(aims)}")
    tree = _native.CostTree(_children(children), _costs(costs))
    penalty = _penalty(penalty)
    if family:
        return tree.family(penalty)
    if all_sizes:
        return [{"leaves": leaves, "cost": cost} for leaves, cost in tree.least_costs()]
    if alpha is not None:
        return tree.prune(penalty, alpha=number_text(alpha, "alpha"))
    if max_cost is not None:
        return tree.prune(penalty, max_cost=number_text(max_cost, "max_cost"))
    return tree.prune(penalty, leaves=whole("leaves", leaves, 1))


def from_sklearn(tree: Any, cost: str = "impurity") -> tuple[list[list[int]], np.ndarray]:
    """The children and the costs of a fitted decision tree of scikit-learn, for
    :func:`prune_costs`.

    Parameters
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree. Nodes keep their numbers.
    cost : {"impurity", "error"}, default="impurity"
        What a leaf costs: its impurity times its share of the rows, as in
        ``cost_complexity_pruning_path``; or the share of all rows that it predicts wrongly.

    Returns
    -------
    children : list of lists of int
    costs : ndarray

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treewright import from_sklearn, prune_costs
    >>> tree = DecisionTreeClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    >>> prune_costs(*from_sklearn(tree), leaves=3)["kept"]
    [0, 1, 2, 3, 12]
    """
    grown: Any = getattr(tree, "tree_", None)
    if not hasattr(grown, "children_left"):
        kind = type(tree).__name__
        raise ValueError(f"tree: got {kind}, expected a fitted decision tree of scikit-learn")
    if cost not in ("impurity", "error"):
        raise ValueError(f"cost: got {cost!r}, expected 'impurity' or 'error'")
    both = zip(grown.children_left.tolist(), grown.children_right.tolist(), strict=True)
    children = [[] if left < 0 else [left, right] for left, right in both]
    weights = grown.weighted_n_node_samples
    if cost == "impurity":
        return children, grown.impurity * weights / weights[0]
    if grown.n_outputs != 1 or not hasattr(tree, "classes_"):
        raise ValueError("cost: got 'error', expected 'impurity' for a tree that predicts numbers")
    # Counts of classes, or their shares, by version.
    counts = grown.value[:, 0, :]
    right = counts.max(axis=1) / counts.sum(axis=1)
    return children, np.round((1.0 - right) * weights, 9) / weights[0]


def _children(given: Any) -> list[list[int]]:
    # Numbers beyond all nodes mean the same.
    try:
        return [
            [max(-1, min(operator.index(child), 2**62)) for child in of_node] for of_node in given
        ]
    except TypeError:
        raise ValueError("children: expected for each node a list of whole numbers") from None


def _costs(given: Any) -> list[float]:
    try:
        costs = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("costs: expected a number for each node") from None
    if costs.ndim != 1:
        raise ValueError(f"costs: got the shape {costs.shape}, expected a number for each node")
    numbers: list[float] = costs.tolist()
    return numbers


def _penalty(given: Any) -> str | list[str]:
    if isinstance(given, str):
        return given
    try:
        return [number_text(value, "penalty") for value in given]
    except TypeError:
        what = f"penalty: got {given!r}, expected a name or a list of numbers"
        raise ValueError(what) from None
