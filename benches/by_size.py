"""The best trees of every size beside the best tree of any size: processor time on one thread.

    TREEWRIGHT_DATA=FOLDER python benches/by_size.py [--program FILE] > benches/record/<date>-by-size.md

`--program` is `treewright`; without it, it is built in release. Times are what the program says, without
reading and writing, the least of three runs; both commands take turns.
"""

import argparse
import json
import math
import os
import subprocess
from pathlib import Path

import machine

TABLES = ("bank", "wilt", "raisin", "pima", "bidding", "segment", "room")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, help="the program treewright")
    program = parser.parse_args().program
    if program is None:
        program = machine.build_release(["-p", "treewright-cli"]) / "treewright"
    print(machine.heading("The best trees of every size"))
    for depth in (2, 3):
        print(f"## Depth {depth}, `--intervals 2 --threads 1`\n")
        print(
            "| table | one tree | all sizes | ratio | errors with 1, 2, … leaves |\n|---|---|---|---|---|"
        )
        ratios = [line(program, name, depth) for name in TABLES]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nGeometric mean of the ratios: {mean:.1f}\n", flush=True)


def line(program, name, depth):
    table = next(Path(os.environ["TREEWRIGHT_DATA"]).glob(f"{name}.csv*"))
    options = [table, "--depth", str(depth), "--intervals", "2", "--threads", "1", "--json"]
    one, family = math.inf, math.inf
    for _ in range(3):
        one = min(one, run(program, "fit", options)["training"]["seconds"])
        found = run(program, "path", options)
        family = min(family, found["search"]["seconds"])
    errors = {member["leaves"]: f"{member['errors']:.0f}" for member in found["members"]}
    listed = ", ".join(f"{leaves}: {count}" for leaves, count in errors.items())
    print(f"| {name} | {one:.4f} s | {family:.4f} s | {family / one:.1f} | {listed} |", flush=True)
    return family / one


def run(program, command, options):
    arguments = [program, command, "optimal", *options]
    done = subprocess.run(arguments, capture_output=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
