"""The Python package beside scikit-learn, pycontree, pytrees-rs and pystreed: what works in which.

    python benches/python_peers.py [--docs FILE] > benches/record/<date>-python-peers.md

Not about speed. The same ten lines are run with every package, and then small questions are put to
each by the same code, one process for each answer, so that a peer that crashes or hangs costs only
that answer. An answer is yes, partly or no, with what happened. `--peers` and `--probes` choose a
part; `--docs` also writes the scripts and the table between the markers of that file. `--answers
FILE` keeps answers and asks only for those that are not there. All takes about ten minutes.
"""

import argparse
import importlib
import inspect
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import machine
import numpy as np

LIMIT = 120  # seconds for an answer
LONG = 8.0  # seconds that a fit to be interrupted may take
WORDS = 110  # characters of a reason

# --- the packages ---------------------------------------------------------------------------------


class Peer:
    """A class to learn with, and what differs between packages: names of parameters, mostly."""

    package = module = cls = ""
    extra = {}  # parameters beside the depth
    limit_name = None  # the parameter with the seconds
    hard = {}  # parameters with which `hard_table` takes long
    is_greedy = False

    @property
    def title(self):
        return f"{self.package} `{self.cls}`"

    def kind(self):
        return getattr(importlib.import_module(self.module), self.cls)

    def make(self, depth=2, **params):
        return self.kind()(**{"max_depth": depth, **self.extra, **params})

    def hard_table(self):
        from sklearn.datasets import make_classification

        return make_classification(4000, 15, flip_y=0.2, random_state=0)

    def slow(self, seconds):
        """A learner and a table on which it works for this many seconds or longer."""
        limit = {self.limit_name: seconds} if self.limit_name else {}
        return self.make(**{**self.hard, **limit}), *self.hard_table()

    def said(self, model, warned):
        """Does the fitted model say that time was up? In which words?"""
        return next((f"warning: {text}" for text in warned if "time" in text.lower()), None)

    def bound(self, model):
        """The least objective that a tree can have, as far as proven, and the gap; or nothing."""

    def exports(self, model, names):
        """Texts of the tree, by name."""
        return {}

    other_ways = {}  # probe: (how, function that shows that it works)


class Greedy(Peer):
    is_greedy = True

    hard = {"depth": None}
    n_rows = 300_000

    def hard_table(self):
        from sklearn.datasets import make_classification

        return make_classification(self.n_rows, 30, flip_y=0.3, random_state=0)


class Sklearn(Greedy):
    package, module, cls = "scikit-learn", "sklearn.tree", "DecisionTreeClassifier"
    extra = {"random_state": 0}
    n_rows = 40_000

    def exports(self, model, names):
        from sklearn.tree import export_graphviz, export_text

        return {
            "export_text": lambda: export_text(model, feature_names=names),
            "export_graphviz": lambda: export_graphviz(model, feature_names=names),
        }


class Ours:
    package, module = "treewright", "treewright"
    limit_name = "time_limit"

    def said(self, model, warned):
        proven = model.certificate_
        return f"`certificate_` has optimal={proven['optimal']}" if proven else None

    def bound(self, model):
        proven = model.certificate_
        return proven and (proven["lower_bound"], proven["gap"])

    def exports(self, model, names):
        ways = ("text", "rules", "dot", "json")
        return {f"export_{way}": getattr(model, f"export_{way}") for way in ways}


class OursGreedy(Ours, Greedy):
    cls = "GreedyTreeClassifier"


class OursOptimal(Ours, Peer):
    cls = "OptimalTreeClassifier"
    extra = {"intervals": 2}  # binary trees, as the others
    hard = {"depth": 4}


class Pycontree(Peer):
    package, module, cls = "pycontree", "pycontree", "ConTree"
    limit_name = "time_limit"
    hard = {"depth": 4}

    def exports(self, model, names):
        return {"export_dot": model.export_dot}


class Pytrees(Peer):
    package, module, cls = "pytrees-rs", "pytrees", "ConTreeClassifier"
    limit_name = "max_time"
    hard = {"depth": 4}

    def said(self, model, warned):
        return f"`status_` is {model.status_!r}" if model.status_ != "optimal" else None

    def exports(self, model, names):
        return {"to_dot": model.to_dot}


