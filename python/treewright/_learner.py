"""What a model or a family says about its learner.

Parameters have the names that they have in files; other modules ask this one for facts.
"""

from __future__ import annotations

import json
from typing import Any

from . import _native


def learner_of(found: _native.Model | _native.Family) -> dict[str, Any]:
    """Name and parameters of the learner."""
    name, params = found.learner
    return {"name": name, "params": json.loads(params)}


def is_stopped(learner: dict[str, Any]) -> bool:
    """Did a limit end the work before it was done?"""
    return "stopped" in learner["params"]


def is_pruned_by_impurity(learner: dict[str, Any]) -> bool:
    """Are the costs of a family impurities?"""
    return bool(learner["params"].get("cost") == "impurity")


def label_kind_of(learner: dict[str, Any]) -> Any:
    """How labels are made of their texts again, or ``None`` if the file does not say it."""
    return learner["params"].get("labels")


def estimator_params(learner: dict[str, Any]) -> dict[str, Any]:
    """The parameters under their names in Python. A tree that held-out rows chose is that of its
    weight: ``select`` is left out."""
    params: dict[str, Any] = dict(learner["params"])
    pruned = params.pop("pruned", {})
    if "lambda" in pruned or "leaves" in pruned:
        params |= {"penalty": "linear", "cost": "error"} | pruned
    params.pop("select", None)
    tables = [table for table in _native.parameters() if table["learner"] == learner["name"]]
    names = {table["key"]: table["sklearn"] or table["key"] for table in tables}
    return {
        names.get(key, key): value
        for key, value in params.items()
        if isinstance(value, str | int | float) or key == "k" and isinstance(value, list)
    }
