//! Which of many things to do with some bytes: everything each time would be slow, and the same bytes must
//! always meet the same.

/// A choice that depends on the bytes alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The dice of these bytes (FNV-1a).
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// A number below `n_sides`, different for each purpose.
    pub(crate) fn throw(self, purpose: u64, n_sides: usize) -> usize {
        let mixed = (self.0 ^ purpose).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 33) as usize % n_sides
    }
}
