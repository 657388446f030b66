//! The tree as one SQL expression.
//!
//! A `CASE` for every question, in plain ANSI SQL: `NULL` is missing, a class is its text. In a deep tree
//! a `CASE` for every leaf instead, with the answers to all questions from a subquery. It goes wherever an
//! expression may stand:
//!
//! ```text
//! SELECT t.*, <the expression> AS prediction FROM t
//! ```
//!
//! Where a missing value is shared among the children of a node, the `CASE` gives `NULL`, and a scalar
//! subquery finds the answer: which way every node sends the row, the part of it that goes there, the
//! mixture of the leaves' distributions, and the cheapest class. Sums and products are those of
//! [`Tree::predict`], in the same order, so with double precision they agree to the last bit. A database
//! that reads `1E-1` as a decimal (`PostgreSQL` does) may answer differently only where two classes are
//! tied up to rounding.
//!
//! Limits: a text with a zero byte cannot be written and is refused. `SQLite` takes sums of up to about 900
//! leaves where rows are shared. A tree of more than 500 levels is refused.

use std::fmt::Write;

use super::nested::refuse_zero_bytes;
use super::plan::{Arm, Goes, Test, arms, costs, missing_goes, parts, shares_rows};
use crate::error::{Error, Result};
use crate::tree::{Branch, NodeId, Tree};

/// Levels of questions: no database takes many more.
const DEEPEST: usize = 500;
/// Levels up to which a `CASE` stands inside another: parsers have small stacks.
const MOST_NESTED: usize = 12;
/// Levels that are shown by indenting.
const MOST_INDENTED: usize = 30;
/// Terms of a sum on one line.
const TERMS_A_LINE: usize = 4;

/// The tree as an SQL expression.
pub fn sql(tree: &Tree) -> Result<String> {
    check(tree)?;
    let mut text = String::from(
        "-- A tree of treewright as an SQL expression: SELECT ..., <this> AS prediction FROM ...\n\
         -- NULL is missing; a category that a node has not seen counts as missing.\n",
    );
    if shares_rows(tree) {
        text.push_str("COALESCE(\n");
        text.push_str(&one_leaf(tree, 1));
        text.push_str(",\n  (");
        text.push_str(&mixture(tree));
        text.push_str(")\n)\n");
    } else {
        text.push_str(&one_leaf(tree, 0));
        text.push('\n');
    }
    Ok(text)
}

/// Refuses what SQL cannot hold.
fn check(tree: &Tree) -> Result<()> {
    let depth = tree.depth();
    if depth > DEEPEST {
        return Err(Error::schema(format!(
            "the tree is {depth} levels deep, an SQL expression takes at most {DEEPEST}"
        )));
    }
    refuse_zero_bytes(tree, "SQL")
}

/// What is left to write on the round trip through the tree.
enum Step {
    Node(NodeId, usize),
    Text(String),
}

/// The answer for every row that reaches one leaf, and `NULL` for the others.
fn one_leaf(tree: &Tree, indent: usize) -> String {
    if tree.depth() <= MOST_NESTED {
        nested(tree, indent)
    } else {
        flat(tree, indent)
    }
}

/// One `CASE` for all leaves: a row reaches a leaf if every branch above sends it that way.
fn flat(tree: &Tree, indent: usize) -> String {
    let start = spaces(indent);
    let mut text = format!("{start}(SELECT CASE\n");
    let mut ways: Vec<String> = vec![String::new(); tree.n_nodes()];
    for id in tree.ids() {
        let way = std::mem::take(&mut ways[id.index()]);
        match tree.branch(id) {
            None => {
                let _ = writeln!(text, "{start}  WHEN {way} THEN {}", answer(tree, id));
            }
            Some(branch) => {
                let and = if way.is_empty() { "" } else { " AND " };
                for (position, child) in branch.children().enumerate() {
                    ways[child.index()] = format!("{way}{and}w{} = {position}", id.0);
                }
            }
        }
    }
    let _ = write!(text, "{start}END FROM ({}) AS ways)", select_ways(tree));
    text
}

