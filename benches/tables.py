"""Tables for the comparisons: generated ones, and real ones from TREEWRIGHT_DATA."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass
class Table:
    name: str
    path: Path  # CSV, the class last
    x: np.ndarray  # float32, row by row, as scikit-learn wants it
    y: np.ndarray  # class codes

    @property
    def shape(self):
        return f"{len(self.y):,} x {self.x.shape[1]}"


def generated(name, folder, n_rows, n_features, n_classes, noise, seed=0):
    """Gaussian features; the class follows a curved rule of six of them, with some labels redrawn.

    `noise` is the share of redrawn labels. It decides how many leaves the full tree has: about
    10,000 for 1e5 rows at 0.08, 100,000 for 1e6 rows at 0.1.
    """
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n_rows, n_features)).astype(np.float32)
    score = (
        np.sin(2.0 * x[:, 0])
        + x[:, 1] * x[:, 2]
        + 0.5 * x[:, 3] ** 2
        - np.abs(x[:, 4])
        + 0.3 * x[:, 5]
    )
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    y = np.searchsorted(edges, score)
    redrawn = rng.random(n_rows) < noise
    y[redrawn] = rng.integers(0, n_classes, redrawn.sum())
    # A kept file must not be taken for one with other settings.
    file = f"{n_rows}-{n_features}-{n_classes}-{noise}-{seed}"
    return stored(name, Path(folder) / f"{file}.csv", x, y)


def stored(name, path, x, y):
    if not path.exists():
        frame = pd.DataFrame(x.astype(np.float64), columns=[f"x{i}" for i in range(x.shape[1])])
        frame["class"] = y
        # Nine digits tell all float32 numbers apart; both sides read the same text.
        frame.to_csv(path, index=False, float_format="%.9g")
    return Table(name, path, np.ascontiguousarray(x, dtype=np.float32), y)


def real(names, folder):
    """Tables by name; categories and classes become whole numbers, missing is a code of its own."""
    source = os.environ.get("TREEWRIGHT_DATA")
    if not source:
        print("skipped: TREEWRIGHT_DATA is not set\n")
        return
    source = Path(source)
    entries = json.loads((source / "MANIFEST.json").read_text(encoding="utf-8"))
    for entry in entries:
        if entry["name"] not in names:
            continue
        texts = dict.fromkeys([*entry["categorical_columns"], "class"], str)
        path = source / entry["file"]
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=texts)
        for column in texts:
            frame[column] = pd.factorize(frame[column], sort=True)[0]
        x = frame.drop(columns="class").to_numpy(dtype=np.float32)
        yield stored(
            entry["name"], Path(folder) / f"{entry['name']}.csv", x, frame["class"].to_numpy()
        )
