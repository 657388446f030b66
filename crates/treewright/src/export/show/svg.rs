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

mod layout;
mod texts;

use std::fmt::Write;

use self::layout::{BOX, Drawing, LABEL, MARGIN, SMALL, TITLE};
use self::texts::{shortened, takes_missing, text_width};
use super::condition::{Condition, Extent, Members, word};
use super::dot::PALETTE;
use crate::export::exchange::xml::escaped;
use crate::tree::{Branch, MissingRoute, NodeId, Tree};

/// The line that carries all rows.
const THICKEST: f64 = 18.0;
const THINNEST: f64 = 1.5;
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

impl Drawing<'_> {
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

    fn color_of(&self, id: NodeId) -> &'static str {
        if self.tree.schema().is_classification() {
            color(self.tree.value(id) as usize)
        } else {
            PALETTE[4]
        }
    }
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

fn color(class: usize) -> &'static str {
    PALETTE[class % PALETTE.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples;

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
    fn a_single_leaf_is_a_drawing() {
        assert!(svg(&samples::leaf()).contains(">yes</text>"));
    }
}
