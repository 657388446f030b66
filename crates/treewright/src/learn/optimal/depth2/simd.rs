//! Vectors of narrow numbers: a lane for each cut of a root.

use std::fmt::Debug;
use std::sync::LazyLock;

use super::scan::masks::Masks;

/// Histograms have a multiple of this many lanes; all or half of these are one vector.
pub(crate) const LANES: usize = 32;

/// A whole number in a lane: as narrow as sums of weights allow.
pub(crate) trait Lane: Copy + Ord + Debug + Default + Send + Sync + 'static {
    const LARGEST: u64;
    const ZERO: Self;
    fn new(weight: u32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn wide(self) -> i64;
    fn from_wide(number: i64) -> Self;
    /// From numbers that are not negative to their sums so far.
    fn add_up(numbers: &mut [Self]);
    fn masks() -> &'static Masks<Self>;
}

macro_rules! lane {
    ($type: ty, $add_up: path) => {
        impl Lane for $type {
            const LARGEST: u64 = <$type>::MAX as u64;
            const ZERO: Self = 0;

            #[inline(always)]
            fn new(weight: u32) -> Self {
                weight as $type
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn wide(self) -> i64 {
                i64::from(self)
            }

            #[inline(always)]
            fn from_wide(number: i64) -> Self {
                number as $type
            }

            #[inline(always)]
            fn add_up(numbers: &mut [Self]) {
                $add_up(numbers);
            }

            fn masks() -> &'static Masks<Self> {
                static MASKS: LazyLock<Masks<$type>> = LazyLock::new(Masks::new);
                &MASKS
            }
        }
    };
}

lane!(i16, four_at_a_time);
lane!(i32, one_by_one);
lane!(i64, one_by_one);

/// Four numbers are one of 64 bits. Times 1 + 2^16 + 2^32 + 2^48, each has become the sum of those up to it:
/// nothing is carried over, as the sums fit.
#[inline(always)]
fn four_at_a_time(numbers: &mut [i16]) {
    const ONES: u64 = 0x0001_0001_0001_0001;
    let mut before = 0;
    for four in numbers.as_chunks_mut::<4>().0 {
        let [a, b, c, d] = four.map(|number| u64::from(number as u16));
        let sums = (a | b << 16 | c << 32 | d << 48)
            .wrapping_add(before)
            .wrapping_mul(ONES);
        *four = [0, 16, 32, 48].map(|bits| (sums >> bits) as i16);
        before = sums >> 48;
    }
}

#[inline(always)]
fn one_by_one<T: Lane>(numbers: &mut [T]) {
    let mut sum = T::default();
    for number in numbers {
        sum = sum.plus(*number);
        *number = sum;
    }
}

#[inline(always)]
fn zip<T: Lane, const N: usize>(a: [T; N], b: [T; N], f: impl Fn(T, T) -> T) -> [T; N] {
    let mut out = a;
    for lane in 0..N {
        out[lane] = f(a[lane], b[lane]);
    }
    out
}

#[inline(always)]
pub(crate) fn add<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, T::plus)
}

#[inline(always)]
pub(crate) fn sub<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, T::minus)
}

#[inline(always)]
pub(crate) fn and<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, T::and)
}

#[inline(always)]
pub(crate) fn most<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, |a, b| if a > b { a } else { b })
}

#[inline(always)]
pub(crate) fn least<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, |a, b| if a < b { a } else { b })
}

/// Does the processor have vectors of 64 bytes?
pub(crate) fn is_wide(arch: pulp::Arch) -> bool {
    #[cfg(target_arch = "x86_64")]
    return matches!(arch, pulp::Arch::V4(_));
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// This processor, but with vectors of 32 bytes: where numbers are in memory and not in registers, longer ones would
/// lie in two lines of the cache.
pub(crate) fn narrow(arch: pulp::Arch) -> pulp::Arch {
    #[cfg(target_arch = "x86_64")]
    if let pulp::Arch::V4(wide) = arch {
        return pulp::Arch::V3(*wide);
    }
    arch
}
