//! The tree as one Rust file that needs only the standard library.
//!
//! `predict` takes a `Row` and returns the class or the number; `probabilities` returns one number for
//! each class. NaN is a missing number, `None` a missing category; a category that is not among those a
//! node has seen counts as missing.

use std::fmt::Write;

use super::nested::{Code, Language, bracketed, float, push_line, table};
use super::plan::{Test, costs, most_waiting, parts};
use crate::data::{Feature, FeatureKind};
use crate::error::printable;
use crate::export::show::condition::{Extent, quoted};
use crate::tree::{NodeId, Tree};

/// The tree as a Rust file.
pub fn rust(tree: &Tree) -> String {
    let code = Code::new(tree, Rust);
    let mut text = String::from(
        "// A decision tree, written by treewright.\n\
         // NaN is a missing number, `None` a missing category.\n\n",
    );
    let lifetime = push_row(&mut text, &code);
    push_tables(&mut text, &code);
    push_find(&mut text, &code, lifetime);
    if code.shares {
        push_shares(&mut text, tree, lifetime);
    }
    push_answers(&mut text, tree, code.shares, lifetime);
    text
}

struct Rust;

impl Language for Rust {
    const OR: &'static str = " || ";
    const IF: (&'static str, &'static str) = ("if ", " {");
    const ELSE_IF: (&'static str, &'static str) = ("} else if ", " {");
    const ELSE: &'static str = "} else {";
    const END: Option<&'static str> = Some("}");

    fn test(&self, feature: &Feature, name: &str, test: &Test) -> String {
        match test {
            Test::Missing => format!("row.{name}.is_nan()"),
            Test::Below { cut, included } => {
                let sign = if *included { "<=" } else { "<" };
                format!("row.{name} {sign} {}", float(*cut))
            }
            Test::OneOf(codes) => {
                let text = |code: &u32| string(&feature.categories()[*code as usize]);
                match &codes[..] {
                    [only] => format!("row.{name} == Some({})", text(only)),
                    several => {
                        let texts: Vec<String> = several.iter().map(text).collect();
                        format!("matches!(row.{name}, Some({}))", texts.join(" | "))
                    }
                }
            }
        }
    }

    fn give(&self, node: Option<NodeId>) -> String {
        match node {
            Some(node) => format!("return Some({});", node.0),
            None => "return None;".into(),
        }
    }

    fn remark(&self, text: &str) -> String {
        format!(" // {}", printable(text))
    }
}

