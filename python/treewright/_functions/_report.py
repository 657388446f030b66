"""What `explore` found."""

from __future__ import annotations

import html
import json
import os
from functools import cached_property
from typing import Any

import numpy as np

from .. import _native
from .._tree import write_text
from ._model_files import estimator_of


class Report:
    """What :func:`explore` found.

    ``answer`` says which tree is good enough, and ``best_`` is that tree as a fitted estimator.
    ``trees`` has the figures of all trees, ``families`` those of each family, and ``data``
    everything. In a notebook it shows itself; it can be pickled.
    """

    def __init__(
        self,
        report: _native.Report,
        labels: np.ndarray | None = None,
        changes: list[str] | None = None,
    ):
        self._report: _native.Report | None = report
        self._labels = labels
        self._texts: dict[str, str] = {}
        self._models: dict[tuple[int, int], str] = {}
        #: What was read differently from the table, a sentence each.
        self.changes: list[str] = changes or []

    def __repr__(self) -> str:
        return f"Report({self.answer!r})"

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        style = "width: 100%; height: 900px; border: 0"
        allowed = "allow-scripts allow-downloads"
        return f'<iframe sandbox="{allowed}" style="{style}" srcdoc="{page}"></iframe>'

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_texts"] = {
            "answer": self.answer,
            "json": self.to_json(),
            "html": self.to_html(),
            "html without rows": self.to_html(rows=False),
        }
        models = dict(self._models)
        if self._report is not None and "choice" in self.data:
            start = self.data["start"]
            best = (start["family"], start["member"])
            # With rows kept aside each of them would have to be learned again.
            places = [best] if self._has_holdout else self._places
            for place in places:
                if place not in models:
                    models[place] = self._report.model(*place).to_json()
        state["_models"] = models
        state["_report"] = None
        for name in ("data", "best_", "trees"):
            state.pop(name, None)
        return state

    @property
    def answer(self) -> str:
        """Which small tree is enough, how it does on unseen rows, and what is proven about it."""
        return self._texts["answer"] if self._report is None else self._report.answer

    @property
    def good_enough(self) -> dict[str, Any]:
        """The tree of the answer: the title of its ``family``, and its figures as ``data`` has
        them, such as ``leaves`` and ``cv_error``."""
        start = self.data["start"]
        family = self.data["families"][start["family"]]
        return {"family": family["title"], **family["members"][start["member"]]}

    @cached_property
    def best_(self) -> Any:
        """The tree of the answer, as a fitted estimator. If rows were kept aside, it was learned
        again from all of them."""
        start = self.data["start"]
        return self._estimator(start["family"], start["member"])

    @cached_property
    def trees(self) -> list[dict[str, Any]]:
        """The figures of all trees that are shown, family by family, from the smallest to the
        largest: a list of dicts, for a frame of pandas. See :meth:`estimator`."""
        start = self.data["start"]
        found = []
        for at, family in enumerate(self.data["families"]):
            for place, member in enumerate(family["members"]):
                figures = {name: member[name] for name in _FIGURES}
                is_best = (at, place) == (start["family"], start["member"])
                found.append({"family": family["title"], **figures, "best": is_best})
        return found

    @property
    def families(self) -> list[dict[str, Any]]:
        """A dict for each family: its ``title``, the figures of its tree to name first, which of
        ``trees`` that is (``tree``), and whether another family is at least as good
        (``dominated``)."""
        found, first = [], 0
        for family in self.data["families"]:
            members = family["members"]
            place = family["shown"]
            if place is not None:
                figures = {name: members[place][name] for name in _FIGURES}
                found.append(
                    {
                        "title": family["title"],
                        **figures,
                        "dominated": family["dominated"],
                        "tree": first + place,
                    }
                )
            first += len(members)
        return found

    def estimator(self, i: int) -> Any:
        """Tree ``i`` of ``trees`` as a fitted estimator."""
        if not -len(self.trees) <= i < len(self.trees):
            raise IndexError(f"i: got {i}, expected a place among {len(self.trees)} trees")
        return self._estimator(*self._places[i])

    @property
    def _places(self) -> list[tuple[int, int]]:
        families = enumerate(self.data["families"])
        return [(at, place) for at, family in families for place in range(len(family["members"]))]

    @property
    def _has_holdout(self) -> bool:
        return (self.data.get("choice") or {}).get("holdout") is not None

    def _estimator(self, family: int, member: int) -> Any:
        if self._report is not None:
            model = self._report.model(family, member)
        elif (family, member) in self._models:
            model = _native.Model(self._models[family, member])
        else:
            raise ValueError("a report that was pickled has only the tree of its answer")
        return estimator_of(model, self._labels)

    @cached_property
    def data(self) -> dict[str, Any]:
        """All figures and trees, as ``treewright explore --json`` has them."""
        data: dict[str, Any] = json.loads(self.to_json())
        return data

    def to_json(self) -> str:
        """The same as one JSON document."""
        return self._texts["json"] if self._report is None else self._report.to_json()

    def to_html(self, *, rows: bool = True) -> str:
        """The page: one file that loads nothing.

        It holds up to 1000 rows of the table, unless ``rows`` is false.
        """
        if self._report is not None:
            return self._report.to_html(bool(rows))
        return self._texts["html" if rows else "html without rows"]

    def save(self, path: str | os.PathLike[str], *, rows: bool = True) -> None:
        """Writes the page to a file."""
        write_text(path, self.to_html(rows=rows))


#: What is told of each tree.
_FIGURES = ("leaves", "depth", "cost", "cv_error", "cv_se", "optimal", "gap")
