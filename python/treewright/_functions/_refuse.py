"""Parameters of an estimator that mean nothing to a function."""

from __future__ import annotations

from typing import Any


def refuse(function: str, params: dict[str, Any], *names: str) -> None:
    """Parameters of the estimator that mean nothing here."""
    for name in names:
        if name in params:
            raise TypeError(f"{function}() got an argument that it has no use for: {name}")
