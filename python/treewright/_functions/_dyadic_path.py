"""The best dyadic trees for all weights."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arguments import take, whole
from .._estimators import DyadicTreeClassifier
from .._family import Family
from ._refuse import refuse


def dyadic_path(
    X: Any,
    y: Any,
    *,
    cv: int | None = None,
    method: str = "hull",
    collinear: bool = False,
    sample_weight: Any = None,
    **params: Any,
) -> Family:
    """The best dyadic trees for all weights of a penalty.

    Parameters
    ----------
    X, y : table and classes
    cv : int, optional
        Cross-validate all members by this many folds.
    method : {"hull", "grid", "adaptive", "heuristic"}, default="hull"
        How the path is found; the others are those of the paper.
    collinear : bool, default=False
        Also list trees that are only as good as their neighbours.
    sample_weight : array, optional
        Weights of the rows.
    **params
        Of :class:`DyadicTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import dyadic_path
    >>> path = dyadic_path(*load_iris(return_X_y=True))
    >>> path.members[-1]["errors"], path.certificate["exact_down_to"]
    (0.0, 0.0)
    """
    refuse("dyadic_path", params, "ccp_alpha", "kappa", "max_leaf_nodes", "select", "proof")
    estimator = DyadicTreeClassifier(**params)
    table = estimator._learning_table(X, y, sample_weight)
    options = {**estimator._params(), "method": method, "collinear": bool(collinear)}
    options["selection"] |= {"cv": None if cv is None else whole("cv", cv, 2)}
    found: list[_native.Family] = []
    outcome = _native.dyadic_family(table, options, estimator._limits())
    take(outcome, found.append)
    return Family(found[0], estimator.classes_)
