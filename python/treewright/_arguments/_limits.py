"""How much work may take, who watches it, and what is left of it when it is stopped."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from ._checks import real, whole

#: Called with units done, units in all (0 while unknown) and what else there is to say.
Progress = Callable[[int, int, str], object]


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


def take(outcome: tuple[Any, BaseException | None], keep: Callable[[Any], None]) -> None:
    """Keeps what was found, also what was found until an exception (such as Ctrl-C) ended the
    search."""
    found, exception = outcome
    keep(found)
    if exception is not None:
        raise exception
