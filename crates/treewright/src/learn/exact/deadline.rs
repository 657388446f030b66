//! When to stop: a search checks its limits after some work, not after each step.
//!
//! The limits are those of a [`Budget`](crate::Budget): time, memory and interrupts. A check takes far longer than
//! an addition, so work is counted in between.

/// The search was stopped by a limit, or from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stopped;

/// About a millisecond of additions or comparisons: far more than a check takes.
const WORK_BETWEEN: usize = 1 << 20;

/// Checks of a limit, with the work that may be done before the next one.
pub(crate) struct Deadline<'a> {
    is_spent: &'a dyn Fn() -> bool,
    left: usize,
}

impl<'a> Deadline<'a> {
    /// The first check is at once.
    pub(crate) fn new(is_spent: &'a dyn Fn() -> bool) -> Self {
        Self { is_spent, left: 0 }
    }

    /// Some work comes next, if there is time.
    #[inline]
    pub(crate) fn before(&mut self, work: usize) -> Result<(), Stopped> {
        if self.left < work {
            if (self.is_spent)() {
                return Err(Stopped);
            }
            self.left = WORK_BETWEEN.max(work);
        }
        self.left -= work;
        Ok(())
    }
}
