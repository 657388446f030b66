"""Which rows are held out to choose a tree."""

from __future__ import annotations

from typing import Any

from ._checks import real, whole, word
from ._seed import seed


def selection(estimator: Any) -> dict[str, Any]:
    """Which rows are held out to choose a tree, as the core wants it."""
    is_by_folds = estimator.select in ("cv", "1se")
    return {
        "select": None if estimator.select is None else word("select", estimator.select),
        "cv": whole("cv", estimator.cv, 2) if is_by_folds else None,
        "repeats": whole("repeats", estimator.repeats, 1),
        "holdout": real("holdout", estimator.holdout, 0.0),
        "seed": seed(estimator.random_state),
    }
