"""An outside evaluator of `prune` and `path`.

Knows the file formats and nothing of the program. It lists every pruning of a small tree from the
nodes of its model file, and checks what the program says is best: for a weight, a number of leaves,
a cost, and for the whole family, under many penalties. Cross-validated errors are computed anew
with `fit`, `prune` and `predict` on the folds' own rows. Standard library only.

    python3 tests/python/pruning.py target/debug/treewright
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

CLOSE = 1e-12
MOST_LEAVES = 14


class Difference(Exception):
    """The program says something else than the nodes do."""


def expect(condition, message):
    if not condition:
        raise Difference(message)


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def json(self, *arguments):
        line = [self.path, *map(str, arguments), "--json", "--quiet"]
        done = subprocess.run(line, capture_output=True, text=True)
        expect(done.returncode == 0, f"{' '.join(line)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def fails(self, *arguments):
        """The message of a command that must not work."""
        line = [self.path, *map(str, arguments)]
        done = subprocess.run(line, capture_output=True, text=True)
        expect(done.returncode == 1, f"{' '.join(line)}: exit code {done.returncode}, expected 1")
        lines = done.stderr.strip().splitlines()
        expect(len(lines) == 1 and "panic" not in lines[0], f"{line}: not one line: {lines}")
        return lines[0]


# Tables and trees


def write_table(path, rng, n_rows, n_classes, kinds):
    """Few values, so that there are ties; sometimes a missing cell; whole weights."""
    header = [f"x{i}" for i in range(len(kinds))] + ["w", "class"]
    lines = [",".join(header)]
    for _ in range(n_rows):
        cells = []
        for kind in kinds:
            value = rng.randrange(5)
            cells.append("abcde"[value] if kind == "c" else str(value))
        label = (cells[0] in "cd234") + (rng.random() < 0.3) * rng.randrange(n_classes)
        lines.append(",".join([*cells, str(rng.randrange(1, 4)), f"k{label % n_classes}"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def errors_of(node):
    """As a leaf, the node answers `value`: everything else in it is wrong."""
    return sum(Fraction(count) for count in node["counts"]) - Fraction(
        node["counts"][node["value"]]
    )


def prunings(nodes, at=0):
    """All prunings below a node: lists of (errors, leaves)."""
    node = nodes[at]
    found = [(errors_of(node), 1)]
    if "children" in node:
        ways = [(Fraction(0), 0)]
        for child in node["children"]:
            below = prunings(nodes, child)
            ways = list({(a + c, b + d) for a, b in ways for c, d in below})
        found += ways
    return found


def leaf_sum(nodes):
    return sum(errors_of(node) for node in nodes if "children" not in node)


# Penalties: exact where they are rational


def penalties(folder, rng):
    yield "linear", lambda k: Fraction(k)
    yield "sqrt", math.sqrt
    yield "log", math.log
    for exponent in ["0.8", "1.2", "1.5", "2", "3/2"]:
        power = float(Fraction(exponent))
        yield f"power:{exponent}", lambda k, power=power: k**power
    for name, steps in [
        ("concave", sorted((rng.randrange(1, 50) for _ in range(60)), reverse=True)),
        ("convex", sorted(rng.randrange(1, 50) for _ in range(60))),
        ("any", [rng.randrange(1, 50) for _ in range(60)]),
        ("even", [7] * 60),
    ]:
        values, total = [], Fraction(-3, 10)
        for step in steps:
            total += Fraction(step, 10)
            values.append(total)
        path = folder / f"{name}.txt"
        path.write_text("".join(f"{float(value):.1f}\n" for value in values), encoding="utf-8")
        yield f"table:{path}", lambda k, values=values: values[k - 1]


def check_weight(program, model, best, weight, name, penalty, text):
    """One weight: the least objective, and of equal ones the fewest leaves."""
    found = program.json("prune", model, "--penalty", name, "--lambda", text)
    total = Fraction(found["training"]["weight"])
    objective = {k: cost / total + weight * penalty(k) for k, cost in best.items()}
    least = min(objective.values())
    leaves = found["training"]["leaves"]
    expect(leaf_sum(found["nodes"]) == best[leaves], f"{name} {text}: not the best with {leaves}")
    is_exact = isinstance(least, Fraction)
    slack = 0 if is_exact else CLOSE * abs(least)
    expect(objective[leaves] <= least + slack, f"{name} {text}: {leaves} leaves are not the best")
    fewest = min(k for k, value in objective.items() if value <= least + slack)
    expect(leaves == fewest, f"{name} {text}: {leaves} leaves, but {fewest} are as good")
    certificate = found["certificate"]
    # Counts of weighted rows may be whole by rounding, so a model file with weights has a tolerance.
    is_close = certificate["exact"] or certificate["tolerance"] < CLOSE
    expect(certificate["optimal"] and is_close, f"{name} {text}: no exact certificate")
    expect(
        math.isclose(certificate["objective"], least, rel_tol=1e-9, abs_tol=CLOSE),
        f"{name} {text}: objective {certificate['objective']}, found {float(least)}",
    )


def check_family(program, model, best, name, penalty):
    family = program.json("prune", model, "--penalty", name, "--family")
    members = family["members"]
    total = Fraction(family["training"]["weight"])
    leaves = [member["leaves"] for member in members]
    expect(leaves == sorted(set(leaves)) and leaves[0] == 1, f"{name}: leaves {leaves}")
    least = min(best.values())
    expect(
        leaves[-1] == min(k for k, cost in best.items() if cost == least),
        f"{name}: the last member has {leaves[-1]} leaves",
    )
    expect(members[0]["lambda_high"] is None, f"{name}: the first member ends")
    expect(members[-1]["lambda_low"] == 0, f"{name}: the last member does not begin at 0")
    for small, large in zip(members, members[1:], strict=False):
        expect(large["lambda_high"] == small["lambda_low"], f"{name}: a hole between members")
        expect(large["lambda_low"] < small["lambda_low"], f"{name}: weights do not fall")
    for member in members:
        k = member["leaves"]
        expect(member["errors"] == best[k], f"{name}: {k} leaves with {member['errors']} errors")
        expect(math.isclose(member["cost"], best[k] / total, abs_tol=CLOSE), f"{name}: cost of {k}")
        # In the middle of its interval a member is the only best.
        high = member["lambda_high"]
        middle = (member["lambda_low"] + high) / 2 if high else member["lambda_low"] * 2 + 1
        objective = {
            j: float(cost / total) + middle * float(penalty(j)) for j, cost in best.items()
        }
        winner = min(objective, key=objective.get)
        expect(winner == k, f"{name}: at {middle} {winner} leaves are best, the file says {k}")
        # The printed threshold chooses its member, exactly.
        text = repr(member["lambda_low"])
        found = program.json("prune", model, "--penalty", name, "--lambda", text)
        expect(
            found["training"]["leaves"] == k,
            f"{name}: {text} gives {found['training']['leaves']} leaves, not {k}",
        )
    check_trees(family, name)
    return members


def check_trees(family, name):
    """Nested families store one tree; the members come out of it by their weights."""
    for member in family["members"]:
        if "nodes" in family:
            expect("nodes" not in member, f"{name}: nodes twice")
            found = collapsed(family["nodes"], member["lambda_low"])
        else:
            nodes = member["nodes"]
            leaves = [node for node in nodes if "children" not in node]
            found = (len(leaves), leaf_sum(nodes))
        expected = (member["leaves"], member["errors"])
        expect(found == expected, f"{name}: the tree has (leaves, errors) {found}, not {expected}")


def collapsed(nodes, weight, at=0):
    """Leaves and errors of the stored tree at a weight."""
    node = nodes[at]
    if "children" not in node or node["collapse_at"] <= weight:
        return 1, errors_of(node)
    parts = [collapsed(nodes, weight, child) for child in node["children"]]
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


def check_sizes(program, model, best, total):
    least = {}
    for k in range(1, max(best) + 2):
        allowed = {j: cost for j, cost in best.items() if j <= k}
        cost = min(allowed.values())
        least[k] = (min(j for j in allowed if allowed[j] == cost), cost)
        found = program.json("prune", model, "--leaves", k)
        expect(
            (found["training"]["leaves"], leaf_sum(found["nodes"])) == least[k],
            f"--leaves {k}: {found['training']['leaves']} leaves, not {least[k]}",
        )
    for cost in set(best.values()):
        most = cost / total
        leaves = min(j for j, other in best.items() if other <= cost)
        text = f"{most.numerator}/{most.denominator}"
        found = program.json("prune", model, "--max-cost", text)
        expect(
            (found["training"]["leaves"], leaf_sum(found["nodes"])) == (leaves, best[leaves]),
            f"--max-cost {text}: {found['training']['leaves']} leaves, not {leaves}",
        )
    lowest = min(best.values()) / total
    if lowest > 0:
        text = f"{lowest.numerator * 2 - 1}/{lowest.denominator * 2}"
        program.fails("prune", model, "--max-cost", text)


def check_tree(program, model, rng):
    document = json.loads(model.read_text(encoding="utf-8"))
    best = {}
    for cost, k in prunings(document["nodes"]):
        best[k] = min(cost, best.get(k, cost))
    total = Fraction(document["training"]["weight"])
    check_sizes(program, model, best, total)
    for name, penalty in penalties(program.folder, rng):
        members = check_family(program, model, best, name, penalty)
        expect(len(members) <= len(best), f"{name}: too many members")
        numerator, denominator = rng.randrange(1, 40), rng.randrange(100, 500)
        for text in ["0", "0.01", f"{numerator}/{denominator}", "3"]:
            check_weight(program, model, best, Fraction(text), name, penalty, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true", help="more random trees")
    arguments = parser.parse_args()
    checked = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        program = Program(arguments.program, folder)
        for seed in range(60 if arguments.all else 6):
            rng = random.Random(seed)
            table, model = folder / "table.csv", folder / "model.json"
            kinds = [rng.choice("nnc") for _ in range(rng.randrange(2, 5))]
            write_table(table, rng, rng.randrange(8, 40), rng.randrange(2, 4), kinds)
            depth = rng.choice([2, 3, 4])
            options = ["--weight", "w", "--max-depth", depth, "-o", model]
            grown = program.json("fit", "greedy", table, *options)
            if not 2 <= grown["training"]["leaves"] <= MOST_LEAVES:
                continue
            checked += 1
            try:
                check_tree(program, model, rng)
            except Difference as difference:
                failed += 1
                print(f"FAILED seed {seed}: {difference}")
    expect(checked > 2, "hardly any tree was checked")
    print(f"{checked} trees pruned in all ways, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
