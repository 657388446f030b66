"""The data sets of the papers, and the program that is run on them."""

import csv
import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import machine


def folder():
    """Where the data sets are."""
    place = os.environ.get("TREEWRIGHT_DATA")
    if not place:
        sys.exit("TREEWRIGHT_DATA must name the folder with the data sets")
    return Path(place)


class Table:
    """The rows of a set, and files with some of them."""

    def __init__(self, name, folder, scratch):
        self.name, self.scratch = name, scratch
        entries = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
        entry = next(entry for entry in entries if entry["name"] == name)
        opener = gzip.open if entry["file"].endswith(".gz") else open
        with opener(folder / entry["file"], "rt", newline="", encoding="utf-8") as text:
            self.header, *self.rows = csv.reader(text)
        self.kinds = []
        categorical = self.categorical = entry["categorical_columns"]
        numeric = [column for column in self.header[:-1] if column not in categorical]
        # Some rows alone could look different.
        for option, columns in (("--categorical", categorical), ("--numeric", numeric)):
            if columns:
                self.kinds += [option, ",".join(columns)]

    def file(self, rows, name):
        path = self.scratch / f"{self.name}-{name}.csv"
        with open(path, "w", newline="", encoding="utf-8") as text:
            csv.writer(text).writerows([self.header, *rows])
        return path

    def folds(self, n_folds, seed):
        """The fold of every row. The rows of a class are dealt in turn, class after class."""
        rng, by_class = random.Random(seed), {}
        for position, row in enumerate(self.rows):
            by_class.setdefault(row[-1], []).append(position)
        fold_of, turn = [0] * len(self.rows), 0
        for label in sorted(by_class):
            rng.shuffle(by_class[label])
            for position in by_class[label]:
                fold_of[position] = turn % n_folds
                turn += 1
        return fold_of


class Program:
    """The command line program, on one thread."""

    def __init__(self):
        built = machine.ROOT / "target" / "release" / "treewright"
        self.path = os.environ.get("TREEWRIGHT", built)

    def command(self, words):
        return [str(self.path), "--threads", "1", "--quiet", "--json", *map(str, words)]

    def run_with_peak(self, *words):
        """The answer, and the most memory that the program had, in MB."""
        with subprocess.Popen(self.command(words), stdout=subprocess.PIPE) as running:
            answer = json.load(running.stdout)
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        return answer, usage.ru_maxrss / 1024

    def run(self, *words):
        command = self.command(words)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        return json.loads(done.stdout)
