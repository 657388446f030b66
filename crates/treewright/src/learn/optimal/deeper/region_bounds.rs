//! Lower bounds of regions hold for all regions that contain them.
//!
//! **Lemma.** Rows that are left by some cuts, `x < 3` and `y >= 7`, contain those of `x < 2` and `y >= 9`. Fewer
//! rows never cost more: so a lower bound of the smaller set is one of the larger set, wherever in the search the
//! two occur.
//!
//! **Source.** MurTree and STreeD have caches of solved subproblems. Here a known set need not be the same, only
//! contained. Regions are compared if they are cut on the same sides of the same features.
//!
//! **Leaves with a least size.** Leaves of the larger set, with at least `m` rows, have at least `m - w` in the smaller
//! one, where it lacks `w` rows. So a bound for leaves of `m'` rows, in a set of `n'`, holds for leaves of `m` rows in a
//! larger set of `n` if `n' - m' >= n - m`: the *spare* rows are one more end that has to be within. Bounds for leaves
//! of any size always hold.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::learn::optimal::problem::{Edge, Region, RowSet};

/// Lower bounds of the regions that were met.
#[derive(Debug)]
pub(crate) struct RegionBounds {
    met: Mutex<KnownRegions>,
    /// There are no more sets than this.
    most_sets: usize,
}

#[derive(Debug, Default)]
struct KnownRegions {
    by_edges: FxHashMap<(usize, Vec<Edge>), RegionList>,
    n_sets: usize,
}

/// Sets that are cut on the same sides, none of which is contained in another with a larger lower bound.
#[derive(Debug, Default)]
struct RegionList {
    /// As many for each set as there are sides.
    ends: Vec<u32>,
    lower: Vec<u64>,
}

/// How many rows there are beside those of a smallest leaf, as the end of a region: the more of them, the smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpareEnd(u32);

impl SpareEnd {
    /// Leaves may have any size.
    pub(crate) const ANY: Self = Self(0);
    /// Sizes are not numbers of rows: only bounds for leaves of any size hold.
    pub(crate) const UNKNOWN: Self = Self(u32::MAX);

    /// Leaves with a least number of rows.
    pub(crate) fn new(n_rows: usize, min_leaf: usize) -> Self {
        const NONE: usize = 1 << 31;
        let end = (NONE + min_leaf).saturating_sub(n_rows);
        Self(u32::try_from(end).map_or(u32::MAX, |end| end.clamp(1, u32::MAX - 1)))
    }
}

/// A list does not become longer: to search it would take too long.
const LONGEST: usize = 2_000;
/// Nor are there more sets in all.
const MOST_SETS: usize = 1 << 20;
/// The memory of a set, about.
const BYTES_PER_SET: usize = 64;

fn is_within(ends: &[u32], others: &[u32]) -> bool {
    ends.iter().zip(others).all(|(end, other)| end <= other)
}

impl RegionBounds {
    /// Nothing is known yet. Some of the memory may be used for what will be.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self {
            met: Mutex::default(),
            most_sets: (most_bytes / 8 / BYTES_PER_SET).min(MOST_SETS),
        }
    }

    /// The largest lower bound that is known for trees of a depth.
    pub(crate) fn find(&self, depth: usize, region: &Region, spare: SpareEnd) -> u64 {
        let (key, ends) = parts(depth, region, spare);
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(list) = met.by_edges.get(&key) else {
            return 0;
        };
        let known = list.ends.chunks_exact(ends.len()).zip(&list.lower);
        let below = known.filter(|(known, _)| is_within(known, &ends));
        below.map(|(_, &lower)| lower).max().unwrap_or(0)
    }

    /// No tree of a depth has a smaller value for some rows.
    pub(crate) fn insert(
        &self,
        depth: usize,
        (region, spare): (&Region, SpareEnd),
        rows: &RowSet,
        whole: &RowSet,
        lower: u64,
    ) {
        let (key, ends) = parts(depth, &region.tight(rows, whole), spare);
        if key.1.is_empty() || spare == SpareEnd::UNKNOWN {
            return;
        }
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        if met.n_sets < self.most_sets {
            let list = met.by_edges.entry(key).or_default();
            let n_before = list.lower.len();
            list.insert(&ends, lower);
            let n_after = list.lower.len();
            met.n_sets = met.n_sets - n_before + n_after;
        }
    }
}

