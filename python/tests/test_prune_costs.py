"""Pruning anybody's tree, given by children and costs."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright import from_sklearn, prune_costs

CHILDREN = [[1, 2], [3, 4], [5, 6, 7], [], [], [], [], []]
COSTS = [10, 4, 3.5, 1, 1.5, 0.5, 0.25, 0.75]


def prunings(children, costs, node=0):
    """All prunings: kept nodes, leaves, cost."""
    yield {node}, 1, costs[node]
    if children[node]:
        ways = [({node}, 0, Fraction(0))]
        for child in children[node]:
            below = list(prunings(children, costs, child))
            ways = [(a | x, b + y, c + z) for a, b, c in ways for x, y, z in below]
        yield from ways


def random_tree(rng):
    children = [[]]
    for node in range(1, rng.integers(1, 12)):
        children[rng.integers(node)].append(node)
        children.append([])
    return children, rng.integers(0, 40, len(children))


def test_the_best_of_all_prunings():
    rng = np.random.default_rng(4)
    for _ in range(300):
        children, tenths = random_tree(rng)
        costs = [Fraction(int(cost), 10) for cost in tenths]
        ways = {tuple(sorted(kept)): rest for kept, *rest in prunings(children, costs)}
        alpha = Fraction(int(rng.integers(40)), int(rng.integers(1, 9)))
        penalties = {"linear": range(1, 13), "list": np.cumsum(rng.integers(1, 9, 12)).tolist()}
        for name, penalty in penalties.items():
            best = min((cost + alpha * penalty[n - 1], n) for n, cost in ways.values())
            given = name if name == "linear" else penalty
            found = prune_costs(children, tenths / 10, penalty=given, alpha=str(alpha))
            leaves, cost = ways[tuple(found["kept"])]
            assert (cost + alpha * penalty[leaves - 1], leaves) == best
            assert (found["leaves"], found["cost"], found["exact"]) == (leaves, float(cost), True)
        least = {}
        for leaves, cost in ways.values():
            least[leaves] = min(cost, least.get(leaves, cost))
        sizes = prune_costs(children, tenths / 10, all_sizes=True)
        assert sizes == [{"leaves": n, "cost": float(least[n])} for n in sorted(least)]


def test_families_and_sizes():
    family = prune_costs(CHILDREN, COSTS, family=True)
    assert [member["leaves"] for member in family] == [1, 2, 3, 5]
    assert [member["lambda_low"] for member in family] == [2.5, 1.5, 1, 0]
    assert [member["lambda_high"] for member in family] == [np.inf, 2.5, 1.5, 1]
    for member in family:
        taken = prune_costs(CHILDREN, COSTS, alpha=member["lambda_low"])
        assert taken["kept"] == member["kept"]
    assert prune_costs(CHILDREN, COSTS, leaves=2)["kept"] == [0, 1, 2]
    assert prune_costs(CHILDREN, COSTS, max_cost=6)["leaves"] == 3
    assert len(prune_costs(CHILDREN, COSTS, family=True, penalty="log")) == 2


GROWN = [
    DecisionTreeClassifier(random_state=0).fit(*load_breast_cancer(return_X_y=True)),
    DecisionTreeClassifier(random_state=1, criterion="entropy").fit(*load_iris(return_X_y=True)),
    DecisionTreeRegressor(random_state=0, max_leaf_nodes=60).fit(*load_diabetes(return_X_y=True)),
]


@pytest.mark.parametrize("place", range(3))
def test_the_path_of_scikit_learn(place):
    tree = GROWN[place]
    load = [load_breast_cancer, load_iris, load_diabetes][place]
    path = tree.cost_complexity_pruning_path(*load(return_X_y=True))
    family = prune_costs(*from_sklearn(tree), family=True)
    # scikit-learn lists a weight again where rounding parts equal ones, and the whole tree.
    alphas, impurities = path.ccp_alphas, path.impurities
    lasts = np.append(np.diff(alphas) > 1e-9 * alphas[-1], True)
    np.testing.assert_allclose(
        [member["lambda_low"] for member in family], alphas[lasts][::-1], rtol=1e-7, atol=1e-12
    )
    np.testing.assert_allclose([member["cost"] for member in family], impurities[lasts][::-1])


def test_errors_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    tree = GROWN[1]
    children, costs = from_sklearn(tree, "error")
    whole = prune_costs(children, costs, alpha=0)
    assert whole["cost"] == pytest.approx(1 - tree.score(X, y), abs=1e-12)
    assert costs[0] == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="for a tree that predicts numbers"):
        from_sklearn(GROWN[2], "error")
    for wrong in (DecisionTreeClassifier(), 3):
        with pytest.raises(ValueError, match="expected a fitted decision tree"):
            from_sklearn(wrong)
    with pytest.raises(ValueError, match="cost: got 'mse'"):
        from_sklearn(tree, "mse")


@pytest.mark.parametrize(
    ("children", "costs", "options", "message"),
    [
        ([[1], [0]], [1, 1], {"alpha": 1}, "node 0 is the root"),
        ([[1, 2], [2], []], [1, 1, 1], {"alpha": 1}, "a child of node 0 already"),
        ([[2**70]], [1], {"alpha": 1}, "there are only nodes 0 to 0"),
        ([[1.5], []], [1, 1], {"alpha": 1}, "a list of whole numbers"),
        ([1, 2], [1, 1], {"alpha": 1}, "a list of whole numbers"),
        ([[]], [np.nan], {"alpha": 1}, "cost: node 0 has NaN"),
        ([[]], [[1]], {"alpha": 1}, "got the shape"),
        ([[]], ["x"], {"alpha": 1}, "expected a number for each node"),
        ([[]], [1, 2], {"alpha": 1}, "cost: 2 for 1 nodes"),
        ([[]], [1], {}, "got none, expected one of alpha"),
        ([[]], [1], {"alpha": 1, "leaves": 2}, "got alpha and leaves"),
        ([[]], [1], {"alpha": -1}, "alpha: got -1"),
        ([[]], [1], {"leaves": 0}, "leaves: got 0"),
        ([[]], [1], {"max_cost": 0.5}, "max_cost: got 0.5"),
        ([[]], [1], {"alpha": 1, "penalty": "cube"}, "cube"),
        ([[]], [1], {"alpha": 1, "penalty": 3}, "a name or a list of numbers"),
        ([[1, 2], [], []], [1, 1, 1], {"alpha": 1, "penalty": [2, 1]}, "2"),
    ],
)
def test_what_is_refused(children, costs, options, message):
    with pytest.raises(ValueError, match=message):
        prune_costs(children, costs, **options)
