"""The estimators."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import TreeBase, count_or_share, flag, real, take, whole, word
from ._family import Family, number_text
from ._tree import write_text


class _Proving(TreeBase):
    """What trees with certificates have in common."""

    def write_proof(self, path: str | os.PathLike[str]) -> None:
        """Writes the proof file of the tree, for ``treewright-check`` and ``treewright verify``:
        what ``--proof`` of the program writes. The fit must have been asked for it by
        ``proof=True``."""
        check_is_fitted(self)
        if not hasattr(self, "proof_"):
            raise ValueError("there is no proof: fit with proof=True")
        write_text(path, self.proof_)


class _Classifier(ClassifierMixin, _Proving):
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


class _Greedy(_Proving):
    """What greedy trees have in common."""

    _is_regressor = False

    def _params(self, n_rows: int) -> dict[str, Any]:
        return {
            "criterion": word("criterion", self.criterion),
            "bins": whole("bins", getattr(self, "bins", 32), 2),
            "predict": word("leaf_value", getattr(self, "leaf_value", "mean")),
            "max_depth": None if self.max_depth is None else whole("max_depth", self.max_depth, 0),
            "min_samples_split": count_or_share(
                "min_samples_split", self.min_samples_split, n_rows, 2
            ),
            "min_samples_leaf": count_or_share(
                "min_samples_leaf", self.min_samples_leaf, n_rows, 1
            ),
            "min_weight_fraction_leaf": real(
                "min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0
            ),
            "min_gain": real("min_gain", self.min_gain, 0.0),
            "missing": word("missing", self.missing),
            "categorical_splits": word("categorical_splits", self.categorical_splits),
            "zero_gain": bool(self.zero_gain),
            "cost_matrix": cost_matrix(getattr(self, "cost_matrix", None)),
        }

    def _pruning(self) -> dict[str, Any]:
        is_pruned = _is_weight(self.ccp_alpha)
        leaves = self.max_leaf_nodes
        return {
            "pruning_cost": word("pruning_cost", getattr(self, "pruning_cost", "mse")),
            "penalty": word("penalty", self.penalty),
            "ccp_alpha": number_text(self.ccp_alpha, "ccp_alpha") if is_pruned else None,
            "max_leaf_nodes": None if leaves is None else whole("max_leaf_nodes", leaves, 1),
            "selection": selection(self),
            "proof": flag("proof", self.proof),
        }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _Greedy:
        """Learns a tree.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, or a data frame of pandas, polars or pyarrow. NaN and null are missing.
        y : array of shape (n_samples,)
            Classes (texts, numbers, booleans), or numbers for regression.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; rows of weight 0 are left out.

        Returns
        -------
        self
        """
        with self._all_or_nothing():
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        table = self._learning_table(X, y, sample_weight, numbers=self._is_regressor)
        params, pruning = self._params(table.n_rows), self._pruning()
        wanted = [name for name in ("ccp_alpha", "max_leaf_nodes") if pruning[name] is not None]
        wanted += ["select"] if self.select is not None else []
        if len(wanted) > 1:
            raise ValueError(
                f"{wanted[0]} and {wanted[1]} both choose a pruning: leave one of them out"
            )
        if pruning["proof"] and not wanted:
            raise ValueError(
                "proof: nothing is claimed about a tree that is not pruned; give ccp_alpha, "
                "max_leaf_nodes or select"
            )
        self.__dict__.pop("family_", None)
        if wanted in ([], ["max_leaf_nodes"]):
            take(_native.fit_greedy(table, params, pruning, self._limits()), self._keep)
        else:
            take(_native.greedy_family(table, params, pruning, self._limits()), self._keep_family)

    def _keep_family(self, found: tuple[_native.Family, _native.Model]) -> None:
        family, model = found
        self.family_ = Family(family, getattr(self, "classes_", None))
        self._keep(model)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The weights at which the best pruning changes, as in scikit-learn.

        On the same tree, and with ``pruning_cost="impurity"``, these are the numbers of
        ``DecisionTreeClassifier.cost_complexity_pruning_path``. The last one leaves only the root.

        Returns
        -------
        path : Bunch
            ``ccp_alphas`` rising, and the total ``impurities`` (or costs) of the leaves for each.
        """
        table = self._learning_table(X, y, sample_weight, numbers=self._is_regressor)
        pruning = {
            **self._pruning(),
            "ccp_alpha": None,
            "max_leaf_nodes": None,
            "penalty": "linear",
            "proof": False,
        }
        pruning["selection"] = {**pruning["selection"], "select": None, "cv": None}
        outcome = _native.greedy_family(table, self._params(table.n_rows), pruning, self._limits())
        found: list[_native.Family] = []
        take(outcome, lambda pair: found.append(pair[0]))
        members = found[0].members()[::-1]
        return Bunch(
            ccp_alphas=np.array([member["lambda_low"] for member in members]),
            impurities=np.array([member["cost"] for member in members]),
        )


