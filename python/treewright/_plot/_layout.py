"""Where the nodes of a tree stand: close together, parents in the middle of their children."""

from __future__ import annotations

from collections.abc import Sequence


def tidy(children: Sequence[Sequence[int]]) -> list[float]:
    """Places across the tree, such that nodes of the same depth are at least 1 apart.

    Parameters
    ----------
    children : sequence of sequences of int
        The children of each node; parents come before their children, the root first.

    Returns
    -------
    places : list of float
        The least one is 0.

    Examples
    --------
    >>> from treewright._plot._layout import tidy
    >>> tidy([[1, 2], [], [3, 4], [], []])
    [0.5, 0.0, 1.0, 0.5, 1.5]
    """
    shifts = [0.0] * len(children)  # from the parent
    # For each depth below a node: the least and the largest place, seen from the node.
    outlines: list[list[tuple[float, float]]] = [[] for _ in children]
    for node in range(len(children) - 1, -1, -1):
        merged: list[tuple[float, float]] = []
        offsets: list[float] = []
        for child in children[node]:
            outline = outlines[child]
            offset = max(
                (left[1] - right[0] + 1.0 for left, right in zip(merged, outline, strict=False)),
                default=0.0,
            )
            offsets.append(offset)
            moved = [(low + offset, high + offset) for low, high in outline]
            both = [(old[0], new[1]) for old, new in zip(merged, moved, strict=False)]
            merged = both + merged[len(moved) :] + moved[len(merged) :]
            outlines[child] = []
        middle = (offsets[0] + offsets[-1]) / 2.0 if offsets else 0.0
        for child, offset in zip(children[node], offsets, strict=True):
            shifts[child] = offset - middle
        outlines[node] = [(0.0, 0.0)] + [(low - middle, high - middle) for low, high in merged]
    places = [0.0] * len(children)
    for node, below in enumerate(children):
        for child in below:
            places[child] = places[node] + shifts[child]
    least = min(places)
    return [place - least for place in places]


def depths(children: Sequence[Sequence[int]]) -> list[int]:
    """The number of edges from the root to each node."""
    found = [0] * len(children)
    for node, below in enumerate(children):
        for child in below:
            found[child] = found[node] + 1
    return found