class Pystreed(Peer):
    package, module, cls = "pystreed", "pystreed", "STreeDClassifier"
    limit_name = "time_limit"
    hard = {"depth": 5, "n_thresholds": 20}

    def said(self, model, warned):
        return None if model.fit_result.is_optimal() else "`fit_result.is_optimal()` is False"

    def exports(self, model, names):
        def to_file(write):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "tree")
                write(str(path))
                return path.read_text(encoding="utf-8")

        return {
            "print_tree": lambda: to_file(model.print_tree),
            "export_dot": lambda: to_file(model.export_dot),
        }

    def _balanced():
        X, y = rare()
        plain = Pystreed().make().fit(X, y)
        tree = Pystreed().make(optimization_task="balanced-accuracy").fit(X, y)
        return (tree.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()

    def _costs():
        from pystreed import STreeDInstanceCostSensitiveClassifier

        X, y, weights = weighted()
        costs = np.where(y[:, None] == np.arange(2), 0.0, weights[:, None])
        tree = STreeDInstanceCostSensitiveClassifier(max_depth=2).fit(X, costs)
        plain = Pystreed().make().fit(X, y)  # the thresholds of repeated rows would be others
        return wrong(tree, X, y, weights) <= wrong(plain, X, y, weights)

    other_ways = {
        "class_weight": ('`optimization_task="balanced-accuracy"`', _balanced),
        "sample_weight": ("`STreeDInstanceCostSensitiveClassifier` takes costs by row", _costs),
    }


PEERS = {
    "sklearn": Sklearn(),
    "greedy": OursGreedy(),
    "optimal": OursOptimal(),
    "pycontree": Pycontree(),
    "pytrees": Pytrees(),
    "pystreed": Pystreed(),
}

# --- the ten lines --------------------------------------------------------------------------------

SCRIPT = """\
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from {module} import {cls}

data = load_breast_cancer(as_frame=True)
X, y = data.data, {labels}
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
tree = {cls}({params})
tree.fit(X_train, y_train)
print(*tree.predict(X_test)[:3])
print(round(tree.score(X_test, y_test), 3))
"""
TEXTS, NUMBERS = "data.target_names[data.target]", "data.target"


def script(peer, labels=TEXTS):
    params = ", ".join(
        f"{name}={value!r}" for name, value in {"max_depth": 2, **peer.extra}.items()
    )
    return SCRIPT.format(module=peer.module, cls=peer.cls, params=params, labels=labels)


def run_script(text):
    """What the script prints, or the last line of the exception, and whether it came to its end."""
    command = [sys.executable, "-W", "ignore", "-c", text]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, env=environment()
        )
    except subprocess.TimeoutExpired:
        return f"not done after {LIMIT} s", False
    if done.returncode == 0:
        return done.stdout.strip(), True
    last = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}: {short(last[-1])}", False
    return short(last[-1]), False


# --- tables ---------------------------------------------------------------------------------------


def cancer(as_frame=False):
    from sklearn.datasets import load_breast_cancer

    return load_breast_cancer(return_X_y=True, as_frame=as_frame)


def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


def weighted():
    """Rows with whole weights: the same as rows that are there several times."""
    X, y = cancer()
    X, y = X[:, :6], y
    return X, y, np.random.default_rng(0).integers(1, 6, len(y))


def rare():
    from sklearn.datasets import make_classification

    return make_classification(600, 6, weights=[0.9], flip_y=0.2, random_state=0)


def wrong(tree, X, y, weights):
    return int(weights[np.asarray(tree.predict(X)) != y].sum())


# --- the probes -----------------------------------------------------------------------------------

PROBES = {}


def probe(title):
    def register(function):
        PROBES[function.__name__] = (title, function)
        return function

    return register


