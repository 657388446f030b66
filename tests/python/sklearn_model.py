"""Turns a fitted tree of scikit-learn into a model file of treewright."""

import json
from pathlib import Path

import numpy as np


def write_model(estimator, path, n_rows):
    """Writes a fitted decision tree (one output) to `path` and returns the document."""
    tree = estimator.tree_
    is_classifier = hasattr(estimator, "classes_")
    leaf = tree.children_left < 0
    weights = tree.weighted_n_node_samples
    target = {"name": "target"}
    if is_classifier:
        target["classes"] = [str(label) for label in estimator.classes_]
        counts = np.rint(tree.value[:, 0, :] * weights[:, None])
        errors = float(sum(row.sum() - row.max() for row in counts[leaf]))
        figures = {"errors": int(errors), "cost": errors / weights[0]}
    else:
        counts = None
        figures = {"cost": float((tree.impurity * weights)[leaf].sum() / weights[0])}
    document = {
        "format": "treewright.tree",
        "version": 1,
        "task": "classification" if is_classifier else "regression",
        "features": [{"name": f"x{i}", "kind": "numeric"} for i in range(tree.n_features)],
        "target": target,
        "reading": {"na": ["?", "NA", "NaN", "null"], "weight": None},
        "learner": {"name": "scikit-learn", "params": {"criterion": estimator.criterion}},
        "training": {
            "rows": n_rows,
            "weight": float(weights[0]),
            **figures,
            "leaves": int(leaf.sum()),
            "depth": int(tree.max_depth),
            "seconds": 0.0,
        },
        "nodes": [_node(tree, counts, i) for i in range(tree.node_count)],
    }
    Path(path).write_text(json.dumps(document), encoding="utf-8")
    return document


def _node(tree, counts, i):
    if counts is None:
        weight = float(tree.weighted_n_node_samples[i])
        mean = float(tree.value[i, 0, 0])
        node = {"mean": mean, "weight": weight, "sse": max(float(tree.impurity[i]) * weight, 0.0)}
        node["value"] = mean
    else:
        node = {"counts": counts[i].tolist(), "value": int(counts[i].argmax())}
    left, right = int(tree.children_left[i]), int(tree.children_right[i])
    if left >= 0:
        cut = float(tree.threshold[i])
        feature = int(tree.feature[i])
        node["split"] = {"kind": "intervals", "feature": feature, "cuts": [cut], "closed": "right"}
        node["children"] = [left, right]
        node["missing"] = 0
    return node
