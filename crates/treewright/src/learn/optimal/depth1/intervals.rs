//! The best intervals of one numeric feature.
//!
//! The rows lie on a line, in the order of their values, and are cut into at most `K` intervals with one label
//! each. With `P[c](i)` the loss of label `c` for the first `i` rows and `F[k](i)` the least value of these
//! rows in `k` intervals,
//!
//! `F[k](j) = min over c of P[c](j) + min over i of (F[k-1](i) - P[c](i))`
//!
//! where `i` and `j` are places between different values that are at least `min_leaf` rows apart. The inner
//! minimum only ever gets more places to choose from, so it is kept, and the work is `K * classes` for each
//! different value. This is the last level of T1 and T2 of Auer, Holte and Maass (1995).

use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{IntervalRule, NONE, RankTable, RowSet, ValueEncoding};

/// A rank that takes more steps than this takes long.
const SLOW: usize = 1 << 21;

/// Rows in the order of a feature's values, with the places where they may be cut.
#[derive(Debug)]
pub(crate) struct Line {
    n_classes: usize,
    /// How many rows come before each place; the first is 0, the last is after all rows.
    places: Vec<usize>,
    /// For each place the loss of each class before it.
    losses: Vec<u64>,
}

/// The least value of the rows that have a cell of a feature, cut into intervals of any size.
pub(crate) fn least(
    rows: &RowSet,
    feature: usize,
    most: usize,
    encoding: ValueEncoding,
    deadline: &mut Deadline<'_>,
) -> Result<u64, Stopped> {
    let cells = &rows.cells()[feature];
    if most >= cells.n_ranks() && most > 2 {
        deadline.before(rows.len() + rows.sums().len())?;
        return Ok(least_of_any(rows, feature, encoding));
    }
    let most = most.min(cells.n_ranks());
    let per_rank = most * rows.sums().len();
    let is_slow = per_rank > SLOW;
    let mut intervals = Intervals::new(rows.sums().len(), most);
    for group in cells.starts().windows(2) {
        if is_slow {
            intervals.cut_slowly(deadline)?;
        } else {
            deadline.before(per_rank)?;
            intervals.cut();
        }
        for &row in &cells.order()[group[0] as usize..group[1] as usize] {
            let label = rows.labels()[row as usize];
            intervals.add(label.class as usize, u64::from(label.weight));
        }
    }
    Ok(intervals.least(encoding))
}

/// The same if there may be as many intervals as there are ranks: a number for each label is enough.
fn least_of_any(rows: &RowSet, feature: usize, encoding: ValueEncoding) -> u64 {
    let cells = &rows.cells()[feature];
    let mut values = Values::new(rows.sums().len(), encoding.per_leaf() as i64);
    let mut all = 0;
    for (at, group) in cells.starts().windows(2).enumerate() {
        if at > 0 {
            values.at_most(values.least + encoding.per_leaf() as i64);
        }
        for &row in &cells.order()[group[0] as usize..group[1] as usize] {
            let label = rows.labels()[row as usize];
            let loss = encoding.loss(u64::from(label.weight)) as i64;
            values.lower(label.class as usize, loss);
            all += u64::from(label.weight);
        }
    }
    (encoding.loss(all) as i64 + values.least) as u64
}

/// What the rows so far are worth if the last interval has a label, less the loss of all of them: a number for each
/// label, and a limit for all of them that never rises. So a row takes one step, however many labels there are.
struct Values {
    of: Vec<i64>,
    most: i64,
    least: i64,
}

impl Values {
    fn new(n_classes: usize, value: i64) -> Self {
        Self {
            of: vec![value; n_classes],
            most: value,
            least: value,
        }
    }

    fn at_most(&mut self, most: i64) {
        self.most = self.most.min(most);
        self.least = self.least.min(most);
    }

    fn lower(&mut self, class: usize, by: i64) {
        let value = &mut self.of[class];
        *value = self.most.min(*value) - by;
        self.least = self.least.min(*value);
    }
}

