//! The tree as a Python module that needs nothing but Python.
//!
//! `predict(row)` takes a mapping from column names to values and returns the class or the number;
//! `probabilities(row)` returns a dictionary from classes to probabilities. `None` and NaN are missing;
//! a category that is not among those a node has seen counts as missing. Numbers may be anything that
//! `float` takes. Columns that the tree does not ask about need not be there.

use std::fmt::Write;

use super::nested::{Code, Language, bracketed, float, push_line, table};
use super::plan::{Test, costs, parts};
use crate::data::{Feature, FeatureKind};
use crate::error::printable;
use crate::tree::{NodeId, Tree};

/// The tree as a Python module.
pub fn python(tree: &Tree) -> String {
    let code = Code::new(tree, Python);
    let mut text = String::from(
        "\"\"\"A decision tree, written by treewright.\n\n\
         predict(row) answers for one row: a mapping from column names to values, None or NaN where a\n\
         value is missing.\n\"\"\"\n\n",
    );
    if tree.schema().is_classification() {
        let classes: Vec<String> = tree.schema().classes().iter().map(|c| string(c)).collect();
        push_table(&mut text, "CLASSES", &classes);
        push_table(&mut text, "_DISTRIBUTIONS", &code.distributions("[", "]"));
    }
    text.push_str("# What every node answers; nodes have the numbers of the model file.\n");
    push_table(&mut text, "_VALUES", &code.values());
    if code.needs_steps() {
        let (first, number) = code.children();
        push_table(&mut text, "_FIRST_CHILD", &first);
        push_table(&mut text, "_CHILDREN", &number);
    }
    if code.shares {
        text.push_str("# The part of a shared row that every node takes from its parent.\n");
        let parts: Vec<String> = parts(tree).iter().map(|&part| float(part)).collect();
        push_table(&mut text, "_PARTS", &parts);
    }
    if let (true, Some(costs)) = (code.shares, costs(tree)) {
        text.push_str("# What it costs to answer a class (column) where another (row) is true.\n");
        let rows: Vec<String> = costs.iter().map(|row| bracketed(row, "[", "]")).collect();
        push_table(&mut text, "_COSTS", &rows);
    }
    push_values(&mut text, &code);
    push_find(&mut text, &code);
    if code.shares {
        push_shares(&mut text, tree);
    }
    push_answers(&mut text, tree, code.shares);
    text
}

struct Python;

impl Language for Python {
    const OR: &'static str = " or ";
    const IF: (&'static str, &'static str) = ("if ", ":");
    const ELSE_IF: (&'static str, &'static str) = ("elif ", ":");
    const ELSE: &'static str = "else:";
    const END: Option<&'static str> = None;

    fn test(&self, feature: &Feature, name: &str, test: &Test) -> String {
        match test {
            Test::Missing => format!("{name} != {name}"),
            Test::Below { cut, included } => {
                let sign = if *included { "<=" } else { "<" };
                format!("{name} {sign} {}", float(*cut))
            }
            Test::OneOf(codes) => {
                let text = |code: &u32| string(&feature.categories()[*code as usize]);
                match &codes[..] {
                    [only] => format!("{name} == {}", text(only)),
                    several => {
                        let texts: Vec<String> = several.iter().map(text).collect();
                        format!("{name} in ({})", texts.join(", "))
                    }
                }
            }
        }
    }

    fn give(&self, node: Option<NodeId>) -> String {
        match node {
            Some(node) => format!("return {}", node.0),
            None => "return None".into(),
        }
    }

    fn remark(&self, text: &str) -> String {
        format!("  # {}", printable(text))
    }
}

fn push_table(text: &mut String, name: &str, entries: &[String]) {
    push_line(text, 0, &format!("{name} = ["));
    text.push_str(&table(entries, 1));
    push_line(text, 0, "]");
}

/// The values of the features that are asked, missing numbers as NaN.
fn push_values(text: &mut String, code: &Code<'_, Python>) {
    text.push_str("\n\ndef _number(value):\n");
    push_line(
        text,
        1,
        "return float(\"nan\") if value is None else float(value)",
    );
    text.push_str("\n\ndef _values(row):\n    return (\n");
    for (feature, _) in code.features() {
        let cell = format!("row[{}]", string(&feature.name));
        match &feature.kind {
            FeatureKind::Numeric => push_line(text, 2, &format!("_number({cell}),")),
            FeatureKind::Categorical(_) => push_line(text, 2, &format!("{cell},")),
        }
    }
    push_line(text, 1, ")");
}

fn push_find(text: &mut String, code: &Code<'_, Python>) {
    let names: Vec<&str> = code.features().map(|(_, name)| name).collect();
    let names = names.join(", ");
    if code.needs_steps() {
        // Each branch is a function of its own, to be found at once by its number.
        for (id, branch) in code.branches() {
            let _ = write!(text, "\n\ndef _step_{}({names}):\n", id.0);
            text.push_str(&code.flat(branch, 1));
        }
        let steps: Vec<String> = code
            .tree
            .ids()
            .map(|id| {
                if code.tree.is_leaf(id) {
                    "None".into()
                } else {
                    format!("_step_{}", id.0)
                }
            })
            .collect();
        text.push_str("\n\n");
        push_table(text, "_STEPS", &steps);
    }
    text.push_str("\n\n");
    if code.nests {
        push_line(text, 0, &format!("def _find({names}):"));
        push_line(
            text,
            1,
            &format!("\"\"\"The leaf of a row{}.\"\"\"", none_if(code.shares)),
        );
        text.push_str(&code.nested(1));
    } else {
        push_line(text, 0, "def _find(*values):");
        push_line(
            text,
            1,
            &format!("\"\"\"The leaf of a row{}.\"\"\"", none_if(code.shares)),
        );
        push_line(text, 1, "node = 0");
        push_line(text, 1, "while node is not None and _CHILDREN[node]:");
        push_line(text, 2, "node = _STEPS[node](*values)");
        push_line(text, 1, "return node");
    }
}

