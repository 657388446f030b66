//! Depth two: the solver of the last two levels. All deeper searches call it.
//!
//! **Problem.** Find the root split of some rows and the splits of its branches into leaves.
//!
//! **Method.** All cuts of all root features get lower bounds at once. Where a better tree is possible, ranges of
//! cuts are solved or refined, until none is left. Two methods do this: [`HistogramEngine`] for all tables, and
//! [`ScanEngine`] for two classes in a few intervals.
//!
//! **Source.** T2 of Auer, Holte and Maass solves the same problem. MurTree and STreeD have a special solver of
//! depth two for binary features, and ConTree has one for continuous features. This one finds lower bounds for many
//! cuts at once, and most cuts need not be tried.

pub(crate) mod cut_range;
pub(crate) mod histogram;
pub(crate) mod lane_of_rank;
pub(crate) mod scan;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
pub(crate) mod screening;
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is made for the widest vectors"
)]
pub(crate) mod simd;

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;

use self::histogram::Spare;
use self::histogram::bins::{Bins, MOST_BINS};
use self::histogram::engine::HistogramEngine;
use self::scan::batch::MOST_WEIGHT;
use self::scan::engine::ScanEngine;
use self::scan::runs::MOST_INTERVALS;
use self::scan::sized::MOST_SIZED_INTERVALS;
use self::screening::Screened;
use self::simd::Lane;
use crate::budget::Budget;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{
    Context, Floors, Inherited, NONE, RootSplit, RowSet, SearchResult, Sketch, TreeIncumbent,
};

/// A search with two levels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DepthTwo<'a> {
    context: Context<'a>,
    budget: &'a Budget,
    /// Is it about a node of the tree? Then all threads work, and of equal trees the first is wanted.
    is_node: bool,
    /// What screening has found, if the search is about all rows.
    screened: Option<&'a Screened>,
    /// Are first lower bounds of all cuts enough?
    is_rough: bool,
}

/// A method that solves the cuts of root features, until none of them can be better than the incumbent.
pub(crate) trait DepthTwoEngine {
    /// Sets the floors of the wanted root features. Was there time for all?
    fn solve<T: Lane>(
        self,
        rows: &RowSet,
        wanted: &[usize],
        incumbent: &TreeIncumbent,
        floors: &mut Floors<'_>,
    ) -> bool;
}

/// A root whose branches for missing cells and categories are solved.
pub(crate) struct EnteredRoot<'a> {
    /// The rows that have a number, if there are cuts.
    numbers: Option<Cow<'a, RowSet>>,
    /// The value of the branch for missing cells, or 0.
    missing: u64,
    floor: u64,
    is_done: bool,
}

impl<'a> DepthTwo<'a> {
    pub(crate) fn new(
        context: Context<'a>,
        budget: &'a Budget,
        is_node: bool,
        screened: Option<&'a Screened>,
    ) -> Self {
        Self {
            context,
            budget,
            is_node,
            screened,
            is_rough: false,
        }
    }

    /// A search that is stopped when all cuts have a first lower bound.
    pub(crate) fn rough(self) -> Self {
        Self {
            is_rough: true,
            ..self
        }
    }

    /// Has the time come to leave the ranges of cuts as they are?
    fn is_over(self) -> bool {
        self.is_rough || self.budget.is_spent()
    }

    /// The least value of some rows, if it is below `upper`. For features with a floor of at least `upper`
    /// nothing better is expected.
    pub(crate) fn solve(self, rows: &RowSet, upper: u64, before: &Inherited) -> SearchResult {
        // A scan is never further from its start than there are steps; sums count some rows repeatedly.
        let Context { rule, switches, .. } = self.context;
        let sizes = switches.sizes;
        let is_scan =
            (rule.most() == 2 || rows.len() <= sizes.scanned_rows) && self.context.has_scans(rows);
        let has_binary = (0..rows.cells().len()).any(|it| self.context.table.is_binary(it));
        let most_often = if is_scan && !has_binary {
            1
        } else {
            rule.most().max(2) as u64
        };
        let most = rows.weight().max(rows.len() as u64) * most_often;
        if most <= i16::LARGEST {
            self.solve_in::<i16>(rows, upper, before)
        } else if most <= i32::LARGEST {
            self.solve_in::<i32>(rows, upper, before)
        } else {
            self.solve_in::<i64>(rows, upper, before)
        }
    }

