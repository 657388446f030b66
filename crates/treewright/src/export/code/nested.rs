//! What the exports to C, Python and Rust share: the tree as nested questions.
//!
//! A program has up to two forms of the tree. `find` is for readers and for most rows: nested questions
//! that end in the number of a leaf, or say that the row is shared among several. `step` is flat, one
//! node at a time; the walk over shared rows uses it, and `find` itself does where a tree is too deep or
//! too broad to nest. Nodes have the numbers that they have in the model file.

use super::identifiers::identifiers;
use super::plan::{Arm, Goes, Test, arms, features_asked, most_children, shares_rows};
use crate::data::Feature;
use crate::error::{Error, Result, quoted};
use crate::export::show::condition::{Extent, answer};
use crate::tree::{Branch, NodeId, Tree};

/// Levels, and children of one node, up to which questions are nested. C promises 63 levels at least,
/// Python 100.
const MOST_NESTED: usize = 50;

/// How a language writes questions.
pub(in crate::export) trait Language {
    /// A condition that one test of a feature holds; `name` is the feature's identifier.
    fn test(&self, feature: &Feature, name: &str, test: &Test) -> String;
    /// Between conditions of which one must hold.
    const OR: &'static str;
    /// Before and after the first condition of a node.
    const IF: (&'static str, &'static str);
    /// Before and after the following ones.
    const ELSE_IF: (&'static str, &'static str);
    /// What is left.
    const ELSE: &'static str;
    /// The line after the last block; none if indenting is enough.
    const END: Option<&'static str>;
    /// Ends the function with the number of a node; `None` where the row is shared.
    fn give(&self, node: Option<NodeId>) -> String;
    /// A remark after a line; the text has no line breaks.
    fn remark(&self, text: &str) -> String;
}

/// What is written out of a tree.
pub(in crate::export) struct Code<'a, L> {
    pub(in crate::export) tree: &'a Tree,
    pub(in crate::export) language: L,
    /// The features that the tree asks about, with their identifiers.
    pub(in crate::export) inputs: Vec<(usize, String)>,
    /// Does a row ever reach several leaves?
    pub(in crate::export) shares: bool,
    /// Is the tree small enough for nested questions?
    pub(in crate::export) nests: bool,
    /// The identifier of each feature.
    names: Vec<String>,
}

impl<'a, L: Language> Code<'a, L> {
    pub(in crate::export) fn new(tree: &'a Tree, language: L) -> Self {
        let features = &tree.schema().features;
        let asked = features_asked(tree);
        let asked_names = asked.iter().map(|&feature| features[feature].name.as_str());
        let inputs: Vec<(usize, String)> = asked
            .iter()
            .copied()
            .zip(identifiers(asked_names))
            .collect();
        let mut names = vec![String::new(); features.len()];
        for (feature, name) in &inputs {
            names[*feature].clone_from(name);
        }
        Self {
            tree,
            language,
            inputs,
            shares: shares_rows(tree),
            nests: tree.depth().max(most_children(tree)) <= MOST_NESTED,
            names,
        }
    }

    /// Is the flat form needed?
    pub(in crate::export) fn needs_steps(&self) -> bool {
        self.shares || !self.nests
    }

    /// The features that the tree asks about, with their identifiers.
    pub(in crate::export) fn features(&self) -> impl Iterator<Item = (&'a Feature, &str)> {
        let features = &self.tree.schema().features;
        self.inputs
            .iter()
            .map(|(feature, name)| (&features[*feature], name.as_str()))
    }

    /// The nested questions, each line indented by at least `indent` levels.
    pub(in crate::export) fn nested(&self, indent: usize) -> String {
        let mut text = String::new();
        self.nest(&mut text, NodeId::ROOT, indent);
        text
    }

    // Recursion is no danger here: only trees that are not deep are nested.
    fn nest(&self, text: &mut String, id: NodeId, indent: usize) {
        let Some(branch) = self.tree.branch(id) else {
            let remark = self.language.remark(&answer(self.tree, id, Extent::Short));
            push_line(
                text,
                indent,
                &format!("{}{remark}", self.language.give(Some(id))),
            );
            return;
        };
        for (at, arm) in arms(self.tree, branch).iter().enumerate() {
            let line = match (at, self.condition(branch, arm)) {
                (_, None) => L::ELSE.to_owned(),
                (0, Some(condition)) => format!("{}{condition}{}", L::IF.0, L::IF.1),
                (_, Some(condition)) => format!("{}{condition}{}", L::ELSE_IF.0, L::ELSE_IF.1),
            };
            push_line(text, indent, &line);
            match arm.goes {
                Goes::To(position) => self.nest(text, branch.child(position), indent + 1),
                Goes::Shared => push_line(text, indent + 1, &self.language.give(None)),
            }
        }
        if let Some(end) = L::END {
            push_line(text, indent, end);
        }
    }