class GreedyTreeClassifier(_Classifier, _Greedy):
    """A tree that is grown from the top, at each node by the split that gains most: CART, C4.5 and
    kin.

    Splits are compared exactly, so that ties are real ties; the same table always gives the same
    tree.

    Parameters
    ----------
    criterion : {"gini", "entropy", "gain-ratio", "error"}, default="gini"
        How good a split is.
    max_depth : int, optional
        Longest way from the root to a leaf.
    min_samples_split : int or float, default=2
        A node with fewer rows is a leaf; a float is a share of the rows.
    min_samples_leaf : int or float, default=1
        A split must leave at least so many rows on every side.
    min_weight_fraction_leaf : float, default=0.0
        And at least this share of the weight of all rows.
    min_gain : float, default=0.0
        A split must gain at least this much at its node.
    missing : {"distribute", "branch", "majority"}, default="distribute"
        Rows whose value is missing go to all children in proportion, to a child of their own, or
        to the heaviest child.
    categorical_splits : {"multiway", "one-vs-rest"}, default="multiway"
        A child for each category, or one category against the others.
    zero_gain : bool, default=False
        Also take splits that gain nothing.
    ccp_alpha : float or str, default=0.0
        Prune: the tree that is best for this weight of the penalty. 0 does not prune. A text such
        as ``"1/300"`` is taken exactly.
    max_leaf_nodes : int, optional
        Prune: the best pruning with at most so many leaves.
    select : {"cv", "1se", "holdout"}, optional
        Prune: the member of ``family_`` that does best on rows left out, or the smallest within
        one standard error of it.
    cv : int, default=10
        Folds for ``select``.
    repeats : int, default=1
        How often rows are dealt into folds.
    holdout : float, default=0.3
        Share of the rows that ``select="holdout"`` leaves out.
    penalty : str, default="linear"
        What leaves cost: ``"linear"``, ``"sqrt"``, ``"log"`` or ``"power:T"``.
    pruning_cost : {"impurity", "error"}, default="impurity"
        What a leaf costs when pruning. ``"impurity"`` is that of scikit-learn's ``ccp_alpha``,
        ``"error"`` that of the program ``treewright``.
    cost_matrix : array of shape (n_classes, n_classes), optional
        What it costs to predict a class (column) for a row of another (row).
    class_weight : dict or "balanced", optional
        Weights of classes, which multiply the weights of rows.
    categorical_features : "from_dtype", mask, indices, names or None, default="from_dtype"
        Which columns are categories. ``"from_dtype"`` takes those whose type says so: categoricals
        and texts of data frames.
    random_state : int, RandomState or None, default=None
        Deals the rows for ``select``. ``None`` is 0: results do not change from call to call.
    n_jobs : int, optional
        Threads: ``None`` is one, -1 all cores. The tree is the same for any number.
    time_limit : float, optional
        Seconds after which growing stops.
    memory_limit : int, optional
        Bytes that the fit may add to what the process has; growing stops there.
    verbose : int, default=0
        Tell progress on standard error.
    progress : callable, optional
        Called with units done, units in all and a text, about five times a second. An exception
        stops the fit.
    proof : bool, default=False
        Keep the tree before pruning in ``proof_``; ``write_proof`` writes it to a file, with which
        the program ``treewright-check`` checks the pruning.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    family_ : Family
        All best prunings, if ``select`` or ``ccp_alpha`` is given.
    certificate_ : dict or None
        What is proven about the pruning.
    stopped_ : bool
        Did a limit or Ctrl-C end the work before its end?
    classes_ : array
        The class labels.
    feature_importances_ : array
        For each feature its share of what all splits gain.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    After Ctrl-C during ``fit``, the exception is passed on, but the tree so far is kept in
    ``tree_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import GreedyTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = GreedyTreeClassifier(select="1se").fit(X, y)
    >>> tree.get_n_leaves(), round(tree.score(X, y), 3)
    (3, 0.96)
    >>> len(tree.family_)
    7
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        missing: str = "distribute",
        categorical_splits: str = "multiway",
        zero_gain: bool = False,
        ccp_alpha: float | str = 0.0,
        max_leaf_nodes: int | None = None,
        select: str | None = None,
        cv: int = 10,
        repeats: int = 1,
        holdout: float = 0.3,
        penalty: str = "linear",
        pruning_cost: str = "impurity",
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
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.missing = missing
        self.categorical_splits = categorical_splits
        self.zero_gain = zero_gain
        self.ccp_alpha = ccp_alpha
        self.max_leaf_nodes = max_leaf_nodes
        self.select = select
        self.cv = cv
        self.repeats = repeats
        self.holdout = holdout
        self.penalty = penalty
        self.pruning_cost = pruning_cost
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


class GreedyTreeRegressor(RegressorMixin, _Greedy):
    """A regression tree that is grown from the top, at each node by the split that gains most.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "binned-gini"}, default="squared_error"
        How good a split is; ``"mse"`` and ``"mae"`` are accepted, too.
    bins : int, default=32
        Bins of the target for ``"binned-gini"``.
    leaf_value : {"mean", "median"}, default="mean"
        What a leaf predicts.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_gain
        As in :class:`GreedyTreeClassifier`.
    missing, categorical_splits, zero_gain
        As in :class:`GreedyTreeClassifier`.
    ccp_alpha, max_leaf_nodes, select, cv, repeats, holdout, penalty
        Pruning, as in :class:`GreedyTreeClassifier`; a leaf costs its squared errors.
    categorical_features, random_state, n_jobs, time_limit, memory_limit, verbose, progress, proof
        As in :class:`GreedyTreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    family_ : Family
        All best prunings, if ``select`` or ``ccp_alpha`` is given.
    certificate_ : dict or None
        What is proven about the pruning.

    Examples
    --------
    >>> from treewright import GreedyTreeRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [5.0, 5.0, 7.0, 9.0]
    >>> tree = GreedyTreeRegressor(max_depth=1).fit(X, y)
    >>> tree.predict([[0.0], [10.0]])
    array([5., 8.])
    """

    _is_regressor = True

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        bins: int = 32,
        leaf_value: str = "mean",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        missing: str = "distribute",
        categorical_splits: str = "multiway",
        zero_gain: bool = False,
        ccp_alpha: float | str = 0.0,
        max_leaf_nodes: int | None = None,
        select: str | None = None,
        cv: int = 10,
        repeats: int = 1,
        holdout: float = 0.3,
        penalty: str = "linear",
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        verbose: int = 0,
        progress: Any = None,
        proof: bool = False,
    ):
        self.criterion = criterion
        self.bins = bins
        self.leaf_value = leaf_value
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.missing = missing
        self.categorical_splits = categorical_splits
        self.zero_gain = zero_gain
        self.ccp_alpha = ccp_alpha
        self.max_leaf_nodes = max_leaf_nodes
        self.select = select
        self.cv = cv
        self.repeats = repeats
        self.holdout = holdout
        self.penalty = penalty
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.verbose = verbose
        self.progress = progress
        self.proof = proof

    def predict(self, X: Any) -> np.ndarray:
        """The number of each row.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array, or a data frame of pandas, polars or pyarrow.

        Returns
        -------
        y : array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.tree_._model.predict(self._rows(X))


class DyadicTreeClassifier(_Classifier):
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
        The best tree with at most so many leaves, instead of a weight.
    k : "auto", int or list of int, default="auto"
        How often features may be halved: for all, or for each.
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
        Find the whole path (``family_``) and take the member that does best on rows left out, or
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DyadicTreeClassifier:
        """Finds the best tree; see :meth:`GreedyTreeClassifier.fit` for the arguments."""
        with self._all_or_nothing():
            self._fit(X, y, sample_weight)
        return self

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
            take(_native.dyadic_family(table, params, self._limits()), self._keep_family)

    def _keep_family(self, found: tuple[_native.Family, _native.Model]) -> None:
        family, model = found
        self.family_ = Family(family, self.classes_)
        self._keep(model)


class OptimalTreeClassifier(_Classifier):
    """The tree of a depth with the least cost on the training rows, with a proof (Auer, Holte and
    Maass 1995).

    Inner levels cut a numeric feature in two; the last level cuts it into up to ``intervals``
    parts. Categorical features have a branch for each category, missing values a branch of their
    own.

    Parameters
    ----------
    max_depth : int, default=2
        Longest way from the root to a leaf.
    intervals : "auto" or int, default="auto"
        Parts of a numeric feature at the last level; ``"auto"`` is the number of classes + 1, 2
        gives binary trees.
    min_samples_leaf : int or float, default=1
        A leaf has at least so many rows.
    min_weight_fraction_leaf : float, default=0.0
        Or, instead of rows, at least this share of the weight of all rows.
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OptimalTreeClassifier:
        """Finds the best tree; see :meth:`GreedyTreeClassifier.fit` for the arguments."""
        with self._all_or_nothing():
            self._fit(X, y, sample_weight)
        return self

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


def selection(estimator: Any) -> dict[str, Any]:
    """How rows are left out to choose a tree, as the core wants it."""
    is_by_folds = estimator.select in ("cv", "1se")
    return {
        "select": None if estimator.select is None else word("select", estimator.select),
        "cv": whole("cv", estimator.cv, 2) if is_by_folds else None,
        "repeats": whole("repeats", estimator.repeats, 1),
        "holdout": real("holdout", estimator.holdout, 0.0),
        "seed": estimator._seed(),
    }


def cost_matrix(given: Any) -> list[list[float]] | None:
    """Costs of wrong predictions, as the core wants them."""
    if given is None:
        return None
    try:
        costs = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("cost_matrix: expected numbers, a row for each true class") from None
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1]:
        raise ValueError(
            f"cost_matrix: got the shape {costs.shape}, expected (n_classes, n_classes)"
        )
    rows: list[list[float]] = costs.tolist()
    return rows


def _is_weight(ccp_alpha: Any) -> bool:
    """Is there a weight to prune by? As in scikit-learn, 0 does not prune."""
    return (
        isinstance(ccp_alpha, str)
        or ccp_alpha is not None
        and real("ccp_alpha", ccp_alpha, 0.0) > 0.0
    )