    fn solve_in<T: Lane>(self, rows: &RowSet, upper: u64, before: &Inherited) -> SearchResult {
        let incumbent = TreeIncumbent::below(upper, self.is_node);
        let leaf = self.context.leaf(rows);
        if let Some(leaf) = leaf {
            incumbent.offer(leaf, Sketch::Leaf);
        }
        let n_features = self.context.table.kinds().len();
        let mut floors = Floors {
            own: before.floors.clone(),
            shallower: 0,
            before,
        };
        floors.own.resize(n_features, 0);
        let mut is_done = true;
        if incumbent.value() > 2 * self.context.encoding.per_leaf() {
            let is_wanted = |&feature: &usize| floors.own[feature] < upper;
            let wanted: Vec<usize> = (0..n_features).filter(is_wanted).collect();
            is_done = self.solve_roots::<T>(rows, &wanted, &incumbent, &mut floors);
        }
        SearchResult::new(&incumbent, upper, leaf, floors, is_done)
    }

    /// Solves root features with the same features below them at once.
    fn solve_roots<T: Lane>(
        self,
        rows: &RowSet,
        wanted: &[usize],
        incumbent: &TreeIncumbent,
        floors: &mut Floors<'_>,
    ) -> bool {
        let groups = self.context.by_hidden(rows, wanted);
        let (mut is_done, mut shallower) = (true, u64::MAX);
        for (hidden, roots) in &groups {
            let part = match hidden[..] {
                [] => Cow::Borrowed(rows),
                _ => Cow::Owned(rows.clone().hiding(hidden)),
            };
            // Categories that are set apart have lanes in histograms.
            let is_by_scan =
                |&root: &usize| self.context.has_scans(rows) && !self.context.table.is_binary(root);
            let (by_scan, by_histogram): (Vec<usize>, Vec<usize>) =
                roots.iter().copied().partition(is_by_scan);
            if !by_histogram.is_empty() {
                let engine = HistogramEngine::new(self);
                is_done &= engine.solve::<T>(&part, &by_histogram, incumbent, floors);
            }
            if !by_scan.is_empty() {
                is_done &= ScanEngine::new(self).solve::<T>(&part, &by_scan, incumbent, floors);
            }
            shallower = shallower.min(floors.shallower);
        }
        // A tree of one level splits on one of the features that some root has below it.
        let is_known = |feature| groups.iter().any(|(hidden, _)| !hidden.contains(&feature));
        let is_whole = (0..rows.cells().len()).all(is_known);
        floors.shallower = if is_whole { shallower } else { 0 };
        is_done
    }

    /// Does something with each of some things, by all threads for a node of the tree. All that one thread does has
    /// the same spare tables.
    pub(crate) fn map<T, I, X, O>(
        self,
        things: I,
        what: impl Fn(&mut Spare<T>, X) -> O + Sync + Send,
    ) -> Vec<O>
    where
        T: Lane,
        I: IntoIterator<Item = X> + IntoParallelIterator<Item = X>,
        X: Send,
        O: Send,
    {
        if self.is_parallel() {
            return things.into_par_iter().map_init(Spare::new, what).collect();
        }
        let mut spare = Spare::new();
        let what = |thing: X| what(&mut spare, thing);
        things.into_iter().map(what).collect()
    }

    pub(crate) fn is_parallel(self) -> bool {
        self.is_node && rayon::current_num_threads() > 1
    }

