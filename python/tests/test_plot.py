"""Pictures: what is in them is true, and nothing covers anything else."""

from __future__ import annotations

import builtins
import math
from pathlib import Path

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import pandas as pd  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_digits, load_iris  # noqa: E402
from treewright import (  # noqa: E402
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
    dyadic_path,
    load_model,
    pruning_family,
)
from treewright._plot import _layout, _style, _words  # noqa: E402

TABLES = Path(__file__).parents[2] / "testdata" / "tables"


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def table(name: str, target: str) -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.read_csv(TABLES / f"{name}.csv", na_values="?")
    return frame.drop(columns=target), frame[target]


def iris() -> tuple[pd.DataFrame, pd.Series]:
    data = load_iris(as_frame=True)
    return data.data, pd.Series(data.target_names[data.target].astype(str), name="species")


@pytest.fixture(scope="module")
def digits_family():
    return pruning_family(*load_digits(return_X_y=True, as_frame=True))


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def patches(ax, gid: str) -> list:
    return [patch for patch in ax.patches if patch.get_gid() == gid]


def overlaps(extents: list) -> list[tuple[int, int]]:
    boxes = np.array([[box.x0, box.x1, box.y0, box.y1] for box in extents])
    x0, x1, y0, y1 = boxes.T
    slack = 0.5  # of a pixel
    across = (x0[:, None] < x1[None] - slack) & (x0[None] < x1[:, None] - slack)
    along = (y0[:, None] < y1[None] - slack) & (y0[None] < y1[:, None] - slack)
    return [(i, j) for i, j in zip(*np.nonzero(across & along), strict=True) if i < j]


def check_calm(ax) -> None:
    """No node covers another, no text covers another, and all are inside of the picture."""
    renderer = ax.figure.canvas.get_renderer()
    nodes = [patch.get_window_extent(renderer) for patch in patches(ax, "node")]
    words = [text.get_window_extent(renderer) for text in ax.texts if text.get_text()]
    assert overlaps(nodes) == []
    assert [(texts(ax)[i], texts(ax)[j]) for i, j in overlaps(words)] == []
    page = ax.figure.bbox
    for box in nodes + words:
        assert box.x0 >= page.x0 and box.x1 <= page.x1
        assert box.y0 >= page.y0 and box.y1 <= page.y1


# --- trees ---------------------------------------------------------------------------------------


def test_tree_shows_each_node_once():
    tree = OptimalTreeClassifier(max_depth=2).fit(*iris()).tree_
    ax = tree.plot()
    assert ax.get_title(loc="left") == "species: 6 leaves, depth 2"
    assert len(patches(ax, "node")) == tree.n_nodes
    assert len(patches(ax, "edge")) == tree.n_nodes - 1
    assert len(patches(ax, "bar frame")) == tree.n_nodes
    shown = texts(ax)
    assert shown.count("petal width (cm)") == 2
    assert "150 (100%)" in shown and "50 (33%)" in shown
    check_calm(ax)


def test_bars_are_shares_of_the_classes():
    tree = OptimalTreeClassifier(max_depth=2).fit(*iris()).tree_
    ax = tree.plot()
    frames = patches(ax, "bar frame")
    bars = patches(ax, "bar")
    for node, frame in zip(tree.nodes, frames, strict=True):
        left, bottom = frame.get_xy()
        mine = [
            bar
            for bar in bars
            if math.isclose(bar.get_y(), bottom)
            and left - 1e-9 <= bar.get_x() <= left + frame.get_width() - 1e-9
        ]
        total = sum(node["counts"])
        expected = [count / total for count in node["counts"] if count]
        assert [bar.get_width() / frame.get_width() for bar in mine] == pytest.approx(expected)
        colors = [_style.PALETTE[place] for place, count in enumerate(node["counts"]) if count]
        assert [bar.get_facecolor()[:3] for bar in mine] == [to_rgb(color) for color in colors]


@pytest.mark.parametrize(
    ("learner", "below", "above"),
    [(GreedyTreeClassifier, "\u2264 0.5", "> 0.5"), (DyadicTreeClassifier, "< 0.5", "\u2265 0.5")],
)
def test_operators_are_those_of_the_model(learner, below, above):
    tree = learner().fit([[0.0]] * 9 + [[1.0]] * 9, ["no"] * 9 + ["yes"] * 9).tree_
    shown = [text.removesuffix(" *") for text in texts(tree.plot())]
    assert below in shown and above in shown
    assert tree.nodes[0]["split"]["closed"] == ("right" if "\u2264" in below else "left")