    /// The questions of one branch, one after the other; each ends the function.
    pub(in crate::export) fn flat(&self, branch: &Branch, indent: usize) -> String {
        let mut text = String::new();
        for arm in arms(self.tree, branch) {
            let child = match arm.goes {
                Goes::To(position) => Some(branch.child(position)),
                Goes::Shared => None,
            };
            let give = self.language.give(child);
            match self.condition(branch, &arm) {
                None => push_line(&mut text, indent, &give),
                Some(condition) => {
                    let line = format!("{}{condition}{}", L::IF.0, L::IF.1);
                    push_line(&mut text, indent, &line);
                    push_line(&mut text, indent + 1, &give);
                    if let Some(end) = L::END {
                        push_line(&mut text, indent, end);
                    }
                }
            }
        }
        text
    }

    fn condition(&self, branch: &Branch, arm: &Arm) -> Option<String> {
        let at = branch.split.feature();
        let feature = &self.tree.schema().features[at];
        let test = |test: &Test| self.language.test(feature, &self.names[at], test);
        let tests: Vec<String> = arm.tests.iter().map(test).collect();
        (!tests.is_empty()).then(|| tests.join(L::OR))
    }

    /// The branches, with the numbers of their nodes.
    pub(in crate::export) fn branches(&self) -> impl Iterator<Item = (NodeId, &'a Branch)> {
        let tree = self.tree;
        tree.ids()
            .filter_map(|id| tree.branch(id).map(|branch| (id, branch)))
    }

    /// The first child of every node, 0 for leaves, and how many children it has.
    pub(in crate::export) fn children(&self) -> (Vec<String>, Vec<String>) {
        let of = |id| match self.tree.branch(id) {
            None => (0, 0),
            Some(branch) => (branch.first_child.0, branch.n_children),
        };
        self.tree
            .ids()
            .map(of)
            .map(|(first, number)| (first.to_string(), number.to_string()))
            .unzip()
    }

    /// What every node answers: a number, or the index of a class.
    pub(in crate::export) fn values(&self) -> Vec<String> {
        let tree = self.tree;
        let is_classification = tree.schema().is_classification();
        let of = |id| {
            if is_classification {
                (tree.value(id) as usize).to_string()
            } else {
                float(tree.value(id))
            }
        };
        tree.ids().map(of).collect()
    }

    /// The class distribution of every node, in the brackets of the language.
    pub(in crate::export) fn distributions(&self, open: &str, close: &str) -> Vec<String> {
        let n_classes = self.tree.schema().classes().len();
        let distributions = self.tree.distributions();
        distributions
            .chunks(n_classes)
            .map(|row| bracketed(row, open, close))
            .collect()
    }
}

/// Numbers in brackets.
pub(in crate::export) fn bracketed(row: &[f64], open: &str, close: &str) -> String {
    let numbers: Vec<String> = row.iter().map(|&x| float(x)).collect();
    format!("{open}{}{close}", numbers.join(", "))
}

/// Entries of a table, several on a line and each with a comma after it.
pub(in crate::export) fn table(entries: &[String], indent: usize) -> String {
    const LONGEST: usize = 96;
    let mut text = String::new();
    let mut line = String::new();
    for entry in entries {
        if !line.is_empty() && line.len() + entry.len() > LONGEST {
            push_line(&mut text, indent, line.trim_end());
            line.clear();
        }
        line.push_str(entry);
        line.push_str(", ");
    }
    push_line(&mut text, indent, line.trim_end());
    text
}

/// A number that reads back as the same double in C, Python and Rust, and is never a whole number there.
pub(in crate::export) fn float(x: f64) -> String {
    format!("{x:?}")
}

pub(in crate::export) fn push_line(text: &mut String, indent: usize, line: &str) {
    text.push_str(&"    ".repeat(indent));
    text.push_str(line);
    text.push('\n');
}

/// Refuses a tree with a text that a language of zero-ended strings cannot hold.
pub(in crate::export) fn refuse_zero_bytes(tree: &Tree, what: &str) -> Result<()> {
    let schema = tree.schema();
    let features = schema.features.iter();
    let categories = features.flat_map(Feature::categories);
    match categories
        .chain(schema.classes())
        .chain(schema.features.iter().map(|feature| &feature.name))
        .find(|text| text.contains('\0'))
    {
        None => Ok(()),
        Some(text) => Err(Error::schema(format!(
            "{what} cannot hold {}, which has a zero byte",
            quoted(text)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_floats_everywhere() {
        assert_eq!(float(3.0), "3.0");
        assert_eq!(float(1e300), "1e300");
        assert_eq!(float(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(float(-1.5e-7), "-1.5e-7");
    }

    #[test]
    fn tables_break_their_lines() {
        let entries: Vec<String> = (0..100).map(|x| x.to_string()).collect();
        let text = table(&entries, 1);
        assert!(text.lines().count() > 3);
        assert!(
            text.lines()
                .all(|line| line.len() <= 102 && line.ends_with(','))
        );
    }
}
