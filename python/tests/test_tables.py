"""Tables of all kinds give the same trees, without copies where that is possible."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from shared_tables import random_table
from treewright import DyadicTreeClassifier, GreedyTreeClassifier, OptimalTreeClassifier


def test_arrays_of_any_layout(rng):
    X, y = random_table(rng, 300)
    wide = np.zeros((600, 8))
    wide[::2, ::2] = X
    tree = GreedyTreeClassifier().fit(X, y).tree_
    layouts = {
        "fortran": np.asfortranarray(X),
        "strided": wide[::2, ::2],
        "reversed": X[::-1][::-1],
        "negative strides": np.ascontiguousarray(X[:, ::-1])[:, ::-1],
        "read-only": X.copy(),
        "list": X.tolist(),
        "float32": X.astype(np.float32),
        "big-endian": X.astype(">f8"),
        "object": X.astype(object),
    }
    layouts["read-only"].flags.writeable = False
    for name, layout in layouts.items():
        other = GreedyTreeClassifier().fit(layout, y)
        if name == "float32":
            assert other.score(layout, y) == GreedyTreeClassifier().fit(X, y).score(X, y)
            continue
        assert other.tree_ == tree, name
        np.testing.assert_array_equal(other.predict(layout), tree.predict(X), name)


def frames(X: pd.DataFrame):
    """The same table by other packages."""
    yield "pandas", X
    yield "nullable", X.convert_dtypes()
    yield "arrow types", X.convert_dtypes(dtype_backend="pyarrow")
    objects = X.astype(object)
    yield "objects", objects.where(objects.notna(), None)
    polars = pl.from_pandas(X)
    yield "polars", polars
    yield "polars categoricals", polars.with_columns(pl.selectors.string().cast(pl.Categorical))
    arrow = pa.Table.from_pandas(X)
    yield "arrow", arrow
    halves = [arrow.slice(0, 100), arrow.slice(100)]
    yield "arrow in chunks", pa.concat_tables(halves)
    categories = X.astype(dict.fromkeys(X.select_dtypes("object").columns, "category"))
    yield "categories", categories
    yield "arrow dictionaries", pa.Table.from_pandas(categories)


@pytest.mark.parametrize("name", ["titanic", "shop"])
def test_frames_of_any_package(name, read):
    X, y = read(name)
    X = X.astype(dict.fromkeys(X.select_dtypes(exclude="number").columns, object))
    kinds = [GreedyTreeClassifier(max_depth=4), OptimalTreeClassifier(), DyadicTreeClassifier(k=2)]
    for estimator in kinds:
        expected = estimator.fit(X, y).tree_
        answers, shares = estimator.predict(X), estimator.predict_proba(X)
        for kind, frame in frames(X):
            estimator.fit(frame, y)
            assert estimator.tree_ == expected, kind
            np.testing.assert_array_equal(estimator.predict(frame), answers, kind)
            np.testing.assert_array_equal(estimator.predict_proba(frame), shares, kind)
            assert list(estimator.feature_names_in_) == list(X.columns), kind


def test_targets_of_any_package(read):
    X, y = read("titanic")
    tree = GreedyTreeClassifier(max_depth=2).fit(X, y).tree_
    for target in (
        y.astype("category"),
        y.to_list(),
        pl.Series(y),
        pa.array(y),
        y.to_numpy(object),
    ):
        assert GreedyTreeClassifier(max_depth=2).fit(X, target).tree_.nodes == tree.nodes


def test_columns_go_by_their_names(read):
    X, y = read("shop")
    tree = GreedyTreeClassifier(max_depth=3).fit(X, y)
    shuffled = X[list(X.columns[::-1])]
    np.testing.assert_array_equal(tree.tree_.predict(shuffled), tree.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        tree.predict(shuffled)


def test_categories_of_arrays():
    codes = np.array([[3, 0.5], [3, 1.5], [7, 0.5], [7, 1.5], [11, 0.5], [np.nan, 0.5]])
    y = ["a", "a", "b", "b", "a", "b"]
    for given in ([0], [True, False], np.array([True, False])):
        tree = GreedyTreeClassifier(categorical_features=given, missing="branch").fit(codes, y)
        assert tree.tree_._model.features[0] == ("x0", ["11", "3", "7"])
        assert tree.score(codes, y) == 1.0
        # A category that was never seen counts as missing.
        assert tree.predict([[99, 0.5]])[0] == "b"
    texts = np.array([["red", 1], ["red", 2], ["blue", 1], [None, 2]], dtype=object)
    tree = GreedyTreeClassifier(categorical_features=[0], missing="branch").fit(texts, [0, 0, 1, 2])
    assert tree.predict(texts).tolist() == [0, 0, 1, 2]
    frame = pd.DataFrame({"size": [1, 1, 2, 3], "x": [0.1, 0.2, 0.3, 0.4]})
    tree = GreedyTreeClassifier(categorical_features=["size"]).fit(frame, [0, 0, 1, 0])
    assert tree.tree_._model.features[0] == ("size", ["1", "2", "3"])


def test_odd_columns_of_frames():
    y = ["a", "b", "a", "b"]
    batch = pa.record_batch({"x": [1.0, 2.0, 1.0, 2.0], "c": ["u", "v", "u", None]})
    assert GreedyTreeClassifier().fit(batch, y).score(batch, y) == 1.0
    holes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None], pa.uint8()), ["u", None, "v"])
    tree = GreedyTreeClassifier().fit(pa.table({"c": holes}), y).tree_
    assert tree._model.features == [("c", ["u", "v"])]
    categorical = pl.DataFrame({"c": pl.Series(["a", None, "b", "a"], dtype=pl.Categorical)})
    GreedyTreeClassifier().fit(categorical.to_arrow(), y)
    cells = np.array([["u"], [pd.NA], ["v"], [None]], dtype=object)
    tree = GreedyTreeClassifier(categorical_features=[0]).fit(cells, y).tree_
    assert tree._model.features == [("x0", ["u", "v"])]
    with pytest.raises(ValueError, match="class of row 2 is missing"):
        rows = pd.DataFrame({"x": [1.0, 2.0]})
        GreedyTreeClassifier().fit(rows, pd.Series(["a", None], dtype="string"))
    flags = pd.DataFrame({"b": [True, False, True, False]})
    tree = GreedyTreeClassifier(categorical_features=["b"]).fit(flags, y).tree_
    assert tree._model.features == [("b", ["False", "True"])]
    np.testing.assert_array_equal(tree.predict(flags.astype(object)), y)
    lists = pl.DataFrame({"deep": [[1], [2], [3], [4]]})
    for odd in (lists, lists.to_arrow(), pd.DataFrame({"deep": np.arange(4) + 1j})):
        with pytest.raises(ValueError, match="column 'deep'"):
            GreedyTreeClassifier().fit(odd, y)
    with pytest.raises(ValueError, match="collect"):
        GreedyTreeClassifier().fit(lists.lazy(), y)


def test_what_is_no_table_is_refused(rng):
    X, y = random_table(rng, 50)
    dates = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=50), "x": X[:, 0]})
    with pytest.raises(ValueError, match="column 'day': dates"):
        GreedyTreeClassifier().fit(dates, y)
    with pytest.raises(ValueError, match="column 'day': dates"):
        GreedyTreeClassifier().fit(pl.from_pandas(dates), y)
    texts = pd.DataFrame({"name": ["a"] * 50})
    with pytest.raises(ValueError, match="holds categories"):
        GreedyTreeClassifier(categorical_features=None).fit(texts, y)
    tree = GreedyTreeClassifier().fit(pd.DataFrame({"name": X[:, 0]}), y)
    with pytest.raises(ValueError, match="learned from numbers"):
        tree.predict(texts)
    infinite = X.copy()
    infinite[17, 2] = np.inf
    with pytest.raises(ValueError, match='row 18, column "x2": inf is not a finite number'):
        GreedyTreeClassifier().fit(infinite, y)
    with pytest.raises(ValueError, match="row 4"):
        GreedyTreeClassifier().fit(X, [*["a"] * 3, None, *["b"] * 46])
    with pytest.raises(ValueError, match="sample_weight, row 2"):
        GreedyTreeClassifier().fit(X, y, sample_weight=[1, -1, *[1] * 48])
    with pytest.raises(ValueError, match="at least one non-zero"):
        GreedyTreeClassifier().fit(X, y, sample_weight=np.zeros(50))
    with pytest.raises(ValueError, match="empty text cannot be a class"):
        GreedyTreeClassifier().fit(X, ["", "a"] * 25)


def test_strange_names_do_no_harm(rng):
    X, y = random_table(rng, 60)
    names = ["", "y", "</script><script>alert(1)</script>", '"; DROP TABLE x; --']
    tree = GreedyTreeClassifier().fit(pd.DataFrame(X, columns=names), pd.Series(y, name="y"))
    assert len(set(tree.tree_.feature_names)) == 4
    assert tree.tree_._model.target not in tree.tree_.feature_names


def test_no_copy_of_columns():
    """A table of 160 MB by columns: what learning needs besides is less than that."""
    script = """
        import resource
        import numpy as np
        from treewright import OptimalTreeClassifier, GreedyTreeClassifier, _native, _table

        X = np.asfortranarray(np.random.default_rng(0).normal(size=(1_000_000, 20)))
        y = (X[:, 0] > 0).astype(int)
        GreedyTreeClassifier().fit(X[:100], y[:100])

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

        before = peak()
        tree = GreedyTreeClassifier()
        table = tree._learning_table(X, y, None)
        print(peak() - before)
        tree.max_depth = 1
        tree.fit(X, y).predict(X)
    """
    run = [sys.executable, "-c", textwrap.dedent(script)]
    output = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    # The classes alone are a few megabytes; the table would be 160.
    assert float(output) < 80
