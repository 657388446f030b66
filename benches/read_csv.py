"""Reading CSV files: treewright beside pandas and pyarrow.

Needs numpy, pandas, pyarrow and cargo. Writes two tables of a million rows and twenty columns into
a temporary folder, loads each with every reader in turn, and prints the least of the times and how
many times as fast as pandas on one thread that is. Ours includes deciding what the columns are: a
dataset ready for learning.

    python benches/read_csv.py [--rows N] [--repeats N]
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import machine
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv


def short_floats(rows, rng):
    """Floats of six to eight digits and a whole-numbered class."""
    table = pd.DataFrame(rng.normal(size=(rows, 19)).round(6) * 10 ** rng.integers(0, 3, size=19))
    table = table.round(6).add_prefix("x")
    table["class"] = rng.integers(0, 5, size=rows)
    return table


def long_floats(rows, rng):
    """Doubles with all their digits, three columns of texts and a class of texts."""
    table = pd.DataFrame(rng.normal(size=(rows, 16))).add_prefix("x")
    for name, distinct in [("few", 8), ("some", 1_000), ("many", 100_000)]:
        table[name] = np.char.add(f"{name} ", rng.integers(0, distinct, size=rows).astype(str))
    table["class"] = np.array(["no", "yes", "perhaps"])[rng.integers(0, 3, size=rows)]
    return table


def timed(load):
    def run(path):
        start = time.perf_counter()
        load(path)
        return time.perf_counter() - start

    return run


def pandas(threads):
    """The C engine. Since pandas 3.1 it reads large files on several threads unless told not to."""

    def load(path):
        try:
            with pd.option_context("mode.max_threads", threads):
                pd.read_csv(path, engine="c")
        except pd.errors.OptionError:
            pd.read_csv(path, engine="c")

    return timed(load)


def arrow(use_threads):
    options = pa.csv.ReadOptions(use_threads=use_threads)
    return timed(lambda path: pa.csv.read_csv(path, read_options=options))


def ours(program, threads):
    def run(path):
        command = [program, path, str(threads)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return float(done.stdout.split()[0])

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    program = machine.build_bench("load_csv")
    readers = {
        "pandas, 1 thread": pandas(1),
        "pandas, 2 threads": pandas(2),
        "pyarrow, 1 thread": arrow(False),
        "pyarrow, all threads": arrow(True),
        "ours, 1 thread": ours(program, 1),
        "ours, 2 threads": ours(program, 2),
    }
    print(machine.heading("Reading text tables"))

    def rows(folder):
        for make in [short_floats, long_floats]:
            path = str(Path(folder) / f"{make.__name__}.csv")
            make(arguments.rows, np.random.default_rng(1)).to_csv(path, index=False)
            name = f"{make.__name__}, {os.path.getsize(path) / 1e6:.0f} MB"
            # Rounds, not blocks: whatever else the machine does hits all readers alike.
            rounds = [[read(path) for read in readers.values()] for _ in range(arguments.repeats)]
            best = dict(zip(readers, np.min(rounds, axis=0), strict=True))
            for reader, seconds in best.items():
                ratio = best["pandas, 1 thread"] / seconds
                yield [name, reader, f"{seconds:.3f}", f"{ratio:.2f}"]
            os.remove(path)

    with tempfile.TemporaryDirectory() as folder:
        header = ["table", "reader", "seconds", "times as fast as pandas on 1 thread"]
        machine.print_table(header, rows(folder))


if __name__ == "__main__":
    main()