fn none_if(shares: bool) -> &'static str {
    if shares {
        ", or None if it is shared among several"
    } else {
        ""
    }
}

/// The walk over a row that reaches several leaves.
fn push_shares(text: &mut String, tree: &Tree) {
    text.push_str(
        r#"

def _leaves(values):
    """The leaves that a row reaches, from left to right, with the part of the row in each."""
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        if not _CHILDREN[node]:
            yield node, share
            continue
        child = _STEPS[node](*values)
        if child is not None:
            waiting.append((child, share))
            continue
        first = _FIRST_CHILD[node]
        for child in reversed(range(first, first + _CHILDREN[node])):
            if _PARTS[child] > 0.0:
                waiting.append((child, share * _PARTS[child]))
"#,
    );
    if !tree.schema().is_classification() {
        return;
    }
    text.push_str(
        r#"

def _mixture(values):
    sums = [0.0] * len(CLASSES)
    for leaf, share in _leaves(values):
        for at, probability in enumerate(_DISTRIBUTIONS[leaf]):
            sums[at] += share * probability
    return sums


def _best(sums):
    """The class of least expected cost, the first of equal ones."""
"#,
    );
    if costs(tree).is_some() {
        text.push_str(
            "    \
    expected = []
    for answer in range(len(sums)):
        cost = 0.0
        for truth, probability in enumerate(sums):
            cost += probability * _COSTS[truth][answer]
        expected.append(cost)
    return expected.index(min(expected))
",
        );
    } else {
        push_line(text, 1, "return sums.index(max(sums))");
    }
}

fn push_answers(text: &mut String, tree: &Tree, shares: bool) {
    let mut push = |lines: &[&str]| {
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
    };
    let is_classification = tree.schema().is_classification();
    let found = if is_classification {
        "    return CLASSES[_VALUES[leaf]]"
    } else {
        "    return _VALUES[leaf]"
    };
    let what = if is_classification { "class" } else { "number" };
    push(&["", "", "def predict(row):"]);
    push(&[&format!("    \"\"\"The {what} for a row.\"\"\"")]);
    push(&["    values = _values(row)", "    leaf = _find(*values)"]);
    if shares {
        push(&["    if leaf is None:"]);
        push(if is_classification {
            &["        return CLASSES[_best(_mixture(values))]"]
        } else {
            &[
                "        number = 0.0",
                "        for leaf, share in _leaves(values):",
                "            number += share * _VALUES[leaf]",
                "        return number",
            ]
        });
    }
    push(&[found]);
    if !is_classification {
        return;
    }
    push(&[
        "",
        "",
        "def probabilities(row):",
        "    \"\"\"The probability of each class for a row.\"\"\"",
        "    values = _values(row)",
        "    leaf = _find(*values)",
    ]);
    if shares {
        push(&[
            "    if leaf is None:",
            "        return dict(zip(CLASSES, _mixture(values)))",
        ]);
    }
    push(&["    return dict(zip(CLASSES, _DISTRIBUTIONS[leaf]))"]);
}

/// A text as a literal of plain ASCII.
fn string(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            ' '..='~' => literal.push(c),
            c if u32::from(c) <= 0xffff => {
                let _ = write!(literal, "\\u{:04x}", u32::from(c));
            }
            c => {
                let _ = write!(literal, "\\U{:08x}", u32::from(c));
            }
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn questions_are_nested() {
        let text = python(&samples::numbers());
        assert!(
            text.contains(
                "\
    if x != x or x < 2.0:
        return 1  # 1.5
    elif x < 1e20:
        return 2  # 3.5
    else:
        return 3  # 2.5
"
            ),
            "{text}"
        );
        assert!(!text.contains("_STEPS"));
    }

    #[test]
    fn shared_rows_need_the_flat_form() {
        let text = python(&samples::every_kind());
        let step = "def _step_3(age, sex, size_cm):\n    if sex == \"f\":\n        return ";
        assert!(text.contains(step), "{text}");
        assert!(text.contains("_COSTS = [\n    [0.0, 1.0], [2.5, 0.0],\n]\n"));
    }

    #[test]
    fn names_are_only_in_literals() {
        assert_eq!(
            string("a\"\\\n\u{e9}\u{1f600}"),
            "\"a\\\"\\\\\\u000a\\u00e9\\U0001f600\""
        );
        let text = python(&samples::hostile_names());
        assert!(text.contains(r#"row["a\"]; x [\\"]"#), "{text}");
        assert!(text.is_ascii());
    }

    #[test]
    fn deep_trees_are_not_nested() {
        let text = python(&samples::chain(200));
        assert!(
            text.lines()
                .all(|line| !line.starts_with("                    "))
        );
    }
}
