"""Functions: families, distinct trees, files."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from ._base import TreeBase, limits, take, whole
from ._family import Family
from ._tree import Tree, labels_of, write_text
from ._trees import (
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
)
from ._trees import cost_matrix as given_costs


def pruning_family(
    X: Any,
    y: Any = None,
    *,
    penalty: str = "linear",
    cost: str | None = None,
    cv: int | None = None,
    repeats: int = 1,
    sample_weight: Any = None,
    task: str = "classification",
    **params: Any,
) -> Family:
    """All prunings of a greedy tree that are best for some weight of a penalty.

    Parameters
    ----------
    X : table, or a fitted tree or estimator
        A table to grow the tree from; or what was learned already.
    y : array, optional
        Classes, or numbers with ``task="regression"``. Not for something learned already.
    penalty : str, default="linear"
        What leaves cost: ``"linear"``, ``"sqrt"``, ``"log"`` or ``"power:T"``.
    cost : {"error", "impurity", "mse"}, optional
        What a leaf costs: its errors (for numbers: its squared errors), or its impurity.
    cv : int, optional
        Cross-validate all members by so many folds.
    repeats : int, default=1
        How often rows are dealt into folds.
    sample_weight : array, optional
        Weights of the rows.
    task : {"classification", "regression"}, default="classification"
        What ``y`` holds.
    **params
        Of :class:`GreedyTreeClassifier` or :class:`GreedyTreeRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import pruning_family
    >>> family = pruning_family(*load_breast_cancer(return_X_y=True), cv=10)
    >>> tree = family.select("1se")
    >>> tree.certificate["optimal"]
    True
    """
    if isinstance(X, TreeBase):
        X = X.tree_
    if isinstance(X, Tree):
        if y is not None or cv is not None:
            raise ValueError("a learned tree has its rows already: leave y and cv out")
        cost = cost or ("error" if X._model.is_classifier else "mse")
        return Family(X._model.prunings(penalty, cost), X._labels)
    _refuse("pruning_family", params, "ccp_alpha", "max_leaf_nodes", "select", "proof")
    if task not in ("classification", "regression"):
        raise ValueError(f"task: got {task!r}, expected 'classification' or 'regression'")
    if task == "regression" and cost not in (None, "mse"):
        raise ValueError(f"cost: got {cost!r}, expected 'mse' for numbers")
    estimator: Any
    if task == "classification":
        estimator = GreedyTreeClassifier(penalty=penalty, pruning_cost=cost or "error", **params)
    else:
        estimator = GreedyTreeRegressor(penalty=penalty, **params)
    table = estimator._learning_table(X, y, sample_weight, numbers=task == "regression")
    pruning = estimator._pruning()
    pruning["selection"] |= {
        "cv": None if cv is None else whole("cv", cv, 2),
        "repeats": whole("repeats", repeats, 1),
    }
    found: list[_native.Family] = []
    outcome = _native.greedy_family(
        table, estimator._params(table.n_rows), pruning, estimator._limits()
    )
    take(outcome, lambda pair: found.append(pair[0]))
    return Family(found[0], getattr(estimator, "classes_", None))


def dyadic_path(
    X: Any,
    y: Any,
    *,
    cv: int | None = None,
    method: str = "hull",
    collinear: bool = False,
    sample_weight: Any = None,
    **params: Any,
) -> Family:
    """The best dyadic trees for all weights of a penalty.

    Parameters
    ----------
    X, y : table and classes
    cv : int, optional
        Cross-validate all members by so many folds.
    method : {"hull", "grid", "adaptive", "heuristic"}, default="hull"
        How the path is found; the others are those of the paper.
    collinear : bool, default=False
        Also list trees that are only as good as their neighbours.
    sample_weight : array, optional
        Weights of the rows.
    **params
        Of :class:`DyadicTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import dyadic_path
    >>> path = dyadic_path(*load_iris(return_X_y=True))
    >>> path.members[-1]["errors"], path.certificate["exact_down_to"]
    (0.0, 0.0)
    """
    _refuse("dyadic_path", params, "ccp_alpha", "kappa", "max_leaf_nodes", "select", "proof")
    estimator = DyadicTreeClassifier(**params)
    table = estimator._learning_table(X, y, sample_weight)
    options = {**estimator._params(), "method": method, "collinear": bool(collinear)}
    options["selection"] |= {"cv": None if cv is None else whole("cv", cv, 2)}
    found: list[_native.Family] = []
    outcome = _native.dyadic_family(table, options, estimator._limits())
    take(outcome, lambda pair: found.append(pair[0]))
    return Family(found[0], estimator.classes_)


def _refuse(function: str, params: dict[str, Any], *names: str) -> None:
    """Parameters of the estimator that mean nothing here."""
    for name in names:
        if name in params:
            raise TypeError(f"{function}() got an argument that it has no use for: {name}")


class DistinctTrees(Iterator[Tree]):
    """Goes through distinct trees; what :func:`distinct_trees` returns.

    ``count`` says after the end how many there are. ``close()`` ends the search early; so does
    leaving a ``with`` block.
    """

    def __init__(self, trees: _native.DistinctTrees, labels: np.ndarray):
        self._trees = trees
        self._labels = labels

    def __next__(self) -> Tree:
        return Tree(next(self._trees), self._labels)

    def __enter__(self) -> DistinctTrees:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the search."""
        self._trees.close()

    @property
    def count(self) -> dict[str, Any] | None:
        """After the end: distinct, built, by_size, complete, seconds."""
        return self._trees.count


