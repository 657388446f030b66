//! The tree as indented text for people.
//!
//! ```text
//! species  (150/100)  (missing: distributed everywhere)
//! ├─ petal_length <= 2.45 -> setosa  (50)
//! └─ petal_length > 2.45
//!    ├─ petal_width <= 1.75 -> versicolor  (54/5)
//!    └─ petal_width > 1.75 -> virginica  (46/1)
//! ```
//!
//! The first line is the root: the target, the weight of the training rows and of those that the root
//! itself would answer wrongly. Every other line is a condition with its exact operator; a leaf goes on
//! with its answer, the weight of its rows and, after a slash, of the wrong ones. In regression these are
//! the weight and the mean squared error.
//!
//! `(missing too)` marks the child that takes missing values and categories its parent never saw,
//! `(missing sex: distributed)` a node that asks for `sex` and sends them to all its children. Cuts and answers are printed so
//! that they read back as the same number, weights to four digits. Long names and sets are cut, control
//! characters are escaped.
//!
//! Guides show the last 32 levels. A line further down starts with its depth instead of the
//! guides above them, so the text of a very deep tree does not grow with the square of its depth.

use std::fmt;
use std::rc::Rc;

use super::condition::{
    Condition, Extent, Members, amount, answer, distributes_everywhere, mse, word,
};
use crate::tree::{Branch, MissingRoute, NodeId, Tree};

/// Levels that are drawn as guides.
const MOST_GUIDES: usize = 32;

/// One line of text, in pieces that may be coloured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The pieces, from left to right.
    pub segments: Vec<(Style, String)>,
}

/// What a piece of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Lines that show the structure.
    Guide,
    /// The name of a feature or of the target.
    Name,
    /// What a condition asks of a feature.
    Condition,
    /// Space and arrows.
    Plain,
    /// The class with this index, as an answer.
    Class(usize),
    /// A number, as an answer.
    Number,
    /// Weights and errors.
    Figures,
    /// Where missing values go.
    Note,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments
            .iter()
            .try_for_each(|(_, text)| f.write_str(text))
    }
}

impl Line {
    fn push(&mut self, style: Style, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.segments.push((style, text));
        }
    }
}

/// The tree as plain text, every line with its end.
pub fn plain(tree: &Tree) -> String {
    let mut text = String::new();
    for line in lines(tree) {
        for (_, piece) in &line.segments {
            text.push_str(piece);
        }
        text.push('\n');
    }
    text
}

/// The tree line by line, parents before their children.
pub fn lines(tree: &Tree) -> Vec<Line> {
    lines_at(tree, Extent::Short)
}

/// The same with rounded cuts and answers, for a screen: they do not read back.
pub fn screen_lines(tree: &Tree) -> Vec<Line> {
    lines_at(tree, Extent::Screen)
}

fn lines_at(tree: &Tree, extent: Extent) -> Vec<Line> {
    let everywhere = distributes_everywhere(tree);
    let digits = tree.depth().to_string().len();
    let mut lines = vec![root_line(tree, everywhere, extent)];
    // For every level of the current way: is its node the last of its siblings?
    let mut is_last: Vec<bool> = Vec::new();
    let mut stack = Vec::new();
    push_children(&mut stack, tree, NodeId::ROOT, 1);
    while let Some(Pending {
        branch,
        members,
        position,
        depth,
    }) = stack.pop()
    {
        is_last.truncate(depth - 1);
        is_last.push(position + 1 == branch.n_children as usize);
        let mut line = Line::default();
        line.push(Style::Guide, guides(&is_last, digits));
        push_condition(&mut line, tree, branch, &members, position, extent);
        let child = branch.child(position);
        match tree.branch(child) {
            Some(below) if everywhere || below.missing != MissingRoute::Distribute => {}
            Some(below) => push_distributed(&mut line, tree, below),
            None => push_answer(&mut line, tree, child, extent),
        }
        lines.push(line);
        push_children(&mut stack, tree, child, depth + 1);
    }
    lines
}

/// A child whose line is still to be written.
struct Pending<'a> {
    branch: &'a Branch,
    members: Rc<Members>,
    position: usize,
    depth: usize,
}

fn push_children<'a>(stack: &mut Vec<Pending<'a>>, tree: &'a Tree, id: NodeId, depth: usize) {
    if let Some(branch) = tree.branch(id) {
        let members = Rc::new(Members::new(branch));
        let positions = (0..branch.n_children as usize).rev();
        stack.extend(positions.map(|position| Pending {
            branch,
            members: Rc::clone(&members),
            position,
            depth,
        }));
    }
}

fn root_line(tree: &Tree, everywhere: bool, extent: Extent) -> Line {
    let mut line = Line::default();
    line.push(Style::Name, word(&tree.schema().target.name, Extent::Short));
    match tree.branch(NodeId::ROOT) {
        None => push_answer(&mut line, tree, NodeId::ROOT, extent),
        Some(branch) => {
            line.push(Style::Figures, format!("  {}", figures(tree, NodeId::ROOT)));
            if everywhere {
                line.push(Style::Note, "  (missing: distributed everywhere)");
            } else if branch.missing == MissingRoute::Distribute {
                push_distributed(&mut line, tree, branch);
            }
        }
    }
    line
}

fn push_distributed(line: &mut Line, tree: &Tree, branch: &Branch) {
    let name = feature_name(tree, branch);
    line.push(Style::Note, format!("  (missing {name}: distributed)"));
}

