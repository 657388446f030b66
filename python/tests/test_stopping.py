"""Ctrl-C, time limits, progress and threads."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from treewright import (
    BackwardFeatureSelector,
    CompleteFeatureSelector,
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    OptimalTreeClassifier,
    distinct_trees,
)


@pytest.fixture(autouse=True)
def ctrl_c_raises():
    """Programs that are started in the background may ignore Ctrl-C from the beginning."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def hard_table(n_rows=3000, n_features=20, n_classes=2):
    rng = np.random.default_rng(3)
    return rng.normal(size=(n_rows, n_features)), rng.integers(0, n_classes, n_rows)


def interrupted(work, after=0.5):
    """Runs something and sends Ctrl-C; how long after that it ended."""
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        return time.perf_counter() - sent[0]
    finally:
        timer.cancel()


SEARCHES = [
    OptimalTreeClassifier(max_depth=4, time_limit=60),
    DyadicTreeClassifier(kappa=0.01, time_limit=60),
    CompleteFeatureSelector(time_limit=60),
    GreedyTreeClassifier(select="cv", cv=1000, time_limit=60),
]


@pytest.mark.parametrize("estimator", SEARCHES, ids=lambda it: type(it).__name__)
def test_ctrl_c_keeps_the_best_so_far(estimator):
    X, y = hard_table()
    seconds = min(interrupted(lambda: estimator.fit(X, y)) for _ in range(2))
    # The promise is 0.1 s on an idle machine; this one may be busy.
    assert seconds < 1.0
    assert len(estimator.apply(X)) == len(y)
    if isinstance(estimator, OptimalTreeClassifier | DyadicTreeClassifier):
        certificate = estimator.certificate_
        assert not certificate["optimal"]
        assert 0 <= certificate["lower_bound"] < certificate["objective"]


def test_a_time_limit_keeps_the_best_so_far():
    X, y = hard_table()
    start = time.perf_counter()
    tree = OptimalTreeClassifier(max_depth=4, time_limit=0.3).fit(X, y)
    assert time.perf_counter() - start < 5
    certificate = tree.certificate_
    assert not certificate["optimal"] and 0 < certificate["gap"] <= 1
    greedy = GreedyTreeClassifier(max_depth=4, missing="branch").fit(X, y)
    assert tree.score(X, y) >= greedy.score(X, y)


def test_progress_is_told_and_may_stop():
    X, y = hard_table()
    told = []
    OptimalTreeClassifier(
        max_depth=4, time_limit=1.0, progress=lambda *news: told.append(news)
    ).fit(X, y)
    assert told and all(isinstance(text, str) for _, _, text in told)

    def refuse(done, total, text):
        raise RuntimeError("that is enough")

    tree = OptimalTreeClassifier(max_depth=4, progress=refuse)
    with pytest.raises(RuntimeError, match="that is enough"):
        tree.fit(X, y)
    assert tree.tree_.n_leaves >= 1


def test_verbose_tells_on_standard_error(capfd):
    X, y = hard_table()
    OptimalTreeClassifier(max_depth=4, time_limit=0.6, verbose=1).fit(X, y)
    captured = capfd.readouterr()
    assert "[OptimalTreeClassifier]" in captured.err and captured.out == ""


def test_other_threads_run_meanwhile():
    X, y = hard_table()
    tree = OptimalTreeClassifier(max_depth=4, time_limit=1.0)
    fit = threading.Thread(target=tree.fit, args=(X, y))
    ticks = 0
    fit.start()
    while fit.is_alive():
        ticks += 1
        time.sleep(0.005)
    assert ticks > 40


def test_two_fits_run_in_parallel():
    """Both are given a second: one after the other they would take two."""
    X, y = hard_table()
    trees = [OptimalTreeClassifier(max_depth=4, time_limit=1.0) for _ in range(2)]
    threads = [threading.Thread(target=tree.fit, args=(X, y)) for tree in trees]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.perf_counter() - start < 1.9
    assert all(tree.tree_.n_leaves > 1 for tree in trees)


@pytest.mark.parametrize(
    "estimator",
    [
        GreedyTreeClassifier(select="1se"),
        DyadicTreeClassifier(k=2),
        OptimalTreeClassifier(),
    ],
    ids=lambda it: type(it).__name__,
)
def test_threads_do_not_change_the_tree(estimator):
    X, y = hard_table(400, 5, 3)
    trees = [estimator.set_params(n_jobs=jobs).fit(X, y).tree_ for jobs in (None, 2, -1)]
    assert trees[0] == trees[1] == trees[2]