def labels_kept(peer, X, y):
    tree = peer.make().fit(X, y)
    answers = np.asarray(tree.predict(X))
    share = np.mean(answers == y)
    if not set(answers.tolist()) <= set(y.tolist()):
        return "no", f"predicts {sorted(set(answers.tolist()))[:4]} for {sorted(set(y.tolist()))}"
    if share < 0.85:
        return "no", f"only {share:.2f} of the training rows are right"
    if answers.dtype.kind != y.dtype.kind:
        return "partly", f"labels of type {y.dtype} come back as {answers.dtype}"
    score = tree.score(X, y)
    if abs(score - share) > 1e-9:
        return "partly", f"`score` gives {score:.3f}, the share of right rows is {share:.3f}"
    return "yes", f"{share:.3f} of the training rows are right"


@probe("labels that are texts")
def text_labels(peer):
    X, y = cancer()
    return labels_kept(peer, X, np.array(["malignant", "benign"])[y])


@probe("labels 10, 20, 30")
def number_labels(peer):
    X, y = iris()
    return labels_kept(peer, X, (y + 1) * 10)


@probe("labels False, True")
def bool_labels(peer):
    X, y = cancer()
    return labels_kept(peer, X, y == 1)


@probe("NaN in X")
def nan(peer):
    X, y = cancer()
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    tree = peer.make().fit(X, y)
    share = np.mean(np.asarray(tree.predict(X)) == y)
    return ("yes" if share > 0.85 else "partly"), f"{share:.3f} of the training rows are right"


@probe("categorical column of pandas")
def categorical(peer):
    import pandas as pd

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 400)
    names = pd.Categorical(np.array(["ash", "birch", "elm", "oak"])[codes])
    X = pd.DataFrame({"kind": names, "noise": rng.random(400)})
    y = np.isin(codes, [0, 2]).astype(int)
    tree = peer.make().fit(X, y)
    share = np.mean(np.asarray(tree.predict(X)) == y)
    return ("yes" if share > 0.99 else "partly"), f"{share:.3f} of the training rows are right"


@probe("`sample_weight`")
def sample_weight(peer):
    X, y, weights = weighted()
    tree = peer.make().fit(X, y, sample_weight=weights.astype(float))
    again = peer.make().fit(X.repeat(weights, axis=0), y.repeat(weights))
    with_weights, repeated = wrong(tree, X, y, weights), wrong(again, X, y, weights)
    same = with_weights == repeated
    words = f"weight of wrong rows {with_weights}, with repeated rows {repeated}"
    return ("yes" if same else "partly"), words


@probe("`class_weight`")
def class_weight(peer):
    X, y = rare()
    plain, heavy = peer.make().fit(X, y), peer.make(class_weight={0: 1, 1: 10}).fit(X, y)
    before, after = (int((tree.predict(X) == 1).sum()) for tree in (plain, heavy))
    return (
        "yes" if after > before else "no"
    ), f"the rare class is predicted {before}, {after} times"


@probe("pickle")
def pickled(peer):
    X, y = cancer()
    tree = peer.make().fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    same = np.array_equal(tree.predict(X), again.predict(X))
    return ("yes", "the same predictions") if same else ("no", "other predictions")


@probe("`sklearn.base.clone`")
def cloned(peer):
    from sklearn.base import clone
    from sklearn.utils.validation import check_is_fitted

    X, y = cancer()
    tree = peer.make().fit(X, y)
    again = clone(tree)
    try:
        check_is_fitted(again)
        is_fitted = True
    except Exception:
        is_fitted = False
    same = np.array_equal(tree.predict(X), again.fit(X, y).predict(X))
    if is_fitted:
        return "partly", "`check_is_fitted` takes a clone that is not fitted for a fitted one"
    return ("yes", "unfitted, then the same tree") if same else ("no", "another tree")


@probe("`GridSearchCV`")
def grid_search(peer):
    from sklearn.model_selection import GridSearchCV

    X, y = cancer()
    search = GridSearchCV(peer.make(), {"max_depth": [1, 2]}, cv=3, error_score="raise")
    search.fit(X, y)
    return "yes", f"depth {search.best_params_['max_depth']}, {search.best_score_:.3f}"


@probe("`Pipeline`")
def pipeline(peer):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = cancer()
    steps = make_pipeline(StandardScaler(), peer.make()).fit(X, y)
    return "yes", f"score {steps.score(X, y):.3f}"


