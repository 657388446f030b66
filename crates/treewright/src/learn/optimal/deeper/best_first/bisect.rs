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
    /// The rows below and above it, where they were made.
    parts: [Option<Arc<RowSet>>; 2],
    sides: [SearchResult; 2],
    /// What the rows below and above it cost at least, for all cuts of the range beyond.
    lower: [u64; 2],
    /// The same for this cut alone.
    at_cut: [u64; 2],
    /// Do the leaves of a side have the least size?
    is_sized: [bool; 2],
}

impl BestFirst<'_, '_> {
    /// Solves the middle cut of a range; what remains are two ranges. `None` if time is up.
    pub(crate) fn split(&self, range: &OpenRange) -> Option<Vec<OpenRange>> {
        let root = self.numeric_root(range);
        let mut middle = self.solve_middle(range)?;
        if self.search.is_monotone() || !self.search.has_ranges() {
            let [low, high] = &middle.sides;
            if let (Some(a), Some(b)) = (low.value, high.value) {
                self.offer_cut(root, middle.cut, [(a, &low.sketch), (b, &high.sketch)]);
            }
        } else {
            self.solve_sized(range, &mut middle)?;
        }
        self.notes.cut(root.feature, middle.cut, middle.at_cut);
        let upper = self.incumbent.upper_for(range.first_split());
        let value = middle.at_cut[0] + middle.at_cut[1] + root.missing;
        // The middle cut, and those that are too near to it.
        self.lower_floor(root.feature, value.min(upper));
        let has_ranges =
            self.search.has_ranges() && (self.search.is_monotone() || !self.notes.are_wanted());
        let ranges = if has_ranges {
            self.around(root, range, middle, upper)
        } else {
            // Fewer rows may cost more: nothing is known about the other cuts.
            let [first, last] = range.cuts();
            [[first, middle.cut - 1], [middle.cut + 1, last]]
                .map(|cuts| range.part(cuts, range.sides(), range.payload().clone()))
        };
        let ranges = ranges.into_iter().filter(|range| !range.is_empty());
        Some(ranges.collect())
    }

    /// A tree that was found.
    fn offer_cut(&self, root: &NumericRoot, cut: u32, sides: [(u64, &Option<Sketch>); 2]) {
        let question = RootSplit::at(root.feature, cut);
        let [(low, low_sketch), (high, high_sketch)] = sides;
        let value = low + high + root.missing;
        if value <= self.incumbent.value() {
            let parts = [low_sketch, high_sketch, &root.missing_sketch];
            let parts = parts.into_iter().flatten().cloned().collect();
            self.incumbent.offer(value, Sketch::Split(question, parts));
        }
    }

    /// Solves the middle cut with leaves of the least size, if smaller ones leave room for a better tree. `None` if
    /// time is up.
    fn solve_sized(&self, range: &OpenRange, middle: &mut MiddleCut) -> Option<()> {
        let (search, root) = (self.search, self.numeric_root(range));
        let at = RootSplit::at(root.feature, middle.cut);
        let is_room =
            |lower: [u64; 2]| lower[0] + lower[1] + root.missing < self.incumbent.upper_for(at);
        if !is_room(middle.at_cut) {
            return Some(());
        }
        let mut parts: Option<[Option<RowSet>; 2]> = None;
        let mut found = Vec::new();
        for side in 0..2 {
            let known = &middle.sides[side];
            if let (true, Some(value)) = (middle.is_sized[side], known.value) {
                found.push((value, known.sketch.clone()));
                continue;
            }
            let rows = if let Some(rows) = middle.parts[side].take() {
                rows
            } else {
                let parts = parts.get_or_insert_with(|| search.parted(&root.rows, at).map(Some));
                let [low, high] = search.regions_of(&root.rows, at);
                let region = if side == 0 { low } else { high };
                Arc::new(parts[side].take()?.with_region(region))
            };
            let upper = self.incumbent.upper_for(at);
            let upper = upper.saturating_sub(root.missing + middle.at_cut[1 - side]);
            // What holds with smaller leaves holds with these.
            let solved = search.solve(&rows, self.depth - 1, upper, &known.inherited);
            if !solved.is_done {
                return None;
            }
            let lower = &mut middle.at_cut[side];
            *lower = solved.lower_of(upper).max(*lower);
            found.extend(solved.value.map(|value| (value, solved.sketch)));
            if found.len() <= side || !is_room(middle.at_cut) {
                return Some(());
            }
        }
        if let [(low, low_sketch), (high, high_sketch)] = &found[..] {
            self.offer_cut(root, middle.cut, [(*low, low_sketch), (*high, high_sketch)]);
        }
        Some(())
    }

