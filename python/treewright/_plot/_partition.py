"""The plane of two features as a tree cuts it."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _table
from . import _cells
from ._style import FAINT_INK, INK, bare, class_look, literal, new_axes, one_line, pyplot, shortened

if TYPE_CHECKING:
    from .._tree import Tree

#: Larger legends would hide the picture.
MOST_KEYS = 12


def partition(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[str | int] | None = None,
    at: Mapping[str, Any] | None = None,
    ax: Any = None,
    legend: bool = True,
) -> Any:
    """Draws what a tree answers in the plane of two numeric features.

    The cells are those of the tree, not pixels: each boundary is a threshold. The purer the rows
    of a leaf, the stronger its colour.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X : table, optional
        Rows to draw. They also give the range of the axes, and the values of the other features.
    y : array, optional
        Classes or numbers of the rows, for their colours.
    features : pair of str or int, optional
        Names or places of the features on the axes; by default the two numeric ones that matter
        most.
    at : dict, optional
        Values of other features by their names. By default the median of ``X``, or the most
        frequent category.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    legend : bool, default=True
        Whether to explain the colours.

    Returns
    -------
    ax : matplotlib.axes.Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> ax = tree.plot_partition(X, y, features=("petal length (cm)", "petal width (cm)"))
    >>> ax.get_xlabel()
    'petal length (cm)'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    pyplot()
    tree = getattr(tree, "tree_", tree)
    first, second = _two_features(tree, features)
    columns = None if X is None else _columns(tree, X)
    if y is not None and columns is None:
        raise ValueError("y: there are no rows for it; give X, too")
    others = _others(tree, columns, at or {}, (first, second))
    ranges = [_range(tree, columns, place) for place in (first, second)]
    cells = _cells.cells(tree, (first, second), (ranges[0], ranges[1]), others)
    if ax is None:
        ax = new_axes(6.4, 4.8)
    answers = tree._model.predict(_probe_table(tree, cells, (first, second), others))
    painter = _Painter(tree, answers, y)
    for cell, answer in zip(cells, answers, strict=True):
        painter.cell(ax, cell, answer)
    if columns is not None:
        painter.points(ax, columns[first].cells, columns[second].cells, y)
    ax.set_xlim(*ranges[0])
    ax.set_ylim(*ranges[1])
    names = [one_line(name) for name in tree.feature_names]
    literal(ax.set_xlabel(shortened(names[first], 5.0, 10.0), color=INK))
    literal(ax.set_ylabel(shortened(names[second], 4.0, 10.0), color=INK))
    bare(ax)
    _say_others(ax, tree, cells, others)
    if legend:
        painter.legend(ax)
    return ax


def _two_features(tree: Tree, given: Sequence[str | int] | None) -> tuple[int, int]:
    names = tree.feature_names
    kinds = [categories for _, categories in tree._model.features]
    if given is None:
        weights = tree.feature_importances
        numeric = [place for place, categories in enumerate(kinds) if categories is None]
        best = sorted(numeric, key=lambda place: -weights[place])[:2]
        if len(best) < 2:
            raise ValueError("features: the tree has fewer than two numeric features")
        return min(best), max(best)
    if isinstance(given, str) or len(given) != 2:
        raise ValueError(f"features: got {given!r}, expected two names or places")
    places = []
    for feature in given:
        if isinstance(feature, str):
            if feature not in names:
                raise ValueError(f"features: there is no feature {feature!r}")
            place = names.index(feature)
        else:
            place = operator.index(feature)
            if not 0 <= place < len(names):
                raise ValueError(f"features: got {place}, expected 0 to {len(names) - 1}")
        if kinds[place] is not None:
            raise ValueError(
                f"features: {names[place]!r} holds categories, but an axis needs numbers"
            )
        places.append(place)
    if places[0] == places[1]:
        raise ValueError(f"features: {names[places[0]]!r} is on both axes")
    return places[0], places[1]


