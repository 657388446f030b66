"""The programs of the study: each learns from some rows and predicts others.

A program is a function of a `Part`: it returns the number of test rows for which it is wrong, and of leaves.
"""

import copy
import csv
import json
import random
import re
import subprocess
import warnings
from dataclasses import dataclass
from pathlib import Path

#: Of the more weights of a pruning path no more than these are compared.
MOST_WEIGHTS = 60
HERE = Path(__file__).resolve().parent


@dataclass
class Part:
    """The training and test rows of a fold, their columns and where files may be made."""

    header: list
    is_categorical: list
    train: list
    test: list
    seed: int
    scratch: Path

    def file(self, rows, name):
        path = self.scratch / name
        with open(path, "w", newline="", encoding="utf-8") as text:
            csv.writer(text, lineterminator="\n").writerows([self.header, *rows])
        return path

    def wrong(self, predicted):
        """How many of the test rows have another class."""
        if len(predicted) != len(self.test):
            raise RuntimeError(f"{len(predicted)} predictions for {len(self.test)} rows")
        return sum(one != row[-1] for one, row in zip(predicted, self.test, strict=True))

    def kinds(self):
        """What the columns are, as options of our program: a few rows alone could look different."""
        options = []
        for option, wanted in (("--categorical", True), ("--numeric", False)):
            pairs = zip(self.header[:-1], self.is_categorical, strict=True)
            names = [name for name, is_categorical in pairs if is_categorical == wanted]
            options += [option, ",".join(names)] if names else []
        return options


def quietly(words):
    """Runs a program when nothing else wants to run; its output."""
    command = ["nice", "-n", "19", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")
    return done.stdout


# --- ours ----------------------------------------------------------------------------------------


class Ours:
    """The program treewright with one of its commands that choose a tree."""

    def __init__(self, program, words, tree):
        self.program, self.words, self.tree = program, words, tree

    def __call__(self, part):
        model = part.scratch / "model.json"
        model.unlink(missing_ok=True)
        train, test = part.file(part.train, "train.csv"), part.file(part.test, "test.csv")
        options = ["--target", part.header[-1], *part.kinds(), "--json", self.tree, model]
        quietly([self.program, *self.words, train, *options])
        leaves = json.loads(model.read_text(encoding="utf-8"))["training"]["leaves"]
        told = quietly([self.program, "predict", model, test]).splitlines()
        predicted = [row[0] for row in csv.reader(told)][1:]
        return part.wrong(predicted), leaves


# --- scikit-learn --------------------------------------------------------------------------------


def scikit_learn(part):
    """One-hot categories, the cost-complexity path, and the 1-SE rule by five inner folds."""
    import numpy as np
    from sklearn.model_selection import StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    columns = one_hot(part)
    train, test = columns(part.train), columns(part.test)
    classes = np.array([row[-1] for row in part.train])

    def grown(rows):
        return DecisionTreeClassifier(random_state=part.seed).fit(train[rows], classes[rows])

    everything = np.arange(len(classes))
    path = DecisionTreeClassifier(random_state=part.seed)
    weights = np.unique(np.maximum(path.cost_complexity_pruning_path(train, classes).ccp_alphas, 0))
    if len(weights) > MOST_WEIGHTS:
        weights = weights[np.linspace(0, len(weights) - 1, MOST_WEIGHTS).round().astype(int)]
    # Each tree of the path stands for its interval of weights.
    between = np.sqrt(weights * np.append(weights[1:], weights[-1]))
    errors = np.zeros(len(weights))
    folds = StratifiedKFold(5, shuffle=True, random_state=part.seed)
    with warnings.catch_warnings():
        # A class may have fewer rows than there are folds.
        warnings.simplefilter("ignore", UserWarning)
        parts = list(folds.split(train, classes))
    for rows, held_out in parts:
        tree = grown(rows)
        for place, weight in enumerate(between):
            predicted = pruned(tree, weight).predict(train[held_out])
            errors[place] += np.sum(predicted != classes[held_out])
    errors /= len(classes)
    best = errors.min()
    within = errors <= best + np.sqrt(best * (1 - best) / len(classes))
    chosen = pruned(grown(everything), between[np.flatnonzero(within)[-1]])
    return part.wrong(list(chosen.predict(test))), int(chosen.get_n_leaves())


def pruned(tree, weight):
    """The tree that a fit with this `ccp_alpha` gives, without growing it again."""
    smaller = copy.copy(tree)
    smaller.ccp_alpha = weight
    smaller._prune_tree()
    return smaller


def one_hot(part):
    """Makes rows a matrix: numbers as they are, a column for each category of the training rows."""
    import numpy as np

    places = []
    for at, is_categorical in enumerate(part.is_categorical):
        if is_categorical:
            categories = sorted({row[at] for row in part.train})
            places += [(at, category) for category in categories]
        else:
            places.append((at, None))

    def cell(row, at, category):
        if category is not None:
            return float(row[at] == category)
        return float(row[at]) if row[at] else np.nan

    return lambda rows: np.array([[cell(row, *place) for place in places] for row in rows])


# --- R and Weka ----------------------------------------------------------------------------------


def rpart(part):
    """The tree of the 1-SE rule on the table of its own cross-validation, grown with `cp = 0`."""
    train, test = part.file(part.train, "train.csv"), part.file(part.test, "test.csv")
    told, kinds = part.scratch / "predicted.txt", "".join("nc"[it] for it in part.is_categorical)
    leaves = quietly(["Rscript", HERE / "rpart.R", train, test, kinds, part.seed, told])
    return part.wrong(told.read_text(encoding="utf-8").splitlines()), int(leaves)


class J48:
    """C4.5 as Weka has it, with its usual options."""

    def __init__(self, archive):
        self.archive = archive

    def __call__(self, part):
        train, test = part.scratch / "train.arff", part.scratch / "test.arff"
        for rows, path in ((part.train, train), (part.test, test)):
            path.write_text(arff(part, rows), encoding="utf-8")
        java = ["java", "-Xmx2g", "-cp", self.archive, "weka.classifiers.trees.J48"]
        options = ["-C", "0.25", "-M", "2", "-no-cv", "-t", train, "-T", test]
        told = quietly([*java, *options])
        leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", told)
        on_test = told.partition("Error on test data")[2]
        wrong = re.search(r"Incorrectly Classified Instances\s+(\d+)", on_test)
        return int(wrong.group(1)), int(leaves.group(1))


def arff(part, rows):
    """The rows as Weka reads them; names and categories become numbers, so that nothing needs quotes."""
    lines, codes = ["@relation part"], []
    for at, is_categorical in enumerate([*part.is_categorical, True]):
        known = sorted({row[at] for row in part.train + part.test} - {""})
        code = {text: f"v{place}" for place, text in enumerate(known)} if is_categorical else None
        codes.append(code)
        kind = "numeric" if code is None else "{" + ",".join(code.values() or ["v"]) + "}"
        lines.append(f"@attribute a{at} {kind}")
    lines.append("@data")
    for row in rows:
        pairs = zip(row, codes, strict=True)
        cells = ["?" if not cell else cell if code is None else code[cell] for cell, code in pairs]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def sample(rows, most, seed):
    """A sample of at most `most` rows, in the order of the table."""
    if len(rows) <= most:
        return rows
    chosen = random.Random(seed).sample(range(len(rows)), most)
    return [rows[place] for place in sorted(chosen)]
