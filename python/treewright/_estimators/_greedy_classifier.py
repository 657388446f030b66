"""Greedy trees that predict classes."""

from __future__ import annotations

from typing import Any

from ._classifier import Classifier
from ._greedy import Greedy


class GreedyTreeClassifier(Classifier, Greedy):
    """A tree that is grown from the top, at each node by the split that gains most: CART, C4.5 and
    relatives.

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
        A split must leave at least this many rows in every child.
    min_weight_fraction_leaf : float, default=0.0
        A split must leave at least this share of the weight of all rows in every child.
    min_gain : float, default=0.0
        A split must gain at least this much at its node.
    missing : {"distribute", "branch", "majority", "learned"}, default="distribute"
        Rows whose value is missing go to all children in proportion, to a child of their own, to
        the heaviest child, or to the child with which the split gains most.
    categorical_splits : {"grouped", "multiway", "one-vs-rest"}, default="grouped"
        Two groups of categories (for two classes the best two), a child for each category, or one
        category against the others.
    zero_gain : bool, default=False
        Also take splits that gain nothing.
    interactions : list of lists of str, optional
        Groups of features: a path from the root to a leaf asks at most one feature of each group.
        The columns of an array are named ``x0``, ``x1``, ...
    root_only : list of str, optional
        These features are asked at the root only.
    not_above : list of pairs of str, optional
        The first feature of a pair is never asked above the second on a path.
    min_class_share : float or str, optional
        Of the weight of a leaf, the class that it predicts has at least this share, above 0 and at
        most 1: the tree is cut back as far as that needs, and so are its prunings. A text such as
        ``"2/3"`` is taken exactly. A tree of one leaf may have less.
    ccp_alpha : float or str, default=0.0
        Prune: the tree that is best for this weight of the penalty. 0 does not prune. A text such
        as ``"1/300"`` is taken exactly.
    max_leaf_nodes : int, optional
        Prune: the best pruning with at most this many leaves.
    select : {"cv", "1se", "holdout"}, optional
        Prune: the member of ``family_`` that does best on held-out rows, or the smallest within
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
        categorical_splits: str = "grouped",
        zero_gain: bool = False,
        interactions: Any = None,
        root_only: Any = None,
        not_above: Any = None,
        min_class_share: float | str | None = None,
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
        self.interactions = interactions
        self.root_only = root_only
        self.not_above = not_above
        self.min_class_share = min_class_share
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
