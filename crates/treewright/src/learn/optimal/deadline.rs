//! Looks at the clock: after some work, not after each step.

/// The search was stopped from outside.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// So many additions or comparisons take about a millisecond: far longer than a look.
const WORK_BETWEEN: usize = 1 << 20;

/// Somebody who looks whether it is time to stop.
pub(super) struct Deadline<'a> {
    is_spent: &'a dyn Fn() -> bool,
    /// What may be done before the next look.
    left: usize,
}

impl<'a> Deadline<'a> {
    /// The first look is at once.
    pub(super) fn new(is_spent: &'a dyn Fn() -> bool) -> Self {
        Self { is_spent, left: 0 }
    }

    /// Some work comes next, if there is time.
    #[inline]
    pub(super) fn before(&mut self, work: usize) -> Result<(), Stopped> {
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
