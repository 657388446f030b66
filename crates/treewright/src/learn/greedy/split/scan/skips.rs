//! When to try to pass over a block of rows.

use super::BLOCK;
use super::ScanRequest;

/// When to try to pass over a block: always, until it fails; then less and less often.
pub(super) struct Skips {
    pub(super) block: usize,
    wait: usize,
    pause: usize,
}

impl Skips {
    /// A bound costs a few steps a class, so blocks grow with the classes. What it allows for a block
    /// grows with the block, so next to it a node must be large for any hope of success.
    pub(super) fn new(n_classes: usize, request: &ScanRequest) -> Self {
        let block = BLOCK.max(4 * n_classes);
        let pays = request.skipping && request.allowed.len() >= 16 * block;
        Self {
            block,
            wait: if pays { 0 } else { usize::MAX },
            pause: 1,
        }
    }

    pub(super) fn try_next(&mut self) -> bool {
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        true
    }

    pub(super) fn failed(&mut self) {
        self.wait = self.pause;
        self.pause = (2 * self.pause).min(16);
    }
}
