"""The best subset of the features."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arguments import real
from ._feature_selector import FeatureSelector


class CompleteFeatureSelector(FeatureSelector):
    """The subset of the features whose greedy tree has the least error on held-out rows, with a
    proof.

    All distinct trees over subsets of the features are gone through, without those that cannot be
    better (Ruggieri 2017).

    Parameters
    ----------
    criterion : {"entropy", "gini", "gain-ratio", "error"}, default="entropy"
        How good a split is.
    max_depth, min_samples_split, min_samples_leaf, min_gain, missing, categorical_splits
        Of the trees, as in :class:`GreedyTreeClassifier`, but with a child for each category.
    cv : int, splitter of scikit-learn or list of (train, test), optional
        Judge by folds. Without it a part of the rows is held out.
    repeats : int, default=1
        How often rows are dealt into folds.
    holdout : float, default=0.3
        Share of the rows that judge, if ``cv`` is not given.
    within : float, default=0.0
        Accept an error that is at most this much above the least.
    resamples : int, optional
        Repeat the selection on this many samples of the rows, and report how stable it is.
    cost_matrix, class_weight, categorical_features, random_state, n_jobs
        As in :class:`GreedyTreeClassifier`.
    time_limit, memory_limit, verbose, progress
        As in :class:`GreedyTreeClassifier`; a search that is stopped has a lower bound.

    Attributes
    ----------
    support_ : array of bool
        The selected features: those that the final tree splits on.
    selection_ : dict
        Selected features by index, errors, ``optimal`` and ``lower_bound``, and what the search
        took.
    tree_ : Tree
        The tree over the selected features, from all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import CompleteFeatureSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = CompleteFeatureSelector(max_depth=3).fit(X, y)
    >>> selector.selection_["optimal"], list(selector.get_feature_names_out())
    (True, ['petal length (cm)', 'petal width (cm)'])
    """

    _search = staticmethod(_native.select_complete)

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_gain: float = 0.0,
        missing: str = "distribute",
        categorical_splits: str = "multiway",
        cv: Any = None,
        repeats: int = 1,
        holdout: float = 0.3,
        within: float = 0.0,
        resamples: int | None = None,
        cost_matrix: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        verbose: int = 0,
        progress: Any = None,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.missing = missing
        self.categorical_splits = categorical_splits
        self.cv = cv
        self.repeats = repeats
        self.holdout = holdout
        self.within = within
        self.resamples = resamples
        self.cost_matrix = cost_matrix
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.progress = progress

    def _special(self) -> dict[str, Any]:
        return {"within": real("within", self.within, 0.0)}
