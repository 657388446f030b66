"""Learning optimal trees: treewright beside pycontree, pytrees-rs and scikit-learn's greedy trees.

    TREEWRIGHT_DATA=FOLDER python benches/fit_optimal.py [--depth 2,3] [--sets bank,wilt] \\
        > benches/record/<date>-fit-optimal.md

Times are CPU milliseconds of learning alone, on one thread, the shortest of several runs (one run
if it takes long). The peers get the numbers of the same CSV file as a matrix, and search exactly;
ours has two intervals at the last level (K = 2), so that all search the same trees. A peer that
does not finish within the limit (wall time) counts with the CPU time it had used, marked ">": the
ratio is then a lower bound. Errors are on the rows themselves. Where two searches are proven, they
must agree, and ours may never be above a peer's: the column "check" says so.

`--profile` asks what is proven within a minute: more tables, at depths 3 and 4, the smallest ones at depth 5, too.
There the limits are processor time, too.

    TREEWRIGHT_DATA=FOLDER python benches/fit_optimal.py --profile --limit 60 --peers pycontree,pytrees \\
        > benches/record/<date>-profile.md

The last part is T2 of Auer, Holte and Maass: one interval more than there are classes, categories
and missing cells, which no peer has.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import cpu_clock
import machine
import numpy as np
import pandas as pd

PEERS = ("pycontree", "pytrees", "greedy")
WORKER = Path(__file__).with_name("peer_optimal.py")
FASTEST = "the fastest exact peer that finished"
REPEATS = 7
ONE_THREAD = {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
FEW_CLASSES = ["bank", "wilt", "magic", "htru", "occupancy", "raisin", "room", "bidding", "skin"]
MANY_CLASSES = ["segment", "fault", "avila", "bean"]
QUICK_AT_3 = ["bank", "wilt", "raisin", "clusters-1e3", "bidding"]
SETS = {
    2: [*FEW_CLASSES, *MANY_CLASSES, "clusters-1e6", "xor-1e6"],
    3: [
        "bank",
        "wilt",
        "raisin",
        "clusters-1e3",
        "bidding",
        "segment",
        "room",
        "occupancy",
        "magic",
    ],
    4: ["bank", "wilt"],
}
SMALLER = [f"{kind}-{size}" for kind in ("clusters", "xor") for size in ("1e3", "1e4", "1e5")]
MORE_DEPTH_4 = ["raisin", "clusters-1e3", "bidding", "segment"]
MIXED = ["adult", "mixed-1e6"]
SMALLEST = ["glass2", "ionosphere", "pima", "raisin", "bank", "fault"]
PROFILE = [*FEW_CLASSES, *MANY_CLASSES, "pima", "ionosphere", "spambase", "glass2"]


class Tables:
    """CSV files for ours, matrices of the same numbers for the peers, made when first asked for."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.source = os.environ.get("TREEWRIGHT_DATA")
        self.entries = {}
        if self.source:
            text = (Path(self.source) / "MANIFEST.json").read_text(encoding="utf-8")
            self.entries = {entry["name"]: entry for entry in json.loads(text)}

    def csv(self, name):
        """The class is last; None if the table is not there."""
        path = self.folder / f"{name}.csv"
        if path.exists():
            return path
        if name in self.entries:
            entry = self.entries[name]
            texts = dict.fromkeys([*entry["categorical_columns"], "class"], str)
            frame = pd.read_csv(
                Path(self.source) / entry["file"],
                keep_default_na=False,
                na_values=[""],
                dtype=texts,
            )
            frame["class"] = pd.factorize(frame["class"], sort=True)[0]
        elif "-" in name:
            kind, size = name.rsplit("-", 1)
            frame = GENERATED[kind](int(float(size)))
        else:
            return None
        frame.to_csv(path, index=False)
        return path

    def matrix(self, name):
        path = self.folder / f"{name}.npz"
        if not path.exists():
            numbers = np.loadtxt(self.csv(name), delimiter=",", skiprows=1)
            np.savez(path, x=numbers[:, :-1].copy(), y=numbers[:, -1].astype(np.intc))
        return path


