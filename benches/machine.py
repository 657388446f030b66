"""What a record must say about where it was made, and how to run things apart from each other."""

import json
import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# A new process starts with the peak of the one that made it, so a small one must make it.
LAUNCHER = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
sys.exit(code)
"""


def heading(title):
    """Title, machine, versions and command, in Markdown."""
    lines = [f"# {title}", "", f"- date: {date.today()}", f"- machine: {processor()}"]
    lines.append(f"- commit: {output(['git', 'describe', '--always', '--dirty'], ROOT)}")
    peers = ", ".join(f"{name} {number}" for name, number in versions())
    lines.append(f"- {output(['rustc', '--version'])}, Python {platform.python_version()}, {peers}")
    lines.append(f"- command: `{' '.join(own_command())}`")
    return "\n".join(lines) + "\n"


def own_command():
    """How the script was called, without where things are on this machine."""
    words = ["python", os.path.relpath(sys.argv[0], ROOT), *sys.argv[1:]]
    for place in (
        "--folder",
        "--program",
        "--save-peers",
        "--peers-from",
        "--answers",
        "--before",
        "--after",
        "--treewright",
        "--cache",
        "--chart",
        "--weka",
    ):
        if place in words:
            at = words.index(place)
            del words[at : at + 2]
    return words


def processor():
    model = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} logical cores, {platform.system()}"


def versions():
    peers = ("scikit-learn", "lightgbm", "pycontree", "pytrees-rs", "pystreed")
    for name in ("numpy", "pandas", "pyarrow", *peers):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def output(command, folder=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def target_folder():
    """Where cargo puts what it builds."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    return Path(json.loads(subprocess.check_output(command, cwd=ROOT))["target_directory"])


def build():
    """The program that times greedy trees, and the command line, in release."""
    return build_bench("fit"), build_release(["-p", "treewright-cli"]) / "treewright"


def build_bench(name):
    """A program of crates/treewright/benches, in release."""
    command = ["cargo", "bench", "--no-run", "--locked", "-p", "treewright", "--bench", name]
    lines = subprocess.check_output([*command, "--message-format=json"], cwd=ROOT).splitlines()
    made = (json.loads(line).get("executable") for line in lines)
    return Path(next(path for path in made if path))


def build_release(what):
    command = ["cargo", "build", "--release", "--locked", "--quiet", *what]
    subprocess.run(command, cwd=ROOT, check=True)
    return target_folder() / "release"


def peak_megabytes(command):
    """Largest memory of a command, and its CPU seconds."""
    command = [sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, command)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} from {command[5:]}: {done.stderr.strip()}")
    peak, seconds = done.stdout.split()
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kilobytes
    return int(peak) * unit / 2**20, float(seconds)


def print_table(header, rows):
    """A Markdown table, row by row as the figures come in."""
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
    print()