impl RegionList {
    fn insert(&mut self, ends: &[u32], lower: u64) {
        let n = ends.len();
        let mut n_kept = 0;
        for at in 0..self.lower.len() {
            let known = &self.ends[at * n..][..n];
            if self.lower[at] >= lower && is_within(known, ends) {
                // Nothing was dropped: what the new set would replace, this one does.
                return;
            }
            let is_needless = self.lower[at] <= lower && is_within(ends, known);
            if !is_needless {
                self.ends.copy_within(at * n..(at + 1) * n, n_kept * n);
                self.lower[n_kept] = self.lower[at];
                n_kept += 1;
            }
        }
        self.lower.truncate(n_kept);
        self.ends.truncate(n_kept * n);
        if n_kept < LONGEST {
            self.lower.push(lower);
            self.ends.extend_from_slice(ends);
        }
    }
}

fn parts(depth: usize, region: &Region, spare: SpareEnd) -> ((usize, Vec<Edge>), Vec<u32>) {
    let (edges, mut ends) = region.edges_and_ends();
    ends.push(spare.0);
    ((depth, edges), ends)
}

#[cfg(test)]
mod tests {
    //! Lower bounds of regions, compared with a search through all regions that were met before.

    use super::{RegionBounds, SpareEnd};
    use crate::learn::optimal::problem::{Edge, FeatureCells, Label, Region, RowSet};
    use fastrand::Rng;

    /// Rows with different numbers in each of some features.
    fn random_rows(rng: &mut Rng) -> RowSet {
        let n_rows = rng.usize(4..20);
        let column = |rng: &mut Rng| {
            let mut order: Vec<u32> = (0..n_rows as u32).collect();
            rng.shuffle(&mut order);
            let mut ranks = vec![0; n_rows];
            for (rank, &row) in (0..).zip(&order) {
                ranks[row as usize] = rank;
            }
            FeatureCells::new(ranks, order, (0..=n_rows as u32).collect())
        };
        let label = Label {
            class: 0,
            weight: 1,
        };
        let cells = (0..3).map(|_| column(rng)).collect();
        RowSet::new(vec![label; n_rows], cells, 1).with_region(Some(Region::default()))
    }

    /// One or two cuts, and what they leave.
    fn random_region(rng: &mut Rng, whole: &RowSet) -> (Region, RowSet, Vec<Edge>) {
        let (mut region, mut rows, mut edges) = (Region::default(), whole.clone(), Vec::new());
        for _ in 0..rng.usize(1..=2) {
            let feature = rng.usize(..3);
            let is_high = rng.bool();
            let cut = rng.u32(1..whole.len() as u32);
            let edge = Edge::new(feature, is_high);
            region = region.cut(edge, cut);
            let ranks = whole.cells()[feature].ranks();
            let ids = rows.ids().to_vec();
            rows = rows.only(|row| (ranks[ids[row] as usize] >= cut) == is_high);
            edges.push(edge);
        }
        edges.sort_unstable();
        edges.dedup();
        (region, rows, edges)
    }

    #[test]
    fn a_region_has_the_largest_bound_of_all_within() {
        let (mut n_known, mut n_unknown) = (0, 0);
        for seed in 0..300 {
            let mut rng = Rng::with_seed(seed);
            let whole = random_rows(&mut rng);
            let bounds = RegionBounds::new(usize::MAX);
            let mut met: Vec<(usize, Vec<Edge>, RowSet, u64)> = Vec::new();
            for _ in 0..60 {
                let (region, rows, edges) = random_region(&mut rng, &whole);
                if rows.len() == 0 {
                    continue;
                }
                let depth = rng.usize(2..4);
                let is_within =
                    |(of_depth, of_edges, part, _): &&(usize, Vec<Edge>, RowSet, u64)| {
                        *of_depth == depth
                            && *of_edges == edges
                            && part.ids().iter().all(|id| rows.ids().contains(id))
                    };
                let expected = met.iter().filter(is_within).map(|met| met.3).max();
                let found = bounds.find(depth, &region, SpareEnd::ANY);
                assert_eq!(found, expected.unwrap_or(0), "seed {seed}: {region:?}");
                n_known += u32::from(found > 0);
                n_unknown += u32::from(found == 0);
                let least = rng.u64(1..50);
                bounds.insert(depth, (&region, SpareEnd::ANY), &rows, &whole, least);
                met.push((depth, edges, rows, least));
            }
        }
        assert!(n_known > 3000 && n_unknown > 3000, "{n_known} {n_unknown}");
    }
}
