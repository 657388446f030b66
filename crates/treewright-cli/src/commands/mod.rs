//! The commands, one file each, and what they share.

pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod predict;
pub(crate) mod score;
pub(crate) mod show;
pub(crate) mod verify;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use treewright::Budget;

use crate::args::{LimitArgs, WholeNumber};

/// More threads than this would only cost memory.
const MOST_THREADS: usize = 256;
/// Exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Sets the number of threads for everything that follows.
pub(crate) fn use_threads(threads: Option<WholeNumber>) -> Result<()> {
    let Some(threads) = threads else {
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.count("threads", 1)?.min(MOST_THREADS))
        .build_global()
        .context("threads")
}

/// The budget of a piece of work that begins now. From here on one Ctrl-C stops the work and keeps
/// its result; a second one ends the program.
fn start_budget(limits: &LimitArgs) -> Result<Budget> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    let budget = Budget::unlimited().with_interrupt(interrupt);
    Ok(match limits.time_limit {
        Some(limit) => budget.with_time_limit(limit),
        None => budget,
    })
}
