//! The best tree of some depth, by recursion over its splits, with bounds.
//!
//! A node is a leaf, a split into categories, or a split of a numeric feature: in two above the last level,
//! in up to `K` intervals at it. Missing values have a branch of their own. The question for some rows is:
//! what is their least value, *if that is below a bound*?
//!
//! Above the last level the cut of a feature is found by bisection. Let `L(t)` and `R(t)` be the best values of
//! the rows below and above a cut `t`. More rows never cost less, so `L` rises with `t` and `R` falls: between
//! two cuts `a < b`, `L(t) + R(t)` is at least `L(a) + R(b)`. And a row more costs at most its largest loss and
//! one more leaf, so near a cut that was tried no other can be much better. A range whose bound is not below
//! the best value known is passed over. With a least number of rows in a leaf neither holds, and all cuts are
//! tried.

use std::borrow::Cow;

use super::line::{Line, Rule};
use super::price::Price;
use super::table::{Feature, NONE, Rows, Table};
use crate::budget::Budget;

/// The search was stopped from outside.
#[derive(Debug)]
pub(super) struct Stopped;

/// A tree without the data.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    Leaf,
    Split {
        feature: usize,
        /// Ranks at which the next interval begins; none for categories.
        cuts: Vec<u32>,
        /// For the intervals or the categories that there are, then for missing values if there are any.
        children: Vec<Plan>,
    },
}

/// The ranks at which rows are cut, and the rows of each interval.
type Intervals = (Vec<u32>, Vec<Rows>);

/// The search for the best trees of a table.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) table: &'a Table,
    pub(super) price: Price,
    pub(super) rule: Rule,
    pub(super) budget: &'a Budget,
    /// Sets of rows that were looked into.
    pub(super) states: u64,
}

/// The parts of some rows by a feature: by category, or all that have a value; and those that have none.
struct Parts<'a> {
    present: Vec<Cow<'a, Rows>>,
    missing: Option<Rows>,
}

impl Parts<'_> {
    /// Is it a split at all? Numbers can be cut.
    fn is_split(&self, feature: &Feature) -> bool {
        let is_numeric = matches!(feature, Feature::Numeric { .. });
        let n_parts = self.present.len() + usize::from(self.missing.is_some());
        n_parts > 1 || is_numeric && !self.present.is_empty()
    }
}

