//! The commands, one file each, in folders by what they are for, and what they share.
//!
//! | folder or file | contents |
//! |---|---|
//! | `learn` | `fit`, `path`, `prune` |
//! | `choose` | `explore`, `report`, `validate`, `distinct`, `select` |
//! | `describe` | `check`, `summary`, `curve` |
//! | `apply` | `predict`, `score`, `show`, `export` |
//! | `verify` | `verify` |
//! | `problem` | what is learned: the target, and what wrong predictions cost |
//! | `model`, `family` | results, written as files or shown |

pub(crate) mod apply;
pub(crate) mod choose;
pub(crate) mod describe;
pub(crate) mod learn;
pub(crate) mod verify;

mod family;
mod model;
mod problem;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use treewright::data::Dataset;
use treewright::{Budget, ErrorKind};

use crate::args::{LimitArgs, PenaltyArgs, WholeNumber};
use crate::input;
use crate::signals;

/// More threads than this would only cost memory.
const MOST_THREADS: usize = 256;
/// A table of least costs or of solved sets gets no more memory than this unless more is allowed.
const DEFAULT_MEMORY: u64 = 4_000_000_000;

/// Sets the number of threads for everything that follows. Where the system has none to give, this one does all
/// the work.
pub(crate) fn use_threads(threads: Option<WholeNumber>) -> Result<()> {
    let threads = threads.map(|threads| threads.count("threads", 1));
    // As many as there are cores.
    let threads = threads.transpose()?.unwrap_or(0).min(MOST_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    if pool.build_global().is_err() {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1);
        let alone = alone.use_current_thread().build().context("threads")?;
        // Its thread is this one, which stays to the end.
        std::mem::forget(alone);
    }
    Ok(())
}

/// The budget of a piece of work that begins now. From here on one Ctrl-C stops the work and keeps
/// its result; a second one ends the program. Time and memory count from here on: reading is done.
fn start_budget(limits: &LimitArgs, data: &Dataset) -> Budget {
    const NANOS_PER_CELL: u64 = 5;
    let budget = Budget::unlimited().with_interrupt(signals::interrupt());
    let budget = match limits.time_limit() {
        Some(limit) => {
            // To give the table back to the system at the end takes time, too.
            let n_cells = data.n_rows() as u64 * (data.columns().len() as u64 + 1);
            let ending = Duration::from_nanos(n_cells * NANOS_PER_CELL).min(limit / 20);
            budget.with_time_limit(limit.saturating_sub(ending))
        }
        None => budget,
    };
    match limits.memory_limit() {
        Some(bytes) => budget.with_memory_limit(bytes),
        None => budget.within_addresses(),
    }
}

/// How many bytes the table of least costs, or of solved sets, may take.
fn most_bytes(limits: &LimitArgs) -> u64 {
    limits.memory_limit().unwrap_or(DEFAULT_MEMORY)
}

/// A number with its noun.
fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// An error of learning or pruning: about the file it was made from, unless it is about a parameter or
/// the table of a penalty.
fn about(file: &Path, penalty: &PenaltyArgs, error: treewright::Error) -> anyhow::Error {
    let file = match error.kind() {
        ErrorKind::Penalty(_) => penalty.file().unwrap_or(file),
        _ => file,
    };
    in_file(file, error)
}

/// An error about the content of a file, with its name.
fn in_file(file: &Path, error: treewright::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Parameter { .. } => error.into(),
        _ => anyhow::Error::from(error).context(input::name_of(file)),
    }
}