/// The cuts for that: the lowest first one, then the lowest second one, and so on.
pub(crate) fn cuts_of_any(rows: &RowSet, feature: usize, encoding: ValueEncoding) -> Vec<u32> {
    let cells = &rows.cells()[feature];
    let (n_ranks, p) = (cells.n_ranks(), rows.sums().len());
    let group = |rank: usize| cells.rows(rank as u32, rank as u32 + 1);
    // From the end: the least value of all ranks from one on.
    let mut after = vec![0_i64; n_ranks + 1];
    let mut values = Values::new(p, i64::MAX / 4);
    let mut all = 0;
    for rank in (0..n_ranks).rev() {
        // The interval of a label ends here, or goes on.
        values.at_most(after[rank + 1] - all + encoding.per_leaf() as i64);
        for &row in group(rank) {
            let label = rows.labels()[row as usize];
            let loss = encoding.loss(u64::from(label.weight)) as i64;
            values.lower(label.class as usize, loss);
            all += loss;
        }
        after[rank] = all + values.least;
    }
    let (mut cuts, mut from) = (Vec::new(), 0);
    let mut sums = vec![0_u64; p];
    while from < n_ranks {
        let (mut all, mut most) = (0, 0);
        let mut to = from;
        loop {
            for &row in group(to) {
                let label = rows.labels()[row as usize];
                sums[label.class as usize] += u64::from(label.weight);
                all += u64::from(label.weight);
                most = most.max(sums[label.class as usize]);
            }
            to += 1;
            let value = encoding.leaf(all - most) as i64 + after[to];
            if value == after[from] || to == n_ranks {
                break;
            }
        }
        if to < n_ranks {
            cuts.push(to as u32);
        }
        for &row in cells.rows(from as u32, to as u32) {
            sums[rows.labels()[row as usize].class as usize] = 0;
        }
        from = to;
    }
    cuts
}

/// The same for a part of the rows, given the weights of all ranks and classes in it.
pub(crate) fn least_of_sums(
    sums: &[u64],
    n_classes: usize,
    most: usize,
    encoding: ValueEncoding,
) -> u64 {
    let mut intervals = Intervals::new(n_classes, most);
    for rank in sums.chunks_exact(n_classes) {
        intervals.cut();
        for (class, &weight) in rank.iter().enumerate() {
            intervals.add(class, weight);
        }
    }
    intervals.least(encoding)
}

/// The lowest cut in two of a value, for leaves of any size; no cut if one interval has it already.
pub(crate) fn lowest_cut(
    rows: &RowSet,
    feature: usize,
    value: u64,
    encoding: ValueEncoding,
) -> Option<u32> {
    let cells = &rows.cells()[feature];
    let mut above = vec![0_u64; rows.sums().len()];
    for &row in cells.order() {
        let label = rows.labels()[row as usize];
        above[label.class as usize] += u64::from(label.weight);
    }
    let all: u64 = above.iter().sum();
    let largest = above.iter().copied().max().unwrap_or(0);
    if encoding.leaf(all - largest) == value {
        return None;
    }
    // The most weight of a class in all ranks from one on, and then in those before one: both are sums that grow.
    let n_ranks = cells.n_ranks() as u32;
    let mut sums = vec![0_u64; above.len()];
    let mut most = 0;
    let add = |sums: &mut [u64], most: &mut u64, rank: u32| {
        for &row in cells.rows(rank, rank + 1) {
            let label = rows.labels()[row as usize];
            let sum = &mut sums[label.class as usize];
            *sum += u64::from(label.weight);
            *most = (*most).max(*sum);
        }
    };
    let mut most_from = vec![0; n_ranks as usize];
    for rank in (0..n_ranks).rev() {
        add(&mut sums, &mut most, rank);
        most_from[rank as usize] = most;
    }
    sums.fill(0);
    most = 0;
    for rank in 0..n_ranks {
        let gain = most + most_from[rank as usize];
        if rank > 0 && encoding.loss(all - gain) + 2 * encoding.per_leaf() == value {
            return Some(rank);
        }
        add(&mut sums, &mut most, rank);
    }
    None
}

/// The lowest cut in two of a value for some of the rows, all of which have a cell: the ranks of their
/// neighbours.
pub(crate) fn lowest_cut_in(
    rows: &RowSet,
    feature: usize,
    is_in: impl Fn(usize) -> bool,
    value: u64,
    encoding: ValueEncoding,
) -> Option<[u32; 2]> {
    let cells = &rows.cells()[feature];
    let mut above = vec![0_u64; rows.sums().len()];
    for (row, label) in rows
        .labels()
        .iter()
        .enumerate()
        .filter(|&(row, _)| is_in(row))
    {
        debug_assert!(cells.ranks()[row] != NONE);
        above[label.class as usize] += u64::from(label.weight);
    }
    let all: u64 = above.iter().sum();
    let largest = |sums: &[u64]| sums.iter().copied().max().unwrap_or(0);
    let mut below = vec![0; above.len()];
    let mut last: Option<u32> = None;
    for &row in cells.order().iter().filter(|&&row| is_in(row as usize)) {
        let rank = cells.ranks()[row as usize];
        if let Some(last) = last.filter(|&last| last != rank) {
            let gain = largest(&below) + largest(&above);
            if encoding.loss(all - gain) + 2 * encoding.per_leaf() == value {
                return Some([last, rank]);
            }
        }
        last = Some(rank);
        let label = rows.labels()[row as usize];
        below[label.class as usize] += u64::from(label.weight);
        above[label.class as usize] -= u64::from(label.weight);
    }
    None
}

