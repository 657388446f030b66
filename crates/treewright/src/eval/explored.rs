//! How a report came to be that was made by exploring a table, and what is known of the choice of its tree.

use super::GoodEnough;

/// How a table was explored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explored {
    /// When a tree is good enough.
    pub rule: GoodEnough,
    /// How much larger the error of the chosen tree is, as far as one can tell, than it looks because the tree was
    /// chosen by it; `None` if that is not known.
    pub optimism: Option<f64>,
    /// The chosen tree on rows that were kept aside, if some were.
    pub kept_aside: Option<KeptAside>,
    /// Why the work ended before all of it was done, if it did.
    pub stopped: Option<Stop>,
    /// Were trees judged by one part of the rows, because there was no time for all folds? That share.
    pub judged_by_share: Option<f64>,
    /// Why there are no dyadic trees where there could be.
    pub no_dyadic: Option<NoDyadic>,
}

/// A tree on rows that neither it nor the choice of it has seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeptAside {
    /// Their number.
    pub rows: usize,
    /// Mean cost on these.
    pub error: f64,
    /// Its standard error.
    pub se: f64,
    /// The interval that holds the true error with a probability of 95 %, where costs are errors.
    pub interval: Option<(f64, f64)>,
    /// Is that the exact one? Of rows with different weights it is an approximation.
    pub is_exact: bool,
}

/// Why the work ended before all of it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The user stopped it.
    Interrupted,
    /// The time was used up.
    Time,
    /// The memory was used up.
    Memory,
    /// For some of the work the time was used up, for some the memory.
    TimeAndMemory,
}

/// Why dyadic trees were left out.
#[derive(Debug, Clone, PartialEq)]
pub enum NoDyadic {
    /// There was no time.
    NoTime,
    /// The learner refused the table: its message.
    Refused(String),
}