def test_distinct_trees_are_lazy():
    X, y = hard_table(2000, 30)
    start = time.perf_counter()
    with distinct_trees(X, y, max_depth=8) as trees:
        first = [next(trees) for _ in range(5)]
    # All of them would take years.
    assert time.perf_counter() - start < 20
    assert len({tree.to_rules() for tree in first}) == 5
    assert trees.count is None
    with pytest.raises(StopIteration):
        next(trees)


def test_distinct_trees_stop_by_ctrl_c():
    X, y = hard_table(2000, 30)

    def all_of_them():
        for _ in distinct_trees(X, y, max_depth=8, time_limit=60):
            pass

    assert interrupted(all_of_them) < 1.0


def test_a_fork_has_no_search():
    X, y = hard_table(500, 10)
    trees = distinct_trees(X, y, max_depth=4)
    next(trees)
    child = os.fork()
    if child == 0:
        try:
            next(trees)
        except RuntimeError:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    trees.close()


@pytest.mark.parametrize("in_pool", [False, True], ids=["worker", "pool"])
def test_a_panic_is_an_exception_at_once(in_pool):
    """A panic that nobody hears of would block the interpreter, so it happens in another one."""
    program = f"""
        import numpy as np
        from treewright import _native
        from treewright._arguments import limits

        column = np.arange(4.0)
        target = ("y", ["a", "b"], np.zeros(4, dtype=np.uint32))
        table = _native.Table([("x", column, None)], target, [])
        bounds = limits(2, None, None, 0, None, "test")
        try:
            _native.panic_for_tests(table, {in_pool}, bounds)
        except RuntimeError as error:
            print(error)
        """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "this is a bug of treewright" in run.stdout and "a test panics" in run.stdout
    assert run.stderr == ""


WRITTEN_INTO = [
    GreedyTreeClassifier(),
    GreedyTreeClassifier(select="cv", cv=5),
    DyadicTreeClassifier(k=3, time_limit=1),
    OptimalTreeClassifier(max_depth=3, time_limit=0.3),
    BackwardFeatureSelector(time_limit=0.3),
    CompleteFeatureSelector(time_limit=0.3),
]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("estimator", WRITTEN_INTO, ids=lambda it: type(it).__name__)
def test_an_array_may_be_written_into_during_a_fit(estimator, n_jobs):
    """An error, or a tree of what was read; never a wait without end."""
    X, y = hard_table(2000, 4)
    X = np.asfortranarray(X)
    stop = threading.Event()

    def write():
        rng = np.random.default_rng(1)
        values = np.array([0.0, -1e300, np.nan, np.inf, 1e-320, 7.0])
        while not stop.is_set():
            X[rng.integers(0, len(X), 50), rng.integers(0, 4, 50)] = rng.choice(values, 50)
            time.sleep(0.0001)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            X[:] = hard_table(2000, 4)[0]
            try:
                estimator.set_params(n_jobs=n_jobs).fit(X, y)
            except (RuntimeError, ValueError):
                continue
    finally:
        stop.set()
        writer.join()


def test_a_table_that_changed_is_refused():
    X, y = hard_table(3000, 4)
    X = np.asfortranarray(X)

    def change(done, total, text):
        X[17, 2] += 1

    tree = OptimalTreeClassifier(max_depth=4, time_limit=1.0, progress=change)
    with pytest.raises(RuntimeError, match="was written into while a tree was learned from it"):
        tree.fit(X, y)
    assert not hasattr(tree, "tree_")


LIMITED = [
    GreedyTreeClassifier(),
    GreedyTreeClassifier(select="cv", cv=5),
    DyadicTreeClassifier(ccp_alpha=1e-6),
    DyadicTreeClassifier(select="cv", k=2),
    OptimalTreeClassifier(max_depth=3),
]


@pytest.mark.parametrize("limit", [{"time_limit": 0}, {"memory_limit": 1}], ids=["time", "memory"])
@pytest.mark.parametrize("estimator", LIMITED, ids=lambda it: type(it).__name__)
def test_every_estimator_obeys_its_limits(estimator, limit):
    """No time at all, or no memory: a leaf, or little more, and nothing is claimed about it."""
    X, y = hard_table(30_000, 6, 200)
    tree = clone(estimator).set_params(**limit).fit(X, y)
    assert tree.stopped_
    # A tree of all rows has tens of thousands of leaves.
    assert tree.get_n_leaves() < 2000


@pytest.mark.parametrize("selector", [BackwardFeatureSelector, CompleteFeatureSelector])
def test_a_selection_without_time_selects_all(selector):
    X, y = hard_table(30_000, 5)
    found = selector(time_limit=0).fit(X, y)
    assert found.selection_["stopped"] and found.get_support().all()
    assert np.isnan(found.selection_["search_error"])


def test_distinct_trees_without_time_are_none():
    X, y = hard_table(300, 5)
    trees = distinct_trees(X, y, time_limit=0)
    assert list(trees) == [] and not trees.count["complete"]
