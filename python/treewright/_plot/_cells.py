"""The rectangles into which a tree cuts a plane of two features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .._tree import Tree

Interval = tuple[float, float]


class Cell(NamedTuple):
    """A rectangle in which all rows get the same answer."""

    x: Interval
    y: Interval
    purity: float  #: the largest share of a class
    asked: frozenset[int]  #: features that are not on the axes, but were asked for on the way


class _Piece(NamedTuple):
    """A rectangle on its way down; a row in it may be in several nodes, each with a share."""

    x: Interval
    y: Interval
    nodes: dict[int, float]
    asked: frozenset[int]


def cuts(tree: Tree, feature: int) -> list[float]:
    """All thresholds of a numeric feature."""
    found: set[float] = set()
    for node in tree.nodes:
        split = node.get("split")
        if split is not None and split["feature"] == feature:
            found.update(split["cuts"])
    return sorted(found)


def cells(
    tree: Tree, axes: tuple[int, int], ranges: tuple[Interval, Interval], others: list[Any]
) -> list[Cell]:
    """The cells of a plane.

    Parameters
    ----------
    tree : Tree
        The tree.
    axes : pair of int
        The places of the features of the plane.
    ranges : pair of intervals
        From where to where the plane goes.
    others : list
        The values of the other features, ``None`` where they are missing.

    Examples
    --------
    >>> from treewright import GreedyTreeClassifier
    >>> from treewright._plot._cells import cells
    >>> tree = GreedyTreeClassifier().fit([[0, 0], [2, 1], [2, 3]], ["a", "a", "b"]).tree_
    >>> for cell in cells(tree, (0, 1), ((0.0, 2.0), (0.0, 3.0)), [None, None]):
    ...     print(cell.x, cell.y, cell.purity)
    (0.0, 2.0) (0.0, 2.0) 1.0
    (0.0, 2.0) (2.0, 3.0) 1.0
    """
    done: list[Cell] = []
    open_pieces = [_Piece(ranges[0], ranges[1], {0: 1.0}, frozenset())]
    while open_pieces:
        piece = open_pieces.pop()
        inner = next((node for node in piece.nodes if "split" in tree.nodes[node]), None)
        if inner is None:
            done.append(Cell(piece.x, piece.y, _purity(tree, piece.nodes), piece.asked))
            continue
        feature = tree.nodes[inner]["split"]["feature"]
        if feature in axes:
            # The last piece is taken first; so cells come from left to right, and from below.
            open_pieces.extend(reversed(_cut(tree, piece, inner, feature == axes[0])))
        else:
            asked = piece.asked | {feature}
            shares = _ways(tree, inner, others[feature])
            open_pieces.append(_moved(piece._replace(asked=asked), inner, shares))
    return done


def _moved(piece: _Piece, node: int, shares: dict[int, float]) -> _Piece:
    """The piece with a node replaced by children."""
    nodes = {other: share for other, share in piece.nodes.items() if other != node}
    for child, share in shares.items():
        nodes[child] = nodes.get(child, 0.0) + share * piece.nodes[node]
    return piece._replace(nodes=nodes)


def _cut(tree: Tree, piece: _Piece, node: int, is_x: bool) -> list[_Piece]:
    facts = tree.nodes[node]
    low, high = piece.x if is_x else piece.y
    bounds = [float("-inf"), *facts["split"]["cuts"], float("inf")]
    pieces = []
    for place in range(len(bounds) - 1):
        part = (max(low, bounds[place]), min(high, bounds[place + 1]))
        if part[0] < part[1]:
            smaller = piece._replace(x=part) if is_x else piece._replace(y=part)
            pieces.append(_moved(smaller, node, {facts["children"][place]: 1.0}))
    return pieces


def _ways(tree: Tree, node: int, value: Any) -> dict[int, float]:
    """The children that a row with this value goes to, each with a share."""
    facts = tree.nodes[node]
    split, children = facts["split"], facts["children"]
    branch = None
    if value is not None and split["kind"] == "intervals":
        is_right = split["closed"] == "right"
        branch = sum(value > cut if is_right else value >= cut for cut in split["cuts"])
    elif value is not None:
        categories = tree._model.features[split["feature"]][1]
        assert categories is not None
        branch = split["branches"][categories.index(value)]
    if branch is None:
        branch = facts["missing"]
    if branch != "distribute":
        return {children[branch]: 1.0}
    weights = [_weight(tree, child) for child in children]
    total = sum(weights)
    return {
        child: weight / total if total else 1.0 / len(children)
        for child, weight in zip(children, weights, strict=True)
        if weight or not total
    }


def _weight(tree: Tree, node: int) -> float:
    facts = tree.nodes[node]
    return float(sum(facts["counts"]) if "counts" in facts else facts["weight"])


def _purity(tree: Tree, nodes: dict[int, float]) -> float:
    """The largest share of a class in a mixture of leaves; 1 for numbers."""
    if "counts" not in tree.nodes[0]:
        return 1.0
    mixture = [0.0] * len(tree.nodes[0]["counts"])
    for node, share in nodes.items():
        total = _weight(tree, node)
        for place, count in enumerate(tree.nodes[node]["counts"]):
            mixture[place] += share * count / total if total else 0.0
    return max(mixture)
