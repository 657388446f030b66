//! The middle cut of a range is solved; two ranges remain.
//!
//! **Lemma.** A row more costs at most its weight, and a leaf where there are categories or missing cells. So if a
//! cut misses the incumbent by `s`, all cuts that are separated from it by rows that cost at most `s` together miss
//! it, too.
//!
//! **Source.** MurTree and ConTree have lower bounds of this kind.

use std::sync::Arc;

use super::{BestFirst, NumericRoot};
use crate::learn::optimal::depth2::cut_range::CutRange;
use crate::learn::optimal::problem::{Context, Inherited, RootSplit, RowSet, SearchResult, Sketch};

/// Cuts of a feature that are still to be tried, with what else is known about the rows of both sides.
pub(super) type OpenRange = CutRange<[Arc<Inherited>; 2]>;

/// The middle cut of a range, solved.
struct MiddleCut {
    cut: u32,
    sides: [SearchResult; 2],
    /// What the rows below and above it cost at least.
    lower: [u64; 2],
}

impl BestFirst<'_, '_> {
    /// Solves the middle cut of a range; what remains are two ranges. `None` if time is up.
    pub(crate) fn split(&self, range: &OpenRange) -> Option<Vec<OpenRange>> {
        let root = self.numeric_root(range);
        let middle = self.solve_middle(range)?;
        self.notes.cut(root.feature, middle.cut, middle.lower);
        let [low, high] = &middle.sides;
        if let (Some(a), Some(b)) = (low.value, high.value) {
            let question = RootSplit::at(root.feature, middle.cut);
            let value = a + b + root.missing;
            if value <= self.incumbent.value() {
                let parts = [&low.sketch, &high.sketch, &root.missing_sketch];
                let parts = parts.into_iter().flatten().cloned().collect();
                self.incumbent.offer(value, Sketch::Split(question, parts));
            }
        }
        let upper = self.incumbent.upper_for(range.first_split());
        let value = middle.lower[0] + middle.lower[1] + root.missing;
        // The middle cut, and those that are too near to it.
        self.lower_floor(root.feature, value.min(upper));
        let ranges = if self.search.is_monotone() {
            self.around(root, range, middle, value.saturating_sub(upper))
        } else {
            // Fewer rows may cost more: nothing is known about the other cuts.
            let [first, last] = range.cuts();
            [[first, middle.cut - 1], [middle.cut + 1, last]]
                .map(|cuts| range.part(cuts, range.sides(), range.payload().clone()))
        };
        let ranges = ranges.into_iter().filter(|range| !range.is_empty());
        Some(ranges.collect())
    }

    /// The values of both sides of the middle cut, as far as they matter. `None` if time is up.
    fn solve_middle(&self, range: &OpenRange) -> Option<MiddleCut> {
        let (search, root) = (self.search, self.numeric_root(range));
        let per_leaf = search.context.encoding.per_leaf();
        let cells = &root.rows.cells()[root.feature];
        let cut = middle(cells.starts(), range.cuts());
        let split = RootSplit::at(root.feature, cut);
        let n_below = search.n_below(&root.rows, split);
        // The larger side first: if it alone costs too much, so do all cuts beyond.
        let is_low_first = 2 * n_below > root.rows.len();
        let order = if is_low_first { [0, 1] } else { [1, 0] };
        let mut regions = search.regions_of(&root.rows, split);
        let mut lower = range.sides();
        for (lower, region) in lower.iter_mut().zip(&regions) {
            let known = region
                .as_ref()
                .map(|region| search.region_bounds.find(self.depth - 1, region));
            *lower = known.unwrap_or(0).max(*lower);
        }
        let mut parts: Option<[Option<RowSet>; 2]> = None;
        let mut sides = [None, None];
        for side in order {
            let upper = self.incumbent.upper_for(range.first_split());
            // What is found holds for the other cuts as well: it is about the end of the range.
            let upper = upper.saturating_sub(root.missing + range.sides()[1 - side]);
            let known = &range.payload()[side];
            let solved = if !search.is_monotone() || lower[side] < upper {
                // Two leaves would be too many: then there is no need for the orders of the features.
                if upper <= 2 * per_leaf
                    && search.is_monotone()
                    && search.context.switches.leaf_sides
                {
                    let leaf = root.leaf(search.context, split, side == 1);
                    SearchResult::as_leaf(leaf, upper, 2 * per_leaf, known)
                } else {
                    let parts =
                        parts.get_or_insert_with(|| search.parted(&root.rows, split).map(Some));
                    let rows = Arc::new(parts[side].take()?.with_region(regions[side].take()));
                    search.solve(&rows, self.depth - 1, upper, known)
                }
            } else {
                SearchResult::at_least(lower[side], known, search.context.table.kinds().len())
            };
            if !solved.is_done {
                return None;
            }
            lower[side] = solved.lower_of(upper).max(lower[side]);
            sides[side] = Some(solved);
        }
        let [Some(low), Some(high)] = sides else {
            return None;
        };
        Some(MiddleCut {
            cut,
            sides: [low, high],
            lower,
        })
    }

