//! The rows of a node in the order of a feature, made when somebody asks.
//!
//! A list is taken out of a longer one that is at hand, or sorted: by counting where the feature has few
//! values, by a bit for every place of the full order in tables that are not large, else by comparison.

use crate::budget::Budget;
use crate::learn::greedy::problem::frame::Frame;
use crate::learn::greedy::problem::lists::{Packing, is_tie};

/// The order of all rows by every feature.
#[derive(Debug)]
pub(crate) struct Orders {
    ranks: Vec<Ranks>,
}

/// The values of one feature by their order.
#[derive(Debug)]
struct Ranks {
    /// The position of each row's value among the values; missing comes last.
    of: Vec<u32>,
    /// How many positions there are.
    n: usize,
    /// The place of each row in the order of all rows; none in large tables.
    places: Vec<u16>,
}

/// Tables with more rows have no places: a bit for each of them would take longer than a sort.
const MOST_PLACES: usize = 1 << 16;

/// The rows of a node in the order of some features.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    n_rows: usize,
    /// For every feature where its list begins, if there is one.
    starts: Vec<Option<usize>>,
    entries: Vec<u32>,
}

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

impl Orders {
    /// The rows of the root frame; `None` if the budget is spent before all of them are in order.
    pub(crate) fn new(frame: &Frame<'_>, budget: &Budget) -> Option<Self> {
        let ranks = (0..frame.n_features())
            .map(|feature| (!budget.is_spent()).then(|| Ranks::of(frame, feature)));
        Some(Self {
            ranks: ranks.collect::<Option<_>>()?,
        })
    }

    pub(crate) fn n_features(&self) -> usize {
        self.ranks.len()
    }

    /// What it costs to sort so many rows, in entries of a longer list that could be gone through instead.
    pub(crate) fn sorting_costs(&self, n: usize, feature: usize) -> usize {
        let ranks = &self.ranks[feature];
        if ranks.n <= 2 * n || ranks.places.is_empty() {
            2 * n * (usize::BITS - n.leading_zeros()) as usize
        } else {
            2 * n + ranks.places.len() / 32
        }
    }

    /// Appends entries of a frame, which come by rising row, in the order of a feature.
    pub(crate) fn sort(
        &self,
        frame: &Frame<'_>,
        entries: &[u32],
        feature: usize,
        sorter: &mut Sorter,
        list: &mut Vec<u32>,
    ) {
        let ranks = &self.ranks[feature];
        let rank = |entry: u32| ranks.of[frame.origin_of(frame.packing().row(entry))];
        if ranks.n <= 2 * entries.len() {
            sorter.count(entries, ranks.n, rank, list);
        } else if ranks.places.len() <= 256 * entries.len() && !ranks.places.is_empty() {
            let row = |entry: u32| frame.origin_of(frame.packing().row(entry));
            let place = |entry: u32| usize::from(ranks.places[row(entry)]);
            sorter.place(entries, ranks.places.len(), place, rank, list);
        } else {
            sorter.compare(entries, rank, list);
        }
    }
}

impl Ranks {
    fn of(frame: &Frame<'_>, feature: usize) -> Self {
        let n_rows = frame.n_rows();
        let mut of = vec![0; n_rows];
        let mut places = Vec::new();
        if let Some(coarse) = frame.coarse().filter(|_| frame.is_coarse(feature)) {
            for (row, rank) in of.iter_mut().enumerate() {
                *rank = u32::from(coarse.code(feature, row));
            }
        } else {
            let mut rank = 0;
            if n_rows <= MOST_PLACES {
                places.resize(n_rows, 0);
            }
            for (at, &entry) in frame.list(feature, &(0..n_rows)).iter().enumerate() {
                rank += u32::from(at > 0 && !is_tie(entry));
                let row = frame.packing().row(entry);
                of[row] = rank;
                if let Some(place) = places.get_mut(row) {
                    *place = at as u16;
                }
            }
        }
        let n = of.iter().max().map_or(0, |&last| last as usize + 1);
        Self { of, n, places }
    }
}

impl Lists {
    /// Makes room for lists of so many rows.
    pub(crate) fn clear(&mut self, n_rows: usize, n_features: usize) {
        self.n_rows = n_rows;
        self.starts.clear();
        self.starts.resize(n_features, None);
        self.entries.clear();
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The list of a feature, if there is one.
    pub(crate) fn of(&self, feature: usize) -> Option<&[u32]> {
        let start = self.starts[feature]?;
        Some(&self.entries[start..][..self.n_rows])
    }

    /// Makes the list of a feature: `append` adds it to what is there.
    pub(crate) fn make(&mut self, feature: usize, append: impl FnOnce(&mut Vec<u32>)) -> &[u32] {
        let start = self.entries.len();
        append(&mut self.entries);
        self.starts[feature] = Some(start);
        &self.entries[start..]
    }
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

    fn count(
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
    fn place(
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

    fn compare(&mut self, entries: &[u32], rank: impl Fn(u32) -> u32, list: &mut Vec<u32>) {
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
