"""Tables of any kind become columns: doubles with NaN, or codes of categories.

A column is one array of numbers, or one array of codes with the texts that they stand for. Arrays
of doubles are handed on as they are, so that nothing is copied where the layout allows it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _native

#: The code of a missing cell.
MISSING = np.uint32(0xFFFFFFFF)

#: Texts that are missing cells in files, unless they are categories of the table.
NA = ("?", "NA", "NaN", "null")


class Column(NamedTuple):
    """Numbers, or codes (-1 for missing) of values."""

    cells: np.ndarray
    values: list[Any] | None = None
    #: Numbers that stand for False and True.
    is_bool: bool = False


def is_frame(X: Any) -> bool:
    """Is this a table with columns of their own kinds?"""
    module = type(X).__module__
    return module.startswith(("pandas", "polars", "pyarrow")) and len(getattr(X, "shape", ())) == 2


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and the NA of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def column_names(X: Any) -> list[str] | None:
    """The names of the columns, if they have any."""
    if not is_frame(X):
        return None
    names = X.schema.names if type(X).__module__.startswith("pyarrow") else list(X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def text(value: Any) -> str:
    """A category as files have it: 3 and 3.0 are the same."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


# --- columns of frames
# ------------------------------------------------------------------------------------


def frame_columns(X: Any, force: set[int], texts_allowed: bool) -> list[Column]:
    """The columns of a frame; those of ``force`` as categories whatever they hold."""
    module = type(X).__module__
    if module.startswith("pandas"):
        make = _pandas_column
        columns = [X.iloc[:, place] for place in range(X.shape[1])]
    elif module.startswith("polars"):
        make = _polars_column
        columns = X.get_columns()
    else:
        make = _arrow_column
        columns = [_chunked(column) for column in X.columns]
    names = column_names(X) or [f"x{place}" for place in range(len(columns))]
    found = []
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        try:
            made = make(column)
        except Exception as error:  # Each package has errors of its own.
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ValueError(f"column {name!r}: {reason}") from None
        if place in force:
            made = _as_categories(made)
        elif made.values is not None and not texts_allowed:
            raise ValueError(
                f"column {name!r} holds categories: name it in categorical_features, "
                "or leave that at 'from_dtype'"
            )
        found.append(made)
    return found


def _as_categories(column: Column) -> Column:
    if column.values is not None:
        return column
    is_there = ~np.isnan(column.cells)
    values, codes = np.unique(column.cells[is_there], return_inverse=True)
    cells = np.full(len(column.cells), -1, dtype=np.int64)
    cells[is_there] = codes
    return Column(cells, [bool(value) for value in values] if column.is_bool else list(values))


def _pandas_column(column: Any) -> Column:
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return Column(column.cat.codes.to_numpy(), list(column.cat.categories))
    if isinstance(dtype, np.dtype) and dtype.kind in "fiub":
        is_bool = dtype.kind == "b"
        return Column(column.to_numpy().astype(np.float64, copy=False), is_bool=is_bool)
    if isinstance(dtype, np.dtype) and dtype.kind == "c":
        raise TypeError("complex numbers are not supported")
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        is_bool = pd.api.types.is_bool_dtype(dtype)
        return Column(column.to_numpy(dtype=np.float64, na_value=np.nan), is_bool=is_bool)
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        raise TypeError("dates and times are not supported; make numbers or categories of them")
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in {"integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"}:
        numbers = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(numbers, is_bool=kind == "boolean")
    codes, values = pd.factorize(column)
    return Column(codes, list(values))


def _polars_column(column: Any) -> Column:
    import polars as pl

    dtype = column.dtype
    if dtype.is_temporal():
        raise TypeError("dates and times are not supported; make numbers or categories of them")
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Null):
        return Column(column.cast(pl.Float64).to_numpy(), is_bool=dtype == pl.Boolean)
    column = column.cast(pl.String)
    values = column.drop_nulls().unique().sort()
    codes = column.cast(pl.Enum(values)).to_physical().cast(pl.Int64).fill_null(-1)
    return Column(codes.to_numpy(), values.to_list())


def _chunked(column: Any) -> Any:
    """A column of a record batch as one of a table."""
    import pyarrow as pa

    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _arrow_column(column: Any) -> Column:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_temporal(kind):
        raise TypeError("dates and times are not supported; make numbers or categories of them")
    is_number = pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)
    if is_number or pa.types.is_null(kind) or pa.types.is_boolean(kind):
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        column = column.cast(pa.float64())
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        is_bool = pa.types.is_boolean(kind)
        return Column(column.to_numpy(zero_copy_only=False), is_bool=is_bool)
    if not pa.types.is_dictionary(kind):
        column = column.dictionary_encode()
    # Chunks may have dictionaries of their own.
    column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = (
            column.chunk(0)
            if column.num_chunks
            else pa.array([], pa.dictionary(pa.int32(), pa.string()))
        )
    codes = column.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return Column(codes, column.dictionary.to_pylist())


# --- columns of arrays
# ------------------------------------------------------------------------------------


def array_columns(X: np.ndarray, force: set[int]) -> list[Column]:
    """The columns of a two-dimensional array; those of ``force`` as categories."""
    if X.dtype == np.float64 and not X.flags.f_contiguous:
        X = _by_columns(X)
    columns = []
    for place in range(X.shape[1]):
        cells = X[:, place]
        if place in force:
            columns.append(_categories_of(cells))
        else:
            columns.append(Column(cells.astype(np.float64, copy=False)))
    return columns


