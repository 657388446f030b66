"""What the tests share."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

TABLES = Path(__file__).parents[2] / "testdata" / "tables"


@pytest.fixture(scope="session")
def program():
    """Runs the program ``treewright``: from ``TREEWRIGHT_PROGRAM``, or from the path."""
    binary = os.environ.get("TREEWRIGHT_PROGRAM") or shutil.which("treewright")
    if binary is None:
        pytest.skip("the program treewright is not built (set TREEWRIGHT_PROGRAM)")

    def run(*arguments):
        command = [binary, *map(str, arguments), "--quiet"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(scope="session")
def read():
    """Reads a bundled table as a pandas frame and its target."""

    def read(name):
        table = pd.read_csv(TABLES / f"{name}.csv", na_values=["?"])
        return table.iloc[:, :-1], table.iloc[:, -1]

    return read


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def random_table(rng, n_rows=200, n_features=4, missing=0.1):
    """Numbers with ties and missing cells, and classes that follow them."""
    X = np.round(rng.normal(size=(n_rows, n_features)), 1)
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] * X[:, 2] > 0)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y
