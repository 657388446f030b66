"""Every command of the program, with its files: what faults and signals are tried on.

A command reads the files of one folder and writes `out` in another. Standard library only.
"""

import json
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# Only these may be left behind, and only by a process that was killed with SIGKILL.
TEMPORARY = re.compile(r"\.treewright-.*\.tmp")
# Figures that differ from run to run.
SECONDS = re.compile(rb'"seconds":\s*[-+.0-9eE]+|[0-9.]+ (?:ms|s|seconds)\b')


# A proof is needed from three levels on.
DEEP = ["--depth", "3", "--intervals", "2", "--categorical-splits", "multiway"]


@dataclass
class Command:
    name: str
    arguments: list = field(default_factory=list)
    # Does it stop at one Ctrl-C with the best result so far?
    searches: bool = True


def all_commands(inputs, out):
    """The commands, on the inputs that `write_inputs` has made."""
    table, model, family = (
        str(inputs / name) for name in ("table.csv", "model.json", "family.json")
    )
    costs, prices = str(inputs / "costs.csv"), str(inputs / "prices.csv")
    proven, proof = str(inputs / "proven.json"), str(inputs / "proof.jsonl")
    out = str(out)

    def searching(name, *arguments):
        return Command(name, [*arguments, "-o", out])

    def using(name, *arguments):
        return Command(name, [*arguments, "-o", out], searches=False)

    return [
        searching("fit greedy", "fit", "greedy", table),
        searching(
            "fit greedy, pruned", "fit", "greedy", table, "--select", "1se", "--costs", costs
        ),
        searching("fit greedy, numbers", "fit", "greedy", prices, "--task", "regression"),
        searching("fit dyadic", "fit", "dyadic", table, "--k", "3"),
        searching("fit optimal", "fit", "optimal", table, "--depth", "2"),
        Command("fit optimal --proof", ["fit", "optimal", table, *DEEP, "--proof", out]),
        Command("fit greedy --proof", ["fit", "greedy", table, "--leaves", "3", "--proof", out]),
        searching("path greedy", "path", "greedy", table, "--folds", "5"),
        searching("path dyadic", "path", "dyadic", table, "--k", "2"),
        searching("distinct", "distinct", table, "--limit", "200"),
        Command("distinct --trees", ["distinct", table, "--limit", "200", "--trees", out]),
        searching("select backward", "select", "backward", table),
        searching("select complete", "select", "complete", table),
        searching("validate", "validate", "greedy,dyadic", table, "--folds", "3"),
        searching("summary", "summary", table, "--depth", "1"),
        searching("curve", "curve", "greedy", table, "--repeats", "2"),
        searching("explore", "explore", table, "--budget", "2s", "--folds", "3"),
        using("prune", "prune", model, "--lambda", "0.01"),
        using("prune --family", "prune", model, "--family", "--penalty", "sqrt"),
        using("prune, a member", "prune", family, "--leaves", "3"),
        using("predict", "predict", model, table, "--proba"),
        using("score", "score", model, table),
        using("verify", "verify", model, table),
        using("verify --optimality", "verify", proven, table, "--optimality", "--proof", proof),
        using("report", "report", family, table),
        using("check", "check", table),
        using("export svg", "export", model, "--to", "svg"),
        using("export onnx", "export", model, "--to", "onnx"),
    ]


def write_inputs(program, folder, n_rows):
    """A table with all kinds of columns, and a model and a family learned from it."""
    rng = random.Random(1)
    lines = ["a,b,c,d,class"]
    numbers = ["a,b,y"]
    for _ in range(n_rows):
        a, b = rng.randrange(40), round(rng.gauss(0, 2), 2)
        c, d = rng.choice(["x", "y", "z", ""]), rng.randrange(6)
        noise = rng.random() < 0.15
        label = "yes" if (a > 17 and c != "x") != noise else "no"
        lines.append(f"{a},{b},{c},{d},{label}")
        numbers.append(f"{a},{b},{a * 0.5 + b}")
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    (folder / "prices.csv").write_text("\n".join(numbers) + "\n")
    (folder / "costs.csv").write_text(",no,yes\nno,0,1\nyes,3,0\n")
    for learner in (["fit", "greedy"], ["path", "greedy"]):
        name = "model.json" if learner[0] == "fit" else "family.json"
        line = [program, *learner, folder / "table.csv", "--max-depth", "6", "-o", folder / name]
        subprocess.run(line, check=True, capture_output=True)
    line = [program, "fit", "optimal", folder / "table.csv", *DEEP, "-o", folder / "proven.json"]
    subprocess.run([*line, "--proof", folder / "proof.jsonl"], check=True, capture_output=True)


def content(name, path):
    """The bytes of a result without figures that differ from run to run; None if all of it may differ."""
    if name == "explore":
        # A search with a budget may get further next time.
        return None
    raw = Path(path).read_bytes()
    if name in ("validate", "curve"):
        # The last column holds the seconds.
        return b"\n".join(line.rpartition(b",")[0] for line in raw.splitlines())
    return SECONDS.sub(b"", raw)


def snapshot(folder):
    """Names and contents of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def strangers(folder, expected=("out",)):
    """Files of a folder that should not be there."""
    return sorted(path.name for path in folder.iterdir() if path.name not in expected)


def check_complete(name, path, n_rows):
    """None if a result is whole, else what is missing in it."""
    raw = Path(path).read_bytes()
    if name in ("explore", "report"):
        return None if raw.rstrip().endswith(b"</html>") else "a page without its end"
    if name == "export svg":
        return None if raw.rstrip().endswith(b"</svg>") else "a drawing without its end"
    if name == "export onnx":
        return None if len(raw) > 100 else "a short ONNX file"
    text = raw.decode()
    if name == "distinct --trees" and not text:
        # Stopped before the first tree.
        return None
    if not text.endswith("\n"):
        return "no line end"
    lines = text.splitlines()
    if name == "predict":
        return None if len(lines) == n_rows + 1 else f"{len(lines)} lines"
    if name in ("validate", "curve"):
        widths = {line.count(",") for line in lines}
        return None if len(widths) == 1 else f"a table with {widths} commas a line"
    try:
        is_by_line = name == "distinct --trees" or name.endswith("--proof")
        documents = lines if is_by_line else [text]
        for document in documents:
            json.loads(document)
    except ValueError as error:
        return f"broken JSON: {error}"
    return None
