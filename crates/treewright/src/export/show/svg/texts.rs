//! What is written in the drawing, and how wide it is.

use super::layout::{Drawing, MOST_IN_LEGEND};
use crate::export::show::condition::{
    Condition, Extent, Members, amount, answer, mse, number, word,
};
use crate::tree::{Bound, Branch, MissingRoute, NodeId};

impl Drawing<'_> {
    pub(super) fn summary(&self) -> String {
        let target = word(&self.tree.schema().target.name, Extent::Short);
        format!("A tree that predicts {target}: {}", self.subtitle())
    }

    pub(super) fn subtitle(&self) -> String {
        let tree = self.tree;
        let mut text = format!(
            "weight of rows {}, leaves {}, depth {}",
            amount(tree.weight(NodeId::ROOT)),
            tree.n_leaves(),
            tree.depth()
        );
        if self.shared_everywhere {
            text.push_str("; missing values go to all branches, by weight");
        }
        text
    }

    /// The conditions of all children, without the name of the feature.
    pub(super) fn labels(&self, branch: &Branch) -> Vec<String> {
        let members = Members::new(branch);
        (0..branch.n_children as usize)
            .map(|position| {
                let schema = self.tree.schema();
                let condition = Condition::of(schema, branch, &members, position, Extent::Short);
                let mut label = match condition {
                    Condition::Numeric(..) => {
                        let (lower, upper) = branch.split.bounds(position);
                        interval(lower, upper)
                    }
                    Condition::Categories(set) => set,
                    Condition::Missing => "missing".into(),
                };
                if takes_missing(branch, position) {
                    label.push_str(" or missing");
                }
                label
            })
            .collect()
    }

    /// What a node asks, or what a leaf answers.
    pub(super) fn name(&self, id: NodeId) -> String {
        match self.tree.branch(id) {
            None => self.short_answer(id),
            Some(branch) => {
                let feature = &self.tree.schema().features[branch.split.feature()];
                word(&feature.name, Extent::Short)
            }
        }
    }

    fn short_answer(&self, id: NodeId) -> String {
        if self.tree.schema().is_classification() {
            answer(self.tree, id, Extent::Short)
        } else {
            amount(self.tree.value(id))
        }
    }

    /// The weight of a node's rows and, in a leaf, of the wrong ones.
    pub(super) fn figures(&self, id: NodeId) -> String {
        let weight = amount(self.tree.weight(id));
        let errors = if self.tree.schema().is_classification() {
            self.tree.errors(id)
        } else {
            0.0
        };
        if self.tree.is_leaf(id) && errors > 0.0 {
            format!("{weight}, {} wrong", amount(errors))
        } else {
            weight
        }
    }

    /// Everything about a node, line by line.
    pub(super) fn details(&self, id: NodeId) -> String {
        let tree = self.tree;
        let schema = tree.schema();
        let mut lines = Vec::new();
        if let Some(branch) = tree.branch(id) {
            let feature = &schema.features[branch.split.feature()];
            lines.push(format!("asks for {}", word(&feature.name, Extent::Full)));
            if branch.missing == MissingRoute::Distribute {
                lines.push("missing values go to all branches, by weight".into());
            }
        }
        let verb = if tree.is_leaf(id) {
            "answers"
        } else {
            "would answer"
        };
        lines.push(format!("{verb} {}", answer(tree, id, Extent::Full)));
        lines.push(format!("weight of rows {}", amount(tree.weight(id))));
        match mse(tree, id) {
            _ if schema.is_classification() => {
                let counts = tree.counts(id).iter().zip(schema.classes());
                let counts = counts.filter(|&(count, _)| *count > 0.0);
                for (count, class) in counts.take(MOST_IN_LEGEND) {
                    lines.push(format!("{}: {}", word(class, Extent::Full), amount(*count)));
                }
            }
            Some(mse) => lines.push(format!("mean squared error {}", amount(mse))),
            None => {}
        }
        lines.join("\n")
    }
}

/// Does a child that present values reach also take the missing ones?
pub(super) fn takes_missing(branch: &Branch, position: usize) -> bool {
    branch.missing == MissingRoute::Child(position as u32)
        && branch.missing_only() != Some(position)
}

/// The interval of a child, without its feature.
fn interval(lower: Option<Bound>, upper: Option<Bound>) -> String {
    let sign = |bound: Bound, strict: &str| {
        let equal = if bound.included { "=" } else { "" };
        format!("{strict}{equal} {}", rounded(bound.cut))
    };
    match (lower, upper) {
        (None, None) => "known".into(),
        (Some(low), None) => sign(low, ">"),
        (None, Some(high)) => sign(high, "<"),
        (Some(low), Some(high)) => format!("{} and {}", sign(low, ">"), sign(high, "<")),
    }
}

/// A cut to seven digits; the tooltip has it in full.
fn rounded(x: f64) -> String {
    format!("{x:.6e}")
        .parse()
        .map_or_else(|_| number(x), number)
}

/// About how wide a text is; on the safe side for common fonts.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let width = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | '.' | ',' | '\'' | '|' | ' ' | ':' | ';' | '!' | 'I' => 0.37,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        '<' | '>' | '=' | '+' | '_' => 0.64,
        'A'..='Z' => 0.7,
        c if c.is_ascii() => 0.61,
        // Scripts of the Far East and pictures have broad characters.
        c if u32::from(c) >= 0x1100 => 1.05,
        _ => 0.66,
    };
    text.chars().map(width).sum::<f64>() * size
}

/// A text that fits into a width, cut in the end if it must be.
pub(super) fn shortened(text: &str, room: f64, size: f64) -> String {
    if text_width(text, size) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if text_width(&short, size) + 0.9 * size > room {
            short.pop();
            break;
        }
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        let long = "x".repeat(200);
        let short = shortened(&long, 100.0, 12.0);
        assert!(
            short.ends_with('…') && text_width(&short, 12.0) <= 112.0,
            "{short}"
        );
        assert_eq!(shortened("short", 100.0, 12.0), "short");
    }
}