def distinct_trees(
    X: Any,
    y: Any,
    *,
    order: str = "frontier",
    limit: int | None = None,
    criterion: str = "entropy",
    sample_weight: Any = None,
    **params: Any,
) -> DistinctTrees:
    """All and only the distinct greedy trees over the subsets of the features, one by one
    (Ruggieri 2017).

    Trees are found in the background while you look at those before.

    Parameters
    ----------
    X, y : table and classes
    order : {"frontier", "reverse", "index"}, default="frontier"
        In which order features are taken away.
    limit : int, optional
        At most so many trees.
    criterion : {"entropy", "gini", "gain-ratio", "error"}, default="entropy"
        How good a split is.
    sample_weight : array, optional
        Weights of the rows.
    **params
        Of :class:`GreedyTreeClassifier`.

    Examples
    --------
    >>> from treewright import distinct_trees
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> [tree.features for tree in distinct_trees(X, ["no", "no", "no", "yes"])]
    [['x0', 'x1'], ['x0'], ['x1'], []]
    """
    unused = ["ccp_alpha", "max_leaf_nodes", "select", "penalty", "pruning_cost", "progress"]
    _refuse("distinct_trees", params, *unused, "verbose", "proof")
    estimator = GreedyTreeClassifier(criterion=criterion, **params)
    table = estimator._learning_table(X, y, sample_weight)
    limit = None if limit is None else whole("limit", limit, 1)
    bounds = limits(
        estimator.n_jobs, estimator.time_limit, estimator.memory_limit, 0, None, "distinct_trees"
    )
    options = estimator._params(table.n_rows)
    return DistinctTrees(
        _native.DistinctTrees(table, options, order, limit, bounds), estimator.classes_
    )


class Report:
    """What :func:`explore` found.

    ``answer`` says which tree is good enough; ``data`` has all figures and trees. In a notebook it
    shows itself.
    """

    def __init__(self, report: _native.Report):
        self._report = report

    def __repr__(self) -> str:
        return f"Report({self.answer!r})"

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        style = "width: 100%; height: 900px; border: 0"
        allowed = "allow-scripts allow-downloads"
        return f'<iframe sandbox="{allowed}" style="{style}" srcdoc="{page}"></iframe>'

    @property
    def answer(self) -> str:
        """Which small tree is good enough, and what is proven about it."""
        return self._report.answer

    @cached_property
    def data(self) -> dict[str, Any]:
        """All figures and trees, as ``treewright explore --json`` has them."""
        data: dict[str, Any] = json.loads(self._report.to_json())
        return data

    def to_json(self) -> str:
        """The same as one JSON document."""
        return self._report.to_json()

    def to_html(self) -> str:
        """The page: one file that loads nothing."""
        return self._report.to_html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        write_text(path, self.to_html())