fn feature_name(tree: &Tree, branch: &Branch) -> String {
    let feature = &tree.schema().features[branch.split.feature()];
    word(&feature.name, Extent::Short)
}

/// The guides in front of a line, given which levels of its way are done after it.
fn guides(is_last: &[bool], digits: usize) -> String {
    let depth = is_last.len();
    let hidden = depth.saturating_sub(MOST_GUIDES);
    let mut text = String::new();
    if hidden > 0 {
        text = format!("{depth:>digits$}… ");
    }
    for &done in &is_last[hidden..depth - 1] {
        text.push_str(if done { "   " } else { "│  " });
    }
    text.push_str(if is_last[depth - 1] {
        "└─ "
    } else {
        "├─ "
    });
    text
}

fn push_condition(
    line: &mut Line,
    tree: &Tree,
    branch: &Branch,
    members: &Members,
    position: usize,
    extent: Extent,
) {
    let name = feature_name(tree, branch);
    match Condition::of(tree.schema(), branch, members, position, extent) {
        Condition::Numeric(before, after) => {
            line.push(Style::Condition, before);
            line.push(Style::Name, name);
            line.push(Style::Condition, after);
        }
        Condition::Categories(set) => {
            line.push(Style::Name, name);
            line.push(Style::Condition, format!(" {set}"));
        }
        Condition::Missing => {
            line.push(Style::Name, name);
            line.push(Style::Condition, " missing");
            return;
        }
    }
    if branch.missing == MissingRoute::Child(position as u32) {
        line.push(Style::Note, " (missing too)");
    }
}

fn push_answer(line: &mut Line, tree: &Tree, id: NodeId, extent: Extent) {
    let style = if tree.schema().is_classification() {
        Style::Class(tree.value(id) as usize)
    } else {
        Style::Number
    };
    line.push(Style::Plain, " -> ");
    line.push(style, answer(tree, id, extent));
    line.push(Style::Figures, format!("  {}", figures(tree, id)));
}

/// `(38/3)`, or `(n 20, mse 0.4)` in regression.
fn figures(tree: &Tree, id: NodeId) -> String {
    let weight = amount(tree.weight(id));
    if tree.schema().is_classification() {
        return match tree.errors(id) {
            0.0 => format!("({weight})"),
            errors => format!("({weight}/{})", amount(errors)),
        };
    }
    match mse(tree, id) {
        Some(mse) => format!("(n {weight}, mse {})", amount(mse)),
        None => format!("(n {weight})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn a_greedy_tree() {
        assert_eq!(
            plain(&samples::iris()),
            "\
species  (150/100)  (missing: distributed everywhere)
├─ petal_length <= 2.45 -> setosa  (50)
└─ petal_length > 2.45
   ├─ petal_width <= 1.75 -> versicolor  (54/5)
   └─ petal_width > 1.75 -> virginica  (46/1)
"
        );
    }

    #[test]
    fn every_kind_of_question() {
        assert_eq!(
            plain(&samples::every_kind()),
            "\
class  (20/11)
├─ age known
│  ├─ age < 18.5 (missing too)  (missing sex: distributed)
│  │  ├─ sex = f -> no  (5.25/0.25)
│  │  └─ sex = m -> yes  (3.75)
│  └─ age >= 18.5
│     ├─ \"size, cm\" < -1 -> no  (1)
│     ├─ -1 <= \"size, cm\" < 0 -> yes  (2)
│     ├─ 0 <= \"size, cm\" < 1e300 -> no  (3)
│     ├─ \"size, cm\" >= 1e300 -> no  (0)
│     └─ \"size, cm\" missing -> yes  (2)
└─ age missing
   ├─ sex = x -> no  (2)
   └─ sex = f (missing too) -> yes  (1)
",
        );
    }

    #[test]
    fn numbers() {
        assert_eq!(
            plain(&samples::numbers()),
            "\
price  (n 4, mse 1.25)
├─ x < 2 (missing too) -> 1.5  (n 2, mse 0.25)
├─ 2 <= x < 1e20 -> 3.5  (n 2, mse 0.25)
└─ x >= 1e20 -> 2.5  (n 0)
"
        );
    }

    #[test]
    fn a_single_leaf() {
        assert_eq!(plain(&samples::leaf()), "class -> yes  (5/2)\n");
    }

    #[test]
    fn pieces_tell_what_they_are() {
        let line = &lines(&samples::iris())[1];
        assert_eq!(
            line.segments,
            [
                (Style::Guide, "├─ ".to_owned()),
                (Style::Name, "petal_length".to_owned()),
                (Style::Condition, " <= 2.45".to_owned()),
                (Style::Plain, " -> ".to_owned()),
                (Style::Class(0), "setosa".to_owned()),
                (Style::Figures, "  (50)".to_owned()),
            ]
        );
        assert_eq!(line.to_string(), "├─ petal_length <= 2.45 -> setosa  (50)");
    }

    #[test]
    fn a_very_deep_tree_is_printed_in_little_space() {
        let text = plain(&samples::chain(100_000));
        assert_eq!(text.lines().count(), 200_001);
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("100000…  "), "{last}");
        assert!(last.trim_end().ends_with("(1)"), "{last}");
        assert!(text.lines().all(|line| line.chars().count() < 200));
    }
}
