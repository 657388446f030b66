"""Hours of work in one process: memory must stay flat.

Three things run side by side: the library, in one process that learns, prunes, reads and writes without
end (`crates/treewright-fuzz/examples/soak.rs`); the Python package, in this process, where it is
installed; and commands of the program one after the other, whose peak must not grow from one to the
next of its kind. Every minute the memory of each is printed.

    python3 tests/python/soak.py target/release --minutes 60
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

from commands import all_commands, write_inputs

# Growth from the second quarter of the time to the last that is still flat: the allocator keeps some pieces.
FLAT_SHARE, FLAT_MB = 0.05, 4.0


def resident_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0


class Library:
    """The library in a process of its own."""

    name = "library"

    def __init__(self, folder, corpus):
        self.rounds = 0
        line = [folder / "examples" / "soak", corpus]
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        threading.Thread(target=self.count, daemon=True).start()

    def count(self):
        for line in self.process.stdout:
            self.rounds = int(line)

    def sample(self):
        if self.process.poll() is not None:
            sys.exit(f"the library ended with exit code {self.process.returncode}")
        return resident_mb(self.process.pid)

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=600)


class Package:
    """The Python package in this process."""

    name = "package"

    def __init__(self, treewright):
        self.treewright, self.rounds = treewright, 0

    def work(self, rng):
        n_rows = rng.randrange(20, 300)
        rows = [[rng.randrange(30), rng.random(), rng.randrange(3)] for _ in range(n_rows)]
        classes = [str(row[0] // 12) for row in rows]
        package = self.treewright
        for estimator in (
            package.GreedyTreeClassifier(),
            package.DyadicTreeClassifier(k=2),
            package.OptimalTreeClassifier(max_depth=2),
        ):
            estimator.fit(rows, classes)
            estimator.predict_proba(rows)
            estimator.tree_.to_json()
        package.pruning_family(rows, classes)
        self.rounds += 1

    def sample(self):
        return resident_mb(os.getpid())

    def stop(self):
        pass


def run_command(line):
    """The peak of a command, in MB."""
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, line))}: exit code {process.returncode}")
    return usage.ru_maxrss / 1024


def growth(samples):
    """From the second quarter to the last, in MB, and whether that is too much."""
    quarter = len(samples) // 4
    if quarter < 2:
        return 0.0, False
    early, late = (
        statistics.median(part) for part in (samples[quarter : 2 * quarter], samples[-quarter:])
    )
    return late - early, late - early > FLAT_MB + FLAT_SHARE * early


def installed_package():
    try:
        import treewright
    except ImportError:
        print("skipped: the Python package (it is not installed here)")
        return []
    return [Package(treewright)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", type=Path, help="where cargo has put the program and the examples"
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    corpus = Path(__file__).resolve().parents[2] / "testdata" / "fuzz"
    rng = random.Random(arguments.seed)
    samples, peaks, n_commands = defaultdict(list), defaultdict(list), 0
    with tempfile.TemporaryDirectory() as scratch:
        inputs, out = Path(scratch) / "inputs", Path(scratch) / "out"
        inputs.mkdir()
        program = arguments.folder / "treewright"
        write_inputs(program, inputs, 300)
        commands = all_commands(inputs, out)
        packages = installed_package()
        watched = [Library(arguments.folder, corpus), *packages]
        print(
            "| minute | "
            + " | ".join(f"{one.name}, MB | rounds" for one in watched)
            + " | commands |"
        )
        print("|---" * (2 + 2 * len(watched)) + "|", flush=True)
        start = time.monotonic()
        step = max(arguments.minutes * 60 / 240, 0.5)
        next_sample = next_line = 0.0
        while (elapsed := time.monotonic() - start) < arguments.minutes * 60:
            for package in packages:
                package.work(rng)
            command = rng.choice(commands)
            peaks[command.name].append(run_command([program, *command.arguments, "--threads", "1"]))
            n_commands += 1
            if elapsed >= next_sample:
                next_sample = elapsed + step
                for one in watched:
                    samples[one.name].append(one.sample())
            if elapsed >= next_line:
                next_line = elapsed + max(60.0, arguments.minutes)
                figures = " | ".join(
                    f"{samples[one.name][-1]:.1f} | {one.rounds}" for one in watched
                )
                print(f"| {elapsed / 60:.1f} | {figures} | {n_commands} |", flush=True)
        for one in watched:
            one.stop()
    failed = False
    print()
    for name, found in [*samples.items(), *sorted(peaks.items())]:
        grown, is_too_much = growth(found)
        failed |= is_too_much
        verdict = "GREW" if is_too_much else "flat"
        low, high = min(found), max(found)
        print(
            f"{verdict}: {name}, {len(found)} samples, {low:.1f} to {high:.1f} MB, growth {grown:+.1f} MB"
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()