def _by_columns(X: np.ndarray) -> np.ndarray:
    """The same numbers, one column after the other; in blocks of rows, which stay in the cache."""
    rows_a_block = 2048
    columns = np.empty(X.shape[::-1])
    for start in range(0, len(X), rows_a_block):
        columns[:, start : start + rows_a_block] = X[start : start + rows_a_block].T
    return columns.T


def _categories_of(cells: np.ndarray) -> Column:
    if cells.dtype.kind in "fiub":
        numbers = cells.astype(np.float64, copy=False)
        return _as_categories(Column(numbers, is_bool=cells.dtype.kind == "b"))
    codes = np.full(len(cells), -1, dtype=np.int64)
    values: dict[str, int] = {}
    for row, value in enumerate(cells):
        if is_missing(value):
            continue
        codes[row] = values.setdefault(text(value), len(values))
    return Column(codes, list(values))


# --- codes
# ------------------------------------------------------------------------------------------------


def learn_codes(column: Column) -> tuple[np.ndarray, list[str]]:
    """Codes for the categories that the column has, in the order of their texts."""
    assert column.values is not None
    texts = ["" if is_missing(value) else text(value) for value in column.values]
    seen = np.unique(column.cells[column.cells >= 0])
    categories = sorted({texts[code] for code in seen} - {""})
    return known_codes(column, categories), categories


def known_codes(column: Column, categories: list[str]) -> np.ndarray:
    """Codes for known categories; others count as missing."""
    if column.values is None:
        column = _as_categories(column)
        assert column.values is not None
    places = {category: place for place, category in enumerate(categories)}
    # The last one is for missing cells, whose code is -1.
    table = np.full(len(column.values) + 1, MISSING, dtype=np.uint32)
    for code, value in enumerate(column.values):
        if not is_missing(value):
            table[code] = places.get(text(value), MISSING)
    return table[column.cells]


# --- tables
# -----------------------------------------------------------------------------------------------

#: Name and categories (``None`` for numbers) of each feature.
Features = list[tuple[str, "list[str] | None"]]


def distinct_names(names: list[str], taken: set[str]) -> list[str]:
    """The same names, but none of them empty or taken twice."""
    found = []
    for place, name in enumerate(names):
        name = name or f"x{place}"
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(name)
    return found


def to_learn(
    columns: list[Column], names: list[str]
) -> tuple[list[tuple[str, np.ndarray, list[str] | None]], list[str]]:
    """Columns with names and categories, and the texts that are missing cells in files."""
    features: list[tuple[str, np.ndarray, list[str] | None]] = []
    used: set[str] = set()
    for name, column in zip(names, columns, strict=True):
        if column.values is None:
            features.append((name, column.cells, None))
        else:
            codes, categories = learn_codes(column)
            used.update(categories)
            features.append((name, codes, categories))
    return features, [token for token in NA if token not in used]


def to_predict(X: Any, model: _native.Model) -> _native.Table:
    """A table as a model wants it."""
    classes = model.classes if model.is_classifier else None
    # A tree without features answers for every row, so the rows must be counted.
    ones = None if model.features else np.ones(X.shape[0] if hasattr(X, "shape") else len(X))
    return _native.Table(_known_cells(X, model), (model.target, classes, None), model.na, ones)


def to_judge(X: Any, y: Any, model: _native.Model, labels: np.ndarray | None) -> _native.Table:
    """The same with the target, whose classes are those of the model."""
    if y is None:
        raise ValueError("rows to look at need their target: give y together with X")
    cells = _known_cells(X, model)
    y = np.ravel(np.asarray(y))
    if labels is None:
        return _native.Table(cells, (model.target, None, y.astype(np.float64)), model.na)
    places = {label: place for place, label in enumerate(labels.tolist())}
    unknown = [label for label in np.unique(y).tolist() if label not in places]
    if unknown:
        raise ValueError(f"y: {unknown[0]!r} is not a class of the tree")
    codes = np.array([places[label] for label in y.tolist()], dtype=np.uint32)
    return _native.Table(cells, (model.target, model.classes, codes), model.na)


def _known_cells(X: Any, model: _native.Model) -> list[tuple[str, np.ndarray, list[str] | None]]:
    """The columns of a model. Those of a frame go by their names, if it has all of them."""
    features = model.features
    names = column_names(X)
    if names is not None and all(name in names for name, _ in features):
        X = (
            X[[name for name, _ in features]]
            if not _is_arrow(X)
            else X.select([name for name, _ in features])
        )
    force = {place for place, (_, categories) in enumerate(features) if categories is not None}
    if is_frame(X):
        columns = frame_columns(X, force, texts_allowed=True)
    else:
        if hasattr(X, "toarray"):
            raise ValueError("sparse tables are not supported: call toarray() first")
        X = np.asarray(X)
        if X.dtype.kind == "c":
            raise ValueError("complex numbers are not supported")
        if X.ndim != 2:
            raise ValueError(f"expected a table of two dimensions, got {X.ndim}: reshape your data")
        columns = array_columns(X, force)
    if len(columns) != len(features):
        raise ValueError(
            f"X has {len(columns)} features, but the tree expects {len(features)} features"
        )
    cells: list[tuple[str, np.ndarray, list[str] | None]] = []
    for (name, categories), column in zip(features, columns, strict=True):
        if categories is not None:
            cells.append((name, known_codes(column, categories), categories))
        elif column.values is None:
            cells.append((name, column.cells, None))
        else:
            raise ValueError(
                f"column {name!r} holds categories, but the tree was learned from numbers there"
            )
    return cells


def _is_arrow(X: Any) -> bool:
    return type(X).__module__.startswith("pyarrow")
