"""`explore`: frames, arrays and files, the report as estimators, and what is refused."""

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from treewright import GreedyTreeClassifier, explore, load_model, save_model

ROOT = Path(__file__).parents[2]
TITANIC = ROOT / "testdata" / "tables" / "titanic.csv"
PRICES = ROOT / "testdata" / "tables" / "prices.csv"


@pytest.fixture(scope="module")
def frame():
    return pd.read_csv(TITANIC)


@pytest.fixture(scope="module")
def report(frame):
    return explore(frame, target="survived")


def test_the_best_tree_is_an_estimator(report, frame, tmp_path):
    best = report.best_
    X, y = frame.drop(columns="survived"), frame["survived"]
    assert best.tree_.n_leaves == report.good_enough["leaves"]
    wrong = (best.predict(X) != y).mean()
    assert wrong == pytest.approx(report.good_enough["cost"])
    assert list(best.classes_) == ["no", "yes"]
    save_model(best, tmp_path / "best.json")
    again = load_model(tmp_path / "best.json")
    assert (again.predict(X) == best.predict(X)).all()


def test_labels_are_those_of_the_target():
    X = np.arange(60.0).reshape(-1, 1)
    for y in (X[:, 0] > 30, (X[:, 0] > 30).astype(int) + 3):
        best = explore(X, y, budget=10).best_
        assert best.classes_.dtype == y.dtype
        assert (best.predict(X) == y).mean() > 0.9


def test_all_trees_and_families(report, frame):
    X = frame.drop(columns="survived")
    trees = pd.DataFrame(report.trees)
    assert {"family", "leaves", "cv_error", "cv_se", "best"} <= set(trees)
    assert trees["best"].sum() == 1
    assert len(trees) == sum(len(family["members"]) for family in report.data["families"])
    for i in (0, len(trees) // 2, -1):
        tree = report.estimator(i)
        assert tree.tree_.n_leaves == report.trees[i]["leaves"]
        tree.predict(X)
    with pytest.raises(IndexError, match="i: got 1000"):
        report.estimator(1000)
    for family in report.families:
        assert report.trees[family["tree"]]["leaves"] == family["leaves"]
    assert not all(family["dominated"] for family in report.families)


def test_a_report_can_be_pickled(report, frame):
    again = pickle.loads(pickle.dumps(report))
    X = frame.drop(columns="survived")
    assert (again.answer, again.trees) == (report.answer, report.trees)
    assert again.to_html() == report.to_html()
    assert again.to_html(rows=False) == report.to_html(rows=False)
    assert (again.best_.predict(X) == report.best_.predict(X)).all()
    assert again.estimator(0).tree_.n_leaves == report.trees[0]["leaves"]
    assert pickle.loads(pickle.dumps(again)).answer == report.answer


def test_a_page_without_rows(report, tmp_path):
    assert '"sample":{' in report.to_html()
    report.save(tmp_path / "page.html", rows=False)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == report.to_html(rows=False)
    assert '"sample":{' not in page


def test_files_are_read_as_the_program_reads_them(report, frame, tmp_path):
    figures = {"leaves", "cv_error", "cv_se"}
    expected = {name: report.good_enough[name] for name in figures}
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    for file in (TITANIC, tmp_path / "t.csv.gz", str(tmp_path / "t.tsv"), tmp_path / "t.parquet"):
        found = explore(file, target="survived").good_enough
        assert {name: found[name] for name in figures} == expected, file


def test_rows_kept_aside(frame):
    report = explore(frame, target="survived", tolerance=0.02, holdout=0.2)
    choice = report.data["choice"]
    assert choice["tolerance"] == 0.02
    assert choice["holdout"]["rows"] == 440
    assert choice["holdout"]["low"] < choice["holdout"]["error"] < choice["holdout"]["high"]
    assert "440 rows kept aside" in report.answer
    # Learned again from all rows.
    assert json.loads(report.best_.tree_.to_json())["training"]["rows"] == len(frame)
    again = pickle.loads(pickle.dumps(report))
    assert again.best_.tree_ == report.best_.tree_
    with pytest.raises(ValueError, match="only the tree of its answer"):
        again.estimator(0)


def test_numbers_are_predicted():
    report = explore(PRICES, budget=20)
    assert report.data["task"] == "regression"
    assert report.best_.tree_.n_leaves == report.good_enough["leaves"]
    table = pd.read_csv(PRICES)
    same = explore(table, target="rent", budget=20)
    assert same.good_enough["cv_error"] == pytest.approx(report.good_enough["cv_error"])


def test_misread_columns_are_told(frame):
    words = ["none", "n/a", "unknown", "-", "missing", "soon"]
    cells = [
        words[row // 9 % 6] if row % 9 == 0 else f"{row * 7919 % 997}.5"
        for row in range(len(frame))
    ]
    table = frame.assign(bmi=cells)
    with pytest.warns(UserWarning, match="bmi: all cells are numbers but 6 words"):
        explore(table, target="survived", budget=2)
    with pytest.raises(ValueError, match="column 'survived' is the target"):
        explore(table, target="survived", keep=["survived"])


def test_ids_are_left_out_and_may_be_kept(frame):
    table = frame.assign(
        customer_id=[f"C{row * 7919 % 99991:05}" for row in range(len(frame))],
        day=pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(frame)) % 300, unit="D"),
    )
    with pytest.warns(UserWarning, match="is left out"):
        report = explore(table, target="survived", budget=20)
    assert [change.split()[0] for change in report.changes] == ["customer_id", "day"]
    assert list(report.best_.feature_names_in_) == ["class", "sex", "age"]
    plain = explore(frame, target="survived", budget=20)
    assert plain.answer == report.answer
    keys = table[["customer_id", "survived"]]
    with pytest.raises(ValueError, match="leaves out all columns"):
        explore(keys, target="survived")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explore(keys.head(60), target="survived", keep=["customer_id"], budget=5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 0}, "budget: got 0"),
        ({"holdout": 0.001}, "holdout: got 0.001, expected a share that keeps at least 10"),
        ({"tolerance": 1.5}, "tolerance: got 1.5"),
        ({"target": "nobody"}, "target: there is no column 'nobody'"),
        ({"keep": ["nobody"]}, "keep: there is no column 'nobody'"),
        ({"keep": "age"}, "keep: got 'age', expected a list"),
        ({"task": "both"}, "task: got 'both'"),
    ],
)
def test_what_is_refused(frame, given, message):
    with pytest.raises(ValueError, match=message):
        explore(frame, **({"target": "survived"} | given))


def test_what_does_not_go_together(frame):
    with pytest.raises(ValueError, match="got y as well"):
        explore(frame, frame["survived"], target="survived")
    with pytest.raises(ValueError, match="an array has no names"):
        explore(np.zeros((20, 1)), np.zeros(20), target="x")
    with pytest.raises(ValueError, match="y: a file has its target"):
        explore(TITANIC, [1, 2])
    with pytest.raises(ValueError, match="class_weight: read the file"):
        explore(TITANIC, class_weight="balanced")
    with pytest.raises(FileNotFoundError):
        explore("nowhere.csv")


def test_a_report_on_one_model_has_no_estimators():
    tree = GreedyTreeClassifier().fit([[0.0], [1.0]] * 10, [0, 1] * 10).tree_
    native = tree._model.report("title")
    with pytest.raises(ValueError, match="not made by exploring"):
        native.model(0, 0)
