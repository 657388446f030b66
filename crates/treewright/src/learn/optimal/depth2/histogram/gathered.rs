//! Gathered rows: the rows in the order of a child feature, with all that a histogram needs of each.
//!
//! Refinements read the same rows of a child again and again, for other cuts of the root. In a large table, most of
//! that time goes to the class and the rank of each row, which lie anywhere in memory. So rows that were read often
//! enough are kept side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::learn::optimal::problem::RowSet;
use crate::learn::optimal::switches::Switches;

/// The children of a root.
#[derive(Debug)]
pub(crate) struct GatheredRows {
    of_child: Vec<GatheredChild>,
    room: Arc<GatheredSpace>,
}

#[derive(Debug, Default)]
struct GatheredChild {
    /// How many rows were read.
    n_looks: AtomicUsize,
    /// All rows in the order of the child; nothing if they do not fit.
    rows: OnceLock<Option<Vec<GatheredRow>>>,
}

/// A row that has a cell of the child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GatheredRow {
    /// The rank of the root.
    rank: u32,
    /// The class, or one too many if it has no weight.
    slot: u16,
    amount: u16,
}

impl GatheredRow {
    #[inline]
    pub(super) fn rank(self) -> u32 {
        self.rank
    }

    #[inline]
    pub(super) fn slot(self) -> usize {
        self.slot as usize
    }

    #[inline]
    pub(super) fn amount(self) -> u32 {
        u32::from(self.amount)
    }
}

/// How many rows may still be kept, for all roots together.
#[derive(Debug)]
pub(crate) struct GatheredSpace(AtomicUsize);

impl GatheredSpace {
    /// As many as the rows have cells.
    pub(crate) fn new(rows: &RowSet) -> Self {
        Self(AtomicUsize::new(rows.len() * rows.cells().len()))
    }

    fn take(&self, n_rows: usize) -> bool {
        let take = |left: usize| left.checked_sub(n_rows);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }
}

impl GatheredRows {
    /// Those of all children of a root; none at all if that does not pay.
    pub(crate) fn new(rows: &RowSet, switches: Switches, room: &Arc<GatheredSpace>) -> Self {
        let pays = switches.gathered_rows && rows.len() >= switches.sizes.gathered_rows;
        let children = rows.cells().iter().filter(|_| pays);
        Self {
            of_child: children.map(|_| GatheredChild::default()).collect(),
            room: Arc::clone(room),
        }
    }

    /// The rows in the order of a child, if they are kept; `n_looks` of them are to be read.
    pub(crate) fn of(
        &self,
        rows: &RowSet,
        root: usize,
        child: usize,
        n_looks: impl FnOnce() -> usize,
    ) -> Option<&[GatheredRow]> {
        let of_child = self.of_child.get(child)?;
        if let Some(known) = of_child.rows.get() {
            return known.as_deref();
        }
        let n_looks = n_looks();
        let n_before = of_child.n_looks.fetch_add(n_looks, Ordering::Relaxed);
        if n_before + n_looks < rows.len() {
            return None;
        }
        let make = || {
            let order = rows.cells()[child].order();
            self.room
                .take(order.len())
                .then(|| gathered_rows(rows, root, order))?
        };
        of_child.rows.get_or_init(make).as_deref()
    }
}

fn gathered_rows(rows: &RowSet, root: usize, order: &[u32]) -> Option<Vec<GatheredRow>> {
    let of_root = rows.cells()[root].ranks();
    let row = |&row: &u32| {
        let label = rows.labels()[row as usize];
        let slot = if label.weight == 0 {
            rows.sums().len()
        } else {
            label.class as usize
        };
        Some(GatheredRow {
            rank: of_root[row as usize],
            slot: slot.try_into().ok()?,
            amount: label.amount().try_into().ok()?,
        })
    };
    order.iter().map(row).collect()
}
