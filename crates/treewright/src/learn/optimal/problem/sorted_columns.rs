//! The columns of a table in order, sorted once for several searches.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::cells::FeatureCells;
use super::table::NONE;
use crate::budget::Budget;
use crate::data::{Column, Dataset, MISSING_CODE};
use crate::learn::greedy::{Packing, is_tie, sorted_list_in_time};

/// A table for searches of several depths. A column is sorted when the first of them asks for it.
#[derive(Debug)]
pub struct SortedColumns<'a> {
    data: &'a Dataset,
    columns: Vec<OnceLock<FeatureCells>>,
    /// How long sorting has taken so far, in all threads.
    nanos: AtomicU64,
}

impl<'a> SortedColumns<'a> {
    /// Nothing is sorted yet.
    pub fn new(data: &'a Dataset) -> Self {
        Self {
            data,
            columns: data.columns().iter().map(|_| OnceLock::new()).collect(),
            nanos: AtomicU64::new(0),
        }
    }

    /// The table.
    pub(crate) fn data(&self) -> &'a Dataset {
        self.data
    }

    /// How much memory its columns take when all are sorted.
    pub(crate) fn bytes(&self) -> usize {
        self.data.n_rows() * self.columns.len() * 3 * size_of::<u32>()
    }

    /// About how long it takes to sort the columns that are sorted by now.
    pub(super) fn time_to_sort(&self) -> Duration {
        let threads = rayon::current_num_threads().max(1) as u64;
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed) / threads)
    }

    /// Ranks and order of a column; `None` if the budget is spent before they are found.
    pub(super) fn get(&self, column: usize, budget: &Budget) -> Option<&FeatureCells> {
        let slot = &self.columns[column];
        if slot.get().is_none() {
            let start = Instant::now();
            let cells = sorted_cells(&self.data.columns()[column], budget)?;
            let nanos = start.elapsed().as_nanos() as u64;
            self.nanos.fetch_add(nanos, Ordering::Relaxed);
            // Another thread may have been faster, with the same result.
            let _ = slot.set(cells);
        }
        slot.get()
    }
}

/// Ranks and order of a column; `None` if the budget is spent before they are found.
pub(super) fn sorted_cells(column: &Column, budget: &Budget) -> Option<FeatureCells> {
    let is_missing = |row: usize| match column {
        Column::Numeric(numbers) => numbers[row].is_nan(),
        Column::Categorical(codes) => codes[row] == MISSING_CODE,
    };
    let n_rows = column.len();
    let packing = Packing::new(n_rows, 1).expect("a table has below 2^31 rows");
    let list = sorted_list_in_time(column, None, packing, budget)?;
    let n_present = list.partition_point(|&entry| !is_missing(packing.row(entry)));
    let mut ranks = vec![NONE; n_rows];
    let mut order = Vec::with_capacity(n_present);
    let mut starts = Vec::new();
    for &entry in &list[..n_present] {
        if order.is_empty() || !is_tie(entry) {
            starts.push(order.len() as u32);
        }
        let row = packing.row(entry);
        ranks[row] = starts.len() as u32 - 1;
        order.push(row as u32);
    }
    starts.push(n_present as u32);
    Some(FeatureCells::new(ranks, order, starts))
}