    /// The cuts below and above the middle one, but for those near it that cost more than `slack` less.
    fn around(
        &self,
        root: &NumericRoot,
        range: &OpenRange,
        middle: MiddleCut,
        slack: u64,
    ) -> [OpenRange; 2] {
        let [first, last] = range.cuts();
        let [lower_first, lower_last] = range.sides();
        let [known_first, known_last] = range.payload().clone();
        let (before, after) = if self.search.context.switches.close_cuts {
            root.far_from(middle.cut, [first, last], slack)
        } else {
            (middle.cut - 1, middle.cut + 1)
        };
        let [low, high] = middle.sides.map(|solved| Arc::new(solved.inherited));
        let [lower_low, lower_high] = middle.lower;
        [
            range.part(
                [first, before],
                [lower_first, lower_high],
                [known_first, high],
            ),
            range.part([after, last], [lower_low, lower_last], [low, known_last]),
        ]
    }
}

impl NumericRoot {
    /// The value of the rows below a cut or above as a leaf of any size, or of a category or the rest.
    fn leaf(&self, context: Context<'_>, split: RootSplit, is_high: bool) -> u64 {
        let cells = &self.rows.cells()[self.feature];
        let cut = split.cut().unwrap_or(0);
        let first = if context.table.is_binary(self.feature) {
            cut - 1
        } else {
            0
        };
        let mut sums = vec![0_u64; self.rows.sums().len()];
        for &row in cells.rows(first, cut) {
            let label = self.rows.labels()[row as usize];
            sums[label.class as usize] += u64::from(label.weight);
        }
        if is_high {
            // All rows have a value.
            for (sum, all) in sums.iter_mut().zip(self.rows.sums()) {
                *sum = all - *sum;
            }
        }
        let most = sums.iter().copied().max().unwrap_or(0);
        context.encoding.leaf(sums.iter().sum::<u64>() - most)
    }

    /// The last cut before and the first one after `middle` that are further from it than `slack`.
    fn far_from(&self, middle: u32, [low, high]: [u32; 2], slack: u64) -> (u32, u32) {
        let at = |cut: u32| self.most[cut as usize];
        let cuts = &self.most[low as usize..middle as usize];
        let before = low + cuts.partition_point(|&most| at(middle) - most > slack) as u32;
        let cuts = &self.most[middle as usize..=high as usize];
        let after = middle + cuts.partition_point(|&most| most - at(middle) <= slack) as u32;
        (before.max(1) - 1, after)
    }
}

/// The cut in the middle of the rows between the first and the last.
fn middle(starts: &[u32], [low, high]: [u32; 2]) -> u32 {
    let (first, last) = (starts[low as usize], starts[high as usize]);
    let half = u32::midpoint(first, last);
    let cuts = &starts[low as usize..=high as usize];
    let at = low + cuts.partition_point(|&start| start < half) as u32;
    at.clamp(low, high)
}