/// Nested `CASE`s.
fn nested(tree: &Tree, indent: usize) -> String {
    let mut text = String::new();
    let mut steps = vec![Step::Node(NodeId::ROOT, indent)];
    while let Some(step) = steps.pop() {
        let (id, indent) = match step {
            Step::Node(id, indent) => (id, indent),
            Step::Text(piece) => {
                text.push_str(&piece);
                continue;
            }
        };
        let Some(branch) = tree.branch(id) else {
            text.push_str(&spaces(indent));
            text.push_str(&answer(tree, id));
            continue;
        };
        text.push_str(&spaces(indent));
        text.push_str("CASE\n");
        let mut later = Vec::new();
        for arm in arms(tree, branch) {
            let when = match condition(tree, branch, &arm) {
                None => "ELSE".to_owned(),
                Some(condition) => format!("WHEN {condition} THEN"),
            };
            let start = format!("{}  {when}", spaces(indent));
            match arm.goes {
                Goes::Shared => later.push(Step::Text(format!("{start} NULL\n"))),
                Goes::To(position) => {
                    let child = branch.child(position);
                    if tree.is_leaf(child) {
                        let answer = answer(tree, child);
                        later.push(Step::Text(format!("{start} {answer}\n")));
                    } else {
                        later.push(Step::Text(format!("{start}\n")));
                        later.push(Step::Node(child, indent + 2));
                        later.push(Step::Text("\n".into()));
                    }
                }
            }
        }
        later.push(Step::Text(format!("{}END", spaces(indent))));
        steps.extend(later.into_iter().rev());
    }
    text
}

/// The answer for a row that reaches several leaves, as a subquery without its parentheses.
fn mixture(tree: &Tree) -> String {
    let classes = tree.schema().classes();
    let mut select = shares(tree);
    if classes.is_empty() {
        let value = |leaf: NodeId| tree.value(leaf);
        return format!(
            "SELECT {} FROM ({select}) AS parts",
            sum_over_leaves(tree, value)
        );
    }
    let distributions = tree.distributions();
    let sums: Vec<String> = (0..classes.len())
        .map(|class| {
            let share = |leaf: NodeId| distributions[leaf.index() * classes.len() + class];
            format!("{} AS p{class}", sum_over_leaves(tree, share))
        })
        .collect();
    select = format!("SELECT {}\n  FROM ({select}) AS parts", sums.join(",\n  "));
    let (letter, sign) = match costs(tree) {
        None => ('p', ">="),
        Some(costs) => {
            let sums = (0..classes.len()).map(|class| {
                let terms = (0..classes.len())
                    .map(|truth| format!("p{truth} * {}", literal(costs[truth][class])));
                format!("{} AS c{class}", sum(terms))
            });
            let sums: Vec<String> = sums.collect();
            select = format!(
                "SELECT {}\n  FROM ({select}) AS classes",
                sums.join(",\n  ")
            );
            ('c', "<=")
        }
    };
    format!(
        "SELECT {}\n  FROM ({select}) AS sums",
        best(classes, letter, sign)
    )
}

/// The class with the best of the columns named by `letter`, the first of equal ones.
fn best(classes: &[String], letter: char, sign: &str) -> String {
    let last = classes.len() - 1;
    if last == 0 {
        return string(&classes[0]);
    }
    let mut text = String::from("CASE\n");
    for (class, label) in classes[..last].iter().enumerate() {
        // Whatever came before is worse than something that comes later.
        let rivals: Vec<String> = (class + 1..=last)
            .map(|rival| format!("{letter}{class} {sign} {letter}{rival}"))
            .collect();
        let _ = writeln!(
            text,
            "    WHEN {} THEN {}",
            rivals.join(" AND "),
            string(label)
        );
    }
    let _ = write!(text, "    ELSE {}\n  END", string(&classes[last]));
    text
}

/// For every node but the root, the part of its parent's rows that it takes: columns `n1`, `n2`, ...
fn shares(tree: &Tree) -> String {
    let parts = parts(tree);
    let mut shares = Vec::new();
    for (id, branch) in branches(tree) {
        let is_shared = missing_goes(tree, branch) == Goes::Shared;
        for (position, child) in branch.children().enumerate() {
            let part = parts[child.index()];
            let shared = if is_shared && part > 0.0 {
                format!(" WHEN -1 THEN {}", literal(part))
            } else {
                String::new()
            };
            shares.push(format!(
                "CASE w{} WHEN {position} THEN 1E0{shared} ELSE 0E0 END AS n{}",
                id.0, child.0
            ));
        }
    }
    format!(
        "SELECT {}\n  FROM ({}) AS ways",
        shares.join(",\n  "),
        select_ways(tree)
    )
}

/// For every branch the position of the child that the row goes to: columns `w0`, `w3`, ...
fn select_ways(tree: &Tree) -> String {
    let ways: Vec<String> = branches(tree)
        .map(|(id, branch)| format!("{} AS w{}", way_of(tree, branch, &arms(tree, branch)), id.0))
        .collect();
    format!("SELECT {}", ways.join(",\n  "))
}

fn branches(tree: &Tree) -> impl Iterator<Item = (NodeId, &Branch)> {
    tree.ids()
        .filter_map(|id| tree.branch(id).map(|branch| (id, branch)))
}

