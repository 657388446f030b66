"""Signals at random times, over all commands.

One SIGINT stops a search, which ends with exit code 0 and the best result so far; a second one ends the
program with exit code 130. SIGTERM and SIGHUP end it. Before the search has begun, and in commands
that do not search, SIGINT ends the program, too. Whenever a signal comes: the program ends soon, the result is
either the old file or a whole new one, no temporary file is left, and the inputs are what they were. Standard
library only.

    python3 tests/python/signals.py target/debug/treewright --signals 50
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from commands import all_commands, check_complete, snapshot, strangers, write_inputs

OLD = b"the old file\n"
# Nothing is timed here: this only tells a hang from a slow machine.
PATIENCE = 120
# What is sent, and how often each is drawn.
KINDS = [
    ("SIGINT once", [signal.SIGINT]),
    ("SIGINT twice", [signal.SIGINT, signal.SIGINT]),
    ("SIGTERM", [signal.SIGTERM]),
    ("SIGHUP", [signal.SIGHUP]),
]


def allowed(kind, command, code, is_new):
    """May the program end like this?"""
    if code == 0:
        return is_new
    if kind == "SIGINT once":
        # A search that has begun ends with its result. Others may be hit just after they have written it.
        return code in (130, -signal.SIGINT) and (not is_new or not command.searches)
    ends = {
        "SIGINT twice": (130, -signal.SIGINT),
        "SIGTERM": (128 + signal.SIGTERM, -signal.SIGTERM),
        "SIGHUP": (128 + signal.SIGHUP, -signal.SIGHUP),
    }
    return code in ends[kind]


def how_long(line):
    start = time.monotonic()
    subprocess.run(line, check=True, capture_output=True, timeout=PATIENCE)
    return time.monotonic() - start


def default_signals():
    """A shell may have told its children to ignore SIGHUP (nohup), and the program keeps to that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def send(line, signals, delays):
    """Runs a command and sends signals after delays; its exit code and what it said, or None."""
    environment = {**os.environ, "NO_COLOR": "1"}
    with subprocess.Popen(
        line,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        preexec_fn=default_signals,
    ) as process:
        for number, delay in zip(signals, delays, strict=True):
            time.sleep(delay)
            process.send_signal(number)
        try:
            _, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, b""
        return process.returncode, said


def check(command, kind, code, said, n_rows, work, before, inputs):
    out = work / "out"
    is_new = out.read_bytes() != OLD
    wrong = []
    if code is None:
        return [f"still running after {PATIENCE} seconds"]
    if not allowed(kind, command, code, is_new):
        wrong.append(f"exit code {code}, {'a new' if is_new else 'the old'} file, said {said!r}")
    broken = check_complete(command.name, out, n_rows) if is_new else None
    if broken:
        wrong.append(f"half a result: {broken}")
    if strangers(work):
        wrong.append(f"left behind: {strangers(work)}")
    if snapshot(inputs) != before:
        wrong.append("an input has changed")
    if b"bug" in said:
        wrong.append(f"said {said!r}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true", help="1,000 signals")
    parser.add_argument("--signals", type=int, default=50)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    n_signals = 1000 if arguments.all else arguments.signals
    rng = random.Random(arguments.seed)
    program = os.path.abspath(arguments.program)
    codes, sent, failed = Counter(), Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        inputs, work = Path(scratch) / "inputs", Path(scratch) / "work"
        inputs.mkdir()
        work.mkdir()
        write_inputs(program, inputs, arguments.rows)
        before = snapshot(inputs)
        commands = all_commands(inputs, work / "out")
        lines = [[program, *command.arguments, "--threads", "2"] for command in commands]
        durations = [how_long(line) for line in lines]
        for number in range(n_signals):
            chosen = number % len(commands)
            command = commands[chosen]
            kind, signals = KINDS[(number // len(commands) + chosen) % len(KINDS)]
            delays = [rng.random() * durations[chosen] * 1.1 / len(signals) for _ in signals]
            (work / "out").write_bytes(OLD)
            code, said = send(lines[chosen], signals, delays)
            sent[kind] += 1
            codes[f"{kind}: {code}"] += 1
            wrong = check(command, kind, code, said, arguments.rows, work, before, inputs)
            times = ", ".join(f"{delay:.4f} s" for delay in delays)
            failed += [f"{command.name}, {kind} after {times}: {what}" for what in wrong]
            for name in strangers(work):
                (work / name).unlink()
    for line in failed:
        print(f"FAILED {line}")
    for how, count in sorted(codes.items()):
        print(f"  exit code of {how}: {count}")
    print(f"{sum(sent.values())} signals over {len(commands)} commands, {len(failed)} failures")
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
