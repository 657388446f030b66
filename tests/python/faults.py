"""What the program leaves behind when reading or writing goes wrong.

For every command that writes a file, calls that read, write, sync or create files are made to fail, one
after the other: no space left, an error of the device, a write that takes half of the bytes, and the
process killed before the call. Afterwards the result is either the old file or the complete new one,
the inputs are what they were, and no temporary file is left but by a killed process. Errors are one
line and exit code 1. Also: /dev/full, a closed standard output, limits on the size of files and on
memory, a folder that cannot be written, a disk that is full. Standard library only; `faults.c` is built with cc.

    python3 tests/python/faults.py target/debug/treewright
"""

import argparse
import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from commands import (
    TEMPORARY,
    all_commands,
    check_complete,
    content,
    snapshot,
    strangers,
    write_inputs,
)

OLD = b"the old file\n"
N_ROWS = 60
PATIENCE = 120
NOBODY = 65534


class Faults:
    def __init__(self, program, scratch):
        self.program = os.path.abspath(program)
        self.scratch = scratch
        self.inputs, self.work = scratch / "inputs", scratch / "work"
        self.inputs.mkdir()
        self.work.mkdir()
        self.out = self.work / "out"
        write_inputs(self.program, self.inputs, N_ROWS)
        self.before = snapshot(self.inputs)
        self.tried, self.failed = Counter(), []
        self.codes = Counter()

    def run(self, command, **how):
        line = [self.program, *command.arguments, "--threads", "1", "--quiet"]
        self.out.write_bytes(OLD)
        return subprocess.run(line, capture_output=True, timeout=PATIENCE, **how)

    def check(self, what, command, done, reference, killed=False):
        """What may be seen after a run that met a fault."""
        self.tried[what.split(",")[0]] += 1
        self.codes[done.returncode] += 1
        wrong = []
        raw = self.out.read_bytes() if self.out.exists() else b""
        is_new = raw != OLD
        if is_new:
            same = reference is None or content(command.name, self.out) == reference
            broken = check_complete(command.name, self.out, N_ROWS)
            if broken or not same:
                wrong.append(f"the result is neither old nor new ({broken or 'other content'})")
        if snapshot(self.inputs) != self.before:
            wrong.append("an input has changed")
        left = strangers(self.work)
        if killed:
            left = [name for name in left if not TEMPORARY.fullmatch(name)]
        if left:
            wrong.append(f"left behind: {left}")
        if not killed:
            wrong += self.check_message(done)
            if done.returncode == 0 and not is_new:
                wrong.append("exit code 0 without a result")
        for fault in wrong:
            self.failed.append(f"{command.name}, {what}: {fault}")
        for name in strangers(self.work):
            (self.work / name).unlink()

    def check_message(self, done):
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        if done.returncode == 0:
            return []
        if done.returncode != 1:
            return [f"exit code {done.returncode}, expected 1: {lines}"]
        if len(lines) != 1 or "bug" in lines[0] or not lines[0].startswith("treewright: "):
            return [f"not one plain line: {lines}"]
        return []


def build_library(scratch):
    library = scratch / "faults.so"
    source = Path(__file__).with_name("faults.c")
    line = ["cc", "-shared", "-fPIC", "-O1", "-o", library, source]
    done = subprocess.run(line, capture_output=True, text=True)
    return library if done.returncode == 0 else None


