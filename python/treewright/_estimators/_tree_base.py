"""What all estimators have in common: tables in, trees out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from .. import _native, _table
from .._arguments import categorical_places, class_texts, class_weights, limits, target_numbers
from .._learner import is_stopped
from .._tree import Tree
from ._exports import Exports

if TYPE_CHECKING:
    from typing_extensions import Self


class TreeBase(Exports, BaseEstimator):
    """Learns from tables of any kind, with limits, progress and Ctrl-C.

    A subclass has ``_fit``, which makes a table by ``_learning_table``, calls the core, and hands
    the result to ``_keep``.
    """

    #: Does the estimator predict numbers?
    _is_regressor = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from a table.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, or a data frame of pandas, polars or pyarrow. NaN and null are missing.
        y : array of shape (n_samples,)
            Classes (texts, numbers, booleans), or numbers for regression.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        with self._all_or_nothing():
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        raise NotImplementedError

    # --- from arguments to the core --------------------------------------------------------------

    def _learning_table(self, X: Any, y: Any, sample_weight: Any) -> _native.Table:
        """The table to learn from. Sets ``n_features_in_``, ``feature_names_in_`` and
        ``classes_``."""
        if type(X).__module__.startswith("polars") and type(X).__name__ == "LazyFrame":
            raise ValueError("a polars LazyFrame has no rows yet: call collect() first")
        if y is None:
            name = type(self).__name__
            raise ValueError(
                f"This {name} estimator requires y to be passed, but the target y is None."
            )
        target = str(getattr(y, "name", None) or "y")
        categorical = self.categorical_features
        if _table.is_frame(X):
            validate_data(self, X=X, y=y, skip_check_array=True)
            if X.shape[0] == 0 or X.shape[1] == 0:
                raise ValueError(f"Found array with 0 sample(s) or 0 feature(s) (shape={X.shape})")
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
            force = categorical_places(categorical, _table.column_names(X), X.shape[1])
            from_dtype = isinstance(categorical, str) and categorical == "from_dtype"
            columns = _table.frame_columns(X, force, texts_allowed=from_dtype)
        else:
            force = categorical_places(categorical, None, None)
            # Cells are checked in the core, together with everything else that is read there.
            X, y = validate_data(
                self,
                X,
                y,
                dtype=None if force else np.float64,
                ensure_all_finite="allow-nan" if force else False,
            )
            force = categorical_places(categorical, None, X.shape[1])
            columns = _table.array_columns(X, force)
        names = _table.column_names(X)
        if names is None:
            names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        names = names or [f"x{place}" for place in range(len(columns))]
        taken: set[str] = set()
        names = _table.distinct_names(names, taken)
        (target,) = _table.distinct_names([target], taken)
        features, na = _table.to_learn(columns, names)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, X if not _table.is_frame(X) else y, dtype=np.float64
            )
            weights = np.ascontiguousarray(weights)
        if self._is_regressor:
            truths = np.ascontiguousarray(target_numbers(y))
            return _native.Table(features, (target, None, truths), na, weights, None)
        self.classes_, texts, codes = class_texts(y)
        class_weight = class_weights(getattr(self, "class_weight", None), self.classes_)
        return _native.Table(features, (target, texts, codes), na, weights, class_weight)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A fit that fails leaves everything as it was; one that is stopped leaves a new tree."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            if self.__dict__.get("tree_") is before.get("tree_"):
                self.__dict__.clear()
                self.__dict__.update(before)
            raise

    def _limits(self) -> dict[str, Any]:
        return limits(
            self.n_jobs,
            self.time_limit,
            self.memory_limit,
            self.verbose,
            self.progress,
            type(self).__name__,
        )

    # --- the fitted tree -------------------------------------------------------------------------

    def _keep(self, model: _native.Model) -> None:
        labels = getattr(self, "classes_", None)
        self.tree_ = Tree(model, labels)
        self.certificate_ = self.tree_.certificate
        is_proven = self.certificate_ is None or self.certificate_["optimal"]
        self.stopped_ = not is_proven or is_stopped(self.tree_.learner)
        self.__dict__.pop("proof_", None)
        if model.proof is not None:
            self.proof_ = model.proof

    def _rows(self, X: Any) -> _native.Table:
        """The rows of a table as the tree wants them."""
        if _table.is_frame(X):
            validate_data(self, X=X, reset=False, skip_check_array=True)
        else:
            has_categories = any(
                categories is not None for _, categories in self.tree_._model.features
            )
            dtype = None if has_categories else np.float64
            finite = "allow-nan" if has_categories else False
            X = validate_data(self, X, reset=False, dtype=dtype, ensure_all_finite=finite)
        return _table.to_predict(X, self.tree_._model)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row. Of a row that is distributed over several, the heaviest one."""
        check_is_fitted(self)
        return self.tree_._model.apply(self._rows(X))

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, as a sparse matrix of rows and nodes."""
        check_is_fitted(self)
        from scipy.sparse import csr_matrix

        begins, nodes = self.tree_._model.decision_path(self._rows(X))
        shape = (len(begins) - 1, self.tree_.n_nodes)
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, begins), shape=shape)

    def get_depth(self) -> int:
        """Number of edges on the longest way from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """For each feature its share of what all splits gain."""
        check_is_fitted(self)
        return self.tree_.feature_importances

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
