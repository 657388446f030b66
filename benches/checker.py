"""The checker on real tables: verdicts, processor time beside that of learning, sizes of proofs.

    TREEWRIGHT_DATA=FOLDER python benches/checker.py [--program FOLDER] > benches/record/<date>-checker.md

`--program` is the folder with `treewright` and `treewright-check`; without it both are built in release.
Learning is what the program says (`training.seconds`), checking the processor time of the whole run with
reading; both are the least of three runs.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import machine

SHALLOW = ("bank", "wilt", "magic", "htru", "skin")
DEEP = ("bank", "wilt", "raisin", "pima", "bidding")
PATHS = ("ida-titanic", "ida-thyroid", "ida-flare-solar", "ida-breast-cancer", "ida-banana")
SUBSETS = ("pima", "ida-breast-cancer", "ida-thyroid", "iris")
VERDICTS = {0: "confirmed", 1: "REFUTED", 3: "not checked"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, help="folder with treewright and treewright-check")
    folder = parser.parse_args().program
    if folder is None:
        folder = machine.build_release(["-p", "treewright-cli", "-p", "treewright-check"])
    print(machine.heading("The checker on real tables"))
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(folder, Path(os.environ["TREEWRIGHT_DATA"]), Path(place))
        optimal = ("fit", "optimal", "--intervals", "2", "--depth")
        section(
            "Optimal trees of depth 2, from the claim alone",
            SHALLOW,
            lambda name: bench.line(name, *optimal, "2"),
        )
        section(
            "Optimal trees of depth 3, with a proof",
            DEEP,
            lambda name: bench.line(name, *optimal, "3", proof=True),
        )
        section("Dyadic paths", PATHS, lambda name: bench.line(name, "path", "dyadic"))
        section("All distinct trees", SUBSETS, lambda name: bench.line(name, "distinct"))
        section("Complete selection", SUBSETS, lambda name: bench.line(name, "select", "complete"))


def section(title, names, line):
    print(f"## {title}\n\n| table | learning | checking | ratio | memory | proof | verdict |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        print(line(name), flush=True)
    print()


class Bench:
    def __init__(self, programs, tables, place):
        self.programs, self.tables, self.place = programs, tables, place

    def line(self, name, *command, proof=False):
        table, model, proof_file = self.table(name), self.place / "model.json", self.place / "proof"
        words = [
            self.programs / "treewright",
            *command[:2],
            table,
            *command[2:],
            "--quiet",
            "--json",
        ]
        learned = []
        for _ in range(3):
            model.write_bytes(subprocess.check_output(words))
            document = json.loads(model.read_text())
            learned.append(document.get("training", document)["seconds"])
        check = [self.programs / "treewright-check", model, table]
        size = "none"
        if proof:
            # A proof is written once more, apart: its time does not belong to learning.
            subprocess.check_call([*words, "--proof", proof_file], stdout=subprocess.DEVNULL)
            check += ["--proof", proof_file]
            size = f"{proof_file.stat().st_size / 1000:.1f} kB"
        codes, memory, seconds = zip(*(self.measured(check) for _ in range(3)), strict=True)
        assert len(set(codes)) == 1, "one verdict each time"
        ratio = min(seconds) / min(learned)
        return (
            f"| {name} | {min(learned) * 1000:.1f} ms | {min(seconds):.2f} s | {ratio:.0f} | "
            f"{max(memory) / 1000:.0f} MB | {size} | {VERDICTS.get(codes[0], codes[0])} |"
        )

    def measured(self, command):
        done = subprocess.run(
            [sys.executable, "-c", machine.LAUNCHER, *command], capture_output=True, text=True
        )
        memory, seconds = done.stdout.split()
        return done.returncode, int(memory), float(seconds)

    def table(self, name):
        """The table unpacked: the checker reads plain text alone."""
        plain = self.tables / f"{name}.csv"
        if plain.exists():
            return plain
        copy = self.place / f"{name}.csv"
        if not copy.exists():
            copy.write_bytes(gzip.decompress((self.tables / f"{name}.csv.gz").read_bytes()))
        return copy


if __name__ == "__main__":
    main()
