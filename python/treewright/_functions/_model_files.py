"""Model and family files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from .. import _native
from .._estimators import (
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
    TreeBase,
)
from .._family import Family
from .._learner import estimator_params
from .._tree import Tree, labels_of, write_text


def load_model(path: str | os.PathLike[str]) -> Any:
    """Reads a model or family file of Python or of the program ``treewright``.

    Returns
    -------
    model : estimator, Tree or Family
        A fitted estimator for a model, a :class:`Family` for a family. Classes are texts, unless
        all of them are whole numbers or the file was written by :func:`save_model`, which knows
        better.

    Examples
    --------
    >>> import tempfile
    >>> from treewright import GreedyTreeClassifier, load_model, save_model
    >>> tree = GreedyTreeClassifier().fit([[0.0], [1.0]], [False, True])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(tree, f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict([[0.9]])
    array([ True])
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        kind = json.loads(text).get("format")
    except (ValueError, AttributeError):
        raise ValueError(
            f"{os.fspath(path)}: not a model file, because it is not a JSON object"
        ) from None
    try:
        if kind == "treewright.family":
            family = _native.Family(text)
            return Family(family, labels_of(family))
        return estimator_of(_native.Model(text))
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def estimator_of(model: _native.Model, labels: np.ndarray | None = None) -> Any:
    """An estimator whose tree this is, with the parameters that the file has. Labels are those of
    the file unless given."""
    labels = labels_of(model) if labels is None else labels
    tree = Tree(model, labels)
    kinds: dict[str, Any] = {"dyadic": DyadicTreeClassifier, "optimal": OptimalTreeClassifier}
    greedy = GreedyTreeClassifier if model.is_classifier else GreedyTreeRegressor
    kind = kinds.get(tree.learner["name"], greedy)
    known = kind._get_param_names()
    params = estimator_params(tree.learner)
    if any(categories is not None for _, categories in model.features):
        # Files of optimal trees say so where categories do not have a branch each.
        params.setdefault("categorical_splits", "multiway")
    estimator = kind(**{name: value for name, value in params.items() if name in known})
    estimator.tree_ = tree
    estimator.certificate_ = tree.certificate
    estimator.n_features_in_ = len(tree.feature_names)
    # Names that were made up for an array are none.
    if tree.feature_names != [f"x{place}" for place in range(len(tree.feature_names))]:
        estimator.feature_names_in_ = np.array(tree.feature_names, dtype=object)
    if labels is not None:
        estimator.classes_ = labels
    return estimator


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Writes a fitted estimator, a :class:`Tree` or a :class:`Family` to a file that the program
    ``treewright`` reads, too."""
    if not isinstance(model, Tree | Family | TreeBase):
        raise TypeError(f"expected an estimator, a Tree or a Family, got {type(model).__name__}")
    if isinstance(model, Tree | Family):
        write_text(path, model.to_json() + "\n")
    else:
        model.save(path)