/// The best intervals of rows that come one after the other.
struct Intervals {
    most: usize,
    all: u64,
    /// What all rows so far gain by each class.
    sums: Vec<i64>,
    /// For each number of cuts and class of the last interval what is gained more, or less, by the best cuts
    /// so far.
    more: Vec<i64>,
    /// With two classes and two intervals: how many more rows of the first than of the second class there
    /// are, and how many there were at most and at least at a cut.
    walk: Option<[i64; 3]>,
}

impl Intervals {
    fn new(n_classes: usize, most: usize) -> Self {
        Self {
            most,
            all: 0,
            sums: vec![0; n_classes],
            more: vec![0; n_classes * most],
            walk: (n_classes == 2 && most == 2).then_some([0; 3]),
        }
    }

    #[inline]
    fn add(&mut self, class: usize, weight: u64) {
        self.sums[class] += weight as i64;
        self.all += weight;
    }

    /// A cut may be here.
    #[inline]
    fn cut(&mut self) {
        if let Some([height, top, bottom]) = &mut self.walk {
            *height = self.sums[0] - self.sums[1];
            *top = (*top).max(*height);
            *bottom = (*bottom).min(*height);
            return;
        }
        let p = self.sums.len();
        for cuts in (1..self.most).rev() {
            self.cut_once(cuts, p);
        }
    }

    /// The same where that takes long.
    fn cut_slowly(&mut self, deadline: &mut Deadline<'_>) -> Result<(), Stopped> {
        let p = self.sums.len();
        for cuts in (1..self.most).rev() {
            deadline.before(p)?;
            self.cut_once(cuts, p);
        }
        Ok(())
    }

    /// Takes one more cut, here, for one number of cuts.
    #[inline]
    fn cut_once(&mut self, cuts: usize, p: usize) {
        let (before, after) = self.more.split_at_mut(cuts * p);
        let gains = before[(cuts - 1) * p..].iter().zip(&self.sums);
        let gain = gains.map(|(more, sum)| more + sum).max().unwrap_or(0);
        for (more, sum) in after.iter_mut().zip(&self.sums) {
            *more = (*more).max(gain - sum);
        }
    }

    fn least(&self, encoding: ValueEncoding) -> u64 {
        let p = self.sums.len();
        let gain = |cuts: usize| match self.walk {
            Some([_, top, bottom]) if cuts == 1 => (self.sums[1] + top).max(self.sums[0] - bottom),
            _ => {
                let gains = self.more[cuts * p..][..p].iter().zip(&self.sums);
                gains.map(|(more, sum)| more + sum).max().unwrap_or(0)
            }
        };
        let value = |cuts: usize| {
            encoding.loss(self.all - gain(cuts) as u64) + (cuts as u64 + 1) * encoding.per_leaf()
        };
        (0..self.most).map(value).min().unwrap_or(u64::MAX)
    }
}

impl Line {
    /// Place `i` is before the rank `i`.
    pub(crate) fn new(table: &RankTable<'_>, rows: &RowSet, feature: usize) -> Self {
        let cells = &rows.cells()[feature];
        let mut line = Self {
            n_classes: table.n_classes(),
            places: Vec::new(),
            losses: Vec::new(),
        };
        let (mut n_rows, mut sums) = (0, vec![0; table.n_classes()]);
        line.push(0, &sums);
        for group in cells.starts().windows(2) {
            let group = &cells.order()[group[0] as usize..group[1] as usize];
            n_rows += table.size(group.iter().map(|&row| rows.ids()[row as usize]));
            for &row in group {
                let weight = u64::from(rows.labels()[row as usize].weight);
                let class = rows.labels()[row as usize].class as usize;
                for sum in &mut sums {
                    *sum += weight;
                }
                sums[class] -= weight;
            }
            line.push(n_rows, &sums);
        }
        line
    }

