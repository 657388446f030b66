"""A tree as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _box, _layout, _words
from ._style import FAINT_INK, INK, LINE, Look, literal, one_line, put, pyplot, shortened, width_of

if TYPE_CHECKING:
    from .._tree import Tree

#: A tree with more leaves is drawn down to a depth only, unless a depth is asked for.
MOST_LEAVES = 60

#: Up to this width (in inches) a tree grows downwards, as people are used to; beyond it the
#: direction is taken that suits a screen better.
WIDE_ENOUGH = 12.0
USUAL_RATIO = 1.6

EDGE_SIZE = 8.0
KEY_SIZE = 8.0
NOTE_SIZE = 7.5
LARGEST_SCALE = 1.4

#: In inches; files of pixels end not far above.
LARGEST_FIGURE = 200.0

#: How far from its parent an edge bends, in inches.
BEND = 0.36
WIDEST_LABEL = 1.7


class Plan(NamedTuple):
    """What is drawn: nodes by their places in the model, and how they hang together."""

    nodes: list[int]
    children: list[list[int]]
    hidden_leaves: list[int]  #: below each node that is drawn


def tree(
    tree: Tree,
    *,
    ax: Any = None,
    max_depth: int | None = None,
    orientation: str = "auto",
    decimals: int | None = None,
    legend: bool = True,
) -> Any:
    """Draws a tree.

    Inner nodes show the feature that they split on, leaves what they predict. The bar of a node has
    the shares of the classes; in a tree that predicts numbers it shows how far the answer is from
    the least to the largest. Edges are as wide as the weight of the rows that pass them, and say
    exactly what the model asks: a value equal to a threshold goes where the sign says.

    Parameters
    ----------
    tree : Tree
        The tree.
    ax : matplotlib.axes.Axes, optional
        Where to draw; letters are made as small as its size demands. By default a new figure that
        is as large as the tree needs.
    max_depth : int, optional
        How deep to draw. By default all of a tree of up to 60 leaves is drawn, and as many whole
        levels of a larger one as have no more. The picture says what is left out.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the tree grows to; by default where it has more room.
    decimals : int, optional
        Digits behind the point; by default at least four significant digits, and as many as tell
        thresholds apart.
    legend : bool, default=True
        Whether to explain the colours of the classes.

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
    >>> ax = OptimalTreeClassifier(max_depth=2).fit(X, y).plot()
    >>> ax.get_title(loc="left")
    'target: 6 leaves, depth 2'
    >>> matplotlib.pyplot.close(ax.figure)
    """
    if orientation not in ("auto", "down", "right"):
        raise ValueError(f"orientation: got {orientation!r}, expected 'auto', 'down' or 'right'")
    for name, number in (("max_depth", max_depth), ("decimals", decimals)):
        if number is not None and (isinstance(number, bool) or int(number) != number or number < 0):
            raise ValueError(f"{name}: got {number!r}, expected a whole number of at least 0")
    plt = pyplot()
    plan = _plan(tree, max_depth)
    drawing = _Drawing(tree, plan, orientation, decimals)
    if orientation == "auto":
        room = None if ax is None else ax.get_window_extent()
        drawing.turn_to_fit(None if room is None else room.width / room.height)
    return drawing.draw(plt, ax, legend)


def _plan(tree: Tree, max_depth: int | None) -> Plan:
    """The nodes that are drawn."""
    nodes = tree.nodes
    children = [node.get("children", []) for node in nodes]
    depths = _layout.depths(children)
    leaves_below = [0 if below else 1 for below in children]
    for node in range(len(nodes) - 1, -1, -1):
        leaves_below[node] += sum(leaves_below[child] for child in children[node])
    if max_depth is None:
        max_depth = max(depths)
        if leaves_below[0] > MOST_LEAVES:
            ends = [
                sum(
                    d == depth or d < depth and not below
                    for d, below in zip(depths, children, strict=True)
                )
                for depth in range(max_depth + 1)
            ]
            # At least the root is asked, however many children it has.
            max_depth = max(
                [depth for depth, n in enumerate(ends) if n <= MOST_LEAVES and depth], default=1
            )
    kept = [node for node, depth in enumerate(depths) if depth <= max_depth]
    places = {node: place for place, node in enumerate(kept)}
    return Plan(
        kept,
        [[places[child] for child in children[node] if child in places] for node in kept],
        [
            leaves_below[node] if depths[node] == max_depth and children[node] else 0
            for node in kept
        ],
    )


class _Drawing:
    """Measures all texts first, because they decide how much room is needed.

    All lengths are inches.
    """

    def __init__(self, tree: Tree, plan: Plan, orientation: str, decimals: int | None):
        self.tree = tree
        self.plan = plan
        self.depths = _layout.depths(plan.children)
        self.looks = _box.Looks(tree, decimals)
        self.contents = [
            self.looks.content(node, is_end=not below, hidden_leaves=hidden)
            for node, below, hidden in zip(
                plan.nodes, plan.children, plan.hidden_leaves, strict=True
            )
        ]
        self.labels = self._edge_labels(decimals)
        self.across = _layout.tidy(plan.children)
        self.turn(orientation != "right")

    def turn(self, down: bool) -> _Drawing:
        """Lets the tree grow downwards or to the right."""
        self.down = down
        self.box = _box.measure(self.contents, compact=not down)
        self._place(self.across)
        return self

    def turn_to_fit(self, ratio: float | None) -> None:
        """Lets the tree grow to where it can be largest, given a ratio of width to height."""
        if ratio is None:
            if self.turn(True).width <= WIDE_ENOUGH:
                return
            ratio = USUAL_RATIO
        sizes = {}
        for down in (True, False):
            self.turn(down)
            sizes[down] = max(self.width / ratio, self.height + 1.0)
        self.turn(sizes[True] <= sizes[False])

    def _edge_labels(self, decimals: int | None) -> list[str]:
        """For each node what is asked of a row that comes to it."""
        labels = [""] * len(self.plan.nodes)
        cuts: dict[int, list[float]] = {}
        for node in self.tree.nodes:
            if "split" in node and node["split"]["kind"] == "intervals":
                cuts.setdefault(node["split"]["feature"], []).extend(node["split"]["cuts"])
        writers = {
            feature: _words.number_format(numbers, decimals) for feature, numbers in cuts.items()
        }
        features = self.tree._model.features
        for place, below in zip(self.plan.nodes, self.plan.children, strict=True):
            if not below:
                continue
            node = self.tree.nodes[place]
            feature = node["split"]["feature"]
            texts = _words.outcomes(
                node, features[feature][1], writers.get(feature, str), _fitting_names
            )
            for child, text in zip(below, texts, strict=True):
                labels[child] = shortened(text, WIDEST_LABEL, EDGE_SIZE)
        return labels

    def _place(self, across: list[float]) -> None:
        """The middles of the boxes; the root is at the top, or at the left."""
        box = self.box
        widths = [0.0] * (max(self.depths) + 1)
        for depth, label in zip(self.depths, self.labels, strict=True):
            widths[depth] = max(widths[depth], width_of(label, EDGE_SIZE))
        if self.down:
            # A label above a box may be wider than the box.
            room = max(box.width, max(widths))
            self.xs = [place * (room + 0.18) + room / 2 for place in across]
            self.ys = [-depth * (box.height + 0.75) - box.height / 2 for depth in self.depths]
        else:
            room = box.width
            lefts = [0.0]
            for width in widths[1:]:
                lefts.append(lefts[-1] + box.width + width + 0.52)
            self.xs = [lefts[depth] + box.width / 2 for depth in self.depths]
            self.ys = [-place * (box.height + 0.14) - box.height / 2 for place in across]
        self.width = max(self.xs) + room / 2
        self.height = -min(self.ys) + box.height / 2

    def draw(self, plt: Any, ax: Any, legend: bool) -> Any:
        """Draws all of it, each text as large as the room allows."""
        margin = 0.15
        legend_rows = _legend_rows(self.looks.legend_keys() if legend else [], max(self.width, 4.0))
        notes = self._notes()
        head = 0.1 + 0.24 * len(legend_rows) + (0.1 if legend_rows else 0.0)
        foot = 0.12 + 0.18 * len(notes)
        texts = [width_of(note, NOTE_SIZE) for note in notes]
        width = max(self.width, 3.0, *texts, *(row[-1].end for row in legend_rows)) + 2 * margin
        height = self.height + head + foot
        if ax is None:
            title_height = 0.4
            scale = min(1.0, LARGEST_FIGURE / max(width, height + title_height))
            size = (width * scale, (height + title_height) * scale)
            figure = plt.figure(figsize=size, facecolor="white")
            ax = figure.add_axes((0.0, 0.0, 1.0, height / (height + title_height)))
        else:
            room = ax.get_window_extent()
            dpi = ax.figure.dpi
            scale = min(room.width / dpi / width, room.height / dpi / height, LARGEST_SCALE)
        left = (self.width - width) / 2
        ax.set_xlim(left, left + width)
        ax.set_ylim(-self.height - foot, head)
        ax.set_aspect("equal")
        ax.set_axis_off()
        title = literal(ax.set_title(self._title(), loc="left", fontsize=11 * scale, color=INK))
        # The title begins where all the other texts begin.
        title.set_x(margin / width)
        self._draw_legend(ax, legend_rows, left + margin, head - 0.2, scale)
        self._draw_edges(ax, scale)
        for content, x, y in zip(self.contents, self.xs, self.ys, strict=True):
            _box.draw(ax, content, self.box, x, y, scale)
        for line, note in enumerate(notes):
            y = -self.height - 0.18 - 0.18 * line
            put(ax, left + margin, y, note, NOTE_SIZE * scale, color=FAINT_INK)
        return ax

    def _title(self) -> str:
        leaves, depth = self.tree.n_leaves, self.tree.depth
        name = shortened(one_line(self.tree._model.target), 2.0, 11.0)
        return f"{name}: {leaves} {'leaf' if leaves == 1 else 'leaves'}, depth {depth}"

    def _notes(self) -> list[str]:
        """What the picture does not show, and where missing values go."""
        notes = []
        n_hidden = sum(self.plan.hidden_leaves)
        if n_hidden:
            depth = max(self.depths)
            notes.append(
                f"Drawn down to depth {depth} of {self.tree.depth}; "
                f"{n_hidden} of {self.tree.n_leaves} leaves are below dashed boxes."
            )
        ways = [
            self.tree.nodes[node]["missing"]
            for node, below in zip(self.plan.nodes, self.plan.children, strict=True)
            if below
        ]
        starred = any(label.endswith(" *") for label in self.labels)
        if starred:
            notes.append("* missing values go here, too")
        if "distribute" in ways:
            where = "" if all(way == "distribute" for way in ways) else "elsewhere "
            notes.append(f"missing values {where}go to all children, in shares")
        return notes

    def _draw_legend(
        self, ax: Any, rows: list[list[_Key]], left: float, top: float, scale: float
    ) -> None:
        from matplotlib.patches import Rectangle

        for line, row in enumerate(rows):
            y = top - 0.24 * line
            for key in row:
                ax.add_artist(
                    Rectangle(
                        (left + key.begin, y - 0.055),
                        0.15,
                        0.11,
                        facecolor=key.look.color,
                        hatch=key.look.hatch or None,
                        edgecolor="white",
                        linewidth=0,
                        gid="key",
                    )
                )
                put(ax, left + key.begin + 0.21, y, key.name, KEY_SIZE * scale)

    def _draw_edges(self, ax: Any, scale: float) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        box = self.box
        for parent, below in enumerate(self.plan.children):
            for child in below:
                # Edges leave a parent in a bend and reach a child straight, where the label is.
                if self.down:
                    x, y = self.xs[parent], self.ys[parent] - box.height / 2
                    end_x, end_y = self.xs[child], self.ys[child] + box.height / 2
                    bend = y - BEND
                    points = [(x, y), (x, bend), (end_x, y), (end_x, bend), (end_x, end_y)]
                else:
                    x, y = self.xs[parent] + box.width / 2, self.ys[parent]
                    end_x, end_y = self.xs[child] - box.width / 2, self.ys[child]
                    bend = x + BEND
                    points = [(x, y), (bend, y), (x, end_y), (bend, end_y), (end_x, end_y)]
                codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
                width = 0.7 + 6.0 * self.looks.share(self.plan.nodes[child])
                ax.add_artist(
                    PathPatch(
                        Path(points, codes),
                        fill=False,
                        edgecolor=LINE,
                        linewidth=width * scale,
                        capstyle="butt",
                        zorder=1,
                        gid="edge",
                    )
                )
                label, size = self.labels[child], EDGE_SIZE * scale
                if self.down:
                    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.0 * scale}
                    put(ax, end_x, end_y + 0.18, label, size, "center", zorder=2, bbox=paper)
                else:
                    y = end_y + 0.04 + width / 144
                    put(ax, end_x - 0.08, y, label, size, "right", va="baseline", zorder=2)


class _Key(NamedTuple):
    """An entry of the legend, from where to where."""

    begin: float
    end: float
    name: str
    look: Look


def _legend_rows(keys: list[tuple[str, Look]], width: float) -> list[list[_Key]]:
    """The legend in as many rows as it needs."""
    rows: list[list[_Key]] = []
    end = width
    for name, look in keys:
        length = 0.21 + width_of(name, KEY_SIZE)
        begin = end + 0.22
        if begin + length > width:
            begin = 0.0
            rows.append([])
        end = begin + length
        rows[-1].append(_Key(begin, end, name, look))
    return rows


def _fitting_names(names: list[str]) -> str:
    """As many names as fit, and how many there are besides."""
    for kept in range(len(names), 1, -1):
        more = [f"+{len(names) - kept}"] if kept < len(names) else []
        text = ", ".join([*names[:kept], *more])
        if width_of(text, EDGE_SIZE) <= WIDEST_LABEL - 0.15:
            return text
    if not names:
        return ""
    first = shortened(names[0], WIDEST_LABEL - 0.4, EDGE_SIZE)
    return first if len(names) == 1 else f"{first}, +{len(names) - 1}"
