//! The least values of all trees of bounded depth, by their number of leaves, where they are below limits.
//!
//! Why ranges of cuts can be passed over, and why neighbours of a cut can, is proven in docs/checker.md.

use std::cell::Cell;

use super::class::{Categorical, Class};
use super::curve::{Curve, INFINITE, least_of_curves};
use super::rules::LeafRule;
use crate::read::data::{Column, Data};
use crate::report::{TooLarge, spend};
use crate::values::{Value, Values};

/// The rank of rows without a value: after all others.
pub(crate) const MISSING: u32 = u32::MAX;

/// Some rows: for each feature their numbers in the order of its values.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) orders: Vec<Vec<u32>>,
}

pub(crate) struct Search<'a> {
    pub(crate) values: &'a Values,
    /// For each feature and row: which of the different values it has, by rank, or which category.
    pub(crate) ranks: Vec<Vec<u32>>,
    pub(crate) is_numeric: Vec<bool>,
    /// The most intervals of a numeric feature at the last level.
    pub(super) intervals: usize,
    pub(super) categorical: Categorical,
    /// For each feature: which features are never asked below it.
    never_below: &'a [Vec<usize>],
    /// For each row its loss times what a loss is worth.
    worth: Vec<Value>,
    /// For each row how much one more row adds to the value of a tree, at most.
    pub(crate) per_row: Vec<Value>,
    /// Does that hold for each number of leaves? Not where one more row may need a leaf of its own.
    has_neighbours: bool,
    pub(crate) rule: LeafRule,
    /// The last place of curves.
    pub(super) last: usize,
    pub(super) work: &'a Cell<u64>,
}

/// Cuts from `first` to `last` of a feature, not yet known to be good for nothing.
struct Range {
    first: usize,
    last: usize,
    /// What the rows below each of these cuts cost at least: if one level is left, for each feature asked first, and
    /// last for one leaf.
    low: Vec<Curve>,
    /// The same for the rows above.
    high: Vec<Curve>,
}

/// A feature that is asked first, and how many levels there are with it.
struct Root<'a> {
    feature: usize,
    depth: usize,
    /// The features that may be asked below.
    allowed: &'a [bool],
    /// What the rows without a value have at least, for which there is a branch of its own.
    missing: Curve,
}

impl<'a> Search<'a> {
    /// Of curves whose last place is `last`.
    pub(crate) fn new(
        data: &Data,
        values: &'a Values,
        class: &'a Class,
        (rule, last): (LeafRule, usize),
        work: &'a Cell<u64>,
    ) -> Self {
        let ranks: Vec<Vec<u32>> = data.columns.iter().map(ranks).collect();
        let is_numeric: Vec<bool> = data
            .columns
            .iter()
            .map(|column| matches!(column, Column::Numbers(_)))
            .collect();
        let worth: Vec<Value> = values
            .losses
            .iter()
            .map(|loss| loss * values.per_loss)
            .collect();
        // One more row may need a leaf of its own where categories have a branch each, or where cells are missing.
        let has_branches =
            class.categorical == Categorical::Multiway && is_numeric.contains(&false);
        let may_need_leaf = has_branches || ranks.iter().flatten().any(|&rank| rank == MISSING);
        let leaf = if may_need_leaf { values.per_leaf } else { 0 };
        let most = |losses: &[Value]| losses.iter().max().map_or(0, |most| most + leaf);
        let per_row = worth.chunks(values.n_classes).map(most).collect();
        Self {
            values,
            ranks,
            is_numeric,
            intervals: class.intervals,
            categorical: class.categorical,
            never_below: &class.never_below,
            worth,
            per_row,
            has_neighbours: last == 1 || !may_need_leaf,
            rule,
            last,
            work,
        }
    }

    pub(crate) fn n_features(&self) -> usize {
        self.ranks.len()
    }

    /// All rows of the table.
    pub(crate) fn all(&self) -> Rows {
        let order = |ranks: &Vec<u32>| {
            let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
            order.sort_by_key(|&row| ranks[row as usize]);
            order
        };
        Rows {
            orders: self.ranks.iter().map(order).collect(),
        }
    }

