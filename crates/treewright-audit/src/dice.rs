//! Random choices that a seed decides.

use fastrand::Rng;

/// The generator of a case. Neighbouring seeds have nothing in common.
pub(crate) fn dice(seed: u64) -> Rng {
    Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ seed)
}

/// One of these.
pub(crate) fn pick<T: Clone>(dice: &mut Rng, all: &[T]) -> T {
    all[dice.usize(..all.len())].clone()
}

/// True so often, in percent.
pub(crate) fn chance(dice: &mut Rng, percent: u32) -> bool {
    dice.u32(..100) < percent
}

/// A whole number up to `most`, small ones more often.
pub(crate) fn small(dice: &mut Rng, most: usize) -> usize {
    let most = dice.usize(..=most);
    dice.usize(..=most)
}
