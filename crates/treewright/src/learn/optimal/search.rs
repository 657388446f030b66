//! The least value of some rows, and the tree that has it.

use std::sync::Arc;

use super::best::{Root, Sketch, Solved};
use super::deep::Deep;
use super::level::Setting;
use super::line::Line;
use super::rows::{Cells, Rows};
use super::table::{Kind, NONE};
use super::two::Two;
use crate::budget::Budget;

/// A tree without the data.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Plan {
    Leaf,
    Split {
        feature: usize,
        /// Where the next interval begins; none for categories.
        cuts: Vec<f64>,
        /// For the intervals or the categories that there are, then for missing values if there are any.
        children: Vec<Plan>,
    },
}

/// The search for the best trees of a table.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) budget: &'a Budget,
    /// What a row more can cost beside its weight: it may need a leaf of its own.
    pub(super) per_row: u64,
}

/// The search was stopped from outside.
#[derive(Debug)]
pub(super) struct Stopped;

impl Search<'_> {
    /// The least value of some rows if it is below `bound`. With floors for features from an earlier search.
    pub(super) fn solve(
        &self,
        rows: &Arc<Rows>,
        depth: usize,
        bound: u64,
        floors: &[u64],
    ) -> Solved {
        match depth {
            0 => match self.setting.leaf(rows) {
                Some(value) => Solved::exactly(value, Sketch::Leaf),
                None => Solved::never(),
            },
            1 => match self.setting.one(rows) {
                Some(value) => Solved::exactly(value, Sketch::Leaf),
                None => Solved::never(),
            },
            2 => self.two(false).solve(rows, bound, floors),
            _ => Deep::solve(self, rows, depth, bound, floors, None),
        }
    }

    /// The same for all rows, with all threads, when it is known what is possible with a level less.
    pub(super) fn solve_whole(
        &self,
        rows: &Arc<Rows>,
        depth: usize,
        bound: u64,
        flat: Option<Solved>,
    ) -> Solved {
        match depth {
            ..2 => self.solve(rows, depth, bound, &[]),
            2 => self.two(true).solve(rows, bound, &[]),
            _ => Deep::solve(self, rows, depth, bound, &[], flat),
        }
    }

    fn two(&self, is_parallel: bool) -> Two<'_> {
        Two {
            setting: self.setting,
            budget: self.budget,
            is_parallel,
        }
    }

    /// For each cut of a feature what the rows below it could cost more, at most.
    pub(super) fn most_below(&self, rows: &Rows, feature: usize) -> Vec<u64> {
        let cells = &rows.cells[feature];
        let mut sum = 0;
        let mut most = vec![0];
        for rank in 0..cells.n_ranks() as u32 {
            for &row in cells.rows(rank, rank + 1) {
                let weight = u64::from(rows.weights[row as usize]);
                sum += self.setting.price.loss(weight) + self.per_row;
            }
            most.push(sum);
        }
        most
    }

    /// No tree with one question has more leaves.
    pub(super) fn most_leaves_of_one(&self) -> u64 {
        let table = self.setting.table;
        let leaves = |(kind, cells): (&Kind, &Cells)| match kind {
            Kind::Numeric => self.setting.rule.most.min(cells.n_ranks()) + 1,
            Kind::Categorical => cells.n_ranks() + 1,
        };
        let all = table.kinds.iter().zip(&table.whole.cells).map(leaves);
        all.max().unwrap_or(1) as u64
    }

    /// How far the search is.
    pub(super) fn tell(&self, depth: usize, best: u64, least: u64) {
        let price = self.setting.price;
        let (best, least) = (price.in_losses(best), price.in_losses(least));
        let gap = if best > 0.0 {
            (best - least) / best
        } else {
            0.0
        };
        let news = format!("depth {depth}: cost {best}, at least {least}, gap {gap:.3}");
        self.budget.progress().tell(news);
    }

    /// The tree of a value: of all with this value the first, in the order of features and cuts. Features with
    /// larger floors are out of question.
    pub(super) fn plan(
        &self,
        rows: &Arc<Rows>,
        depth: usize,
        value: u64,
        floors: &[u64],
    ) -> Result<Plan, Stopped> {
        if self.setting.leaf(rows) == Some(value) {
            return Ok(Plan::Leaf);
        }
        for feature in 0..self.setting.table.kinds.len() {
            if floors.get(feature).is_some_and(|&floor| floor > value) {
                continue;
            }
            if let Some(plan) = self.plan_by(rows, feature, depth, value)? {
                return Ok(plan);
            }
        }
        unreachable!("a value that was found has a tree")
    }

    fn plan_by(
        &self,
        rows: &Arc<Rows>,
        feature: usize,
        depth: usize,
        value: u64,
    ) -> Result<Option<Plan>, Stopped> {
        let cells = &rows.cells[feature];
        if depth == 0 || cells.n_ranks() == 0 || cells.n_ranks() == 1 && !cells.has_missing() {
            return Ok(None);
        }
        if depth == 1 && self.setting.asked(rows, feature) != Some(value) {
            return Ok(None);
        }
        let mut missing = 0;
        let mut present = Arc::clone(rows);
        if cells.has_missing() {
            let part = Arc::new(rows.missing(feature));
            let Some(cost) = self.exact(&part, depth - 1, value)?.value else {
                return Ok(None);
            };
            missing = cost;
            present = Arc::new(rows.only(|row| cells.ranks[row] != NONE));
        }
        if missing >= value {
            return Ok(None);
        }
        let cuts = match self.setting.table.kinds[feature] {
            Kind::Categorical if self.has_sum(&present, feature, depth, value - missing)? => {
                (1..present.cells[feature].n_ranks() as u32).collect()
            }
            Kind::Numeric if depth == 1 => {
                let line = Line::new(self.setting.table, &present, feature);
                let cuts = line.cuts(value - missing, self.setting.rule, self.setting.price);
                let Some(cuts) = cuts else {
                    return Ok(None);
                };
                cuts.into_iter().map(|cut| cut as u32).collect()
            }
            Kind::Numeric => {
                let is_whole = missing > 0
                    && self.exact(&present, depth - 1, value - missing + 1)?.value
                        == Some(value - missing);
                let mut cuts = Vec::new();
                if !is_whole {
                    match self.lowest_cut(&present, feature, depth, value - missing)? {
                        None => return Ok(None),
                        Some(cut) => cuts.push(cut),
                    }
                }
                cuts
            }
            Kind::Categorical => return Ok(None),
        };
        let mut children = Vec::new();
        for part in self.parts(rows, &present, feature, &cuts) {
            let solved = self.exact(&part, depth - 1, u64::MAX)?;
            let value = solved.value.expect("a part of a tree has a value");
            children.push(self.plan(&part, depth - 1, value, &solved.floors)?);
        }
        Ok(Some(self.split(&present, feature, &cuts, children)))
    }

    /// A value that is exact, or a search that was stopped.
    fn exact(&self, rows: &Arc<Rows>, depth: usize, bound: u64) -> Result<Solved, Stopped> {
        let solved = self.solve(rows, depth, bound, &[]);
        if solved.is_done {
            Ok(solved)
        } else {
            Err(Stopped)
        }
    }

    /// The parts between cuts, and the rows without a cell if there are any.
    fn parts(&self, rows: &Rows, present: &Rows, feature: usize, cuts: &[u32]) -> Vec<Arc<Rows>> {
        let n_ranks = present.cells[feature].n_ranks() as u32;
        let starts = std::iter::once(0).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain(std::iter::once(n_ranks));
        let parts = starts
            .zip(ends)
            .map(|(start, end)| present.within(feature, start..end));
        let mut parts: Vec<_> = parts.map(Arc::new).collect();
        if rows.cells[feature].has_missing() {
            parts.push(Arc::new(rows.missing(feature)));
        }
        parts
    }

    fn split(&self, present: &Rows, feature: usize, cuts: &[u32], children: Vec<Plan>) -> Plan {
        let number = |rank| self.setting.table.number(feature, present, rank);
        let threshold = |&cut: &u32| between(number(cut - 1), number(cut));
        let cuts = match self.setting.table.kinds[feature] {
            Kind::Numeric => cuts.iter().map(threshold).collect(),
            Kind::Categorical => Vec::new(),
        };
        Plan::Split {
            feature,
            cuts,
            children,
        }
    }

    /// Do the categories of a feature have this value together?
    fn has_sum(
        &self,
        rows: &Arc<Rows>,
        feature: usize,
        depth: usize,
        value: u64,
    ) -> Result<bool, Stopped> {
        let mut sum = 0;
        for rank in 0..rows.cells[feature].n_ranks() as u32 {
            if sum >= value {
                return Ok(false);
            }
            let part = Arc::new(rows.within(feature, rank..rank + 1));
            let Some(branch) = self.exact(&part, depth - 1, value - sum + 1)?.value else {
                return Ok(false);
            };
            sum += branch;
        }
        Ok(sum == value)
    }

    /// The lowest cut of a value, if there is one.
    fn lowest_cut(
        &self,
        rows: &Arc<Rows>,
        feature: usize,
        depth: usize,
        value: u64,
    ) -> Result<Option<u32>, Stopped> {
        if depth == 2 {
            return Ok(self.two(false).lowest_cut(rows, feature, value));
        }
        let n_ranks = rows.cells[feature].n_ranks() as u32;
        let leaf = self.setting.price.per_leaf;
        let is_monotone = self.setting.rule.min_leaf == 1;
        // The ranges on top come first in order.
        let mut open = vec![Open::Range(1, n_ranks, leaf, leaf)];
        while let Some(next) = open.pop() {
            let (low, high, least_low, least_high) = match next {
                Open::Range(low, high, least_low, least_high) => (low, high, least_low, least_high),
                Open::Found(cut) => return Ok(Some(cut)),
            };
            if low >= high || least_low + least_high > value {
                continue;
            }
            let middle = u32::midpoint(low, high);
            let below = Arc::new(rows.within(feature, 0..middle));
            let above = Arc::new(rows.within(feature, middle..n_ranks));
            let below = self.exact(&below, depth - 1, value - least_high + 1)?;
            let above = self.exact(&above, depth - 1, value - least_low + 1)?;
            let (to_low, from_high) = match is_monotone {
                true => (above.least, below.least),
                false => (leaf, leaf),
            };
            open.push(Open::Range(middle + 1, high, from_high, least_high));
            let sum = below.value.and_then(|below| Some(below + above.value?));
            if sum == Some(value) {
                open.push(Open::Found(middle));
            }
            open.push(Open::Range(low, middle, least_low, to_low));
        }
        Ok(None)
    }

    /// The tree of a sketch, the last level as good as it can be.
    pub(super) fn follow(&self, rows: &Arc<Rows>, depth: usize, sketch: &Sketch) -> Option<Plan> {
        let (root, sketches) = match sketch {
            Sketch::Leaf if depth == 1 => {
                let value = self.setting.one(rows)?;
                return self.plan(rows, 1, value, &[]).ok();
            }
            Sketch::Leaf => return Some(Plan::Leaf),
            Sketch::Alone(root) => (root, &[][..]),
            Sketch::Split(root, sketches) => (root, &sketches[..]),
        };
        let Root { feature, cut } = *root;
        let of_root = &rows.cells[feature].ranks;
        let present = match rows.cells[feature].has_missing() {
            true => rows.only(|row| of_root[row] != NONE),
            false => Rows::clone(rows),
        };
        let cuts: Vec<u32> = match self.setting.table.kinds[feature] {
            Kind::Numeric => cut.into_iter().collect(),
            Kind::Categorical => (1..present.cells[feature].n_ranks() as u32).collect(),
        };
        let parts = self.parts(rows, &present, feature, &cuts);
        let below = |(at, part): (usize, &Arc<Rows>)| match sketches.get(at) {
            Some(sketch) => self.follow(part, depth - 1, sketch),
            None => self.follow(part, 1, &Sketch::Leaf),
        };
        let children: Option<Vec<Plan>> = parts.iter().enumerate().map(below).collect();
        Some(self.split(&present, feature, &cuts, children?))
    }
}

/// A range of cuts that are still to be tried, with bounds for the rows below and above, or a hit.
enum Open {
    Range(u32, u32, u64, u64),
    Found(u32),
}

/// A number above the first and not above the second: midway where there is one.
fn between(below: f64, above: f64) -> f64 {
    let middle = below / 2.0 + above / 2.0;
    if below < middle && middle <= above {
        middle
    } else {
        above
    }
}
