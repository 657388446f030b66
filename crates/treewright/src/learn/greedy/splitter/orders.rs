//! The rows of a node in the order of a feature, made when somebody asks.
//!
//! A list is taken out of a longer one that is at hand, or sorted: by counting where the feature has few
//! values, by a bit for every place of the full order in tables that are not large, else by comparison.

use super::sorter::Sorter;
use crate::budget::Budget;
use crate::learn::greedy::problem::{Frame, is_tie};

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

    /// What it costs to sort this many rows, in entries of a longer list that could be gone through instead.
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
