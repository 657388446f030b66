//! The lowest cut of a numeric feature in two leaves, for a value that is known.

use crate::learn::optimal::problem::{NONE, RowSet, ValueEncoding};

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
