"""The best trees for all weights of a penalty."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterator
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from . import _native, _table
from ._learner import learner_of
from ._tree import Tree, label_kind, write_text


class Family:
    """A family: trees from the smallest to the largest, each the best for an interval of the
    penalty weight.

    A sequence of :class:`Tree`, with figures for each in ``members``.

    >>> from sklearn.datasets import load_iris
    >>> from treewright import pruning_family
    >>> family = pruning_family(*load_iris(return_X_y=True))
    >>> len(family), [member["leaves"] for member in family.members]
    (6, [1, 2, 3, 4, 7, 9])
    >>> family[2]
    Tree(n_leaves=3, depth=2)
    >>> family.at(0.1)
    Tree(n_leaves=3, depth=2)
    """

    def __init__(self, family: _native.Family, labels: np.ndarray | None = None):
        self._family = family
        self._labels = labels

    def __repr__(self) -> str:
        leaves = [member["leaves"] for member in self.members]
        return f"Family({len(self)} members with {leaves[0]} to {leaves[-1]} leaves)"

    def __len__(self) -> int:
        return len(self._family)

    def __getitem__(self, place: int) -> Tree:
        place = operator.index(place)
        if not -len(self) <= place < len(self):
            raise IndexError(f"member {place} of {len(self)}")
        return self._tree(place % len(self))

    def __iter__(self) -> Iterator[Tree]:
        return (self._tree(place) for place in range(len(self)))

    @cached_property
    def members(self) -> list[dict[str, Any]]:
        """For each member leaves, cost, errors, lambda_low, lambda_high and, if known, cv_error
        and cv_se."""
        return self._family.members()

    @property
    def penalty(self) -> str:
        """The penalty on the number of leaves."""
        return self._family.penalty

    @property
    def chosen(self) -> dict[str, int] | None:
        """The places of the members with the least error on held-out rows (``min``), and of the
        smallest within one standard error of it
        (``1se``); ``None`` without cross-validation."""
        chosen = self._family.chosen
        return None if chosen is None else {"min": chosen[0], "1se": chosen[1]}

    @property
    def certificate(self) -> dict[str, Any]:
        """Were all comparisons exact, and from which weight on is the family complete?"""
        return {"exact": self._family.exact, "exact_down_to": self._family.exact_down_to}

    @property
    def learner(self) -> dict[str, Any]:
        """Name and parameters of what learned the trees."""
        return learner_of(self._family)

    @property
    def search(self) -> dict[str, Any] | None:
        """What the search took, where there was one."""
        work = self._family.work
        return None if work is None else {**json.loads(work), "seconds": self._family.seconds}

    def at(self, weight: float | str) -> Tree:
        """The tree that is best for a weight of the penalty; a text such as ``"1/300"`` is taken
        exactly."""
        weight = number_text(weight)
        return self._tree(self._family.at(weight), weight=weight)

    def with_leaves(self, most_leaves: int) -> Tree:
        """The largest tree with at most this many leaves."""
        place = None if most_leaves < 1 else self._family.with_leaves(min(most_leaves, 2**62))
        if place is None:
            smallest = self.members[0]["leaves"]
            raise ValueError(f"most_leaves: got {most_leaves}, expected at least {smallest}")
        return self._tree(place)

    def select(self, rule: str = "1se") -> Tree:
        """The tree that does best on held-out rows (``"cv"``), or the smallest within one standard
        error of it."""
        chosen = self.chosen
        if chosen is None:
            raise ValueError("the family is not cross-validated: make it with cv=10")
        places = {
            "cv": chosen["min"],
            "min": chosen["min"],
            "holdout": chosen["min"],
            "1se": chosen["1se"],
        }
        if rule not in places:
            raise ValueError(f"rule: got {rule!r}, expected 'cv' or '1se'")
        return self._tree(places[rule], rule="cv" if rule == "min" else rule)

    def to_json(self) -> str:
        """The text of a family file, which the program ``treewright`` reads, too."""
        kind = "" if self._labels is None else label_kind(self._labels)
        return (self._family.with_note("labels", kind) if kind else self._family).to_json()

    def to_frame(self) -> Any:
        """The members as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.members)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a family file."""
        write_text(path, self.to_json() + "\n")

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None) -> None:
        """Writes a page for a browser that shows all trees; with ``X`` and ``y`` also what they do
        to these rows."""
        first = self[0]
        table = None if X is None else _table.to_judge(X, y, first._model, first.classes)
        write_text(path, self._family.report(Path(path).stem, table).to_html())

    def plot(self, *, ax: Any = None, log: bool | None = None, legend: bool = True) -> Any:
        """Draws cost and error on held-out rows against leaves; see
        :func:`treewright._plot.family`."""
        from . import _plot

        return _plot.family(self, ax=ax, log=log, legend=legend)

    def _tree(self, place: int, rule: str | None = None, weight: str | None = None) -> Tree:
        return Tree(self._family.model(place, rule, weight), self._labels)


def number_text(number: float | str, name: str = "weight") -> str:
    """A number as it is written, so that it is taken exactly."""
    if isinstance(number, str):
        return number
    if not isinstance(number, Real) or isinstance(number, bool):
        raise ValueError(f"{name}: got {number!r}, expected a number, or a text such as '1/300'")
    return repr(float(number))
