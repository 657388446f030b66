"""Parameters that are words, numbers or flags: checked, and as the core wants them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np


def word(name: str, text: Any) -> str:
    """A parameter that is one of some words."""
    if not isinstance(text, str):
        raise ValueError(f"{name}: got {text!r}, expected a text")
    return text


def flag(name: str, given: Any) -> bool:
    """A parameter that is true or false."""
    if not isinstance(given, bool | np.bool_):
        raise ValueError(f"{name}: got {given!r}, expected True or False")
    return bool(given)


def whole(name: str, number: Any, least: int | None) -> int:
    """A parameter that is a whole number."""
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise ValueError(f"{name}: got {number!r}, expected a whole number")
    if least is not None and int(number) < least:
        raise ValueError(f"{name}: got {number}, expected at least {least}")
    # No table is so large that more would mean anything else.
    return min(int(number), 2**62)


def real(name: str, number: Any, least: float) -> float:
    """A parameter that is a number."""
    if not isinstance(number, Real) or isinstance(number, bool) or not float(number) >= least:
        raise ValueError(f"{name}: got {number!r}, expected a number of at least {least:g}")
    return float(number)


def count_or_share(name: str, number: Any, n_rows: int, least: int) -> int:
    """A number of rows: a whole number, or a share of all rows, as in scikit-learn."""
    if isinstance(number, Real) and not isinstance(number, Integral):
        share = float(number)
        if not 0.0 < share <= 1.0:
            raise ValueError(
                f"{name}: got {number}, expected a whole number or a share between 0 and 1"
            )
        return max(least, int(np.ceil(share * n_rows)))
    return whole(name, number, least)


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