def _columns(tree: Tree, X: Any) -> list[_table.Column]:
    """The columns of a table in the order of the features of the tree."""
    features = tree._model.features
    names = _table.column_names(X)
    force = {place for place, (_, categories) in enumerate(features) if categories is not None}
    if not _table.is_frame(X):
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != len(features):
            raise ValueError(
                f"X: got shape {X.shape}, expected a table of {len(features)} features"
            )
        return _table.array_columns(X, force)
    columns = _table.frame_columns(X, set(), texts_allowed=True)
    if names is not None and all(name in names for name, _ in features):
        columns = [columns[names.index(name)] for name, _ in features]
    if len(columns) != len(features):
        raise ValueError(f"X: got {len(columns)} features, expected {len(features)}")
    for (name, categories), column in zip(features, columns, strict=True):
        if categories is None and column.values is not None:
            raise ValueError(
                f"column {name!r} holds categories, but the tree was learned from numbers there"
            )
    return columns


def _others(
    tree: Tree, columns: list[_table.Column] | None, at: Mapping[str, Any], axes: tuple[int, int]
) -> list[Any]:
    """A value for each feature that is not on an axis; ``None`` is missing."""
    names = tree.feature_names
    for name in at:
        if name not in names:
            raise ValueError(f"at: there is no feature {name!r}")
        if names.index(name) in axes:
            raise ValueError(f"at: {name!r} is on an axis")
    used = set(tree.features)
    values: list[Any] = []
    for place, (name, categories) in enumerate(tree._model.features):
        if name in at:
            values.append(_given(name, at[name], categories))
        elif place in axes or name not in used:
            values.append(None)
        elif columns is not None:
            values.append(_typical(columns[place], categories))
        else:
            raise ValueError(f"at: the tree asks for {name!r}; give its value, or X")
    return values


def _given(name: str, value: Any, categories: list[str] | None) -> Any:
    if value is None or value != value:
        return None
    if categories is None:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ValueError(f"at: got {value!r} for {name!r}, expected a number") from None
    if _table.text(value) not in categories:
        raise ValueError(f"at: {value!r} is not a category of {name!r}")
    return _table.text(value)


def _typical(column: _table.Column, categories: list[str] | None) -> Any:
    """The median or the most frequent category; ``None`` if all cells are missing."""
    if categories is None:
        cells = column.cells[~np.isnan(column.cells)]
        return float(np.median(cells)) if len(cells) else None
    codes = _table.known_codes(column, categories)
    counts = np.bincount(codes[codes != _table.MISSING], minlength=len(categories))
    return categories[int(np.argmax(counts))] if counts.any() else None


def _range(tree: Tree, columns: list[_table.Column] | None, feature: int) -> tuple[float, float]:
    """From where to where an axis goes."""
    numbers = np.array([])
    margin = 0.05
    if columns is not None:
        cells = columns[feature].cells
        numbers = cells[np.isfinite(cells)]
    if not len(numbers):
        margin = 0.25
        numbers = np.array(_cells.cuts(tree, feature))
    if not len(numbers):
        return 0.0, 1.0
    low, high = float(numbers.min()), float(numbers.max())
    room = (high - low) * margin or max(abs(low) * 0.5, 0.5)
    return low - room, high + room


def _probe_table(
    tree: Tree, cells: list[_cells.Cell], axes: tuple[int, int], others: list[Any]
) -> Any:
    """A row inside of each cell."""
    rows = np.empty((len(cells), len(others)), dtype=object)
    rows[:] = [math.nan if value is None else value for value in others]
    rows[:, axes[0]] = [_inside(*cell.x) for cell in cells]
    rows[:, axes[1]] = [_inside(*cell.y) for cell in cells]
    return _table.to_predict(rows, tree._model)


def _inside(low: float, high: float) -> float:
    return low / 2.0 + high / 2.0


