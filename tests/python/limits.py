"""Do the limits of time and memory hold, for every command that takes them?

Each command works on tables that are too much for it. Its peak of memory, without that of reading the table,
may be above the limit by no more than the goal and some slack; it ends within seconds; and where the
system gives it few addresses (`ulimit -v`) it ends with a result or one line. Figures are in
`benches/limits.py`: here the slack is for machines that do other things. Standard library only; Linux.

    python3 tests/python/limits.py target/debug/treewright
"""

import argparse
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MEGABYTE = 1_000_000
LIMIT = 40
# The goal is 20 MB; the rest is for what allocators keep for each thread.
MOST_OVER = 20 + 20
TIME_LIMIT = "300ms"
# A program that does not look at the clock would take minutes.
PATIENCE = 30
# With fewer the program itself has hardly room: a small allocation that fails ends it.
ADDRESSES = (512, 1024)

# A new process starts with the peak of the one that made it, so a small one must make it.
WATCHER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(done.stderr.decode(errors="replace"))
"""


def write_table(path, n_rows, n_features, label):
    with path.open("w") as file:
        file.write(",".join(f"x{place}" for place in range(n_features)) + ",class\n")
        for row in range(n_rows):
            x = [rng.gauss(0, 1) for _ in range(n_features)]
            file.write(",".join(f"{value:.5g}" for value in x) + f",c{label(x, row)}\n")


rng = random.Random(0)


def noisy(x, _row):
    return int(math.sin(2 * x[0]) + x[1] * x[2] + rng.gauss(0, 0.5) > 0)


def write_tables(folder):
    rows, classes = folder / "rows.csv", folder / "classes.csv"
    write_table(rows, 30_000, 6, noisy)
    write_table(classes, 4_000, 4, lambda _x, row: row // 4)
    return rows, classes


def all_commands(rows, classes):
    """Every command that takes limits, with the option for its time."""
    learners = (
        ["fit", "greedy"],
        ["fit", "greedy", "--select", "cv"],
        ["fit", "dyadic", "--lambda", "0.0001"],
        ["fit", "dyadic", "--leaves", "5"],
        ["fit", "optimal", "--depth", "2"],
        ["fit", "optimal", "--depth", "3", "--intervals", "2"],
        ["path", "greedy", "--folds", "5"],
        ["path", "dyadic"],
    )
    others = (
        ["distinct"],
        ["distinct", "--limit", "100000"],
        ["select", "backward"],
        ["select", "backward", "--plain"],
        ["select", "complete"],
        ["validate", "greedy,dyadic,optimal"],
        ["curve", "greedy"],
        ["summary", "--depth", "3"],
        ["explore"],
    )
    for words in (*learners, *others):
        yield [words, rows]
    for words in learners:
        yield [words, classes]


def line_of(program, words, table, out, *limits):
    n_names = 1 if words[0] in ("distinct", "summary", "explore") else 2
    target = ["-o", str(out)] if words[0] == "explore" else []
    return [
        program,
        *words[:n_names],
        str(table),
        *words[n_names:],
        *target,
        "--threads",
        "2",
        *limits,
    ]


def time_option(words):
    return "--budget" if words[0] == "explore" else "--time-limit"


def peak(line):
    """Exit code, peak in MB, and what was said."""
    watcher = [sys.executable, "-c", WATCHER, *line]
    done = subprocess.run(watcher, capture_output=True, text=True, timeout=PATIENCE, check=True)
    first, _, text = done.stdout.partition("\n")
    code, kilobytes = first.split()
    return int(code), int(kilobytes) * 1024 / MEGABYTE, text.strip()


def is_plain(code, text):
    """A result, or an error in one line that is no bug."""
    return code == 0 or code == 1 and "\n" not in text and text and "bug" not in text


def check_limits(program, words, table, out, base):
    """What is wrong with a command that has limits, if anything is."""
    name = time_option(words)
    line = line_of(program, words, table, out, name, "2s", "--memory-limit", f"{LIMIT}MB")
    code, most, text = peak(line)
    if not is_plain(code, text):
        yield f"exit code {code}: {text}"
    if most - base > LIMIT + MOST_OVER:
        yield f"{most - base:.0f} MB with a limit of {LIMIT} MB"
    line = line_of(program, words, table, out, name, TIME_LIMIT)
    code, _, text = peak(line)
    if not is_plain(code, text):
        yield f"exit code {code} after {TIME_LIMIT}: {text}"


def check_addresses(program, words, table, out, base):
    """What is wrong with a command that has few addresses, if anything is."""
    # Below that the table cannot be read.
    sizes = [size for size in ADDRESSES if size > base + 64]
    for size in sizes[:1]:

        def set_limit(size=size):
            resource.setrlimit(resource.RLIMIT_AS, (size << 20, size << 20))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        line = line_of(program, words, table, out, time_option(words), TIME_LIMIT)
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=PATIENCE, preexec_fn=set_limit
        )
        text = done.stderr.strip()
        if not is_plain(done.returncode, text):
            yield f"exit code {done.returncode} with {size} MiB of addresses: {text[-200:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument(
        "--all", action="store_true", help="as the other checks; changes nothing here"
    )
    parser.add_argument("--only", default="", help="commands with this text")
    arguments = parser.parse_args()
    if not sys.platform.startswith("linux"):
        print("skipped: limits (they are known on Linux)")
        return
    program = os.path.abspath(arguments.program)
    failed, n_tried = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        rows, classes = write_tables(Path(scratch))
        out = Path(scratch) / "out"
        reading = {}
        for table in (rows, classes):
            nothing = ["fit", "greedy", str(table), "--time-limit", "0s", "--memory-limit", "1MB"]
            reading[table] = peak([program, *nothing, "--threads", "2"])[1]
        for words, table in all_commands(rows, classes):
            if arguments.only not in " ".join(words):
                continue
            n_tried += 1
            case = f"{' '.join(words)}, {table.name}"
            base = reading[table]
            try:
                for what in check_limits(program, words, table, out, base):
                    failed.append(f"{case}: {what}")
                for what in check_addresses(program, words, table, out, base):
                    failed.append(f"{case}: {what}")
            except subprocess.TimeoutExpired:
                failed.append(f"{case}: not done after {PATIENCE} s")
    for line in failed:
        print(f"FAILED {line}")
    print(f"{n_tried} commands with limits, {len(failed)} failures")
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
