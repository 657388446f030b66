//! The least value of all trees of bounded depth, if it is below a limit.
//!
//! Why ranges of cuts can be passed over, and why neighbours of a cut can, is proven in docs/checker.md.

use std::cell::Cell;

use crate::read::data::{Column, Data};
use crate::report::{TooLarge, spend};
use crate::values::{Value, Values};

/// More than any value.
pub(crate) const INFINITE: Value = 1 << 121;
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
    intervals: usize,
    /// For each row its loss times what a loss is worth.
    worth: Vec<Value>,
    /// For each row how much one more row adds to the value of a tree, at most.
    pub(crate) per_row: Vec<Value>,
    /// The size of each row, and the least size of a leaf.
    sizes: Vec<i128>,
    least_size: i128,
    work: &'a Cell<u64>,
}

/// Cuts from `first` to `last` of a feature, not yet known to be good for nothing.
struct Range {
    first: usize,
    last: usize,
    /// What the rows below each of these cuts cost at least: for each feature asked first, if one level is left.
    low: Vec<Value>,
    /// The same for the rows above.
    high: Vec<Value>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        data: &Data,
        values: &'a Values,
        intervals: usize,
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
        // One more row may need a leaf of its own where there are categories or missing cells.
        let may_need_leaf =
            is_numeric.contains(&false) || ranks.iter().flatten().any(|&rank| rank == MISSING);
        let leaf = if may_need_leaf { values.per_leaf } else { 0 };
        let most = |losses: &[Value]| losses.iter().max().map_or(0, |most| most + leaf);
        let per_row = worth.chunks(values.n_classes).map(most).collect();
        Self {
            values,
            ranks,
            is_numeric,
            intervals,
            worth,
            per_row,
            sizes: vec![1; data.n_rows()],
            least_size: 1,
            work,
        }
    }

    pub(crate) fn with_sizes(mut self, sizes: Option<Vec<i128>>, least_size: i128) -> Self {
        self.sizes = sizes.unwrap_or(self.sizes);
        self.least_size = least_size;
        self
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

    pub(crate) fn has_size(&self, rows: &Rows) -> bool {
        let size: i128 = rows.orders[0]
            .iter()
            .map(|&row| self.sizes[row as usize])
            .sum();
        size >= self.least_size
    }

    /// The value of one leaf.
    pub(crate) fn leaf(&self, rows: &[u32]) -> Value {
        let mut sums = vec![0; self.values.n_classes];
        for &row in rows {
            self.add(&mut sums, row);
        }
        sums.iter().min().expect("there are classes") + self.values.per_leaf
    }

    fn add(&self, sums: &mut [Value], row: u32) {
        let n_classes = self.values.n_classes;
        let worth = &self.worth[row as usize * n_classes..][..n_classes];
        for (sum, worth) in sums.iter_mut().zip(worth) {
            *sum += worth;
        }
    }

    /// The least value of all trees of a depth for these rows, or `limit` if none is below. With `sized`, leaves have the
    /// least size, else any.
    pub(crate) fn least(
        &self,
        rows: &Rows,
        depth: usize,
        limit: Value,
        sized: bool,
    ) -> Result<Value, TooLarge> {
        let mut best = limit;
        if !sized || self.has_size(rows) {
            best = best.min(self.leaf(&rows.orders[0]));
        }
        // Every other tree has two leaves.
        if depth == 0 || best <= 2 * self.values.per_leaf {
            return Ok(best);
        }
        if depth == 1 {
            let of_features = if sized {
                self.one_level_sized(rows)?
            } else {
                self.one_level(rows)?
            };
            return Ok(of_features.into_iter().fold(best, Value::min));
        }
        best = self.least(rows, depth - 1, best, sized)?;
        for feature in 0..self.n_features() {
            best = self.least_with_root(rows, depth, feature, best, sized)?;
        }
        Ok(best)
    }

    /// The same for trees that ask this feature first.
    fn least_with_root(
        &self,
        rows: &Rows,
        depth: usize,
        feature: usize,
        mut best: Value,
        sized: bool,
    ) -> Result<Value, TooLarge> {
        let leaf = self.values.per_leaf;
        let groups = self.groups(rows, feature);
        if groups.len() < 2 {
            return Ok(best);
        }
        let part = |rank: u32| self.part(rows, |row| self.ranks[feature][row as usize] == rank);
        if !self.is_numeric[feature] {
            let mut sum = leaf * groups.len() as Value;
            for &(rank, _) in &groups {
                if sum >= best {
                    return Ok(best);
                }
                sum += self.least(&part(rank)?, depth - 1, best - sum + leaf, sized)? - leaf;
            }
            return Ok(best.min(sum));
        }
        let n_cuts = groups.iter().filter(|(rank, _)| *rank != MISSING).count();
        let mut of_missing = 0;
        if n_cuts < groups.len() {
            of_missing = self.least(&part(MISSING)?, depth - 1, best - leaf, sized)?;
            let present = self.part(rows, |row| self.ranks[feature][row as usize] != MISSING)?;
            best =
                best.min(of_missing + self.least(&present, depth - 1, best - of_missing, sized)?);
        }
        // What the groups before each cut weigh, to find the neighbours of a cut.
        let mut before = vec![0; n_cuts];
        for cut in 1..n_cuts {
            before[cut] = before[cut - 1] + groups[cut - 1].1;
        }
        let n_bounds = if depth == 2 { self.n_features() } else { 1 };
        let mut open = Vec::new();
        if n_cuts > 1 {
            let bounds = vec![leaf; n_bounds];
            open.push(Range {
                first: 1,
                last: n_cuts - 1,
                low: bounds.clone(),
                high: bounds,
            });
        }
        while let Some(range) = open.pop() {
            if least_of(&range.low) + least_of(&range.high) + of_missing >= best {
                continue;
            }
            let cut = range.first.midpoint(range.last);
            let rank = groups[cut].0;
            let (low, high) = self.sides(rows, depth, feature, rank, &range, best - of_missing)?;
            let sum = least_of(&low) + least_of(&high) + of_missing;
            if sum < best {
                best = if sized {
                    // Bounds are about leaves of any size. Here the cut itself has to be solved.
                    let [below, above] = self.cut(rows, feature, rank)?;
                    let below = self.least(&below, depth - 1, best - of_missing - leaf, true)?;
                    let above = self.least(&above, depth - 1, best - of_missing - below, true)?;
                    best.min(of_missing + below + above)
                } else {
                    sum
                };
            }
            // Neighbours that rows of no more than the rest separate from the cut miss the best, too.
            let rest = sum - best;
            let mut last = cut - 1;
            while last >= range.first && before[cut] - before[last] <= rest {
                last -= 1;
            }
            let mut first = cut + 1;
            while first <= range.last && before[first] - before[cut] <= rest {
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
        Ok(best)
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
    /// reach `limit` stay as they are.
    fn sides(
        &self,
        rows: &Rows,
        depth: usize,
        feature: usize,
        rank: u32,
        range: &Range,
        limit: Value,
    ) -> Result<(Vec<Value>, Vec<Value>), TooLarge> {
        let (of_low, of_high) = (least_of(&range.low), least_of(&range.high));
        if depth > 2 {
            let [below, above] = self.cut(rows, feature, rank)?;
            let low = self.least(&below, depth - 1, limit - of_high, false)?;
            let high = if low + of_high >= limit {
                of_high
            } else {
                self.least(&above, depth - 1, limit - low, false)?
            };
            return Ok((vec![low.max(of_low)], vec![high.max(of_high)]));
        }
        let ranks = &self.ranks[feature];
        let side = |row: u32| match ranks[row as usize] {
            MISSING => 2,
            below if below < rank => 0,
            _ => 1,
        };
        let (mut low, mut high) = (range.low.clone(), range.high.clone());
        for child in 0..self.n_features() {
            if low[child] + of_high < limit || high[child] + of_low < limit {
                let [below, above] = self.one_level_by(&rows.orders[child], child, side)?;
                low[child] = below;
                high[child] = above;
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

    /// The least values of trees of one level, for each feature, with leaves of any size.
    fn one_level(&self, rows: &Rows) -> Result<Vec<Value>, TooLarge> {
        let of_feature =
            |feature: usize| Ok(self.one_level_by(&rows.orders[feature], feature, |_| 0)?[0]);
        (0..self.n_features()).map(of_feature).collect()
    }

    /// The least values of trees of one level that ask a feature, for the rows of side 0 and those of side 1.
    ///
    /// Rows come in the order of the feature. A place `k * n_classes + c` of `open` has the least value of all rows so far in
    /// `k + 1` intervals, the last of which answers `c`. Between different values the last interval may end.
    fn one_level_by(
        &self,
        order: &[u32],
        feature: usize,
        side: impl Fn(u32) -> usize,
    ) -> Result<[Value; 2], TooLarge> {
        let n_classes = self.values.n_classes;
        let leaf = self.values.per_leaf;
        let most = if self.is_numeric[feature] {
            self.intervals.min(order.len()).max(1)
        } else {
            1
        };
        spend(self.work, order.len() * n_classes * most)?;
        let ranks = &self.ranks[feature];
        let mut open = [(); 2].map(|()| vec![INFINITE; n_classes * most]);
        let (mut last, mut closed) = ([None; 2], [0; 2]);
        for &row in order {
            let at = side(row);
            if at > 1 {
                continue;
            }
            let (rank, open) = (ranks[row as usize], &mut open[at]);
            if last[at] != Some(rank) {
                let is_in_row = self.is_numeric[feature] && rank != MISSING && last[at].is_some();
                last[at] = Some(rank);
                if is_in_row {
                    for k in (1..most).rev() {
                        let (before, after) = open.split_at_mut(k * n_classes);
                        let new = least_of(&before[(k - 1) * n_classes..]) + leaf;
                        for value in &mut after[..n_classes] {
                            *value = new.min(*value);
                        }
                    }
                } else {
                    // A category, missing values, or the first interval.
                    closed[at] += if open[0] == INFINITE {
                        0
                    } else {
                        least_of(open)
                    };
                    open.fill(INFINITE);
                    open[..n_classes].fill(leaf);
                }
            }
            for open in open.chunks_exact_mut(n_classes) {
                self.add(open, row);
            }
        }
        for at in 0..2 {
            closed[at] += if last[at].is_some() {
                least_of(&open[at])
            } else {
                0
            };
        }
        Ok(closed)
    }

    /// The same for all rows, with leaves of the least size; `INFINITE` where there are none.
    fn one_level_sized(&self, rows: &Rows) -> Result<Vec<Value>, TooLarge> {
        (0..self.n_features())
            .map(|feature| self.one_level_sized_by(&rows.orders[feature], feature))
            .collect()
    }

    fn one_level_sized_by(&self, order: &[u32], feature: usize) -> Result<Value, TooLarge> {
        let ranks = &self.ranks[feature];
        spend(
            self.work,
            order.len() * self.values.n_classes * (1 + self.intervals.min(order.len())),
        )?;
        let mut value = 0;
        let mut line = Vec::new();
        for group in order.chunk_by(|&a, &b| ranks[a as usize] == ranks[b as usize]) {
            if self.is_numeric[feature] && ranks[group[0] as usize] != MISSING {
                line.push(group);
            } else {
                let size: i128 = group.iter().map(|&row| self.sizes[row as usize]).sum();
                value += if size < self.least_size {
                    INFINITE
                } else {
                    self.leaf(group)
                };
                value = value.min(INFINITE);
            }
        }
        if !line.is_empty() {
            value += self.intervals_sized(&line);
        }
        Ok(value.min(INFINITE))
    }

    /// The best intervals of a row of groups: `least[j]` for the first `j` groups in `k` intervals, from that for `k - 1`.
    fn intervals_sized(&self, line: &[&[u32]]) -> Value {
        let n_classes = self.values.n_classes;
        let mut sums = vec![vec![0; n_classes]];
        let mut sizes = vec![0];
        for group in line {
            let mut sum = sums[sums.len() - 1].clone();
            let mut size = sizes[sizes.len() - 1];
            for &row in *group {
                self.add(&mut sum, row);
                size += self.sizes[row as usize];
            }
            sums.push(sum);
            sizes.push(size);
        }
        let n = line.len();
        let mut least = vec![INFINITE; n + 1];
        least[0] = 0;
        let mut best = INFINITE;
        for _ in 0..self.intervals.min(n) {
            let mut next = vec![INFINITE; n + 1];
            let mut start = vec![INFINITE; n_classes];
            let mut from = 0;
            for to in 1..=n {
                while from < to && sizes[to] - sizes[from] >= self.least_size {
                    if least[from] < INFINITE {
                        for (start, sum) in start.iter_mut().zip(&sums[from]) {
                            *start = (*start).min(least[from] - sum);
                        }
                    }
                    from += 1;
                }
                let ends = start
                    .iter()
                    .zip(&sums[to])
                    .filter(|(start, _)| **start < INFINITE);
                let ends = ends.map(|(start, sum)| start + sum + self.values.per_leaf);
                next[to] = ends.min().unwrap_or(INFINITE);
            }
            best = best.min(next[n]);
            least = next;
        }
        best
    }
}

pub(crate) fn least_of(values: &[Value]) -> Value {
    values.iter().copied().min().unwrap_or(INFINITE)
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
