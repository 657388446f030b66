//! Sums of losses, one for each class, of a set of points.
//!
//! A search adds up the losses of both sides of every split it looks at, so their width matters. Without weights all
//! sums fit into 32 bits, and two classes share a word: one addition for both. Large weights, and those that had to be
//! made whole, take a word for each class.

use std::fmt::Debug;

/// Sums of losses of a set of points.
pub(crate) trait LossSums: Copy + Debug + Send + Sync + 'static {
    /// Nothing was added yet.
    const ZERO: Self;
    /// How many words there are.
    const N_WORDS: usize;

    /// The losses of one point, one for each class.
    fn new(losses: &[u64]) -> Self;

    /// The sum of a class.
    fn of(&self, class: usize) -> u64;

    fn words(&self) -> &[u64];

    fn words_mut(&mut self) -> &mut [u64];

    /// Adds the losses of a point if `mask` is all ones, and nothing if it is zero.
    fn add_masked(&mut self, other: &Self, mask: u64) {
        for (word, more) in self.words_mut().iter_mut().zip(other.words()) {
            *word += more & mask;
        }
    }

    /// What is left without a part.
    fn minus(mut self, part: &Self) -> Self {
        for (word, less) in self.words_mut().iter_mut().zip(part.words()) {
            *word -= less;
        }
        self
    }

    /// The least sum of any class.
    fn least(&self, n_classes: usize) -> u64 {
        let of = |class| self.of(class);
        (0..n_classes).map(of).min().unwrap_or(0)
    }
}

/// Two classes in each of `N` words. All sums must be below 2^32.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed<const N: usize>([u64; N]);

impl<const N: usize> LossSums for Packed<N> {
    const ZERO: Self = Self([0; N]);
    const N_WORDS: usize = N;

    fn new(losses: &[u64]) -> Self {
        let mut words = [0; N];
        for (class, loss) in losses.iter().enumerate() {
            words[class / 2] |= loss << (class % 2 * 32);
        }
        Self(words)
    }

    fn of(&self, class: usize) -> u64 {
        self.0[class / 2] >> (class % 2 * 32) & u64::from(u32::MAX)
    }

    fn words(&self) -> &[u64] {
        &self.0
    }

    fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

/// A word for each class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> LossSums for Wide<N> {
    const ZERO: Self = Self([0; N]);
    const N_WORDS: usize = N;

    fn new(losses: &[u64]) -> Self {
        let mut words = [0; N];
        words[..losses.len()].copy_from_slice(losses);
        Self(words)
    }

    fn of(&self, class: usize) -> u64 {
        self.0[class]
    }

    fn words(&self) -> &[u64] {
        &self.0
    }

    fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}