def injected(faults, library, command, rng, n_places):
    """Faults at calls of a command, chosen at random; all of them if there are few."""
    log = faults.scratch / "calls"
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "FAULT_FOLDER": str(faults.scratch),
    }
    counted = {**environment, "FAULT_LOG": str(log)}
    done = faults.run(command, env=counted)
    assert done.returncode == 0, (command.name, done.stderr)
    calls = int(log.read_text())
    assert calls >= 4, f"{command.name}: the library saw {calls} calls only"
    reference = content(command.name, faults.out)
    places = range(1, calls + 1)
    if calls > n_places:
        # The first calls read the inputs; the last ones matter most.
        places = sorted({*rng.sample(places, n_places // 2), *places[-n_places // 2 :]})
    kinds = {
        "no space": f"sticky:{errno.ENOSPC}",
        "device error": str(errno.EIO),
        "short": "short",
        "killed": "kill",
    }
    for what, how in kinds.items():
        for place in places:
            fault = {"FAULT_AT": str(place), "FAULT_HOW": how}
            done = faults.run(command, env={**environment, **fault})
            faults.check(f"{what}, call {place}", command, done, reference, killed=how == "kill")
            if what == "short" and done.returncode != 0:
                faults.failed.append(f"{command.name}, {what}, call {place}: {done.stderr}")


def renaming(faults, command):
    """The one call that the library cannot reach."""
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=rename,renameat,renameat2"]
    faults.out.write_bytes(OLD)
    inject = ["-e", "inject=rename,renameat,renameat2:error=EIO"]
    line = [*strace, *inject, faults.program, *command.arguments, "--threads", "1", "--quiet"]
    done = subprocess.run(line, capture_output=True, timeout=PATIENCE)
    faults.check("renaming", command, done, None)
    if done.returncode == 0:
        faults.failed.append(f"{command.name}, renaming: exit code 0")


def strace_works():
    if not shutil.which("strace"):
        return False
    line = ["strace", "-f", "-o", os.devnull, "true"]
    return subprocess.run(line, capture_output=True).returncode == 0


def standard_output(faults, command):
    """A full device, and a standard output that is closed."""
    # Without the option that names the file; that of distinct's trees wants one.
    unwanted = {"-o", str(faults.out)} | (
        {"--proof"} if command.name.endswith("--proof") else set()
    )
    arguments = [word for word in command.arguments if word not in unwanted]
    if "--trees" in arguments:
        arguments.append("-")
    binary = "onnx" in arguments
    line = [faults.program, *arguments, "--quiet", *([] if binary else ["--json"])]
    faults.out.write_bytes(OLD)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE)
    faults.check("/dev/full", command, done, None)
    if done.returncode == 0:
        faults.failed.append(f"{command.name}, /dev/full: exit code 0")
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *line]
    done = subprocess.run(shell, stderr=subprocess.PIPE, timeout=PATIENCE)
    if done.returncode != 1:
        faults.failed.append(f"{command.name}, closed output: exit code {done.returncode}")
    faults.check("closed output", command, done, None)
    faults.failed = [line for line in faults.failed if "without a result" not in line]


def limited(faults, command, what, limit, size, reference):
    def set_limit():
        resource.setrlimit(limit, (size, size))

    done = faults.run(command, preexec_fn=set_limit)
    faults.check(f"{what}, {size} bytes", command, done, reference)


def can_start(faults, size):
    """Is this much address space enough for loading the program?"""
    line = ["sh", "-c", f'ulimit -v {size >> 10}; exec "$0" --version', faults.program]
    return subprocess.run(line, capture_output=True).returncode == 0


def memory_limits(faults, command, sizes, aborted):
    """A plain line or a result. The smallest allocations of the standard library cannot be guarded: where
    these abort the process there must at least be a line that says so, and no half-written file."""
    for size in sizes:

        def set_limit(size=size):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        done = faults.run(command, preexec_fn=set_limit)
        if done.returncode == -signal.SIGABRT and b"memory allocation of" in done.stderr:
            aborted[command.name].append(size >> 20)
            faults.check("memory", command, done, None, killed=True)
        else:
            faults.check("memory", command, done, None)


def read_only_folder(faults, command):
    """As a user who may read the folder and not write it."""

    def leave_root():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

    faults.scratch.chmod(0o755)
    faults.out.write_bytes(OLD)
    faults.work.chmod(0o555)
    try:
        line = [faults.program, *command.arguments, "--quiet"]
        done = subprocess.run(line, capture_output=True, timeout=PATIENCE, preexec_fn=leave_root)
    except (PermissionError, subprocess.SubprocessError) as error:
        return f"{error}"
    finally:
        faults.work.chmod(0o755)
    faults.check("read-only", command, done, None)
    if done.returncode == 0:
        faults.failed.append(f"{command.name}, read-only: exit code 0")
    return None


def small_disk(faults, command):
    """A disk with room for less than the result."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(faults.work)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        return False
    try:
        (faults.work / "filler").write_bytes(bytes(3000))
        done = faults.run(command)
        (faults.work / "filler").unlink()
        faults.check("small disk", command, done, None)
    finally:
        subprocess.run(["umount", str(faults.work)], check=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true", help="faults at every call")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    skipped, aborted = [], {}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch).resolve()
        faults = Faults(arguments.program, scratch)
        library = build_library(scratch)
        with_strace = strace_works()
        commands = all_commands(faults.inputs, faults.out)
        sizes = [size << 20 for size in (range(16, 400, 16) if arguments.all else [256])]
        sizes = [size for size in sizes if can_start(faults, size)]
        for command in commands:
            aborted[command.name] = []
            if library:
                injected(faults, library, command, rng, 10_000 if arguments.all else 4)
            if with_strace:
                renaming(faults, command)
            standard_output(faults, command)
            memory_limits(faults, command, sizes, aborted)
            limited(faults, command, "file size", resource.RLIMIT_FSIZE, 16, None)
        for command in commands if arguments.all else commands[:2]:
            reason = read_only_folder(faults, command)
            if reason:
                skipped.append(f"a read-only folder ({reason})")
                break
        for command in commands if arguments.all else commands[-3:]:
            if not small_disk(faults, command):
                skipped.append("a small disk (mounting one needs root)")
                break
        if not library:
            skipped.append("injected faults (cc is needed)")
        if not with_strace:
            skipped.append("errors of renaming (strace is needed)")
    for what in skipped:
        print(f"skipped: {what}")
    for name, sizes in aborted.items():
        if sizes:
            print(f"aborted for lack of memory: {name} with {sizes} MiB of address space")
    for line in faults.failed:
        print(f"FAILED {line}")
    counts = ", ".join(f"{count} {what}" for what, count in faults.tried.items())
    print(f"{sum(faults.tried.values())} faults ({counts}), {len(faults.failed)} failures")
    sys.exit(len(faults.failed) > 0)


if __name__ == "__main__":
    main()
