"""Report pages of any data, put together as the program does it. Standard library only."""

import csv
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PARTS = ROOT / "crates" / "treewright" / "src" / "export" / "html"
MISSING = {"", "?", "NA", "NaN", "null"}
MOST_LEAVES = 100


def page(payload):
    """The report of a payload: the parts of the page in one file."""
    text = (PARTS / "page.html").read_text(encoding="utf-8")
    include = re.compile(r"/\*include ([a-z./]+)\*/")
    text = include.sub(lambda part: _part(part[1]), text)
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    before, after = text.split("/*DATA*/")
    return before + data + after


def _part(name):
    """A part of the page without its comments and the spaces at the start of its lines."""
    lines = (PARTS / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line.lstrip(" ") for line in lines if not line.lstrip().startswith("//"))


class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        command = [self.path, *map(str, arguments), "--json", "--quiet"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
        return json.loads(done.stdout)


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows
