"""What all pictures have in common: colours, and text that says what it was given."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from functools import lru_cache
from typing import Any, NamedTuple

#: The colours of Okabe and Ito, which people with colour blindness can tell apart, too; grey
#: instead of black, which is for text.
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#999999",
)

#: After each round through the palette the next one of these tells classes apart.
HATCHES = ("", "/////", "xxxxx", ".....", "|||||", "-----")

INK = "#222222"
FAINT_INK = "#666666"
LINE = "#C4C8CC"
ELLIPSIS = "\u2026"


class Look(NamedTuple):
    """How a class is filled."""

    color: str
    hatch: str


def pyplot() -> Any:
    """matplotlib's pyplot, or word of how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: install treewright[plot], or matplotlib itself"
        ) from error
    return plt


def new_axes(width: float, height: float) -> Any:
    """Axes in a figure of their own, white whatever the style, because ink is dark."""
    _, ax = pyplot().subplots(figsize=(width, height), layout="constrained", facecolor="white")
    ax.set_facecolor("white")
    return ax


def class_look(place: int) -> Look:
    """Colour and hatch of the class at a place; the same in all pictures of a model."""
    rounds, place = divmod(place, len(PALETTE))
    return Look(PALETTE[place], HATCHES[rounds % len(HATCHES)])


def tint(color: Any, strength: float) -> tuple[float, float, float]:
    """The colour on white paper, as strong as a share between 0 and 1."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1.0 - strength * (1.0 - part) for part in to_rgb(color))
    return red, green, blue


def one_line(text: object) -> str:
    """The text without line breaks and other characters that no font has."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())


def literal(artist: Any) -> Any:
    """Takes the text of an artist as it is: a dollar sign does not begin a formula."""
    artist.set_parse_math(False)
    artist.set_usetex(False)
    return artist


def width_of(text: str, size: float, bold: bool = False) -> float:
    """The width of a line of text in inches."""
    from matplotlib import rcParams

    fonts = (*rcParams["font.family"], *rcParams["font.sans-serif"])
    return _width_in(fonts, text, size, bold)


@lru_cache(maxsize=4096)
def _width_in(fonts: tuple[str, ...], text: str, size: float, bold: bool) -> float:
    """The same for the fonts of the settings, which are named only to be told apart."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    # The measure of a text with a dollar sign would be that of a formula.
    plain = text.replace("$", "S")
    with warnings.catch_warnings():
        # Letters that the font lacks are complained about when they are drawn; once is enough.
        warnings.simplefilter("ignore")
        width = text_to_path.get_text_width_height_descent(plain, font, ismath=False)[0]
    # On a screen, letters are fitted to pixels and so become a little wider.
    return 1.05 * width / 72.0


def shortened(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text, or as much of its beginning and end as fits into a width in inches."""
    if len(text) > 120:
        text = text[:80] + ELLIPSIS + text[-40:]
    if width_of(text, size, bold) <= width:
        return text

    def short(kept: int) -> str:
        # Names that begin in the same way often differ at their ends, so both are kept.
        tail = kept // 3
        return text[: kept - tail].rstrip() + ELLIPSIS + text[len(text) - tail :].lstrip()

    fitting = bisect_left(
        range(2, len(text)), True, key=lambda kept: width_of(short(kept), size, bold) > width
    )
    return short(fitting + 1)


def put(
    ax: Any, x: float, y: float, text: str, size: float, side: str = "left", **more: Any
) -> Any:
    """Writes a line of text; ``side`` is the side of it that is at x."""
    more = {"color": INK, "va": "center_baseline", "zorder": 6, **more}
    return literal(ax.text(x, y, text, fontsize=size, ha=side, **more))


def bare(ax: Any) -> None:
    """Takes away what distracts: frames that say nothing."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(colors=FAINT_INK, labelcolor=INK)
