//! Many cuts of the root at once.
//!
//! A root that asks a number parts the rows in those below its cut and the others. Sixteen such cuts are worked
//! on together, a *lane* of a vector for each. A child feature comes as a row of *pieces*, in the order of its
//! cells, and a table has for each piece, class and lane the weight of the rows below the root's cut: what is
//! above is the last lane less that. From this follows, for both sides and all lanes,
//!
//! - what intervals gain whose ends are ends of pieces: a tree that exists;
//! - what they gain at most if ends may also lie inside of *open* pieces: an interval that ends within a piece
//!   gets all of its own class there, and so does the one that begins.
//!
//! With two classes and two intervals both follow from a walk: a step up for each row of the first class, down
//! for each of the second. The best cut is where it is highest, or lowest. In general it takes a sum for each
//! number of intervals and class of the last one.

use std::fmt::Debug;
use std::sync::LazyLock;

use super::walk::Masks;

/// Lanes that are worked on together.
pub(super) const LANES: usize = 16;

/// A whole number in a lane: as narrow as sums of weights allow.
pub(super) trait Lane: Copy + Ord + Debug + Default + Send + Sync + 'static {
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

/// A number for each lane.
pub(super) type Vector<T> = [T; LANES];

#[inline(always)]
fn zip<T: Lane, const N: usize>(a: [T; N], b: [T; N], f: impl Fn(T, T) -> T) -> [T; N] {
    let mut out = a;
    for lane in 0..N {
        out[lane] = f(a[lane], b[lane]);
    }
    out
}

#[inline(always)]
pub(super) fn add<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, T::plus)
}

#[inline(always)]
pub(super) fn sub<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, T::minus)
}

#[inline(always)]
pub(super) fn and<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, T::and)
}

#[inline(always)]
pub(super) fn most<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, |a, b| if a > b { a } else { b })
}

#[inline(always)]
pub(super) fn least<T: Lane, const N: usize>(a: [T; N], b: [T; N]) -> [T; N] {
    zip(a, b, |a, b| if a < b { a } else { b })
}

/// Cells of a child feature that lie next to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The first rank, and the one after the last.
    pub(super) start: u32,
    pub(super) end: u32,
    /// May an interval end inside?
    pub(super) is_open: bool,
    /// May one end at its end?
    pub(super) is_cut_after: bool,
}

/// The table of a child feature: `[piece][class][lane]`, sums over the lanes so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a, T> {
    pub(super) table: &'a [T],
    /// Numbers for each piece and class.
    pub(super) stride: usize,
    /// Classes, and perhaps one more for rows without weight.
    pub(super) n_slots: usize,
    /// The lane that has all rows.
    pub(super) last: usize,
}

/// Which rows: those below the cuts of the root, or the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Low,
    High,
}

impl<T: Lane> View<'_, T> {
    #[inline(always)]
    pub(super) fn load(self, piece: usize, slot: usize, from: usize, side: Side) -> Vector<T> {
        let row = &self.table[(piece * self.n_slots + slot) * self.stride..][..self.stride];
        let low: Vector<T> = *row[from..]
            .first_chunk()
            .expect("a table has whole vectors");
        match side {
            Side::Low => low,
            Side::High => sub([row[self.last]; LANES], low),
        }
    }

    /// One number.
    #[inline(always)]
    pub(super) fn at(self, piece: usize, slot: usize, lane: usize, side: Side) -> i64 {
        let row = &self.table[(piece * self.n_slots + slot) * self.stride..][..self.stride];
        match side {
            Side::Low => row[lane].wide(),
            Side::High => row[self.last].wide() - row[lane].wide(),
        }
    }
}

/// What intervals of a child gain, for each number of them from one on: by cuts between pieces, and at most.
#[derive(Debug, Default)]
pub(super) struct Gains<T> {
    pub(super) real: Vec<Vector<T>>,
    pub(super) most: Vec<Vector<T>>,
    sums: Vec<Vector<T>>,
    others: Vec<Vector<T>>,
}

