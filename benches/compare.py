"""Two builds of the program side by side: is a change slower, and what does a proof cost?

    TREEWRIGHT_DATA=FOLDER python benches/compare.py --before FILE --after FILE [--rounds N] [--only WORD] \\
        [--proof] [--instructions] > benches/record/<date>-compare.md

Both programs learn the same on one thread, in turns, so that a busy machine slows both alike. What counts is the
processor time of the whole program; reading the table is the same work in both. Of all rounds the least is taken. With
--proof, the later program is compared with itself writing a proof. With --instructions, valgrind counts what the
processor is told to do, once: that does not depend on what else the machine does.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import machine

COMMANDS = (
    ("fit greedy", "letter.csv.gz", []),
    ("fit greedy", "magic.csv.gz", []),
    ("fit greedy", "adult.csv.gz", []),
    ("fit optimal", "magic.csv.gz", ["--depth", "2", "--intervals", "2"]),
    ("fit optimal", "skin.csv.gz", ["--depth", "2", "--intervals", "2"]),
    ("fit optimal", "htru.csv.gz", ["--depth", "2"]),
    ("fit optimal", "bank.csv", ["--depth", "3", "--intervals", "2"]),
    ("fit optimal", "wilt.csv.gz", ["--depth", "3", "--intervals", "2"]),
    ("fit optimal", "raisin.csv", ["--depth", "3", "--intervals", "2"]),
    ("fit optimal", "pima.csv", ["--depth", "3", "--intervals", "2"]),
    ("fit optimal", "bidding.csv.gz", ["--depth", "3", "--intervals", "2"]),
    ("fit dyadic", "ida-breast-cancer.csv", []),
    ("fit dyadic", "ida-banana.csv", []),
    ("path dyadic", "ida-flare-solar.csv", []),
    ("path dyadic", "ida-breast-cancer.csv", []),
    ("path dyadic", "ida-thyroid.csv", []),
    ("path dyadic", "ida-breast-cancer.csv", ["--model", "boxed"]),
    ("path greedy", "letter.csv.gz", []),
    ("path greedy", "magic.csv.gz", ["--penalty", "sqrt"]),
    ("path greedy", "adult.csv.gz", []),
    ("distinct", "heart-cleveland.csv", []),
    ("select complete", "segment.csv.gz", []),
)
PROVED = ("fit optimal",)


def seconds(program, command, data, options):
    """Processor time of one run."""
    words = [str(program), *command.split(), str(data), "--threads", "1", "--quiet", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.decode().strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def millions(program, command, data, options):
    """Millions of instructions of one run."""
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    words = [*counter, str(program), *command.split(), str(data), "--threads", "1", "--quiet"]
    done = subprocess.run([*words, *options], capture_output=True, text=True, check=False)
    found = re.search(r"I +refs: +([0-9,]+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return int(found[1].replace(",", "")) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--proof", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    asked = parser.parse_args()
    measure, unit, rounds = seconds, "s", asked.rounds
    if asked.instructions:
        measure, unit, rounds = millions, "million", 1
    folder = Path(os.environ.get("TREEWRIGHT_DATA") or sys.exit("TREEWRIGHT_DATA is not set"))
    print(machine.heading("What a proof costs" if asked.proof else "Before and after"))
    names = ("without", "with a proof") if asked.proof else ("before", "after")
    print(f"| command | table | {names[0]} | {names[1]} | ratio |\n|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        for command, table, options in COMMANDS:
            if asked.only not in f"{command} {table}" or asked.proof and command not in PROVED:
                continue
            proof = ["--proof", f"{scratch}/proof.json"]
            both = (
                ((asked.after, options), (asked.after, options + proof))
                if asked.proof
                else ((asked.before, options), (asked.after, options))
            )
            least = [float("inf")] * 2
            for _ in range(rounds):
                for place, (program, words) in enumerate(both):
                    took = measure(program, command, folder / table, words)
                    least[place] = min(least[place], took)
            ratio = least[1] / max(least[0], 1e-9)
            words = " ".join([command, *options])
            figures = " | ".join(f"{figure:.3f} {unit}" for figure in least)
            cells = f"`{words}` | {table.split('.')[0]} | {figures}"
            print(f"| {cells} | {ratio:.3f} |", flush=True)


if __name__ == "__main__":
    main()
