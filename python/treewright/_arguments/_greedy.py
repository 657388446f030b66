"""Parameters of the greedy learner, for every estimator that grows greedy trees."""

from __future__ import annotations

from typing import Any

from ._checks import cost_matrix, count_or_share, real, whole, word
from ._rules import class_share, path_rules


def greedy_params(estimator: Any, n_rows: int) -> dict[str, Any]:
    """The parameters of an estimator, as the core wants them. What it does not have is at its
    default."""
    depth = estimator.max_depth
    return {
        "criterion": word("criterion", estimator.criterion),
        "bins": whole("bins", getattr(estimator, "bins", 32), 2),
        "leaf_value": word("leaf_value", getattr(estimator, "leaf_value", "auto")),
        "max_depth": None if depth is None else whole("max_depth", depth, 0),
        "min_samples_split": count_or_share(
            "min_samples_split", estimator.min_samples_split, n_rows, 2
        ),
        "min_samples_leaf": count_or_share(
            "min_samples_leaf", estimator.min_samples_leaf, n_rows, 1
        ),
        "min_weight_fraction_leaf": real(
            "min_weight_fraction_leaf", getattr(estimator, "min_weight_fraction_leaf", 0.0), 0.0
        ),
        "min_gain": real("min_gain", estimator.min_gain, 0.0),
        "missing": word("missing", estimator.missing),
        "categorical_splits": word("categorical_splits", estimator.categorical_splits),
        "zero_gain": bool(getattr(estimator, "zero_gain", False)),
        "cost_matrix": cost_matrix(getattr(estimator, "cost_matrix", None)),
        "rules": path_rules(estimator),
        "min_class_share": class_share(estimator),
    }
