//! Scans of many cuts at once, compared with a plain scan for each cut.

use std::ops::Range;

use fastrand::Rng;

use super::Batch;
use crate::cost::{Lambda, Scale};
use crate::learn::optimal::depth2::scan::runs::RunList;
use crate::learn::optimal::depth2::simd::Lane;
use crate::learn::optimal::problem::{
    FeatureCells, FeatureKind, Label, NONE, RowSet, ValueEncoding, ValueSize,
};

/// Cells from values; `None` is missing.
fn cells(values: &[Option<u32>]) -> FeatureCells {
    let mut different: Vec<u32> = values.iter().copied().flatten().collect();
    different.sort_unstable();
    different.dedup();
    let rank = |value: &Option<u32>| match value {
        None => NONE,
        Some(value) => different.partition_point(|other| other < value) as u32,
    };
    let ranks: Vec<u32> = values.iter().map(rank).collect();
    let (mut order, mut starts) = (Vec::new(), vec![0]);
    for rank in 0..different.len() as u32 {
        order.extend((0..ranks.len() as u32).filter(|&row| ranks[row as usize] == rank));
        starts.push(order.len() as u32);
    }
    FeatureCells::new(ranks, order, starts)
}

/// The first feature is the root, which all rows have.
fn random_rows(rng: &mut Rng, heaviest: u32) -> RowSet {
    let n_rows = rng.usize(2..=70);
    let label = |_| Label {
        class: rng.u32(..2),
        weight: heaviest - rng.u32(..heaviest.min(5)),
    };
    let labels = (0..n_rows).map(label).collect();
    let column = |feature: usize| {
        let distinct = [2, 6, 30, 1000][rng.usize(..4)];
        let n_missing = if feature == 0 { 0 } else { rng.u8(..3) };
        let value = |_| (rng.u8(..12) >= n_missing).then(|| rng.u32(..distinct));
        cells(&(0..n_rows).map(value).collect::<Vec<_>>())
    };
    RowSet::new(labels, (0..3).map(column).collect(), 2)
}

/// For each rank of the root the weights of both classes below it.
fn below(rows: &RowSet) -> Vec<[i64; 2]> {
    let (cells, mut sums) = (&rows.cells()[0], [0; 2]);
    let mut below = vec![sums];
    for rank in 0..cells.n_ranks() as u32 {
        for &row in cells.rows(rank, rank + 1) {
            let label = rows.labels()[row as usize];
            sums[label.class as usize] += i64::from(label.weight);
        }
        below.push(sums);
    }
    below
}

/// The weight outside the best class.
fn error(rows: &RowSet, part: impl Iterator<Item = usize>) -> u64 {
    let mut sums = [0_u64; 2];
    for row in part {
        sums[rows.labels()[row].class as usize] += u64::from(rows.labels()[row].weight);
    }
    sums[0].min(sums[1])
}

/// The least loss of the ranks from one on, in at most a number of intervals: the first interval ends anywhere.
fn least_loss(sums: &[[u64; 2]], from: usize, intervals: usize) -> u64 {
    let error = |to: usize| {
        let [a, b] = [0, 1].map(|class| sums[to][class] - sums[from][class]);
        a.min(b)
    };
    let last = sums.len() - 1;
    if intervals == 1 {
        return error(last);
    }
    let cuts = from..=last;
    let losses = cuts.map(|cut| error(cut) + least_loss(sums, cut, intervals - 1));
    losses.min().unwrap()
}

/// What some rows cost by a child: all of its cuts, one after the other.
fn scan(
    rows: &RowSet,
    part: &[usize],
    (child, kind): (usize, FeatureKind),
    encoding: ValueEncoding,
    most: usize,
) -> u64 {
    let cells = &rows.cells()[child];
    let within = |ranks: std::ops::Range<u32>| {
        let is_in = move |row: &usize| ranks.contains(&cells.ranks()[*row]);
        part.iter().copied().filter(is_in)
    };
    let n_ranks = cells.n_ranks() as u32;
    let present = match kind {
        FeatureKind::Categorical => {
            let ranks = (0..n_ranks).filter(|&rank| within(rank..rank + 1).next().is_some());
            let leaves = ranks.map(|rank| encoding.leaf(error(rows, within(rank..rank + 1))));
            leaves.sum()
        }
        FeatureKind::Numeric => {
            let mut sums = vec![[0; 2]];
            for rank in 0..n_ranks {
                let mut next = sums[rank as usize];
                for row in within(rank..rank + 1) {
                    let label = rows.labels()[row];
                    next[label.class as usize] += u64::from(label.weight);
                }
                sums.push(next);
            }
            let value = |intervals: usize| {
                let loss = least_loss(&sums, 0, intervals);
                encoding.loss(loss) + intervals as u64 * encoding.per_leaf()
            };
            (2..=most).map(value).min().unwrap()
        }
    };
    let missing = part.iter().copied();
    let missing: Vec<usize> = missing.filter(|&row| cells.ranks()[row] == NONE).collect();
    if missing.is_empty() {
        return present;
    }
    let whole = match kind {
        FeatureKind::Numeric => encoding.leaf(error(rows, within(0..n_ranks))),
        FeatureKind::Categorical => u64::MAX,
    };
    present.min(whole) + encoding.leaf(error(rows, missing.into_iter()))
}

