//! The best intervals of one numeric feature.
//!
//! The rows lie on a line, in the order of their values, and are cut into at most `K` intervals with one label
//! each. Let `P[c](i)` be the loss of label `c` for the first `i` rows, `F[k](j)` the least value of the first `j`
//! rows in `k` intervals, and `leaf` the value of a leaf without loss. Then
//!
//! `F[k](j) = leaf + min over c of [ P[c](j) + min over i < j of (F[k-1](i) - P[c](i)) ]`
//!
//! where `i` and `j` are places between different values. The inner minimum only gains places as `j` grows, so one
//! number for each class keeps it, and the work is `K * classes` for each different value. Leaves may have any size
//! here; `sized_intervals` has those with a least size.
//!
//! **Source.** P. Auer, R. Holte and W. Maass (1995) solve this problem at the last level of T1 and T2. They merge
//! intervals; this dynamic programme is another method.

use super::any_intervals::least_of_any;
use crate::learn::exact::{Deadline, Stopped};
use crate::learn::optimal::problem::{RowSet, ValueEncoding};

/// A rank that takes more steps than this takes long.
const SLOW: usize = 1 << 21;

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
    let intervals = cut_rows(rows, feature, most.min(cells.n_ranks()), deadline)?;
    Ok(intervals.least(encoding))
}

/// All ranks of a feature, one after the other.
fn cut_rows(
    rows: &RowSet,
    feature: usize,
    most: usize,
    deadline: &mut Deadline<'_>,
) -> Result<Intervals, Stopped> {
    let cells = &rows.cells()[feature];
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
    Ok(intervals)
}

/// The least losses of the rows that have a cell of a feature, cut into 1, 2, ... intervals of any size.
pub(crate) fn losses_of_intervals(
    rows: &RowSet,
    feature: usize,
    most: usize,
    deadline: &mut Deadline<'_>,
) -> Result<Vec<u64>, Stopped> {
    let cells = &rows.cells()[feature];
    let intervals = cut_rows(rows, feature, most.min(cells.n_ranks()), deadline)?;
    Ok(intervals.losses().collect())
}

/// The least losses of two parts of the rows, each cut into 1, 2, ... intervals of any size; all rows have a cell of
/// the feature. One pass for both.
pub(crate) fn losses_of_two_parts(
    rows: &RowSet,
    feature: usize,
    is_second: impl Fn(u32) -> bool,
    most: [usize; 2],
    deadline: &mut Deadline<'_>,
) -> Result<[Vec<u64>; 2], Stopped> {
    let cells = &rows.cells()[feature];
    let n_classes = rows.sums().len();
    let mut parts = most.map(|most| Intervals::new(n_classes, most.min(cells.n_ranks())));
    let per_rank = (most[0] + most[1]).saturating_mul(n_classes);
    // A part without new rows has no new cuts.
    let mut has_new = [false; 2];
    for group in cells.starts().windows(2) {
        deadline.before(per_rank)?;
        for part in 0..2 {
            if has_new[part] {
                parts[part].cut();
                has_new[part] = false;
            }
        }
        for &row in &cells.order()[group[0] as usize..group[1] as usize] {
            let (label, part) = (rows.labels()[row as usize], usize::from(is_second(row)));
            parts[part].add(label.class as usize, u64::from(label.weight));
            has_new[part] = true;
        }
    }
    Ok(parts.map(|part| part.losses().collect()))
}

/// The least value of a part of the rows, cut into intervals of any size, from the weights of its ranks and classes.
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

/// The best intervals of rows that come one after the other.
struct Intervals {
    most: usize,
    all: u64,
    /// What all rows so far gain by each class.
    sums: Vec<i64>,
    /// For each number of cuts and class of the last interval what is gained more, or less, by the best cuts
    /// so far.
    more: Vec<i64>,
    /// With two classes and two intervals, a scan: by how much the first class outweighs the second so far, and by
    /// how much at most and at least at a cut.
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

    /// A cut may be here; checks the deadline on the way, where this takes long.
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

    /// The least loss in 1, 2, ... intervals.
    fn losses(&self) -> impl Iterator<Item = u64> {
        let p = self.sums.len();
        let gain = move |cuts: usize| match self.walk {
            Some([_, top, bottom]) if cuts == 1 => (self.sums[1] + top).max(self.sums[0] - bottom),
            _ => {
                let gains = self.more[cuts * p..][..p].iter().zip(&self.sums);
                gains.map(|(more, sum)| more + sum).max().unwrap_or(0)
            }
        };
        (0..self.most).map(move |cuts| self.all - gain(cuts) as u64)
    }

    fn least(&self, encoding: ValueEncoding) -> u64 {
        let value = |(leaves, loss)| encoding.loss(loss) + leaves * encoding.per_leaf();
        let values = (1..).zip(self.losses()).map(value);
        values.min().unwrap_or(u64::MAX)
    }
}
