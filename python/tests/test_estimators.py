"""scikit-learn's own checks, and what its users do with estimators."""

import pickle

import joblib
import numpy as np
import pytest
from shared_tables import random_table
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks
from treewright import (
    BackwardFeatureSelector,
    CompleteFeatureSelector,
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
    load_model,
)

CLASSIFIERS = [GreedyTreeClassifier, DyadicTreeClassifier, OptimalTreeClassifier]
SELECTORS = [BackwardFeatureSelector, CompleteFeatureSelector]
ALL = [*CLASSIFIERS, GreedyTreeRegressor, *SELECTORS]


@parametrize_with_checks([kind() for kind in ALL])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", ALL)
def test_tags_do_not_lower_the_bar(kind):
    tags = kind().__sklearn_tags__()
    assert not tags.non_deterministic and not tags.no_validation and not tags._skip_test
    assert tags.classifier_tags is None or not tags.classifier_tags.poor_score
    assert tags.regressor_tags is None or not tags.regressor_tags.poor_score
    assert tags.input_tags.allow_nan and tags.input_tags.categorical


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes", "maybe"],
        [10, 20, 30],
        [-1.0, 0.0, 2.0],
        [False, True, True],
        ["a b", "ü", "<"],
    ],
    ids=str,
)
def test_any_labels(kind, labels, rng):
    X, y = random_table(rng)
    y = np.array(labels)[y]
    estimator = kind().fit(X, y)
    assert list(estimator.classes_) == sorted(set(labels))
    predicted = estimator.predict(X)
    assert predicted.dtype == estimator.classes_.dtype
    assert np.mean(predicted == y) == 1 - estimator.tree_.training["errors"] / len(y)
    proba = estimator.predict_proba(X)
    assert proba.shape == (len(y), len(set(labels)))
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    # The same tree for other labels in the same order.
    codes = np.searchsorted(estimator.classes_, y)
    np.testing.assert_array_equal(
        kind().fit(X, codes).predict(X), np.searchsorted(estimator.classes_, predicted)
    )


@pytest.mark.parametrize("kind", ALL)
def test_copies_are_the_same(kind, rng, tmp_path):
    X, y = random_table(rng)
    estimator = kind().fit(X, y)
    joblib.dump(estimator, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(estimator)), joblib.load(tmp_path / "model.joblib")):
        assert copy.get_params() == estimator.get_params()
        np.testing.assert_array_equal(copy.apply(X), estimator.apply(X))
        assert copy.tree_ == estimator.tree_
    assert not hasattr(clone(estimator), "tree_")


def test_families_can_be_pickled(rng):
    X, y = random_table(rng)
    estimator = GreedyTreeClassifier(select="1se").fit(X, np.array(["a", "b", "c"])[y])
    copy = pickle.loads(pickle.dumps(estimator))
    assert copy.family_.members == estimator.family_.members
    assert copy.family_.select("cv") == estimator.family_.select("cv")
    np.testing.assert_array_equal(copy.family_[-1].predict(X), estimator.family_[-1].predict(X))


def test_in_a_pipeline_and_a_grid():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(BackwardFeatureSelector(), OptimalTreeClassifier(intervals=2))
    grid = GridSearchCV(pipeline, {"optimaltreeclassifier__max_depth": [1, 2]}, cv=3, n_jobs=2)
    assert grid.fit(X, y).best_score_ > 0.9
    scaled = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="float"))
    )
    score = cross_val_score(make_pipeline(scaled, GreedyTreeClassifier(select="cv")), X, y, cv=3)
    assert score.mean() > 0.88
    bagged = BaggingClassifier(GreedyTreeClassifier(), n_estimators=5, random_state=0).fit(X, y)
    assert bagged.score(X, y) > 0.97


def test_selectors_give_what_set_output_asks_for():
    X, y = load_iris(return_X_y=True, as_frame=True)
    selector = CompleteFeatureSelector().fit(X, y)
    names = list(selector.get_feature_names_out())
    assert list(selector.set_output(transform="pandas").transform(X).columns) == names
    with pytest.warns(UserWarning, match="feature names"):
        assert list(selector.transform(X.to_numpy()).columns) == names
    # The tree is over the selected features, but rows come with all of them.
    assert len(selector.apply(X)) == len(X)
    assert selector.feature_importances_.shape == (4,)


