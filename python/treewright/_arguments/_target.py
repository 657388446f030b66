"""The target: numbers, or labels and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from .. import _table


def target_numbers(y: np.ndarray) -> np.ndarray:
    """Numbers to predict; refuses NaN and infinity."""
    y = np.asarray(y, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(y))
    if len(bad):
        raise ValueError(
            f"Input y contains NaN or infinity: the number of row {bad[0] + 1} is {y[bad[0]]}"
        )
    return y


def class_texts(y: np.ndarray) -> tuple[np.ndarray, list[str], np.ndarray]:
    """The distinct labels in their order, the text of each, and for each row the place of its
    label."""
    labels, codes = distinct_labels(y)
    missing = [label for label in labels.tolist() if _table.is_missing(label)]
    if missing:
        row = next(row for row, label in enumerate(y.tolist()) if _table.is_missing(label))
        raise ValueError(f"Input y contains NaN: the class of row {row + 1} is missing")
    # It looks at every row; what it finds out is the same for three rows of each class.
    check_classification_targets(np.tile(labels, 3) if 3 * len(labels) < len(y) else y)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("Input y contains NaN or infinity")
    texts = [str(label) for label in labels.tolist()]
    if "" in texts:
        raise ValueError(
            "y: the empty text cannot be a class, because in files it is a missing cell"
        )
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise ValueError(f"y: two different classes are both written {twice!r}")
    return labels, texts, codes.astype(np.uint32)


def class_weights(given: Any, labels: np.ndarray) -> Any:
    """Weights of classes by the texts of their labels; anything that is not a mapping stays."""
    if not isinstance(given, Mapping):
        return given
    known = {label: str(label) for label in labels.tolist()}
    unknown = [label for label in given if label not in known]
    if unknown:
        raise ValueError(f"class_weight: {unknown[0]!r} is not a class (classes: {list(known)})")
    return {known[label]: float(weight) for label, weight in given.items()}


def distinct_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct labels in their order, and the place of each row's label among them."""
    if y.dtype.kind in "iu" and len(y) and int(y.max()) - int(y.min()) < len(y):
        # Counting takes far less than sorting.
        wide = y.astype(np.uint64 if y.dtype.kind == "u" else np.int64)
        above_least = (wide - wide.min()).astype(np.intp)
        is_there = np.bincount(above_least) > 0
        labels = np.flatnonzero(is_there).astype(wide.dtype) + wide.min()
        return labels.astype(y.dtype), (np.cumsum(is_there) - 1)[above_least]
    if y.dtype.kind not in "OU":
        return np.unique(y, return_inverse=True)
    # Sorting texts takes far longer than looking them up.
    places: dict[Any, int] = {}
    rows = y.tolist()
    codes = np.fromiter(
        (places.setdefault(label, len(places)) for label in rows), dtype=np.intp, count=len(rows)
    )
    known = np.empty(len(places), dtype=y.dtype)
    known[:] = list(places)
    if any(_table.is_missing(label) for label in places):
        return known, codes
    order = np.argsort(known, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return known[order], rank[codes]
