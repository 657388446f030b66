"""The tree that `explore` chooses beside those of scikit-learn, rpart and J48: errors on unseen rows, and leaves.

    TREEWRIGHT_DATA=FOLDER python benches/study/study.py --treewright PROGRAM --cache FOLDER [--budget 20s]
        [--programs explore,scikit-learn,rpart,J48] [--sets SET,...] [--chart FILE] > benches/record/<date>-study.md

Every program learns from four fifths of the rows of each set in `sets.json`, five times, and chooses its tree by itself
from these rows alone; the fifth that was left out says how often it is wrong. All of them get the same rows. Of large
sets a sample is used, the same for all. The folds are stratified.

- explore: `treewright explore --model`, with a budget for each fold
- greedy: `treewright fit greedy --select 1se`, which is quick, to try the script
- scikit-learn: one column for each category, the cost-complexity path, the 1-SE rule by five inner folds
- rpart: R from Debian (r-base-core, r-cran-rpart), grown with cp = 0, the 1-SE rule by its own ten folds
- J48: Weka from Debian (weka), with -C 0.25 -M 2

Answers are kept in the cache, one file for each set, fold and program; another build of treewright, other rows or other
options are asked anew. One process runs at a time, when nothing else wants to run. A program that fails on a set is
named in the record, and the set does not count for it.
"""

import argparse
import hashlib
import json
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import machine  # noqa: E402
import sets  # noqa: E402

from study import chart, peers  # noqa: E402

HERE = Path(__file__).resolve().parent
FOLDS, SEED = 5, 1
#: A difference in points of error that does not matter.
CLOSE = 0.2
PROGRAMS = ("explore", "greedy", "scikit-learn", "rpart", "J48")
OURS = ("explore", "greedy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--treewright", type=Path, required=True, help="the program")
    parser.add_argument("--cache", type=Path, required=True, help="a folder for answers")
    parser.add_argument("--budget", default="20s", help="time of explore for each fold")
    parser.add_argument("--programs", default="explore,scikit-learn,rpart,J48")
    parser.add_argument("--sets", help="names with commas; without it, all of sets.json")
    parser.add_argument("--weka", default="/usr/share/java/weka.jar", help="the archive of Weka")
    parser.add_argument("--chart", type=Path, help="where to draw the chart")
    options = parser.parse_args()
    names = options.programs.split(",")
    if unknown := set(names) - set(PROGRAMS):
        parser.error(
            f"--programs: got {', '.join(unknown)}, expected some of {', '.join(PROGRAMS)}"
        )
    listed = json.loads((HERE / "sets.json").read_text(encoding="utf-8"))
    chosen = options.sets.split(",") if options.sets else list(listed["sets"])
    if unknown := set(chosen) - set(listed["sets"]):
        parser.error(f"--sets: got {', '.join(unknown)}, which sets.json does not have")
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen:
            table = sets.Table(name, sets.folder(), Path(scratch))
            table.rows = peers.sample(table.rows, listed["most_rows"], SEED)
            for program in names:
                results[name, program] = answers(table, program, options)
    record(chosen, names, results)
    if options.chart:
        points = {name: summary(chosen, name, results) for name in names}
        options.chart.write_text(chart.draw(points), encoding="utf-8")


# --- answers -------------------------------------------------------------------------------------


def asked(program, options):
    """The program, and what of it makes another answer."""
    if program in OURS:
        build = hashlib.sha256(options.treewright.read_bytes()).hexdigest()
        words = {
            "explore": ["explore", "--budget", options.budget],
            "greedy": ["fit", "greedy", "--select", "1se"],
        }[program]
        tree = "--model" if program == "explore" else "-o"
        return peers.Ours(options.treewright, words, tree), [build, *words]
    if program == "J48":
        return peers.J48(options.weka), []
    return {"scikit-learn": peers.scikit_learn, "rpart": peers.rpart}[program], []


def answers(table, program, options):
    """Errors, rows, leaves and seconds of every fold; a text where the program failed."""
    learn, settings = asked(program, options)
    fold_of, found = table.folds(FOLDS, SEED), []
    for fold in range(FOLDS):
        pairs = list(zip(table.rows, fold_of, strict=True))
        part = peers.Part(
            header=table.header,
            is_categorical=[column in table.categorical for column in table.header[:-1]],
            train=[row for row, of in pairs if of != fold],
            test=[row for row, of in pairs if of == fold],
            seed=SEED,
            scratch=table.scratch,
        )
        rows = json.dumps([part.header, part.is_categorical, part.train, part.test])
        key = [settings, hashlib.sha256(rows.encode()).hexdigest()]
        path = options.cache / program / f"{table.name}-{fold}.json"
        found.append(kept(path, key, lambda part=part: answer(learn, part)))
        if isinstance(found[-1], str):
            return found[-1]
    return found