def test_weights_are_routed():
    import sklearn

    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        tree = GreedyTreeClassifier(max_depth=2).set_fit_request(sample_weight=True)
        tree.set_score_request(sample_weight=False)
        grid = GridSearchCV(tree, {"max_depth": [2]}, cv=3).fit(X, y, sample_weight=weights)
    plain = GreedyTreeClassifier(max_depth=2).fit(X, y, sample_weight=weights)
    assert grid.best_estimator_.tree_ == plain.tree_


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *SELECTORS])
def test_weights_count_as_copies(kind, rng):
    X, y = random_table(rng, 80, missing=0)
    weights = rng.integers(0, 4, len(y))
    special = {"cv": [(np.arange(0, 40), np.arange(40, 80))]} if kind in SELECTORS else {}
    weighted = kind(**special).fit(X, y, sample_weight=weights)
    if kind in SELECTORS:
        places = np.repeat(np.arange(80), weights)
        special["cv"] = [(np.flatnonzero(places < 40), np.flatnonzero(places >= 40))]
    copied = kind(**special).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.tree_.to_rules() == copied.tree_.to_rules()


def test_class_weights_multiply(rng):
    X, y = random_table(rng)
    y = np.array(["a", "b", "c"])[y]
    by_class = GreedyTreeClassifier(class_weight={"a": 2, "c": 5}, max_depth=3).fit(X, y)
    by_row = GreedyTreeClassifier(max_depth=3).fit(X, y, np.select([y == "a", y == "c"], [2, 5], 1))
    assert by_class.tree_.nodes == by_row.tree_.nodes
    balanced = GreedyTreeClassifier(class_weight="balanced", max_depth=2).fit(X, y)
    root = balanced.tree_.nodes[0]["counts"]
    np.testing.assert_allclose(root, len(y) / 3)
    with pytest.raises(ValueError, match="class_weight: 'd' is not a class"):
        GreedyTreeClassifier(class_weight={"d": 1}).fit(X, y)


def test_costs_decide(rng):
    X, y = random_table(rng)
    y = y > 0
    costs = [[0, 1], [20, 0]]
    for kind in CLASSIFIERS:
        careful = kind(cost_matrix=costs).fit(X, y).predict(X)
        plain = kind().fit(X, y).predict(X)
        assert np.sum(y & ~careful) <= np.sum(y & ~plain)
    with pytest.raises(ValueError, match="one row for each of 2 classes"):
        GreedyTreeClassifier(cost_matrix=np.zeros((3, 3))).fit(X, y)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_same_alphas_as_scikit_learn(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    ours = GreedyTreeClassifier(criterion=criterion, max_depth=3)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=3, random_state=0)
    if criterion == "gini":
        path = theirs.cost_complexity_pruning_path(X, y)
        own = ours.cost_complexity_pruning_path(X, y)
        # scikit-learn lists the full tree even where alpha 0 already prunes it.
        np.testing.assert_allclose(own.ccp_alphas[-3:], path.ccp_alphas[-3:], rtol=1e-9)
        np.testing.assert_allclose(own.impurities[-3:], path.impurities[-3:], rtol=1e-9)
        alpha = path.ccp_alphas[-2]
        pruned = GreedyTreeClassifier(max_depth=3, ccp_alpha=alpha * 1.01).fit(X, y)
        other = DecisionTreeClassifier(max_depth=3, ccp_alpha=alpha * 1.01, random_state=0).fit(
            X, y
        )
        assert pruned.get_n_leaves() == other.get_n_leaves()
    importances = ours.fit(X, y).feature_importances_
    np.testing.assert_allclose(importances.sum(), 1)
    assert np.argmax(importances) == np.argmax(theirs.fit(X, y).feature_importances_)


def test_regression_like_scikit_learn(rng):
    X = rng.normal(size=(300, 4))
    y = 3 * X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300)
    for depth in (1, 2, 4):
        ours = GreedyTreeRegressor(max_depth=depth).fit(X, y)
        theirs = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
        np.testing.assert_allclose(
            ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-9
        )
    chosen = GreedyTreeRegressor(select="1se").fit(X, y)
    assert 1 < chosen.get_n_leaves() < 100
    assert chosen.certificate_["optimal"]
    median = GreedyTreeRegressor(criterion="absolute_error", max_depth=0)
    assert median.fit(X, y).predict(X[:1])[0] == np.median(y)
    mean = GreedyTreeRegressor(criterion="absolute_error", leaf_value="mean", max_depth=0)
    assert mean.fit(X, y).predict(X[:1])[0] == pytest.approx(np.mean(y))


