"""All distinct trees over subsets of the features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _native
from .._arguments import greedy_params, limits, whole
from .._estimators import GreedyTreeClassifier
from .._tree import Tree
from ._refuse import refuse


class DistinctTrees(Iterator[Tree]):
    """Goes through distinct trees; what :func:`distinct_trees` returns.

    ``count`` says after the end how many there are. ``close()`` ends the search early; so does
    leaving a ``with`` block.
    """

    def __init__(self, trees: _native.DistinctTrees, labels: np.ndarray):
        self._trees = trees
        self._labels = labels

    def __next__(self) -> Tree:
        return Tree(next(self._trees), self._labels)

    def __enter__(self) -> DistinctTrees:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the search."""
        self._trees.close()

    @property
    def count(self) -> dict[str, Any] | None:
        """After the end: distinct, built, by_size, complete, seconds."""
        return self._trees.count


def distinct_trees(
    X: Any,
    y: Any,
    *,
    order: str = "frontier",
    limit: int | None = None,
    criterion: str = "entropy",
    sample_weight: Any = None,
    **params: Any,
) -> DistinctTrees:
    """All and only the distinct greedy trees over the subsets of the features, one by one
    (Ruggieri 2017).

    Trees are found in the background while you look at those before.

    Parameters
    ----------
    X, y : table and classes
    order : {"frontier", "reverse", "index"}, default="frontier"
        In which order features are taken away.
    limit : int, optional
        At most this many trees.
    criterion : {"entropy", "gini", "gain-ratio", "error"}, default="entropy"
        How good a split is.
    sample_weight : array, optional
        Weights of the rows.
    **params
        Of :class:`GreedyTreeClassifier`; ``categorical_splits="multiway"`` unless given.

    Examples
    --------
    >>> from treewright import distinct_trees
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> [tree.features for tree in distinct_trees(X, ["no", "no", "no", "yes"])]
    [['x0', 'x1'], ['x0'], ['x1'], []]
    """
    unused = ["ccp_alpha", "max_leaf_nodes", "select", "penalty", "pruning_cost", "progress"]
    unused += ["interactions", "root_only", "not_above", "min_class_share"]
    refuse("distinct_trees", params, *unused, "verbose", "proof")
    params.setdefault("categorical_splits", "multiway")
    estimator = GreedyTreeClassifier(criterion=criterion, **params)
    table = estimator._learning_table(X, y, sample_weight)
    limit = None if limit is None else whole("limit", limit, 1)
    bounds = limits(
        estimator.n_jobs, estimator.time_limit, estimator.memory_limit, 0, None, "distinct_trees"
    )
    options = greedy_params(estimator, table.n_rows)
    return DistinctTrees(
        _native.DistinctTrees(table, options, order, limit, bounds), estimator.classes_
    )
