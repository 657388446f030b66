"""The data check."""

import datetime

import numpy as np
import pytest
import treewright


def codes(found, name):
    column = next(column for column in found["columns"] if column["name"] == name)
    return [finding["code"] for finding in column["findings"]]


def cells(n=120):
    """Columns of a table, with an id, a date, and a word among numbers."""
    rng = np.random.default_rng(1)
    start = datetime.date(2024, 1, 1)
    words = [str(number) for number in range(n)]
    words[16] = "n/a"
    return {
        "customer": [f"c{place}" for place in range(n)],
        "joined": [str(start + datetime.timedelta(days=int(d))) for d in rng.integers(0, 300, n)],
        "bmi": words,
        "x": rng.normal(size=n).tolist(),
    }


def target(n=120):
    return np.random.default_rng(2).choice(["no", "yes"], n)


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_frames(package):
    module = pytest.importorskip(package)
    X = module.table(cells()) if package == "pyarrow" else module.DataFrame(cells())
    found = treewright.check(X, target())
    assert codes(found, "customer") == ["id-text"]
    assert codes(found, "joined") == ["date"]
    assert codes(found, "bmi") == ["nearly-numeric"]
    assert codes(found, "x") == []
    assert found["rows"]["rows"] == 120
    assert "customer: nearly every row" in repr(found)
    assert "--na n/a" in repr(found)


def test_columns_of_dates():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(cells())
    X["joined"] = pandas.to_datetime(X["joined"])
    X.loc[3, "joined"] = pandas.NaT
    found = treewright.check(X, target())
    assert codes(found, "joined") == ["date"]
    assert found["columns"][1]["kind"] == "date"
    assert found["columns"][1]["missing"] == 1


def test_arrays_and_targets():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0).astype(float)
    found = treewright.check(X, y)
    assert codes(found, "x0") == ["predicts-target"]
    assert codes(found, "x1") == []
    y[:5] = np.nan
    found = treewright.check(X, y)
    assert found["rows"]["without_target"] == 5
    assert codes(found, "y") == ["missing-target"]
    assert codes(treewright.check(X, ["a"] * 200), "y") == ["single-class"]
    assert [column["role"] for column in treewright.check(X)["columns"]] == ["feature"] * 2


def test_a_column_as_target():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"x": np.arange(100) % 7, "class": ["a"] * 99 + ["b"]})
    assert codes(treewright.check(X, "class"), "class") == ["class-imbalance"]
    with pytest.raises(ValueError, match="no column 'z'"):
        treewright.check(X, "z")
    with pytest.raises(ValueError, match="task"):
        treewright.check(X, "class", task="other")
