"""Predictions of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._proving import Proving


class Classifier(ClassifierMixin, Proving):
    """What trees that predict classes have in common."""

    classes_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, or a data frame of pandas, polars or pyarrow.

        Returns
        -------
        y : array of shape (n_samples,)
        """
        check_is_fitted(self)
        answers = self.tree_._model.predict(self._rows(X))
        return self.classes_[answers.astype(np.intp)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """For each row the shares of the classes, in the order of ``classes_``."""
        check_is_fitted(self)
        return self.tree_._model.predict_proba(self._rows(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the shares."""
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        check_is_fitted(self)
        return len(self.classes_)