    /// The bins of all features: few, and many.
    pub(crate) fn bins(self, rows: &RowSet) -> [Arc<Bins>; 2] {
        let sizes = self.context.switches.sizes;
        let n_classes = self.context.table.n_classes();
        let n_lanes = match n_classes {
            ..=12 if rows.len() >= sizes.many_rows => sizes.many,
            ..=64 => sizes.few,
            _ => sizes.few.min(14),
        };
        let both = [(n_lanes, n_lanes), (sizes.many, sizes.bins)];
        Bins::both(rows, both)
    }

    /// A root before its cuts are tried: branches for missing cells and categories are solved.
    pub(crate) fn enter<'r>(
        self,
        rows: &'r RowSet,
        feature: usize,
        incumbent: &TreeIncumbent,
    ) -> EnteredRoot<'r> {
        let cells = &rows.cells()[feature];
        let nothing = |floor: u64| EnteredRoot {
            numbers: None,
            missing: 0,
            floor,
            is_done: true,
        };
        let stopped = || EnteredRoot {
            is_done: false,
            ..nothing(0)
        };
        if self.budget.is_spent() {
            return stopped();
        }
        if cells.n_ranks() == 0 || cells.n_ranks() == 1 && !cells.has_missing() {
            return nothing(u64::MAX);
        }
        let mut missing = 0;
        if cells.has_missing() {
            match self.one(&rows.missing(feature)) {
                Ok(Some(value)) => missing = value,
                Ok(None) => return nothing(u64::MAX),
                Err(Stopped) => return stopped(),
            }
        }
        let uncut = RootSplit::uncut(feature);
        if self.context.table.is_multiway(feature) {
            let Ok(value) = self.categories(rows, feature, missing, incumbent.upper_for(uncut))
            else {
                return stopped();
            };
            incumbent.offer(value, uncut.alone());
            return nothing(value);
        }
        let (mut floor, mut numbers) = (u64::MAX, Cow::Borrowed(rows));
        if cells.has_missing() {
            let present = rows.only(|row| cells.ranks()[row] != NONE);
            match self.one(&present) {
                Ok(Some(whole)) => {
                    floor = missing + whole;
                    incumbent.offer(floor, uncut.alone());
                }
                Ok(None) => {}
                Err(Stopped) => return stopped(),
            }
            numbers = Cow::Owned(present);
        }
        if self.context.table.is_binary(feature) {
            let Ok(value) = self.groups(rows, feature, incumbent) else {
                return stopped();
            };
            floor = floor.min(value);
            let n_lanes = numbers.cells()[feature].n_ways_apart();
            if n_lanes == 0 {
                return nothing(floor);
            }
            if n_lanes as usize > MOST_BINS {
                let Ok(value) = self.categories_apart(&numbers, feature, missing, incumbent) else {
                    return stopped();
                };
                return nothing(floor.min(value));
            }
        }
        EnteredRoot {
            numbers: Some(numbers),
            missing,
            floor,
            is_done: true,
        }
    }

    /// The least value of some rows by at most one split; `None` if there are too few of them.
    pub(crate) fn one(self, rows: &RowSet) -> Result<Option<u64>, Stopped> {
        let is_spent = || self.budget.is_spent();
        self.context.one(rows, &mut Deadline::new(&is_spent))
    }

    /// The value of groups of categories, all of which are leaves.
    fn groups(
        self,
        rows: &RowSet,
        feature: usize,
        incumbent: &TreeIncumbent,
    ) -> Result<u64, Stopped> {
        let is_spent = || self.budget.is_spent();
        let asked = self
            .context
            .asked(rows, feature, &mut Deadline::new(&is_spent))?;
        if let Some(value) = asked {
            incumbent.offer(value, RootSplit::groups(feature).alone());
        }
        Ok(asked.unwrap_or(u64::MAX))
    }

    /// Tries all splits of one category against the rest, where they are too many for histograms. No tree with this
    /// root that was passed over has a smaller value than what is returned.
    fn categories_apart(
        self,
        present: &RowSet,
        feature: usize,
        missing: u64,
        incumbent: &TreeIncumbent,
    ) -> Result<u64, Stopped> {
        let mut floor = u64::MAX;
        for cut in 1..=present.cells()[feature].n_ways_apart() {
            let root = RootSplit::at(feature, cut);
            let [group, rest] = present.apart(feature, cut - 1);
            let mut value = missing;
            for side in [rest, group] {
                let with_leaf = value.saturating_add(self.context.encoding.per_leaf());
                if with_leaf >= incumbent.upper_for(root) {
                    value = with_leaf;
                    continue;
                }
                value = value.saturating_add(self.one(&side)?.unwrap_or(u64::MAX));
            }
            floor = floor.min(value);
            incumbent.offer(value, root.alone());
        }
        Ok(floor)
    }

    /// The sum over categories, or a lower bound of it that is not below `upper`.
    fn categories(
        self,
        rows: &RowSet,
        feature: usize,
        missing: u64,
        upper: u64,
    ) -> Result<u64, Stopped> {
        let n_ranks = rows.cells()[feature].n_ranks() as u32;
        let mut value = missing;
        for rank in 0..n_ranks {
            let others = u64::from(n_ranks - rank) * self.context.encoding.per_leaf();
            if value + others >= upper {
                return Ok(value + others);
            }
            let Some(branch) = self.one(&rows.group(feature, rank))? else {
                return Ok(u64::MAX);
            };
            value += branch;
        }
        Ok(value)
    }
}

