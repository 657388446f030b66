"""What is known when a search for an optimal tree is stopped? Cost and gap after some seconds.

    TREEWRIGHT_DATA=FOLDER python benches/anytime.py --before FILE --after FILE [--depths 4,5] [--seconds 1,5,20] \\
        [--sets magic,room] [--answers FILE] > benches/record/<date>-anytime.md

One thread, up to two intervals. The limit is one of processor time, so what else the machine does matters little.
With --answers, what a program said is kept in a file and not asked again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cpu_clock
import machine
import sets

SETS = (
    "magic,htru,occupancy,room,skin,segment,fault,avila,bean,ionosphere,spambase,"
    "bidding,raisin,pima,wilt,bank"
)


def ask(program, library, data, depth, seconds):
    """Rows that are wrong, the cost, its lower bound, and how long it took."""
    words = [program, "fit", "optimal", data, "--depth", depth, "--intervals", 2]
    words += ["--time-limit", f"{seconds}s", "--threads", 1, "--quiet", "--json"]
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    tree = json.loads(done.stdout)
    training, proven = tree["training"], tree["certificate"]
    return {
        "errors": training["errors"],
        "cost": proven["objective"],
        "lower": proven["lower_bound"],
        "optimal": proven["optimal"],
        "seconds": training["seconds"],
    }


def cells(answer):
    """Errors, and the gap or the time of the proof."""
    if answer["optimal"]:
        return f"{answer['errors']:g}", f"proven, {answer['seconds']:.2f} s"
    gap = 1 - answer["lower"] / answer["cost"] if answer["cost"] > 0 else 0.0
    return f"{answer['errors']:g}", f"{100 * gap:.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--depths", default="4,5")
    parser.add_argument("--seconds", default="1,5,20")
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--answers", type=Path)
    asked = parser.parse_args()
    kept = asked.answers
    known = json.loads(kept.read_text(encoding="utf-8")) if kept and kept.exists() else {}
    folder = sets.folder()
    entries = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    files = {entry["name"]: folder / entry["file"] for entry in entries}
    print(machine.heading("Searches that are stopped"))
    with tempfile.TemporaryDirectory() as scratch:
        library = cpu_clock.library(Path(scratch))
        for depth in asked.depths.split(","):
            print(f"## Depth {depth}\n")
            print("| set | limit | errors before | after | gap before | after |")
            print("|---|---:|---:|---:|---:|---:|")
            for name in asked.sets.split(","):
                for seconds in asked.seconds.split(","):
                    both = []
                    for program in (asked.before, asked.after):
                        key = f"{program} {name} {depth} {seconds}"
                        if key not in known:
                            known[key] = ask(program, library, files[name], depth, seconds)
                            if kept:
                                kept.write_text(json.dumps(known), encoding="utf-8")
                        both.append(cells(known[key]))
                    if all("proven" in gap for _, gap in both):
                        continue
                    columns = [*(errors for errors, _ in both), *(gap for _, gap in both)]
                    print(f"| {name} | {seconds} s | {' | '.join(columns)} |", flush=True)
            print()


if __name__ == "__main__":
    main()
