"""Files go both ways between Python and the program, and results are the same."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from shared_tables import TABLES, random_table
from treewright import (
    BackwardFeatureSelector,
    CompleteFeatureSelector,
    DyadicTreeClassifier,
    Family,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
    distinct_trees,
    dyadic_path,
    load_model,
    pruning_family,
    save_model,
)


def predictions(program, model, table):
    rows = csv.DictReader(io.StringIO(program("predict", model, table)))
    return [row["prediction"] for row in rows]


GREEDY, REGRESSOR = GreedyTreeClassifier, GreedyTreeRegressor
DYADIC, OPTIMAL = DyadicTreeClassifier, OptimalTreeClassifier
SAME = [
    ("titanic", "greedy", "", GREEDY()),
    (
        "titanic",
        "greedy",
        "--max-depth 3 --criterion gain-ratio",
        GREEDY(max_depth=3, criterion="gain-ratio"),
    ),
    ("shop", "greedy", "--missing branch", GREEDY(missing="branch")),
    ("shop", "greedy", "--select 1se --cost impurity", GREEDY(select="1se")),
    ("shop", "greedy", "--lambda 0.01 --cost impurity", GREEDY(ccp_alpha=0.01)),
    ("rings", "greedy", "--leaves 5", GREEDY(max_leaf_nodes=5, pruning_cost="error")),
    ("rings", "greedy", "--class-weight balanced", GREEDY(class_weight="balanced")),
    ("prices", "greedy", "--max-depth 4", REGRESSOR(max_depth=4)),
    ("prices", "greedy", "--criterion mae --max-depth 2", REGRESSOR(criterion="mae", max_depth=2)),
    ("titanic", "dyadic", "", DYADIC()),
    ("rings", "dyadic", "--kappa 4 --k 4", DYADIC(kappa=4, k=4)),
    ("rings", "dyadic", "--select cv --k 3", DYADIC(select="cv", k=3)),
    ("shop", "dyadic", "--k 2 --leaves 4", DYADIC(k=2, max_leaf_nodes=4)),
    ("rings", "dyadic", "--box quantile --k 3", DYADIC(box="quantile", k=3)),
    ("rings", "dyadic", "--box -20:20 --k 3", DYADIC(box=(-20, 20), k=3)),
    ("titanic", "optimal", "", OPTIMAL()),
    ("shop", "optimal", "--depth 2 --intervals 2", OPTIMAL(intervals=2)),
    ("rings", "optimal", "--depth 3 --leaf-cost 1/300", OPTIMAL(max_depth=3, ccp_alpha="1/300")),
]


@pytest.mark.parametrize(("name", "learner", "options", "estimator"), SAME, ids=str)
def test_the_same_tree_as_the_program(name, learner, options, estimator, program, read, tmp_path):
    table = TABLES / f"{name}.csv"
    options = options.split()
    theirs = json.loads(program("fit", learner, table, *options, "--json"))
    X, y = read(name)
    estimator.fit(X, y)
    ours = json.loads(estimator.tree_.to_json())
    for model in (ours, theirs):
        model["training"].pop("seconds")
        for added in ("labels", "stopped"):
            model["learner"]["params"].pop(added, None)
    for part in ("format", "version", "task", "features", "target", "nodes", "training"):
        assert ours[part] == theirs[part], part
    assert ours.get("certificate") == theirs.get("certificate")
    # To the program, and back.
    save_model(estimator, tmp_path / "ours.json")
    answers = predictions(program, tmp_path / "ours.json", table)
    if isinstance(estimator, GreedyTreeRegressor):
        np.testing.assert_array_equal(np.array(answers, dtype=float), estimator.predict(X))
    else:
        assert answers == [str(label) for label in estimator.predict(X)]
    program("verify", tmp_path / "ours.json", table)
    program("fit", learner, table, *options, "-o", tmp_path / "theirs.json")
    loaded = load_model(tmp_path / "theirs.json")
    assert type(loaded) is type(estimator)
    np.testing.assert_array_equal(loaded.predict(X), estimator.predict(X))
    assert loaded.certificate_ == estimator.certificate_


def test_the_same_families_as_the_program(program, read, tmp_path):
    X, y = read("shop")
    table = TABLES / "shop.csv"
    for learner, options, family in [
        ("greedy", ["--folds", 5], pruning_family(X, y, cv=5)),
        ("greedy", ["--penalty", "sqrt"], pruning_family(X, y, penalty="sqrt")),
        ("dyadic", ["--k", 2], dyadic_path(X, y, k=2)),
    ]:
        theirs = json.loads(program("path", learner, table, *options, "--json"))
        ours = json.loads(family.to_json())
        for part in ("members", "features", "target", "penalty"):
            assert ours[part] == theirs[part], part
        assert ours.get("nodes") == theirs.get("nodes")
        save_model(family, tmp_path / "family.json")
        tree = json.loads(program("prune", tmp_path / "family.json", "--leaves", 3, "--json"))
        assert tree["nodes"] == family.with_leaves(3).nodes
        loaded = load_model(tmp_path / "family.json")
        assert isinstance(loaded, Family)
        assert loaded.members == family.members
        assert [tree.n_leaves for tree in loaded] == [tree.n_leaves for tree in family]


@pytest.mark.parametrize("kind", [BackwardFeatureSelector, CompleteFeatureSelector])
def test_the_same_features_as_the_program(kind, program, read):
    X, y = read("shop")
    method = "backward" if kind is BackwardFeatureSelector else "complete"
    theirs = json.loads(program("select", method, TABLES / "shop.csv", "--json"))
    selector = kind().fit(X, y)
    assert list(selector.get_feature_names_out()) == theirs["selected"]
    assert selector.selection_["search_error"] == theirs["search_error"]
    assert selector.selection_["trees_built"] == theirs["trees_built"]


def test_the_same_distinct_trees_as_the_program(program, read, tmp_path):
    X, y = read("shop")
    listed = tmp_path / "trees.jsonl"
    options = ["--max-depth", 3, "--trees", listed, "--json"]
    theirs = json.loads(program("distinct", TABLES / "shop.csv", *options))
    trees = distinct_trees(X, y, max_depth=3, n_jobs=2)
    used = [tree.features for tree in trees]
    assert used == [json.loads(line)["features"] for line in listed.read_text().splitlines()]
    trees.close()
    for name in ("distinct", "built", "by_size", "complete"):
        assert trees.count[name] == theirs[name]


def test_labels_come_back(tmp_path, rng):
    X, y = random_table(rng, 60)
    path = tmp_path / "model.json"
    for labels in (
        ["no", "yes", "maybe"],
        ["1", "2", "3"],
        [10, 20, 30],
        [0.0, 1.0, 2.0],
        [False, True, True],
    ):
        estimator = GreedyTreeClassifier().fit(X, np.array(labels)[y])
        family = pruning_family(X, np.array(labels)[y])
        save_model(family, path)
        np.testing.assert_array_equal(load_model(path)[-1].predict(X), family[-1].predict(X))
        save_model(estimator, path)
        loaded = load_model(path)
        assert loaded.classes_.dtype.kind == estimator.classes_.dtype.kind
        np.testing.assert_array_equal(loaded.predict(X), estimator.predict(X))


def test_texts_that_mean_missing_elsewhere(program, tmp_path):
    frame = pd.DataFrame(
        {"answer": ["NA", "?", "yes", "NA"] * 5, "class": ["a", "b", "b", "a"] * 5}
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    tree = GreedyTreeClassifier().fit(frame[["answer"]], frame["class"])
    tree.save(tmp_path / "model.json")
    answers = predictions(program, tmp_path / "model.json", tmp_path / "table.csv")
    assert answers == tree.predict(frame[["answer"]]).tolist() == frame["class"].tolist()


def test_bad_files_are_named(tmp_path):
    path = tmp_path / "model.json"
    for text in ("", "[]", "{", '{"format": "treewright.tree"}', '{"format": "other"}'):
        path.write_text(text)
        with pytest.raises(ValueError, match="model.json"):
            load_model(path)
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "nothing.json")
    with pytest.raises(TypeError, match="expected an estimator"):
        save_model("a tree", path)


def test_a_learned_tree_can_be_pruned(read):
    X, y = read("shop")
    estimator = GreedyTreeClassifier().fit(X, y)
    of_tree, of_rows = pruning_family(estimator), pruning_family(X, y)
    assert of_tree.members == of_rows.members
    assert pruning_family(estimator.tree_, cost="impurity").members != of_tree.members
    with pytest.raises(ValueError, match="leave y and cv out"):
        pruning_family(estimator, y)


def test_parameters_come_back(tmp_path, rng):
    X, y = random_table(rng, 120, missing=0)
    path = tmp_path / "model.json"
    for estimator in (
        GreedyTreeClassifier(ccp_alpha=0.01),
        GreedyTreeClassifier(ccp_alpha=0.02, pruning_cost="error"),
        OptimalTreeClassifier(ccp_alpha=0.05),
        DyadicTreeClassifier(ccp_alpha=0.05, k=[1, 2, 1, 0]),
    ):
        save_model(estimator.fit(X, y), path)
        again = load_model(path).fit(X, y)
        assert again.tree_ == estimator.tree_
    large = np.array([2**63 + 1, 2**63 + 5], dtype=np.uint64)[y % 2]
    save_model(GreedyTreeClassifier().fit(X, large), path)
    assert set(load_model(path).predict(X)) <= set(large)


def test_functions_refuse_what_they_do_not_use(read):
    X, y = read("shop")
    for function in (pruning_family, dyadic_path, distinct_trees):
        with pytest.raises(TypeError, match="no use for"):
            function(X, y, max_leaf_nodes=3)


LOADED = [
    (GREEDY, {"min_weight_fraction_leaf": 0.1, "min_samples_split": 6, "criterion": "entropy"}),
    (GREEDY, {"max_leaf_nodes": 4, "pruning_cost": "error"}),
    (GREEDY, {"ccp_alpha": 0.01, "pruning_cost": "impurity", "missing": "branch"}),
    (REGRESSOR, {"leaf_value": "median", "criterion": "mae", "max_depth": 3, "min_gain": 0.5}),
    (REGRESSOR, {"criterion": "binned-gini", "bins": 7, "max_depth": 3}),
    (OPTIMAL, {"max_depth": 1, "min_weight_fraction_leaf": 0.2, "ccp_alpha": 0.01}),
    (DYADIC, {"k": 2, "max_leaf_nodes": 4, "ties": "larger"}),
    (DYADIC, {"k": 2, "kappa": 3, "model": "boxed"}),
    (DYADIC, {"k": 3, "box": "quantile"}),
]


@pytest.mark.parametrize(("kind", "params"), LOADED, ids=str)
def test_a_model_file_keeps_the_parameters(kind, params, read, tmp_path):
    X, y = read("prices" if kind is REGRESSOR else "shop")
    estimator = kind(**params).fit(X, y)
    save_model(estimator, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    found = loaded.get_params()
    n_features = X.shape[1]
    for name, value in params.items():
        expected = [value] * n_features if name == "k" else value
        assert found[name] == expected, name
    if kind is not DYADIC:
        assert loaded.fit(X, y).tree_ == estimator.tree_
