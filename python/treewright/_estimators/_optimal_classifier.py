"""The best trees of a depth."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arguments import (
    class_share,
    cost_matrix,
    count_or_share,
    flag,
    path_rules,
    real,
    selection,
    take,
    whole,
    word,
)
from .._family import Family, number_text
from ._classifier import Classifier


class OptimalTreeClassifier(Classifier):
    """The tree of a depth with the least cost on the training rows, with a proof (Auer, Holte and
    Maass 1995).

    Inner levels cut a numeric feature in two; the last level cuts it into up to ``intervals``
    parts. Categorical features have a branch for each category, or are grouped; missing values
    have a branch of their own.

    Parameters
    ----------
    max_depth : int, default=2
        Longest way from the root to a leaf.
    intervals : "auto" or int, default="auto"
        Parts of a numeric feature at the last level; ``"auto"`` is the number of classes + 1, 2
        gives binary trees.
    categorical_splits : {"grouped", "one-vs-rest", "multiway"}, default="grouped"
        How a split parts categories: one against the rest, and at the last level up to
        ``intervals`` groups, or two; one against the rest; or a branch for each.
    min_samples_leaf : int or float, default=1
        A leaf has at least this many rows.
    min_weight_fraction_leaf : float, default=0.0
        Instead of rows, a leaf has at least this share of the weight of all rows.
    ccp_alpha : float or str, default=0.0
        What a leaf costs, on the scale of the error rate. A text such as ``"1/300"`` is taken
        exactly.
    penalty : str, default="linear"
        What leaves cost, times ``ccp_alpha``: ``"linear"``, ``"sqrt"``, ``"log"`` or
        ``"power:T"``.
    max_leaf_nodes : int, optional
        The best tree with at most this many leaves, instead of a price of leaves.
    select : {"cv", "1se", "holdout"}, optional
        Find the best tree of every size (``family_``) and take the one that does best on held-out
        rows, or the smallest within one standard error of it.
    cv, repeats, holdout, random_state
        As in :class:`GreedyTreeClassifier`.
    interactions : list of lists of str, optional
        Groups of features: a path from the root to a leaf asks at most one feature of each group.
        The columns of an array are named ``x0``, ``x1``, ...
    root_only : list of str, optional
        These features are asked at the root only.
    not_above : list of pairs of str, optional
        The first feature of a pair is never asked above the second on a path.
    min_class_share : float or str, optional
        Of the weight of a leaf, the class that it predicts has at least this share, above 0 and at
        most 1. A text such as ``"2/3"`` is taken exactly. A tree of one leaf may have less.
    cost_matrix, class_weight, categorical_features, n_jobs, verbose, progress
        As in :class:`GreedyTreeClassifier`.
    time_limit, memory_limit
        Seconds and bytes after which the search stops with the best tree so far, never worse than
        the greedy one; ``certificate_`` has a lower bound and the gap.
    proof : bool, default=False
        Keep a proof in ``proof_``, which takes some more time. ``write_proof`` writes it to a file,
        with which the program ``treewright-check`` confirms that no tree is better. A search that
        was stopped leaves a proof without claims. Only for trees of any size, with the linear
        penalty.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    family_ : Family
        The best tree of every size, if ``select`` is given.
    certificate_ : dict
        What is proven: objective, lower bound, gap, optimal.
    stopped_ : bool
        Did a limit or Ctrl-C end the work before its end?
    classes_ : array
        The class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> tree = OptimalTreeClassifier(max_depth=2, intervals=2).fit(*load_iris(return_X_y=True))
    >>> tree.tree_.training["errors"], tree.certificate_["optimal"]
    (6.0, True)
    >>> small = OptimalTreeClassifier(max_depth=3, max_leaf_nodes=4)
    >>> small.fit(*load_iris(return_X_y=True)).get_n_leaves()
    4
    """

    def __init__(
        self,
        *,
        max_depth: int = 2,
        intervals: int | str = "auto",
        categorical_splits: str = "grouped",
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        ccp_alpha: float | str = 0.0,
        penalty: str = "linear",
        max_leaf_nodes: int | None = None,
        select: str | None = None,
        cv: int = 10,
        repeats: int = 1,
        holdout: float = 0.3,
        interactions: Any = None,
        root_only: Any = None,
        not_above: Any = None,
        min_class_share: float | str | None = None,
        cost_matrix: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        verbose: int = 0,
        progress: Any = None,
        proof: bool = False,
    ):
        self.max_depth = max_depth
        self.intervals = intervals
        self.categorical_splits = categorical_splits
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.ccp_alpha = ccp_alpha
        self.penalty = penalty
        self.max_leaf_nodes = max_leaf_nodes
        self.select = select
        self.cv = cv
        self.repeats = repeats
        self.holdout = holdout
        self.interactions = interactions
        self.root_only = root_only
        self.not_above = not_above
        self.min_class_share = min_class_share
        self.cost_matrix = cost_matrix
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.progress = progress
        self.proof = proof

    def _params(self, n_rows: int) -> dict[str, Any]:
        is_auto = isinstance(self.intervals, str)
        if is_auto and self.intervals != "auto":
            raise ValueError(
                f"intervals: got {self.intervals!r}, expected 'auto' or a whole number"
            )
        leaves = self.max_leaf_nodes
        return {
            "max_depth": whole("max_depth", self.max_depth, 0),
            "intervals": None if is_auto else whole("intervals", self.intervals, 1),
            "categorical_splits": word("categorical_splits", self.categorical_splits),
            "min_samples_leaf": count_or_share(
                "min_samples_leaf", self.min_samples_leaf, n_rows, 1
            ),
            "min_weight_fraction_leaf": real(
                "min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0
            ),
            "ccp_alpha": number_text(self.ccp_alpha, "ccp_alpha"),
            "penalty": word("penalty", self.penalty),
            "max_leaf_nodes": None if leaves is None else whole("max_leaf_nodes", leaves, 1),
            "cost_matrix": cost_matrix(self.cost_matrix),
            "selection": selection(self),
            "rules": path_rules(self),
            "min_class_share": class_share(self),
            "proof": flag("proof", self.proof),
        }

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        table = self._learning_table(X, y, sample_weight)
        params = self._params(table.n_rows)
        given = ["ccp_alpha"] if params["ccp_alpha"].strip("0.") else []
        given += [name for name in ("max_leaf_nodes", "select") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[0]} and {given[1]} both choose a tree: leave one of them out")
        is_sized = given != [] and (given[0] != "ccp_alpha" or params["penalty"] != "linear")
        if params["proof"] and is_sized:
            raise ValueError(
                "proof: there is none for a number of leaves, a choice by held-out rows or a "
                "penalty that is not linear"
            )
        self.__dict__.pop("family_", None)
        if self.select is None:
            take(_native.fit_optimal(table, params, self._limits()), self._keep)
        else:
            take(_native.fit_optimal_family(table, params, self._limits()), self._keep_family)

    def _keep_family(self, found: tuple[_native.Family, _native.Model]) -> None:
        family, model = found
        self.family_ = Family(family, self.classes_)
        self._keep(model)
