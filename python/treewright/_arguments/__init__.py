"""Arguments of estimators and functions: checked, and as the core wants them."""

from ._categorical import categorical_places
from ._checks import cost_matrix, count_or_share, flag, real, whole, word
from ._greedy import greedy_params
from ._limits import limits, take
from ._rules import class_share, path_rules
from ._seed import seed
from ._selection import selection
from ._target import class_texts, class_weights, distinct_labels, target_numbers

__all__ = [
    "categorical_places",
    "class_share",
    "class_texts",
    "class_weights",
    "cost_matrix",
    "count_or_share",
    "distinct_labels",
    "flag",
    "greedy_params",
    "limits",
    "path_rules",
    "real",
    "seed",
    "selection",
    "take",
    "target_numbers",
    "whole",
    "word",
]
