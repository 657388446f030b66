//! The tree for Graphviz.
//!
//! A node shows the feature it asks about (a leaf: its answer), its counts and what it would answer; an
//! edge shows its condition. Leaves are filled in the colour of their class, inner nodes have it as
//! border; the colours are those of Okabe and Ito, which colour-blind people can tell apart. There are
//! seven of them: the eighth class starts over.

use super::condition::{Condition, Extent, Members, amount, answer, mse, word};
use crate::tree::{Branch, MissingRoute, NodeId, Tree};

/// The palette of Okabe and Ito (2008) without black, which is for text.
pub(in crate::export) const PALETTE: [&str; 7] = [
    "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
];
/// Counts that are written out.
const MOST_COUNTS: usize = 8;

/// The tree as a Graphviz document.
pub fn dot(tree: &Tree) -> String {
    let mut text = String::from(
        "digraph tree {\n  \
         node [shape=box, style=\"filled,rounded\", fillcolor=\"white\", fontname=\"sans-serif\"];\n  \
         edge [fontname=\"sans-serif\"];\n",
    );
    for id in tree.ids() {
        text.push_str(&node(tree, id));
        if let Some(branch) = tree.branch(id) {
            let members = Members::new(branch);
            for position in 0..branch.n_children as usize {
                text.push_str(&edge(tree, id, branch, &members, position));
            }
        }
    }
    text.push_str("}\n");
    text
}

fn node(tree: &Tree, id: NodeId) -> String {
    let color = if tree.schema().is_classification() {
        PALETTE[tree.value(id) as usize % PALETTE.len()]
    } else {
        PALETTE[1]
    };
    // Two more digits are the opacity: text stays readable on a pale fill.
    let fill = match tree.branch(id) {
        None => format!(", fillcolor=\"{color}40\""),
        Some(_) => String::new(),
    };
    let label: Vec<String> = node_label(tree, id).iter().map(|l| escaped(l)).collect();
    format!(
        "  {} [label=\"{}\", color=\"{color}\"{fill}];\n",
        id.0,
        label.join("\\n")
    )
}

fn node_label(tree: &Tree, id: NodeId) -> Vec<String> {
    let mut label = Vec::new();
    let value = answer(tree, id, Extent::Short);
    match tree.branch(id) {
        None => label.extend([value, counts(tree, id)]),
        Some(branch) => {
            let feature = &tree.schema().features[branch.split.feature()];
            label.extend([word(&feature.name, Extent::Short), counts(tree, id), value]);
            if branch.missing == MissingRoute::Distribute {
                label.push("missing: distributed".into());
            }
        }
    }
    label
}

fn counts(tree: &Tree, id: NodeId) -> String {
    if let Some(moments) = tree.moments(id) {
        let weight = amount(moments.weight);
        return match mse(tree, id) {
            Some(mse) => format!("n {weight}, mse {}", amount(mse)),
            None => format!("n {weight}"),
        };
    }
    let counts = tree.counts(id);
    let mut words: Vec<String> = counts
        .iter()
        .take(MOST_COUNTS)
        .map(|&count| amount(count))
        .collect();
    if counts.len() > MOST_COUNTS {
        words.push(format!("... {} more", counts.len() - MOST_COUNTS));
    }
    words.join(", ")
}

fn edge(tree: &Tree, id: NodeId, branch: &Branch, members: &Members, position: usize) -> String {
    let schema = tree.schema();
    let name = word(&schema.features[branch.split.feature()].name, Extent::Short);
    let condition = Condition::of(schema, branch, members, position, Extent::Short);
    let takes_missing = branch.missing == MissingRoute::Child(position as u32);
    let note = if takes_missing && condition != Condition::Missing {
        " (missing too)"
    } else {
        ""
    };
    let label = escaped(&condition.text(&name));
    let child = branch.child(position).0;
    format!("  {} -> {child} [label=\"{label}{note}\"];\n", id.0)
}

/// Text for a quoted label: Graphviz reads backslashes and HTML entities in it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

    #[test]
    fn a_greedy_tree() {
        assert_eq!(
            dot(&samples::iris()),
            r##"digraph tree {
  node [shape=box, style="filled,rounded", fillcolor="white", fontname="sans-serif"];
  edge [fontname="sans-serif"];
  0 [label="petal_length\n50, 50, 50\nsetosa\nmissing: distributed", color="#E69F00"];
  0 -> 1 [label="petal_length <= 2.45"];
  0 -> 2 [label="petal_length > 2.45"];
  1 [label="setosa\n50, 0, 0", color="#E69F00", fillcolor="#E69F0040"];
  2 [label="petal_width\n0, 50, 50\nversicolor\nmissing: distributed", color="#56B4E9"];
  2 -> 3 [label="petal_width <= 1.75"];
  2 -> 4 [label="petal_width > 1.75"];
  3 [label="versicolor\n0, 49, 5", color="#56B4E9", fillcolor="#56B4E940"];
  4 [label="virginica\n0, 1, 45", color="#009E73", fillcolor="#009E7340"];
}
"##
        );
    }

    #[test]
    fn numbers() {
        assert_eq!(
            dot(&samples::numbers()),
            r##"digraph tree {
  node [shape=box, style="filled,rounded", fillcolor="white", fontname="sans-serif"];
  edge [fontname="sans-serif"];
  0 [label="x\nn 4, mse 1.25\n2.5", color="#56B4E9"];
  0 -> 1 [label="x < 2 (missing too)"];
  0 -> 2 [label="2 <= x < 1e20"];
  0 -> 3 [label="x >= 1e20"];
  1 [label="1.5\nn 2, mse 0.25", color="#56B4E9", fillcolor="#56B4E940"];
  2 [label="3.5\nn 2, mse 0.25", color="#56B4E9", fillcolor="#56B4E940"];
  3 [label="2.5\nn 0", color="#56B4E9", fillcolor="#56B4E940"];
}
"##
        );
    }

    #[test]
    fn names_cannot_break_out() {
        let text = dot(&samples::hostile_names());
        assert_eq!(text.lines().count(), 9, "{text}");
        assert!(text.contains(r#"0 -> 1 [label="\"a\\\"]; x [\\\\\" = &amp;lt;"];"#));
        assert!(text.contains(r#"= b\\nc (missing too)"];"#));
        assert!(!text.contains('\u{1b}'));
    }
}
