"""What in a table would spoil a tree."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _native
from .._table import (
    Column,
    array_columns,
    column_names,
    distinct_names,
    frame_columns,
    is_frame,
    is_missing,
    text,
    to_learn,
)


class Check(dict[str, Any]):
    """What :func:`check` found: ``columns``, ``rows`` and ``findings``, as the program's JSON."""

    def all(self) -> list[dict[str, Any]]:
        """All findings, the worst first, each with the name of its ``column`` (or ``None``)."""
        found = [{"column": None, **finding} for finding in self["findings"]]
        for column in self["columns"]:
            found += [{"column": column["name"], **finding} for finding in column["findings"]]
        return sorted(found, key=lambda it: ("error", "warning", "info").index(it["severity"]))

    def __repr__(self) -> str:
        n_rows, n_columns = self["rows"]["rows"], len(self["columns"])
        lines = [f"{n_rows} rows, {n_columns} columns"]
        for finding in self.all():
            about = "" if finding["column"] is None else f"{finding['column']}: "
            fix = "" if finding["fix"] is None else f" ({finding['fix']})"
            lines.append(f"{finding['severity']:8} {about}{finding['message']}{fix}")
        return "\n".join(lines if len(lines) > 1 else [*lines, "nothing found"])


def check(X: Any, y: Any = None, *, task: str = "auto") -> Check:
    """Looks at a table before anything is learned from it.

    Finds ids, dates, words among numbers, columns that are constant, empty or there twice, columns
    that give the target away, rows without a target and rare classes. Columns of dates may be texts
    or have a type of dates.

    Parameters
    ----------
    X : table
        A frame of pandas, polars or pyarrow, or an array.
    y : array or str, optional
        The target, or the name of its column in ``X``; cells may be missing.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target holds; "auto" takes texts and few whole numbers for classes.

    Returns
    -------
    Check
        A dict with ``columns``, ``rows`` and ``findings``. The ``fix`` of a finding names options of
        the program.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright import check
    >>> table = pd.DataFrame({"key": [f"k{i}" for i in range(30)], "x": [1, 2, 3] * 10})
    >>> print(check(table, [i % 2 for i in range(30)]))
    30 rows, 3 columns
    warning  key: nearly every row has a text of its own (30 distinct): an id or a free text \
(--drop key)
    info     24 of 30 rows are equal to an earlier row in all columns
    """
    names, columns = _columns_of(X)
    taken: set[str] = set()
    names = distinct_names(names, taken)
    target = None
    if isinstance(y, str):
        if y not in names:
            raise ValueError(f"y: there is no column {y!r}")
        target = y
    elif y is not None:
        target = distinct_names([str(getattr(y, "name", None) or "y")], taken)[0]
        names.append(target)
        columns.append(_target_of(y))
    features, na = to_learn(columns, names)
    # The name of a target that is not there.
    absent = distinct_names(["target"], taken)[0]
    table = _native.Table(features, (absent, None, None), na)
    return Check(json.loads(_native.check(table, target, task)))


def _columns_of(X: Any) -> tuple[list[str], list[Column]]:
    if is_frame(X):
        X = _with_dates_as_texts(X)
        columns = frame_columns(X, set(), texts_allowed=True)
        return column_names(X) or [f"x{place}" for place in range(len(columns))], columns
    if hasattr(X, "toarray"):
        raise ValueError("sparse tables are not supported: call toarray() first")
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"expected a table of two dimensions, got {X.ndim}: reshape your data")
    names = [f"x{place}" for place in range(X.shape[1])]
    if X.dtype.kind in "fiub":
        return names, array_columns(X, set())
    return names, [_target_of(X[:, place]) for place in range(X.shape[1])]


def _target_of(y: Any) -> Column:
    """Numbers, or texts, with missing cells."""
    cells = np.ravel(np.asarray(y))
    if cells.dtype.kind in "fiub":
        return Column(cells.astype(np.float64), is_bool=cells.dtype.kind == "b")
    codes = np.full(len(cells), -1, dtype=np.int64)
    values: dict[Any, int] = {}
    for row, value in enumerate(cells.tolist()):
        if not is_missing(value):
            codes[row] = values.setdefault(value, len(values))
    if values and all(isinstance(value, int | float) for value in values):
        numbers = np.array([*values, np.nan], dtype=np.float64)
        return Column(numbers[codes])
    return Column(codes, [text(value) for value in values])


def _with_dates_as_texts(X: Any) -> Any:
    module = type(X).__module__
    if module.startswith("pandas"):
        import pandas as pd

        is_date = pd.api.types.is_datetime64_any_dtype
        places = [place for place in range(X.shape[1]) if is_date(X.dtypes.iloc[place])]
        if places:
            X = X.copy(deep=False)
        for place in places:
            cells = X.iloc[:, place]
            has_times = bool((cells.dropna() != cells.dropna().dt.normalize()).any())
            texts = cells.dt.strftime("%Y-%m-%d %H:%M:%S" if has_times else "%Y-%m-%d")
            X.isetitem(place, texts.astype(object).where(cells.notna(), None))
        return X
    if module.startswith("polars"):
        import polars as pl

        temporal = [name for name, kind in X.schema.items() if kind.is_temporal()]
        return X.with_columns(pl.col(temporal).cast(pl.String)) if temporal else X
    import pyarrow as pa

    for place, field in enumerate(X.schema):
        if pa.types.is_temporal(field.type):
            X = X.set_column(place, field.name, X.column(place).cast(pa.string()))
    return X
