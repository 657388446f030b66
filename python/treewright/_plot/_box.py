"""The boxes of a tree: what a node has to say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _words
from ._style import FAINT_INK, INK, Look, class_look, one_line, put, shortened, tint, width_of

if TYPE_CHECKING:
    from .._tree import Tree

TITLE_SIZE = 9.0
COUNT_SIZE = 7.5
PAD = 0.09
BAR_HEIGHT = 0.11
WIDEST_TITLE = 1.75

#: More classes are not explained one by one.
MOST_KEYS = 24


class Content(NamedTuple):
    """What is in a box."""

    title: str
    rows: str
    bar: list[tuple[float, Look]]  #: shares from left to right
    face: Any
    border: Any
    is_end: bool
    is_cut: bool  #: there is more below that is not drawn


class Box(NamedTuple):
    """Inches that all boxes have; in a compact one the count is next to the bar, else below it."""

    width: float
    height: float
    bar_width: float
    compact: bool


class Looks:
    """Gives each node of a tree its look."""

    def __init__(self, tree: Tree, decimals: int | None):
        self.tree = tree
        self.names = [one_line(name) for name in tree.feature_names]
        self.is_classifier = tree.classes is not None
        self.classes = [] if tree.classes is None else [one_line(label) for label in tree.classes]
        self.total = self.weight(0)
        if not self.is_classifier:
            values = [node["value"] for node in tree.nodes]
            self.low, self.high = min(values), max(values)
            self.write = _words.number_format(values, decimals)
            if decimals is None:
                # Means have many digits that tell nothing, even where they keep two of them apart.
                self.write = _words.number_format([], None)

    def weight(self, node: int) -> float:
        """Weight of the training rows of a node."""
        facts = self.tree.nodes[node]
        return float(sum(facts["counts"]) if "counts" in facts else facts["weight"])

    def share(self, node: int) -> float:
        """The same as a share of all rows."""
        return self.weight(node) / self.total if self.total else 0.0

    def content(self, node: int, *, is_end: bool, hidden_leaves: int) -> Content:
        """What is in the box of a node."""
        facts = self.tree.nodes[node]
        weight = self.weight(node)
        value = facts["value"]
        count = f"{_words.weight_text(weight)} ({_words.share_text(self.share(node))})"
        if self.is_classifier:
            answer = self.classes[value]
            color: Any = class_look(value).color
            bar = [
                (part / weight, class_look(place))
                for place, part in enumerate(facts["counts"])
                if part
            ]
        else:
            answer = self.write(value)
            color = self.number_color(value)
            bar = [(self._level(value), Look(color, ""))]
            if not is_end:
                count = f"{answer}  |  {count}"
        if hidden_leaves:
            count += f", {hidden_leaves} leaves"
        title = answer if is_end else self.names[facts["split"]["feature"]]
        title = shortened(title, WIDEST_TITLE, TITLE_SIZE, bold=is_end)
        face = tint(color, 0.22) if is_end else "white"
        border = tint(color, 0.9) if is_end else "#8A9097"
        return Content(title, count, bar, face, border, is_end, bool(hidden_leaves))

    def _level(self, value: float) -> float:
        """How far a number is from the least to the largest; a bar of the least is still seen."""
        span = self.high - self.low
        return 0.04 + 0.96 * (value - self.low) / span if span > 0 else 1.0

    def number_color(self, value: float) -> Any:
        """The colour of a number."""
        from matplotlib import colormaps

        span = self.high - self.low
        level = (value - self.low) / span if span > 0 else 0.5
        # The darkest and the lightest end are hard to tell from ink and paper.
        return colormaps["viridis"](0.05 + 0.85 * level)[:3]

    def legend_keys(self) -> list[tuple[str, Look]]:
        """Colours and what they mean."""
        if not self.is_classifier:
            levels = [self.low + part * (self.high - self.low) for part in (0.0, 0.5, 1.0)]
            numbers = levels if self.high > self.low else levels[:1]
            return [(self.write(value), Look(self.number_color(value), "")) for value in numbers]
        keys = [
            (shortened(name, 1.6, 8.0), class_look(place))
            for place, name in enumerate(self.classes)
        ]
        if len(keys) > MOST_KEYS:
            more = len(keys) - MOST_KEYS
            return [*keys[:MOST_KEYS], (f"and {more} more", Look("white", ""))]
        return keys


def measure(contents: Sequence[Content], *, compact: bool) -> Box:
    """The size of a box in which the texts of all of them fit."""
    titles = max(width_of(content.title, TITLE_SIZE, content.is_end) for content in contents)
    counts = max(width_of(content.rows, COUNT_SIZE) for content in contents)
    if compact:
        width = max(titles, 0.75 + 0.08 + counts) + 2 * PAD
        return Box(width, 0.46, width - 2 * PAD - 0.08 - counts, compact)
    width = max(titles, counts, 0.8) + 2 * PAD
    return Box(width, 0.62, width - 2 * PAD, compact)


def draw(ax: Any, content: Content, box: Box, x: float, y: float, scale: float) -> None:
    """Draws a box around a middle."""
    from matplotlib.patches import FancyBboxPatch, Rectangle

    left, bottom = x - box.width / 2, y - box.height / 2
    radius = 0.05
    ax.add_artist(
        FancyBboxPatch(
            (left + radius, bottom + radius),
            box.width - 2 * radius,
            box.height - 2 * radius,
            boxstyle=f"round,pad={radius},rounding_size={radius}",
            facecolor=content.face,
            edgecolor=content.border,
            linewidth=(1.1 if content.is_end else 0.8) * scale,
            linestyle=(0, (4, 2)) if content.is_cut else "solid",
            zorder=3,
            gid="node",
        )
    )
    top = bottom + box.height
    weight = "bold" if content.is_end else "normal"
    title_at = (left + PAD, "left") if box.compact else (x, "center")
    put(ax, title_at[0], top - 0.135, content.title, TITLE_SIZE * scale, title_at[1], weight=weight)
    bar_bottom = bottom + 0.1 if box.compact else top - 0.26 - BAR_HEIGHT
    at = left + PAD
    for share, look in content.bar:
        width = share * box.bar_width
        ax.add_artist(
            Rectangle(
                (at, bar_bottom),
                width,
                BAR_HEIGHT,
                facecolor=look.color,
                hatch=look.hatch or None,
                edgecolor="white",
                linewidth=0,
                zorder=4,
                gid="bar",
            )
        )
        at += width
    ax.add_artist(
        Rectangle(
            (left + PAD, bar_bottom),
            box.bar_width,
            BAR_HEIGHT,
            fill=False,
            edgecolor=INK,
            linewidth=0.3 * scale,
            zorder=5,
            gid="bar frame",
        )
    )
    if box.compact:
        place = (left + box.width - PAD, bar_bottom + BAR_HEIGHT / 2, "right")
    else:
        place = (x, bottom + 0.115, "center")
    put(ax, *place[:2], content.rows, COUNT_SIZE * scale, place[2], color=FAINT_INK)
