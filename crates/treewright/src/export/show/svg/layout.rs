//! Where everything is in the drawing: levels from left to right, leaves below each other.

use super::texts::{shortened, text_width};
use crate::export::show::condition::{Extent, distributes_everywhere, word};
use crate::tree::{Branch, NodeId, Tree};

pub(super) const MARGIN: f64 = 20.0;
/// Height of a box, and from one leaf to the next.
pub(super) const BOX: f64 = 38.0;
const PITCH: f64 = 50.0;
/// Width of a box and of the space for conditions, at least and at most.
const BOX_WIDTH: (f64, f64) = (118.0, 230.0);
const GAP: (f64, f64) = (80.0, 230.0);
/// Sizes of letters.
pub(super) const TITLE: f64 = 17.0;
pub(super) const LABEL: f64 = 12.5;
pub(super) const SMALL: f64 = 11.0;
/// Classes in the legend.
pub(super) const MOST_IN_LEGEND: usize = 24;

/// One level of the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Column {
    pub(super) x: f64,
    pub(super) box_width: f64,
    /// The space before the boxes.
    pub(super) gap: f64,
}

/// Where everything is.
pub(super) struct Drawing<'a> {
    pub(super) tree: &'a Tree,
    pub(super) columns: Vec<Column>,
    pub(super) depth: Vec<usize>,
    /// The middle of every box.
    pub(super) y: Vec<f64>,
    pub(super) legend: Vec<LegendEntry>,
    /// Smallest and largest value of a node, for regression.
    pub(super) range: (f64, f64),
    pub(super) shared_everywhere: bool,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) struct LegendEntry {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) class: usize,
    pub(super) label: String,
}

impl<'a> Drawing<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
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

    pub(super) fn branches(&self) -> impl Iterator<Item = (NodeId, &'a Branch)> {
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
}
