//! Ranges of cuts with lower bounds for every number of leaves, and their middle cuts.

use std::cmp::Ordering;
use std::sync::Arc;

use super::SizeSearch;
use super::losses::{LossBySize, Wanted, wanted_of_part};
use super::node::Node;
use super::solved::Solved;
use crate::learn::exact::Deadline;
use crate::learn::optimal::depth1::intervals::losses_of_two_parts;
use crate::learn::optimal::problem::{Inherited, RootSplit, RowSet};

/// A numeric feature as the root.
#[derive(Debug)]
pub(super) struct NumericRoot {
    feature: usize,
    /// The rows that have a number.
    rows: Arc<RowSet>,
    /// The others.
    missing: Option<Solved>,
    /// The weight of the rows below each rank.
    weight_below: Vec<u64>,
}

impl NumericRoot {
    pub(super) fn new(feature: usize, rows: Arc<RowSet>, missing: Option<Solved>) -> Self {
        let cells = &rows.cells()[feature];
        let mut sum = 0;
        let mut weight_below = vec![0];
        for rank in 0..cells.n_ranks() as u32 {
            let of_rank = cells.rows(rank, rank + 1).iter();
            sum += of_rank
                .map(|&row| u64::from(rows.labels()[row as usize].weight))
                .sum::<u64>();
            weight_below.push(sum);
        }
        Self {
            feature,
            rows,
            missing,
            weight_below,
        }
    }

    pub(super) fn feature(&self) -> usize {
        self.feature
    }

    /// The rows that have a value.
    pub(super) fn rows(&self) -> &RowSet {
        &self.rows
    }

    pub(super) fn missing(&self) -> Option<&Solved> {
        self.missing.as_ref()
    }

    /// The last cut before and the first one after `middle` that are separated from it by more weight than `slack`:
    /// a row more or less changes a loss by its weight at most. Without a slack, its neighbours.
    pub(super) fn far_from(
        &self,
        middle: u32,
        [low, high]: [u32; 2],
        slack: Option<u64>,
    ) -> (u32, u32) {
        let Some(slack) = slack else {
            return (middle - 1, middle + 1);
        };
        let at = |cut: u32| self.weight_below[cut as usize];
        let cuts = &self.weight_below[low as usize..middle as usize];
        let before = low + cuts.partition_point(|&sum| at(middle) - sum > slack) as u32;
        let cuts = &self.weight_below[middle as usize..=high as usize];
        let after = middle + cuts.partition_point(|&sum| sum - at(middle) <= slack) as u32;
        (before.max(1) - 1, after.max(middle + 1))
    }
}

/// Neighbouring cuts of a feature. The range that may improve a tree most is the largest.
#[derive(Debug, Clone)]
pub(super) struct OpenRange {
    feature: usize,
    first: u32,
    last: u32,
    /// Lower bounds of the rows below the first and above the last cut.
    sides: [Arc<LossBySize>; 2],
    /// What else is known about them.
    known: [Arc<Inherited>; 2],
    /// Lower bounds of all trees with a root in this range.
    bound: LossBySize,
    /// By how much a tree may be better, at most.
    gain: u64,
}

impl OpenRange {
    pub(super) fn new(
        feature: usize,
        [first, last]: [u32; 2],
        sides: [Arc<LossBySize>; 2],
        known: [Arc<Inherited>; 2],
        missing: Option<&Solved>,
        n_sizes: usize,
    ) -> Self {
        let mut bound = sides[0].plus(&sides[1], n_sizes);
        if let Some(missing) = missing {
            bound = bound.plus(&missing.lower, n_sizes);
        }
        Self {
            feature,
            first,
            last,
            sides,
            known,
            bound,
            gain: 0,
        }
    }

    pub(super) fn feature(&self) -> usize {
        self.feature
    }

    pub(super) fn cuts(&self) -> [u32; 2] {
        [self.first, self.last]
    }

    pub(super) fn sides(&self) -> &[Arc<LossBySize>; 2] {
        &self.sides
    }

    pub(super) fn known(&self) -> &[Arc<Inherited>; 2] {
        &self.known
    }

    pub(super) fn bound(&self) -> &LossBySize {
        &self.bound
    }

