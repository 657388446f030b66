"""Figures about the sources of the library: how large files, folders and functions are, and which names repeat.

    python benches/house.py [COMMIT ...]

Prints a table with a column for each commit; without one, for the sources as they are. The parser is rough: it counts
lines and braces, and leaves out test modules and test files.
"""

import argparse
import io
import re
import statistics
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "crates/treewright/src"
LONG = 60
FUNCTION = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?(?:const )?(?:unsafe )?fn (\w+)")
TYPE = re.compile(r"^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type) (\w+)")
FIELD = re.compile(r"^\s+pub\((?:super|in [\w:]+)\) \w+: ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commits", nargs="*")
    commits = parser.parse_args().commits
    columns = {commit: figures(sources_of(commit)) for commit in commits} or {
        "now": figures(present())
    }
    print("| |", " | ".join(columns), "|")
    print("|---|" + "---:|" * len(columns))
    for name in next(iter(columns.values())):
        print(f"| {name} |", " | ".join(str(figures[name]) for figures in columns.values()), "|")


def present():
    return {
        path.relative_to(ROOT / SOURCES): path.read_text()
        for path in (ROOT / SOURCES).rglob("*.rs")
    }


def sources_of(commit):
    archive = subprocess.check_output(["git", "archive", commit, SOURCES], cwd=ROOT)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        members = [member for member in files.getmembers() if member.name.endswith(".rs")]
        return {
            Path(member.name).relative_to(SOURCES): files.extractfile(member).read().decode()
            for member in members
        }


def figures(sources):
    """All figures of some files, by path."""
    code = {path: without_tests(text) for path, text in sources.items() if not is_test(path)}
    learners = {path: lines for path, lines in code.items() if path.parts[0] == "learn"}
    folders = Counter(path.parent for path in sources)
    folder, most = max(folders.items(), key=lambda item: item[1])
    lengths = sorted(len(lines) for lines in code.values())
    functions = [length for lines in code.values() for length in function_lengths(lines)]
    types = Counter(name for lines in learners.values() for name in names(lines))
    optimal = [
        line for path, lines in learners.items() if "optimal" in path.parts for line in lines
    ]
    fields = sum(bool(FIELD.match(line)) for line in optimal)
    return {
        "files": len(code),
        "lines of a file: median, largest": f"{statistics.median(lengths):.0f}, {lengths[-1]}",
        "most files in a folder": f"{most} ({folder})",
        "folders with more than ten files": sum(number > 10 for number in folders.values()),
        f"functions above {LONG} lines": sum(length > LONG for length in functions),
        "longest function": max(functions),
        "type names defined more than once in learn": sum(number > 1 for number in types.values()),
        "fields open to a folder in learn/optimal": fields,
    }


def is_test(path):
    return "tests" in path.parts or path.stem == "tests" or path.stem.endswith("_tests")


def without_tests(text):
    """The lines before the test module of a file, which is its last part."""
    return re.split(r"^#\[cfg\(test\)\]\nmod \w+ \{", text, flags=re.M)[0].splitlines()


def names(lines):
    return {match.group(1) for line in lines if (match := TYPE.match(line))}


def function_lengths(lines):
    """From the line with `fn` to the brace that closes it, by the indentation that rustfmt keeps."""
    for at, line in enumerate(lines):
        if FUNCTION.match(line):
            end = re.compile(" " * (len(line) - len(line.lstrip())) + r"\}$")
            if line.rstrip().endswith((";", "}")):
                yield 1
                continue
            rest = enumerate(lines[at:], start=1)
            yield next((length for length, other in rest if end.match(other)), 1)


if __name__ == "__main__":
    main()
