"""Tables that several tests use."""

from pathlib import Path

import numpy as np

TABLES = Path(__file__).parents[2] / "testdata" / "tables"


def random_table(rng, n_rows=200, n_features=4, missing=0.1):
    """Numbers with ties and missing cells, and classes that follow them."""
    X = np.round(rng.normal(size=(n_rows, n_features)), 1)
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] * X[:, 2] > 0)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y
