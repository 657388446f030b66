"""Estimators that can write a proof."""

from __future__ import annotations

import os

from sklearn.utils.validation import check_is_fitted

from .._tree import write_text
from ._tree_base import TreeBase


class Proving(TreeBase):
    """What trees with certificates have in common."""

    def write_proof(self, path: str | os.PathLike[str]) -> None:
        """Writes the proof file of the tree, for ``treewright-check`` and ``treewright verify``:
        what ``--proof`` of the program writes. The fit needs ``proof=True``."""
        check_is_fitted(self)
        if not hasattr(self, "proof_"):
            raise ValueError("there is no proof: fit with proof=True")
        write_text(path, self.proof_)
