//! How much memory the program takes, and how much it may take.
//!
//! Learners count what they know to be large, and ask before they take it. What they do not count is seen
//! here: the system tells how many pages the program has. That is the program as a whole; a limit is for
//! what it takes beyond what it had when the work began, the table above all.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// A limit, and what the program had when it was set.
#[derive(Debug)]
pub(super) struct Memory {
    most: u64,
    /// What the program had then; 0 where the system does not tell.
    before: u64,
    start: Instant,
    /// Microseconds from the start to the last look.
    last_look: AtomicU64,
    /// Was there too much at some time? What stops then must not start again when memory is given back.
    is_spent: AtomicBool,
}

/// To look takes some 20 microseconds, so that is not done more often.
const MICROSECONDS_BETWEEN: u64 = 2000;
/// Of the address space, this much is left for small things: stacks, and the parts of memory that threads hold.
const SMALL_THINGS: u64 = 64 << 20;
/// If fewer addresses are left, it is time to stop: more than what is taken without asking.
const LAST_ADDRESSES: u64 = 32 << 20;

impl Memory {
    pub(super) fn limited(most: u64) -> Self {
        Self {
            most,
            before: taken().unwrap_or(0),
            start: Instant::now(),
            last_look: AtomicU64::new(0),
            is_spent: AtomicBool::new(false),
        }
    }

    /// The same limit, as if it had never been reached.
    pub(super) fn again(&self) -> Self {
        Self {
            last_look: AtomicU64::new(self.last_look.load(Ordering::Relaxed)),
            is_spent: AtomicBool::new(false),
            ..*self
        }
    }

    /// Does the program have too much?
    pub(super) fn is_spent(&self) -> bool {
        if self.is_spent.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.start.elapsed().as_micros() as u64;
        let last = self.last_look.load(Ordering::Relaxed);
        if now < last + MICROSECONDS_BETWEEN {
            return false;
        }
        self.last_look.store(now, Ordering::Relaxed);
        let is_spent = self.added() > self.most || addresses_are_spent();
        self.is_spent.fetch_or(is_spent, Ordering::Relaxed) || is_spent
    }

    /// How much more the program may take.
    pub(super) fn room(&self) -> u64 {
        self.most.saturating_sub(self.added())
    }

    fn added(&self) -> u64 {
        taken().unwrap_or(0).saturating_sub(self.before)
    }
}

/// How much more the program may take, as far as the system allows it: what is free, and what addresses are left
/// (`ulimit -v`).
pub(super) fn room_of_system() -> u64 {
    let free = line_of("/proc/meminfo", "MemAvailable:").unwrap_or(u64::MAX);
    let Some(most) = known_addresses() else {
        return free;
    };
    let taken = line_of("/proc/self/status", "VmSize:").unwrap_or(0);
    most.saturating_sub(taken)
        .saturating_sub(SMALL_THINGS)
        .min(free)
}

/// How many bytes of addresses the program may have, if that is limited; asked once.
pub(super) fn known_addresses() -> Option<u64> {
    static MOST: OnceLock<Option<u64>> = OnceLock::new();
    *MOST.get_or_init(most_addresses)
}

/// Are there hardly any addresses left?
fn addresses_are_spent() -> bool {
    known_addresses().is_some_and(|most| {
        // Not all that is mapped: allocators take addresses for each thread that they use later.
        let parts = ["VmData:", "VmStk:", "VmExe:", "VmLib:"];
        let taken = parts.map(|part| line_of("/proc/self/status", part).unwrap_or(0));
        taken.iter().sum::<u64>().saturating_add(LAST_ADDRESSES) > most
    })
}

/// The bytes that the program has in memory now.
fn taken() -> Option<u64> {
    line_of("/proc/self/status", "VmRSS:")
}

/// What a line of such a file says, as bytes.
fn line_of(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

/// How many bytes of addresses the program may have, if that is limited.
fn most_addresses() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("Max address space"))?;
    line["Max address space".len()..]
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_counts() {
        assert_eq!(Memory::limited(0).room(), 0);
        assert!(Memory::limited(u64::MAX).room() > 1 << 60);
        assert!(!Memory::limited(u64::MAX).is_spent());
        assert!(room_of_system() > 0);
        if taken().is_none() {
            return;
        }
        let memory = Memory::limited(0);
        let much = vec![1_u8; 64 << 20];
        while !memory.is_spent() {
            std::thread::yield_now();
        }
        drop(much);
        assert!(memory.is_spent());
    }
}
