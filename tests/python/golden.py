"""Does the program still write the same files? Hashes of what it writes, compared with a record.

    python tests/python/golden.py PROGRAM [--write] [--only WORD]

The tables are those of testdata/tables and of the folders that TREEWRIGHT_DATA and TREEWRIGHT_REGRESSION name. Times
are left out before hashing. `--write` makes the record, testdata/golden.json, anew; a command that takes more than
LONGEST seconds of processor time is left out of it. Commands whose table is not there are counted as skipped.
A change of a hash needs a reason in the commit that changes it.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "testdata/golden.json"
LONGEST = 2
TIMES = ("seconds", "time", "program", "date")

# What has a twin with `--categorical-splits multiway` was written so before groups became the default.
CLASSIFICATION = (
    "fit greedy",
    "fit greedy --categorical-splits multiway",
    "fit greedy --criterion entropy --max-depth 6 --min-leaf 5 --categorical-splits multiway",
    "fit greedy --criterion gain-ratio --missing branch --categorical-splits multiway",
    "fit greedy --select cv --folds 3 --categorical-splits multiway",
    "path greedy --categorical-splits multiway",
    "fit greedy --categorical-splits one-vs-rest --missing branch",
    "fit greedy --missing learned",
    "fit greedy --criterion entropy --categorical-splits multiway --missing learned",
    "fit greedy --criterion entropy --max-depth 6 --min-leaf 5",
    "fit greedy --criterion gain-ratio --missing branch",
    "fit greedy --select cv --folds 3",
    "path greedy",
    "path greedy --penalty sqrt",
    "fit dyadic --k 3 --lambda 0.01",
    "path dyadic --k 2",
    "fit optimal --depth 1",
    "fit optimal --depth 2 --intervals 2",
    "fit optimal --depth 2",
    "fit optimal --depth 3 --intervals 2 --min-leaf 5",
    "fit optimal --depth 1 --categorical-splits multiway",
    "fit optimal --depth 2 --intervals 2 --categorical-splits multiway",
    "fit optimal --depth 2 --categorical-splits multiway",
    "fit optimal --depth 3 --intervals 2 --min-leaf 5 --categorical-splits multiway",
    "fit optimal --depth 2 --categorical-splits one-vs-rest",
    "distinct --json",
    "select backward --json",
    "select complete --json",
    "validate greedy,optimal --folds 3 --json",
    "curve greedy --json",
)
REGRESSION = (
    "fit greedy",
    "fit greedy --categorical-splits multiway",
    "fit greedy --criterion mae --max-depth 5 --categorical-splits multiway",
    "fit greedy --criterion binned-gini --min-leaf 5 --categorical-splits multiway",
    "fit greedy --missing learned",
    "fit greedy --criterion mae --max-depth 5",
    "fit greedy --criterion binned-gini --min-leaf 5",
    "path greedy",
)
# The report takes a while, so it is made of small tables only.
SMALL = ("explore --json",)
SMALL_BYTES = 60_000


def tables():
    """Name, file and whether the target is a number."""
    found = {}
    for path in sorted((ROOT / "testdata/tables").glob("*.csv")):
        found[path.stem] = (path, path.stem == "prices")
    for variable, is_number in (("TREEWRIGHT_DATA", False), ("TREEWRIGHT_REGRESSION", True)):
        folder = os.environ.get(variable)
        for path in sorted(Path(folder).glob("*.csv*")) if folder else ():
            found[path.name.split(".")[0]] = (path, is_number)
    return found


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in TIMES}
    if isinstance(value, list):
        return [without_times(part) for part in value]
    return value


def digest(program, command, path, longest):
    """The hash of what a command writes; None if it takes too long; a line that begins with ! if it fails."""
    words = [str(program), *command.split(), "--quiet"]
    words.insert(2 if words[1] in ("distinct", "explore") else 3, str(path))
    with tempfile.TemporaryDirectory() as scratch:
        if "--json" not in words:
            words += ["-o", f"{scratch}/out.json"]
        done = subprocess.run(
            words, capture_output=True, preexec_fn=lambda: limit(longest), check=False
        )
        if done.returncode < 0:
            return None
        if done.returncode != 0:
            # The folder of the table is not the same everywhere.
            return "! " + done.stderr.decode().strip().replace(str(path), path.name)
        text = done.stdout if "--json" in words else Path(scratch, "out.json").read_bytes()
    plain = json.dumps(without_times(json.loads(text)), sort_keys=True).encode()
    return hashlib.sha256(plain).hexdigest()[:12]


def limit(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def digests(program, jobs, longest):
    """The hash of every (table, command), both cores at work."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda job: digest(program, job[1], job[2], longest), jobs))


def write(program, found):
    jobs = []
    for name, (path, is_number) in found.items():
        commands = REGRESSION if is_number else CLASSIFICATION
        if path.stat().st_size <= SMALL_BYTES:
            commands += SMALL
        jobs += [(name, command, path) for command in commands]
    record, n_left_out = {}, 0
    for (name, command, _), result in zip(jobs, digests(program, jobs, LONGEST), strict=True):
        if result is None:
            n_left_out += 1
        else:
            record.setdefault(name, {})[command] = result
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    print(f"golden: {len(jobs) - n_left_out} written, {n_left_out} left out")


def compare(program, found, word):
    """How many results differ from the record."""
    record = json.loads(RECORD.read_text())
    all_jobs = [(name, command) for name, commands in record.items() for command in commands]
    jobs = [(name, command, found[name][0]) for name, command in all_jobs if name in found]
    jobs = [job for job in jobs if word in f"{job[0]}: {job[1]}"]
    n_differ = 0
    for (name, command, _), now in zip(jobs, digests(program, jobs, 20 * LONGEST), strict=True):
        before = record[name][command]
        if now != before:
            n_differ += 1
            print(f"golden: {name}: {command}: {before} in the record, {now} now")
    print(f"golden: {len(jobs)} compared, {n_differ} differ, {len(all_jobs) - len(jobs)} skipped")
    return n_differ


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--write", action="store_true", help="make the record anew")
    parser.add_argument("--only", default="", help="part of `TABLE: COMMAND`")
    asked = parser.parse_args()
    if asked.write:
        write(asked.program, tables())
        return 0
    return 1 if compare(asked.program, tables(), asked.only) else 0


if __name__ == "__main__":
    sys.exit(main())
