"""The best trees of a depth for every number of leaves."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arguments import take, whole
from .._estimators import OptimalTreeClassifier
from .._family import Family
from ._refuse import refuse


def optimal_path(
    X: Any,
    y: Any,
    *,
    max_depth: int = 2,
    cv: int | None = None,
    sample_weight: Any = None,
    **params: Any,
) -> Family:
    """The best tree of a depth for every number of leaves, and so for all weights of a penalty.

    Members that are the best for no weight have neither ``lambda_low`` nor ``lambda_high``.

    Parameters
    ----------
    X, y : table and classes
    max_depth : int, default=2
        Longest way from the root to a leaf.
    cv : int, optional
        Cross-validate all members by this many folds: the tree of a fold with as many leaves
        stands for a member.
    sample_weight : array, optional
        Weights of the rows.
    **params
        Of :class:`OptimalTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import optimal_path
    >>> path = optimal_path(*load_iris(return_X_y=True), max_depth=2, intervals=2)
    >>> [(member["leaves"], member["errors"]) for member in path.members]
    [(1, 100.0), (2, 50.0), (3, 6.0)]
    """
    names = ("ccp_alpha", "max_leaf_nodes", "select", "proof")
    refuse("optimal_path", params, *names)
    estimator = OptimalTreeClassifier(max_depth=max_depth, **params)
    table = estimator._learning_table(X, y, sample_weight)
    options = estimator._params(table.n_rows)
    options["selection"] |= {"cv": None if cv is None else whole("cv", cv, 2)}
    found: list[_native.Family] = []
    outcome = _native.optimal_family(table, options, estimator._limits())
    take(outcome, found.append)
    return Family(found[0], estimator.classes_)
