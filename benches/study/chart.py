"""The chart of the study: mean error on unseen rows against leaves, a dot for each program."""

import math

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 34, 52
NAMES = {"explore": "treewright explore", "greedy": "treewright fit greedy"}
STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .small { font-size: 12px; fill: #57606a }
    .line { stroke: #d0d7de }
    .peer { fill: #8c959f }
    .own { fill: #1a7f37 }
    .bold { font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .small { fill: #9198a1 }
      .line { stroke: #3d444d }
      .own { fill: #3fb950 }
    }"""


def draw(points):
    """An SVG of `{program: (leaves, error in per cent)}`; better is lower and further left."""
    points = {name: at for name, at in points.items() if all(map(math.isfinite, at))}
    if not points:
        raise ValueError("points: got none, expected at least one program with results")
    sizes, errors = zip(*points.values(), strict=True)
    # Powers of two around all leaves, whole or half points around all errors.
    low, high = math.floor(math.log2(min(sizes))), math.ceil(math.log2(max(sizes) * 1.05))
    step = 0.5 if max(errors) - min(errors) < 3 else 1.0
    least = math.floor(min(errors) / step - 0.2) * step
    most = math.ceil(max(errors) / step + 0.2) * step
    high = max(high, low + 1)

    def x(n_leaves):
        return LEFT + (math.log2(n_leaves) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(error):
        return HEIGHT - BOTTOM - (error - least) / (most - least) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
        f' height="{HEIGHT}" role="img" aria-label="{label(points)}">',
        f"<style>{STYLE}\n  </style>",
    ]
    for power in range(low, high + 1):
        at = x(2**power)
        parts.append(line(at, TOP, at, HEIGHT - BOTTOM))
        parts.append(text(at, HEIGHT - BOTTOM + 18, f"{2**power:g}", "small", "middle"))
    for number in range(round((most - least) / step) + 1):
        at = y(least + number * step)
        parts.append(line(LEFT, at, WIDTH - RIGHT, at))
        parts.append(text(LEFT - 8, at + 4, f"{least + number * step:g} %", "small", "end"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(text(middle, HEIGHT - 12, "leaves (geometric mean)", "small", "middle"))
    parts.append(text(8, 18, "error on unseen rows (mean)", "small", "start"))
    for name, (n_leaves, error) in points.items():
        is_own = name in NAMES
        at = x(n_leaves), y(error)
        parts.append(
            f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="6" class="{"own" if is_own else "peer"}"/>'
        )
        # Names stay inside of the picture.
        is_right = at[0] < WIDTH * 0.66
        side, anchor = (12, "start") if is_right else (-12, "end")
        kind = "bold" if is_own else ""
        parts.append(text(at[0] + side, at[1] + 4, NAMES.get(name, name), kind, anchor))
    return "\n  ".join(parts) + "\n</svg>\n"


def label(points):
    """What the picture shows, for those who cannot see it."""
    said = [
        f"{NAMES.get(name, name)}: {size:.1f} leaves, {error:.1f} % wrong"
        for name, (size, error) in points.items()
    ]
    return "; ".join(said)


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="line"/>'


def text(x, y, words, kind, anchor):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind} text-anchor="{anchor}">{words}</text>'
