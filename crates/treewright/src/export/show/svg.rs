//! The tree as a drawing that needs no other program.
//!
//! It grows from left to right, so that texts stay horizontal and a hundred leaves are a long page
//! rather than a wide one. A box is a node: what it asks (a leaf: what it answers), the weight of its
//! training rows, and a bar of its classes (regression: where its value lies among all). A line is as
//! thick as its share of the rows, has the colour of what its end answers, and carries the condition with
//! its exact operator. Long texts are shortened and cuts rounded to seven digits; pointing at them shows all of it.
//!
//! Colours are those of Okabe and Ito, which colour-blind people can tell apart; the seventh is followed by
//! the first. The drawing follows the reader's choice of a light or dark display, and loads nothing.

use std::fmt::Write;

use super::condition::{
    Condition, Extent, Members, amount, answer, distributes_everywhere, mse, number, word,
};
use super::dot::PALETTE;
use crate::export::exchange::xml::escaped;
use crate::tree::{Bound, Branch, MissingRoute, NodeId, Tree};

const MARGIN: f64 = 20.0;
/// Height of a box, and from one leaf to the next.
const BOX: f64 = 38.0;
const PITCH: f64 = 50.0;
/// Width of a box and of the space for conditions, at least and at most.
const BOX_WIDTH: (f64, f64) = (118.0, 230.0);
const GAP: (f64, f64) = (80.0, 230.0);
/// The line that carries all rows.
const THICKEST: f64 = 18.0;
const THINNEST: f64 = 1.5;
/// Sizes of letters.
const TITLE: f64 = 17.0;
const LABEL: f64 = 12.5;
const SMALL: f64 = 11.0;
/// Classes in the legend.
const MOST_IN_LEGEND: usize = 24;

