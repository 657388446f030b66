"""Rules about the features on a path, and about the class of a leaf."""

from __future__ import annotations

from typing import Any

from .._family import number_text


def path_rules(estimator: Any) -> dict[str, Any]:
    """The rules of an estimator, as the core wants them; none for one that has no such parameters."""
    root_only = getattr(estimator, "root_only", None)
    return {
        "interactions": _groups("interactions", getattr(estimator, "interactions", None)),
        "root_only": [] if root_only is None else _names("root_only", root_only),
        "not_above": _groups("not_above", getattr(estimator, "not_above", None)),
    }


def class_share(estimator: Any) -> str | None:
    """The least share of the predicted class in a leaf, as text; ``None`` without one."""
    share = getattr(estimator, "min_class_share", None)
    return None if share is None else number_text(share, "min_class_share")


def _groups(name: str, given: Any) -> list[list[str]]:
    if given is None:
        return []
    if isinstance(given, str):
        raise ValueError(f"{name}: got {given!r}, expected a list of groups of names")
    try:
        groups = list(given)
    except TypeError:
        raise ValueError(f"{name}: got {given!r}, expected a list of groups of names") from None
    return [_names(name, group) for group in groups]


def _names(name: str, given: Any) -> list[str]:
    try:
        names = [] if isinstance(given, str) else list(given)
    except TypeError:
        names = []
    if isinstance(given, str) or not all(isinstance(it, str) for it in names):
        raise ValueError(f"{name}: got {given!r}, expected a list of names of features")
    if not names:
        raise ValueError(f"{name}: got {given!r}, expected at least one name of a feature")
    return [str(it) for it in names]