def _say_others(ax: Any, tree: Tree, cells: list[_cells.Cell], others: list[Any]) -> None:
    """A picture of one plane of many says which one it is."""
    asked = sorted({feature for cell in cells for feature in cell.asked})
    texts = []
    for feature in asked[:3]:
        value = others[feature]
        value = "missing" if value is None else value
        text = f"{value:.4g}" if isinstance(value, float) else one_line(value)
        texts.append(f"{shortened(one_line(tree.feature_names[feature]), 1.4, 9.0)} = {text}")
    if len(asked) > 3:
        texts.append(f"+{len(asked) - 3}")
    if texts:
        title = shortened("at " + ", ".join(texts), 6.0, 9.0)
        literal(ax.set_title(title, loc="left", fontsize=9, color=FAINT_INK))


class _Painter:
    """Colours cells and points."""

    def __init__(self, tree: Tree, answers: np.ndarray, y: Any):
        self.tree = tree
        self.classes = tree.classes
        self.shown: set[int] = set()
        if self.classes is None:
            from matplotlib import colormaps
            from matplotlib.cm import ScalarMappable
            from matplotlib.colors import Normalize

            numbers = answers if y is None else np.concatenate([answers, np.asarray(y, float)])
            low, high = float(np.min(numbers)), float(np.max(numbers))
            self.scale = ScalarMappable(Normalize(low, high), colormaps["viridis"])

    def cell(self, ax: Any, cell: _cells.Cell, answer: float) -> None:
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Rectangle

        hatch = ""
        color: Any
        if self.classes is None:
            color = self.scale.to_rgba(np.array([answer]))[0]
        else:
            look = class_look(int(answer))
            self.shown.add(int(answer))
            least = 1.0 / len(self.classes)
            surplus = max(0.0, cell.purity - least) / (1.0 - least) if least < 1.0 else 1.0
            color, hatch = to_rgba(look.color, 0.15 + 0.4 * surplus), look.hatch
        ax.add_artist(
            Rectangle(
                (cell.x[0], cell.y[0]),
                cell.x[1] - cell.x[0],
                cell.y[1] - cell.y[0],
                facecolor=color,
                edgecolor="white",
                hatch=hatch or None,
                linewidth=0.8,
                zorder=1,
                gid="cell",
            )
        )

    def points(self, ax: Any, x: np.ndarray, y: np.ndarray, truths: Any) -> None:
        size = 22.0 if len(x) <= 500 else 10.0 if len(x) <= 5000 else 3.0
        style = {"s": size, "edgecolors": "white", "linewidths": 0.5, "zorder": 3}
        if truths is None:
            ax.scatter(x, y, color=FAINT_INK, **style)
            return
        truths = np.asarray(truths)
        if truths.shape != x.shape:
            raise ValueError(f"y: got shape {truths.shape}, expected {x.shape}")
        if self.classes is None:
            ax.scatter(x, y, c=self.scale.to_rgba(truths.astype(float)), **style)
            return
        known = np.zeros(len(x), dtype=bool)
        for place, label in enumerate(self.classes):
            rows = truths == label
            if rows.any():
                self.shown.add(place)
                ax.scatter(x[rows], y[rows], color=class_look(place).color, **style)
            known |= rows
        if not known.all():
            ax.scatter(x[~known], y[~known], color=FAINT_INK, marker="x", s=size, zorder=3)

    def legend(self, ax: Any) -> None:
        from matplotlib.patches import Patch

        if self.classes is None:
            bar = ax.figure.colorbar(self.scale, ax=ax)
            literal(bar.ax.set_ylabel(one_line(self.tree._model.target), color=INK))
            bar.outline.set_visible(False)
            return
        shown = sorted(self.shown)[:MOST_KEYS]
        looks = [class_look(place) for place in shown]
        box = ax.legend(
            handles=[
                Patch(facecolor=look.color, hatch=look.hatch or None, edgecolor="white")
                for look in looks
            ],
            labels=["class"] * len(looks),
            frameon=False,
            fontsize=9,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            handlelength=1.2,
            handleheight=0.8,
            labelcolor=INK,
        )
        # Names are written afterwards, because labels that begin with an underscore are hidden.
        for text, place in zip(box.get_texts(), shown, strict=True):
            literal(text).set_text(shortened(one_line(self.classes[place]), 1.5, 9.0))
