"""What all estimators have in common: tables in, trees out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from . import _native, _table
from ._tree import Tree

#: Called with units done, units in all (0 while unknown) and what else there is to say.
Progress = Callable[[int, int, str], object]


class TreeBase(BaseEstimator):
    """Learns from tables of any kind, with limits, progress and Ctrl-C."""

    # --- from arguments to the core --------------------------------------------------------------

    def _learning_table(
        self, X: Any, y: Any, sample_weight: Any, *, numbers: bool = False
    ) -> _native.Table:
        """The table to learn from. Sets ``n_features_in_``, ``feature_names_in_`` and
        ``classes_``."""
        if type(X).__module__.startswith("polars") and type(X).__name__ == "LazyFrame":
            raise ValueError("a polars LazyFrame has no rows yet: call collect() first")
        if y is None:
            name = type(self).__name__
            raise ValueError(
                f"This {name} estimator requires y to be passed, but the target y is None."
            )
        target = str(getattr(y, "name", None) or "y")
        categorical = self.categorical_features
        if _table.is_frame(X):
            validate_data(self, X=X, y=y, skip_check_array=True)
            if X.shape[0] == 0 or X.shape[1] == 0:
                raise ValueError(f"Found array with 0 sample(s) or 0 feature(s) (shape={X.shape})")
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
            force = self._categorical_places(_table.column_names(X), X.shape[1])
            from_dtype = isinstance(categorical, str) and categorical == "from_dtype"
            columns = _table.frame_columns(X, force, texts_allowed=from_dtype)
        else:
            force = self._categorical_places(None, None)
            # Cells are checked in the core, together with everything else that is read there.
            X, y = validate_data(
                self,
                X,
                y,
                dtype=None if force else np.float64,
                ensure_all_finite="allow-nan" if force else False,
            )
            force = self._categorical_places(None, X.shape[1])
            columns = _table.array_columns(X, force)
        names = _table.column_names(X)
        if names is None:
            names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        names = names or [f"x{place}" for place in range(len(columns))]
        taken: set[str] = set()
        names = _table.distinct_names(names, taken)
        (target,) = _table.distinct_names([target], taken)
        features, na = _table.to_learn(columns, names)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, X if not _table.is_frame(X) else y, dtype=np.float64
            )
            weights = np.ascontiguousarray(weights)
        if numbers:
            truths = np.ascontiguousarray(self._numbers(y))
            return _native.Table(features, (target, None, truths), na, weights, None)
        classes = self._classes(y)
        class_weight = self._class_weight()
        return _native.Table(features, (target, *classes), na, weights, class_weight)

    def _numbers(self, y: np.ndarray) -> np.ndarray:
        y = np.asarray(y, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(y))
        if len(bad):
            raise ValueError(
                f"Input y contains NaN or infinity: the number of row {bad[0] + 1} is {y[bad[0]]}"
            )
        return y

    def _classes(self, y: np.ndarray) -> tuple[list[str], np.ndarray]:
        labels, codes = _distinct(y)
        missing = [label for label in labels.tolist() if _table.is_missing(label)]
        if missing:
            row = next(row for row, label in enumerate(y.tolist()) if _table.is_missing(label))
            raise ValueError(f"Input y contains NaN: the class of row {row + 1} is missing")
        # It looks at every row; what it finds out is the same for three rows of each class.
        check_classification_targets(np.tile(labels, 3) if 3 * len(labels) < len(y) else y)
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("Input y contains NaN or infinity")
        texts = [str(label) for label in labels.tolist()]
        if "" in texts:
            raise ValueError(
                "y: the empty text cannot be a class, because in files it is a missing cell"
            )
        if len(set(texts)) < len(texts):
            twice = next(text for text in texts if texts.count(text) > 1)
            raise ValueError(f"y: two different classes are both written {twice!r}")
        self.classes_ = labels
        return texts, codes.astype(np.uint32)

    def _class_weight(self) -> Any:
        given = getattr(self, "class_weight", None)
        if not isinstance(given, Mapping):
            return given
        known = {label: str(label) for label in self.classes_.tolist()}
        unknown = [label for label in given if label not in known]
        if unknown:
            raise ValueError(
                f"class_weight: {unknown[0]!r} is not a class (classes: {list(known)})"
            )
        return {known[label]: float(weight) for label, weight in given.items()}

    def _categorical_places(self, names: list[str] | None, n_features: int | None) -> set[int]:
        """The columns that are categories by the user's word."""
        given = self.categorical_features
        if given is None or isinstance(given, str) and given == "from_dtype":
            return set()
        if isinstance(given, str):
            given = [given]
        given = np.asarray(given)
        if given.size == 0:
            return set()
        if given.ndim != 1:
            raise ValueError(
                "categorical_features: expected a mask, indices, names or 'from_dtype'"
            )
        if given.dtype.kind == "b":
            if n_features is not None and len(given) != n_features:
                raise ValueError(
                    f"categorical_features: a mask of {len(given)} for {n_features} features"
                )
            return set(np.flatnonzero(given).tolist())
        if given.dtype.kind in "iu":
            places = set(given.tolist())
            if min(places) < 0 or n_features is not None and max(places) >= n_features:
                raise ValueError(
                    f"categorical_features: indices must be from 0 to below {n_features}"
                )
            return places
        if names is None:
            raise ValueError("categorical_features: names need a table whose columns have names")
        missing = [name for name in given.tolist() if name not in names]
        if missing:
            raise ValueError(f"categorical_features: there is no column {missing[0]!r}")
        return {names.index(name) for name in given.tolist()}

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A fit that fails leaves everything as it was; one that is stopped leaves a new tree."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            if self.__dict__.get("tree_") is before.get("tree_"):
                self.__dict__.clear()
                self.__dict__.update(before)
            raise

    def _limits(self) -> dict[str, Any]:
        return limits(
            self.n_jobs,
            self.time_limit,
            self.memory_limit,
            self.verbose,
            self.progress,
            type(self).__name__,
        )

    def _seed(self) -> int:
        return seed(self.random_state)

    # --- the fitted tree -------------------------------------------------------------------------

    def _keep(self, model: _native.Model) -> None:
        labels = getattr(self, "classes_", None)
        self.tree_ = Tree(model, labels)
        self.certificate_ = self.tree_.certificate
        is_proven = self.certificate_ is None or self.certificate_["optimal"]
        self.stopped_ = not is_proven or "stopped" in self.tree_.learner["params"]
        self.__dict__.pop("proof_", None)
        if model.proof is not None:
            self.proof_ = model.proof

    def _rows(self, X: Any) -> _native.Table:
        """The rows of a table as the tree wants them."""
        if _table.is_frame(X):
            validate_data(self, X=X, reset=False, skip_check_array=True)
        else:
            has_categories = any(
                categories is not None for _, categories in self.tree_._model.features
            )
            dtype = None if has_categories else np.float64
            finite = "allow-nan" if has_categories else False
            X = validate_data(self, X, reset=False, dtype=dtype, ensure_all_finite=finite)
        return _table.to_predict(X, self.tree_._model)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row. Of a row that is distributed over several, the heaviest one."""
        check_is_fitted(self)
        return self.tree_._model.apply(self._rows(X))

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, as a sparse matrix of rows and nodes."""
        check_is_fitted(self)
        from scipy.sparse import csr_matrix

        begins, nodes = self.tree_._model.decision_path(self._rows(X))
        shape = (len(begins) - 1, self.tree_.n_nodes)
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, begins), shape=shape)

    def get_depth(self) -> int:
        """Number of edges on the longest way from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """For each feature its share of what all splits gain."""
        check_is_fitted(self)
        return self.tree_.feature_importances

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which the program ``treewright`` reads, too."""
        check_is_fitted(self)
        self.tree_.save(path)

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None) -> None:
        """Writes a page for a browser that shows the tree, or the whole family if there is one;
        with ``X`` and ``y`` also what it does to these rows."""
        check_is_fitted(self)
        getattr(self, "family_", self.tree_).report(path, X, y)

    def plot(self, **options: Any) -> Any:
        """Draws the tree with matplotlib; see :meth:`treewright.Tree.plot`."""
        check_is_fitted(self)
        return self.tree_.plot(**options)

    def plot_partition(self, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Draws the plane of two features; see :meth:`treewright.Tree.plot_partition`."""
        check_is_fitted(self)
        return self.tree_.plot_partition(X, y, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _exporter(name: str, what: str) -> Callable[..., Any]:
    def export(self: TreeBase, *args: Any, **options: Any) -> Any:
        check_is_fitted(self)
        return getattr(self.tree_, f"to_{name}")(*args, **options)

    export.__name__ = export.__qualname__ = f"export_{name}"
    export.__doc__ = f"{what}; see :meth:`treewright.Tree.to_{name}`."
    return export


for _name, _what in {
    "json": "The text of a model file",
    "text": "The tree as text",
    "rules": "One rule for each leaf",
    "dot": "The tree in the language of Graphviz",
    "svg": "A drawing of the tree",
    "sql": "The tree as an SQL expression",
    "c": "The tree as a C file",
    "python": "The tree as a Python module",
    "rust": "The tree as a Rust file",
    "pmml": "The tree in PMML",
    "onnx": "The tree as a model of ONNX",
    "sklearn_text": "The tree in the manner of scikit-learn",
    "frame": "The nodes as a pandas data frame",
    "treelite": "The tree as a model of treelite",
}.items():
    setattr(TreeBase, f"export_{_name}", _exporter(_name, _what))


def _distinct(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct labels in their order, and the place of each row's label among them."""
    if y.dtype.kind in "iu" and len(y) and int(y.max()) - int(y.min()) < len(y):
        # Counting takes far less than sorting.
        wide = y.astype(np.uint64 if y.dtype.kind == "u" else np.int64)
        above_least = (wide - wide.min()).astype(np.intp)
        is_there = np.bincount(above_least) > 0
        labels = np.flatnonzero(is_there).astype(wide.dtype) + wide.min()
        return labels.astype(y.dtype), (np.cumsum(is_there) - 1)[above_least]
    if y.dtype.kind not in "OU":
        return np.unique(y, return_inverse=True)
    # Sorting texts takes far longer than looking them up.
    places: dict[Any, int] = {}
    rows = y.tolist()
    codes = np.fromiter(
        (places.setdefault(label, len(places)) for label in rows), dtype=np.intp, count=len(rows)
    )
    known = np.empty(len(places), dtype=y.dtype)
    known[:] = list(places)
    if any(_table.is_missing(label) for label in places):
        return known, codes
    order = np.argsort(known, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return known[order], rank[codes]


def word(name: str, text: Any) -> str:
    """A parameter that is one of some words."""
    if not isinstance(text, str):
        raise ValueError(f"{name}: got {text!r}, expected a text")
    return text


def flag(name: str, given: Any) -> bool:
    """A parameter that is true or false."""
    if not isinstance(given, bool | np.bool_):
        raise ValueError(f"{name}: got {given!r}, expected True or False")
    return bool(given)


def take(outcome: tuple[Any, BaseException | None], keep: Callable[[Any], None]) -> None:
    """Keeps what was found, also what was found until an exception (such as Ctrl-C) ended the
    search."""
    found, exception = outcome
    keep(found)
    if exception is not None:
        raise exception


def limits(
    n_jobs: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    verbose: int,
    progress: Progress | None,
    who: str,
) -> dict[str, Any]:
    """How much work may take, as the core wants it."""
    return {
        "n_jobs": n_threads(n_jobs),
        "time_limit": None if time_limit is None else real("time_limit", time_limit, 0.0),
        "memory_limit": None if memory_limit is None else whole("memory_limit", memory_limit, 1),
        "progress": progress if progress is not None or not verbose else _printer(who),
    }


def _printer(who: str) -> Progress:
    def tell(done: int, total: int, news: str) -> None:
        share = f"{done}/{total}" if total else str(done)
        print(f"[{who}] {share} {news}".rstrip(), file=sys.stderr)

    return tell


def n_threads(n_jobs: int | None) -> int:
    """The number of threads, in the way of scikit-learn: ``None`` is 1, -1 all cores, -2 all but
    one."""
    if n_jobs is None:
        return 1
    n_jobs = whole("n_jobs", n_jobs, None)
    if n_jobs == 0:
        raise ValueError("n_jobs: got 0, expected a number of threads, or -1 for all cores")
    if n_jobs > 0:
        return min(n_jobs, 256)
    try:
        n_cores = len(os.sched_getaffinity(0))
    except AttributeError:
        n_cores = os.cpu_count() or 1
    return max(1, n_cores + 1 + n_jobs)


def seed(random_state: Any) -> int:
    """A seed; without a random state it is 0, so that the same call gives the same result."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def whole(name: str, number: Any, least: int | None) -> int:
    """A parameter that is a whole number."""
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise ValueError(f"{name}: got {number!r}, expected a whole number")
    if least is not None and int(number) < least:
        raise ValueError(f"{name}: got {number}, expected at least {least}")
    # No table is so large that more would mean anything else.
    return min(int(number), 2**62)


def real(name: str, number: Any, least: float) -> float:
    """A parameter that is a number."""
    if not isinstance(number, Real) or isinstance(number, bool) or not float(number) >= least:
        raise ValueError(f"{name}: got {number!r}, expected a number of at least {least:g}")
    return float(number)


def count_or_share(name: str, number: Any, n_rows: int, least: int) -> int:
    """A number of rows: a whole number, or a share of all rows, as in scikit-learn."""
    if isinstance(number, Real) and not isinstance(number, Integral):
        share = float(number)
        if not 0.0 < share <= 1.0:
            raise ValueError(
                f"{name}: got {number}, expected a whole number or a share between 0 and 1"
            )
        return max(least, int(np.ceil(share * n_rows)))
    return whole(name, number, least)