def test_intervals_categories_and_missing_values():
    tree = OptimalTreeClassifier(max_depth=2, categorical_splits="multiway")
    ax = tree.fit(*table("shop", "returned")).plot()
    shown = texts(ax)
    for label in ("books", "missing", "\u2265 73.36, < 141.62", "\u2265 141.62", "< 73.36 *"):
        assert label in shown
    assert "* missing values go here, too" in shown
    check_calm(ax)
    ax = DyadicTreeClassifier().fit(*table("shop", "returned")).plot()
    assert {"known", "missing", "clothes, shoes"} <= set(texts(ax))
    check_calm(ax)
    tree = GreedyTreeClassifier(max_depth=2, categorical_splits="multiway")
    ax = tree.fit(*table("titanic", "survived")).plot()
    assert {"female", "male", "crew"} <= set(texts(ax))
    assert "missing values go to all children, in shares" in texts(ax)
    check_calm(ax)


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_many_long_categories_are_counted(orientation):
    names = [f"a very long category name {place}" for place in range(12)]
    X = pd.DataFrame({"kind": names * 5})
    y = np.where(X["kind"].isin(names[1:8:2]), "odd", "other")
    ax = DyadicTreeClassifier().fit(X, y).plot(orientation=orientation)
    assert any(", +" in text for text in texts(ax))
    check_calm(ax)


def test_edges_are_as_wide_as_their_rows():
    tree = GreedyTreeClassifier(max_depth=1).fit(*iris()).tree_
    narrow, wide = (edge.get_linewidth() for edge in patches(tree.plot(), "edge"))
    assert narrow < wide


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_thirty_leaves_do_not_overlap(orientation, digits_family):
    tree = digits_family.with_leaves(30)
    ax = tree.plot(orientation=orientation)
    assert len(patches(ax, "node")) == tree.n_nodes
    check_calm(ax)


def test_large_trees_collapse_and_say_so(digits_family):
    tree = digits_family.with_leaves(110)
    assert tree.n_leaves > 60
    ax = tree.plot()
    dashed = [node for node in patches(ax, "node") if node.get_linestyle() not in ("solid", "-")]
    assert dashed and len(patches(ax, "node")) < tree.n_nodes
    (note,) = (text for text in texts(ax) if text.startswith("Drawn down to depth"))
    assert f"of {tree.depth};" in note and f"of {tree.n_leaves} leaves" in note
    check_calm(ax)


def test_a_node_with_very_many_children_stays_a_picture():
    names = [f"c{place}" for place in range(420)]
    X = pd.DataFrame({"kind": names * 2})
    y = [place % 2 for place in range(420)] * 2
    tree = GreedyTreeClassifier(categorical_splits="multiway").fit(X, y).tree_
    ax = tree.plot()
    assert len(patches(ax, "node")) == tree.n_nodes > 420
    assert max(ax.figure.get_size_inches()) <= 200.1


def test_max_depth():
    tree = GreedyTreeClassifier().fit(*iris()).tree_
    ax = tree.plot(max_depth=1)
    assert len(patches(ax, "node")) == 3
    assert any(text.endswith(f", {tree.n_leaves - 1} leaves") for text in texts(ax))
    assert len(patches(tree.plot(max_depth=0), "node")) == 1
    assert len(patches(tree.plot(max_depth=99), "node")) == tree.n_nodes


def test_numbers():
    X, y = table("prices", "rent")
    tree = GreedyTreeRegressor(max_depth=2, min_samples_leaf=10).fit(X, y).tree_
    ax = tree.plot(decimals=1)
    for node in tree.nodes:
        if "split" not in node:
            assert f"{node['value']:,.1f}" in texts(ax)
    check_calm(ax)
    constant = GreedyTreeRegressor().fit([[0.0], [1.0]], [3.0, 3.0])
    assert "3" in texts(constant.plot())


def test_one_leaf_and_two():
    for depth in (0, 1):
        ax = GreedyTreeClassifier(max_depth=depth).fit(*iris()).plot()
        assert len(patches(ax, "node")) == 1 + 2 * depth
        check_calm(ax)


def test_axes_that_are_given_are_used():
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4))
    model = GreedyTreeClassifier().fit(*iris())
    assert model.plot(ax=left) is left and model.plot(ax=right, legend=False) is right
    assert not patches(right, "key")
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    assert overlaps([patch.get_window_extent(renderer) for patch in patches(left, "node")]) == []
    assert len(figure.axes) == 2


def test_more_classes_than_colours_have_hatches():
    looks = [_style.class_look(place) for place in range(40)]
    assert len(set(looks)) == 40
    y = [f"class {place:02}" for place in range(40)]
    ax = GreedyTreeClassifier(max_depth=3).fit([[place] for place in range(40)] * 3, y * 3).plot()
    assert "and 16 more" in texts(ax)
    check_calm(ax)


HOSTILE = ["a$b$", "two\nlines\tand tab", "_hidden", "\\$x^{", "n" * 5000, "50% & #1 {x}", "<b>"]


