"""A learned tree."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import _export, _native, _table
from ._learner import label_kind_of, learner_of


class Tree:
    """A learned tree, complete without the data.

    Estimators have theirs in ``tree_``; families and :func:`distinct_trees` hand trees out.

    >>> from treewright import GreedyTreeClassifier
    >>> tree = GreedyTreeClassifier().fit([[0.0], [1.0], [2.0]], ["no", "no", "yes"]).tree_
    >>> tree
    Tree(n_leaves=2, depth=1)
    >>> tree.predict([[5.0]])
    array(['yes'], dtype='<U3')
    >>> print(tree.to_text())
    y  (3/1)  (missing: distributed everywhere)
    ├─ x0 <= 1.5 -> no  (2)
    └─ x0 > 1.5 -> yes  (1)
    <BLANKLINE>
    """

    def __init__(self, model: _native.Model, labels: np.ndarray | None = None):
        self._model = model
        self._labels = labels

    def __repr__(self) -> str:
        return f"Tree(n_leaves={self.n_leaves}, depth={self.depth})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self._model.export("text") == other._model.export("text") and self.nodes == other.nodes
        )

    __hash__ = None  # type: ignore[assignment]

    # --- figures ---------------------------------------------------------------------------------

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self._model.n_leaves

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self._model.n_nodes

    node_count = n_nodes

    @property
    def depth(self) -> int:
        """Number of edges on the longest way from the root to a leaf."""
        return self._model.depth

    max_depth = depth

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in the order of the columns."""
        return [name for name, _ in self._model.features]

    @property
    def features(self) -> list[str]:
        """Names of the features that the tree splits on, in the order of the columns."""
        used = {node["split"]["feature"] for node in self.nodes if "split" in node}
        return [name for place, name in enumerate(self.feature_names) if place in used]

    @property
    def classes(self) -> np.ndarray | None:
        """The class labels; ``None`` for a tree that predicts numbers."""
        if not self._model.is_classifier:
            return None
        return np.array(self._model.classes) if self._labels is None else self._labels

    @property
    def certificate(self) -> dict[str, Any] | None:
        """What is proven about the tree, if anything is: objective, lower bound, gap, optimal,
        ..."""
        return self._model.certificate

    @property
    def training(self) -> dict[str, Any]:
        """Figures on the rows that the tree was learned from: rows, errors, cost, leaves, ..."""
        return self._model.training

    @property
    def learner(self) -> dict[str, Any]:
        """Name and parameters of what learned the tree."""
        return learner_of(self._model)

    @cached_property
    def nodes(self) -> list[dict[str, Any]]:
        """The nodes as the model file has them: parents before children, the root first."""
        nodes: list[dict[str, Any]] = json.loads(self._model.to_json())["nodes"]
        return nodes

    @property
    def feature_importances(self) -> np.ndarray:
        """For each feature its share of what all splits gain."""
        return self._model.importances()

    # --- rows ------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """Classes or numbers for the rows of a table."""
        answers = self._model.predict(_table.to_predict(X, self._model))
        classes = self.classes
        return answers if classes is None else classes[answers.astype(np.intp)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """For each row the shares of the classes."""
        if not self._model.is_classifier:
            raise AttributeError("the tree predicts numbers: there are no classes")
        return self._model.predict_proba(_table.to_predict(X, self._model))

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row. Of a row that is distributed over several, the heaviest one."""
        return self._model.apply(_table.to_predict(X, self._model))

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, as a sparse matrix of rows and nodes."""
        from scipy.sparse import csr_matrix

        begins, nodes = self._model.decision_path(_table.to_predict(X, self._model))
        shape = (len(begins) - 1, self.n_nodes)
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, begins), shape=shape)

    # --- elsewhere -------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The text of a model file, which the program ``treewright`` reads, too."""
        kind = "" if self._labels is None else label_kind(self._labels)
        return (self._model.with_note("labels", kind) if kind else self._model).to_json()

    def to_text(self) -> str:
        """The tree as text, with the weight of the rows of each leaf and of the wrong ones."""
        return self._model.export("text")

    def to_rules(self) -> str:
        """One rule for each leaf."""
        return self._model.export("rules")

    def to_dot(self) -> str:
        """The tree in the language of Graphviz."""
        return self._model.export("dot")

    def to_svg(self) -> str:
        """A drawing of the tree."""
        return self._model.export("svg")

    def to_sql(self) -> str:
        """The tree as an SQL expression; ``NULL`` is missing."""
        return self._model.export("sql")

    def to_c(self) -> str:
        """The tree as a C file with a function."""
        return self._model.export("c")

    def to_python(self) -> str:
        """The tree as a Python module with a function, which needs nothing else."""
        return self._model.export("python")

    def to_rust(self) -> str:
        """The tree as a Rust file with a function."""
        return self._model.export("rust")

    def to_pmml(self) -> str:
        """The tree in PMML 4.4."""
        return self._model.export("pmml")

    def to_onnx(self) -> Any:
        """The tree as an :class:`onnx.ModelProto`; ``SerializeToString()`` makes a file of it.

        Inputs and cuts are doubles, so decisions are exact; class labels are texts. Probabilities
        and numbers come out as float32: that is all the operators of ONNX can do. Categories enter
        as their positions in the list of categories, -1 for others. ONNX sends a missing value one
        way; where the tree distributes it, that is to the heaviest child.
        """
        return _export.onnx_model(self)

    def to_sklearn_text(self, decimals: int = 2) -> str:
        """The tree in the manner of :func:`sklearn.tree.export_text`."""
        return _export.sklearn_text(self, decimals)

    def to_frame(self) -> Any:
        """The nodes as a pandas data frame, one row each."""
        return _export.frame(self)

    def to_treelite(self) -> Any:
        """The tree as a :class:`treelite.Model`."""
        return _export.treelite_model(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file."""
        write_text(path, self.to_json() + "\n")

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None) -> None:
        """Writes a page for a browser that shows the tree; with ``X`` and ``y`` also what it does
        to these rows."""
        title = Path(path).stem
        table = None if X is None else _table.to_judge(X, y, self._model, self.classes)
        write_text(path, self._model.report(title, table).to_html())

    def plot(
        self,
        *,
        ax: Any = None,
        max_depth: int | None = None,
        orientation: str = "auto",
        decimals: int | None = None,
        legend: bool = True,
    ) -> Any:
        """Draws the tree with matplotlib; see :func:`treewright._plot.tree`."""
        from . import _plot

        return _plot.tree(
            self,
            ax=ax,
            max_depth=max_depth,
            orientation=orientation,
            decimals=decimals,
            legend=legend,
        )

    def plot_partition(
        self,
        X: Any = None,
        y: Any = None,
        *,
        features: Sequence[str | int] | None = None,
        at: Mapping[str, Any] | None = None,
        ax: Any = None,
        legend: bool = True,
    ) -> Any:
        """Draws the plane of two features; see :func:`treewright._plot.partition`."""
        from . import _plot

        return _plot.partition(self, X, y, features=features, at=at, ax=ax, legend=legend)


def label_kind(labels: np.ndarray) -> str:
    """How labels are made of their texts again."""
    if labels.dtype.kind == "O":
        kinds = {type(label) for label in labels}
        names = {str: "str", bool: "bool", int: "int", float: "float"}
        return names.get(kinds.pop(), "") if len(kinds) == 1 else ""
    names_of_arrays = {"U": "str", "b": "bool", "i": "int", "u": "int", "f": "float"}
    return names_of_arrays.get(labels.dtype.kind, "")


def labels_of(model: _native.Model | _native.Family) -> np.ndarray | None:
    """The labels of a model from a file. Where it does not say, whole numbers are whole numbers."""
    texts = model.classes
    if not texts:
        return None
    kind = label_kind_of(learner_of(model))
    if kind is None:
        kind = "int" if all(_is_whole(text) for text in texts) else "str"
    if kind == "bool":
        return np.array([text == "True" for text in texts])
    if kind == "int":
        return np.array([int(text) for text in texts])
    return np.array(texts, dtype=np.float64 if kind == "float" else np.str_)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(text)) == text and len(digits) < 19


def write_text(path: str | os.PathLike[str], text: str | bytes) -> None:
    """Writes a file under a temporary name and renames it, so that nobody sees half of it."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text.encode() if isinstance(text, str) else text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
