"""A family as a picture: what leaves buy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .._learner import is_pruned_by_impurity
from ._style import FAINT_INK, INK, LINE, PALETTE, bare, new_axes, pyplot

if TYPE_CHECKING:
    from .._family import Family

#: If the largest tree has this many times the leaves of the smallest, small ones need more room.
LOG_FROM = 20

TRAINING, LEFT_OUT, CHOICE = PALETTE[0], PALETTE[5], PALETTE[2]


def family(family: Family, *, ax: Any = None, log: bool | None = None, legend: bool = True) -> Any:
    """Draws the cost of the members of a family against their leaves.

    After cross-validation also the error on held-out rows, with its standard error, and the two
    members that it recommends: the one of least error, and the smallest one within a standard
    error of that.

    Parameters
    ----------
    family : Family
        The family.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    log : bool, optional
        Whether leaves are on a logarithmic axis; by default if the largest tree has at least 20
        times the leaves of the smallest.
    legend : bool, default=True
        Whether to explain the lines.

    Returns
    -------
    ax : matplotlib.axes.Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from treewright import pruning_family
    >>> ax = pruning_family(*load_iris(return_X_y=True), cv=5).plot()
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('leaves', 'error rate')
    >>> matplotlib.pyplot.close(ax.figure)
    """
    pyplot()
    if ax is None:
        ax = new_axes(7.0, 4.2)
    members = family.members
    leaves = [member["leaves"] for member in members]
    costs = [member["cost"] for member in members]
    # With many members, marks would hide each other.
    mark = {"marker": "o", "markersize": 4.5 if len(members) <= 40 else 2.5}
    ax.plot(leaves, costs, color=TRAINING, linewidth=1.6, label="training rows", zorder=3, **mark)
    known = [member for member in members if member.get("cv_error") is not None]
    if known:
        ax.errorbar(
            [member["leaves"] for member in known],
            [member["cv_error"] for member in known],
            yerr=[member["cv_se"] or 0.0 for member in known],
            color=LEFT_OUT,
            ecolor=LEFT_OUT,
            elinewidth=0.8,
            capsize=2.5,
            linewidth=1.6,
            label="rows left out, with standard error",
            zorder=4,
            **mark,
        )
    if family.chosen is not None:
        _mark_choices(ax, members, family.chosen)
    if log is None:
        log = leaves[-1] >= LOG_FROM * leaves[0]
    _leaf_axis(ax, leaves, log)
    ax.set_ylim(bottom=min(0.0, *costs))
    what, what_left_out = _what_costs(family)
    if known and what != what_left_out:
        what = f"{what} (training), {what_left_out} (left out)"
    ax.set_ylabel(what, color=INK)
    if max(costs) >= 1000:
        ax.yaxis.set_major_formatter(lambda number, _: f"{number:,.10g}")
    ax.grid(axis="y", color=LINE, linewidth=0.5, alpha=0.6)
    ax.set_axisbelow(True)
    bare(ax)
    if legend and (known or family.chosen is not None):
        handles, labels = ax.get_legend_handles_labels()
        # First the lines, then the choices on them.
        order = sorted(range(len(labels)), key=lambda place: ":" in labels[place])
        ax.legend(
            [handles[place] for place in order],
            [labels[place] for place in order],
            frameon=False,
            fontsize=9,
            labelcolor=INK,
        )
    return ax


def _mark_choices(ax: Any, members: list[dict[str, Any]], chosen: dict[str, int]) -> None:
    least, small = members[chosen["min"]], members[chosen["1se"]]
    bound = least["cv_error"] + (least["cv_se"] or 0.0)
    ax.axhline(bound, color=FAINT_INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
    for member, marker, name, size in (
        (least, "o", "minimum", 11),
        (small, "D", "1-SE choice", 9),
    ):
        n_leaves = member["leaves"]
        ax.plot(
            [n_leaves],
            [member["cv_error"]],
            linestyle="none",
            marker=marker,
            markersize=size,
            markerfacecolor="none",
            markeredgecolor=CHOICE if marker == "D" else INK,
            markeredgewidth=1.6,
            label=f"{name}: {n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}",
            zorder=5,
        )


def _leaf_axis(ax: Any, leaves: list[int], log: bool) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter, NullLocator

    ax.set_xlabel("leaves", color=INK)
    if not log:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return
    ax.set_xscale("log")
    ticks = [
        step * 10**power
        for power in range(len(str(leaves[-1])) + 1)
        for step in (1, 2, 5)
        if leaves[0] <= step * 10**power <= leaves[-1]
    ]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    # Powers of ten hide how few leaves there are.
    ax.xaxis.set_major_formatter(lambda number, _: f"{number:,.0f}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())


def _what_costs(family: Family) -> tuple[str, str]:
    """What the costs are on training rows, and on held-out rows."""
    document = json.loads(family.to_json())
    if document["task"] == "regression":
        return "mean squared error", "mean squared error"
    error = "cost per row" if document["target"].get("costs") else "error rate"
    # Impurity is for pruning; what counts on held-out rows are wrong answers.
    return ("impurity" if is_pruned_by_impurity(family.learner) else error), error