@probe("`check_estimator`")
def conformance(peer):
    from sklearn.utils.estimator_checks import check_estimator

    counts, failed = {"passed": 0, "failed": 0}, []

    def note(*args, **words):
        status, name = words["status"], words["check_name"]
        counts[status] = counts.get(status, 0) + 1
        if status == "failed":
            failed.append(name)
        done = f"{counts['failed']} of {counts['passed'] + counts['failed']} checks fail"
        tell("partly", f"{done}, and the next one is not done or ended the process")

    check_estimator(peer.make(), on_fail=None, callback=note)
    total = counts["passed"] + counts["failed"]
    if not failed:
        return "yes", f"all {total} checks pass"
    names = ", ".join(f"`{name}`" for name in failed[:2])
    return "partly", f"{len(failed)} of {total} checks fail ({names}{', ...' * (len(failed) > 2)})"


@probe("Ctrl-C")
def interrupt(peer):
    model, X, y = peer.slow(LONG)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Another process sends it, as a terminal does: a thread might have to wait for the fit.
    orders = f"sleep 1; date +%s.%N; kill -INT {os.getpid()}"
    sender = subprocess.Popen(["sh", "-c", orders], stdout=subprocess.PIPE, text=True)
    interrupted = False
    try:
        model.fit(X, y)
        if sender.poll() is None:
            sender.kill()
            return "unknown", "the fit took less than a second"
    except KeyboardInterrupt:
        interrupted = True
    now = time.time()
    waited = now - float(sender.communicate()[0])
    late = f"the exception comes when the fit is done, {waited:.1f} s later"
    if not interrupted:
        return "no", f"the fit goes on to its end, {waited:.1f} s later, without an exception"
    soon = f"stops after {waited:.1f} s"
    answer, words = ("no", late) if waited > 1.0 else ("partly", soon)
    tell(answer, f"{words}; `predict` after that")  # in case that it ends the process
    try:
        model.predict(X[:5])
        kept = True
    except Exception:
        kept = False
    if waited > 1.0:
        return answer, words
    return ("yes", f"{soon}, the tree so far is kept") if kept else ("partly", f"{soon}, no tree")


def limited(peer):
    model, X, y = peer.slow(2.0)
    if peer.limit_name is None:
        return None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
    model.predict(X[:5])
    return model, seconds, [str(one.message) for one in caught]


@probe("time limit")
def time_limit(peer):
    found = limited(peer)
    if found is None:
        return "no", "no such parameter"
    model, seconds, warned = found
    words = f"`{peer.limit_name}=2` gives a tree after {seconds:.1f} s"
    if seconds > 4.0:
        return "partly", words
    said = peer.said(model, warned)
    return ("yes", f"{words}; {said}") if said else ("partly", f"{words}, but does not say so")


@probe("bound on time-out")
def bound(peer):
    found = limited(peer)
    if found is None:
        return "no", "no time limit"
    proven = peer.bound(found[0])
    if proven:
        words = "lower bound {:g}, gap {:g}".format(*proven)
        return (
            ("yes", words) if proven[0] > 0 else ("partly", f"{words}: given, but nothing proven")
        )
    return "no", "a greedy tree has no bound" if peer.is_greedy else "no lower bound, no gap"


@probe("other threads go on during `fit`")
def threads(peer):
    """A thread that only wants to tick stands still while a fit keeps the interpreter's lock."""
    model, X, y = peer.slow(2.0)
    if peer.is_greedy:
        X, y = X[:20_000], y[:20_000]
    model.fit(X[:200], y[:200])  # imports are not to be measured
    waits, is_done = [0.0], threading.Event()

    def tick():
        last = time.perf_counter()
        while not is_done.is_set():
            time.sleep(0.005)
            now = time.perf_counter()
            waits.append(now - last)
            last = now

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    model.fit(X, y)
    alone = time.perf_counter() - start
    is_done.set()
    ticker.join()
    pair = [threading.Thread(target=peer.slow(2.0)[0].fit, args=(X, y)) for _ in range(2)]
    start = time.perf_counter()
    for each in pair:
        each.start()
    for each in pair:
        each.join()
    together = time.perf_counter() - start
    share = max(waits) / alone
    words = (
        f"longest wait {max(waits):.2f} s in a fit of {alone:.1f} s; "
        f"two fits at once took {together:.1f} s"
    )
    return ("yes" if share < 0.5 else "no"), words