def explore(
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    budget: float = 60.0,
    cv: int = 10,
    repeats: int = 1,
    title: str | None = None,
    task: str = "classification",
    sample_weight: Any = None,
    class_weight: Any = None,
    cost_matrix: Any = None,
    categorical_features: Any = "from_dtype",
    random_state: Any = None,
    n_jobs: int | None = -1,
    memory_limit: int | None = None,
    verbose: int = 0,
    progress: Any = None,
) -> Report:
    """Finds every tree worth having, and says which one is good enough.

    Greedy trees with all their best prunings, the best dyadic trees for all weights, and the best
    trees of depth 1, 2 and 3, cross-validated on the same folds, within a budget of time.

    Parameters
    ----------
    X, y : table and target
    path : path, optional
        Where to write the page.
    budget : float, default=60.0
        Seconds; a proof that is not finished in time is shown with its gap.
    cv, repeats, random_state
        Folds, how often rows are dealt into them, and the seed.
    title : str, optional
        The heading of the page.
    task : {"classification", "regression"}, default="classification"
        What ``y`` holds.
    sample_weight, class_weight, cost_matrix, categorical_features
        As in :class:`GreedyTreeClassifier`.
    n_jobs : int, default=-1
        Threads; -1 is one for each core.
    memory_limit, verbose, progress
        As in :class:`GreedyTreeClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import explore
    >>> report = explore(*load_iris(return_X_y=True, as_frame=True))
    >>> report.answer.split(":")[0]
    'A tree with 6 leaves is good enough (Optimal, depth 1 to 3)'
    """
    if task not in ("classification", "regression"):
        raise ValueError(f"task: got {task!r}, expected 'classification' or 'regression'")
    shared: dict[str, Any] = {
        "categorical_features": categorical_features,
        "random_state": random_state,
        "n_jobs": n_jobs,
        "time_limit": budget,
        "memory_limit": memory_limit,
        "verbose": verbose,
        "progress": progress,
    }
    estimator: Any
    if task == "classification":
        estimator = GreedyTreeClassifier(class_weight=class_weight, **shared)
    else:
        estimator = GreedyTreeRegressor(**shared)
    table = estimator._learning_table(X, y, sample_weight, numbers=task == "regression")
    bounds = limits(n_jobs, budget, memory_limit, verbose, progress, "explore")
    if path is not None and not Path(path).resolve().parent.is_dir():
        raise FileNotFoundError(f"there is no folder for {os.fspath(path)!r}")
    if title is None:
        title = "table" if path is None else Path(path).stem
    report, exception = _native.explore(
        table,
        title,
        whole("cv", cv, 2),
        whole("repeats", repeats, 1),
        estimator._seed(),
        given_costs(cost_matrix),
        bounds,
    )
    found = Report(report)
    if path is not None:
        found.save(path)
    if exception is not None:
        raise exception
    return found


def load_model(path: str | os.PathLike[str]) -> Any:
    """Reads a model or family file of Python or of the program ``treewright``.

    Returns
    -------
    model : estimator, Tree or Family
        A fitted estimator for a model, a :class:`Family` for a family. Classes are texts, unless
        all of them are whole numbers or the file was written by :func:`save_model`, which knows
        better.

    Examples
    --------
    >>> import tempfile
    >>> from treewright import GreedyTreeClassifier, load_model, save_model
    >>> tree = GreedyTreeClassifier().fit([[0.0], [1.0]], [False, True])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(tree, f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict([[0.9]])
    array([ True])
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        kind = json.loads(text).get("format")
    except (ValueError, AttributeError):
        raise ValueError(
            f"{os.fspath(path)}: not a model file, because it is not a JSON object"
        ) from None
    try:
        if kind == "treewright.family":
            family = _native.Family(text)
            return Family(family, labels_of(family))
        return _estimator(_native.Model(text))
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def _estimator(model: _native.Model) -> Any:
    """An estimator whose tree this is, with its parameters as far as they have the same names."""
    labels = labels_of(model)
    tree = Tree(model, labels)
    kinds: dict[str, Any] = {"dyadic": DyadicTreeClassifier, "optimal": OptimalTreeClassifier}
    greedy = GreedyTreeClassifier if model.is_classifier else GreedyTreeRegressor
    kind = kinds.get(tree.learner["name"], greedy)
    names = {"depth": "max_depth", "min_split": "min_samples_split", "min_leaf": "min_samples_leaf"}
    params = {names.get(name, name): value for name, value in tree.learner["params"].items()}
    pruned = params.pop("pruned", {})
    if "lambda" in pruned and "leaves" not in pruned:
        params |= {"ccp_alpha": pruned["lambda"], "penalty": pruned.get("penalty", "linear")}
        params["pruning_cost"] = pruned.get("cost", "error")
    for other in ("lambda", "leaf_cost"):
        if other in params:
            params["ccp_alpha"] = params.pop(other)
    known = kind._get_param_names()
    estimator = kind()
    for name, value in params.items():
        is_list = isinstance(value, list) and name == "k"
        if name in known and name != "select" and (is_list or isinstance(value, str | int | float)):
            setattr(estimator, name, value)
    estimator.tree_ = tree
    estimator.certificate_ = tree.certificate
    estimator.n_features_in_ = len(tree.feature_names)
    # Names that were made up for an array are none.
    if tree.feature_names != [f"x{place}" for place in range(len(tree.feature_names))]:
        estimator.feature_names_in_ = np.array(tree.feature_names, dtype=object)
    if labels is not None:
        estimator.classes_ = labels
    return estimator


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Writes a fitted estimator, a :class:`Tree` or a :class:`Family` to a file that the program
    ``treewright`` reads,
    too."""
    if not isinstance(model, Tree | Family | TreeBase):
        raise TypeError(f"expected an estimator, a Tree or a Family, got {type(model).__name__}")
    if isinstance(model, Tree | Family):
        write_text(path, model.to_json() + "\n")
    else:
        model.save(path)
