//! The least value of a set of rows, by the solver for its depth.
//!
//! A subproblem is a set of rows, a depth and an upper bound: only smaller values are wanted. Depths zero and one
//! are solved at once, depth two by [`DepthTwo`], all others by [`BestFirst`]. Before that, the lower bounds of
//! known regions are tried.

use std::sync::Arc;

use crate::budget::Budget;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::deeper::best_first::BestFirst;
use crate::learn::optimal::deeper::helper::Helper;
use crate::learn::optimal::deeper::region_bounds::{RegionBounds, SpareEnd};
use crate::learn::optimal::depth2::DepthTwo;
use crate::learn::optimal::depth2::screening::Screened;
use crate::learn::optimal::problem::{
    Context, Edge, FeatureCells, FeatureKind, Inherited, IntervalRule, NONE, Region, RootSplit,
    RowSet, SearchResult, Sketch,
};
use crate::tree::CategoricalSplits;

/// The search for the best trees of a table.
#[derive(Debug)]
pub(super) struct TreeSearch<'a> {
    pub(super) context: Context<'a>,
    pub(super) budget: &'a Budget,
    /// What a row more can cost beside its weight: it may need a leaf of its own.
    pub(super) per_row: u64,
    /// What waits may take this much memory.
    pub(super) most_bytes: usize,
    pub(super) region_bounds: &'a RegionBounds,
    /// When time is up, this much work may still be done for the last level of a tree.
    pub(super) work_at_last: u64,
    /// What screening has found about all rows, for depth two.
    pub(super) screened: Option<&'a Screened>,
    /// Who looks for good trees and lower bounds meanwhile.
    pub(super) helper: Option<&'a Helper<'a>>,
}

