"""The best trees of every size beside the best tree of any size, and beside a peer: processor time on one thread.

    TREEWRIGHT_DATA=FOLDER python benches/by_size.py [--program FILE] [--limit 60] > benches/record/<date>-by-size.md

`--program` is `treewright`; without it, it is built in release. Times are what the program says, without
reading and writing, the least of three runs; both commands take turns. No peer finds the trees of all sizes: pycontree
would have to run once for each. It runs once here, and its time is multiplied by the number of sizes from two leaves
on; ">" if it was ended by the limit.
"""

import argparse
import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

import fit_optimal
import machine

TABLES = ("bank", "wilt", "raisin", "pima", "bidding", "segment", "room")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, help="the program treewright")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for the peer")
    options = parser.parse_args()
    program = options.program
    if program is None:
        program = machine.build_release(["-p", "treewright-cli"]) / "treewright"
    print(machine.heading("The best trees of every size"))
    with tempfile.TemporaryDirectory() as scratch:
        tables = fit_optimal.Tables(scratch)
        for depth in (2, 3):
            part(program, Pycontree(tables, depth, options.limit), depth)


class Pycontree:
    """Its time for one tree."""

    def __init__(self, tables, depth, limit):
        self.tables, self.depth, self.limit = tables, depth, limit

    def seconds(self, name):
        words = ["pycontree", self.tables.matrix(name), self.depth, self.limit, 3]
        command = [machine.sys.executable, fit_optimal.WORKER, *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, check=True)
        runs = [json.loads(text) for text in done.stdout.decode().splitlines()]
        return min(run["ms"] for run in runs) / 1e3, all(run["optimal"] for run in runs)


def part(program, peer, depth):
    print(f"## Depth {depth}, `--intervals 2 --threads 1`\n")
    print(
        "| table | one tree | all sizes | ratio | pycontree for all | ratio | errors with 1, 2, … leaves |"
    )
    print("|---|---|---|---|---|---|---|")
    lines = [line(program, peer, name, depth) for name in TABLES]
    for ratios, what in zip(zip(*lines, strict=True), ("one tree", "pycontree"), strict=True):
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nGeometric mean of the ratios to {what}: {mean:.1f}\n", flush=True)


def line(program, peer, name, depth):
    table = next(Path(os.environ["TREEWRIGHT_DATA"]).glob(f"{name}.csv*"))
    options = [table, "--depth", str(depth), "--intervals", "2", "--threads", "1", "--json"]
    one, family = math.inf, math.inf
    for _ in range(3):
        one = min(one, run(program, "fit", options)["training"]["seconds"])
        found = run(program, "path", options)
        family = min(family, found["search"]["seconds"])
    errors = {member["leaves"]: f"{member['errors']:.0f}" for member in found["members"]}
    listed = ", ".join(f"{leaves}: {count}" for leaves, count in errors.items())
    once, is_done = peer.seconds(name)
    theirs, mark = once * (len(errors) - 1), "" if is_done else "> "
    cells = [
        name,
        f"{one:.4f} s",
        f"{family:.4f} s",
        f"{family / one:.1f}",
        f"{mark}{theirs:.2f} s",
    ]
    print(f"| {' | '.join(cells)} | {mark}{theirs / family:.0f} | {listed} |", flush=True)
    return family / one, theirs / family


def run(program, command, options):
    arguments = [program, command, "optimal", *options]
    done = subprocess.run(arguments, capture_output=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
