"""Estimators that learn trees, one file each."""

from ._dyadic_classifier import DyadicTreeClassifier
from ._greedy_classifier import GreedyTreeClassifier
from ._greedy_regressor import GreedyTreeRegressor
from ._optimal_classifier import OptimalTreeClassifier
from ._tree_base import TreeBase

__all__ = [
    "DyadicTreeClassifier",
    "GreedyTreeClassifier",
    "GreedyTreeRegressor",
    "OptimalTreeClassifier",
    "TreeBase",
]
