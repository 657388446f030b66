"""Leaves with a least number of rows beside leaves of any size: processor time on one thread.

    TREEWRIGHT_DATA=FOLDER python benches/leaf_size.py [--program FILE] [--before FILE] \\
        > benches/record/<date>-leaf-size.md

`--program` is `treewright`; without it, it is built in release. `--before` is an older one: it has ten seconds for
each table. Times are user time of the process with reading and writing, the least of five runs.
"""

import argparse
import json
import os
import resource
import subprocess
from pathlib import Path

import machine

TABLES = (("bank", 3), ("raisin", 3), ("wilt", 3), ("pima", 3), ("magic", 2))
SIZES = (1, 2, 5, 20, 50)
SECONDS = 10


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, help="the program treewright")
    parser.add_argument("--before", type=Path, help="an older one")
    options = parser.parse_args()
    program = options.program
    if program is None:
        program = machine.build_release(["-p", "treewright-cli"]) / "treewright"
    print(machine.heading("Leaves with a least number of rows"))
    print(
        "A cell has the seconds, their ratio to those with `--min-leaf 1`, and the errors of the tree.\n"
    )
    programs = {"": program}
    if options.before is not None:
        programs["Before: "] = options.before
    for title, program in programs.items():
        for intervals in ("2", "auto"):
            part(program, title, intervals)


def part(program, title, intervals):
    print(f"## {title}`--intervals {intervals} --threads 1`\n")
    print("| table, depth | " + " | ".join(f"{size}" for size in SIZES) + " |")
    print("|---" * (len(SIZES) + 1) + "|")
    for name, depth in TABLES:
        cells, first = [], None
        for size in SIZES:
            seconds, errors, is_proven = least(program, name, depth, intervals, size)
            first = first or seconds
            ratio = f"{seconds / first:.1f}" if is_proven else "not proven"
            cells.append(f"{seconds:.2f} s, {ratio}, {errors:.0f}")
        print(f"| {name}, {depth} | " + " | ".join(cells) + " |", flush=True)
    print()


def least(program, name, depth, intervals, size):
    table = next(Path(os.environ["TREEWRIGHT_DATA"]).glob(f"{name}.csv*"))
    command = [program, "fit", "optimal", table, "--depth", str(depth), "--intervals", intervals]
    command += ["--min-leaf", str(size), "--threads", "1", "--json", "--time-limit", f"{SECONDS}s"]
    best = None
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(command, capture_output=True, check=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        best = seconds if best is None else min(best, seconds)
        fit = json.loads(done.stdout)
        is_proven = fit["certificate"]["optimal"]
        if seconds > SECONDS / 4:
            break
    return max(best, 0.001), fit["training"]["errors"], is_proven


if __name__ == "__main__":
    main()
