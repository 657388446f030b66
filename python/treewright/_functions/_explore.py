"""Every tree worth having, within a budget of time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .. import _native
from .._arguments import cost_matrix as given_costs
from .._arguments import limits, real, seed, whole
from .._estimators import GreedyTreeClassifier, GreedyTreeRegressor
from ._report import Report


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
    trees of up to three levels for every number of leaves, cross-validated on the same folds,
    within a budget of time.

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
    >>> report.good_enough["leaves"], report.good_enough["family"]
    (4, 'Optimal, depth 3')
    """
    if task not in ("classification", "regression"):
        raise ValueError(f"task: got {task!r}, expected 'classification' or 'regression'")
    if budget is not None:
        budget = real("budget", budget, 0.0)
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
    table = estimator._learning_table(X, y, sample_weight)
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
        seed(random_state),
        given_costs(cost_matrix),
        bounds,
    )
    found = Report(report)
    if path is not None:
        found.save(path)
    if exception is not None:
        raise exception
    return found
