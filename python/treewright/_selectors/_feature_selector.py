"""What the two selections of features have in common."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _native, _table
from .._arguments import greedy_params, real, seed, take, whole
from .._estimators import TreeBase


class FeatureSelector(SelectorMixin, TreeBase):
    """What both selections have in common."""

    classes_: np.ndarray

    #: Searches, in the core.
    _search: Callable[..., Any]

    def _special(self) -> dict[str, Any]:
        """Parameters of one selection alone, as the core wants them."""
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        table = self._learning_table(X, y, sample_weight)
        n_rows = table.n_rows
        if n_rows < 2:
            raise ValueError(f"n_samples={n_rows}: at least 2 are needed to leave some of them out")
        params = greedy_params(self, n_rows)
        select = {
            "cv": whole("cv", self.cv, 2) if isinstance(self.cv, Integral) else None,
            "splits": self._splits(X, y),
            "repeats": whole("repeats", self.repeats, 1),
            "holdout": real("holdout", self.holdout, 0.0),
            "seed": seed(self.random_state),
            "resamples": None if self.resamples is None else whole("resamples", self.resamples, 2),
            "plain": False,
            "within": 0.0,
            **self._special(),
        }
        take(self._search(table, params, select, self._limits()), self._keep_selection)

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
        check_is_fitted(self)
        if not _table.is_frame(X):
            return super().transform(X)
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
