//! Rows of the same class that no split can tell apart.

use rustc_hash::FxHashMap;

use crate::data::{Dataset, Target};

/// Rows of the same class that no split can tell apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bundle {
    /// One of them.
    pub(crate) row: u32,
    pub(crate) class: u32,
    /// The weight of all.
    pub(crate) weight: f64,
}

/// All rows, those of one group and class together; without groups all rows by themselves. Sums of weights that
/// are not whole depend on their order, so such rows stay alone.
pub(super) fn bundles(data: &Dataset, groups: &[u32]) -> Vec<Bundle> {
    let Target::Classes(classes) = data.target() else {
        unreachable!("a grid is made from classes");
    };
    let bundle = |row: usize| Bundle {
        row: row as u32,
        class: classes[row],
        weight: data.weight(row),
    };
    if !data.has_whole_weights() || groups.is_empty() {
        return (0..data.n_rows()).map(bundle).collect();
    }
    let mut places: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    let mut bundles: Vec<Bundle> = Vec::new();
    for (row, &group) in groups.iter().enumerate() {
        let place = *places.entry((group, classes[row])).or_insert(bundles.len());
        match bundles.get_mut(place) {
            Some(bundle) => bundle.weight += data.weight(row),
            None => bundles.push(bundle(row)),
        }
    }
    bundles
}