/// Writes the struct of a row; returns how other code names its lifetime.
fn push_row(text: &mut String, code: &Code<'_, Rust>) -> &'static str {
    let has_texts = code
        .features()
        .any(|(feature, _)| matches!(feature.kind, FeatureKind::Categorical(_)));
    let (declared, named) = if has_texts {
        ("<'a>", "<'_>")
    } else {
        ("", "")
    };
    let _ = write!(
        text,
        "/// The columns that the tree asks about.\n\
         #[derive(Debug, Clone, Copy, PartialEq)]\npub struct Row{declared} {{\n"
    );
    for (feature, name) in code.features() {
        let kind = match feature.kind {
            FeatureKind::Numeric => "f64",
            FeatureKind::Categorical(_) => "Option<&'a str>",
        };
        let remark = printable(&quoted(&feature.name, Extent::Short));
        push_line(text, 1, &format!("pub {name}: {kind}, // {remark}"));
    }
    text.push_str("}\n\n");
    named
}

fn push_tables(text: &mut String, code: &Code<'_, Rust>) {
    let tree = code.tree;
    let n_nodes = tree.n_nodes();
    let classes = tree.schema().classes();
    let n_classes = classes.len();
    let kind = if tree.schema().is_classification() {
        let classes: Vec<String> = classes.iter().map(|class| string(class)).collect();
        push_line(
            text,
            0,
            "/// The classes, in the order of the probabilities.",
        );
        push_table(
            text,
            &format!("pub static CLASSES: [&str; {n_classes}]"),
            &classes,
        );
        let name = format!("static DISTRIBUTIONS: [[f64; {n_classes}]; {n_nodes}]");
        push_table(text, &name, &code.distributions("[", "]"));
        "usize"
    } else {
        "f64"
    };
    text.push_str("// What every node answers; nodes have the numbers of the model file.\n");
    push_table(
        text,
        &format!("static VALUES: [{kind}; {n_nodes}]"),
        &code.values(),
    );
    if code.needs_steps() {
        let (first, number) = code.children();
        if code.shares {
            push_table(
                text,
                &format!("static FIRST_CHILD: [usize; {n_nodes}]"),
                &first,
            );
        }
        push_table(
            text,
            &format!("static CHILDREN: [usize; {n_nodes}]"),
            &number,
        );
    }
    if code.shares {
        text.push_str("// The part of a shared row that every node takes from its parent.\n");
        let parts: Vec<String> = parts(tree).iter().map(|&part| float(part)).collect();
        push_table(text, &format!("static PARTS: [f64; {n_nodes}]"), &parts);
    }
    if let (true, Some(costs)) = (code.shares, costs(tree)) {
        text.push_str("// What it costs to answer a class (column) where another (row) is true.\n");
        let rows: Vec<String> = costs.iter().map(|row| bracketed(row, "[", "]")).collect();
        push_table(
            text,
            &format!("static COSTS: [[f64; {n_classes}]; {n_classes}]"),
            &rows,
        );
    }
}

fn push_table(text: &mut String, name: &str, entries: &[String]) {
    push_line(text, 0, &format!("{name} = ["));
    text.push_str(&table(entries, 1));
    push_line(text, 0, "];");
}

fn push_find(text: &mut String, code: &Code<'_, Rust>, lifetime: &str) {
    if code.needs_steps() {
        let _ = write!(
            text,
            "\n/// The child that a row goes to; `None` if it is shared among all of them.\n\
             #[allow(clippy::needless_return)]\n\
             fn step(node: usize, row: &Row{lifetime}) -> Option<usize> {{\n    match node {{\n"
        );
        for (id, branch) in code.branches() {
            push_line(text, 2, &format!("{} => {{", id.0));
            text.push_str(&code.flat(branch, 3));
            push_line(text, 2, "}");
        }
        text.push_str("        _ => None,\n    }\n}\n");
    }
    let shared = if code.shares {
        "; `None` if it is shared among several"
    } else {
        ""
    };
    let _ = write!(
        text,
        "\n/// The leaf of a row{shared}.\n#[allow(clippy::needless_return)]\n\
         fn find(row: &Row{lifetime}) -> Option<usize> {{\n"
    );
    if code.nests {
        if code.inputs.is_empty() {
            push_line(text, 1, "let _ = row;");
        }
        text.push_str(&code.nested(1));
    } else {
        text.push_str(
            "    let mut node = 0;\n    while CHILDREN[node] > 0 {\n        \
             node = step(node, row)?;\n    }\n    Some(node)\n",
        );
    }
    text.push_str("}\n");
}

/// The walk over a row that reaches several leaves.
fn push_shares(text: &mut String, tree: &Tree, lifetime: &str) {
    let _ = write!(
        text,
        "
/// Calls `found` with every leaf that a row reaches, from left to right, and the part of the row in it.
fn visit(row: &Row{lifetime}, mut found: impl FnMut(usize, f64)) {{
    let mut waiting = [(0, 1.0); {most}];
    let mut n = 1;
    while n > 0 {{
        n -= 1;
        let (node, share) = waiting[n];
        if CHILDREN[node] == 0 {{
            found(node, share);
            continue;
        }}
        if let Some(child) = step(node, row) {{
            waiting[n] = (child, share);
            n += 1;
            continue;
        }}
        let first = FIRST_CHILD[node];
        for child in (first..first + CHILDREN[node]).rev() {{
            if PARTS[child] > 0.0 {{
                waiting[n] = (child, share * PARTS[child]);
                n += 1;
            }}
        }}
    }}
}}
",
        most = most_waiting(tree)
    );
    let n_classes = tree.schema().classes().len();
    if n_classes == 0 {
        return;
    }
    let _ = write!(
        text,
        "
fn mixture(row: &Row{lifetime}) -> [f64; {n_classes}] {{
    let mut sums = [0.0; {n_classes}];
    visit(row, |leaf, share| {{
        for (sum, probability) in sums.iter_mut().zip(&DISTRIBUTIONS[leaf]) {{
            *sum += share * probability;
        }}
    }});
    sums
}}

/// The class of least expected cost, the first of equal ones.
fn best(sums: &[f64; {n_classes}]) -> usize {{
    let mut best = 0;
"
    );
    if costs(tree).is_some() {
        let _ = write!(
            text,
            "    \
    let mut least = f64::INFINITY;
    for answer in 0..{n_classes} {{
        let mut cost = 0.0;
        for (truth, probability) in sums.iter().enumerate() {{
            cost += probability * COSTS[truth][answer];
        }}
        if cost < least {{
            best = answer;
            least = cost;
        }}
    }}
"
        );
    } else {
        text.push_str(
            "    \
    for (class, sum) in sums.iter().enumerate() {
        if *sum > sums[best] {
            best = class;
        }
    }
",
        );
    }
    text.push_str("    best\n}\n");
}

fn push_answers(text: &mut String, tree: &Tree, shares: bool, lifetime: &str) {
    let n_classes = tree.schema().classes().len();
    let none = "        None => unreachable!(\"every row of this tree reaches one leaf\"),\n";
    if n_classes == 0 {
        let shared = "        None => {\n            let mut sum = 0.0;\n            \
                      visit(row, |leaf, share| sum += share * VALUES[leaf]);\n            sum\n        }\n";
        let _ = write!(
            text,
            "\n/// The number for a row.\npub fn predict(row: &Row{lifetime}) -> f64 {{\n    \
             match find(row) {{\n        Some(leaf) => VALUES[leaf],\n{}    }}\n}}\n",
            if shares { shared } else { none }
        );
        return;
    }
    let (answer, mixture) = if shares {
        (
            "        None => CLASSES[best(&mixture(row))],\n",
            "        None => mixture(row),\n",
        )
    } else {
        (none, none)
    };
    let _ = write!(
        text,
        "\n/// The class for a row.\npub fn predict(row: &Row{lifetime}) -> &'static str {{\n    \
         match find(row) {{\n        Some(leaf) => CLASSES[VALUES[leaf]],\n{answer}    }}\n}}\n\
         \n/// The probability of each class for a row.\n\
         pub fn probabilities(row: &Row{lifetime}) -> [f64; {n_classes}] {{\n    \
         match find(row) {{\n        Some(leaf) => DISTRIBUTIONS[leaf],\n{mixture}    }}\n}}\n"
    );
}

/// A text as a literal of plain ASCII.
fn string(text: &str) -> String {
    format!("\"{}\"", text.escape_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn questions_are_nested() {
        let text = rust(&samples::numbers());
        assert!(
            text.contains(
                "\
    if row.x.is_nan() || row.x < 2.0 {
        return Some(1); // 1.5
    } else if row.x < 1e20 {
"
            ),
            "{text}"
        );
        assert!(text.contains("pub struct Row {\n    pub x: f64, // \"x\"\n}"));
    }

    #[test]
    fn names_cannot_break_out() {
        let text = rust(&samples::hostile_names());
        assert!(text.contains(r#"row.a_x == Some("&lt;")"#), "{text}");
        assert!(text.contains("pub struct Row<'a> {"));
        assert_eq!(string("\"\n\u{202e}\\"), "\"\\\"\\n\\u{202e}\\\\\"");
    }
}
