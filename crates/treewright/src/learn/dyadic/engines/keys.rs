//! Random names of sets of points.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

/// Names a set of points, or such a set together with its box: a sum of random numbers, one for each
/// point. Two of ten million different sets share a name with a chance of about one in 10^24.
pub(crate) type Key = u128;

/// Random numbers for keys. The lower half is the same in every run: it says where a set is kept, so that a search
/// takes the same memory every time. The upper half is drawn anew for each process: no table can be made for which
/// two sets are known to share a name.
pub(crate) struct Keys {
    places: fastrand::Rng,
    names: fastrand::Rng,
}

impl Keys {
    /// Others for each `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        static DRAWN: OnceLock<u64> = OnceLock::new();
        let drawn = *DRAWN.get_or_init(|| RandomState::new().build_hasher().finish());
        Self {
            places: fastrand::Rng::with_seed(seed),
            names: fastrand::Rng::with_seed(seed ^ drawn),
        }
    }

    pub(crate) fn next(&mut self) -> Key {
        Key::from(self.names.u64(..)) << 64 | Key::from(self.places.u64(..))
    }
}