def kept(path, key, ask):
    """The answer in a file, if it is to the same question; otherwise a new one, which is kept."""
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
        if known["key"] == key:
            return known["answer"]
    told = ask()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": key, "answer": told}), encoding="utf-8")
    print(f"{path.parent.name}, {path.stem}: {told}", file=sys.stderr, flush=True)
    return told


def answer(learn, part):
    start = time.monotonic()
    try:
        wrong, leaves = learn(part)
    except RuntimeError as error:
        return str(error)
    seconds = round(time.monotonic() - start, 2)
    return {"errors": wrong, "rows": len(part.test), "leaves": leaves, "seconds": seconds}


# --- the record ----------------------------------------------------------------------------------


def error(folds):
    """Per cent of all rows, each of them once in a fold that was left out."""
    return 100 * sum(fold["errors"] for fold in folds) / sum(fold["rows"] for fold in folds)


def leaves(folds):
    return statistics.mean(fold["leaves"] for fold in folds)


def summary(chosen, program, results):
    """The geometric mean of the leaves and the mean error over all sets."""
    folds = [results[name, program] for name in chosen]
    folds = [one for one in folds if not isinstance(one, str)]
    if not folds:
        return math.nan, math.nan
    mean = math.exp(statistics.mean(math.log(leaves(one)) for one in folds))
    return mean, statistics.mean(map(error, folds))


def record(chosen, names, results):
    print(machine.heading("The tree that is chosen, beside those of other programs").rstrip())
    if "rpart" in names:
        said = "cat(R.version.string, 'with rpart', format(packageVersion('rpart')))"
        print(f"- {machine.output(['Rscript', '-e', said])}")
    if "J48" in names:
        print(f"- Weka {machine.output(['dpkg-query', '-W', '-f', '${Version}', 'weka'])}")
    print("\nErrors on the rows left out in per cent, and the mean number of leaves.\n")

    def cell(folds):
        return "failed" if isinstance(folds, str) else f"{error(folds):.2f} / {leaves(folds):.1f}"

    rows = [[name, *(cell(results[name, program]) for program in names)] for name in chosen]
    means = [summary(chosen, program, results) for program in names]
    rows.append(["**mean / geometric mean**", *(f"**{e:.2f} / {n:.2f}**" for n, e in means)])
    seconds = [
        sum(sum(fold["seconds"] for fold in one) for one in of if not isinstance(one, str))
        for of in ([results[name, program] for name in chosen] for program in names)
    ]
    rows.append(["seconds in all", *(f"{one:.0f}" for one in seconds)])
    machine.print_table(["set", *names], rows)
    for name, program in results:
        if isinstance(results[name, program], str):
            print(f"{program} failed on {name}: {results[name, program]}\n")
    for ours in OURS:
        if ours in names:
            compare(chosen, ours, [name for name in names if name not in OURS], results)


def compare(chosen, ours, others, results):
    """How often ours is as good as the best of the others, and where it is not."""
    misses, n_compared = [], 0
    for name in chosen:
        known = [(other, results[name, other]) for other in others]
        known = [(error(folds), other, folds) for other, folds in known if isinstance(folds, list)]
        own = results[name, ours]
        if not known or isinstance(own, str):
            continue
        n_compared += 1
        best, other, folds = min(known, key=lambda one: (one[0], leaves(one[2])))
        if error(own) > best + CLOSE:
            sizes = f"{leaves(own):.1f} leaves against {leaves(folds):.1f}"
            misses.append([name, f"{error(own) - best:.2f}", other, sizes])
    if not n_compared:
        return
    share = 100 * (n_compared - len(misses)) / n_compared
    print(
        f"{ours} is at most {CLOSE} points worse than the best of {', '.join(others)} on "
        f"{n_compared - len(misses)} of {n_compared} sets ({share:.0f} %).\n"
    )
    if misses:
        misses.sort(key=lambda miss: -float(miss[1]))
        machine.print_table(["set", "points worse", "than", ""], misses)


if __name__ == "__main__":
    main()
