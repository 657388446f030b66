"""Random small tables with everything that may go wrong, and random rules for their trees."""

from fractions import Fraction
from math import log

from best_trees import Rules, Table

MISSING = "?"

NUMBERS = [
    ["0", "1", "2"],
    ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    ["-0", "0", "-0.0", "1e-310", "-1e-310", "5e-324"],
    [
        "0.1",
        "0.10000000000000001",
        "0.10000000000000002",
        "0.10000000000000003",
        "0.09999999999999999",
    ],
    ["1e308", "-1e308", "1.7976931348623157e308", "-1.7976931348623157e308", "1.7e308"],
    ["9007199254740992", "9007199254740993", "9007199254740994", "9007199254740996"],
    ["1", "1.0", "1e0", "2", "2.50", "25e-1"],
    ["7"],
]
CATEGORIES = [
    ["a", "b"],
    ["a", "b", "c", "d"],
    ["1", "2", "10"],
    ["1", "x", "01", "-", "1.0"],
    ["only"],
]
LABELS = [["no", "yes"], ["1", "2", "10"], ["a", "b", "c", "d", "e", "f"], ["b", "c", "a", "1"]]
WEIGHTS = [
    ["1"],
    ["1", "2", "3"],
    ["0.1", "0.2", "0.3", "1.1"],
    ["0", "1", "2"],
    ["0", "0.5", "0.1", "3"],
]
COSTS = [["0", "1", "2"], ["0", "1", "5", "10"], ["0.1", "0.2", "0.5", "1"], ["1"]]
SHARES = ["0.3", "1/2", "0.6", "2/3", "0.75", "0.9", "1"]
LEAF_COSTS = ["0", "0.01", "0.05", "1/12", "1/7", "0.3", "1e-9", "2"]
PENALTIES = ["sqrt", "log", "power:0.5", "power:2", "power:1.3", "table"]


