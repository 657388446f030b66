//! Bounds of regions against all that was met before.

use fastrand::Rng;

use super::region::{Bounds, Edge, Region};
use super::rows::{Cells, Label, Rows};

/// Rows with different numbers in each of some features.
fn random_rows(rng: &mut Rng) -> Rows {
    let n_rows = rng.usize(4..20);
    let column = |rng: &mut Rng| {
        let mut order: Vec<u32> = (0..n_rows as u32).collect();
        rng.shuffle(&mut order);
        let mut ranks = vec![0; n_rows];
        for (rank, &row) in (0..).zip(&order) {
            ranks[row as usize] = rank;
        }
        Cells {
            ranks,
            order,
            starts: (0..=n_rows as u32).collect(),
        }
    };
    let label = Label {
        class: 0,
        weight: 1,
    };
    let cells = (0..3).map(|_| column(rng)).collect();
    Rows {
        region: Some(Region::default()),
        ..Rows::new(vec![label; n_rows], cells, 1)
    }
}

/// One or two cuts, and what they leave.
fn random_region(rng: &mut Rng, whole: &Rows) -> (Region, Rows, Vec<Edge>) {
    let (mut region, mut rows, mut edges) = (Region::default(), whole.clone(), Vec::new());
    for _ in 0..rng.usize(1..=2) {
        let feature = rng.usize(..3);
        let is_high = rng.bool();
        let cut = rng.u32(1..whole.len() as u32);
        let edge = Edge {
            feature: feature as u32,
            is_high,
        };
        region = region.cut(edge, cut);
        let ranks = &whole.cells[feature].ranks;
        let ids = rows.ids.clone();
        rows = rows.only(|row| (ranks[ids[row] as usize] >= cut) == is_high);
        edges.push(edge);
    }
    edges.sort_unstable();
    edges.dedup();
    (region, rows, edges)
}

#[test]
fn a_region_has_the_largest_bound_of_all_within() {
    let (mut n_known, mut n_unknown) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let whole = random_rows(&mut rng);
        let bounds = Bounds::new(usize::MAX);
        let mut met: Vec<(usize, Vec<Edge>, Rows, u64)> = Vec::new();
        for _ in 0..60 {
            let (region, rows, edges) = random_region(&mut rng, &whole);
            if rows.len() == 0 {
                continue;
            }
            let depth = rng.usize(2..4);
            let is_within = |(of_depth, of_edges, part, _): &&(usize, Vec<Edge>, Rows, u64)| {
                *of_depth == depth
                    && *of_edges == edges
                    && part.ids.iter().all(|id| rows.ids.contains(id))
            };
            let expected = met.iter().filter(is_within).map(|met| met.3).max();
            let found = bounds.find(depth, &region);
            assert_eq!(found, expected.unwrap_or(0), "seed {seed}: {region:?}");
            n_known += u32::from(found > 0);
            n_unknown += u32::from(found == 0);
            let least = rng.u64(1..50);
            bounds.insert(depth, &region, &rows, &whole, least);
            met.push((depth, edges, rows, least));
        }
    }
    assert!(n_known > 3000 && n_unknown > 3000, "{n_known} {n_unknown}");
}
