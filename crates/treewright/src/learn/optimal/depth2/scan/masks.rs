//! Which lanes a row is in, as masks of vectors.

use crate::learn::optimal::depth2::simd::Lane;

/// The most cuts of a scan, with two lanes for their ends.
pub(super) const MOST_LANES: usize = 64;

/// A number for each lane and both sides.
pub(super) type LaneSides<T> = [[T; MOST_LANES]; 2];

/// A vector that lies in two lines of the cache takes twice as long to load.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Aligned<V>(pub(super) V);

/// Where the class of a row is in its code.
pub(super) const CLASS: u32 = 64;

/// Which lanes a row is in, by the first one in which it is below the cut.
#[derive(Debug)]
pub(crate) struct Masks<T> {
    /// The lanes from it on, and the others: all bits or none.
    pub(super) bits: Vec<Aligned<LaneSides<T>>>,
    /// A step up in these lanes, then for all first lanes a step down.
    pub(super) steps: Vec<Aligned<LaneSides<T>>>,
}

impl<T: Lane> Masks<T> {
    pub(crate) fn new() -> Self {
        let sides = |first: u32, by: i64| {
            let mut sides = [[T::default(); MOST_LANES]; 2];
            for lane in 0..MOST_LANES {
                let side = usize::from(lane < first as usize);
                sides[side][lane] = T::from_wide(by);
            }
            Aligned(sides)
        };
        let steps = (0..2 * CLASS).map(|code| match code {
            ..CLASS => sides(code, 1),
            _ => sides(code - CLASS, -1),
        });
        Self {
            bits: (0..CLASS).map(|first| sides(first, -1)).collect(),
            steps: steps.collect(),
        }
    }
}
