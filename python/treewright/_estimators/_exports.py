"""Ways to write and to draw the tree of an estimator: each hands over to :class:`treewright.Tree`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .._tree import Tree


class Exports:
    """Files, texts and drawings of ``tree_``."""

    tree_: Tree

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which the program ``treewright`` reads, too."""
        check_is_fitted(self)
        self.tree_.save(path)

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None) -> None:
        """Writes a page for a browser that shows the tree, or the whole family if there is one;
        with ``X`` and ``y`` also what it does to these rows."""
        check_is_fitted(self)
        getattr(self, "family_", self.tree_).report(path, X, y)

    def plot(
        self,
        *,
        ax: Any = None,
        max_depth: int | None = None,
        orientation: str = "auto",
        decimals: int | None = None,
        legend: bool = True,
    ) -> Any:
        """Draws the tree with matplotlib; see :meth:`treewright.Tree.plot`."""
        check_is_fitted(self)
        return self.tree_.plot(
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
        """Draws the plane of two features; see :meth:`treewright.Tree.plot_partition`."""
        check_is_fitted(self)
        return self.tree_.plot_partition(X, y, features=features, at=at, ax=ax, legend=legend)

    def export_json(self) -> str:
        """The text of a model file; see :meth:`treewright.Tree.to_json`."""
        check_is_fitted(self)
        return self.tree_.to_json()

    def export_text(self) -> str:
        """The tree as text; see :meth:`treewright.Tree.to_text`."""
        check_is_fitted(self)
        return self.tree_.to_text()

    def export_rules(self) -> str:
        """One rule for each leaf; see :meth:`treewright.Tree.to_rules`."""
        check_is_fitted(self)
        return self.tree_.to_rules()

    def export_dot(self) -> str:
        """The tree in the language of Graphviz; see :meth:`treewright.Tree.to_dot`."""
        check_is_fitted(self)
        return self.tree_.to_dot()

    def export_svg(self) -> str:
        """A drawing of the tree; see :meth:`treewright.Tree.to_svg`."""
        check_is_fitted(self)
        return self.tree_.to_svg()

    def export_sql(self) -> str:
        """The tree as an SQL expression; see :meth:`treewright.Tree.to_sql`."""
        check_is_fitted(self)
        return self.tree_.to_sql()

    def export_c(self) -> str:
        """The tree as a C file; see :meth:`treewright.Tree.to_c`."""
        check_is_fitted(self)
        return self.tree_.to_c()

    def export_python(self) -> str:
        """The tree as a Python module; see :meth:`treewright.Tree.to_python`."""
        check_is_fitted(self)
        return self.tree_.to_python()

    def export_rust(self) -> str:
        """The tree as a Rust file; see :meth:`treewright.Tree.to_rust`."""
        check_is_fitted(self)
        return self.tree_.to_rust()

    def export_pmml(self) -> str:
        """The tree in PMML; see :meth:`treewright.Tree.to_pmml`."""
        check_is_fitted(self)
        return self.tree_.to_pmml()

    def export_onnx(self) -> Any:
        """The tree as a model of ONNX; see :meth:`treewright.Tree.to_onnx`."""
        check_is_fitted(self)
        return self.tree_.to_onnx()

    def export_sklearn_text(self, decimals: int = 2) -> str:
        """The tree in the manner of scikit-learn; see :meth:`treewright.Tree.to_sklearn_text`."""
        check_is_fitted(self)
        return self.tree_.to_sklearn_text(decimals)

    def export_frame(self) -> Any:
        """The nodes as a pandas data frame; see :meth:`treewright.Tree.to_frame`."""
        check_is_fitted(self)
        return self.tree_.to_frame()

    def export_treelite(self) -> Any:
        """The tree as a model of treelite; see :meth:`treewright.Tree.to_treelite`."""
        check_is_fitted(self)
        return self.tree_.to_treelite()
