"""Which columns are categories."""

from __future__ import annotations

from typing import Any

import numpy as np


def categorical_places(given: Any, names: list[str] | None, n_features: int | None) -> set[int]:
    """The columns that are categories because ``categorical_features`` says so."""
    if given is None or isinstance(given, str) and given == "from_dtype":
        return set()
    if isinstance(given, str):
        given = [given]
    given = np.asarray(given)
    if given.size == 0:
        return set()
    if given.ndim != 1:
        raise ValueError("categorical_features: expected a mask, indices, names or 'from_dtype'")
    if given.dtype.kind == "b":
        if n_features is not None and len(given) != n_features:
            raise ValueError(
                f"categorical_features: a mask of {len(given)} for {n_features} features"
            )
        return set(np.flatnonzero(given).tolist())
    if given.dtype.kind in "iu":
        places = set(given.tolist())
        if min(places) < 0 or n_features is not None and max(places) >= n_features:
            raise ValueError(f"categorical_features: indices must be from 0 to below {n_features}")
        return places
    if names is None:
        raise ValueError("categorical_features: names need a table whose columns have names")
    missing = [name for name in given.tolist() if name not in names]
    if missing:
        raise ValueError(f"categorical_features: there is no column {missing[0]!r}")
    return {names.index(name) for name in given.tolist()}
