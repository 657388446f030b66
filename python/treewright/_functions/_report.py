"""What `explore` found."""

from __future__ import annotations

import html
import json
import os
from functools import cached_property
from typing import Any

from .. import _native
from .._tree import write_text


class Report:
    """What :func:`explore` found.

    ``answer`` says which tree is good enough, ``good_enough`` has its figures, and ``data`` has all
    figures and trees. In a notebook it shows itself.
    """

    def __init__(self, report: _native.Report):
        self._report = report

    def __repr__(self) -> str:
        return f"Report({self.answer!r})"

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        style = "width: 100%; height: 900px; border: 0"
        allowed = "allow-scripts allow-downloads"
        return f'<iframe sandbox="{allowed}" style="{style}" srcdoc="{page}"></iframe>'

    @property
    def answer(self) -> str:
        """Which small tree is good enough, and what is proven about it."""
        return self._report.answer

    @property
    def good_enough(self) -> dict[str, Any]:
        """The tree of the answer: the title of its ``family``, and its figures as ``data`` has
        them, such as ``leaves`` and ``cv_error``."""
        start = self.data["start"]
        family = self.data["families"][start["family"]]
        return {"family": family["title"], **family["members"][start["member"]]}

    @cached_property
    def data(self) -> dict[str, Any]:
        """All figures and trees, as ``treewright explore --json`` has them."""
        data: dict[str, Any] = json.loads(self._report.to_json())
        return data

    def to_json(self) -> str:
        """The same as one JSON document."""
        return self._report.to_json()

    def to_html(self) -> str:
        """The page: one file that loads nothing."""
        return self._report.to_html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        write_text(path, self.to_html())
