//! Sorts the rows of a node by the ranks of their values.

use crate::learn::greedy::problem::{Packing, is_tie};

/// Memory for sorting, and which rows a node has.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    keys: Vec<u64>,
    /// Bits of places that are taken, all 0 between two uses, and who is there.
    taken: Vec<u64>,
    tenants: Vec<(u32, u32)>,
    starts: Vec<u32>,
    /// For every row the last node that was marked and has it.
    mark: Vec<u32>,
    epoch: u32,
}

impl Sorter {
    /// Notes which rows a node has.
    pub(crate) fn mark(&mut self, n_rows: usize, packing: Packing, entries: &[u32]) {
        self.mark.resize(self.mark.len().max(n_rows), 0);
        self.epoch += 1;
        if self.epoch == u32::MAX {
            self.mark.fill(0);
            self.epoch = 1;
        }
        for &entry in entries {
            self.mark[packing.row(entry)] = self.epoch;
        }
    }

    /// Appends those entries of a longer list whose rows have been marked, `n` in all.
    pub(crate) fn take_out(&self, longer: &[u32], packing: Packing, n: usize, list: &mut Vec<u32>) {
        let start = list.len();
        // One place more: the last entry may be written and not kept.
        list.resize(start + n + 1, 0);
        let out = &mut list[start..];
        let mut n_taken = 0;
        // Does everything since the last entry that was taken tie with it?
        let mut tie = 0;
        for &entry in longer {
            tie &= u32::from(is_tie(entry));
            out[n_taken.min(n)] = entry & !1 | tie;
            let is_taken = self.mark[packing.row(entry)] == self.epoch;
            n_taken += usize::from(is_taken);
            tie |= u32::from(is_taken);
        }
        debug_assert_eq!(n_taken, n, "a longer list has all rows of the node");
        list.truncate(start + n);
    }

    pub(super) fn count(
        &mut self,
        entries: &[u32],
        n_ranks: usize,
        rank: impl Fn(u32) -> u32,
        list: &mut Vec<u32>,
    ) {
        let starts = &mut self.starts;
        starts.clear();
        starts.resize(n_ranks, 0);
        for &entry in entries {
            starts[rank(entry) as usize] += 1;
        }
        // Twice the position of the next entry of a rank, and one more if it is not the first.
        let mut sum = 0;
        for start in starts.iter_mut() {
            let n = *start;
            *start = sum << 1;
            sum += n;
        }
        let begin = list.len();
        list.resize(begin + entries.len(), 0);
        let out = &mut list[begin..];
        for &entry in entries {
            let next = &mut starts[rank(entry) as usize];
            out[(*next >> 1) as usize] = entry & !1 | *next & 1;
            *next = (*next + 2) | 1;
        }
    }

    /// Every entry takes its place in the order of all rows; then the places that are taken are read.
    pub(super) fn place(
        &mut self,
        entries: &[u32],
        n_places: usize,
        place: impl Fn(u32) -> usize,
        rank: impl Fn(u32) -> u32,
        list: &mut Vec<u32>,
    ) {
        let n_words = n_places.div_ceil(64);
        self.taken.resize(self.taken.len().max(n_words), 0);
        self.tenants
            .resize(self.tenants.len().max(64 * n_words), (0, 0));
        for &entry in entries {
            let place = place(entry);
            self.taken[place / 64] |= 1 << (place % 64);
            self.tenants[place] = (entry, rank(entry));
        }
        let mut last = u32::MAX;
        for (at, word) in self.taken[..n_words].iter_mut().enumerate() {
            let mut rest = std::mem::take(word);
            while rest != 0 {
                let (entry, rank) = self.tenants[64 * at + rest.trailing_zeros() as usize];
                list.push(entry & !1 | u32::from(rank == last));
                last = rank;
                rest &= rest - 1;
            }
        }
    }

    pub(super) fn compare(
        &mut self,
        entries: &[u32],
        rank: impl Fn(u32) -> u32,
        list: &mut Vec<u32>,
    ) {
        let keys = &mut self.keys;
        keys.clear();
        let key = |&entry: &u32| u64::from(rank(entry)) << 32 | u64::from(entry);
        keys.extend(entries.iter().map(key));
        keys.sort_unstable();
        let mut last = u64::MAX;
        list.extend(keys.iter().map(|&key| {
            let tie = u32::from(key >> 32 == last);
            last = key >> 32;
            key as u32 | tie
        }));
    }
}
