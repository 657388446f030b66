"""Trees for other packages answer as ours do."""

import numpy as np
import pandas as pd
import pytest
from shared_tables import random_table
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier, export_text
from treewright import (
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
)

KINDS = [
    GreedyTreeClassifier(missing="majority"),
    GreedyTreeClassifier(missing="branch"),
    OptimalTreeClassifier(intervals=4),
    DyadicTreeClassifier(k=3),
]


def codes_of(tree, X):
    """Numbers as they are, categories as their places in the list of the model, -1 for others."""
    columns = []
    for place, (_, categories) in enumerate(tree._model.features):
        column = X.iloc[:, place]
        if categories is None:
            columns.append(column.to_numpy(dtype=float))
        else:
            places = {category: float(code) for code, category in enumerate(categories)}
            known = [np.nan if pd.isna(cell) else places.get(str(cell), -1.0) for cell in column]
            columns.append(np.array(known))
    return np.column_stack(columns)


def onnx_answers(tree, X):
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(tree.to_onnx().SerializeToString())
    (given,) = session.get_inputs()
    dtype = np.float64 if "double" in given.type else np.float32
    return session.run(None, {given.name: X.astype(dtype)})


@pytest.mark.parametrize("estimator", KINDS, ids=repr)
def test_onnx_answers_as_we_do(estimator, rng):
    pytest.importorskip("onnx")
    X, y = random_table(rng, 300)
    tree = estimator.fit(X, np.array(["a", "b", "c"])[y]).tree_
    labels, shares = onnx_answers(tree, X)[:2]
    assert labels.tolist() == tree.predict(X).tolist()
    np.testing.assert_allclose(shares, tree.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("estimator", KINDS, ids=repr)
def test_onnx_decides_exactly_at_the_cuts(estimator, rng):
    """Rows on a cut and one double beside it: float32 could not tell them apart."""
    pytest.importorskip("onnx")
    X, y = random_table(rng, 300, missing=0)
    tree = estimator.fit(X + 1e-9 * rng.random(X.shape), y).tree_
    rows = []
    for node in tree.nodes:
        split = node.get("split", {})
        for cut in split.get("cuts", []):
            for value in (np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)):
                row = X[len(rows) % len(X)].copy()
                row[split["feature"]] = value
                rows.append(row)
    labels = onnx_answers(tree, np.array(rows))[0]
    # Labels are texts there.
    assert labels.tolist() == [str(label) for label in tree.predict(np.array(rows))]


def test_onnx_of_numbers_is_float32(rng):
    pytest.importorskip("onnx")
    X = rng.normal(size=(200, 3))
    tree = GreedyTreeRegressor(missing="majority").fit(X, X[:, 0] ** 3).tree_
    (numbers,) = onnx_answers(tree, X)
    np.testing.assert_array_equal(numbers.ravel(), tree.predict(X).astype(np.float32))


@pytest.mark.parametrize("estimator", KINDS, ids=repr)
def test_treelite_answers_as_we_do(estimator, rng, read):
    treelite = pytest.importorskip("treelite")
    X, y = random_table(rng, 300)
    tree = estimator.fit(X, y).tree_
    shares = treelite.gtil.predict(tree.to_treelite(), X).reshape(len(X), -1)
    np.testing.assert_array_equal(shares.argmax(axis=1), tree.predict(X))
    table, answers = read("shop")
    tree = estimator.fit(table, answers).tree_
    shares = treelite.gtil.predict(tree.to_treelite(), codes_of(tree, table))
    answers = tree.classes[shares.reshape(len(table), -1).argmax(axis=1)]
    assert answers.tolist() == tree.predict(table).tolist()


def test_treelite_of_numbers(rng):
    treelite = pytest.importorskip("treelite")
    X = rng.normal(size=(200, 3))
    tree = GreedyTreeRegressor(missing="majority").fit(X, X[:, 0] ** 3).tree_
    numbers = treelite.gtil.predict(tree.to_treelite(), X).ravel()
    np.testing.assert_array_equal(numbers, tree.predict(X))


def test_text_in_the_manner_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    theirs = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    ours = GreedyTreeClassifier(max_depth=1).fit(X, y)
    expected = export_text(theirs, feature_names=[f"x{place}" for place in range(30)])
    assert ours.export_sklearn_text() == expected
    three = OptimalTreeClassifier(max_depth=1, intervals=3).fit(X, y).export_sklearn_text()
    assert three.count("|--- x") in (2, 3) and three.count("class:") == three.count("|--- x")


def test_nodes_as_a_frame(read):
    X, y = read("shop")
    tree = GreedyTreeClassifier(max_depth=3).fit(X, y).tree_
    frame = tree.to_frame()
    assert len(frame) == tree.n_nodes and frame["is_leaf"].sum() == tree.n_leaves
    assert frame["weight"][0] == len(X)
    assert frame["parent"].isna().sum() == 1
    counts = frame[[name for name in frame.columns if name.startswith("count:")]]
    np.testing.assert_allclose(counts.sum(axis=1), frame["weight"])
    regression = GreedyTreeRegressor(max_depth=2).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    assert {"mean", "sse", "weight"} <= set(regression.tree_.to_frame().columns)


@pytest.mark.parametrize(
    "form", ["sql", "c", "python", "rust", "pmml", "svg", "dot", "rules", "text"]
)
def test_texts_are_those_of_the_program(form, program, read, tmp_path):
    X, y = read("shop")
    estimator = GreedyTreeClassifier(max_depth=3).fit(X, y)
    estimator.save(tmp_path / "model.json")
    ours = getattr(estimator, f"export_{form}")()
    if form == "text":
        assert ours == program("show", tmp_path / "model.json")
    else:
        assert ours == program("export", tmp_path / "model.json", "--to", form)


def test_python_code_runs_alone(read):
    X, y = read("shop")
    estimator = GreedyTreeClassifier(max_depth=3).fit(X, y)
    space = {}
    exec(estimator.export_python(), space)
    cells = X.astype(object).where(X.notna(), None)
    answers = [space["predict"](row) for row in cells.to_dict("records")]
    assert answers == estimator.predict(X).tolist()


def test_reports_are_complete_pages(read, tmp_path):
    X, y = read("shop")
    estimator = GreedyTreeClassifier(select="1se").fit(X, y)
    for name, rows in [("without.html", ()), ("with.html", (X, y))]:
        estimator.report(tmp_path / name, *rows)
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>") and "treewright.report" in page
    with pytest.raises(ValueError, match="give y together with X"):
        estimator.report(tmp_path / "bad.html", X)
    with pytest.raises(ValueError, match="is not a class of the tree"):
        estimator.report(tmp_path / "bad.html", X, ["nobody"] * len(X))
    assert not (tmp_path / "bad.html").exists()
