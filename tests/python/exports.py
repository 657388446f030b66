"""Runs what `treewright export` writes and compares it with `treewright predict`.

No difference is allowed. SQL runs in SQLite, C is compiled and called, Python is executed, Rust is
compiled and called. PMML is evaluated by the rules of its specification, written down here, and
ONNX by onnxruntime where that is installed. The trees are learned from the bundled tables, with
every way to treat missing values, or drawn at random; names and categories try to break out of
their places. Rows have missing values, new categories, and values exactly on the cuts.

    python3 tests/python/exports.py target/debug/treewright
"""

import argparse
import csv
import ctypes
import io
import json
import math
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

try:
    import numpy
    import onnxruntime
except ImportError:
    numpy = onnxruntime = None
try:
    import onnx
except ImportError:
    onnx = None

TABLES = Path(__file__).resolve().parents[2] / "testdata" / "tables"
UNSEEN = "never seen before"
NASTY = [
    "</script><script>alert(1)</script>",
    '"; DROP TABLE x; --',
    "'; DROP TABLE x; --",
    "*/ evil() /*",
    "back\\slash\\",
    "two\nlines",
    "été 漢字 \U0001f600",
    "%s %d {} {0} ${x}",
    "]]>&amp;<!-- -->",
    "??/ ?",
    "\u202eturned",
    "tab\tand\rreturn",
    '"""',
    "class",
    "None",
    " spaces ",
    "#define x //",
    "__import__('os')",
]


class Difference(Exception):
    """An export answers something else than the program does."""


def expect(condition, message):
    if not condition:
        raise Difference(message)


def run(command, stdin=None):
    done = subprocess.run(command, capture_output=True, input=stdin)
    if done.returncode != 0:
        shown = " ".join(str(part) for part in command)
        message = done.stderr.decode("utf-8", "replace").strip()
        raise Difference(f"exit {done.returncode} from `{shown}`: {message}")
    return done.stdout