@probe("`predict_proba`")
def probabilities(peer):
    X, y = iris()
    tree = peer.make().fit(X, y)
    shares = np.asarray(tree.predict_proba(X))
    if shares.shape != (len(y), 3) or not np.allclose(shares.sum(axis=1), 1.0):
        return "no", f"shape {shares.shape}"
    if not np.array_equal(shares.argmax(axis=1), tree.predict(X)):
        return "partly", "does not agree with `predict`"
    X, y = iris()
    tree = peer.make().fit(X, (y + 1) * 10)
    try:
        tree.predict_proba(X)
    except Exception as error:
        return "partly", f"for labels 0, 1, 2; for labels 10, 20, 30: {named(error)}"
    return "yes", "rows add up to 1 and agree with `predict`"


@probe("names of features")
def feature_names(peer):
    X, y = cancer(as_frame=True)
    tree = peer.make().fit(X, y)
    kept = list(getattr(tree, "feature_names_in_", []))
    if not kept:
        return "no", "no `feature_names_in_`"
    if kept != list(X.columns):
        return "partly", f"`feature_names_in_` has {len(kept)} names such as {kept[0]!r}"
    straight = np.asarray(tree.predict(X))
    try:
        turned = np.asarray(tree.predict(X[X.columns[::-1]]))
    except ValueError:
        return "yes", "kept; columns in another order are refused"
    if np.array_equal(straight, turned):
        return "yes", "kept; columns in another order are found by name"
    return "partly", "kept, but columns in another order are taken as they come"


@probe("export")
def export(peer):
    X, y = cancer(as_frame=True)
    names = [name.replace(" ", "_") for name in X.columns]
    X.columns = names
    tree = peer.make().fit(X, y)
    named_ways, ways = [], []
    for way, run in peer.exports(tree, names).items():
        text = run()
        (named_ways if any(name in text for name in names) else ways).append(f"`{way}`")
    if not named_ways:
        return ("partly", f"{', '.join(ways)} without names") if ways else ("no", "none")
    return "yes", ", ".join(named_ways + ways)


@probe("sparse X")
def sparse(peer):
    from scipy.sparse import csr_matrix

    X, y = cancer()
    tree = peer.make().fit(csr_matrix(X), y)
    return "yes", f"score {tree.score(csr_matrix(X), y):.3f}"


@probe("several columns in y")
def outputs(peer):
    X, y = cancer()
    answers = np.asarray(peer.make().fit(X, np.column_stack([y, 1 - y])).predict(X))
    if answers.shape != (len(y), 2):
        return "no", f"predictions of shape {answers.shape}"
    return "yes", "a prediction for each column"


# --- asking ---------------------------------------------------------------------------------------


def tell(answer, reason):
    print("ANSWER " + json.dumps([answer, reason]), flush=True)


def short(text):
    text = " ".join(str(text).split()).replace("|", "/")
    return text if len(text) <= WORDS else text[: WORDS - 3].rstrip() + "..."


def named(error):
    return f"{type(error).__name__}: {error}"


def answer_here(peer, name):
    """One answer, in this process."""
    function = PROBES[name][1]
    warnings.simplefilter("ignore")
    try:
        answer, reason = function(peer)
    except Exception as error:
        answer, reason = "no", named(error)
    if answer == "no" and name in peer.other_ways:
        how, works = peer.other_ways[name]
        if works():
            answer, reason = "partly", f"otherwise: {how}"
    tell(answer, reason)


