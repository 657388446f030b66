"""Estimators, docstrings and the guide say of every parameter what the library's tables say."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
import treewright
from treewright import (
    BackwardFeatureSelector,
    CompleteFeatureSelector,
    DyadicTreeClassifier,
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    OptimalTreeClassifier,
    _native,
    explore,
    pruning_family,
)

GUIDE = Path(__file__).parents[2] / "docs" / "python.md"
TABLES = _native.parameters()
TREES = [
    GreedyTreeClassifier,
    GreedyTreeRegressor,
    DyadicTreeClassifier,
    OptimalTreeClassifier,
]
SELECTORS = [BackwardFeatureSelector, CompleteFeatureSelector]

#: Parameters that only Python has: the program tells progress by itself.
ONLY_PYTHON = {"progress", "verbose"}
#: Parameters of the greedy learner that mean nothing to one of its two estimators.
NOT_IN = {
    "GreedyTreeClassifier": {"bins", "leaf_value"},
    "GreedyTreeRegressor": {"class_weight", "cost_matrix", "min_class_share", "pruning_cost"},
}
#: Defaults of Python that are not those of the program, and the reason.
OWN_DEFAULTS = {
    ("GreedyTreeClassifier", "ccp_alpha"): 0.0,  # as in scikit-learn: 0 does not prune
    ("GreedyTreeRegressor", "ccp_alpha"): 0.0,
    ("GreedyTreeClassifier", "pruning_cost"): "impurity",  # the meaning of scikit-learn's ccp_alpha
    ("GreedyTreeRegressor", "criterion"): "squared_error",  # gini is for classes
}
#: Names that the library writes in another way, or that no table needs.
SAME_WORDS = {"squared_error": "mse", "absolute_error": "mae"}


def name_of(estimator):
    return estimator.__name__


def tables_of(estimator):
    """The parameters of an estimator by their names in Python."""
    wanted = [
        table
        for table in TABLES
        if estimator.__name__ in table["estimators"] and table["table"] != "family"
    ]
    absent = NOT_IN.get(estimator.__name__, set())
    return {table["sklearn"]: table for table in wanted if table["sklearn"] not in {None, *absent}}


def defaults_of(function):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind == parameter.KEYWORD_ONLY
    }


def test_the_tables_name_the_estimators():
    named = {name for table in TABLES for name in table["estimators"]}
    assert named == {estimator.__name__ for estimator in TREES}
    assert {table["learner"] for table in TABLES} == {"greedy", "dyadic", "optimal"}


@pytest.mark.parametrize("estimator", TREES, ids=name_of)
def test_an_estimator_has_the_parameters_of_its_tables(estimator):
    assert set(defaults_of(estimator)) == {*tables_of(estimator), *ONLY_PYTHON}


@pytest.mark.parametrize("estimator", TREES, ids=name_of)
def test_defaults_are_those_of_the_tables(estimator):
    tables = tables_of(estimator)
    for name, default in defaults_of(estimator).items():
        own = OWN_DEFAULTS.get((estimator.__name__, name))
        if own is not None:
            assert default == own, name
        elif name in tables:
            assert means_the_same(default, tables[name]), (name, default, tables[name])


def means_the_same(default, table):
    """Is this the default of a table? It is written as the program reads it."""
    text = table["default"]
    if table["sklearn"] == "categorical_features":
        return default == "from_dtype" and text is None
    if table["sklearn"] == "random_state":
        return default is None and text == "0"
    if table["kind"] == "switch" or table["sklearn"] == "proof":
        return default is False and text is None
    if text is None or isinstance(default, str):
        return default == text
    return float(default) == float(text)


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_selectors_have_defaults_of_the_trees(selector):
    trees = defaults_of(GreedyTreeClassifier)
    own = {"criterion": "entropy", "cv": None, "resamples": None, "plain": False, "within": 0.0}
    own["categorical_splits"] = "multiway"
    for name, default in defaults_of(selector).items():
        assert default == own.get(name, trees.get(name)), name


# --- docstrings ----------------------------------------------------------------------------------


def documented(estimator):
    """The parameters that a docstring lists, with what it says behind the colon and below."""
    text = inspect.getdoc(estimator)
    section = re.search(r"Parameters\n-+\n(.*?)\n\n[A-Z]\w+\n-+\n", text, re.DOTALL).group(1)
    found = {}
    entries = re.split(r"\n(?=\S)", section)
    # Names that do not fit on one line go on below.
    joined = []
    for entry in entries:
        if joined and joined[-1].endswith(","):
            joined[-1] += " " + entry
        else:
            joined.append(entry)
    for entry in joined:
        head, _, about = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        for name in names.split(","):
            assert name.strip() not in found, f"{name} is listed twice"
            found[name.strip()] = (kind, about)
    return found


@pytest.mark.parametrize("estimator", [*TREES, *SELECTORS], ids=name_of)
def test_docstrings_list_every_parameter(estimator):
    assert set(documented(estimator)) == set(defaults_of(estimator))


@pytest.mark.parametrize("estimator", [*TREES, *SELECTORS], ids=name_of)
def test_docstrings_say_the_default(estimator):
    defaults = defaults_of(estimator)
    for name, (kind, about) in documented(estimator).items():
        assert about.strip(), name
        default = defaults[name]
        if not kind:
            assert "As in" in about or "as in" in about or name in LIMITS, name
        elif default is None and "default" not in kind:
            assert "optional" in kind, name
        else:
            written = f'"{default}"' if isinstance(default, str) else str(default)
            assert kind.endswith(f"default={written}"), (name, kind, default)


#: Their entries say what happens at the limit, and need no kind.
LIMITS = {"time_limit", "memory_limit"}


@pytest.mark.parametrize("estimator", TREES, ids=name_of)
def test_docstrings_list_the_words_of_the_tables(estimator):
    for name, (kind, _) in documented(estimator).items():
        words = re.search(r"\{(.*)\}", kind)
        allowed = tables_of(estimator).get(name, {}).get("one_of")
        if words is None:
            assert not kind or allowed is None, name
            continue
        listed = {word.strip().strip('"') for word in words.group(1).split(",")}
        listed = {SAME_WORDS.get(word, word) for word in listed}
        # Some words are for classes, others for numbers.
        few = name in ("criterion", "pruning_cost")
        assert listed < set(allowed) if few else listed == set(allowed), name


# --- the guide -----------------------------------------------------------------------------------


def rows_of_the_guide():
    """The rows of the table of parameters: its part, the names, and the flags of the program."""
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    begin = lines.index("| parameter | option of the program | |") + 2
    part = "all"
    for line in lines[begin:]:
        if not line.startswith("|"):
            return
        names, flags, _ = (cell.strip() for cell in line.strip("|").split("|"))
        bold = re.fullmatch(r"\*\*(\w+)\*\*", names)
        if bold:
            part = bold.group(1)
            continue
        names = re.findall(r"`(\w+)[^`]*`", names)
        if flags == "the same":
            flags = [f"--{name.replace('_', '-')}" for name in names]
        else:
            flags = re.findall(r"`(--[\w-]+)`", flags)
        yield part, names, flags


def test_the_guide_has_the_parameters_of_the_tables():
    for learner in ("greedy", "dyadic", "optimal"):
        rows = [row for row in rows_of_the_guide() if row[0] in ("all", learner)]
        listed = {name for _, names, _ in rows for name in names}
        tables = [table for table in TABLES if table["learner"] == learner]
        wanted = {table["sklearn"] for table in tables if table["table"] != "family"} - {None}
        assert wanted <= listed, learner
        own = {name for part, names, _ in rows if part == learner for name in names}
        assert own <= wanted, learner


def test_the_guide_names_the_flags_of_the_tables():
    for part, names, flags in rows_of_the_guide():
        learners = ["greedy", "dyadic", "optimal"] if part == "all" else [part]
        tables = [table for table in TABLES if table["learner"] in learners]
        known = {table["sklearn"]: table for table in tables}
        with_flag = [name for name in names if name not in known or known[name]["has_flag"]]
        if part == "selectors" or names[0] == "sample_weight":
            continue
        if names[0] == "proof":
            with_flag = ["proof"]
        assert flags == [f"--{known[name]['name']}" for name in with_flag], names


# --- messages ------------------------------------------------------------------------------------


def beyond(table):
    """Values that a parameter cannot have."""
    if "one_of" in table:
        return ["nonsense"]
    if table["kind"] == "penalty":
        return ["nonsense"]
    if table["sklearn"] == "random_state":
        return []  # scikit-learn refuses it
    if "at_least" in table:
        return [int(table["at_least"]) - 1]
    if "between" in table:
        low, high = table["between"]
        whole = table["kind"] == "whole"
        return [int(low) - 1, int(high) + 1] if whole else [low - 0.1, high + 0.1]
    if "below" in table:
        return [table["below"][0] - 0.1, table["below"][1]]
    if "inside" in table:
        return list(table["inside"])
    if table["kind"] in ("time", "memory"):
        return [-1]
    return []


#: What else must be given for a parameter to have a say.
TOGETHER = {
    "bins": {"criterion": "binned-gini"},
    "cv": {"select": "cv"},
    "holdout": {"select": "holdout"},
    "penalty": {"ccp_alpha": 0.1},
    "pruning_cost": {"ccp_alpha": 0.1},
    "repeats": {"select": "cv"},
}
X = np.arange(60.0).reshape(20, 3)
Y = np.arange(20) % 2


@pytest.mark.parametrize("estimator", TREES, ids=name_of)
def test_errors_name_the_parameter_as_python_does(estimator):
    n_tried = 0
    for name, table in tables_of(estimator).items():
        together = TOGETHER.get(name, {})
        together = {key: together[key] for key in together if key in defaults_of(estimator)}
        for value in beyond(table):
            with pytest.raises(ValueError, match=rf"\A{name}: got "):
                estimator(**{name: value, **together}).fit(X, Y)
            n_tried += 1
    assert n_tried >= 8


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_errors_of_selectors_name_the_parameter(selector):
    bad = {"criterion": "nonsense", "min_samples_leaf": 0, "holdout": 1.5, "cv": 1}
    bad |= {"repeats": 0, "resamples": 1, "min_gain": -1}
    bad |= {"within": -1} if selector is CompleteFeatureSelector else {}
    for name, value in bad.items():
        with pytest.raises(ValueError, match=rf"\A{name}: got"):
            selector(**{name: value}).fit(X, Y)


def test_errors_of_functions_name_the_argument():
    family = pruning_family(X, Y, cv=2)
    for name, call in {
        "weight": lambda: family.at("heavy"),
        "most_leaves": lambda: family.with_leaves(0),
        "rule": lambda: family.select("best"),
        "cost": lambda: pruning_family(X, Y, cost="mse"),
        "budget": lambda: explore(X, Y, budget=-1),
        "cv": lambda: pruning_family(X, Y, cv=1),
    }.items():
        with pytest.raises(ValueError, match=rf"\A{name}: got"):
            call()
    with pytest.raises(ValueError, match=r"\Acost: got 'mse'"):
        pruning_family(family[0], cost="mse")


def test_public_classes_belong_to_the_package():
    for name in treewright.__all__:
        public = getattr(treewright, name)
        if isinstance(public, type):
            assert public.__module__ == "treewright", name