def write_table(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([header, *rows])


def read_table(path):
    text = Path(path).read_bytes().decode("utf-8")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    return header, rows


class Case:
    """A model, rows to answer, and what the program answers."""

    def __init__(self, program, folder, name, model, rows):
        self.program, self.folder, self.name = program, Path(folder), name
        self.path = self.folder / "model.json"
        self.path.write_text(json.dumps(model), encoding="utf-8")
        self.model = model
        self.classes = model["target"].get("classes")
        self.rows = rows
        self.answers, self.proba = self.predict(self.path, rows)

    def predict(self, path, rows):
        """The program's answers for rows of values."""
        table = self.folder / "rows.csv"
        names = [feature["name"] for feature in self.model["features"]]
        cells = [
            ["" if v is None else v if isinstance(v, str) else repr(v) for v in r] for r in rows
        ]
        # A line without anything on it would be no row.
        write_table(table, [*names, "not a feature"], [[*r, "-"] for r in cells])
        command = [self.program, "predict", path, table, "--json", "--quiet"]
        if self.classes is not None:
            command.append("--proba")
        document = json.loads(run(command))
        expect(len(document["predictions"]) == len(rows), "a prediction for every row")
        return document["predictions"], document.get("proba")

    def export(self, form):
        return run([self.program, "export", self.path, "--to", form])

    def text(self, form):
        return self.export(form).decode("utf-8")

    def asked(self):
        """The positions of the features that the tree asks about."""
        return sorted({node["split"]["feature"] for node in self.model["nodes"] if "split" in node})

    def shares(self):
        """Does some row reach several leaves?"""
        return any(self.positive(node) > 1 for node in self.model["nodes"])

    def positive(self, node):
        """Among how many children a missing value is shared."""
        if node.get("missing") != "distribute":
            return 0
        weights = [weight(self.model["nodes"][child]) for child in node["children"]]
        return sum(w > 0 for w in weights) or len(weights)

    def predict_without_sharing(self, also_numbers):
        """The program's answers where a sharing node sends rows to its heaviest child.

        Also those with missing values, or only those with a category that the node has not seen.
        """
        model = json.loads(json.dumps(self.model))
        for node in model["nodes"]:
            if self.positive(node) < 2:
                continue
            weights = [weight(model["nodes"][child]) for child in node["children"]]
            heaviest = weights.index(max(weights))
            if also_numbers or not any(weights):
                node["missing"] = heaviest
            elif node["split"]["kind"] == "categories":
                branches = node["split"]["branches"]
                node["split"]["branches"] = [heaviest if b is None else b for b in branches]
        path = self.folder / "without_sharing.json"
        path.write_text(json.dumps(model), encoding="utf-8")
        return self.predict(path, self.rows)

    def compare(self, answers, proba=None):
        for at, (ours, theirs) in enumerate(zip(answers, self.answers, strict=True)):
            expect(ours == theirs, f"row {self.rows[at]}: {ours!r}, the program says {theirs!r}")
        if proba is not None:
            for at, (ours, theirs) in enumerate(zip(proba, self.proba, strict=True)):
                expect(list(ours) == theirs, f"row {self.rows[at]}: {ours}, not {theirs}")


def weight(node):
    return sum(node["counts"]) if "counts" in node else node["weight"]


# The forms


def check_sql(case):
    base = sqlite3.connect(":memory:")
    quote = '"{}"'.format
    features = case.model["features"]
    columns = [
        quote(f["name"].replace('"', '""')) + (" REAL" if f["kind"] == "numeric" else " TEXT")
        for f in features
    ]
    base.execute(f'CREATE TABLE "the rows" ({", ".join(columns)})')
    marks = ", ".join("?" for _ in features)
    base.executemany(f'INSERT INTO "the rows" VALUES ({marks})', case.rows)
    query = f'SELECT\n{case.text("sql")} AS prediction FROM "the rows" ORDER BY rowid'
    case.compare([answer for (answer,) in base.execute(query)])


def check_python(case):
    scope = {}
    exec(compile(case.text("python"), "tree.py", "exec"), scope)
    names = [feature["name"] for feature in case.model["features"]]
    asked = case.asked()
    rows = [{names[at]: row[at] for at in asked} for row in case.rows]
    proba = None
    if case.classes is not None:
        proba = [list(scope["probabilities"](row).values()) for row in rows]
    case.compare([scope["predict"](row) for row in rows], proba)


def check_c(case):
    source, library = case.folder / "tree.c", case.folder / "tree.so"
    source.write_text(case.text("c"), encoding="utf-8")
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    library.unlink(missing_ok=True)
    run(["cc", *flags, source, "-o", library, "-lm"])
    # A library is loaded once for each name.
    own = case.folder / f"tree-{random.getrandbits(64)}.so"
    shutil.move(library, own)
    tree = ctypes.CDLL(str(own))
    asked = case.asked()
    numeric = [case.model["features"][at]["kind"] == "numeric" for at in asked]
    kinds = [ctypes.c_double if is_number else ctypes.c_char_p for is_number in numeric]

    class Row(ctypes.Structure):
        _fields_ = [(f"x{at}", kind) for at, kind in enumerate(kinds)]

    def row_of(row):
        values = []
        for at, is_number in zip(asked, numeric, strict=True):
            if is_number:
                values.append(math.nan if row[at] is None else row[at])
            else:
                values.append(None if row[at] is None else row[at].encode("utf-8"))
        return Row(*values)

    rows = [row_of(row) for row in case.rows]
    if case.classes is None:
        tree.tree_predict.restype = ctypes.c_double
        case.compare([tree.tree_predict(ctypes.byref(row)) for row in rows])
        return
    tree.tree_predict.restype = ctypes.c_char_p
    answers = [tree.tree_predict(ctypes.byref(row)).decode("utf-8") for row in rows]
    proba = []
    for row in rows:
        numbers = (ctypes.c_double * len(case.classes))()
        tree.tree_probabilities(ctypes.byref(row), numbers)
        proba.append(list(numbers))
    case.compare(answers, proba)


class Rust:
    """All Rust files of a run, compiled together: the compiler starts slowly."""

    def __init__(self):
        self.cases = []

    def add(self, case):
        self.cases.append((case, case.text("rust")))

    def check(self, folder):
        main = []
        for at, (case, text) in enumerate(self.cases):
            (folder / f"tree_{at}.rs").write_text(text, encoding="utf-8")
            main.append(self.module(at, case, text))
        main.append(self.main())
        (folder / "main.rs").write_text("\n".join(main), encoding="utf-8")
        command = ["rustc", "--edition=2021", "-Dwarnings", "-Copt-level=0", "-Cdebuginfo=0"]
        run([*command, folder / "main.rs", "-o", folder / "trees"])
        for at, (case, _) in enumerate(self.cases):
            lines = "".join(self.line(case, row) for row in case.rows).encode()
            answers, proba = [], []
            for line in run([folder / "trees", str(at)], lines).decode().splitlines():
                answer, *numbers = [bytes.fromhex(word) for word in line.split()]
                if case.classes is None:
                    answers.append(struct.unpack(">d", answer)[0])
                else:
                    answers.append(answer[1:].decode("utf-8"))
                    proba.append([struct.unpack(">d", number)[0] for number in numbers])
            try:
                case.compare(answers, proba if case.classes is not None else None)
                yield case, None
            except Difference as difference:
                yield case, difference

    @staticmethod
    def line(case, row):
        """A row as words: numbers by their bits, texts by their bytes, `-` for missing."""
        words = []
        for at in case.asked():
            value = row[at]
            if case.model["features"][at]["kind"] == "numeric":
                words.append(struct.pack(">d", math.nan if value is None else value).hex())
            else:
                words.append("-" if value is None else "=" + value.encode("utf-8").hex())
        return " ".join(words) + "\n"

    @staticmethod
    def module(at, case, text):
        fields = re.findall(r"^    pub (\w+): (f64|Option)", text, re.MULTILINE)
        expect(len(fields) == len(case.asked()), "a field for each feature that is asked")
        texts = [name for name, kind in fields if kind == "Option"]
        lines = [f"mod tree_{at};", f"fn run_{at}(words: &[&str]) -> String {{"]
        for position, (name, kind) in enumerate(fields):
            reader = "number" if kind == "f64" else "text"
            lines.append(f"    let {name} = {reader}(words[{position}]);")
        inits = [f"{n}: {n}.as_deref()" if n in texts else n for n, _ in fields]
        lines.append(f"    let row = tree_{at}::Row {{ {', '.join(inits)} }};")
        if not fields:
            lines.append("    let _ = words;")
        if case.classes is None:
            lines.append(f'    format!("{{:016x}}", tree_{at}::predict(&row).to_bits())')
        else:
            lines += [
                f"    let mut line = hex(tree_{at}::predict(&row));",
                f"    for number in tree_{at}::probabilities(&row) {{",
                '        line += &format!(" {:016x}", number.to_bits());',
                "    }",
                f"    assert_eq!(tree_{at}::CLASSES.len(), {len(case.classes)});",
                "    line",
            ]
        return "\n".join([*lines, "}"])

    def main(self):
        arms = "\n".join(f'        "{at}" => run_{at},' for at in range(len(self.cases)))
        return f"""
#[allow(dead_code)]
fn number(word: &str) -> f64 {{
    f64::from_bits(u64::from_str_radix(word, 16).unwrap())
}}
#[allow(dead_code)]
fn text(word: &str) -> Option<String> {{
    let hex = word.strip_prefix('=')?;
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    Some(String::from_utf8((0..hex.len()).step_by(2).map(byte).collect()).unwrap())
}}
#[allow(dead_code)]
fn hex(text: &str) -> String {{
    let bytes: String = text.bytes().map(|byte| format!("{{byte:02x}}")).collect();
    "00".to_owned() + &bytes
}}
fn main() {{
    let run = match std::env::args().nth(1).unwrap().as_str() {{
{arms}
        _ => panic!(),
    }};
    for line in std::io::stdin().lines() {{
        println!("{{}}", run(&line.unwrap().split(' ').collect::<Vec<_>>()));
    }}
}}
"""


SVG = "{http://www.w3.org/2000/svg}"


def check_svg(case):
    """A drawing is well formed, has a box for each node, and nothing in it can act."""
    root = ElementTree.fromstring(case.export("svg"))
    tags = {element.tag for element in root.iter()}
    plain = {"svg", "title", "style", "rect", "text", "g", "path"}
    expect(tags <= {SVG + name for name in plain}, f"there are {tags}")
    boxes = [e for e in root.iter(SVG + "rect") if e.get("class", "").startswith("box")]
    expect(len(boxes) == len(case.model["nodes"]), f"{len(boxes)} boxes")
    width, height = float(root.get("width")), float(root.get("height"))
    for box in boxes:
        right = float(box.get("x")) + float(box.get("width"))
        lower = float(box.get("y")) + float(box.get("height"))
        expect(right < width and lower < height, "a box outside the drawing")
    for element in root.iter():
        names = set(element.attrib)
        expect(not any(n.startswith("on") or "href" in n for n in names), f"attributes {names}")


PMML = "{http://www.dmg.org/PMML-4_4}"
UNKNOWN = "unknown"


class Pmml:
    """Scores rows as the specification of PMML says."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        expect(self.root.tag == PMML + "PMML", f"the root is {self.root.tag}")
        self.tree = self.root.find(PMML + "TreeModel")
        self.strategy = self.tree.get("missingValueStrategy")
        expect(self.strategy in ("none", "weightedConfidence"), self.strategy)
        self.fields = {}
        for field in self.root.iter(PMML + "DataField"):
            values = [value.get("value") for value in field.iter(PMML + "Value")]
            self.fields[field.get("name")] = (field.get("dataType"), values)
        count = self.root.find(PMML + "DataDictionary").get("numberOfFields")
        expect(int(count) == len(self.fields), "numberOfFields")
        for field in self.tree.find(PMML + "MiningSchema"):
            if self.fields[field.get("name")][0] == "string" and field.get("usageType") is None:
                expect(field.get("invalidValueTreatment") == "asMissing", "new categories")

    def score(self, row):
        """The score, and the confidence of each class."""
        valid = {}
        for name, value in row.items():
            _, values = self.fields[name]
            valid[name] = None if isinstance(value, str) and value not in values else value
        return self.node(self.tree.find(PMML + "Node"), valid)

    def node(self, node, row):
        children = node.findall(PMML + "Node")
        if not children:
            shares = node.findall(PMML + "ScoreDistribution")
            return node.get("score"), {s.get("value"): float(s.get("confidence")) for s in shares}
        for child in children:
            holds = self.predicate(child[0], row)
            if holds is True:
                return self.node(child, row)
            if holds is UNKNOWN:
                return self.mixture(children, row)
        raise Difference("no child is true")

    def mixture(self, children, row):
        """Children that are not false, by the proportion of their records."""
        taken = [child for child in children if self.predicate(child[0], row) is not False]
        total = sum(float(child.get("recordCount")) for child in taken)
        sums = {}
        for child in taken:
            _, confidences = self.node(child, row)
            for label, confidence in confidences.items():
                part = float(child.get("recordCount")) / total * confidence
                sums[label] = sums.get(label, 0.0) + part
        return max(sums, key=sums.get), sums

    def predicate(self, predicate, row):
        kind = predicate.tag.removeprefix(PMML)
        if kind == "True":
            return True
        if kind == "CompoundPredicate":
            parts = [self.predicate(part, row) for part in predicate]
            decisive = predicate.get("booleanOperator") == "or"
            if decisive in parts:
                return decisive
            return UNKNOWN if UNKNOWN in parts else not decisive
        expect(kind == "SimplePredicate", kind)
        value, operator = row[predicate.get("field")], predicate.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return False if self.strategy == "none" else UNKNOWN
        wanted = predicate.get("value")
        if operator == "equal":
            return value == wanted
        wanted = float(wanted)
        return {
            "lessThan": value < wanted,
            "lessOrEqual": value <= wanted,
            "greaterThan": value > wanted,
            "greaterOrEqual": value >= wanted,
        }[operator]


def check_pmml(case):
    mixes = case.classes is not None and "costs" not in case.model["target"]
    answers, proba = case.predict_without_sharing(also_numbers=not mixes)
    pmml = Pmml(case.export("pmml"))
    names = [feature["name"] for feature in case.model["features"]]
    for at, row in enumerate(case.rows):
        score, confidences = pmml.score({names[i]: row[i] for i in case.asked()})
        if case.classes is None:
            expect(float(score) == answers[at], f"row {row}: {score}, not {answers[at]}")
            continue
        ours = [confidences[label] for label in case.classes]
        same = all(math.isclose(a, b, abs_tol=1e-12) for a, b in zip(ours, proba[at], strict=True))
        expect(same, f"row {row}: {ours}, not {proba[at]}")
        # A mixture may be tied up to rounding.
        first, second, *_ = [*sorted(ours, reverse=True), -1.0]
        tied = mixes and first - second < 1e-12 and first < 1.0
        expect(score == answers[at] or tied, f"row {row}: {score}, not {answers[at]}")


def check_onnx(case):
    answers, proba = case.predict_without_sharing(also_numbers=True)
    model = case.export("onnx")
    if onnx is not None:
        onnx.checker.check_model(onnx.load_from_string(model), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    features = json.loads(session.get_modelmeta().custom_metadata_map["features"])
    expect(features == case.model["features"], "the metadata do not list the features")
    table = numpy.full((len(case.rows), len(features)), numpy.nan)
    for at, row in enumerate(case.rows):
        for i, (feature, value) in enumerate(zip(features, row, strict=True)):
            if feature["kind"] == "numeric":
                table[at, i] = numpy.nan if value is None else value
            elif value in feature["categories"]:
                table[at, i] = feature["categories"].index(value)
            elif value is not None:
                table[at, i] = -1
    outputs = session.run(None, {"features": table})
    if case.classes is None:
        wanted = numpy.array(answers).astype(numpy.float32)
        expect((outputs[0][:, 0] == wanted).all(), f"{outputs[0][:, 0]}, not {wanted}")
        return
    for row, ours, theirs in zip(case.rows, outputs[0], answers, strict=True):
        expect(ours == theirs, f"row {row}: {ours!r}, not {theirs!r}")
    wanted = numpy.array(proba).astype(numpy.float32)
    expect((outputs[1] == wanted).all(), "the probabilities differ")


# Models and rows


def fitted(program, folder, path, learner, *options):
    """A learned model."""
    return json.loads(run([program, "fit", learner, path, "--json", "--quiet", *options]))


def rows_of(model, header, rows, draw, most=400):
    """Rows of a table, spoiled: cells go missing, categories are new, numbers hit cuts."""
    missing = {"", *model["reading"]["na"]}
    cuts = cuts_of(model)
    made = []
    for row in draw.sample(rows, min(most, len(rows))):
        values = []
        for at, feature in enumerate(model["features"]):
            cell = row[header.index(feature["name"])]
            value = None if cell in missing else cell
            if value is not None and feature["kind"] == "numeric":
                value = float(value)
            values.append(spoiled(value, feature, cuts[at], draw))
        made.append(values)
    return made


def cuts_of(model):
    """The cuts of every feature."""
    cuts = [[] for _ in model["features"]]
    for node in model["nodes"]:
        if node.get("split", {}).get("kind") == "intervals":
            cuts[node["split"]["feature"]] += node["split"]["cuts"]
    return cuts


def spoiled(value, feature, cuts, draw):
    chance = draw.random()
    if chance < 0.12:
        return None
    if feature["kind"] == "categorical":
        return UNSEEN if chance < 0.2 else value
    if chance < 0.4 and cuts:
        cut = draw.choice(cuts)
        return draw.choice([cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf)])
    return value


class Draw:
    """A random model with hostile names, as a model file."""

    def __init__(self, seed, regression=False, costs=False, missing=None, safe=False):
        self.draw = random.Random(seed)
        self.missing = missing
        self.regression = regression
        names = ["plain", "also plain", "b c", "d.e", "f", "g", "h", "i"] if safe else NASTY
        self.names = self.draw.sample(names, len(names))
        self.features = [self.feature(at) for at in range(6)]
        n_classes = self.draw.choice([1, 2, 2, 3, 5])
        self.classes = self.draw.sample(names, n_classes)
        self.nodes = []
        target = {"name": "what to say"}
        if not regression:
            target["classes"] = self.classes
            if costs:
                target["costs"] = [
                    [self.draw.choice([0, 1, 2.5]) for _ in self.classes] for _ in self.classes
                ]
        self.grow()
        self.model = {
            "format": "treewright.tree",
            "version": 1,
            "task": "regression" if regression else "classification",
            "features": self.features,
            "target": target,
            "reading": {"na": ["?"], "weight": None},
            "learner": {"name": "greedy", "params": {}},
            "training": self.training(),
            "nodes": self.nodes,
        }

    def training(self):
        inner = sum("split" in node for node in self.nodes)
        return {
            "rows": 1,
            "weight": 1.0,
            "errors": 0,
            "cost": 0.0,
            "leaves": len(self.nodes) - inner,
            "depth": self.depth,
            "seconds": 0.0,
        }

    def feature(self, at):
        name = self.names[at]
        if at % 2:
            return {"name": name, "kind": "numeric"}
        categories = sorted(self.draw.sample(self.names, self.draw.randint(2, 6)))
        return {"name": name, "kind": "categorical", "categories": categories}

    def grow(self):
        """Branches until there are enough; some nodes had no rows."""
        self.depth = 0
        self.add(empty=False)
        waiting = [(0, 0)]
        for _ in range(self.draw.randint(0, 14)):
            if not waiting:
                break
            at, depth = waiting.pop(self.draw.randrange(len(waiting)))
            n_children = self.split(self.nodes[at])
            first = len(self.nodes)
            self.nodes[at]["children"] = list(range(first, first + n_children))
            for _ in range(n_children):
                self.add(empty=weight(self.nodes[at]) == 0 or self.draw.random() < 0.2)
                waiting.append((len(self.nodes) - 1, depth + 1))
            self.depth = max(self.depth, depth + 1)

    def add(self, empty):
        amount = self.draw.choice([1, 3, 0.1, 7])
        if self.regression:
            value = self.draw.uniform(-5, 5)
            weight = 0.0 if empty else amount
            mean = 0.0 if empty else value
            self.nodes.append({"mean": mean, "weight": weight, "sse": 0.0, "value": value})
            return
        counts = [0.0 if empty else amount * self.draw.randint(0, 3) for _ in self.classes]
        # Not always what the counts say: a leaf that a row reaches alone answers its value.
        self.nodes.append({"counts": counts, "value": self.draw.randrange(len(self.classes))})

    def split(self, node):
        feature = self.draw.randrange(len(self.features))
        categories = self.features[feature].get("categories")
        if categories is None:
            n_cuts = self.draw.choice([0, 1, 1, 2, 4])
            cuts = sorted(
                {self.draw.choice([-0.5, 0.1, 1 / 3, 2.0, 1e-9, 7e10]) for _ in range(n_cuts)}
            )
            closed = self.draw.choice(["left", "right"])
            node["split"] = {
                "kind": "intervals",
                "feature": feature,
                "cuts": cuts,
                "closed": closed,
            }
            present = len(cuts) + 1
        else:
            present = self.draw.randint(1, len(categories))
            branches = [*range(present)]
            while len(branches) < len(categories):
                branches.append(self.draw.choice([None, *range(present)]))
            self.draw.shuffle(branches)
            node["split"] = {"kind": "categories", "feature": feature, "branches": branches}
        own = present == 1 or self.draw.random() < 0.2
        if own:
            node["missing"] = present
        elif self.missing == "route" or self.draw.random() < 0.3:
            node["missing"] = self.draw.randrange(present)
        else:
            node["missing"] = "distribute"
        return present + own

    def rows(self, n=150):
        cuts = cuts_of(self.model)
        return [
            [self.value(feature, cuts[at]) for at, feature in enumerate(self.features)]
            for _ in range(n)
        ]

    def value(self, feature, cuts):
        if feature["kind"] == "categorical":
            value = self.draw.choice(feature["categories"])
        else:
            value = self.draw.uniform(-1, 3)
        return spoiled(value, feature, cuts, self.draw)


def shaped(nodes, features, depth):
    """A model of two classes with these nodes."""
    inner = sum("split" in node for node in nodes)
    training = {"rows": 1, "weight": 1.0, "errors": 0, "cost": 0.0, "seconds": 0.0}
    return {
        "format": "treewright.tree",
        "version": 1,
        "task": "classification",
        "features": features,
        "target": {"name": "class", "classes": ["no", "yes"]},
        "reading": {"na": ["?"], "weight": None},
        "learner": {"name": "greedy", "params": {}},
        "training": training | {"leaves": len(nodes) - inner, "depth": depth},
        "nodes": nodes,
    }


def deep(draw, missing, depth=90):
    """A tree too deep to be written as nested questions."""
    nodes = []
    for level in range(depth):
        cuts = [(level * 37 % depth) / depth]
        split = {"kind": "intervals", "feature": level % 2, "cuts": cuts, "closed": "right"}
        children = [2 * level + 1, 2 * level + 2]
        inner = {"split": split, "children": children, "missing": missing}
        counts = [draw.randint(1, 9), draw.randint(1, 9)]
        nodes.append({"counts": counts, "value": int(counts[1] > counts[0])} | inner)
        nodes.append({"counts": [draw.randint(0, 3), 1], "value": level % 2})
    nodes.append({"counts": [2, 1], "value": 0})
    # Names that the SQL has for itself.
    features = [{"name": name, "kind": "numeric"} for name in ("w0", "n1")]
    cells = [None, 0.0, *(i / depth for i in range(depth))]
    return shaped(nodes, features, depth), [draw.choices(cells, k=2) for _ in range(200)]


def broad(draw, missing, n=120):
    """A tree with more children of one node than are written as nested questions."""
    names = sorted(f"category {i}" for i in range(n))
    branches = [*range(n - 20), *[None] * 20]
    split = {"kind": "categories", "feature": 0, "branches": branches}
    children = list(range(1, n - 19))
    nodes = [
        {"counts": [5, 4], "value": 0, "split": split, "children": children, "missing": missing}
    ]
    for _ in children:
        nodes.append(
            {"counts": [draw.randint(0, 3), draw.randint(1, 3)], "value": draw.randint(0, 1)}
        )
    features = [{"name": "a", "kind": "categorical", "categories": names}]
    rows = [[value] for value in [*names, None, UNSEEN]]
    return shaped(nodes, features, 1), rows


def nasty_table(folder):
    """A table whose names, categories and classes are hostile."""
    draw = random.Random(5)
    header = NASTY[:8] + ["the target"]
    rows = []
    for _ in range(300):
        row = []
        for at in range(8):
            chance = draw.random()
            if chance < 0.1:
                row.append("")
            elif at % 3 == 0:
                row.append(repr(round(draw.uniform(-2, 2), 3)))
            else:
                row.append(draw.choice(NASTY[at : at + 5]))
        score = sum(NASTY.index(cell) for cell in row if cell in NASTY)
        rows.append([*row, NASTY[9 + score // 6 % 4]])
    path = folder / "nasty.csv"
    write_table(path, header, rows)
    return path


def learned_cases(program, folder):
    """Names and models learned from tables, with the tables."""
    costs = folder / "costs.csv"
    write_table(costs, ["", "no", "yes"], [["no", 0, 1], ["yes", 3.7, 0]])
    for missing in ("distribute", "branch", "majority", "learned"):
        for splits in ("grouped", "multiway", "one-vs-rest"):
            options = ["--missing", missing, "--categorical-splits", splits, "--max-depth", "7"]
            for table in ("titanic", "shop", "prices"):
                yield f"{table} {missing} {splits}", TABLES / f"{table}.csv", "greedy", options
        options = ["--missing", missing]
        yield f"rings {missing}", TABLES / "rings.csv", "greedy", options
        yield f"nasty {missing}", nasty_table(folder), "greedy", [*options, "--min-leaf", "4"]
        options = [*options, "--costs", costs, "--max-depth", "6"]
        yield f"shop costs {missing}", TABLES / "shop.csv", "greedy", options
        yield f"titanic costs {missing}", TABLES / "titanic.csv", "greedy", options
    median = ["--predict", "median", "--max-depth", "5"]
    yield "prices median", TABLES / "prices.csv", "greedy", median
    yield "a leaf", TABLES / "shop.csv", "greedy", ["--max-depth", "0"]
    yield "shop dyadic", TABLES / "shop.csv", "dyadic", ["--lambda", "0.005"]
    yield "rings dyadic", TABLES / "rings.csv", "dyadic", ["--lambda", "0.02"]
    yield "titanic dyadic", TABLES / "titanic.csv", "dyadic", ["--lambda", "0.001"]
    yield "shop optimal", TABLES / "shop.csv", "optimal", ["--depth", "2", "--intervals", "4"]
    yield "rings optimal", TABLES / "rings.csv", "optimal", ["--depth", "2", "--intervals", "auto"]


def cases(program, folder, n_random):
    for at, (name, path, learner, options) in enumerate(learned_cases(program, folder)):
        model = fitted(program, folder, path, learner, *options)
        header, rows = read_table(path)
        yield name, model, rows_of(model, header, rows, random.Random(at))
    for missing in ("distribute", 1):
        yield f"deep {missing}", *deep(random.Random(3), missing)
        yield f"broad {missing}", *broad(random.Random(4), missing)
    for seed in range(n_random):
        kinds = {"regression": seed % 4 == 3, "costs": seed % 3 == 1}
        kinds["missing"] = "route" if seed % 5 == 4 else None
        drawn = Draw(seed, **kinds)
        yield f"random {seed}", drawn.model, drawn.rows()


def main():
    parser = argparse.ArgumentParser(description="Runs exported trees.")
    parser.add_argument("program", help="the treewright binary")
    parser.add_argument("--all", action="store_true", help="more random trees")
    arguments = parser.parse_args()
    forms = {"sql": check_sql, "python": check_python, "svg": check_svg, "pmml": check_pmml}
    if onnxruntime is not None:
        forms["onnx"] = check_onnx
    else:
        print("skipped: ONNX (onnxruntime is not installed)")
    if shutil.which("cc"):
        forms["c"] = check_c
    else:
        print("skipped: C (there is no cc)")
    rust = Rust() if shutil.which("rustc") else None
    if rust is None:
        print("skipped: Rust (there is no rustc)")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, model, rows in cases(arguments.program, folder, 300 if arguments.all else 40):
            try:
                case = Case(arguments.program, folder, name, model, rows)
                if rust is not None:
                    rust.add(case)
            except Difference as difference:
                failed += 1
                print(f"FAILED {name}: {difference}")
                continue
            for form, check in forms.items():
                try:
                    check(case)
                    passed += 1
                except Exception as difference:
                    failed += 1
                    print(f"FAILED {name}, {form}: {type(difference).__name__} {difference}")
        if rust is not None:
            for case, difference in rust.check(folder):
                if difference is None:
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED {case.name}, rust: {difference}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
