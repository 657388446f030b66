"""`fit optimal` and `path optimal` against all trees of many small random tables.

The reference, best_trees.py, tries every tree. It knows the documents, and neither the program nor
the checker. Every tree that is printed is walked as well. Standard library only.

    python3 tests/python/brute_force/run.py target/debug/treewright [--tables N] [--seed S] [--all]

`--all` compares 20,000 tables.
"""

import argparse
import random
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from comparison import Comparison
from printed_tree import Difference, expect
from random_tables import LEAF_COSTS, Case, random_penalty

USUAL_TABLES, ALL_TABLES = 300, 20_000


def without_time(document):
    document["training"].pop("seconds")
    document.get("search", {}).pop("seconds", None)
    return document


def compare(comparison, rng):
    weight = rng.choice(LEAF_COSTS)
    leaves = str(rng.randrange(1, 9))
    chosen, values = random_penalty(rng, comparison.case)
    family = comparison.path()
    if rng.random() < 0.3:
        take_out(comparison, leaves, rng)
    comparison.path(*chosen, penalty=values)
    comparison.fit()
    comparison.fit("--leaf-cost", weight, penalty=lambda size: Fraction(weight) * size)
    comparison.fit("--leaves", leaves, most=int(leaves))
    times = Fraction(weight)
    comparison.fit(*chosen, "--lambda", weight, penalty=lambda size: times * values(size))
    if rng.random() < 0.1:
        again = comparison.path("--threads", "2")
        expect(without_time(family) == without_time(again), "another family with two threads")
        one, two = comparison.fit("--threads", "1"), comparison.fit("--threads", "2")
        expect(without_time(one) == without_time(two), "another tree with two threads")
    if rng.random() < 0.1:
        limit = ["--time-limit", rng.choice(["1ms", "2ms", "5ms"])]
        comparison.path(*limit, stopped=True)
        comparison.fit(*limit, stopped=True)
        comparison.fit(*limit, "--leaves", leaves, most=int(leaves), stopped=True)


def take_out(comparison, leaves, rng):
    """Trees out of a family file, also for weights next to a threshold."""
    file = comparison.case.folder / "family.json"
    comparison.run("path", "optimal", *comparison.case.options(), "-o", str(file))
    comparison.take_out("--leaves", leaves, most=int(leaves))
    hull = comparison.hull(Fraction)
    for fewer, more in zip(hull, hull[1:], strict=False):
        weight = comparison.slope(fewer, more, Fraction)
        weight += rng.choice([0, 0, Fraction(1, 10**18), -Fraction(1, 10**18)])
        comparison.take_out("--lambda", str(weight), penalty=lambda size, x=weight: x * size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--tables", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    tables = arguments.tables or (ALL_TABLES if arguments.all else USUAL_TABLES)
    failed = commands = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(arguments.first, arguments.first + tables):
            rng = random.Random(f"{arguments.seed} {number}")
            comparison = Comparison(arguments.program, Case(rng, Path(scratch)))
            try:
                compare(comparison, rng)
            except Difference as difference:
                failed += 1
                print(f"FAILED table {number} of seed {arguments.seed}: {difference}")
                print(f"  {comparison.line}")
                print("  " + comparison.case.path.read_text(encoding="utf-8").replace("\n", "\n  "))
            commands += comparison.commands
    print(f"{tables} tables, {commands} commands compared with all trees, {failed} tables differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
