"""Every tree worth having, within a budget of time."""

from __future__ import annotations

import gzip
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _native, _table
from .._arguments import cost_matrix as given_costs
from .._arguments import limits, real, seed, whole
from .._estimators import GreedyTreeClassifier, GreedyTreeRegressor
from ._check import check
from ._report import Report


def explore(
    X: Any,
    y: Any = None,
    path: str | os.PathLike[str] | None = None,
    *,
    target: str | None = None,
    budget: float = 60.0,
    tolerance: float | None = None,
    holdout: float | None = None,
    keep: Sequence[str] = (),
    cv: int = 10,
    repeats: int = 1,
    title: str | None = None,
    task: str = "auto",
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
    within a budget of time. Ids among the columns of a frame or file are left out, with a warning;
    dates of a file become numbers, those of a frame are left out.

    Parameters
    ----------
    X, y : table and target
        ``X`` may also be the name of a CSV, TSV, Parquet, Arrow or Feather file, or a frame that
        has the target as one of its columns; then there is no ``y``.
    path : path, optional
        Where to write the page.
    target : str, optional
        The column of ``X`` to predict, instead of ``y``; of a file the last one unless said
        otherwise.
    budget : float, default=60.0
        Seconds; a proof that is not finished in time is shown with its gap.
    tolerance : float, optional
        Accept a tree whose error is at most this much above the least, such as 0.01, instead of
        one standard error. In regression a share of the squared error of the mean.
    holdout : float, optional
        Keep this share of the rows aside to judge the chosen tree.
    keep : list of str, default=()
        Columns to use although they look like ids.
    cv, repeats, random_state
        Folds, how often rows are dealt into them, and the seed.
    title : str, optional
        The heading of the page.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target holds; "auto" takes texts and few whole numbers for classes.
    sample_weight, class_weight, cost_matrix, categorical_features
        As in :class:`GreedyTreeClassifier`.
    n_jobs : int, default=-1
        Threads; -1 is one for each core.
    memory_limit, verbose, progress
        As in :class:`GreedyTreeClassifier`.

    Returns
    -------
    Report
        With the answer in words, the chosen tree as a fitted estimator in ``best_``, and all others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import explore
    >>> report = explore(*load_iris(return_X_y=True, as_frame=True))
    >>> report.good_enough["leaves"], report.good_enough["family"]
    (4, 'Optimal, depth 3')
    >>> report.best_.tree_.n_leaves
    4
    """
    if task not in ("auto", "classification", "regression"):
        allowed = "'auto', 'classification' or 'regression'"
        raise ValueError(f"task: got {task!r}, expected {allowed}")
    if budget is not None:
        budget = real("budget", budget, 0.0)
        if budget == 0.0:
            raise ValueError("budget: got 0, expected more than 0 seconds")
    tolerance = None if tolerance is None else real("tolerance", tolerance, 0.0)
    holdout = None if holdout is None else real("holdout", holdout, 0.0)
    bounds = limits(n_jobs, budget, memory_limit, verbose, progress, "explore")
    if path is not None and not Path(path).resolve().parent.is_dir():
        raise FileNotFoundError(f"there is no folder for {os.fspath(path)!r}")
    if isinstance(keep, str):
        raise ValueError(f"keep: got {keep!r}, expected a list of names")
    if isinstance(X, str | os.PathLike):
        if y is not None:
            raise ValueError("y: a file has its target as a column; name it as target")
        title = Path(X).name if title is None else title
        X = _opened(Path(X))
    shared: dict[str, Any] = {
        "categorical_features": categorical_features,
        "random_state": random_state,
        "n_jobs": n_jobs,
        "time_limit": budget,
        "memory_limit": memory_limit,
        "verbose": verbose,
        "progress": progress,
    }
    labels = None
    if isinstance(X, _Csv):
        _refuse_for_files(sample_weight=sample_weight, class_weight=class_weight)
        table, changes = _native.read_checked(X.text, X.delimiter, target, task, list(keep))
    else:
        X, y = _without_target(X, y, target)
        X, changes = _without_ids(X, y, task, list(keep))
        estimator: Any
        if _is_classification(y, task):
            estimator = GreedyTreeClassifier(class_weight=class_weight, **shared)
        else:
            estimator = GreedyTreeRegressor(**shared)
        table = estimator._learning_table(X, y, sample_weight)
        labels = getattr(estimator, "classes_", None)
    for change in changes:
        warnings.warn(f"explore: {change}", UserWarning, stacklevel=2)
    if title is None:
        title = "table" if path is None else Path(path).stem
    params = {
        "title": title,
        "folds": whole("cv", cv, 2),
        "repeats": whole("repeats", repeats, 1),
        "seed": seed(random_state),
        "tolerance": tolerance,
        "holdout": holdout,
        "cost_matrix": given_costs(cost_matrix),
    }
    report, exception = _native.explore(table, params, bounds)
    found = Report(report, labels, changes)
    if path is not None:
        found.save(path)
    if exception is not None:
        raise exception
    return found


#: Findings about columns that are probably not read as what they are.
_MISREAD = ("nearly-numeric", "nearly-date", "mixed-dates", "formatted-numbers", "alike-categories")


class _Csv:
    """The text of a CSV file."""

    def __init__(self, text: bytes, delimiter: str):
        self.text = text
        self.delimiter = delimiter


def _opened(file: Path) -> Any:
    """A text for the reader of the program, or a table of pyarrow."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    is_zipped = suffixes[-1:] == [".gz"]
    kind = suffixes[-2:-1] if is_zipped else suffixes[-1:]
    if kind == [".parquet"]:
        from pyarrow import parquet

        return parquet.read_table(file)
    if kind in ([".arrow"], [".feather"]):
        from pyarrow import feather

        return feather.read_table(file)
    text = file.read_bytes()
    if is_zipped:
        text = gzip.decompress(text)
    return _Csv(text, "\t" if kind == [".tsv"] else ",")


def _refuse_for_files(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name}: read the file into a frame to give it")


def _without_target(X: Any, y: Any, target: str | None) -> tuple[Any, Any]:
    """The features, and the target: given, or a column of the frame."""
    if not _table.is_frame(X):
        if target is not None:
            raise ValueError("target: an array has no names of columns; give y")
        return X, y
    if y is not None:
        if target is not None:
            raise ValueError("target: got y as well, expected one of them")
        return X, y
    names = _table.column_names(X) or []
    target = names[-1] if target is None and names else target
    if target not in names:
        raise ValueError(f"target: there is no column {target!r} (columns: {names})")
    return _without(X, [target]), _column(X, target)


def _column(X: Any, name: str) -> Any:
    module = type(X).__module__
    if module.startswith("pyarrow"):
        import pandas as pd

        return pd.Series(X.column(name).to_pylist(), name=name)
    column = X[name]
    if module.startswith("polars"):
        import pandas as pd

        return pd.Series(column.to_list(), name=name)
    return column


def _without(X: Any, names: list[str]) -> Any:
    module = type(X).__module__
    if module.startswith("pandas"):
        return X.drop(columns=names)
    if module.startswith("polars"):
        return X.drop(names)
    return X.drop_columns(names)


def _is_classification(y: Any, task: str) -> bool:
    if task != "auto":
        return task == "classification"
    cells = np.ravel(np.asarray(y))
    if cells.dtype.kind not in "fiu":
        return True
    return _native.looks_like_classes(np.ascontiguousarray(cells, dtype=np.float64))


def _without_ids(X: Any, y: Any, task: str, keep: list[str]) -> tuple[Any, list[str]]:
    """Without what the check leaves out of a frame, and a sentence for each such column. Columns of
    an array have no names, and stay."""
    names = _table.column_names(X)
    if names is None or y is None:
        return X, []
    unknown = [name for name in keep if name not in names]
    if unknown and unknown[0] == getattr(y, "name", None):
        raise ValueError(f"keep: column {unknown[0]!r} is the target")
    if unknown:
        raise ValueError(f"keep: there is no column {unknown[0]!r} (columns: {names})")
    cells = np.ravel(np.asarray(y))
    found = check(X, cells if len(cells) == len(X) else None, task=task)
    left_out, changes = [], []
    for column in found["columns"]:
        name = column["name"]
        is_date = column["kind"] in ("date", "date-time")
        if name in keep or name not in names:
            continue
        if not (column["left_out"] or is_date):
            found_here = [it for it in column["findings"] if it["code"] in _MISREAD]
            changes += [f"{name}: {it['message']}" for it in found_here]
            continue
        why = "dates; make numbers of them to use them" if is_date else _why(column)
        left_out.append(name)
        changes.append(f"{name} is left out: {why}")
    if left_out and len(left_out) == len(names):
        raise ValueError(
            f"the check leaves out all columns: {left_out}; keep=[{left_out[0]!r}] brings one back"
        )
    return (_without(X, left_out) if left_out else X), changes


def _why(column: dict[str, Any]) -> str:
    ids = ("id-text", "id-number", "formatted-numbers", "mixed-dates")
    return next(it["message"] for it in column["findings"] if it["code"] in ids)
