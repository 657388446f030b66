//! The best intervals of one numeric feature, if there may be as many as there are different values.
//!
//! Then a number for each label is enough, and a row takes one step, however many labels there are.

use crate::learn::optimal::problem::{RowSet, ValueEncoding};

/// The least value of the rows that have a cell of a feature.
pub(super) fn least_of_any(rows: &RowSet, feature: usize, encoding: ValueEncoding) -> u64 {
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