def clusters(n_rows):
    """Two classes in clusters, with the default settings of the generator and 10 features."""
    from sklearn.datasets import make_classification

    return framed(*make_classification(n_rows, 10, random_state=0))


def noisy_xor(n_rows):
    """The class is the exclusive or of two of 10 uniform features; every tenth label is flipped."""
    rng = np.random.default_rng(0)
    x = rng.random((n_rows, 10))
    y = (x[:, 0] < 0.5) ^ (x[:, 1] < 0.5) ^ (rng.random(n_rows) < 0.1)
    return framed(x, y)


def framed(x, y):
    # Nine digits: shorter files, the same numbers on both sides.
    x = np.char.mod("%.9g", x)
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(x.shape[1])])
    return frame.assign(**{"class": y.astype(int)})


def mixed(n_rows):
    """5 numeric and 4 categorical features of 3 to 40 categories, 5 % of the cells missing."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n_rows, 5))
    sizes = [3, 8, 20, 40]
    codes = np.stack([rng.integers(0, size, n_rows) for size in sizes], axis=1)
    effects = [rng.standard_normal(size) for size in sizes]
    score = x[:, 0] * x[:, 1] + x[:, 2] + sum(e[codes[:, j]] for j, e in enumerate(effects))
    y = (score + rng.standard_normal(n_rows) > 0).astype(int)
    frame = framed(x, y)
    for j, size in enumerate(sizes):
        names = np.array([f"v{code}" for code in range(size)])
        frame.insert(5 + j, f"c{j}", names[codes[:, j]])
    missing = rng.random((n_rows, 9)) < 0.05
    for j, column in enumerate(frame.columns[:-1]):
        frame[column] = frame[column].astype(object).where(~missing[:, j], "")
    return frame


GENERATED = {"clusters": clusters, "xor": noisy_xor, "mixed": mixed}


class Peers:
    """Runs peers, and remembers what they did."""

    def __init__(self, tables, arguments, environment):
        self.tables, self.limit, self.environment = tables, arguments.limit, environment
        self.is_measuring = not arguments.ours_only
        self.known = {}
        for file in (arguments.peers_from, arguments.save_peers):
            if file and Path(file).exists():
                self.known |= json.loads(Path(file).read_text(encoding="utf-8"))
        self.saved = arguments.save_peers

    def fit(self, peer, name, depth):
        key = f"{name}/{depth}/{peer}"
        if key not in self.known and self.is_measuring:
            self.known[key] = self.measure(peer, name, depth)
            if self.saved:
                Path(self.saved).write_text(json.dumps(self.known, indent=1), encoding="utf-8")
        return self.known.get(key)

    def measure(self, peer, name, depth):
        command = [sys.executable, WORKER, peer, self.tables.matrix(name), depth, self.limit]
        # It is asked to end at the limit, and made to later.
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(
                [str(word) for word in [*command, REPEATS]],
                capture_output=True,
                text=True,
                timeout=self.limit * (5 if self.environment else 1.05) + 30,
                env={**os.environ, **self.environment, **ONE_THREAD},
            )
            lines, failure = done.stdout, done.stderr if done.returncode else ""
        except subprocess.TimeoutExpired as late:
            lines, failure = (late.stdout or b"").decode(), ""
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs = [json.loads(line) for line in lines.splitlines() if line.endswith("}")]
        if runs:
            best = min(runs, key=lambda run: run["ms"])
            return {**best, "runs": len(runs), "finished": best["optimal"] or peer == "greedy"}
        if failure:
            print(f"{peer} on {name}: {failure.strip().splitlines()[-1]}", file=sys.stderr)
            return {"failed": True}
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"ms": seconds * 1e3, "errors": None, "optimal": False, "finished": False}


def fit_ours(program, path, depth, intervals, limit, environment):
    command = [program, path, depth, intervals, REPEATS, limit]
    environment = {**os.environ, **environment}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{path.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def checked(ours, peers):
    """Do the errors agree with each other?"""
    notes = []
    for peer, its in peers.items():
        if its is None or its.get("errors") is None:
            continue
        if ours["optimal"] and ours["errors"] > its["errors"]:
            notes.append(f"WRONG: {peer} has fewer errors")
        elif its["optimal"] and ours["errors"] > its["errors"]:
            notes.append(f"not yet as good as {peer}")
        elif its["optimal"] and ours["optimal"] and ours["errors"] < its["errors"]:
            notes.append(f"{peer} is not optimal")
    return "; ".join(notes) or ("agree" if ours["optimal"] else "ours not proven")


def shown_ms(ms):
    return f"{ms:,.2f}" if ms < 10 else f"{ms:,.0f}"


def shown_ratio(ratio, mark=""):
    return f"{mark}{ratio:.3g}" if ratio < 100 else f"{mark}{ratio:,.0f}"


class Ratios:
    """All ratios against one peer, for the means below a table."""

    def __init__(self):
        self.all = []

    def add(self, name, ratio, is_bound):
        self.all.append((ratio, name, is_bound))

    def summary(self, peer):
        if not self.all:
            return None
        mean = math.exp(sum(math.log(ratio) for ratio, _, _ in self.all) / len(self.all))
        least, where, _ = min(self.all)
        mark = ">" if any(is_bound for _, _, is_bound in self.all) else ""
        return (
            f"- {peer}: geometric mean {shown_ratio(mean, mark)} over {len(self.all)} tables, "
            f"least {shown_ratio(least)} ({where})"
        )


def compare(program, names, depth, tables, peers, arguments):
    """One table of the record: every set at one depth."""
    chosen = [peer for peer in PEERS if peer in arguments.peers]
    header = ["table", "rows x features", "classes", "ours ms", "errors", "proven"]
    for peer in chosen:
        header += [f"{peer} ms", "errors", "ratio"]
    ratios = {peer: Ratios() for peer in [*chosen, FASTEST]}
    n_proven, n_tables = dict.fromkeys(["ours", *chosen], 0), 0

    def rows():
        nonlocal n_tables
        for name in names:
            path = tables.csv(name)
            if path is None:
                continue
            n_tables += 1
            theirs = {peer: peers.fit(peer, name, depth) for peer in chosen}
            for peer, its in theirs.items():
                n_proven[peer] += bool(its and its.get("optimal"))
            if program is None:
                yield [name, "", "", "", "", "", *peer_cells(theirs, None, ratios, name), ""]
                continue
            ours = fit_ours(program, path, depth, 2, arguments.limit, peers.environment)
            n_proven["ours"] += ours["optimal"]
            done = [its["ms"] for its in theirs.values() if its and its.get("optimal")]
            if done and ours["optimal"]:
                ratios[FASTEST].add(name, min(done) / ours["ms"], False)
            yield [
                name,
                f"{ours['rows']:,} x {ours['features']}",
                ours["classes"],
                ("" if ours["optimal"] else "> ") + shown_ms(ours["ms"]),
                f"{ours['errors']:g}",
                "yes" if ours["optimal"] else f"at least {bound(ours)}",
                *peer_cells(theirs, ours, ratios, name),
                checked(ours, theirs),
            ]

    print(f"## Depth {depth}\n")
    machine.print_table([*header, "check"], rows())
    for peer, those in ratios.items():
        if line := those.summary(peer):
            print(line)
    counts = ", ".join(f"{name} {count}" for name, count in n_proven.items())
    print(f"- proven, of {n_tables} tables: {counts}\n")


def bound(ours):
    return math.ceil(ours["lower_bound"] * ours["rows"] - 1e-6)


def peer_cells(theirs, ours, ratios, name):
    for peer, its in theirs.items():
        if its is None or its.get("failed"):
            yield from ["", "", "" if its is None else "failed"]
            continue
        mark = "" if its["finished"] else "> "
        yield mark + shown_ms(its["ms"])
        yield "" if its["errors"] is None else its["errors"]
        if ours is None or not ours["optimal"]:
            yield ""
            continue
        ratio = its["ms"] / ours["ms"]
        ratios[peer].add(name, ratio, not its["finished"])
        yield shown_ratio(ratio, mark)


def t2(program, names, tables, arguments):
    """More intervals at the last level, and columns that are not numbers."""
    header = ["table", "rows x features", "classes", "K = 2 ms", "errors", "K", "auto ms", "errors"]
    header += ["leaves", "auto / K = 2", "MB after reading", "peak MB", "proven"]
    all_ratios = []

    def rows():
        for name in names:
            path = tables.csv(name)
            if path is None:
                continue
            two = fit_ours(program, path, 2, 2, arguments.limit, {})
            auto = fit_ours(program, path, 2, "auto", arguments.limit, {})
            if two["optimal"] and auto["optimal"]:
                all_ratios.append(auto["ms"] / two["ms"])
            yield [
                name,
                f"{auto['rows']:,} x {auto['features']}",
                auto["classes"],
                ("" if two["optimal"] else "> ") + shown_ms(two["ms"]),
                f"{two['errors']:g}",
                auto["classes"] + 1,
                ("" if auto["optimal"] else "> ") + shown_ms(auto["ms"]),
                f"{auto['errors']:g}",
                auto["leaves"],
                f"{auto['ms'] / two['ms']:.2f}",
                f"{auto['rss_read'] / 1024:.0f}",
                f"{auto['peak_rss'] / 1024:.0f}",
                "yes" if auto["optimal"] else f"at least {bound(auto)}",
            ]

    print("## T2: more intervals at the last level, depth 2\n")
    machine.print_table(header, rows())
    if all_ratios:
        mean = math.exp(sum(map(math.log, all_ratios)) / len(all_ratios))
        print(f"- auto / K = 2: geometric mean {mean:.2f}, most {max(all_ratios):.2f}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=words, help="only these tables, at every depth")
    parser.add_argument("--depth", type=words, help="2,3,4; with --profile 3,4,5")
    parser.add_argument("--smaller", action="store_true", help="generated tables of fewer rows")
    parser.add_argument("--depth4", action="store_true", help="more tables at depth 4")
    parser.add_argument("--profile", action="store_true", help="what is proven within the limit")
    parser.add_argument("--no-t2", action="store_true", help="without the part on T2")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one search")
    parser.add_argument("--peers", type=words, default=list(PEERS), help=", ".join(PEERS))
    parser.add_argument("--ours-only", action="store_true", help="do not run peers")
    parser.add_argument("--peers-only", action="store_true", help="do not run ours")
    parser.add_argument("--save-peers", metavar="FILE", help="keep what the peers did, in JSON")
    parser.add_argument("--peers-from", metavar="FILE", help="do not repeat what is in this file")
    parser.add_argument("--folder", help="keep the tables here")
    parser.add_argument("--program", help="the built bench program `optimal`")
    arguments = parser.parse_args()
    if unknown := set(arguments.peers) - set(PEERS):
        parser.error(f"unknown peers {sorted(unknown)}")
    program = arguments.program
    if program is None and not arguments.peers_only:
        program = machine.build_bench("optimal")
    print(machine.heading("Learning optimal trees"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments.folder or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        tables = Tables(folder)
        if not tables.source:
            print("skipped: TREEWRIGHT_DATA is not set; only generated tables\n")
        environment = {}
        if arguments.profile:
            environment["LD_PRELOAD"] = str(cpu_clock.library(folder.absolute()))
        peers = Peers(tables, arguments, environment)
        depths = arguments.depth or (["3", "4", "5"] if arguments.profile else ["2", "3", "4"])
        for depth in map(int, depths):
            names = arguments.sets or chosen_sets(depth, arguments)
            compare(program, names, depth, tables, peers, arguments)
        if program is not None and not arguments.no_t2 and "2" in depths:
            names = arguments.sets or [*chosen_sets(2, arguments), *MIXED]
            t2(program, names, tables, arguments)
    return 0


def words(text):
    return text.split(",")


def chosen_sets(depth, arguments):
    if arguments.profile:
        return PROFILE if depth < 5 else SMALLEST
    names = list(SETS.get(depth, SETS[4]))
    if arguments.smaller and depth == 2:
        names += SMALLER
    if arguments.depth4 and depth == 4:
        names += MORE_DEPTH_4
    return names


if __name__ == "__main__":
    sys.exit(main())
