//! Which tree is good enough, and how much of the others fits a page.

use super::MOST_LEAVES;
use crate::eval::{Entry, Section};

/// A report stays below two megabytes: nodes of all trees together take about this many bytes at most.
const MOST_NODE_BYTES: usize = 1_000_000;

/// Lets the largest trees go until what is left fits a page.
pub(super) fn shorten(sections: &mut [Section], n_classes: usize) {
    let per_node = 90 + 7 * n_classes;
    let mut left = MOST_NODE_BYTES;
    for section in &*sections {
        if let Some(trunk) = &section.trunk {
            left = left.saturating_sub(trunk.tree.n_nodes() * per_node);
        }
    }
    let start = good_enough(sections);
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

/// The smallest tree whose error on rows left out is within one standard error of the least of all. Without any
/// such errors, the largest of the first section that is shown.
pub(super) fn good_enough(sections: &[Section]) -> (usize, usize) {
    let all = || {
        sections.iter().enumerate().flat_map(|(at, section)| {
            let entries = section.entries.iter().enumerate();
            entries.map(move |(place, entry)| (at, place, entry))
        })
    };
    let validated = all().filter_map(|(_, _, entry)| entry.validated);
    let least = validated.min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((error, se)) = least else {
        let entries = sections.first().map_or(&[][..], |section| &section.entries);
        let is_shown = |entry: &Entry| entry.tree.is_some() && entry.leaves <= MOST_LEAVES;
        return (0, entries.iter().rposition(is_shown).unwrap_or(0));
    };
    let is_good = |entry: &Entry| entry.validated.is_some_and(|(own, _)| own <= error + se);
    all()
        .filter(|(_, _, entry)| is_good(entry))
        .min_by(|(_, _, a), (_, _, b)| {
            let errors = |entry: &Entry| entry.validated.map_or(f64::INFINITY, |it| it.0);
            let by_leaves = a.leaves.cmp(&b.leaves);
            by_leaves.then(errors(a).total_cmp(&errors(b)))
        })
        .map_or((0, 0), |(at, place, _)| (at, place))
}