    pub(super) fn first_split(&self) -> RootSplit {
        RootSplit::at(self.feature, self.first)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.feature, self.first) == (other.feature, other.first)
    }

    /// Which losses still matter in this range; 0 for sizes that are closed here.
    pub(super) fn still_wanted(&self, mut wanted: Wanted) -> Wanted {
        for (place, below) in wanted.iter_mut().enumerate() {
            if self.bound.at(place + 1) >= *below {
                *below = 0;
            }
        }
        wanted
    }

    /// This range with its place in the queue; `None` if no tree in it can be better.
    pub(super) fn with_gain(mut self, wanted: &[u64]) -> Option<Self> {
        let gain = |(place, &below): (usize, &u64)| below.saturating_sub(self.bound.at(place + 1));
        self.gain = wanted.iter().enumerate().map(gain).max().unwrap_or(0);
        (self.gain > 0).then_some(self)
    }
}

impl Ord for OpenRange {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |range: &Self| {
            (
                range.gain,
                usize::MAX - range.feature,
                u32::MAX - range.first,
            )
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for OpenRange {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OpenRange {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OpenRange {}

/// A cut whose sides are solved, as far as they matter.
pub(super) struct SolvedCut {
    pub(super) cut: u32,
    /// The trees of both sides; `None` if they cannot be part of a better one.
    pub(super) sides: Option<[Solved; 2]>,
    /// What the rows below and above it lose at least.
    pub(super) lower: [LossBySize; 2],
    pub(super) inherited: [Arc<Inherited>; 2],
}

impl Node<'_, '_> {
    /// Solves the middle cut of a range; `None` if time is up.
    pub(super) fn solve_middle(&self, range: &OpenRange, wanted: &[u64]) -> Option<SolvedCut> {
        let root = self.root(range.feature());
        let cut = middle(root.rows.cells()[root.feature].starts(), range.cuts());
        // What is found holds for the other cuts as well: it is about the ends of the range.
        let of_sides =
            self.wanted_of_sides(root, cut, wanted, range.sides.each_ref().map(|it| &**it));
        let bounding = self.search.bounding();
        if self.depth == 2 && bounding.is_plain() {
            let sides = self.solve_last_two(root, cut, &of_sides)?;
            return self.with_sizes(root, self.solved_cut(range, cut, sides), wanted);
        }
        let known = range.known.each_ref();
        let sides = self.solve_sides(bounding, root, cut, &of_sides, known)?;
        self.with_sizes(root, self.solved_cut(range, cut, sides), wanted)
    }

    /// The trees of a cut, where leaves have a least size: what was solved are lower bounds.
    fn with_sizes(
        &self,
        root: &NumericRoot,
        solved: SolvedCut,
        wanted: &[u64],
    ) -> Option<SolvedCut> {
        if self.search.relaxed.is_none() {
            return Some(solved);
        }
        let of_sides = self.wanted_of_sides(root, solved.cut, wanted, solved.lower.each_ref());
        let nothing = Arc::default();
        let known = [&nothing, &nothing];
        let sides = self.solve_sides(self.search, root, solved.cut, &of_sides, known)?;
        let [low, high] = sides;
        Some(SolvedCut {
            sides: low.zip(high).map(|(low, high)| [low, high]),
            ..solved
        })
    }

    /// Which losses of the rows below and above a cut matter, if those rows lose at least `lower`.
    fn wanted_of_sides(
        &self,
        root: &NumericRoot,
        cut: u32,
        wanted: &[u64],
        lower: [&LossBySize; 2],
    ) -> [Wanted; 2] {
        let split = RootSplit::at(root.feature, cut);
        let n_low = self.search.n_below(&root.rows, split);
        let n_rows = [n_low, root.rows.len() - n_low];
        let n_others = 1 + usize::from(root.missing.is_some());
        [0, 1].map(|side| {
            let other = lower[1 - side];
            let with_missing = root.missing.as_ref().map(|missing| {
                let n_sizes = other.len() + missing.lower.len();
                other.plus(&missing.lower, n_sizes)
            });
            let rest = with_missing.as_ref().unwrap_or(other);
            let n_sizes = self.n_sizes(n_rows[side], n_others);
            let mut of_side = wanted_of_part(wanted, Some(rest), 0, n_sizes);
            for (place, below) in of_side.iter_mut().enumerate() {
                if lower[side].at(place + 1) >= *below {
                    *below = 0;
                }
            }
            of_side
        })
    }

    /// Both sides of a cut, as far as they matter; `None` if time is up.
    fn solve_sides(
        &self,
        search: &SizeSearch<'_>,
        root: &NumericRoot,
        cut: u32,
        wanted: &[Wanted; 2],
        known: [&Arc<Inherited>; 2],
    ) -> Option<[Option<Solved>; 2]> {
        let mut parts: Option<[Option<RowSet>; 2]> = None;
        let mut sides = [None, None];
        for side in 0..2 {
            if wanted[side].iter().all(|&below| below == 0) {
                continue;
            }
            let split = RootSplit::at(root.feature, cut);
            let parts = parts.get_or_insert_with(|| search.parted(&root.rows, split).map(Some));
            let [low, high] = search.regions_of(&root.rows, split);
            let region = if side == 0 { low } else { high };
            let rows = Arc::new(parts[side].take()?.with_region(region));
            let solved = search.solve(&rows, self.depth - 1, &wanted[side], known[side]);
            if !solved.is_done {
                return None;
            }
            sides[side] = Some(solved);
        }
        Some(sides)
    }

    /// The middle cut of a range at the second level from the end: both sides by one pass over each feature.
    fn solve_last_two(
        &self,
        root: &NumericRoot,
        cut: u32,
        wanted: &[Wanted; 2],
    ) -> Option<[Option<Solved>; 2]> {
        let rows = &root.rows;
        let ranks = rows.cells()[root.feature].ranks();
        let is_high = |row: u32| ranks[row as usize] >= cut;
        // The largest size that matters on each side.
        let most = [0, 1].map(|side| {
            let last = wanted[side].iter().rposition(|&below| below > 0);
            last.map_or(0, |place| place + 1)
        });
        if most == [0, 0] {
            return Some([None, None]);
        }
        let context = self.search.context();
        let mut sums = [vec![0_u64; rows.sums().len()], rows.sums().to_vec()];
        for &row in rows.cells()[root.feature].rows(0, cut) {
            let label = rows.labels()[row as usize];
            sums[0][label.class as usize] += u64::from(label.weight);
            sums[1][label.class as usize] -= u64::from(label.weight);
        }
        let mut losses = [0, 1].map(|side| {
            let largest = sums[side].iter().copied().max().unwrap_or(0);
            LossBySize::same(sums[side].iter().sum::<u64>() - largest, most[side].max(1))
        });
        if most[0].max(most[1]) > 1 {
            let is_spent = || self.search.is_spent(0);
            let mut deadline = Deadline::new(&is_spent);
            let most = most.map(|most| most.clamp(1, context.rule.most()));
            let never = context.table.never_below();
            for feature in (0..rows.cells().len()).filter(|&it| never.allows(root.feature, it)) {
                let found = losses_of_two_parts(rows, feature, is_high, most, &mut deadline);
                for (losses, found) in losses.iter_mut().zip(found.ok()?) {
                    for (leaves, loss) in (1..).zip(found) {
                        losses.offer(leaves, loss);
                    }
                }
            }
        }
        let [low, high] = losses;
        let solved = |losses: LossBySize, most: usize| (most > 0).then(|| Solved::exactly(losses));
        Some([solved(low, most[0]), solved(high, most[1])])
    }

    /// What was found about the sides of a cut, beside what was known before.
    fn solved_cut(&self, range: &OpenRange, cut: u32, sides: [Option<Solved>; 2]) -> SolvedCut {
        // As many sizes as a side can have at any other cut of the range.
        let has_missing = self.root(range.feature()).missing.is_some();
        let n_sizes = self.n_sizes(usize::MAX, 1 + usize::from(has_missing));
        let lower = [0, 1].map(|side| {
            let mut lower = range.sides[side].resized(n_sizes);
            if let Some(solved) = &sides[side] {
                // Of more leaves than were looked at nothing is known.
                for leaves in 1..=solved.lower.len().min(n_sizes) {
                    lower.raise(leaves, solved.lower.at(leaves));
                }
            }
            lower
        });
        let inherited = [0, 1].map(|side| match &sides[side] {
            Some(solved) => Arc::clone(&solved.inherited),
            None => Arc::clone(&range.known[side]),
        });
        let sides = match sides {
            [Some(low), Some(high)] => Some([low, high]),
            _ => None,
        };
        SolvedCut {
            cut,
            sides,
            lower,
            inherited,
        }
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
