"""The best dyadic trees."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from .. import _native
from .._arguments import cost_matrix, flag, real, selection, take, whole, word
from .._family import Family, number_text
from ._classifier import Classifier


class DyadicTreeClassifier(Classifier):
    """The best tree over all dyadic partitions (Hush and Porter 2010), with a proof.

    Every feature has a box, from its least to its largest value; a split halves one side of the
    box that it is asked about. Among all such trees the least ``error + weight * leaves`` is
    found, or the least error for a number of leaves.

    Parameters
    ----------
    ccp_alpha : float or str, optional
        Weight of a leaf, on the scale of the error rate. A text such as ``"1/300"`` is taken
        exactly.
    kappa : float or str, default=2
        Weight of a leaf in wrong rows, if ``ccp_alpha`` is not given: the weight is kappa / total
        weight.
    max_leaf_nodes : int, optional
        The best tree with at most this many leaves, instead of a weight.
    k : "auto", int or list of int, default="auto"
        How often features may be halved: for all, or for each.
    box : str or pair of numbers, default="range"
        Where a side of the box is halved: at the midpoint of a feature's range (``"range"``), where
        that parts the training rows most evenly (``"quantile"``), or at the midpoint of a box that
        all numeric features have: ``(0, 1)`` or ``"0:1"``.
    model : {"collapsed", "boxed"}, default="collapsed"
        Are halvings that separate no rows free, or does every one make a leaf?
    ties : {"smaller", "larger"}, default="smaller"
        Which of equally good trees is taken.
    missing : {"code", "refuse"}, default="code"
        Missing cells are told apart by a first split of their own, or refused.
    coding : {"share", "order", "one-vs-rest"}, default="share"
        How categories become numbers.
    snap : float, default=0.0
        How far below a midpoint a value already counts as above it, as a share of the box.
    solver : {"auto", "bnb", "mrp", "mr"}, default="auto"
        How the tree is found.
    penalty : str, default="linear"
        What leaves cost: ``"linear"``, ``"sqrt"``, ``"log"`` or ``"power:T"``.
    select : {"cv", "1se", "holdout"}, optional
        Find the whole path (``family_``) and take the member that does best on held-out rows, or
        the smallest within one standard error of it.
    cv, repeats, holdout, cost_matrix, class_weight, categorical_features, random_state, n_jobs,
    verbose, progress
        As in :class:`GreedyTreeClassifier`.
    time_limit, memory_limit
        Seconds and bytes after which the search stops with the best tree so far; ``certificate_``
        has a lower bound.
    proof : bool, default=False
        Write a proof file by ``write_proof``. It only says that none is needed: dyadic trees are
        checked from the rows alone.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    family_ : Family
        The whole path, if ``select`` is given.
    certificate_ : dict
        What is proven: objective, lower bound, gap, optimal.
    stopped_ : bool
        Did a limit or Ctrl-C end the work before its end?
    classes_ : array
        The class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import DyadicTreeClassifier
    >>> tree = DyadicTreeClassifier(kappa=5).fit(*load_iris(return_X_y=True))
    >>> tree.get_n_leaves(), tree.certificate_["optimal"]
    (5, True)
    """

    def __init__(
        self,
        *,
        ccp_alpha: float | str | None = None,
        kappa: float | str = 2,
        max_leaf_nodes: int | None = None,
        k: Any = "auto",
        box: Any = "range",
        model: str = "collapsed",
        ties: str = "smaller",
        missing: str = "code",
        coding: str = "share",
        snap: float = 0.0,
        solver: str = "auto",
        penalty: str = "linear",
        select: str | None = None,
        cv: int = 10,
        repeats: int = 1,
        holdout: float = 0.3,
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
        self.ccp_alpha = ccp_alpha
        self.kappa = kappa
        self.max_leaf_nodes = max_leaf_nodes
        self.k = k
        self.box = box
        self.model = model
        self.ties = ties
        self.missing = missing
        self.coding = coding
        self.snap = snap
        self.solver = solver
        self.penalty = penalty
        self.select = select
        self.cv = cv
        self.repeats = repeats
        self.holdout = holdout
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

    def _params(self) -> dict[str, Any]:
        leaves, alpha = self.max_leaf_nodes, self.ccp_alpha
        k = self.k
        if not isinstance(k, str):
            most = 2**31  # halvings, more than any number can be told apart by
            each = [min(whole("k", one, 0), most) for one in np.atleast_1d(k).tolist()]
            k = each if np.ndim(k) else each[0]
        return {
            "k": k,
            "box": _box(self.box),
            "model": word("model", self.model),
            "ties": word("ties", self.ties),
            "missing": word("missing", self.missing),
            "coding": word("coding", self.coding),
            "snap": real("snap", self.snap, 0.0),
            "solver": word("solver", self.solver),
            "method": "hull",
            "collinear": False,
            "penalty": word("penalty", self.penalty),
            "ccp_alpha": None if alpha is None else number_text(alpha, "ccp_alpha"),
            "kappa": number_text(self.kappa, "kappa"),
            "max_leaf_nodes": None if leaves is None else whole("max_leaf_nodes", leaves, 1),
            "cost_matrix": cost_matrix(self.cost_matrix),
            "selection": selection(self),
            "proof": flag("proof", self.proof),
        }

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        table = self._learning_table(X, y, sample_weight)
        params = self._params()
        given = [
            name
            for name in ("ccp_alpha", "max_leaf_nodes", "select")
            if getattr(self, name) is not None
        ]
        if len(given) > 1:
            raise ValueError(f"{given[0]} and {given[1]} both choose a tree: leave one of them out")
        self.__dict__.pop("family_", None)
        if self.select is None:
            take(_native.fit_dyadic(table, params, self._limits()), self._keep)
        else:
            take(_native.fit_dyadic_family(table, params, self._limits()), self._keep_family)

    def _keep_family(self, found: tuple[_native.Family, _native.Model]) -> None:
        family, model = found
        self.family_ = Family(family, self.classes_)
        self._keep(model)


def _box(box: Any) -> str:
    """The box as the program reads it; a pair of numbers are its ends."""
    if isinstance(box, str):
        return box
    if np.shape(box) != (2,) or not all(isinstance(end, Real) for end in box):
        raise ValueError(f"box: got {box!r}, expected range, quantile, or two numbers")
    low, high = map(float, box)
    return f"{low!r}:{high!r}"