def test_prunings_are_chosen_one_way():
    X, y = load_iris(return_X_y=True)
    few = GreedyTreeClassifier(max_leaf_nodes=3, pruning_cost="error").fit(X, y)
    assert few.get_n_leaves() == 3 and few.certificate_["optimal"]
    with pytest.raises(ValueError, match="ccp_alpha and select both choose"):
        GreedyTreeClassifier(ccp_alpha=0.1, select="cv").fit(X, y)
    with pytest.raises(ValueError, match="both choose a tree"):
        DyadicTreeClassifier(max_leaf_nodes=3, select="cv").fit(X, y)


@pytest.mark.parametrize("kind", [GreedyTreeClassifier, DyadicTreeClassifier])
def test_the_chosen_tree_is_of_the_family(kind):
    X, y = load_iris(return_X_y=True)
    for rule in ("cv", "1se", "holdout"):
        estimator = kind(select=rule, n_jobs=2).fit(X, y)
        chosen = estimator.family_.chosen["1se" if rule == "1se" else "min"]
        assert estimator.tree_ == estimator.family_[chosen]
        assert estimator.tree_ == kind(select=rule).fit(X, y).tree_


@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        (GreedyTreeClassifier, {"criterion": "mse"}, "criterion"),
        (GreedyTreeClassifier, {"criterion": "magic"}, 'criterion: got "magic"'),
        (GreedyTreeClassifier, {"max_depth": -1}, "max_depth: got -1, expected at least 0"),
        (GreedyTreeClassifier, {"max_depth": 2.5}, "max_depth"),
        (GreedyTreeClassifier, {"min_samples_leaf": 0}, "min_samples_leaf"),
        (GreedyTreeClassifier, {"min_weight_fraction_leaf": 0.7}, "min_weight_fraction_leaf"),
        (GreedyTreeClassifier, {"min_gain": float("nan")}, "min_gain"),
        (GreedyTreeClassifier, {"missing": "drop"}, "missing"),
        (GreedyTreeClassifier, {"ccp_alpha": -1}, "ccp_alpha"),
        (GreedyTreeClassifier, {"ccp_alpha": "1/0"}, "ccp_alpha"),
        (GreedyTreeClassifier, {"select": "best"}, "select"),
        (GreedyTreeClassifier, {"select": "cv", "cv": 1}, "cv: got 1, expected at least 2"),
        (GreedyTreeClassifier, {"select": "holdout", "holdout": 2.0}, "holdout"),
        (GreedyTreeClassifier, {"penalty": "cubic", "ccp_alpha": 1}, "penalty"),
        (GreedyTreeClassifier, {"n_jobs": 0}, "n_jobs"),
        (GreedyTreeClassifier, {"time_limit": -1}, "time_limit"),
        (GreedyTreeClassifier, {"class_weight": "heavy"}, "class_weight"),
        (GreedyTreeClassifier, {"categorical_features": ["a"]}, "categorical_features"),
        (GreedyTreeClassifier, {"categorical_features": [9]}, "categorical_features"),
        (OptimalTreeClassifier, {"max_depth": -1}, "max_depth"),
        (
            OptimalTreeClassifier,
            {"min_samples_leaf": 1000},
            "min_samples_leaf: got 1000, expected at most",
        ),
        (OptimalTreeClassifier, {"intervals": 0}, "intervals"),
        (OptimalTreeClassifier, {"intervals": "many"}, "intervals"),
        (OptimalTreeClassifier, {"ccp_alpha": "x"}, "ccp_alpha"),
        (DyadicTreeClassifier, {"k": -1}, "k: got -1"),
        (DyadicTreeClassifier, {"k": "all"}, "k"),
        (DyadicTreeClassifier, {"model": "round"}, "model"),
        (DyadicTreeClassifier, {"kappa": "two"}, "kappa"),
        (BackwardFeatureSelector, {"criterion": "mse"}, "criterion"),
        (BackwardFeatureSelector, {"holdout": 1.5}, "holdout"),
        (CompleteFeatureSelector, {"within": -1}, "within"),
        (CompleteFeatureSelector, {"resamples": 1}, "resamples"),
        (CompleteFeatureSelector, {"resamples": 2**62}, "resamples"),
        (BackwardFeatureSelector, {"cv": 3, "repeats": 10**6}, "repeats"),
        (BackwardFeatureSelector, {"cv": [([0.5], [1.0])]}, "cv"),
        (BackwardFeatureSelector, {"cv": [([-1], [1])]}, "cv"),
        (GreedyTreeClassifier, {"criterion": None}, "criterion: got None"),
        (GreedyTreeClassifier, {"missing": 3}, "missing: got 3"),
        (GreedyTreeClassifier, {"penalty": "cubic"}, "penalty"),
        (GreedyTreeRegressor, {"leaf_value": "mode"}, "leaf_value"),
        (DyadicTreeClassifier, {"kappa": [1]}, "kappa: got [1]"),
        (OptimalTreeClassifier, {"ccp_alpha": None}, "ccp_alpha: got None"),
        (OptimalTreeClassifier, {"cost_matrix": "free"}, "cost_matrix"),
        (GreedyTreeClassifier, {"interactions": [["x0", "y"]]}, 'interactions: got "y"'),
        (GreedyTreeRegressor, {"interactions": [["x0"]]}, 'interactions: got "x0"'),
        (OptimalTreeClassifier, {"interactions": "x0"}, "interactions: got 'x0'"),
        (OptimalTreeClassifier, {"interactions": [["x0", 1]]}, "interactions: got ['x0', 1]"),
        (OptimalTreeClassifier, {"root_only": "x0"}, "root_only: got 'x0'"),
        (OptimalTreeClassifier, {"root_only": ["x0", "x0"]}, 'root_only: got "x0,x0"'),
        (OptimalTreeClassifier, {"not_above": [("x0", "x0")]}, 'not_above: got "x0,x0"'),
        (GreedyTreeClassifier, {"not_above": [["x0", "x1", "x2"]]}, "not_above: got"),
        (GreedyTreeClassifier, {"min_class_share": 0}, "min_class_share: got 0"),
        (OptimalTreeClassifier, {"min_class_share": "3/2"}, "min_class_share: got 1.5"),
        (OptimalTreeClassifier, {"min_class_share": "most"}, 'min_class_share: got "most"'),
        (OptimalTreeClassifier, {"min_class_share": [1]}, "min_class_share: got [1]"),
    ],
)
def test_bad_parameters_are_named(kind, params, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError) as error:
        kind(**params).fit(X, y)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        (GreedyTreeClassifier, {}),
        (GreedyTreeRegressor, {}),
        (OptimalTreeClassifier, {"max_depth": 3, "intervals": 2}),
    ],
)
def test_rules_about_paths_are_kept(kind, params):
    X, y = load_iris(return_X_y=True)
    rules = {
        "interactions": [["x2", "x3"]],
        "root_only": ["x2"],
        "not_above": [("x0", "x1")],
    }
    tree = kind(**params, **rules).fit(X, y).tree_

    def check(place, above):
        node = tree.nodes[place]
        if "split" not in node:
            return
        own = node["split"]["feature"]
        assert not {own, *above} >= {2, 3}
        assert own != 2 or not above
        assert own != 1 or 0 not in above
        for child in node["children"]:
            check(child, above | {own})

    check(0, set())
    assert tree.learner["params"]["root_only"] == ["x2"]


