//! The scan state: what the lanes of a scan know, on one side of the cuts of the root.

use super::runs::MOST_INTERVALS;
use crate::learn::optimal::depth2::simd::{Lane, add, least, most, sub};

/// Where the lanes of one side are.
pub(crate) trait ScanState<T: Lane, const W: usize>: Sized {
    const START: Self;
    /// A row.
    fn go(&mut self, by: [T; W]);
    /// The child may be cut here.
    fn look(&mut self);
    /// Rows that are the same for all lanes.
    fn run(&mut self, gains: &[[i32; 2]; MOST_INTERVALS], has_cut: bool);
    /// What is gained with one cut, two cuts and so on, whatever the first label.
    fn gains(&self, each: impl FnMut(usize, [T; W]));
}

/// Two intervals.
pub(crate) struct OneCut<T, const W: usize> {
    at: [T; W],
    top: [T; W],
    bottom: [T; W],
}

#[inline(always)]
fn wide<T: Lane, const W: usize>(number: i32) -> [T; W] {
    [T::from_wide(i64::from(number)); W]
}

impl<T: Lane, const W: usize> ScanState<T, W> for OneCut<T, W> {
    const START: Self = Self {
        at: [T::ZERO; W],
        top: [T::ZERO; W],
        bottom: [T::ZERO; W],
    };

    #[inline(always)]
    fn go(&mut self, by: [T; W]) {
        self.at = add(self.at, by);
    }

    #[inline(always)]
    fn look(&mut self) {
        self.top = most(self.top, self.at);
        self.bottom = least(self.bottom, self.at);
    }

    #[inline(always)]
    fn run(&mut self, gains: &[[i32; 2]; MOST_INTERVALS], has_cut: bool) {
        let sum = gains[0][0];
        if has_cut {
            self.top = most(self.top, add(self.at, wide(gains[1][0])));
            self.bottom = least(self.bottom, add(self.at, wide(sum - gains[1][1])));
        }
        self.at = add(self.at, wide(sum));
    }

    #[inline(always)]
    fn gains(&self, mut each: impl FnMut(usize, [T; W])) {
        each(1, most(self.top, sub(self.at, self.bottom)));
    }
}

/// Three intervals. With more of them numbers are in arrays, which do not stay in registers.
pub(crate) struct TwoCuts<T, const W: usize> {
    at: [T; W],
    /// By the first label and the number of cuts.
    first: ([T; W], [T; W]),
    second: ([T; W], [T; W]),
}

impl<T: Lane, const W: usize> ScanState<T, W> for TwoCuts<T, W> {
    const START: Self = Self {
        at: [T::ZERO; W],
        first: ([T::ZERO; W], [T::ZERO; W]),
        second: ([T::ZERO; W], [T::ZERO; W]),
    };

    #[inline(always)]
    fn go(&mut self, by: [T; W]) {
        self.at = add(self.at, by);
        self.first.1 = add(self.first.1, by);
        self.second.0 = add(self.second.0, by);
    }

    #[inline(always)]
    fn look(&mut self) {
        self.first.0 = most(self.first.0, self.at);
        self.first.1 = most(self.first.1, self.first.0);
        self.second.0 = most(self.second.0, [T::ZERO; W]);
        self.second.1 = most(self.second.1, self.second.0);
    }

    #[inline(always)]
    fn run(&mut self, gains: &[[i32; 2]; MOST_INTERVALS], has_cut: bool) {
        let [none, one, two, ..] = gains;
        let first = add(self.first.1, wide(none[0]));
        let second = add(self.second.1, wide(none[1]));
        let first_0 = add(self.first.0, wide(none[1]));
        let second_0 = add(self.second.0, wide(none[0]));
        if has_cut {
            let first = most(first, add(self.first.0, wide(one[1])));
            let second = most(second, add(self.second.0, wide(one[0])));
            self.first.1 = most(first, add(self.at, wide(two[0])));
            self.second.1 = most(second, wide(two[1]));
            self.first.0 = most(first_0, add(self.at, wide(one[0])));
            self.second.0 = most(second_0, wide(one[1]));
        } else {
            (self.first, self.second) = ((first_0, first), (second_0, second));
        }
        self.at = add(self.at, wide(none[0]));
    }

    #[inline(always)]
    fn gains(&self, mut each: impl FnMut(usize, [T; W])) {
        each(1, most(self.first.0, self.second.0));
        each(2, most(self.first.1, self.second.1));
    }
}

/// `K` intervals.
pub(crate) struct Cuts<T, const W: usize, const K: usize> {
    at: [T; W],
    /// By the number of cuts, what is gained if the first label is the first class.
    first: [[T; W]; K],
    /// By the number of cuts, what is gained if the first label is the second class.
    second: [[T; W]; K],
}

impl<T: Lane, const W: usize, const K: usize> ScanState<T, W> for Cuts<T, W, K> {
    const START: Self = Self {
        at: [T::ZERO; W],
        first: [[T::ZERO; W]; K],
        second: [[T::ZERO; W]; K],
    };

    #[inline(always)]
    fn go(&mut self, by: [T; W]) {
        self.at = add(self.at, by);
        for cuts in 1..K {
            // The label that is the first class.
            let of = if cuts % 2 == 0 {
                &mut self.first
            } else {
                &mut self.second
            };
            of[cuts] = add(of[cuts], by);
        }
    }

    #[inline(always)]
    fn look(&mut self) {
        let (first, second) = (&mut self.first, &mut self.second);
        first[1] = most(first[1], self.at);
        second[1] = most(second[1], [T::ZERO; W]);
        for cuts in 2..K {
            first[cuts] = most(first[cuts], first[cuts - 1]);
            second[cuts] = most(second[cuts], second[cuts - 1]);
        }
    }

    #[inline(always)]
    fn run(&mut self, gains: &[[i32; 2]; MOST_INTERVALS], has_cut: bool) {
        for cuts in (1..K).rev() {
            let label = cuts % 2;
            let mut first = add(self.first[cuts], wide(gains[0][label]));
            let mut second = add(self.second[cuts], wide(gains[0][1 - label]));
            for inside in (1..=cuts).take_while(|_| has_cut) {
                let before = cuts - inside;
                let label = before % 2;
                let (from_first, from_second) = match before {
                    0 => (self.at, [T::ZERO; W]),
                    _ => (self.first[before], self.second[before]),
                };
                first = most(first, add(from_first, wide(gains[inside][label])));
                second = most(second, add(from_second, wide(gains[inside][1 - label])));
            }
            self.first[cuts] = first;
            self.second[cuts] = second;
        }
        self.at = add(self.at, wide(gains[0][0]));
    }

    #[inline(always)]
    fn gains(&self, mut each: impl FnMut(usize, [T; W])) {
        for cuts in 1..K {
            each(cuts, most(self.first[cuts], self.second[cuts]));
        }
    }
}