impl Search<'_> {
    /// The least value of some rows if it is below `bound`, else a lower bound that is not.
    pub(super) fn solve(&mut self, rows: &Rows, depth: usize, bound: u64) -> Result<u64, Stopped> {
        let Some(as_leaf) = self.leaf_value(rows) else {
            return Ok(bound);
        };
        let mut best = as_leaf.min(bound);
        // Two leaves are the least that a split can cost.
        if depth == 0 || best <= 2 * self.price.per_leaf {
            return Ok(best);
        }
        self.check()?;
        for feature in 0..self.table.features.len() {
            best = best.min(self.by_feature(rows, feature, depth, best)?);
        }
        Ok(best)
    }

    /// The value of some rows as a leaf, if there are enough of them.
    fn leaf_value(&self, rows: &Rows) -> Option<u64> {
        let is_large = rows.all.len() >= self.rule.min_leaf;
        is_large.then(|| self.price.leaf(self.table.error(&rows.all)))
    }

    /// The least value of trees that first ask a feature, if it is below `bound`; else `bound`.
    fn by_feature(
        &mut self,
        rows: &Rows,
        feature: usize,
        depth: usize,
        bound: u64,
    ) -> Result<u64, Stopped> {
        let parts = self.parts(rows, feature);
        if !parts.is_split(&self.table.features[feature]) {
            return Ok(bound);
        }
        let missing = match &parts.missing {
            None => 0,
            Some(missing) => self.solve(missing, depth - 1, bound)?,
        };
        if missing >= bound {
            return Ok(bound);
        }
        let present = match &self.table.features[feature] {
            Feature::Categorical { .. } => self.sum(&parts.present, depth, bound - missing)?,
            Feature::Numeric { ranks, .. } if depth == 1 => {
                let line = Line::new(self.table, ranks, &rows.by_value[feature]);
                let best = line.best(self.rule, self.price);
                best.unwrap_or(u64::MAX).min(bound - missing)
            }
            Feature::Numeric { .. } => {
                let Some(rows) = parts.present.first() else {
                    return Ok(bound);
                };
                self.cut_in_two(rows, feature, depth, bound - missing, missing > 0)?
            }
        };
        Ok((missing + present).min(bound))
    }

    /// The sum of the values of all parts, if it is below `bound`; else `bound`.
    fn sum(&mut self, parts: &[Cow<'_, Rows>], depth: usize, bound: u64) -> Result<u64, Stopped> {
        let mut sum = 0;
        for (place, part) in parts.iter().enumerate() {
            // Each of the others is at least a leaf.
            let others = (parts.len() - place - 1) as u64 * self.price.per_leaf;
            if sum + others >= bound {
                return Ok(bound);
            }
            sum += self.solve(part, depth - 1, bound - sum - others)?;
        }
        Ok(sum.min(bound))
    }

    /// The least value of rows that are cut in two by a feature which all of them have, or, where they may
    /// be, not cut at all; if it is below `bound`, else `bound`.
    fn cut_in_two(
        &mut self,
        rows: &Rows,
        feature: usize,
        depth: usize,
        bound: u64,
        may_be_whole: bool,
    ) -> Result<u64, Stopped> {
        let mut best = bound;
        if may_be_whole {
            best = best.min(self.solve(rows, depth - 1, best)?);
        }
        let cuts = Cuts::new(self, rows, feature);
        let leaf = self.price.per_leaf;
        let mut open = vec![(0, cuts.places.len(), leaf, leaf)];
        while let Some((low, high, left_least, right_least)) = open.pop() {
            if low >= high || left_least + right_least >= best {
                continue;
            }
            let middle = usize::midpoint(low, high);
            let (left, right) = cuts.sides(self, rows, feature, middle);
            let left = self.solve(&left, depth - 1, best - right_least)?;
            let right = self.solve(&right, depth - 1, best - left_least)?;
            let value = left + right;
            best = best.min(value);
            if self.rule.min_leaf > 1 {
                // Fewer rows may cost more: nothing is known about the other cuts.
                open.push((middle + 1, high, leaf, leaf));
                open.push((low, middle, leaf, leaf));
                continue;
            }
            let slack = value - best.min(value);
            let before = cuts.first_within(low, middle, slack);
            let after = cuts.last_within(middle, high, slack);
            open.push((after, high, left, right_least));
            open.push((low, before, left_least, right));
        }
        Ok(best)
    }

    fn parts<'r>(&self, rows: &'r Rows, feature: usize) -> Parts<'r> {
        let cells = &self.table.features[feature];
        let only = |wanted: u32| rows.only(|row| cells.cell(row) == wanted);
        let has_missing = rows.all.iter().any(|&row| cells.cell(row) == NONE);
        let present = match cells {
            Feature::Numeric { .. } if rows.by_value[feature].is_empty() => Vec::new(),
            Feature::Numeric { .. } if !has_missing => vec![Cow::Borrowed(rows)],
            Feature::Numeric { .. } => {
                vec![Cow::Owned(rows.only(|row| cells.cell(row) != NONE))]
            }
            Feature::Categorical { n_categories, .. } => {
                let mut is_there = vec![false; *n_categories];
                for &row in &rows.all {
                    if cells.cell(row) != NONE {
                        is_there[cells.cell(row) as usize] = true;
                    }
                }
                let codes = (0..*n_categories as u32).filter(|&code| is_there[code as usize]);
                codes.map(|code| Cow::Owned(only(code))).collect()
            }
        };
        Parts {
            present,
            missing: has_missing.then(|| only(NONE)),
        }
    }

    /// The tree of a value: of all with this value the first, in the order of features and cuts.
    pub(super) fn plan(&mut self, rows: &Rows, depth: usize, value: u64) -> Result<Plan, Stopped> {
        if self.leaf_value(rows) == Some(value) {
            return Ok(Plan::Leaf);
        }
        for feature in 0..self.table.features.len() {
            if let Some(plan) = self.plan_by(rows, feature, depth, value)? {
                return Ok(plan);
            }
        }
        unreachable!("a value that was found has a tree")
    }

    fn plan_by(
        &mut self,
        rows: &Rows,
        feature: usize,
        depth: usize,
        value: u64,
    ) -> Result<Option<Plan>, Stopped> {
        let parts = self.parts(rows, feature);
        if depth == 0 || !parts.is_split(&self.table.features[feature]) {
            return Ok(None);
        }
        let missing = match &parts.missing {
            None => 0,
            Some(missing) => self.solve(missing, depth - 1, value)?,
        };
        if missing >= value {
            return Ok(None);
        }
        let present = value - missing;
        let found = match &self.table.features[feature] {
            Feature::Categorical { .. } => {
                let sum = self.sum(&parts.present, depth, present + 1)?;
                let branches = parts.present.into_iter().map(Cow::into_owned);
                (sum == present).then(|| (Vec::new(), branches.collect()))
            }
            Feature::Numeric { .. } => match parts.present.first() {
                None => None,
                Some(rows) if depth == 1 => self.intervals(rows, feature, present),
                Some(rows) => self.two(rows, feature, depth, present, missing > 0)?,
            },
        };
        let Some((cuts, mut parts_by_cut)) = found else {
            return Ok(None);
        };
        parts_by_cut.extend(parts.missing);
        let mut children = Vec::new();
        for part in &parts_by_cut {
            let value = self.solve(part, depth - 1, u64::MAX)?;
            children.push(self.plan(part, depth - 1, value)?);
        }
        Ok(Some(Plan::Split {
            feature,
            cuts,
            children,
        }))
    }

    /// The lowest cuts of a feature into intervals of a value, and the intervals.
    fn intervals(&self, rows: &Rows, feature: usize, value: u64) -> Option<Intervals> {
        let Feature::Numeric { ranks, .. } = &self.table.features[feature] else {
            return None;
        };
        let order = &rows.by_value[feature];
        let line = Line::new(self.table, ranks, order);
        let places = line.cuts(value, self.rule, self.price)?;
        let rank = |&place: &usize| ranks[order[line.places[place]] as usize];
        let cuts: Vec<u32> = places.iter().map(rank).collect();
        let intervals = (0..=cuts.len()).map(|at| {
            let from = at.checked_sub(1).map_or(0, |before| cuts[before]);
            let to = cuts.get(at).copied().unwrap_or(NONE);
            rows.only(|row| (from..to).contains(&ranks[row as usize]))
        });
        Some((cuts.clone(), intervals.collect()))
    }

    /// The lowest cut in two of a value, and the sides; perhaps there is no cut at all.
    fn two(
        &mut self,
        rows: &Rows,
        feature: usize,
        depth: usize,
        value: u64,
        may_be_whole: bool,
    ) -> Result<Option<Intervals>, Stopped> {
        if may_be_whole && self.solve(rows, depth - 1, value + 1)? == value {
            return Ok(Some((Vec::new(), vec![rows.clone()])));
        }
        let cuts = Cuts::new(self, rows, feature);
        let leaf = self.price.per_leaf;
        // The ranges on top come first in order.
        let mut open = vec![Open::Range(0, cuts.places.len(), leaf, leaf)];
        while let Some(next) = open.pop() {
            let (low, high, left_least, right_least) = match next {
                Open::Range(low, high, left, right) => (low, high, left, right),
                Open::Found(place) => {
                    let (left, right) = cuts.sides(self, rows, feature, place);
                    return Ok(Some((vec![cuts.places[place]], vec![left, right])));
                }
            };
            if low >= high || left_least + right_least > value {
                continue;
            }
            let middle = usize::midpoint(low, high);
            let (left, right) = cuts.sides(self, rows, feature, middle);
            let left = self.solve(&left, depth - 1, value - right_least + 1)?;
            let right = self.solve(&right, depth - 1, value - left_least + 1)?;
            let (left_to, right_from) = match self.rule.min_leaf {
                1 => (right, left),
                _ => (leaf, leaf),
            };
            open.push(Open::Range(middle + 1, high, right_from, right_least));
            if left + right == value {
                open.push(Open::Found(middle));
            }
            open.push(Open::Range(low, middle, left_least, left_to));
        }
        Ok(None)
    }

    fn check(&mut self) -> Result<(), Stopped> {
        self.states += 1;
        if self.states.is_multiple_of(64) && self.budget.is_spent() {
            return Err(Stopped);
        }
        Ok(())
    }
}