@pytest.mark.parametrize("kind", [GreedyTreeClassifier, OptimalTreeClassifier])
def test_leaves_have_the_share_of_their_class(kind, tmp_path):
    X, y = load_iris(return_X_y=True)
    fitted = kind(max_depth=2, min_class_share=0.9).fit(X, y)
    leaves = [node for node in fitted.tree_.nodes if "split" not in node]
    assert len(leaves) > 1
    assert all(max(node["counts"]) >= 0.9 * sum(node["counts"]) for node in leaves)
    assert fitted.tree_.learner["params"]["min_class_share"] == 0.9
    fitted.save(tmp_path / "model.json")
    assert float(load_model(tmp_path / "model.json").min_class_share) == 0.9


def test_absurd_numbers_do_no_harm():
    X, y = load_iris(return_X_y=True)
    plain = GreedyTreeClassifier().fit(X, y).tree_
    assert GreedyTreeClassifier(n_jobs=10**30, max_depth=10**30).fit(X, y).tree_ == plain
    DyadicTreeClassifier(k=10**30, memory_limit=10**30, kappa=20).fit(X, y)
    with pytest.raises(ValueError, match="weights are too small"):
        OptimalTreeClassifier().fit(X, y, sample_weight=np.full(len(y), 1e-305))
    tiny = OptimalTreeClassifier().fit(X, y, sample_weight=np.full(len(y), 2.0**-300))
    assert tiny.tree_.n_leaves == OptimalTreeClassifier().fit(X, y).tree_.n_leaves


