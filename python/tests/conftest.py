"""What the tests share."""

import os
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from shared_tables import TABLES


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