def environment():
    paths = [str(machine.ROOT / "python"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def ask(key, name):
    """One answer, from a process of its own."""
    command = [sys.executable, __file__, "--answer", key, name]
    is_late = False
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as child:
        try:
            out, err = child.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            is_late = True
    told = [line for line in out.splitlines() if line.startswith("ANSWER ")]
    answer, reason = json.loads(told[-1].removeprefix("ANSWER ")) if told else ("no", "")
    if child.returncode != 0 and not reason:
        reason = f"not done after {LIMIT} s" if is_late else ended(child.returncode, err)
    elif child.returncode != 0 and not is_late:
        reason = f"{reason}: {ended(child.returncode, err)}"
    return answer, short(reason)


def ended(code, err):
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    last = [line for line in err.splitlines() if line.strip()] or ["no message"]
    return f"exit {code}: {last[-1]}"


# --- writing --------------------------------------------------------------------------------------


def package_version(peer):
    try:
        return version(peer.package)
    except PackageNotFoundError:
        module = importlib.import_module(peer.module)
        return getattr(module, "__version__", "unknown")


def scripts_text(keys):
    """The ten lines, what other packages change in them, and what they print."""
    first = PEERS[keys[0]]
    lines = ["```python", script(first).rstrip(), "```", ""]
    header = ("class", "import", "learner", "prints", "with `y = data.target` prints")
    lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for key in keys:
        peer = PEERS[key]
        text = [line for line in script(peer).splitlines() if line]
        said, is_done = run_script(script(peer))
        again = "" if is_done else run_script(script(peer, NUMBERS))[0]
        made = (f"`{text[2]}`", f"`{text[6]}`")
        cells = (peer.title, *made, *(" / ".join(x.splitlines()) for x in (said, again)))
        lines.append("| " + " | ".join(cells) + " |")
        print(f"script {key}: {said}", file=sys.stderr)
    return "\n".join(lines) + "\n"


def answers_text(keys, names, answers):
    header = ["", *(f"{PEERS[key].package} {PEERS[key].cls}" for key in keys)]
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for name in names:
        cells = [PROBES[name][0], *(answers[key, name][0] for key in keys)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def reasons_text(keys, names, answers):
    lines = []
    for name in names:
        lines += [f"**{PROBES[name][0]}**", ""]
        for key in keys:
            answer, reason = answers[key, name]
            lines.append(f"- {PEERS[key].package} {PEERS[key].cls}: {answer}; {reason}")
        lines.append("")
    return "\n".join(lines)


def write_docs(path, parts):
    """Puts each part between its markers."""
    text = Path(path).read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = f"<!-- {name}: written by benches/python_peers.py -->", f"<!-- end {name} -->"
        head, rest = text.split(begin, 1)
        text = f"{head}{begin}\n\n{part.strip()}\n\n{end}{rest.split(end, 1)[1]}"
    Path(path).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=inspect.cleandoc(__doc__).splitlines()[0])
    parser.add_argument("--answer", nargs=2, metavar=("PEER", "PROBE"), help=argparse.SUPPRESS)
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--probes", default=",".join(PROBES))
    parser.add_argument("--answers", help="a file to keep answers in, and to take them from")
    parser.add_argument("--docs", help="write the scripts and the table into this file, too")
    options = parser.parse_args()
    if options.answer:
        key, name = options.answer
        answer_here(PEERS[key], name)
        return
    sys.path.insert(0, str(machine.ROOT / "python"))
    keys, names = options.peers.split(","), options.probes.split(",")
    scripts = scripts_text(keys)
    kept = Path(options.answers) if options.answers else None
    found = json.loads(kept.read_text()) if kept and kept.exists() else {}
    answers = {}
    for name in names:
        for key in keys:
            place = f"{name}, {key}"
            answers[key, name] = found[place] = found.get(place) or ask(key, name)
            if kept:
                kept.write_text(json.dumps(found, indent=1))
            print(f"{name}, {key}: {'; '.join(answers[key, name])}", file=sys.stderr, flush=True)
    packages = {PEERS[key].package: package_version(PEERS[key]) for key in keys}
    made = ", ".join(f"{name} {number}" for name, number in packages.items())
    table = answers_text(keys, names, answers)
    reasons = reasons_text(keys, names, answers)
    print(machine.heading("The Python package beside others"))
    print(f"## The same ten lines\n\n{scripts}\n## What works\n\n{table}\n## What happened\n")
    print(reasons.rstrip())
    if options.docs:
        stamp = f"As of {date.today()}: {made}, Python {sys.version.split()[0]}."
        parts = {"scripts": scripts, "table": f"{stamp}\n\n{table}", "reasons": reasons}
        write_docs(options.docs, parts)


if __name__ == "__main__":
    main()
