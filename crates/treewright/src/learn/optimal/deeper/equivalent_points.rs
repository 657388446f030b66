//! The equivalent points bound.
//!
//! **Lemma.** Rows with the same cells in all features go to the same leaf in every tree, however deep. So every
//! tree loses at least the weight outside the best class of each group of such rows.
//!
//! **Source.** Angelino et al. (2018) for rule lists. Here it is a lower bound for depths that the search did
//! not reach.

use crate::budget::Budget;
use crate::learn::optimal::problem::{FeatureCells, NONE, RowSet};

/// What every tree loses, at least. Many rows take their time: if it is up, nothing is said.
pub(crate) fn least_loss(rows: &RowSet, budget: &Budget) -> u64 {
    const MANY_ROWS: usize = 100_000;
    let mut groups = EquivalentGroups::new(rows.len());
    for cells in rows.cells() {
        if rows.len() >= MANY_ROWS && budget.is_spent() {
            return 0;
        }
        if groups.n_groups == 0 {
            return 0;
        }
        groups.refine(cells);
        groups.leave_single_rows();
    }
    let with_groups = groups.of_row.iter().zip(rows.labels());
    let mut grouped: Vec<(u32, u32, u32)> = with_groups
        .filter(|&(&group, _)| group != NONE)
        .map(|(&group, label)| (group, label.class, label.weight))
        .collect();
    grouped.sort_unstable();
    let loss = |group: &[(u32, u32, u32)]| {
        let weight =
            |rows: &[(u32, u32, u32)]| rows.iter().map(|row| u64::from(row.2)).sum::<u64>();
        let classes = group.chunk_by(|one, next| one.1 == next.1);
        weight(group) - classes.map(weight).max().unwrap_or(0)
    };
    grouped
        .chunk_by(|one, next| one.0 == next.0)
        .map(loss)
        .sum()
}

/// Rows that are alike in all features so far.
struct EquivalentGroups {
    /// The group of each row; [`NONE`] if it is alone.
    of_row: Vec<u32>,
    n_groups: usize,
}

impl EquivalentGroups {
    /// All rows in one group.
    fn new(n_rows: usize) -> Self {
        Self {
            of_row: vec![0; n_rows],
            n_groups: 1,
        }
    }

    /// Parts all groups by one more feature. Rows come by rank, so it is enough to know for each group its
    /// latest part and the rank of that.
    fn refine(&mut self, cells: &FeatureCells) {
        let mut latest: Vec<Option<(u32, u32)>> = vec![None; self.n_groups];
        let mut n_parts = 0;
        let mut part_of = |group: u32, rank: u32| match latest[group as usize] {
            Some((known, part)) if known == rank => part,
            _ => {
                let part = n_parts;
                n_parts += 1;
                latest[group as usize] = Some((rank, part));
                part
            }
        };
        let missing =
            (0..cells.ranks().len() as u32).filter(|&row| cells.ranks()[row as usize] == NONE);
        for row in cells.order().iter().copied().chain(missing) {
            let group = &mut self.of_row[row as usize];
            if *group != NONE {
                *group = part_of(*group, cells.ranks()[row as usize]);
            }
        }
        self.n_groups = n_parts as usize;
    }

    /// A row alone is never wrong: it leaves, and the other groups are numbered anew.
    fn leave_single_rows(&mut self) {
        let mut sizes = vec![0_u32; self.n_groups];
        for &group in self.of_row.iter().filter(|&&group| group != NONE) {
            sizes[group as usize] += 1;
        }
        let mut n_groups = 0;
        let number = |size: u32| {
            if size < 2 {
                return NONE;
            }
            n_groups += 1;
            n_groups - 1
        };
        let numbers: Vec<u32> = sizes.into_iter().map(number).collect();
        for group in self.of_row.iter_mut().filter(|group| **group != NONE) {
            *group = numbers[*group as usize];
        }
        self.n_groups = n_groups as usize;
    }
}