/// The run-length list of a child for a range of cuts: from the rows, and from the list for a wider range.
fn run_lists<const K: usize>(
    rows: &RowSet,
    child: usize,
    range: &Range<u32>,
    wider: &Range<u32>,
) -> [RunList; 2] {
    let run_list = |range: &Range<u32>| RunList::new::<K>(rows, 0, range, &rows.cells()[child]);
    [run_list(range), run_list(wider).narrowed::<K>(range)]
}

/// With vectors of all lengths that this processor has.
fn processors() -> Vec<pulp::Arch> {
    let mut all = vec![pulp::Arch::Scalar, pulp::Arch::new()];
    #[cfg(target_arch = "x86_64")]
    all.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
    all
}

fn check<T: Lane>(rng: &mut Rng, heaviest: u32, leaf_cost: &str) {
    let rows = random_rows(rng, heaviest);
    let most = rng.usize(2..=if rows.len() < 20 { 4 } else { 3 });
    let n_ranks = rows.cells()[0].n_ranks() as u32;
    let size = ValueSize::new(&rows);
    let scale = Scale::new(1.0, rows.weight() as f64);
    let leaf_cost: Lambda = leaf_cost.parse().unwrap();
    let encoding = ValueEncoding::new(&leaf_cost, scale, true, size).unwrap();
    let mut cuts: Vec<u32> = (0..n_ranks).collect();
    let from = rng.usize(..cuts.len());
    cuts.drain(..from);
    cuts.truncate(rng.usize(1..=62));
    let (first, last) = (cuts[0], cuts[cuts.len() - 1]);
    // Run-length lists may be for a wider range.
    let range = rng.u32(..=first)..rng.u32(last..=n_ranks);
    let wider = rng.u32(..=range.start)..rng.u32(range.end..=n_ranks);
    let below = below(&rows);
    // Run-length lists do not need all rows.
    let [whole, narrow] =
        [true, false].map(|is_whole| Batch::<T>::new(&rows, 0, &cuts, &below, is_whole));
    for (child, kind) in [
        (0, FeatureKind::Numeric),
        (1, FeatureKind::Numeric),
        (2, FeatureKind::Numeric),
        (1, FeatureKind::Categorical),
    ] {
        let made = match most {
            2 => run_lists::<2>,
            3 => run_lists::<3>,
            _ => run_lists::<4>,
        };
        let [run_list, narrowed] = made(&rows, child, &range, &wider);
        let run_lists = [None, Some(&run_list), Some(&narrowed)];
        let mut values = Vec::new();
        for run_list in run_lists.map(|run_list| run_list.filter(|_| kind == FeatureKind::Numeric))
        {
            let batch = if run_list.is_some() { &narrow } else { &whole };
            let value = |arch| batch.child(arch, &rows, (child, kind), run_list, (encoding, most));
            values.extend(processors().into_iter().map(value));
        }
        for (lane, &cut) in cuts.iter().enumerate() {
            for side in 0..2 {
                let is_in = |&row: &usize| (rows.cells()[0].ranks()[row] >= cut) == (side == 1);
                let part: Vec<usize> = (0..rows.len()).filter(is_in).collect();
                let expected = scan(&rows, &part, (child, kind), encoding, most);
                for values in &values {
                    let found = values[lane][side];
                    assert_eq!(found, expected, "{child} {kind:?} {cut} {side} {rows:?}");
                }
            }
        }
    }
}

#[test]
fn batches_equal_a_scan_for_each_cut() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let leaf_cost = ["0", "1/50", "1/7"][rng.usize(..3)];
        check::<i16>(&mut rng, 1, leaf_cost);
        check::<i16>(&mut rng, 400, leaf_cost);
        check::<i32>(&mut rng, 1, leaf_cost);
        check::<i32>(&mut rng, (1 << 22) - 1, leaf_cost);
        check::<i64>(&mut rng, (1 << 22) - 1, leaf_cost);
    }
}
