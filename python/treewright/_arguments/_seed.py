"""Random states of scikit-learn as seeds."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def seed(random_state: Any) -> int:
    """A seed; without a random state it is 0, so that the same call gives the same result."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