    /// The values of both sides of the middle cut, as far as they matter. `None` if time is up.
    fn solve_middle(&self, range: &OpenRange) -> Option<MiddleCut> {
        let (search, root) = (self.search, self.numeric_root(range));
        let per_leaf = search.context.encoding.per_leaf();
        let cells = &root.rows.cells()[root.feature];
        let cut = middle_cut(cells.starts(), range.cuts());
        let split = RootSplit::at(root.feature, cut);
        let n_below = search.n_below(&root.rows, split);
        // The larger side first: if it alone costs too much, so do all cuts beyond.
        let is_low_first = 2 * n_below > root.rows.len();
        let order = if is_low_first { [0, 1] } else { [1, 0] };
        // Leaves as small as they can become up to the end of the range.
        let searches = root
            .lost(cut, range.cuts())
            .map(|lost| search.for_range(lost));
        let n_rows = [n_below, root.rows.len() - n_below];
        let mut regions = search.regions_of(&root.rows, split);
        let mut lower = range.sides();
        for side in 0..2 {
            let spare = searches[side].spare_end(n_rows[side]);
            let known = regions[side]
                .as_ref()
                .map(|region| search.region_bounds.find(self.depth - 1, region, spare));
            lower[side] = known.unwrap_or(0).max(lower[side]);
        }
        let mut parts: Option<[Option<RowSet>; 2]> = None;
        let mut made = [None, None];
        let mut sides = [None, None];
        for side in order {
            let search = &searches[side];
            let upper = self.incumbent.upper_for(range.first_split());
            // What is found holds for the other cuts as well: it is about the end of the range.
            let upper = upper.saturating_sub(root.missing + range.sides()[1 - side]);
            let known = &range.payload()[side];
            let solved = if !search.has_ranges() || lower[side] < upper {
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
                    let rows = parts[side].take()?.with_region(regions[side].take());
                    let rows = Arc::new(rows);
                    made[side] = Some(Arc::clone(&rows));
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
            parts: made,
            sides: [low, high],
            lower,
            at_cut: lower,
            is_sized: searches.map(|of_side| of_side.context.rule == search.context.rule),
        })
    }

    /// The cuts below and above the middle one, but for those near it that cannot cost less than `upper`.
    fn around(
        &self,
        root: &NumericRoot,
        range: &OpenRange,
        middle: MiddleCut,
        upper: u64,
    ) -> [OpenRange; 2] {
        let [first, last] = range.cuts();
        let [lower_first, lower_last] = range.sides();
        let [known_first, known_last] = range.payload().clone();
        let [lower_low, lower_high] = middle.lower;
        // A row more may make a leaf of rows that were none, if a class has a least share.
        let [low_at_cut, high_at_cut] = if self.search.context.rule.has_share() {
            middle.lower
        } else {
            middle.at_cut
        };
        // With fewer rows below, those above have the bound of the range, and the other way round.
        let [slack_before, slack_after] = [
            low_at_cut + lower_high + root.missing,
            lower_low + high_at_cut + root.missing,
        ]
        .map(|value| value.checked_sub(upper).filter(|_| self.has_close_cuts()));
        let before = root.far_before(middle.cut, first, slack_before);
        let after = root.far_after(middle.cut, last, slack_after);
        let [low, high] = middle.sides.map(|solved| Arc::new(solved.inherited));
        [
            range.part(
                [first, before],
                [lower_first, lower_high],
                [known_first, high],
            ),
            range.part([after, last], [lower_low, lower_last], [low, known_last]),
        ]
    }

    fn has_close_cuts(&self) -> bool {
        self.search.context.switches.close_cuts && self.search.can_grow()
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

    /// What leaves below the middle cut lose at most down to the first cut of a range above it, and those above.
    /// Nothing where leaves have no least size.
    fn lost(&self, middle: u32, [first, last]: [u32; 2]) -> [usize; 2] {
        let size = |cut: u32| self.sizes.get(cut as usize).copied().unwrap_or(0);
        [size(last) - size(middle), size(middle) - size(first)]
    }

    /// The last cut before `middle` that is separated from it by rows that cost more than `slack`; the one before it
    /// without a slack.
    fn far_before(&self, middle: u32, first: u32, slack: Option<u64>) -> u32 {
        let Some(slack) = slack else {
            return middle - 1;
        };
        let at = |cut: u32| self.most[cut as usize];
        let cuts = &self.most[first as usize..middle as usize];
        let before = first + cuts.partition_point(|&most| at(middle) - most > slack) as u32;
        before.max(1) - 1
    }

    /// The first cut after `middle` that is separated from it by rows that cost more than `slack`; the next one without
    /// a slack.
    fn far_after(&self, middle: u32, last: u32, slack: Option<u64>) -> u32 {
        let Some(slack) = slack else {
            return middle + 1;
        };
        let at = |cut: u32| self.most[cut as usize];
        let cuts = &self.most[middle as usize..=last as usize];
        middle + cuts.partition_point(|&most| most - at(middle) <= slack) as u32
    }
}

/// The cut in the middle of the rows between the first and the last.
pub(crate) fn middle_cut(starts: &[u32], [low, high]: [u32; 2]) -> u32 {
    let (first, last) = (starts[low as usize], starts[high as usize]);
    let half = u32::midpoint(first, last);
    let cuts = &starts[low as usize..=high as usize];
    let at = low + cuts.partition_point(|&start| start < half) as u32;
    at.clamp(low, high)
}