/// A range of cuts that are still to be tried, with bounds for the rows below and above, or a hit.
enum Open {
    Range(usize, usize, u64, u64),
    Found(usize),
}

/// The cuts of a feature, from the lowest on.
struct Cuts {
    /// The ranks at which the upper side begins.
    places: Vec<u32>,
    /// What all rows before each place could cost, at most.
    most: Vec<u64>,
}

impl Cuts {
    fn new(search: &Search<'_>, rows: &Rows, feature: usize) -> Self {
        let mut cuts = Self {
            places: Vec::new(),
            most: Vec::new(),
        };
        let cells = &search.table.features[feature];
        let (mut sum, mut last) = (0, None);
        for &row in &rows.by_value[feature] {
            let rank = cells.cell(row);
            if last.is_some_and(|last| last != rank) {
                cuts.places.push(rank);
                cuts.most.push(sum);
            }
            let loss = search.table.losses(row).iter().copied().max().unwrap_or(0);
            sum += search.price.leaf(u64::from(loss));
            last = Some(rank);
        }
        cuts
    }

    fn sides(
        &self,
        search: &Search<'_>,
        rows: &Rows,
        feature: usize,
        place: usize,
    ) -> (Rows, Rows) {
        let cells = &search.table.features[feature];
        let cut = self.places[place];
        (
            rows.only(|row| cells.cell(row) < cut),
            rows.only(|row| cells.cell(row) >= cut),
        )
    }

    /// The end of the places below `middle` that are further from it than `slack`.
    fn first_within(&self, low: usize, middle: usize, slack: u64) -> usize {
        let is_far = |most: &u64| self.most[middle] - most > slack;
        low + self.most[low..middle].partition_point(is_far)
    }

    /// The first place above `middle` that is further from it than `slack`.
    fn last_within(&self, middle: usize, high: usize, slack: u64) -> usize {
        let is_near = |most: &u64| most - self.most[middle] <= slack;
        middle + self.most[middle..high].partition_point(is_near)
    }
}
