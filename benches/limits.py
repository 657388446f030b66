"""Do limits of time and memory hold? Every command that takes them, on tables that are too much for them.

    TREEWRIGHT_DATA=FOLDER python benches/limits.py [--program FILE] [--before FILE] [--only WORD] \\
        > benches/record/<date>-limits.md

A time limit counts from the moment the table is read, so the time of reading, which the program tells
with --verbose, is taken off; starting, writing the result and ending the program count. A memory limit
is for what the work adds to the table: the peak of a command that only reads the table and gives up is taken
off. "over" is how far the limit was missed. The goal is 5 % or 100 ms, 10 % or
20 MB, whichever is more; a line that misses it is marked.
"""

import argparse
import math
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine

# A new process starts with the peak of the one that made it, so a small one must make it.
WATCHER = """
import os, resource, subprocess, sys, time
start = time.perf_counter()
try:
    done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=float(sys.argv[1]))
    code, text = done.returncode, done.stderr.decode(errors="replace")
except subprocess.TimeoutExpired as late:
    code, text = "killed", (late.stderr or b"").decode(errors="replace")
print(code, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(text)
"""
KILL_AFTER = 40
MEGABYTE = 1_000_000


def tables(folder):
    """Names and files of the tables; those that are there already are kept."""
    rng = random.Random(0)
    made = {}

    def make(name, n_rows, n_features, label):
        path = folder / f"{name}.csv"
        made[name] = path
        if path.exists():
            return
        header = [f"x{i}" for i in range(n_features)] + ["class"]
        with path.open("w") as file:
            file.write(",".join(header) + "\n")
            for row in range(n_rows):
                x = [rng.gauss(0, 1) for _ in range(n_features)]
                file.write(",".join(f"{value:.6g}" for value in x) + f",c{label(x, row)}\n")

    def noisy(x, _row):
        return int(math.sin(2 * x[0]) + x[1] * x[2] + rng.gauss(0, 0.5) > 0)

    make("rows-1e6", 1_000_000, 10, noisy)
    make("features-2000", 5_000, 2_000, noisy)
    make("classes-1e5", 100_000, 5, lambda _x, row: row)
    make("classes-1000", 100_000, 5, lambda _x, _row: rng.randrange(1000))
    real = os.environ.get("TREEWRIGHT_DATA")
    for name in ("kdd99-10pct", "adult"):
        if real:
            made[name] = Path(real) / f"{name}.csv.gz"
        else:
            print(f"{name}: skipped, TREEWRIGHT_DATA is not set", file=sys.stderr)
    return made


LEARNERS = (
    ("fit greedy", []),
    ("fit dyadic", ["--lambda", "0.0001"]),
    ("fit optimal", ["--depth", "2"]),
    ("fit optimal", ["--depth", "3", "--intervals", "2"]),
)
OTHERS = (
    ("fit greedy", ["--select", "cv"]),
    ("path greedy", []),
    ("path dyadic", []),
    ("distinct", []),
    ("select backward", []),
    ("select complete", []),
    ("validate greedy,optimal", []),
    ("curve greedy", []),
    ("summary", ["--depth", "3"]),
    ("explore", []),
)


def run(program, command, data, options, kill_after=KILL_AFTER):
    """Exit code, seconds without reading, peak in MB, and what was said."""
    words = [str(program), *command.split(), str(data), "--verbose", *options]
    watcher = [sys.executable, "-c", WATCHER, str(kill_after), *words]
    out = subprocess.run(watcher, capture_output=True, text=True, check=False).stdout
    first, _, text = out.partition("\n")
    code, seconds, kilobytes = first.split()
    reading = re.search(r"reading: ([0-9.]+) s", text)
    seconds = float(seconds) - (float(reading[1]) if reading else 0.0)
    return code, seconds, int(kilobytes) * 1024 / MEGABYTE, text.strip()


def time_line(program, command, data, options, limit):
    name = "--budget" if command == "explore" else "--time-limit"
    code, seconds, _, text = run(program, command, data, [*options, name, f"{limit}s"])
    if code == "killed":
        return f"> {KILL_AFTER} s", True
    over = seconds - limit
    return cell(code, f"{seconds:.2f} s", text), over > max(0.05 * limit, 0.1)


def memory_line(program, command, data, options, limit):
    nothing = ["--time-limit", "0s", "--memory-limit", "1MB"]
    _, _, base, _ = run(program, "fit greedy", data, nothing)
    late = ["--budget" if command == "explore" else "--time-limit", "10s"]
    limited = [*options, *late, "--memory-limit", f"{limit}MB"]
    code, _, peak, text = run(program, command, data, limited)
    over = peak - base - limit
    found = cell(code, f"{base:.0f} + {max(peak - base, 0):.0f} MB", text)
    return found, over > max(0.1 * limit, 20)


def cell(code, figure, text):
    if code == "0":
        return figure
    return f"{figure}, exit {code}: {text.splitlines()[-1][:120] if text else ''}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=Path, default=machine.ROOT / "target/release/treewright")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--tables", default="")
    parser.add_argument("--what", default="time,memory")
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found = tables(folder)
    programs = [("before", args.before)] if args.before else []
    programs.append(("now", args.program))
    print(machine.heading("Limits of time and memory"))
    names = " | ".join(name for name, _ in programs)
    wanted = args.what.split(",")
    kinds = [("time", time_line, 1), ("memory", memory_line, 200)]
    for kind, line, limit in kinds:
        if kind not in wanted:
            continue
        unit = " s" if kind == "time" else " MB"
        print(f"## {kind.capitalize()}, limit {limit}{unit}\n")
        print(f"| table | command | {names} |\n|---|---|{'---|' * len(programs)}")
        for table, data in found.items():
            if args.tables and table not in args.tables.split(","):
                continue
            commands = LEARNERS + (OTHERS if table in ("adult", "rows-1e6") else ())
            for command, options in commands:
                full = " ".join([command, *options])
                if args.only not in full:
                    continue
                cells = []
                for _, program in programs:
                    text, is_over = line(program, command, data, options, limit)
                    cells.append(f"**{text}**" if is_over else text)
                print(f"| {table} | `{full}` | {' | '.join(cells)} |", flush=True)
        print()


if __name__ == "__main__":
    start = time.time()
    main()
    print(f"{time.time() - start:.0f} s", file=sys.stderr)
