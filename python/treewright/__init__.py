"""Decision trees done exactly.

Estimators for scikit-learn:

===========================  ==================================================================
`GreedyTreeClassifier`       CART and C4.5 trees, exactly pruned on demand
`GreedyTreeRegressor`        the same for numbers
`DyadicTreeClassifier`       the best tree over all dyadic partitions
`OptimalTreeClassifier`      the best tree of a depth, with a proof
`BackwardFeatureSelector`    takes features away while the error falls
`CompleteFeatureSelector`    the best subset of the features, with a proof
===========================  ==================================================================

Functions: `check`, `explore`, `pruning_family`, `dyadic_path`, `optimal_path`,
`distinct_trees`, `prune_costs`, `from_sklearn`, `load_model`, `save_model`.

>>> from sklearn.datasets import load_iris
>>> from treewright import OptimalTreeClassifier
>>> X, y = load_iris(return_X_y=True, as_frame=True)
>>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
>>> tree.certificate_["optimal"], tree.tree_.training["errors"]
(True, 2.0)
"""

from ._estimators import (
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
)
from ._family import Family
from ._functions import (
    Check,
    Report,
    check,
    distinct_trees,
    dyadic_path,
    explore,
    from_sklearn,
    load_model,
    optimal_path,
    prune_costs,
    pruning_family,
    save_model,
)
from ._native import __version__
from ._selectors import BackwardFeatureSelector, CompleteFeatureSelector
from ._tree import Tree

__all__ = [
    "BackwardFeatureSelector",
    "Check",
    "CompleteFeatureSelector",
    "DyadicTreeClassifier",
    "Family",
    "GreedyTreeClassifier",
    "GreedyTreeRegressor",
    "OptimalTreeClassifier",
    "Report",
    "Tree",
    "__version__",
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

# Public classes belong to the package, not to the file that they are written in: pickles and messages name
# ``treewright.Tree``, and stay valid when a file moves.
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
del _name
