"""Functions: families, distinct trees, reports, files; one file each."""

from ._check import Check, check
from ._distinct_trees import distinct_trees
from ._dyadic_path import dyadic_path
from ._explore import explore
from ._model_files import load_model, save_model
from ._optimal_path import optimal_path
from ._prune_costs import from_sklearn, prune_costs
from ._pruning_family import pruning_family
from ._report import Report

__all__ = [
    "Check",
    "Report",
    "check",
    "distinct_trees",
    "dyadic_path",
    "explore",
    "from_sklearn",
    "load_model",
    "optimal_path",
    "prune_costs",
    "pruning_family",
    "save_model",
]
