"""The tree for other Python packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._tree import Tree

Node = dict[str, Any]


def branches(tree: Tree, node: Node) -> list[str]:
    """For each child of a node what leads there, with the exact operators."""
    split, children = node["split"], node["children"]
    feature, categories = tree._model.features[split["feature"]]
    if split["kind"] == "intervals":
        texts = _intervals(feature, split["cuts"], split["closed"] == "left", repr)
    else:
        texts = _groups(feature, categories or [], split["branches"])
    return texts + [f"{feature} missing"] * (len(children) - len(texts))


def _intervals(feature: str, cuts: list[float], is_left: bool, number: Any) -> list[str]:
    below, above = ("<", ">=") if is_left else ("<=", ">")
    if not cuts:
        return [f"{feature} present"]
    texts = [f"{feature} {below} {number(cuts[0])}"]
    inner_above, inner_below = ("<=", "<") if is_left else ("<", "<=")
    for low, high in zip(cuts, cuts[1:], strict=False):
        texts.append(f"{number(low)} {inner_above} {feature} {inner_below} {number(high)}")
    return [*texts, f"{feature} {above} {number(cuts[-1])}"]


def _groups(feature: str, categories: list[str], places: list[int | None]) -> list[str]:
    texts = []
    for child in range(max(place for place in places if place is not None) + 1):
        names = [name for name, place in zip(categories, places, strict=True) if place == child]
        if len(names) == 1:
            texts.append(f"{feature} = {names[0]}")
        else:
            texts.append(f"{feature} in {{{', '.join(names)}}}")
    return texts


def sklearn_text(tree: Tree, decimals: int) -> str:
    """The tree in the manner of ``sklearn.tree.export_text``, with the operators that it really
    has."""
    lines: list[str] = []
    classes = tree.classes

    def number(cut: float) -> str:
        return f"{cut:.{decimals}f}"

    def visit(place: int, depth: int) -> None:
        node = tree.nodes[place]
        indent = "|   " * depth + "|--- "
        if "split" not in node:
            value = node["value"]
            if classes is None:
                lines.append(f"{indent}value: [{value:.{decimals}f}]")
            else:
                lines.append(f"{indent}class: {classes[value]}")
            return
        split = node["split"]
        feature = tree.feature_names[split["feature"]]
        if split["kind"] == "intervals":
            texts = _intervals(feature, split["cuts"], split["closed"] == "left", number)
            texts += [f"{feature} missing"] * (len(node["children"]) - len(texts))
        else:
            texts = branches(tree, node)
        for text, child in zip(texts, node["children"], strict=True):
            # scikit-learn writes two spaces after a rising operator.
            lines.append(indent + text.replace(" > ", " >  "))
            visit(child, depth + 1)

    with _deep(tree):
        visit(0, 0)
    return "\n".join(lines) + "\n"


def frame(tree: Tree) -> Any:
    """The nodes as a pandas data frame: node, parent, depth, condition, feature, split, weight,
    value, ..."""
    import pandas as pd

    parents: dict[int, tuple[int, str]] = {}
    depths = [0] * tree.n_nodes
    classes = tree.classes
    rows = []
    for place, node in enumerate(tree.nodes):
        split = node.get("split")
        if split is not None:
            for child, text in zip(node["children"], branches(tree, node), strict=True):
                parents[child] = (place, text)
                depths[child] = depths[place] + 1
        parent, condition = parents.get(place, (None, None))
        row = {
            "node": place,
            "parent": parent,
            "depth": depths[place],
            "condition": condition,
            "is_leaf": split is None,
            "feature": None if split is None else tree.feature_names[split["feature"]],
            "cuts": None if split is None else split.get("cuts"),
            "missing": node.get("missing"),
            "value": node["value"] if classes is None else classes[node["value"]],
        }
        if classes is None:
            row |= {name: node[name] for name in ("weight", "mean", "sse")}
        else:
            row["weight"] = float(sum(node["counts"]))
            names = [f"count:{label}" for label in classes]
            row |= dict(zip(names, node["counts"], strict=True))
        rows.append(row)
    found = pd.DataFrame(rows)
    return found.astype({"parent": "Int64"})


def onnx_model(tree: Tree) -> Any:
    """The tree as a model of ONNX, by way of the bytes of a file."""
    try:
        import onnx
    except ImportError:
        raise ImportError("onnx is not installed: pip install treewright[onnx]") from None

    content, _ = tree._model.to_onnx()
    return onnx.load_model_from_string(content)


def treelite_model(tree: Tree) -> Any:
    """The tree as a model of treelite, through its builder.

    Splits of several ways become chains of two-way ones, so the numbers of nodes are not those of
    the tree. Categories are numbers from 0, in the order of the model. A missing value goes one
    way in treelite: where the tree distributes it, to the heaviest child.
    """
    try:
        from treelite.model_builder import Metadata, ModelBuilder, PostProcessorFunc, TreeAnnotation
    except ImportError:
        raise ImportError("treelite is not installed: pip install treewright[treelite]") from None

    classes = tree.classes
    n_classes = 1 if classes is None else len(classes)
    is_multi = n_classes > 1
    builder = ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=Metadata(
            num_feature=len(tree.feature_names),
            task_type="kMultiClf" if is_multi else "kRegressor",
            average_tree_output=False,
            num_target=1,
            num_class=[n_classes],
            leaf_vector_shape=(1, n_classes),
        ),
        tree_annotation=TreeAnnotation(num_tree=1, target_id=[0], class_id=[-1 if is_multi else 0]),
        postprocessor=PostProcessorFunc(name="identity_multiclass" if is_multi else "identity"),
        base_scores=[0.0] * n_classes,
    )
    plan = _two_way(tree)
    builder.start_tree()
    for key, step in enumerate(plan):
        builder.start_node(key)
        if step.leaf is not None:
            builder.leaf(_leaf_output(tree, step.leaf))
        elif step.categories is not None:
            builder.categorical_test(
                feature_id=step.feature,
                default_left=step.missing_first,
                category_list=step.categories,
                category_list_right_child=False,
                left_child_key=step.first,
                right_child_key=step.second,
            )
        else:
            builder.numerical_test(
                feature_id=step.feature,
                threshold=step.cut,
                default_left=step.missing_first,
                opname="<" if step.is_left else "<=",
                left_child_key=step.first,
                right_child_key=step.second,
            )
        builder.end_node()
    builder.end_tree()
    return builder.commit()


def _leaf_output(tree: Tree, place: int) -> Any:
    node = tree.nodes[place]
    if tree.classes is None:
        return float(node["value"])
    # The class that the leaf answers, which need not be the most frequent one.
    answer = np.zeros(len(tree.classes))
    answer[node["value"]] = 1.0
    return answer.tolist() if len(answer) > 1 else float(answer[0])


class _Step:
    """A node of two ways, or a leaf."""

    def __init__(self, leaf: int | None = None) -> None:
        self.leaf = leaf
        self.feature = 0
        self.cut = 0.0
        self.is_left = False
        self.categories: list[int] | None = None
        self.missing_first = False
        self.first = self.second = -1


def _two_way(tree: Tree) -> list[_Step]:
    """The same tree with two children at every split; the root comes first."""
    steps: list[_Step] = []

    def new(leaf: int | None = None) -> int:
        steps.append(_Step(leaf))
        return len(steps) - 1

    def grow(place: int) -> int:
        node = tree.nodes[place]
        if "split" not in node:
            return new(place)
        split, children = node["split"], node["children"]
        missing = _missing_child(tree, node)
        if split["kind"] == "intervals":
            return grow_cuts(split, children, missing)
        return grow_groups(split, children, missing)

    def grow_cuts(split: Node, children: list[int], missing: int) -> int:
        cuts = split["cuts"]
        n_present = len(cuts) + 1
        if missing >= n_present:
            # Nothing lies below minus infinity but what is missing.
            key = new()
            step = steps[key]
            step.feature, step.cut, step.is_left = split["feature"], -np.inf, True
            step.missing_first = True
            step.first = grow(children[missing])
            step.second = chain(split, children, cuts, 0, n_present)
            return key
        return chain(split, children, cuts, missing, n_present)

    def chain(split: Node, children: list[int], cuts: list[float], missing: int, n: int) -> int:
        if n == 1 or not cuts:
            return grow(children[0])
        key = new()
        step = steps[key]
        step.feature, step.cut = split["feature"], cuts[0]
        step.is_left = split["closed"] == "left"
        step.missing_first = missing == 0
        step.first = grow(children[0])
        step.second = chain(split, children[1:], cuts[1:], max(missing - 1, 0), n - 1)
        return key

    def grow_groups(split: Node, children: list[int], missing: int) -> int:
        # Unknown categories fail every test and come out last, where missing values go.
        order = [child for child in range(len(children)) if child != missing]
        key = first = -1
        last = None
        for child in order:
            codes = [code for code, place in enumerate(split["branches"]) if place == child]
            if not codes:
                continue
            key = new()
            step = steps[key]
            step.feature, step.categories = split["feature"], codes
            if last is not None:
                steps[last].second = key
            else:
                first = key
            step.first = grow(children[child])
            last = key
        end = grow(children[missing])
        if last is None:
            return end
        steps[last].second = end
        return first

    with _deep(tree):
        grow(0)
    return steps


def _missing_child(tree: Tree, node: Node) -> int:
    """Where missing values go; where they are distributed, the heaviest child."""
    missing = node["missing"]
    if missing != "distribute":
        return int(missing)
    weights = [_weight(tree.nodes[child]) for child in node["children"]]
    return int(np.argmax(weights))


def _weight(node: Node) -> float:
    return float(sum(node["counts"]) if "counts" in node else node["weight"])


class _deep:
    """Deep trees need deep recursion."""

    def __init__(self, tree: Tree) -> None:
        self.depth = tree.depth

    def __enter__(self) -> None:
        import sys

        self.before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.before, 8 * self.depth + 1000))

    def __exit__(self, *_: object) -> None:
        import sys

        sys.setrecursionlimit(self.before)