    fn push(&mut self, place: usize, sums: &[u64]) {
        self.places.push(place);
        self.losses.extend_from_slice(sums);
    }

    fn losses(&self, place: usize) -> &[u64] {
        &self.losses[place * self.n_classes..][..self.n_classes]
    }

    /// The loss of the best label between two places.
    pub(crate) fn error(&self, from: usize, to: usize) -> u64 {
        let both = self.losses(from).iter().zip(self.losses(to));
        both.map(|(from, to)| to - from).min().unwrap_or(0)
    }

    /// The least value of all rows; `None` if no cutting has enough rows everywhere.
    pub(crate) fn best(
        &self,
        rule: IntervalRule,
        encoding: ValueEncoding,
        deadline: &mut Deadline<'_>,
    ) -> Result<Option<u64>, Stopped> {
        let n = self.places.len() - 1;
        let (mut values, mut best) = (self.none(), None);
        for _ in 0..rule.most().min(n) {
            deadline.before(self.losses.len())?;
            values = self.one_more(&values, rule, encoding);
            best = best.into_iter().chain(values[n]).min();
        }
        Ok(best)
    }

    /// Values of the rows before each place, without any interval.
    fn none(&self) -> Vec<Option<u64>> {
        let mut values = vec![None; self.places.len()];
        values[0] = Some(0);
        values
    }

    /// Given the least values of the rows before each place in some intervals, those with one more.
    fn one_more(
        &self,
        before: &[Option<u64>],
        rule: IntervalRule,
        encoding: ValueEncoding,
    ) -> Vec<Option<u64>> {
        // For each class the least value of a start, less the losses before it.
        let mut starts: Vec<Option<i64>> = vec![None; self.n_classes];
        let mut next = 0;
        let value = |place: usize| {
            while next < place && self.places[place] - self.places[next] >= rule.min_leaf() {
                if let Some(before) = before[next] {
                    for (start, &loss) in starts.iter_mut().zip(self.losses(next)) {
                        let from = before as i64 - encoding.loss(loss) as i64;
                        *start = Some(start.map_or(from, |start| start.min(from)));
                    }
                }
                next += 1;
            }
            let both = starts.iter().zip(self.losses(place));
            let ends =
                both.filter_map(|(start, &loss)| Some((*start)? + encoding.loss(loss) as i64));
            ends.min().map(|value| value as u64 + encoding.per_leaf())
        };
        (0..self.places.len()).map(value).collect()
    }

    /// The places to cut at for a value that was found: the lowest first one, then the lowest second one,
    /// and so on.
    pub(crate) fn cuts(
        &self,
        value: u64,
        rule: IntervalRule,
        encoding: ValueEncoding,
    ) -> Option<Vec<usize>> {
        let n = self.places.len() - 1;
        // From the right: values of the rows after each place, in 0, 1, ... intervals.
        let turned = self.turned();
        let mut after = vec![turned.none()];
        for intervals in 1..=rule.most().min(n) {
            after.push(turned.one_more(&after[intervals - 1], rule, encoding));
            if after[intervals][n] == Some(value) {
                return self.walk(value, intervals, &after, rule, encoding);
            }
        }
        None
    }

    fn walk(
        &self,
        value: u64,
        intervals: usize,
        after: &[Vec<Option<u64>>],
        rule: IntervalRule,
        encoding: ValueEncoding,
    ) -> Option<Vec<usize>> {
        let n = self.places.len() - 1;
        let (mut from, mut left, mut cuts) = (0, value, Vec::new());
        for rest in (1..intervals).rev() {
            let to = (from + 1..n).find(|&to| {
                let is_long = self.places[to] - self.places[from] >= rule.min_leaf();
                let first = encoding.leaf(self.error(from, to));
                is_long && after[rest][n - to].is_some_and(|after| first + after == left)
            })?;
            left -= encoding.leaf(self.error(from, to));
            cuts.push(to);
            from = to;
        }
        Some(cuts)
    }

    /// The same line from the other end.
    fn turned(&self) -> Self {
        let n = self.places.len() - 1;
        let all = self.losses(n);
        let losses = (0..=n).rev().flat_map(|place| {
            let both = all.iter().zip(self.losses(place));
            both.map(|(all, before)| all - before)
        });
        Self {
            n_classes: self.n_classes,
            places: self
                .places
                .iter()
                .rev()
                .map(|place| self.places[n] - place)
                .collect(),
            losses: losses.collect(),
        }
    }
}