def test_hostile_names_are_text():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, len(HOSTILE)))
    X = pd.DataFrame(values, columns=HOSTILE)
    y = np.array(HOSTILE)[np.argmax(values, axis=1)]
    model = GreedyTreeClassifier(max_depth=4).fit(X, y)
    ax = model.plot()
    ax.figure.canvas.draw()
    check_calm(ax)
    shown = texts(ax)
    assert "a$b$" in shown and "two lines and tab" in shown
    assert not any("\n" in text or len(text) > 120 for text in shown)
    ax = model.plot_partition(X, y, features=("a$b$", "n" * 5000))
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == "a$b$"
    assert "_hidden" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_wrong_options_are_named():
    model = GreedyTreeClassifier().fit(*iris())
    with pytest.raises(ValueError, match="orientation"):
        model.plot(orientation="up")
    with pytest.raises(ValueError, match="max_depth"):
        model.plot(max_depth=-1)
    with pytest.raises(ValueError, match="decimals"):
        model.plot(decimals=1.5)


def test_without_matplotlib_the_way_out_is_named(monkeypatch):
    model = GreedyTreeClassifier().fit(*iris())
    genuine = builtins.__import__

    def without(name, *args, **options):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return genuine(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    for draw in (model.plot, model.plot_partition, pruning_family(model).plot):
        with pytest.raises(ImportError, match=r"treewright\[plot\]"):
            draw()


# --- layout and words ----------------------------------------------------------------------------


def test_layout_keeps_nodes_apart_and_parents_in_the_middle():
    rng = np.random.default_rng(1)
    for _ in range(50):
        children: list[list[int]] = [[]]
        for _ in range(int(rng.integers(0, 40))):
            ends = [node for node, below in enumerate(children) if not below]
            parent = ends[int(rng.integers(len(ends)))]
            for _ in range(int(rng.integers(2, 5))):
                children[parent].append(len(children))
                children.append([])
        places = _layout.tidy(children)
        depths = _layout.depths(children)
        assert min(places) == 0.0
        for depth in set(depths):
            level = sorted(p for p, d in zip(places, depths, strict=True) if d == depth)
            assert all(b - a >= 1 - 1e-9 for a, b in zip(level, level[1:], strict=False))
        for node, below in enumerate(children):
            if below:
                assert places[node] == pytest.approx((places[below[0]] + places[below[-1]]) / 2)
                assert [places[child] for child in below] == sorted(places[c] for c in below)


def test_numbers_stay_different():
    numbers = [1.00001, 1.00002, 123456789.5, -0.000012345678, 1e300, 1 / 3, 0.0]
    write = _words.number_format(numbers, None)
    assert len({write(number) for number in numbers}) == len(numbers)
    assert write(1 / 3) == "0.3333" and write(0.0) == "0"
    assert _words.number_format(numbers, 2)(1234.5) == "1,234.50"


def test_shares_are_not_rounded_to_nothing_or_all():
    assert [_words.share_text(share) for share in (0, 0.001, 0.5, 0.999, 1)] == [
        "0%",
        "<1%",
        "50%",
        ">99%",
        "100%",
    ]


# --- families ------------------------------------------------------------------------------------


def test_family_marks_its_choices():
    family = pruning_family(*load_breast_cancer(return_X_y=True), cv=5)
    ax = family.plot()
    ax.figure.canvas.draw()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    chosen = {rule: family.members[place]["leaves"] for rule, place in family.chosen.items()}
    assert any(label.startswith(f"minimum: {chosen['min']} lea") for label in labels)
    assert any(label.startswith(f"1-SE choice: {chosen['1se']} lea") for label in labels)
    line = ax.lines[0]
    assert list(line.get_xdata()) == [member["leaves"] for member in family.members]
    assert list(line.get_ydata()) == [member["cost"] for member in family.members]
    assert ax.get_ylabel() == "error rate"
    assert len(ax.containers) == 1


def test_family_axis_is_logarithmic_where_it_helps():
    assert dyadic_path(*iris()).plot().get_xscale() == "linear"
    X, y = table("prices", "rent")
    ax = pruning_family(X, y, task="regression").plot()
    ax.figure.canvas.draw()
    assert ax.get_xscale() == "log" and ax.get_ylabel() == "mean squared error"
    assert ax.get_legend() is None
    assert [label.get_text() for label in ax.get_xticklabels()][:3] == ["1", "2", "5"]
    assert pruning_family(*iris()).plot(log=True).get_xscale() == "log"


def test_family_pruned_by_impurity_says_what_is_what():
    family = pruning_family(*load_breast_cancer(return_X_y=True), cv=3, cost="impurity")
    assert family.plot().get_ylabel() == "impurity (training), error rate (left out)"


def test_family_of_one_member():
    family = pruning_family([[0.0], [0.0]], ["a", "b"])
    family.plot().figure.canvas.draw()


# --- partitions ----------------------------------------------------------------------------------


def colors_at(ax, x: np.ndarray, y: np.ndarray) -> list[tuple[float, ...]]:
    """The colours of the cells at points; each point is in exactly one cell."""
    found = []
    cells = [(c.get_x(), c.get_y(), c.get_width(), c.get_height(), c) for c in patches(ax, "cell")]
    for a, b in zip(x, y, strict=True):
        (cell,) = (
            c
            for left, low, width, height, c in cells
            if 0 < a - left < width and 0 < b - low < height
        )
        found.append(cell.get_facecolor()[:3])
    return found


@pytest.mark.parametrize(
    "model",
    [
        GreedyTreeClassifier(min_samples_leaf=4),
        DyadicTreeClassifier(),
        OptimalTreeClassifier(max_depth=2),
    ],
)
def test_partition_is_what_the_tree_predicts(model):
    X, y = table("rings", "ring")
    model.fit(X, y)
    ax = model.plot_partition(X, y, features=("x", "y"), at={"noise": 0.7})
    rng = np.random.default_rng(2)
    rows = pd.DataFrame(
        {
            "x": rng.uniform(*ax.get_xlim(), 200),
            "y": rng.uniform(*ax.get_ylim(), 200),
            "tilt": X["tilt"].median(),
            "noise": 0.7,
        }
    )
    colors = dict(zip(model.classes_, _style.PALETTE, strict=False))
    expected = [to_rgb(colors[label]) for label in model.predict(rows)]
    assert colors_at(ax, rows["x"], rows["y"]) == expected
    assert len(patches(ax, "cell")) <= model.get_n_leaves()


@pytest.mark.parametrize("missing", ["distribute", "branch", "majority"])
def test_partition_with_categories_and_missing_values(missing):
    X, y = table("shop", "returned")
    model = GreedyTreeClassifier(missing=missing, max_depth=5).fit(X, y)
    at = {"department": "toys", "payment": None, "items": 2}
    ax = model.tree_.plot_partition(X, features=("price", "days_to_ship"), at=at)
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(
        {
            "price": rng.uniform(*ax.get_xlim(), 100),
            "items": 2.0,
            "department": "toys",
            "payment": None,
            "rating": X["rating"].median(),
            "days_to_ship": rng.uniform(*ax.get_ylim(), 100),
        }
    )[list(X.columns)]
    colors = dict(zip(model.classes_, _style.PALETTE, strict=False))
    expected = [to_rgb(colors[label]) for label in model.predict(rows)]
    assert colors_at(ax, rows["price"], rows["days_to_ship"]) == expected


def test_partition_of_numbers():
    X, y = table("prices", "rent")
    model = GreedyTreeRegressor(max_depth=4).fit(X, y)
    ax = model.plot_partition(X, y, features=("area", "floor"), at={"district": "north"})
    ax.figure.canvas.draw()
    assert "district = north" in ax.get_title(loc="left")
    assert len(ax.figure.axes) == 2


def test_partition_without_rows():
    X, y = iris()
    model = DyadicTreeClassifier().fit(X[["petal length (cm)", "petal width (cm)"]], y)
    ax = model.plot_partition()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("petal length (cm)", "petal width (cm)")
    assert len(patches(ax, "cell")) == model.get_n_leaves()
    assert len(patches(model.plot_partition(features=(1, 0)), "cell")) == model.get_n_leaves()


def test_partition_says_what_is_wrong():
    X, y = table("shop", "returned")
    model = GreedyTreeClassifier(max_depth=3).fit(X, y)
    for features, word in [
        (("price", "department"), "holds categories"),
        (("price", "nothing"), "no feature 'nothing'"),
        (("price", "price"), "both axes"),
        (("price",), "expected two"),
        ((0, 99), "expected 0 to 5"),
    ]:
        with pytest.raises(ValueError, match=word):
            model.plot_partition(X, features=features)
    axes = ("price", "days_to_ship")
    for at, word in [
        ({"nothing": 1}, "no feature"),
        ({"price": 1}, "on an axis"),
        ({"department": "moon"}, "not a category"),
        ({"rating": "good"}, "expected a number"),
    ]:
        with pytest.raises(ValueError, match=word):
            model.plot_partition(X, features=axes, at=at)
    with pytest.raises(ValueError, match="give its value, or X"):
        model.plot_partition(features=axes)
    with pytest.raises(ValueError, match="no rows for it"):
        model.plot_partition(y=y, features=axes)


def test_models_from_files_have_the_same_picture(tmp_path):
    model = OptimalTreeClassifier(max_depth=2).fit(*iris())
    model.save(tmp_path / "model.json")
    assert texts(load_model(tmp_path / "model.json").plot()) == texts(model.plot())