impl Context<'_> {
    /// Root features, each with those that exclude the same features of some rows below them. A root that may be asked
    /// only once has its own cells here: below, it has no cuts.
    fn by_hidden(self, rows: &RowSet, roots: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        if !self.has_rules() {
            return vec![(Vec::new(), roots.to_vec())];
        }
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for &root in roots {
            let is_hidden =
                |&feature: &usize| feature != root && rows.cells()[feature].n_ranks() > 0;
            let hidden = self.table.never_below().below(root).iter().copied();
            let hidden: Vec<usize> = hidden.filter(is_hidden).collect();
            match groups.iter_mut().find(|group| group.0 == hidden) {
                Some((_, roots)) => roots.push(root),
                None => groups.push((hidden, vec![root])),
            }
        }
        groups
    }

    /// Can trees of two levels be found by scans? They are for two classes in a few intervals of any size.
    pub(crate) fn has_scans(self, rows: &RowSet) -> bool {
        let is_light = || {
            rows.labels()
                .iter()
                .all(|label| (1..MOST_WEIGHT).contains(&label.weight))
        };
        let rule = self.rule;
        let is_few = (2..=MOST_INTERVALS).contains(&rule.most());
        // Sums along a scan are narrow numbers.
        let is_in_range = rows.weight() <= i32::LARGEST;
        self.switches.scans
            && self.table.n_classes() == 2
            && is_few
            && (rule.min_leaf() == 1 || self.has_sized_scans())
            && is_in_range
            && is_light()
    }

    /// Can scans count the rows of leaves? They do so in two and three intervals.
    pub(crate) fn has_sized_scans(self) -> bool {
        let is_few = (2..=MOST_SIZED_INTERVALS).contains(&self.rule.most());
        let is_scan = self.switches.scans && self.switches.sized_scans;
        let has_binary = (0..self.table.kinds().len()).any(|it| self.table.is_binary(it));
        let counts_rows = self.table.counts_rows() && !has_binary;
        is_scan && is_few && self.table.n_classes() == 2 && counts_rows
    }

    /// Are classes and intervals few enough that sums for all of them are worth it? Else cuts are tried one
    /// by one.
    pub(crate) fn is_narrow(self) -> bool {
        let all = self.table.n_classes().saturating_mul(self.rule.most());
        self.switches.histograms && all <= self.switches.sizes.sums
    }
}