impl TreeSearch<'_> {
    /// The least value of some rows if it is below `upper`, with what is known from earlier searches.
    pub(super) fn solve(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        upper: u64,
        before: &Inherited,
    ) -> SearchResult {
        let deepest = self.most_levels(upper);
        if deepest < depth {
            let solved = self.solve(rows, deepest, upper, before);
            return solved.into_deeper(upper, before, self.context.table.kinds().len());
        }
        let nothing = Inherited::default();
        let before = if self.context.switches.inherited_floors {
            before
        } else {
            &nothing
        };
        let region = rows
            .region()
            .filter(|_| depth > 1 && self.has_region_bounds());
        let Some(region) = region else {
            return self.solve_new(rows, depth, upper, before);
        };
        let spare = self.spare_end(rows.len());
        let lower = self.region_bounds.find(depth, region, spare);
        if lower >= upper {
            return SearchResult::at_least(lower, before, self.context.table.kinds().len());
        }
        let solved = self.solve_new(rows, depth, upper, before);
        // A search may be stopped in a part of the time, and others follow. With a least share of a class, more rows may
        // cost less.
        if solved.is_done && !self.context.rule.has_share() {
            let whole = self.context.table.whole();
            self.region_bounds
                .insert(depth, (region, spare), rows, whole, solved.lower);
        }
        solved
    }

    /// Trees with a value below `upper` have no more levels than this. Each leaf costs something, and a tree has at least
    /// one leaf more than levels, also where its last level has many intervals.
    fn most_levels(&self, upper: u64) -> usize {
        // With one interval a tree of the last level is a leaf: fewer levels have fewer cuts.
        if !self.context.switches.levels_of_leaves || self.context.rule.most() < 2 {
            return usize::MAX;
        }
        let most_leaves = upper.saturating_sub(1) / self.context.encoding.per_leaf();
        most_leaves.saturating_sub(1) as usize
    }

    /// A lower bound of some rows holds for all sets that contain them; with leaves of a smaller size, if those have
    /// a least one.
    pub(super) fn has_region_bounds(&self) -> bool {
        self.has_ranges() && self.context.switches.region_bounds
    }

    /// Do fewer rows never cost more? A leaf can become too small, or its class too rare.
    pub(super) fn is_monotone(&self) -> bool {
        self.context.rule.allows_any_leaf()
    }

    /// Are there lower bounds for ranges of cuts?
    pub(super) fn has_ranges(&self) -> bool {
        self.is_monotone() || self.context.switches.relaxed_ranges
    }

    /// This search with another least size of leaves, whose classes may have any share.
    pub(super) fn with_least(&self, min_leaf: usize) -> Self {
        self.with_rule(IntervalRule::new(self.context.rule.most(), min_leaf))
    }

    /// The search for a side of a cut, for leaves that lose rows of this size up to the end of a range.
    pub(super) fn for_range(&self, lost: usize) -> Self {
        if self.has_ranges() {
            self.with_least(self.least_without(lost))
        } else {
            self.with_rule(self.context.rule)
        }
    }

    fn with_rule(&self, rule: IntervalRule) -> Self {
        Self {
            context: Context {
                rule,
                ..self.context
            },
            ..*self
        }
    }

    /// The least size of leaves that have lost rows of this size.
    fn least_without(&self, lost: usize) -> usize {
        let least = self.context.rule.min_leaf();
        if !self.context.switches.leaf_levels || !self.context.has_sized_scans() {
            return 1;
        }
        least.saturating_sub(lost).max(1)
    }

    /// Can rows be added to a tree at the cost of their weight, and of leaves? Where they may need a leaf of their own,
    /// that can be too small. Shares of classes do not count here.
    pub(super) fn can_grow(&self) -> bool {
        self.context.rule.min_leaf() == 1 || self.per_row == 0
    }

    /// What a region has beside its ends.
    pub(super) fn spare_end(&self, n_rows: usize) -> SpareEnd {
        match self.context.rule.min_leaf() {
            1 => SpareEnd::ANY,
            least if self.context.table.counts_rows() => SpareEnd::new(n_rows, least),
            _ => SpareEnd::UNKNOWN,
        }
    }

    /// The least value of rows that were not met before, if it is below `upper`.
    fn solve_new(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        upper: u64,
        before: &Inherited,
    ) -> SearchResult {
        match depth {
            0 => match self.context.leaf(rows) {
                Some(value) => SearchResult::exactly(value, upper, Sketch::Leaf),
                None => SearchResult::never(),
            },
            1 => match self.one(rows) {
                Ok(Some(value)) => SearchResult::exactly(value, upper, Sketch::Leaf),
                Ok(None) => SearchResult::never(),
                Err(Stopped) => SearchResult::stopped(),
            },
            2 if self.is_by_pairs(rows) => self.two(false).solve(rows, upper, before),
            _ => BestFirst::solve(self, rows, depth, upper, before, None),
        }
    }

    /// The least value of the rows of a node of the tree, with all threads and the root split of the first of equal
    /// trees, when it is known what is possible with a level less.
    pub(super) fn solve_node(
        &self,
        rows: &Arc<RowSet>,
        depth: usize,
        upper: u64,
        shallower: Option<SearchResult>,
    ) -> SearchResult {
        match depth {
            ..2 => self.solve(rows, depth, upper, &Inherited::default()),
            2 if self.is_by_pairs(rows) => self.two(true).solve(rows, upper, &Inherited::default()),
            2 => BestFirst::solve(
                self,
                rows,
                depth,
                upper,
                &Inherited::default(),
                Some(self.solve(rows, 1, upper, &Inherited::default())),
            ),
            _ => BestFirst::solve(self, rows, depth, upper, &Inherited::default(), shallower),
        }
    }

    /// Are two levels solved by pairs of a root and a child? A feature that is asked once cannot be its own child.
    pub(super) fn is_by_pairs(&self, rows: &RowSet) -> bool {
        let context = self.context;
        context.is_narrow() && !context.asks_once(rows) && !context.rule.has_share()
    }

    /// The least value of some rows by at most one split; `None` if no leaves are allowed.
    pub(super) fn one(&self, rows: &RowSet) -> Result<Option<u64>, Stopped> {
        let is_spent = || self.budget.is_spent();
        self.context.one(rows, &mut Deadline::new(&is_spent))
    }

    /// This search for when time is up: with only as many intervals as a tree can be made of at once.
    pub(super) fn in_a_hurry(&self) -> Self {
        let rule = self.context.rule;
        let most = self.work_at_last / self.context.work_of_one(1).max(1);
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(2);
        self.with_rule(rule.up_to(most))
    }

    /// A lower bound of some rows with two levels, found much sooner than their least value, and whether that is it. Only
    /// values below `upper` matter.
    pub(super) fn rough_two(&self, rows: &RowSet, upper: u64) -> (u64, bool) {
        let two = self.two(false).rough();
        let rough = two.solve(rows, upper, &Inherited::default());
        (rough.lower_of(upper), rough.is_done)
    }

    fn two(&self, is_node: bool) -> DepthTwo<'_> {
        DepthTwo::new(
            self.context,
            self.budget,
            is_node,
            self.screened.filter(|_| is_node),
        )
    }

    /// For each cut of a feature how large the rows below it are together.
    pub(super) fn sizes_below(&self, rows: &RowSet, feature: usize) -> Vec<usize> {
        let cells = &rows.cells()[feature];
        let mut sum = 0;
        let mut sizes = vec![0];
        for rank in 0..cells.n_ranks() as u32 {
            let group = cells.rows(rank, rank + 1).iter();
            sum += self
                .context
                .table
                .size(group.map(|&row| rows.ids()[row as usize]));
            sizes.push(sum);
        }
        sizes
    }

    /// For each cut of a feature what the rows below it could cost more, at most.
    pub(super) fn most_below(&self, rows: &RowSet, feature: usize) -> Vec<u64> {
        let cells = &rows.cells()[feature];
        let mut sum = 0;
        let mut most = vec![0];
        for rank in 0..cells.n_ranks() as u32 {
            for &row in cells.rows(rank, rank + 1) {
                let weight = u64::from(rows.labels()[row as usize].weight);
                sum += self.context.encoding.loss(weight) + self.per_row;
            }
            most.push(sum);
        }
        most
    }

    /// No tree with one split has more leaves.
    pub(super) fn most_leaves_of_one(&self) -> u64 {
        let table = self.context.table;
        let leaves = |(kind, cells): (&FeatureKind, &FeatureCells)| match kind {
            FeatureKind::Numeric => self.context.rule.most().min(cells.n_ranks()) + 1,
            FeatureKind::Categorical if table.splits() != CategoricalSplits::Multiway => {
                self.context.group_rule().most().min(cells.n_ranks()) + 1
            }
            FeatureKind::Categorical => cells.n_ranks() + 1,
        };
        let all = table.kinds().iter().zip(table.whole().cells()).map(leaves);
        all.max().unwrap_or(1) as u64
    }

    /// How far the search is.
    pub(super) fn tell(&self, depth: usize, best: u64, least: u64) {
        let encoding = self.context.encoding;
        let (best, least) = (encoding.in_losses(best, 0), encoding.in_losses(least, 0));
        let gap = if best > 0.0 {
            (best - least) / best
        } else {
            0.0
        };
        let news = format!("depth {depth}: cost {best}, at least {least}, gap {gap:.3}");
        self.budget.progress().tell(news);
    }

    /// The rows below a cut of a feature that all rows have, or above.
    pub(crate) fn region_of(
        &self,
        rows: &RowSet,
        feature: usize,
        cut: u32,
        is_high: bool,
    ) -> Option<Region> {
        let region = rows.region().filter(|_| self.has_region_bounds())?;
        let cells = &rows.cells()[feature];
        let rank = |place: u32| {
            let id = rows.ids()[cells.order()[place as usize] as usize];
            self.context.table.whole().cells()[feature].ranks()[id as usize]
        };
        // As far as the nearest row on the other side.
        let place = cells.starts()[cut as usize];
        let end = if is_high {
            rank(place - 1) + 1
        } else {
            rank(place)
        };
        Some(region.cut(Edge::new(feature, is_high), end))
    }

    /// The rows of a category of a feature that all rows have, or all others.
    pub(super) fn region_apart(
        &self,
        rows: &RowSet,
        feature: usize,
        category: u32,
        is_rest: bool,
    ) -> Option<Region> {
        let region = rows.region().filter(|_| self.has_region_bounds())?;
        let cells = &rows.cells()[feature];
        let id = rows.ids()[cells.rows(category, category + 1)[0] as usize];
        let rank = self.context.table.whole().cells()[feature].ranks()[id as usize];
        Some(region.apart(Edge::apart(feature, rank, is_rest)))
    }

    /// The regions of both sides of a root split: below a cut and above, or a category and the rest.
    pub(super) fn regions_of(&self, rows: &RowSet, root: RootSplit) -> [Option<Region>; 2] {
        let feature = root.feature();
        let Some(cut) = root.cut() else {
            return [None, None];
        };
        let is_binary = self.context.table.is_binary(feature);
        [false, true].map(|is_high| {
            if is_binary {
                self.region_apart(rows, feature, cut - 1, is_high)
            } else {
                self.region_of(rows, feature, cut, is_high)
            }
        })
    }

    /// The rows on both sides of a root split that all rows have, without the features that may not be asked there.
    pub(super) fn parted(&self, rows: &RowSet, root: RootSplit) -> [RowSet; 2] {
        let (feature, cut) = (root.feature(), root.cut().unwrap_or(0));
        let parts = if self.context.table.is_binary(feature) {
            rows.apart(feature, cut - 1)
        } else {
            rows.parted(feature, cut)
        };
        parts.map(|part| self.context.below(part, feature))
    }

    /// The rows of each branch of a root split, as a tree has them: those with missing cells come last.
    pub(super) fn branches(&self, rows: &RowSet, root: RootSplit) -> Vec<RowSet> {
        let (feature, table) = (root.feature(), self.context.table);
        let cells = &rows.cells()[feature];
        let (of, n_ranks) = (cells.ranks(), cells.n_ranks() as u32);
        let mut parts = match root.cut() {
            None if table.is_multiway(feature) => {
                (0..n_ranks).map(|rank| rows.group(feature, rank)).collect()
            }
            None => vec![rows.only(|row| of[row] != NONE)],
            Some(_) if !cells.has_missing() => return self.parted(rows, root).into(),
            Some(cut) if table.is_binary(feature) => {
                let rest = |row: usize| ![cut - 1, NONE].contains(&of[row]);
                vec![rows.group(feature, cut - 1), rows.only(rest)]
            }
            Some(cut) => {
                let sides = [0..cut, cut..n_ranks];
                sides.map(|ranks| rows.within(feature, ranks)).into()
            }
        };
        if cells.has_missing() {
            parts.push(rows.missing(feature));
        }
        let below = |part: RowSet| self.context.below(part, feature);
        parts.into_iter().map(below).collect()
    }

    /// How many rows are on the low side of a root split that all rows have.
    pub(super) fn n_below(&self, rows: &RowSet, root: RootSplit) -> usize {
        let (cells, cut) = (&rows.cells()[root.feature()], root.cut().unwrap_or(0));
        if self.context.table.is_binary(root.feature()) {
            cells.rows(cut - 1, cut).len()
        } else {
            cells.starts()[cut as usize] as usize
        }
    }
}