/// The position of the child that a row goes to; -1 if it is shared.
fn way_of(tree: &Tree, branch: &Branch, arms: &[Arm]) -> String {
    let mut text = String::from("CASE");
    for arm in arms {
        let goes = match arm.goes {
            Goes::To(position) => position.to_string(),
            Goes::Shared => "-1".into(),
        };
        match condition(tree, branch, arm) {
            None if arms.len() == 1 => return goes,
            None => {
                let _ = write!(text, " ELSE {goes}");
            }
            Some(condition) => {
                let _ = write!(text, " WHEN {condition} THEN {goes}");
            }
        }
    }
    text + " END"
}

/// The sum of a number of every leaf, each times the part of the row that reaches the leaf.
fn sum_over_leaves(tree: &Tree, number: impl Fn(NodeId) -> f64) -> String {
    let mut ways: Vec<String> = vec![String::new(); tree.n_nodes()];
    let mut terms = Vec::new();
    // Leaves from left to right, as a row visits them.
    let mut stack = vec![NodeId::ROOT];
    while let Some(id) = stack.pop() {
        let way = std::mem::take(&mut ways[id.index()]);
        match tree.branch(id) {
            None => terms.push(format!("{way}{}", literal(number(id)))),
            Some(branch) => {
                for child in branch.children() {
                    ways[child.index()] = format!("{way}n{} * ", child.0);
                }
                stack.extend(branch.children().rev());
            }
        }
    }
    sum(terms)
}

/// A sum from left to right.
fn sum(terms: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for (at, term) in terms.into_iter().enumerate() {
        if at > 0 {
            text.push_str(" + ");
            if at % TERMS_A_LINE == 0 {
                text.push_str("\n    ");
            }
        }
        text.push_str(&term);
    }
    text
}

/// The condition of an arm; none for what is left.
fn condition(tree: &Tree, branch: &Branch, arm: &Arm) -> Option<String> {
    let feature = &tree.schema().features[branch.split.feature()];
    let column = identifier(&feature.name);
    let tests: Vec<String> = arm
        .tests
        .iter()
        .map(|test| match test {
            Test::Missing => format!("{column} IS NULL"),
            Test::Below { cut, included } => {
                let sign = if *included { "<=" } else { "<" };
                format!("{column} {sign} {}", literal(*cut))
            }
            Test::OneOf(codes) => {
                let text = |code: &u32| string(&feature.categories()[*code as usize]);
                match &codes[..] {
                    [only] => format!("{column} = {}", text(only)),
                    several => {
                        let texts: Vec<String> = several.iter().map(text).collect();
                        format!("{column} IN ({})", texts.join(", "))
                    }
                }
            }
        })
        .collect();
    (!tests.is_empty()).then(|| tests.join(" OR "))
}

fn answer(tree: &Tree, leaf: NodeId) -> String {
    match tree.schema().classes() {
        [] => literal(tree.value(leaf)),
        classes => string(&classes[tree.value(leaf) as usize]),
    }
}

/// A number of type double: with an exponent, and in parentheses if it has a sign.
fn literal(x: f64) -> String {
    let text = format!("{x:E}");
    if x.is_sign_negative() {
        format!("({text})")
    } else {
        text
    }
}

/// The name of a column.
fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text.
fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn spaces(indent: usize) -> String {
    "  ".repeat(indent.min(MOST_INDENTED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn every_kind_of_question() {
        let text = sql(&samples::every_kind()).unwrap();
        for piece in [
            "WHEN \"age\" IS NULL THEN\n",
            "WHEN \"age\" IS NULL OR \"age\" < 1.85E1 THEN\n",
            "WHEN \"sex\" = 'f' THEN 'no'\n",
            "WHEN \"size, cm\" < (-1E0) THEN 'no'\n",
            "ELSE NULL\n",
            "CASE w3 WHEN 0 THEN 1E0 WHEN -1 THEN ",
            "p0 * 0E0 + p1 * 2.5E0 AS c0",
            "WHEN c0 <= c1 THEN 'no'",
        ] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
    }

    #[test]
    fn numbers_need_no_mixture() {
        let expected = "\
CASE
  WHEN \"x\" IS NULL OR \"x\" < 2E0 THEN 1.5E0
  WHEN \"x\" < 1E20 THEN 3.5E0
  ELSE 2.5E0
END
";
        let text = sql(&samples::numbers()).unwrap();
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn names_stay_in_their_quotes() {
        let text = sql(&samples::hostile_names()).unwrap();
        assert!(text.contains("\"a\"\"]; x [\\\" = '&lt;'"), "{text}");
        assert_eq!(string("it's"), "'it''s'");
        assert_eq!(
            identifier("\"; DROP TABLE x; --"),
            "\"\"\"; DROP TABLE x; --\""
        );
    }

    #[test]
    fn a_deep_tree_is_no_trouble() {
        let text = sql(&samples::chain(100)).unwrap();
        assert!(text.matches("CASE").count() > 200);
        assert!(sql(&samples::chain(100_000)).is_err());
    }
}
