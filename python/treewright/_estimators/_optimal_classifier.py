"""The best trees of a depth."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._arguments import cost_matrix, count_or_share, flag, real, take, whole, word
from .._family import number_text
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
    categorical_splits : {"grouped", "one-vs-rest", "multiway"}, default="multiway"
        How a split parts categories: one against the rest, and at the last level up to
        ``intervals`` groups, or two; one against the rest; or a branch for each.
    min_samples_leaf : int or float, default=1
        A leaf has at least this many rows.
    min_weight_fraction_leaf : float, default=0.0
        Instead of rows, a leaf has at least this share of the weight of all rows.
    ccp_alpha : float or str, default=0.0
        What a leaf costs, on the scale of the error rate.
    cost_matrix, class_weight, categorical_features, n_jobs, verbose, progress
        As in :class:`GreedyTreeClassifier`.
    time_limit, memory_limit
        Seconds and bytes after which the search stops with the best tree so far, never worse than
        the greedy one; ``certificate_`` has a lower bound and the gap.
    proof : bool, default=False
        Keep a proof in ``proof_``, which takes some more time. ``write_proof`` writes it to a file,
        with which the program ``treewright-check`` confirms that no tree is better. A search that
        was stopped leaves a proof without claims.

    Attributes
    ----------
    tree_ : Tree
        The tree.
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
    """

    def __init__(
        self,
        *,
        max_depth: int = 2,
        intervals: int | str = "auto",
        categorical_splits: str = "multiway",
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        ccp_alpha: float | str = 0.0,
        cost_matrix: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
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
        self.cost_matrix = cost_matrix
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.progress = progress
        self.proof = proof

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        table = self._learning_table(X, y, sample_weight)
        is_auto = isinstance(self.intervals, str)
        if is_auto and self.intervals != "auto":
            raise ValueError(
                f"intervals: got {self.intervals!r}, expected 'auto' or a whole number"
            )
        params = {
            "max_depth": whole("max_depth", self.max_depth, 0),
            "intervals": None if is_auto else whole("intervals", self.intervals, 1),
            "categorical_splits": word("categorical_splits", self.categorical_splits),
            "min_samples_leaf": count_or_share(
                "min_samples_leaf", self.min_samples_leaf, table.n_rows, 1
            ),
            "min_weight_fraction_leaf": real(
                "min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0
            ),
            "ccp_alpha": number_text(self.ccp_alpha, "ccp_alpha"),
            "cost_matrix": cost_matrix(self.cost_matrix),
            "proof": flag("proof", self.proof),
        }
        take(_native.fit_optimal(table, params, self._limits()), self._keep)
