"""Arrays that lend their memory to a fit, and go away as soon as they can.

For a run under valgrind (`tests/python/sanitize`), which sees every read of memory that was given back.
"""

import gc
import threading

import numpy as np
import treewright

LEARNERS = [
    lambda: treewright.GreedyTreeClassifier(max_depth=3),
    lambda: treewright.DyadicTreeClassifier(k=2),
    lambda: treewright.OptimalTreeClassifier(max_depth=1),
]


def layouts(rng):
    """The same numbers in all layouts: columns lent, copied, a view of a larger array, read-only."""
    numbers = rng.normal(size=(60, 3)).round(2)
    frozen = np.asfortranarray(numbers)
    frozen.flags.writeable = False
    holes = np.asfortranarray(numbers)
    holes[::7, 1] = np.nan
    return [
        np.asfortranarray(numbers),
        np.ascontiguousarray(numbers),
        np.asfortranarray(np.tile(numbers, (2, 2)))[:60, :3],
        frozen,
        holes,
        np.asfortranarray(-np.abs(numbers)) * 0.0,
    ]


def fit_and_forget(learner, arrays, classes):
    """The only references are the arguments; they are gone before the tree is used."""
    estimator = learner()
    estimator.fit(arrays.pop(), classes)
    gc.collect()
    return estimator.tree_.to_json()


def main():
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 3, size=60)
    n_fits = 0
    for learner in LEARNERS:
        alone = [fit_and_forget(learner, [layout], classes) for layout in layouts(rng)]
        n_fits += len(alone)
        # Many fits at once, whose arrays die at different times while memory is taken and given back.
        threads = [
            threading.Thread(target=fit_and_forget, args=(learner, [layout], classes))
            for layout in layouts(rng)
        ]
        for thread in threads:
            thread.start()
        for _ in range(50):
            np.empty(60 * 3).fill(np.nan)
        for thread in threads:
            thread.join()
        n_fits += len(threads)
    # The predictions borrow, too.
    estimator = LEARNERS[0]().fit(layouts(rng)[0], classes)
    for layout in layouts(rng):
        estimator.predict(layout)
        estimator.predict_proba(layout)
    print(f"{n_fits} fits on lent arrays")


if __name__ == "__main__":
    main()
