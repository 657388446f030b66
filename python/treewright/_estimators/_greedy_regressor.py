"""Greedy trees that predict numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._greedy import Greedy


class GreedyTreeRegressor(RegressorMixin, Greedy):
    """A regression tree that is grown from the top, at each node by the split that gains most.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "binned-gini"}, default="squared_error"
        How good a split is; ``"mse"`` and ``"mae"`` are accepted, too.
    bins : int, default=32
        Bins of the target for ``"binned-gini"``.
    leaf_value : {"auto", "mean", "median"}, default="auto"
        What a leaf predicts; ``"auto"`` is the median for ``"absolute_error"``, as in scikit-learn, else the mean.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_gain
        As in :class:`GreedyTreeClassifier`.
    missing, categorical_splits, zero_gain, interactions, root_only, not_above
        As in :class:`GreedyTreeClassifier`.
    ccp_alpha, max_leaf_nodes, select, cv, repeats, holdout, penalty
        Pruning, as in :class:`GreedyTreeClassifier`; a leaf costs its squared errors.
    categorical_features, random_state, n_jobs, time_limit, memory_limit, verbose, progress, proof
        As in :class:`GreedyTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    family_ : Family
        All best prunings, if ``select`` or ``ccp_alpha`` is given.
    certificate_ : dict or None
        What is proven about the pruning.

    Examples
    --------
    >>> from treewright import GreedyTreeRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [5.0, 5.0, 7.0, 9.0]
    >>> tree = GreedyTreeRegressor(max_depth=1).fit(X, y)
    >>> tree.predict([[0.0], [10.0]])
    array([5., 8.])
    """

    _is_regressor = True

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        bins: int = 32,
        leaf_value: str = "auto",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        missing: str = "distribute",
        categorical_splits: str = "grouped",
        zero_gain: bool = False,
        interactions: Any = None,
        root_only: Any = None,
        not_above: Any = None,
        ccp_alpha: float | str = 0.0,
        max_leaf_nodes: int | None = None,
        select: str | None = None,
        cv: int = 10,
        repeats: int = 1,
        holdout: float = 0.3,
        penalty: str = "linear",
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        verbose: int = 0,
        progress: Any = None,
        proof: bool = False,
    ):
        self.criterion = criterion
        self.bins = bins
        self.leaf_value = leaf_value
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.missing = missing
        self.categorical_splits = categorical_splits
        self.zero_gain = zero_gain
        self.interactions = interactions
        self.root_only = root_only
        self.not_above = not_above
        self.ccp_alpha = ccp_alpha
        self.max_leaf_nodes = max_leaf_nodes
        self.select = select
        self.cv = cv
        self.repeats = repeats
        self.holdout = holdout
        self.penalty = penalty
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.progress = progress
        self.proof = proof

    def predict(self, X: Any) -> np.ndarray:
        """The number of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, or a data frame of pandas, polars or pyarrow.

        Returns
        -------
        y : array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.tree_._model.predict(self._rows(X))
