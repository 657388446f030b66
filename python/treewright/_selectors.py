"""Feature selection with trees."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import TreeBase, count_or_share, real, take, whole, word
from ._trees import cost_matrix


class _FeatureSelector(SelectorMixin, TreeBase):
    """What both selections have in common."""

    classes_: np.ndarray

    def _select(self, function: Any, X: Any, y: Any, sample_weight: Any, **special: Any) -> None:
        table = self._learning_table(X, y, sample_weight)
        n_rows = table.n_rows
        if n_rows < 2:
            raise ValueError(f"n_samples={n_rows}: at least 2 are needed to leave some of them out")
        params = {
            "criterion": word("criterion", self.criterion),
            "bins": 32,
            "predict": "mean",
            "max_depth": None if self.max_depth is None else whole("max_depth", self.max_depth, 0),
            "min_samples_split": count_or_share(
                "min_samples_split", self.min_samples_split, n_rows, 2
            ),
            "min_samples_leaf": count_or_share(
                "min_samples_leaf", self.min_samples_leaf, n_rows, 1
            ),
            "min_gain": real("min_gain", self.min_gain, 0.0),
            "missing": word("missing", self.missing),
            "categorical_splits": word("categorical_splits", self.categorical_splits),
            "zero_gain": False,
            "min_weight_fraction_leaf": 0.0,
            "cost_matrix": cost_matrix(self.cost_matrix),
        }
        select = {
            "cv": whole("cv", self.cv, 2) if isinstance(self.cv, Integral) else None,
            "splits": self._splits(X, y),
            "repeats": whole("repeats", self.repeats, 1),
            "holdout": real("holdout", self.holdout, 0.0),
            "seed": self._seed(),
            "resamples": None if self.resamples is None else whole("resamples", self.resamples, 2),
            "plain": False,
            "within": 0.0,
            **special,
        }
        take(function(table, params, select, self._limits()), self._keep_selection)

    def _splits(self, X: Any, y: Any) -> list[tuple[list[int], list[int]]] | None:
        """The rows that build trees and those that judge them, if ``cv`` says so."""
        if self.cv is None or isinstance(self.cv, Integral):
            return None
        splits = check_cv(self.cv, y, classifier=True).split(X, y)
        return [(_places(build, len(y)), _places(held, len(y))) for build, held in splits]

    def _keep_selection(self, found: tuple[dict[str, Any], _native.Model]) -> None:
        selection, model = found
        self.selection_ = selection
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[selection["selected"]] = True
        self._keep(model)
        self.stopped_ = bool(selection["stopped"])

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """The selected columns of a table: a data frame of a data frame, an array of an array."""
        from . import _table

        check_is_fitted(self)
        if not _table.is_frame(X):
            return super().transform(X)
        from sklearn.utils.validation import validate_data

        validate_data(self, X=X, reset=False, skip_check_array=True)
        places = np.flatnonzero(self.support_).tolist()
        if type(X).__module__.startswith("pandas"):
            return X.iloc[:, places]
        names = _table.column_names(X) or []
        return X.select([names[place] for place in places])

    @property
    def feature_importances_(self) -> np.ndarray:
        """For each feature its share of what the splits of the final tree gain; 0 if it is not
        selected."""
        check_is_fitted(self)
        importances = np.zeros(self.n_features_in_)
        importances[self.support_] = self.tree_.feature_importances
        return importances

    def _rows(self, X: Any) -> _native.Table:
        from . import _table

        return _table.to_predict(self.transform(X), self.tree_._model)


def _places(rows: Any, n_rows: int) -> list[int]:
    """Rows as numbers from 0; a mask has one entry for each row."""
    rows = np.asarray(rows)
    if rows.dtype.kind == "b" and rows.shape == (n_rows,):
        rows = np.flatnonzero(rows)
    if rows.dtype.kind not in "iu" or rows.ndim != 1 or len(rows) and not rows.min() >= 0:
        raise ValueError("cv: expected row numbers from 0, or masks with an entry for each row")
    if len(rows) and rows.max() >= n_rows:
        raise ValueError(f"cv: got row {rows.max()}, but there are {n_rows} rows")
    places: list[int] = rows.tolist()
    return places


class BackwardFeatureSelector(_FeatureSelector):
    """Takes features away, one at a time, while the error of the greedy tree falls on rows left
    out.

    The same selection as by growing a tree for every candidate, found many times faster (Ruggieri
    2017).

    Parameters
    ----------
    criterion : {"entropy", "gini", "gain-ratio", "error"}, default="entropy"
        How good a split is.
    max_depth, min_samples_split, min_samples_leaf, min_gain, missing, categorical_splits
        Of the trees, as in :class:`GreedyTreeClassifier`.
    cv : int, splitter of scikit-learn or list of (train, test), optional
        Judge by folds. Without it a part of the rows is held out.
    repeats : int, default=1
        How often rows are dealt into folds.
    holdout : float, default=0.3
        Share of the rows that judge, if ``cv`` is not given.
    plain : bool, default=False
        Try every feature and grow every tree from its root: the same selection, slowly.
    resamples : int, optional
        Repeat the selection on so many samples of the rows, and report how stable it is.
    cost_matrix, class_weight, categorical_features, random_state, n_jobs
        As in :class:`GreedyTreeClassifier`.
    time_limit, memory_limit, verbose, progress
        As in :class:`GreedyTreeClassifier`.

    Attributes
    ----------
    support_ : array of bool
        The selected features: those that the final tree splits on.
    selection_ : dict
        Selected, unused and removed features by index, errors, and what the search took.
    tree_ : Tree
        The tree over the selected features, from all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import BackwardFeatureSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = BackwardFeatureSelector(max_depth=3).fit(X, y)
    >>> list(selector.get_feature_names_out())
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.transform(X).shape
    (150, 2)
    """

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
        plain: bool = False,
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
        self.plain = plain
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BackwardFeatureSelector:
        """Selects features; see :meth:`GreedyTreeClassifier.fit` for the arguments."""
        with self._all_or_nothing():
            self._select(_native.select_backward, X, y, sample_weight, plain=bool(self.plain))
        return self


class CompleteFeatureSelector(_FeatureSelector):
    """The subset of the features whose greedy tree has the least error on rows left out, with a
    proof.

    All distinct trees over subsets of the features are gone through, without those that cannot be
    better (Ruggieri 2017).

    Parameters
    ----------
    criterion : {"entropy", "gini", "gain-ratio", "error"}, default="entropy"
        How good a split is.
    max_depth, min_samples_split, min_samples_leaf, min_gain, missing, categorical_splits
        Of the trees, as in :class:`GreedyTreeClassifier`.
    cv : int, splitter of scikit-learn or list of (train, test), optional
        Judge by folds. Without it a part of the rows is held out.
    repeats : int, default=1
        How often rows are dealt into folds.
    holdout : float, default=0.3
        Share of the rows that judge, if ``cv`` is not given.
    within : float, default=0.0
        Be content with an error that is at most so much above the least.
    resamples : int, optional
        Repeat the selection on so many samples of the rows, and report how stable it is.
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CompleteFeatureSelector:
        """Selects features; see :meth:`GreedyTreeClassifier.fit` for the arguments."""
        self._select(
            _native.select_complete, X, y, sample_weight, within=real("within", self.within, 0.0)
        )
        return self
