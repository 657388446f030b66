"""What the two greedy estimators have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from .. import _native
from .._arguments import flag, greedy_params, real, selection, take, whole, word
from .._family import Family, number_text
from ._proving import Proving


class Greedy(Proving):
    """What greedy trees have in common."""

    def _pruning(self) -> dict[str, Any]:
        is_pruned = _is_weight(self.ccp_alpha)
        leaves = self.max_leaf_nodes
        return {
            "pruning_cost": word("pruning_cost", getattr(self, "pruning_cost", "mse")),
            "penalty": word("penalty", self.penalty),
            "ccp_alpha": number_text(self.ccp_alpha, "ccp_alpha") if is_pruned else None,
            "max_leaf_nodes": None if leaves is None else whole("max_leaf_nodes", leaves, 1),
            "selection": selection(self),
            "proof": flag("proof", self.proof),
        }

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        table = self._learning_table(X, y, sample_weight)
        params, pruning = greedy_params(self, table.n_rows), self._pruning()
        wanted = [name for name in ("ccp_alpha", "max_leaf_nodes") if pruning[name] is not None]
        wanted += ["select"] if self.select is not None else []
        if len(wanted) > 1:
            raise ValueError(
                f"{wanted[0]} and {wanted[1]} both choose a pruning: leave one of them out"
            )
        if pruning["proof"] and not wanted:
            raise ValueError(
                "proof: nothing is claimed about a tree that is not pruned; give ccp_alpha, "
                "max_leaf_nodes or select"
            )
        self.__dict__.pop("family_", None)
        if wanted in ([], ["max_leaf_nodes"]):
            take(_native.fit_greedy(table, params, pruning, self._limits()), self._keep)
        else:
            take(
                _native.fit_greedy_family(table, params, pruning, self._limits()), self._keep_family
            )

    def _keep_family(self, found: tuple[_native.Family, _native.Model]) -> None:
        family, model = found
        self.family_ = Family(family, getattr(self, "classes_", None))
        self._keep(model)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The weights at which the best pruning changes, as in scikit-learn.

        On the same tree, and with ``pruning_cost="impurity"``, these are the numbers of
        ``DecisionTreeClassifier.cost_complexity_pruning_path``. The last one leaves only the root.

        Returns
        -------
        path : Bunch
            ``ccp_alphas`` rising, and the total ``impurities`` (or costs) of the leaves for each.
        """
        table = self._learning_table(X, y, sample_weight)
        pruning = {
            **self._pruning(),
            "ccp_alpha": None,
            "max_leaf_nodes": None,
            "penalty": "linear",
            "proof": False,
        }
        pruning["selection"] = {**pruning["selection"], "select": None, "cv": None}
        outcome = _native.greedy_family(
            table, greedy_params(self, table.n_rows), pruning, self._limits()
        )
        found: list[_native.Family] = []
        take(outcome, found.append)
        members = found[0].members()[::-1]
        return Bunch(
            ccp_alphas=np.array([member["lambda_low"] for member in members]),
            impurities=np.array([member["cost"] for member in members]),
        )


def _is_weight(ccp_alpha: Any) -> bool:
    """Is there a weight to prune by? As in scikit-learn, 0 does not prune."""
    return (
        isinstance(ccp_alpha, str)
        or ccp_alpha is not None
        and real("ccp_alpha", ccp_alpha, 0.0) > 0.0
    )