class Case:
    """A table, and which trees are asked for."""

    def __init__(self, rng, folder):
        self.folder = folder
        self.depth = rng.choices([0, 1, 2, 3, 4], [1, 20, 40, 35, 4])[0]
        most = {0: 20, 1: 30, 2: 20, 3: 13, 4: 8}[self.depth]
        self.n_rows = max(rng.randrange(1, most + 1) for _ in range(3))
        self.names, self.kinds, self.cells = [], [], []
        for place in range(rng.choices([1, 2, 3, 4], [2, 3, 4, 3])[0]):
            self.add_column(rng, f"x{place}")
        labels = rng.choice(LABELS)
        labels = labels[: rng.choice([1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 6])]
        self.labels = [rng.choice(labels) for _ in range(self.n_rows)]
        if rng.random() < 0.5:
            self.learnable_labels(rng, labels)
        if rng.random() < 0.3:
            self.repeat_rows(rng)
        weights = rng.choice(WEIGHTS)
        self.weights = [rng.choice(weights) for _ in range(self.n_rows)]
        if all(Fraction(weight) == 0 for weight in self.weights):
            self.weights[0] = "1"
        self.is_weighted = weights != ["1"]
        self.costs = self.random_costs(rng) if rng.random() < 0.25 else None
        self.random_rules(rng)
        self.write()

    def add_column(self, rng, name):
        kind = rng.choice("nnc")
        domain = rng.choice(NUMBERS if kind == "n" else CATEGORIES)
        if kind == "n" and rng.random() < 0.5:
            domain = [repr(rng.uniform(-1, 1)) for _ in range(self.n_rows)]
        gaps = rng.choice([0, 0, 0.15, 0.5, 1 if rng.random() < 0.1 else 0])
        cells = [rng.choice(domain) for _ in range(self.n_rows)]
        self.names.append(name)
        self.kinds.append(kind)
        self.cells.append([MISSING if rng.random() < gaps else cell for cell in cells])

    def learnable_labels(self, rng, labels):
        """The classes depend on the cells of two columns, but for some noise."""
        one, other = rng.choice(self.cells), rng.choice(self.cells)
        classes = {}
        for row in range(self.n_rows):
            known = classes.setdefault((one[row], other[row][:3]), self.labels[row])
            self.labels[row] = known if rng.random() < 0.9 else rng.choice(labels)

    def repeat_rows(self, rng):
        for row in range(1, self.n_rows):
            if rng.random() < 0.3:
                other = rng.randrange(row)
                for column in self.cells:
                    column[row] = column[other]

    def random_costs(self, rng):
        rows = zip(self.labels, self.weights, strict=True)
        labels = sorted({label for label, weight in rows if Fraction(weight) > 0})
        domain = rng.choice(COSTS)
        diagonal = rng.random() < 0.2
        return {
            (true, said): rng.choice(domain) if true != said or diagonal else "0"
            for true in labels
            for said in labels
        }

    def random_rules(self, rng):
        self.intervals = rng.choice(["2", "3", "auto", "auto"])
        self.splits = rng.choice(["multiway", "one-vs-rest", "grouped"])
        rows = sum(Fraction(weight) > 0 for weight in self.weights)
        self.min_leaf = min(rows, rng.choice([1, 1, 1, 1, 1, 2, 2, 3, 4, 5]))
        self.share = rng.choice(SHARES) if rng.random() < 0.15 else None
        self.interactions, self.root_only, self.not_above = [], [], []
        n_features = len(self.names)
        if rng.random() < 0.3 and n_features > 1:
            kind = rng.randrange(3)
            if kind != 1:
                self.interactions = [
                    rng.sample(range(n_features), rng.randrange(2, n_features + 1))
                ]
            if kind != 0:
                pairs = [(a, b) for a in range(n_features) for b in range(n_features) if a != b]
                self.not_above = rng.sample(pairs, rng.randrange(1, 3))
        if rng.random() < 0.15:
            self.root_only = [rng.randrange(n_features)]

    def write(self):
        header = [*self.names, *(["w"] if self.is_weighted else []), "class"]
        weights = [self.weights] if self.is_weighted else []
        rows = zip(*self.cells, *weights, self.labels, strict=True)
        self.path = self.folder / "table.csv"
        text = "\n".join([",".join(header), *(",".join(row) for row in rows)])
        self.path.write_text(text + "\n", encoding="utf-8")
        if self.costs:
            labels = sorted({true for true, _ in self.costs})
            lines = [",".join(["true", *labels])]
            lines += [
                ",".join([one, *(self.costs[one, said] for said in labels)]) for one in labels
            ]
            (self.folder / "costs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def options(self):
        """The part of the command line that says which trees there are."""
        listed = [name for name, kind in zip(self.names, self.kinds, strict=True) if kind == "c"]
        rest = [
            "--categorical-splits",
            self.splits,
            "--intervals",
            self.intervals,
            "--task",
            "classification",
        ]
        if listed:
            rest += ["--categorical", ",".join(listed)]
        if self.is_weighted:
            rest += ["--weight", "w"]
        if self.costs:
            rest += ["--costs", str(self.folder / "costs.csv")]
        if self.share:
            rest += ["--min-class-share", self.share]
        for option, groups_of in [
            ("--interactions", self.interactions),
            ("--not-above", self.not_above),
        ]:
            if groups_of:
                texts = [",".join(self.names[feature] for feature in group) for group in groups_of]
                rest += [option, ";".join(texts)]
        if self.root_only:
            rest += ["--root-only", ",".join(self.names[feature] for feature in self.root_only)]
        return [str(self.path), "--depth", str(self.depth), "--min-leaf", str(self.min_leaf), *rest]

    def table(self):
        columns = [
            [None if cell == MISSING else float(cell) if kind == "n" else cell for cell in cells]
            for kind, cells in zip(self.kinds, self.cells, strict=True)
        ]
        return Table(
            self.kinds, columns, self.labels, list(map(Fraction, self.weights)), self.costs
        )

    def rules(self, table):
        intervals = len(table.classes) + 1 if self.intervals == "auto" else int(self.intervals)
        share = Fraction(self.share) if self.share else None
        rules = Rules(len(self.names), intervals, self.splits, self.min_leaf, share)
        rules.interactions(self.interactions)
        rules.root_only(self.root_only)
        rules.not_above(self.not_above)
        return rules


def random_penalty(rng, case):
    """The options of a penalty that is not linear, and its values."""
    name = rng.choice(PENALTIES)
    if name == "table":
        lines, value = [], Fraction(rng.choice(["0", "1/3", "-1", "2"]))
        for _ in range(260):
            lines.append(str(value))
            value += Fraction(rng.choice(["0.1", "1", "1/3", "4"]))
        path = case.folder / "penalties.txt"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return ["--penalty", f"table:{path}"], lambda leaves: Fraction(lines[leaves - 1])
    if name == "power:2":
        return ["--penalty", name], lambda leaves: Fraction(leaves * leaves)
    power = {"sqrt": 0.5, "power:0.5": 0.5, "power:1.3": 1.3, "log": None}[name]
    return ["--penalty", name], lambda leaves: log(leaves) if power is None else leaves**power