    /// Those rows that are wanted.
    pub(crate) fn part(
        &self,
        rows: &Rows,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Result<Rows, TooLarge> {
        spend(self.work, rows.orders.len() * rows.orders[0].len())?;
        let part = |order: &Vec<u32>| {
            order
                .iter()
                .copied()
                .filter(|&row| is_wanted(row))
                .collect()
        };
        Ok(Rows {
            orders: rows.orders.iter().map(part).collect(),
        })
    }

    /// The value of one leaf.
    pub(crate) fn leaf(&self, rows: &[u32]) -> Value {
        let mut sums = vec![0; self.values.n_classes];
        for &row in rows {
            self.add(&mut sums, row);
        }
        sums.iter().min().expect("there are classes") + self.values.per_leaf
    }

    pub(super) fn add(&self, sums: &mut [Value], row: u32) {
        let n_classes = self.values.n_classes;
        let worth = &self.worth[row as usize * n_classes..][..n_classes];
        for (sum, worth) in sums.iter_mut().zip(worth) {
            *sum += worth;
        }
    }

    /// The least value of all trees of a depth for these rows, or `limit` if none is below. With `strict`, leaves keep
    /// the rule, else they are any.
    pub(crate) fn least_value(
        &self,
        rows: &Rows,
        depth: usize,
        limit: Value,
        strict: bool,
    ) -> Result<Value, TooLarge> {
        let limits = Curve(vec![limit; self.last + 1]);
        let allowed = vec![true; self.n_features()];
        Ok(self.least(rows, depth, &allowed, limits, strict)?.of_all())
    }

    /// The same by leaves: at each place the least value of these trees if it is below the limit of the place, else
    /// the limit. Only allowed features are asked.
    pub(crate) fn least(
        &self,
        rows: &Rows,
        depth: usize,
        allowed: &[bool],
        limits: Curve,
        strict: bool,
    ) -> Result<Curve, TooLarge> {
        let mut best = limits;
        best.0[0] = INFINITE;
        if !strict || self.rule.allows_rows(&rows.orders[0]) {
            best.lower(1, self.leaf(&rows.orders[0]));
        }
        // Every other tree has two leaves.
        let least = 2 * self.values.per_leaf;
        if depth == 0 || best.0[1..].iter().all(|value| *value <= least) {
            return Ok(best);
        }
        let asked = (0..self.n_features()).filter(|&feature| allowed[feature]);
        if depth == 1 {
            for feature in asked {
                let order = &rows.orders[feature];
                let of_feature = if strict {
                    self.one_level_strict(order, feature)?
                } else {
                    let [all, _] = self.one_level(order, feature, |_| 0)?;
                    all
                };
                best.lower_all(&of_feature);
            }
            return Ok(best);
        }
        best = self.least(rows, depth - 1, allowed, best, strict)?;
        // With two intervals at the last level, k leaves need k - 1 levels at most: these trees were among the last.
        let settled = if self.intervals > 1 { depth } else { 1 };
        for feature in asked {
            let mut open = best.open_above(settled);
            self.least_with_root(rows, (depth, feature), allowed, &mut open, strict)?;
            best.take_above(settled, &open);
        }
        Ok(best)
    }

    /// The same for trees that ask this feature first.
    fn least_with_root(
        &self,
        rows: &Rows,
        (depth, feature): (usize, usize),
        allowed: &[bool],
        best: &mut Curve,
        strict: bool,
    ) -> Result<(), TooLarge> {
        let groups = self.groups(rows, feature);
        if groups.len() < 2 {
            return Ok(());
        }
        let mut allowed = allowed.to_vec();
        for &never in &self.never_below[feature] {
            allowed[never] = false;
        }
        let mut root = Root {
            feature,
            depth,
            allowed: &allowed,
            missing: Curve::free(self.last),
        };
        if !self.is_numeric[feature] && self.categorical == Categorical::Multiway {
            return self.each_category(rows, &root, &groups, best, strict);
        }
        if groups.last().is_some_and(|(rank, _)| *rank == MISSING) {
            let without = self.part(rows, |row| self.ranks[feature][row as usize] == MISSING)?;
            let present = self.part(rows, |row| self.ranks[feature][row as usize] != MISSING)?;
            root.missing = self.below(&without, &root, best.wanted(&self.leaves(1)), strict)?;
            let limits = best.wanted(&root.missing);
            let of_present = self.below(&present, &root, limits, strict)?;
            best.lower_all(&self.plus(&root.missing, &of_present)?);
        }
        if self.is_numeric[feature] {
            self.cuts(rows, &root, &groups, best, strict)
        } else {
            self.one_category(rows, &root, &groups, best, strict)
        }
    }

    /// Trees for the rows of a branch.
    fn below(
        &self,
        rows: &Rows,
        root: &Root<'_>,
        limits: Curve,
        strict: bool,
    ) -> Result<Curve, TooLarge> {
        self.least(rows, root.depth - 1, root.allowed, limits, strict)
    }

    /// A branch for each category, and for missing values.
    fn each_category(
        &self,
        rows: &Rows,
        root: &Root<'_>,
        groups: &[(u32, Value)],
        best: &mut Curve,
        strict: bool,
    ) -> Result<(), TooLarge> {
        let ranks = &self.ranks[root.feature];
        let mut sum = Curve::free(self.last);
        for (at, &(rank, _)) in groups.iter().enumerate() {
            // The others have a leaf each at least.
            let others = self.plus(&sum, &self.leaves(groups.len() - at - 1))?;
            if !self.plus(&others, &self.leaves(1))?.is_below(best) {
                return Ok(());
            }
            let part = self.part(rows, |row| ranks[row as usize] == rank)?;
            let of_part = self.below(&part, root, best.wanted(&others), strict)?;
            sum = self.plus(&sum, &of_part)?;
        }
        best.lower_all(&sum);
        Ok(())
    }

    /// One category against the others.
    fn one_category(
        &self,
        rows: &Rows,
        root: &Root<'_>,
        groups: &[(u32, Value)],
        best: &mut Curve,
        strict: bool,
    ) -> Result<(), TooLarge> {
        let ranks = &self.ranks[root.feature];
        let codes = groups.iter().map(|(rank, _)| *rank);
        let codes: Vec<u32> = codes.filter(|&rank| rank != MISSING).collect();
        // Of two, each is the other of the other.
        let n_splits = if codes.len() < 3 {
            codes.len() - 1
        } else {
            codes.len()
        };
        for &code in &codes[..n_splits] {
            let one = self.part(rows, |row| ranks[row as usize] == code)?;
            let others = self.part(rows, |row| ![code, MISSING].contains(&ranks[row as usize]))?;
            let limits = best.wanted(&self.plus(&root.missing, &self.leaves(1))?);
            let of_one = self.below(&one, root, limits, strict)?;
            let sum = self.plus(&root.missing, &of_one)?;
            if self.plus(&sum, &self.leaves(1))?.is_below(best) {
                let of_others = self.below(&others, root, best.wanted(&sum), strict)?;
                best.lower_all(&self.plus(&sum, &of_others)?);
            }
        }
        Ok(())
    }

    /// The cuts of a numeric feature.
    fn cuts(
        &self,
        rows: &Rows,
        root: &Root<'_>,
        groups: &[(u32, Value)],
        best: &mut Curve,
        strict: bool,
    ) -> Result<(), TooLarge> {
        let n_cuts = groups.iter().filter(|(rank, _)| *rank != MISSING).count();
        // What the groups before each cut weigh, to find the neighbours of a cut.
        let mut before = vec![0; n_cuts];
        for cut in 1..n_cuts {
            before[cut] = before[cut - 1] + groups[cut - 1].1;
        }
        let mut open = Vec::new();
        if n_cuts > 1 {
            let bounds = self.first_bounds(root);
            open.push(Range {
                first: 1,
                last: n_cuts - 1,
                low: bounds.clone(),
                high: bounds,
            });
        }
        while let Some(range) = open.pop() {
            if !self
                .sum_of_sides(&range.low, &range.high, root)?
                .is_below(best)
            {
                continue;
            }
            let cut = range.first.midpoint(range.last);
            let rank = groups[cut].0;
            let (low, high) = self.sides(rows, root, rank, &range, best)?;
            let sum = self.sum_of_sides(&low, &high, root)?;
            if sum.is_below(best) && strict {
                // Bounds are about any leaves. Here the cut itself has to be solved.
                let [below, above] = self.cut(rows, root.feature, rank)?;
                let others = self.plus(&least_of_curves(&high), &root.missing)?;
                let below = self.below(&below, root, best.wanted(&others), true)?;
                let others = self.plus(&below, &root.missing)?;
                let above = self.below(&above, root, best.wanted(&others), true)?;
                best.lower_all(&self.plus(&others, &above)?);
            } else {
                best.lower_all(&sum);
            }
            // Neighbours that rows of no more than the rest separate from the cut miss the best, too.
            let rest = sum.above(best);
            let is_near = |one: usize, other: usize| {
                self.has_neighbours && before[one.max(other)] - before[one.min(other)] <= rest
            };
            let mut last = cut - 1;
            while last >= range.first && is_near(cut, last) {
                last -= 1;
            }
            let mut first = cut + 1;
            while first <= range.last && is_near(first, cut) {
                first += 1;
            }
            if first <= range.last {
                open.push(Range {
                    first,
                    last: range.last,
                    low,
                    high: range.high,
                });
            }
            if range.first <= last {
                open.push(Range {
                    first: range.first,
                    last,
                    low: range.low,
                    high,
                });
            }
        }
        Ok(())
    }

    /// Bounds of one side of a range before anything is known: there is a leaf.
    fn first_bounds(&self, root: &Root<'_>) -> Vec<Curve> {
        if root.depth > 2 {
            return vec![self.leaves(1)];
        }
        let bound = |is_allowed: &bool| {
            if *is_allowed {
                self.leaves(1)
            } else {
                Curve::none(self.last)
            }
        };
        root.allowed.iter().chain([&true]).map(bound).collect()
    }

    fn sum_of_sides(
        &self,
        low: &[Curve],
        high: &[Curve],
        root: &Root<'_>,
    ) -> Result<Curve, TooLarge> {
        let sides = self.plus(&least_of_curves(low), &least_of_curves(high))?;
        self.plus(&sides, &root.missing)
    }

    /// The rows below a cut, and those from it on.
    pub(crate) fn cut(
        &self,
        rows: &Rows,
        feature: usize,
        rank: u32,
    ) -> Result<[Rows; 2], TooLarge> {
        let ranks = &self.ranks[feature];
        let below = self.part(rows, |row| ranks[row as usize] < rank)?;
        let above = self.part(rows, |row| (rank..MISSING).contains(&ranks[row as usize]))?;
        Ok([below, above])
    }

    /// What the rows on both sides of a cut cost at least, with a level less. Bounds of the range that are enough to
    /// reach `limits` stay as they are.
    fn sides(
        &self,
        rows: &Rows,
        root: &Root<'_>,
        rank: u32,
        range: &Range,
        limits: &Curve,
    ) -> Result<(Vec<Curve>, Vec<Curve>), TooLarge> {
        let of_low = self.plus(&least_of_curves(&range.low), &root.missing)?;
        let of_high = self.plus(&least_of_curves(&range.high), &root.missing)?;
        if root.depth > 2 {
            let [below, above] = self.cut(rows, root.feature, rank)?;
            let mut low = self.below(&below, root, limits.wanted(&of_high), false)?;
            low.raise_all(&range.low[0]);
            let mut high = range.high[0].clone();
            if self.plus(&low, &of_high)?.is_below(limits) {
                let others = self.plus(&low, &root.missing)?;
                high.raise_all(&self.below(&above, root, limits.wanted(&others), false)?);
            }
            return Ok((vec![low], vec![high]));
        }
        let ranks = &self.ranks[root.feature];
        let side = |row: u32| match ranks[row as usize] {
            MISSING => 2,
            below if below < rank => 0,
            _ => 1,
        };
        let (mut low, mut high) = (range.low.clone(), range.high.clone());
        for child in 0..=self.n_features() {
            let is_of_use = self.plus(&low[child], &of_high)?.is_below(limits)
                || self.plus(&high[child], &of_low)?.is_below(limits);
            if is_of_use {
                [low[child], high[child]] = match rows.orders.get(child) {
                    Some(order) => self.one_level(order, child, side)?,
                    None => self.leaf_of_sides(&rows.orders[0], side)?,
                };
            }
        }
        Ok((low, high))
    }

    /// The groups of rows with the same value of a feature: its rank, and what the rows add to a tree at most.
    pub(crate) fn groups(&self, rows: &Rows, feature: usize) -> Vec<(u32, Value)> {
        let mut groups: Vec<(u32, Value)> = Vec::new();
        for &row in &rows.orders[feature] {
            let (rank, weight) = (
                self.ranks[feature][row as usize],
                self.per_row[row as usize],
            );
            match groups.last_mut() {
                Some((last, sum)) if *last == rank => *sum += weight,
                _ => groups.push((rank, weight)),
            }
        }
        groups
    }

    /// Trees of at least this many leaves that lose nothing.
    pub(super) fn leaves(&self, leaves: usize) -> Curve {
        Curve::of_leaves(self.last, leaves, self.values.per_leaf)
    }

    fn plus(&self, one: &Curve, other: &Curve) -> Result<Curve, TooLarge> {
        spend(self.work, self.last * self.last / 4)?;
        Ok(one.plus(other))
    }
}

fn ranks(column: &Column) -> Vec<u32> {
    match column {
        Column::Codes(codes) => codes
            .iter()
            .map(|code| code.map_or(MISSING, |code| code as u32))
            .collect(),
        Column::Numbers(numbers) => {
            let different = different(numbers);
            let rank = |number: &f64| {
                if number.is_nan() {
                    MISSING
                } else {
                    different.partition_point(|known| known < number) as u32
                }
            };
            numbers.iter().map(rank).collect()
        }
    }
}

/// The different numbers, rising.
pub(crate) fn different(numbers: &[f64]) -> Vec<f64> {
    let mut different: Vec<f64> = numbers
        .iter()
        .copied()
        .filter(|number| !number.is_nan())
        .collect();
    different.sort_by(f64::total_cmp);
    different.dedup();
    different
}
