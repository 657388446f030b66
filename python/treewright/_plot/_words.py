"""What is written at edges: exactly what the model asks, in few characters."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable
from typing import Any

from ._style import one_line


def number_format(numbers: Iterable[float], decimals: int | None) -> Callable[[float], str]:
    """A way to write numbers that keeps different ones different.

    Parameters
    ----------
    numbers : iterable of float
        All that will be written.
    decimals : int, optional
        Digits behind the point; by default up to six significant digits if that is all of them,
        else four, or as many as it takes.

    Examples
    --------
    >>> from treewright._plot._words import number_format
    >>> write = number_format([0.8, 2.45, 2.4500001], None)
    >>> write(0.8), write(2.45), write(2.4500001)
    ('0.8', '2.45', '2.4500001')
    """
    if decimals is not None:
        return lambda number: f"{number:,.{decimals}f}"
    distinct = sorted(set(numbers))

    def plain(number: float) -> str:
        # Numbers that are short in themselves are written in full.
        digits = 6 if math.isclose(float(f"{number:.6g}"), number, rel_tol=1e-12) else 4
        # Neighbours decide how many digits a number needs, so that others can stay short.
        place = bisect.bisect_left(distinct, number)
        near = [distinct[i] for i in (place - 1, place + 1) if 0 <= i < len(distinct)]
        while digits < 17 and any(f"{number:.{digits}g}" == f"{n:.{digits}g}" for n in near):
            digits += 1
        return _grouped(number, digits)

    return plain


def _grouped(number: float, digits: int) -> str:
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else str(number)
    size = math.floor(math.log10(abs(number)))
    if not -5 <= size < 9:
        return f"{number:.{digits}g}"
    behind = max(0, digits - 1 - size)
    text = f"{number:,.{behind}f}"
    return text.rstrip("0").rstrip(".") if behind else text


def weight_text(weight: float) -> str:
    """A weight of rows: whole numbers as such."""
    if math.isclose(weight, round(weight), abs_tol=1e-9) or weight >= 1000:
        return f"{weight:,.0f}"
    return f"{weight:.3g}" if weight < 10 else f"{weight:.1f}"


def share_text(share: float) -> str:
    """A share in per cent, that is 0 or 100 only if it is exactly so."""
    percent = 100.0 * share
    if 0 < percent < 1:
        return "<1%"
    if 99 < percent < 100:
        return ">99%"
    return f"{percent:.0f}%"


#: Makes one text of the names of categories.
Joiner = Callable[[list[str]], str]


def outcomes(
    node: dict[str, Any],
    categories: list[str] | None,
    write: Callable[[float], str],
    join: Joiner = ", ".join,
) -> list[str]:
    """For each child of an inner node the answer that leads there.

    A star marks the child that takes missing values besides others.

    Examples
    --------
    >>> from treewright._plot._words import outcomes
    >>> split = {"kind": "intervals", "feature": 0, "cuts": [1.5, 4.0], "closed": "left"}
    >>> outcomes({"split": split, "children": [1, 2, 3], "missing": 2}, None, str)
    ['< 1.5', '≥ 1.5, < 4.0', '≥ 4.0 *']
    """
    split = node["split"]
    if split["kind"] == "intervals":
        texts = _intervals(split["cuts"], split["closed"], write)
    else:
        texts = _categories(split["branches"], categories or [], len(node["children"]), join)
    missing = node["missing"]
    if missing != "distribute":
        if missing == len(texts):
            texts.append("")
        texts[missing] = f"{texts[missing]} *" if texts[missing] else "missing"
    return [text or "none" for text in texts]


def _intervals(cuts: list[float], closed: str, write: Callable[[float], str]) -> list[str]:
    if not cuts:
        return ["known"]
    below, above = ("\u2264", ">") if closed == "right" else ("<", "\u2265")
    texts = [f"{below} {write(cuts[0])}"]
    for low, high in zip(cuts, cuts[1:], strict=False):
        texts.append(f"{above} {write(low)}, {below} {write(high)}")
    return [*texts, f"{above} {write(cuts[-1])}"]


def _categories(
    branches: list[int | None], categories: list[str], n_children: int, join: Joiner
) -> list[str]:
    members: list[list[str]] = [[] for _ in range(n_children)]
    for category, branch in zip(categories, branches, strict=True):
        if branch is not None:
            members[branch].append(one_line(category))
    n_filled = sum(map(bool, members))
    if n_filled == 1 and None not in branches:
        # Nothing but missing values can go elsewhere.
        return ["known" if names else "" for names in members]
    return [join(names) for names in members]