def test_a_failed_fit_changes_nothing():
    X, y = load_iris(return_X_y=True)
    tree = GreedyTreeClassifier().fit(X, np.array(["a", "b", "c"])[y])
    before = tree.predict(X)
    with pytest.raises(ValueError):
        tree.set_params(max_depth=-1).fit(X[:, :2], np.array(["p", "q", "r"])[y])
    np.testing.assert_array_equal(tree.predict(X), before)


def test_nothing_selected_still_answers_for_every_row():
    selector = BackwardFeatureSelector().fit(np.ones((10, 3)), [0, 1] * 5)
    assert selector.support_.sum() == 0
    assert selector.tree_.predict(np.ones((7, 0))).shape == (7,)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.apply(np.ones((7, 3))).tolist() == [0] * 7


def test_masks_are_masks():
    X, y = load_iris(return_X_y=True)
    mask = np.arange(len(y)) % 3 > 0
    by_mask = CompleteFeatureSelector(cv=[(mask, ~mask)]).fit(X, y)
    by_rows = CompleteFeatureSelector(cv=[(np.flatnonzero(mask), np.flatnonzero(~mask))]).fit(X, y)
    assert by_mask.selection_["search_error"] == by_rows.selection_["search_error"] > 0


def test_what_was_stopped_says_so():
    X, y = load_iris(return_X_y=True)
    assert not GreedyTreeClassifier(select="cv").fit(X, y).stopped_
    assert GreedyTreeClassifier(select="cv", time_limit=0).fit(X, y).stopped_
    assert OptimalTreeClassifier(max_depth=3, time_limit=0).fit(X, y).stopped_


@pytest.mark.parametrize("kind", [GreedyTreeClassifier, DyadicTreeClassifier])
def test_a_choice_that_was_stopped_is_none(kind, rng):
    """The tree is the one that the program returns then: as it was grown, or for its own weight."""
    X, y = random_table(rng)
    tree = kind(select="cv", time_limit=0).fit(X, y).tree_
    assert tree.learner["params"]["stopped"]
    assert not {"pruned", "select", "cv_error"} & set(tree.learner["params"])


def test_whole_labels_are_counted_right(rng):
    from treewright._arguments import distinct_labels

    for kind in (np.int8, np.uint8, np.int16, np.int64, np.uint64):
        limits = np.iinfo(kind)
        for low, high in [(0, 30), (limits.min, limits.min + 20), (limits.max - 20, limits.max)]:
            y = rng.integers(low, high, 40, dtype=kind)
            labels, codes = distinct_labels(y)
            expected = np.unique(y, return_inverse=True)
            np.testing.assert_array_equal(labels, expected[0])
            np.testing.assert_array_equal(codes, expected[1])
            assert labels.dtype == y.dtype
    assert distinct_labels(np.array([-128, 127] * 200, dtype=np.int8))[0].tolist() == [-128, 127]


@pytest.mark.parametrize("kind", ALL)
def test_a_fit_that_fails_changes_nothing(kind, rng):
    X, y = random_table(rng)
    estimator = kind().fit(X, y)
    bad = {"within": -1.0} if kind is CompleteFeatureSelector else {"n_jobs": 0}
    estimator.set_params(**bad)
    before = dict(estimator.__dict__)
    with pytest.raises(ValueError, match="expected"):
        estimator.fit(X[:, :2], y)
    assert estimator.__dict__ == before
    assert estimator.n_features_in_ == X.shape[1]