impl<T: Lane> Gains<T> {
    /// Gains of up to `n_intervals` for sixteen lanes.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        view: View<'_, T>,
        pieces: &[Piece],
        n_classes: usize,
        n_intervals: usize,
        from: usize,
        side: Side,
    ) {
        let zero = [T::default(); LANES];
        self.real.clear();
        self.real.resize(n_intervals, zero);
        self.most.clear();
        self.most.resize(n_intervals, zero);
        match (n_classes, n_intervals) {
            (2, 2) => self.walk(view, pieces, from, side),
            (2, 3) => self.sums::<2, 3>(view, pieces, from, side),
            (3, 2) => self.sums::<3, 2>(view, pieces, from, side),
            (4, 2) => self.sums::<4, 2>(view, pieces, from, side),
            _ => self.any(view, pieces, n_classes, n_intervals, from, side),
        }
    }

    /// Two classes, two intervals.
    #[inline(always)]
    fn walk(&mut self, view: View<'_, T>, pieces: &[Piece], from: usize, side: Side) {
        let zero = [T::default(); LANES];
        let (mut ups, mut height) = (zero, zero);
        let (mut top, mut bottom) = (zero, zero);
        let (mut most_top, mut least_bottom) = (zero, zero);
        for (at, piece) in pieces.iter().enumerate() {
            let up = view.load(at, 0, from, side);
            let down = view.load(at, 1, from, side);
            if piece.is_open {
                most_top = most(most_top, add(height, up));
                least_bottom = least(least_bottom, sub(height, down));
            }
            ups = add(ups, up);
            height = sub(add(height, up), down);
            if piece.is_cut_after {
                top = most(top, height);
                bottom = least(bottom, height);
            }
        }
        let downs = sub(ups, height);
        let gain = |top, bottom| most(add(downs, top), sub(ups, bottom));
        self.real[0] = most(ups, downs);
        self.most[0] = self.real[0];
        self.real[1] = gain(top, bottom);
        self.most[1] = gain(most(top, most_top), least(bottom, least_bottom));
    }

    /// `P` classes, `K` intervals.
    #[inline(always)]
    fn sums<const P: usize, const K: usize>(
        &mut self,
        view: View<'_, T>,
        pieces: &[Piece],
        from: usize,
        side: Side,
    ) {
        let zero = [T::default(); LANES];
        let mut real = [[zero; P]; K];
        let mut at_most = [[zero; P]; K];
        let mut is_cut_before = false;
        for (at, piece) in pieces.iter().enumerate() {
            let mut here = [zero; P];
            for (class, here) in here.iter_mut().enumerate() {
                *here = view.load(at, class, from, side);
            }
            if is_cut_before {
                for k in (1..K).rev() {
                    let gain = largest(&real[k - 1]);
                    for class in 0..P {
                        real[k][class] = most(real[k][class], gain);
                    }
                    if !piece.is_open {
                        let gain = largest(&at_most[k - 1]);
                        for class in 0..P {
                            at_most[k][class] = most(at_most[k][class], gain);
                        }
                    }
                }
            }
            for k in 0..K {
                if k > 0 && piece.is_open {
                    for class in 0..P {
                        let other = largest_but(&at_most[k - 1], class);
                        at_most[k][class] = most(at_most[k][class], other);
                    }
                }
                for class in 0..P {
                    real[k][class] = add(real[k][class], here[class]);
                    at_most[k][class] = add(at_most[k][class], here[class]);
                }
            }
            is_cut_before = piece.is_cut_after;
        }
        for k in 0..K {
            self.real[k] = largest(&real[k]);
            self.most[k] = largest(&at_most[k]);
        }
    }

    /// Any number of classes and intervals.
    #[inline(always)]
    fn any(
        &mut self,
        view: View<'_, T>,
        pieces: &[Piece],
        n_classes: usize,
        n_intervals: usize,
        from: usize,
        side: Side,
    ) {
        let zero = [T::default(); LANES];
        let n_sums = n_classes * n_intervals;
        self.sums.clear();
        self.sums.resize(2 * n_sums + n_classes, zero);
        self.others.clear();
        self.others.resize(n_classes, zero);
        let others = &mut self.others[..n_classes];
        let (real, rest) = self.sums.split_at_mut(n_sums);
        let (at_most, here) = rest.split_at_mut(n_sums);
        let mut is_cut_before = false;
        for (at, piece) in pieces.iter().enumerate() {
            for (class, here) in here.iter_mut().enumerate() {
                *here = view.load(at, class, from, side);
            }
            if is_cut_before {
                for k in (1..n_intervals).rev() {
                    start_anywhere(real, k, n_classes);
                    if !piece.is_open {
                        start_anywhere(at_most, k, n_classes);
                    }
                }
            }
            for k in 0..n_intervals {
                if k > 0 && piece.is_open {
                    let before = &at_most[(k - 1) * n_classes..][..n_classes];
                    largest_others(before, others);
                    for (sum, &other) in at_most[k * n_classes..].iter_mut().zip(&*others) {
                        *sum = most(*sum, other);
                    }
                }
                for sums in [&mut *real, &mut *at_most] {
                    for (sum, &here) in sums[k * n_classes..].iter_mut().zip(&*here) {
                        *sum = add(*sum, here);
                    }
                }
            }
            is_cut_before = piece.is_cut_after;
        }
        for k in 0..n_intervals {
            self.real[k] = largest(&real[k * n_classes..][..n_classes]);
            self.most[k] = largest(&at_most[k * n_classes..][..n_classes]);
        }
    }
}

#[inline(always)]
fn largest<T: Lane>(vectors: &[Vector<T>]) -> Vector<T> {
    let mut out = vectors[0];
    for &vector in &vectors[1..] {
        out = most(out, vector);
    }
    out
}

#[inline(always)]
fn largest_but<T: Lane>(vectors: &[Vector<T>], but: usize) -> Vector<T> {
    let mut out = [T::default(); LANES];
    for (at, &vector) in vectors.iter().enumerate() {
        if at != but {
            out = most(out, vector);
        }
    }
    out
}

/// For each vector the largest of the others.
#[inline(always)]
fn largest_others<T: Lane>(vectors: &[Vector<T>], others: &mut [Vector<T>]) {
    let mut so_far = [T::default(); LANES];
    for (&vector, other) in vectors.iter().zip(&mut *others) {
        *other = so_far;
        so_far = most(so_far, vector);
    }
    let mut so_far = [T::default(); LANES];
    for (&vector, other) in vectors.iter().zip(others).rev() {
        *other = most(*other, so_far);
        so_far = most(so_far, vector);
    }
}

/// The interval `k` may begin here, whatever the class of the one before.
#[inline(always)]
fn start_anywhere<T: Lane>(sums: &mut [Vector<T>], k: usize, n_classes: usize) {
    let (before, after) = sums.split_at_mut(k * n_classes);
    let gain = largest(&before[(k - 1) * n_classes..]);
    for sum in &mut after[..n_classes] {
        *sum = most(*sum, gain);
    }
}
