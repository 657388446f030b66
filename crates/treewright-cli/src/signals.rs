//! Signals: Ctrl-C stops a search, and whatever ends the program leaves no temporary file.
//!
//! | signal | does |
//! |---|---|
//! | SIGINT, Ctrl-C | a search stops and keeps its result; a second one, or one without a search, ends the program with exit code 130 |
//! | SIGTERM, SIGHUP | end the program, as they do by themselves, after its temporary files are removed |
//! | SIGXFSZ | none: writing beyond the largest size of a file is an error like a full disk |
//!
//! A signal that the program was started to ignore (SIGHUP under `nohup`) stays ignored.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::destination::remove_unfinished;

/// Exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// What a search looks at to see whether it should stop.
static INTERRUPT: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag of a search that begins now. From here on one Ctrl-C stops the work and keeps its result; a
/// second one ends the program.
pub(crate) fn interrupt() -> Arc<AtomicBool> {
    let flag = INTERRUPT.get_or_init(|| Arc::new(AtomicBool::new(false)));
    Arc::clone(flag)
}

/// What Ctrl-C does.
fn interrupted() {
    let is_asked_first = INTERRUPT
        .get()
        .is_some_and(|flag| !flag.swap(true, Ordering::Relaxed));
    if !is_asked_first {
        let _none_is_begun = remove_unfinished();
        std::process::exit(INTERRUPTED);
    }
}

/// Listens, before any other thread is started: they all inherit which signals wait for the listener.
#[cfg(unix)]
pub(crate) fn listen() -> Result<()> {
    use nix::sys::signal::{SigSet, Signal, raise};

    const WHAT: &str = "cannot listen for signals";
    let mut awaited = SigSet::empty();
    awaited.add(Signal::SIGINT);
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        if !is_ignored(signal as i32) {
            awaited.add(signal);
        }
    }
    let mut blocked = awaited;
    blocked.add(Signal::SIGXFSZ);
    blocked.thread_block().context(WHAT)?;
    let wait = move || {
        while let Ok(signal) = awaited.wait() {
            if signal == Signal::SIGINT {
                interrupted();
                continue;
            }
            let _none_is_begun = remove_unfinished();
            // Whoever started the program sees what ended it.
            let _ = SigSet::from(signal).thread_unblock();
            let _ = raise(signal);
            std::process::exit(128 + signal as i32);
        }
    };
    let listener = std::thread::Builder::new().name("signals".into());
    listener.spawn(wait).context(WHAT)?;
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn listen() -> Result<()> {
    ctrlc::set_handler(interrupted).context("cannot listen for Ctrl-C")
}

/// Was the program started to ignore a signal? Known on Linux; elsewhere an ignored signal does not
/// arrive, even at a listener.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}
