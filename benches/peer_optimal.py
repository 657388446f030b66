"""One peer learns an optimal tree, in a process of its own: fit_optimal.py ends it at a time limit.

    python benches/peer_optimal.py PEER TABLE.npz DEPTH LIMIT REPEATS

Prints a JSON line for each run: CPU milliseconds of fitting alone, errors on the rows, and whether
the peer says that the tree is the best.
"""

import json
import sys
import time
import warnings

import numpy as np

LONG_ENOUGH = 4.0  # no further run starts after this many seconds


def pycontree(depth, limit):
    """Exact as it stands: no gap, no price for a node."""
    from pycontree import ConTree

    return ConTree(max_depth=depth, max_gap=0, complexity_cost=0.0, time_limit=limit)


def pytrees(depth, limit):
    """Exact as it stands: no gap, no discrepancies."""
    from pytrees import ConTreeClassifier

    return ConTreeClassifier(max_depth=depth, max_gap=0, max_time=limit)


def greedy(depth, _limit):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=depth, random_state=0)


PEERS = {
    "pycontree": pycontree,
    "pytrees": pytrees,
    "greedy": greedy,
}


def is_proven(name, model, warned):
    if name == "greedy":
        return False
    if name == "pycontree":
        return not any("time limit" in str(it.message) for it in warned)
    return model.status_ == "optimal"


def main():
    name, table, depth, limit, repeats = sys.argv[1:]
    depth, limit, repeats = int(depth), float(limit), int(repeats)
    with np.load(table) as arrays:
        x, y = arrays["x"], arrays["y"]
    make = PEERS[name]
    # What is loaded at the first fit is not part of it.
    make(1, limit).fit(x[:50], np.arange(len(x[:50])) % 2)
    start = time.perf_counter()
    for _ in range(repeats):
        model = make(depth, limit)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            before = time.process_time()
            model.fit(x, y)
            seconds = time.process_time() - before
        line = {
            "ms": seconds * 1e3,
            "errors": int((model.predict(x) != y).sum()),
            "optimal": is_proven(name, model, caught),
        }
        print(json.dumps(line), flush=True)
        if time.perf_counter() - start > LONG_ENOUGH:
            break


if __name__ == "__main__":
    main()