/// Plain rules, no variables: not only browsers read them.
const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:#1f2733}\
.back{fill:#ffffff}.box{fill:#ffffff;stroke:#9aa5b4;stroke-width:1}.leaf{stroke-width:1.6}\
.title{font-size:17px;font-weight:600}.name{font-size:12.5px;font-weight:600}\
.small{font-size:11px;fill:#51607a}.condition{font-size:11px;fill:#2b3647}\
.halo{fill:#ffffff;opacity:.7}.track{fill:#e6eaf0}.line{fill:none;stroke-opacity:.5}\
@media (prefers-color-scheme:dark){text{fill:#e8ecf2}.back{fill:#12161d}.box{fill:#1c222c;stroke:#5b6778}\
.small{fill:#a3b0c4}.condition{fill:#d3dbe7}.halo{fill:#12161d}.track{fill:#333c4a}.line{stroke-opacity:.6}}";

/// The tree as an SVG document.
pub fn svg(tree: &Tree) -> String {
    let drawing = Drawing::new(tree);
    let (width, height) = (drawing.width, drawing.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
        escaped(&drawing.summary())
    );
    drawing.write_header(&mut text);
    // Lines first: boxes and conditions lie on them.
    for (id, branch) in drawing.branches() {
        drawing.write_lines(&mut text, id, branch);
    }
    for (id, branch) in drawing.branches() {
        drawing.write_conditions(&mut text, id, branch);
    }
    for id in tree.ids() {
        drawing.write_box(&mut text, id);
    }
    text.push_str("</svg>\n");
    text
}

/// One level of the tree.
#[derive(Debug, Clone, Copy, Default)]
struct Column {
    x: f64,
    box_width: f64,
    /// The space before the boxes.
    gap: f64,
}

/// Where everything is.
struct Drawing<'a> {
    tree: &'a Tree,
    columns: Vec<Column>,
    depth: Vec<usize>,
    /// The middle of every box.
    y: Vec<f64>,
    legend: Vec<LegendEntry>,
    /// Smallest and largest value of a node, for regression.
    range: (f64, f64),
    shared_everywhere: bool,
    width: f64,
    height: f64,
}

struct LegendEntry {
    x: f64,
    y: f64,
    class: usize,
    label: String,
}

impl<'a> Drawing<'a> {
    fn new(tree: &'a Tree) -> Self {
        let values = || tree.ids().map(|id| tree.value(id));
        let range = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        let mut drawing = Self {
            tree,
            columns: Vec::new(),
            depth: depths(tree),
            y: Vec::new(),
            legend: Vec::new(),
            range,
            shared_everywhere: distributes_everywhere(tree),
            width: 0.0,
            height: 0.0,
        };
        drawing.columns = drawing.measure();
        let last = drawing.columns[drawing.columns.len() - 1];
        let summary = text_width(&drawing.subtitle(), SMALL);
        drawing.width = (last.x + last.box_width).max(MARGIN + summary).max(340.0) + MARGIN;
        let top = drawing.place_legend();
        drawing.y = heights(tree, top + BOX / 2.0 + 14.0);
        let lowest = drawing.y.iter().copied().fold(0.0, f64::max);
        drawing.height = lowest + BOX / 2.0 + MARGIN;
        drawing
    }

    fn branches(&self) -> impl Iterator<Item = (NodeId, &'a Branch)> {
        let tree = self.tree;
        tree.ids()
            .filter_map(|id| tree.branch(id).map(|branch| (id, branch)))
    }

    /// Every level as wide as its texts need.
    fn measure(&self) -> Vec<Column> {
        let n_columns = self.depth.iter().max().map_or(1, |deepest| deepest + 1);
        let mut columns = vec![Column::default(); n_columns];
        for id in self.tree.ids() {
            let column = &mut columns[self.depth[id.index()]];
            let name = text_width(&self.name(id), LABEL) + text_width(&self.figures(id), SMALL);
            column.box_width = column.box_width.max(name + 34.0);
        }
        for (id, branch) in self.branches() {
            let column = &mut columns[self.depth[id.index()] + 1];
            for label in self.labels(branch) {
                column.gap = column.gap.max(text_width(&label, SMALL) + 36.0);
            }
        }
        let mut x = MARGIN;
        for column in &mut columns {
            if column.gap > 0.0 {
                column.gap = column.gap.clamp(GAP.0, GAP.1);
            }
            column.box_width = column.box_width.clamp(BOX_WIDTH.0, BOX_WIDTH.1);
            column.x = x + column.gap;
            x = column.x + column.box_width;
        }
        columns
    }

    /// Puts the classes in lines below the title; returns where the tree may begin.
    fn place_legend(&mut self) -> f64 {
        let classes = self.tree.schema().classes();
        let (mut x, mut y) = (MARGIN, MARGIN + TITLE + SMALL + 26.0);
        for (class, label) in classes.iter().take(MOST_IN_LEGEND).enumerate() {
            let label = shortened(&word(label, Extent::Short), 160.0, SMALL);
            let width = 18.0 + text_width(&label, SMALL) + 16.0;
            if x > MARGIN && x + width > self.width - MARGIN {
                (x, y) = (MARGIN, y + 18.0);
            }
            self.legend.push(LegendEntry { x, y, class, label });
            x += width;
        }
        if classes.is_empty() { y - 18.0 } else { y }
    }

    fn summary(&self) -> String {
        let target = word(&self.tree.schema().target.name, Extent::Short);
        format!("A tree that predicts {target}: {}", self.subtitle())
    }

    fn subtitle(&self) -> String {
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

    fn write_header(&self, text: &mut String) {
        let name = word(&self.tree.schema().target.name, Extent::Full);
        let y = MARGIN + TITLE - 3.0;
        write_text(
            text,
            (MARGIN, y),
            "title",
            &name,
            (self.width - 2.0 * MARGIN, TITLE),
        );
        let y = y + SMALL + 9.0;
        let _ = writeln!(
            text,
            "<text x=\"{MARGIN}\" y=\"{y:.1}\" class=\"small\">{}</text>",
            escaped(&self.subtitle())
        );
        let classes = self.tree.schema().classes();
        for entry in &self.legend {
            let (x, y) = (entry.x, entry.y);
            let _ = writeln!(
                text,
                "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{:.1}\" width=\"11\" height=\"11\" rx=\"2\" fill=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{y:.1}\" class=\"small\">{}</text></g>",
                escaped(&word(&classes[entry.class], Extent::Full)),
                y - 9.5,
                color(entry.class),
                x + 16.0,
                escaped(&entry.label)
            );
        }
        if classes.len() > self.legend.len() {
            let last = &self.legend[self.legend.len() - 1];
            let x = last.x + 18.0 + text_width(&last.label, SMALL) + 12.0;
            let more = classes.len() - self.legend.len();
            let _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{:.1}\" class=\"small\">and {more} more</text>",
                last.y
            );
        }
    }

    /// The lines to the children of a node; they leave it side by side, thick as they are.
    fn write_lines(&self, text: &mut String, id: NodeId, branch: &Branch) {
        let thickness = |child: NodeId| self.thickness(child);
        let column = self.columns[self.depth[id.index()]];
        let from_x = column.x + column.box_width;
        let all: f64 = branch.children().map(thickness).sum();
        // Very many children share the side of the box evenly.
        let squeeze = (BOX - 8.0).min(all) / all;
        let mut from_y = self.y[id.index()] - all * squeeze / 2.0;
        for child in branch.children() {
            let width = thickness(child);
            let y = from_y + width * squeeze / 2.0;
            from_y += width * squeeze;
            let to = self.columns[self.depth[child.index()]];
            let to_y = self.y[child.index()];
            // The line is level before the condition begins, or nearly so.
            let (turn, level) = (from_x + to.gap * 0.2, from_x + to.gap * 0.4);
            let _ = writeln!(
                text,
                "<path class=\"line\" d=\"M{from_x:.1} {y:.1}C{turn:.1} {y:.1} {turn:.1} {to_y:.1} {level:.1} {to_y:.1}H{:.1}\" \
                 stroke=\"{}\" stroke-width=\"{width:.1}\"/>",
                to.x,
                self.color_of(child)
            );
        }
    }

    /// How thick the line to a node is.
    fn thickness(&self, id: NodeId) -> f64 {
        let total = self.tree.weight(NodeId::ROOT);
        let share = if total > 0.0 {
            self.tree.weight(id) / total
        } else {
            0.0
        };
        (share * THICKEST).max(THINNEST)
    }

    fn write_conditions(&self, text: &mut String, id: NodeId, branch: &Branch) {
        let schema = self.tree.schema();
        let members = Members::new(branch);
        let feature = word(&schema.features[branch.split.feature()].name, Extent::Full);
        for (position, label) in self.labels(branch).into_iter().enumerate() {
            let child = branch.child(position);
            let column = self.columns[self.depth[child.index()]];
            let label = shortened(&label, column.gap - 24.0, SMALL);
            let width = text_width(&label, SMALL) + 8.0;
            let above = self.thickness(child) / 2.0 + 8.0;
            let (x, y) = (column.x - 4.0, self.y[child.index()] - above);
            let condition = Condition::of(schema, branch, &members, position, Extent::Full);
            let also = takes_missing(branch, position);
            let _ = writeln!(
                text,
                "<g><title>{}{}</title><rect class=\"halo\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\" rx=\"3\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" class=\"condition\" text-anchor=\"end\">{}</text></g>",
                escaped(&condition.text(&feature)),
                if also { " or missing" } else { "" },
                x - width,
                y - 7.0,
                x - 4.0,
                y + 3.8,
                escaped(&label)
            );
        }
        if branch.missing == MissingRoute::Distribute && !self.shared_everywhere {
            let column = self.columns[self.depth[id.index()]];
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" class=\"small\" style=\"font-size:9px\">missing: to all, by weight</text>",
                column.x + 4.0,
                self.y[id.index()] + BOX / 2.0 + 9.5
            );
        }
    }

    /// The conditions of all children, without the name of the feature.
    fn labels(&self, branch: &Branch) -> Vec<String> {
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

    fn write_box(&self, text: &mut String, id: NodeId) {
        let column = self.columns[self.depth[id.index()]];
        let (x, y) = (column.x, self.y[id.index()] - BOX / 2.0);
        let figures = self.figures(id);
        let room = column.box_width - text_width(&figures, SMALL) - 26.0;
        let name = shortened(&self.name(id), room, LABEL);
        let width = column.box_width;
        let is_leaf = self.tree.is_leaf(id);
        let (class, stroke) = if is_leaf {
            (
                "box leaf",
                format!(" style=\"stroke:{}\"", self.color_of(id)),
            )
        } else {
            ("box", String::new())
        };
        let _ = writeln!(
            text,
            "<g><title>{}</title><rect class=\"{class}\"{stroke} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{BOX}\" rx=\"6\"/>",
            escaped(&self.details(id))
        );
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"name\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" class=\"small\" text-anchor=\"end\">{}</text>",
            x + 9.0,
            y + 17.5,
            escaped(&name),
            x + width - 9.0,
            y + 17.5,
            escaped(&figures)
        );
        self.write_bar(text, id, (x + 9.0, y + 25.0), width - 18.0);
        text.push_str("</g>\n");
    }

    /// The shares of the classes, or where a number lies among all.
    fn write_bar(&self, text: &mut String, id: NodeId, (x, y): (f64, f64), width: f64) {
        let _ = write!(
            text,
            "<rect class=\"track\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"6\" rx=\"1.5\"/>"
        );
        if self.tree.schema().is_classification() {
            let total = self.tree.weight(id);
            let mut from = x;
            for (class, count) in self.tree.counts(id).iter().enumerate() {
                let part = if total > 0.0 {
                    width * count / total
                } else {
                    0.0
                };
                if part >= 0.05 {
                    let _ = write!(
                        text,
                        "<rect x=\"{from:.1}\" y=\"{y:.1}\" width=\"{part:.1}\" height=\"6\" fill=\"{}\"/>",
                        color(class)
                    );
                }
                from += part;
            }
        } else {
            let (low, high) = self.range;
            let place = if high > low {
                (self.tree.value(id) - low) / (high - low)
            } else {
                0.5
            };
            let _ = write!(
                text,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"6\" rx=\"1.5\" fill=\"{}\"/>",
                (width * place).max(2.0),
                self.color_of(id)
            );
        }
        text.push('\n');
    }

    /// What a node asks, or what a leaf answers.
    fn name(&self, id: NodeId) -> String {
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
    fn figures(&self, id: NodeId) -> String {
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
    fn details(&self, id: NodeId) -> String {
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

    fn color_of(&self, id: NodeId) -> &'static str {
        if self.tree.schema().is_classification() {
            color(self.tree.value(id) as usize)
        } else {
            PALETTE[4]
        }
    }
}

/// Does a child that present values reach also take the missing ones?
fn takes_missing(branch: &Branch, position: usize) -> bool {
    branch.missing == MissingRoute::Child(position as u32)
        && branch.missing_only() != Some(position)
}

/// One text, with all of it in a tooltip where it is cut.
fn write_text(text: &mut String, at: (f64, f64), class: &str, full: &str, room: (f64, f64)) {
    let short = shortened(full, room.0, room.1);
    let title = if short == full {
        String::new()
    } else {
        format!("<title>{}</title>", escaped(full))
    };
    let (x, y) = at;
    let _ = writeln!(
        text,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{title}{}</text>",
        escaped(&short)
    );
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

fn color(class: usize) -> &'static str {
    PALETTE[class % PALETTE.len()]
}

fn depths(tree: &Tree) -> Vec<usize> {
    let mut depth = vec![0; tree.n_nodes()];
    for id in tree.ids() {
        for child in tree.branch(id).into_iter().flat_map(Branch::children) {
            depth[child.index()] = depth[id.index()] + 1;
        }
    }
    depth
}

/// Leaves below each other in the order of the tree, a branch in the middle of its children.
fn heights(tree: &Tree, top: f64) -> Vec<f64> {
    let mut y = vec![0.0; tree.n_nodes()];
    let mut next = top;
    let mut stack = vec![NodeId::ROOT];
    while let Some(id) = stack.pop() {
        match tree.branch(id) {
            None => {
                y[id.index()] = next;
                next += PITCH;
            }
            Some(branch) => stack.extend(branch.children().rev()),
        }
    }
    for id in tree.ids().rev() {
        if let Some(branch) = tree.branch(id) {
            let last = branch.child(branch.n_children as usize - 1);
            y[id.index()] = f64::midpoint(y[branch.first_child.index()], y[last.index()]);
        }
    }
    y
}

/// About how wide a text is; on the safe side for common fonts.
fn text_width(text: &str, size: f64) -> f64 {
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
fn shortened(text: &str, room: f64, size: f64) -> String {
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
    use crate::export::samples;

    #[test]
    fn boxes_of_a_level_do_not_touch() {
        for tree in [samples::every_kind(), samples::iris(), samples::chain(60)] {
            let drawing = Drawing::new(&tree);
            for a in tree.ids() {
                for b in tree.ids().filter(|&b| b > a) {
                    if drawing.depth[a.index()] == drawing.depth[b.index()] {
                        let apart = (drawing.y[a.index()] - drawing.y[b.index()]).abs();
                        assert!(apart >= PITCH - 1e-9, "{a:?} and {b:?} are {apart} apart");
                    }
                }
                assert!(drawing.y[a.index()] + BOX / 2.0 < drawing.height);
                let column = drawing.columns[drawing.depth[a.index()]];
                assert!(column.x + column.box_width < drawing.width);
            }
        }
    }

    #[test]
    fn operators_are_exact() {
        let text = svg(&samples::numbers());
        for label in ["&lt; 2 or missing", "&gt;= 2 and &lt; 1e20", "&gt;= 1e20"] {
            assert!(
                text.contains(&format!(">{label}</text>")),
                "{label} in {text}"
            );
        }
        let text = svg(&samples::iris());
        assert!(text.contains(">&lt;= 2.45</text>"), "{text}");
        assert!(text.contains(">&gt; 2.45</text>"));
    }

    #[test]
    fn names_cannot_break_out() {
        let text = svg(&samples::hostile_names());
        assert!(text.contains("&amp;lt;"));
        assert!(!text.contains('\u{1b}'));
        assert_eq!(text.matches("<svg").count(), 1);
    }

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

    #[test]
    fn a_single_leaf_is_a_drawing() {
        assert!(svg(&samples::leaf()).contains(">yes</text>"));
    }
}
