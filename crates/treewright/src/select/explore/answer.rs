//! Which tree to look at first, and how much of the others fits a page.

use super::MOST_LEAVES;
use crate::eval::{Entry, Report, Section};

/// A report stays below two megabytes: nodes of all trees together take about this many bytes at most.
const MOST_NODE_BYTES: usize = 1_000_000;

/// Lets the largest trees go until what is left fits a page.
pub(super) fn shorten(sections: &mut [Section], start: (usize, usize), n_classes: usize) {
    let per_node = 90 + 7 * n_classes;
    let mut left = MOST_NODE_BYTES;
    for section in &*sections {
        if let Some(trunk) = &section.trunk {
            left = left.saturating_sub(trunk.tree.n_nodes() * per_node);
        }
    }
    let mut own: Vec<(bool, usize, usize, usize)> = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        let in_trunk = section.trunk.as_ref().map_or(0, |it| it.tree.n_leaves());
        for (place, entry) in section.entries.iter().enumerate() {
            if let Some(tree) = entry.tree.as_ref().filter(|_| entry.leaves > in_trunk) {
                let is_chosen = (at, place) == start
                    || section
                        .chosen
                        .is_some_and(|it| it.min == place || it.one_se == place);
                own.push((!is_chosen, tree.n_nodes(), at, place));
            }
        }
    }
    // The chosen ones first, then the smallest.
    own.sort_unstable();
    for (_, n_nodes, at, place) in own {
        match left.checked_sub(n_nodes * per_node) {
            Some(rest) => left = rest,
            None => sections[at].entries[place].tree = None,
        }
    }
}

/// The tree that is good enough. Without errors on rows left out, the largest of the first section that is shown.
pub(super) fn start(report: &Report) -> (usize, usize) {
    report.good_enough().unwrap_or_else(|| {
        let entries = report.sections.first().map_or(&[][..], |it| &it.entries);
        let is_shown = |entry: &Entry| entry.tree.is_some() && entry.leaves <= MOST_LEAVES;
        (0, entries.iter().rposition(is_shown).unwrap_or(0))
    })
}
