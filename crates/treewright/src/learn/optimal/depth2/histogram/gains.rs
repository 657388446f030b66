//! What intervals of a child gain, for many cuts of the root at once.
//!
//! With two classes and two intervals, take the difference of the two classes so far: the best cut is where it is
//! largest, or smallest. With more classes, two intervals gain the largest sum before a cut and the largest one
//! after it. In general it takes a sum for each number of intervals and class of the last one, as in the dynamic
//! programme of `depth1::intervals`.

use super::bins::Bin;
use super::view::HistogramView;
use crate::learn::optimal::depth2::simd::{Lane, add, least, most, sub};

/// What intervals of a child gain, for each number of them from one on: by cuts between bins, and at most.
#[derive(Debug, Default)]
pub(crate) struct Gains<T, const W: usize> {
    real: Vec<[T; W]>,
    most: Vec<[T; W]>,
    sums: Vec<[T; W]>,
    others: Vec<[T; W]>,
}

impl<T: Lane, const W: usize> Gains<T, W> {
    /// What `k + 1` intervals gain by cuts between bins.
    #[inline(always)]
    pub(super) fn real(&self, k: usize) -> &[T; W] {
        &self.real[k]
    }

    /// What they gain at most.
    #[inline(always)]
    pub(super) fn most(&self, k: usize) -> &[T; W] {
        &self.most[k]
    }

    /// Gains of up to `n_intervals` in the lanes from one on, below the cuts of the root or above. `totals` has what
    /// all rows together that have a cell gain by each class.
    #[inline(always)]
    pub(crate) fn find<const HIGH: bool>(
        &mut self,
        view: HistogramView<'_, T>,
        bins: &[Bin],
        totals: &[[T; W]],
        n_intervals: usize,
        from: usize,
    ) {
        let n_classes = totals.len();
        let zero = [T::ZERO; W];
        self.real.clear();
        self.real.resize(n_intervals, zero);
        self.most.clear();
        self.most.resize(n_intervals, zero);
        match (n_classes, n_intervals) {
            (2, 2) => self.two_classes::<HIGH>(view, bins, from),
            (2, 3) => self.sums::<2, 3, HIGH>(view, bins, from),
            (_, 2) => self.one_cut::<HIGH>(view, bins, totals, from),
            _ => self.any::<HIGH>(view, bins, n_classes, n_intervals, from),
        }
    }

    /// Two classes, two intervals.
    #[inline(always)]
    fn two_classes<const HIGH: bool>(
        &mut self,
        view: HistogramView<'_, T>,
        bins: &[Bin],
        from: usize,
    ) {
        let zero = [T::ZERO; W];
        let (mut ups, mut height) = (zero, zero);
        let (mut top, mut bottom) = (zero, zero);
        let (mut most_top, mut least_bottom) = (zero, zero);
        for (at, bin) in bins.iter().enumerate() {
            let up = view.load::<W, HIGH>(at, 0, from);
            let down = view.load::<W, HIGH>(at, 1, from);
            if bin.is_open() {
                most_top = most(most_top, add(height, up));
                least_bottom = least(least_bottom, sub(height, down));
            }
            ups = add(ups, up);
            height = sub(add(height, up), down);
            if bin.is_cut_after() {
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

    /// Any number of classes, two intervals. What the rows after a cut gain by a class is all that they gain less
    /// what those before it do.
    #[inline(always)]
    fn one_cut<const HIGH: bool>(
        &mut self,
        view: HistogramView<'_, T>,
        bins: &[Bin],
        totals: &[[T; W]],
        from: usize,
    ) {
        let zero = [T::ZERO; W];
        self.sums.clear();
        self.sums.resize(totals.len(), zero);
        let (mut real, mut at_most) = (zero, zero);
        for (at, bin) in bins.iter().enumerate() {
            let (mut before, mut after) = (zero, zero);
            // Classes before and after a cut inside are different: each goes with all that came earlier.
            let mut with_after = zero;
            for (class, (sum, &total)) in self.sums.iter_mut().zip(totals).enumerate() {
                let here = view.load::<W, HIGH>(at, class, from);
                let rest = sub(total, *sum);
                *sum = add(*sum, here);
                if bin.is_open() {
                    at_most = most(at_most, most(add(*sum, with_after), add(rest, before)));
                    with_after = most(with_after, rest);
                }
                before = most(before, *sum);
                after = most(after, sub(rest, here));
            }
            if bin.is_cut_after() {
                real = most(real, add(before, after));
            }
        }
        self.real[0] = largest(totals);
        self.most[0] = self.real[0];
        self.real[1] = real;
        self.most[1] = most(real, at_most);
    }

    /// `P` classes, `K` intervals.
    #[inline(always)]
    fn sums<const P: usize, const K: usize, const HIGH: bool>(
        &mut self,
        view: HistogramView<'_, T>,
        bins: &[Bin],
        from: usize,
    ) {
        let zero = [T::ZERO; W];
        let mut real = [[zero; P]; K];
        let mut at_most = [[zero; P]; K];
        let mut is_cut_before = false;
        for (at, bin) in bins.iter().enumerate() {
            let mut here = [zero; P];
            for (class, here) in here.iter_mut().enumerate() {
                *here = view.load::<W, HIGH>(at, class, from);
            }
            if is_cut_before {
                for k in (1..K).rev() {
                    let gain = largest(&real[k - 1]);
                    for class in 0..P {
                        real[k][class] = most(real[k][class], gain);
                    }
                    if !bin.is_open() {
                        let gain = largest(&at_most[k - 1]);
                        for class in 0..P {
                            at_most[k][class] = most(at_most[k][class], gain);
                        }
                    }
                }
            }
            for k in 0..K {
                if k > 0 && bin.is_open() {
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
            is_cut_before = bin.is_cut_after();
        }
        for k in 0..K {
            self.real[k] = largest(&real[k]);
            self.most[k] = largest(&at_most[k]);
        }
    }

    /// Any number of classes and intervals.
    #[inline(always)]
    fn any<const HIGH: bool>(
        &mut self,
        view: HistogramView<'_, T>,
        bins: &[Bin],
        n_classes: usize,
        n_intervals: usize,
        from: usize,
    ) {
        let zero = [T::ZERO; W];
        let n_sums = n_classes * n_intervals;
        self.sums.clear();
        self.sums.resize(2 * n_sums + n_classes, zero);
        self.others.clear();
        self.others.resize(n_classes, zero);
        let others = &mut self.others[..n_classes];
        let (real, rest) = self.sums.split_at_mut(n_sums);
        let (at_most, here) = rest.split_at_mut(n_sums);
        let mut is_cut_before = false;
        for (at, bin) in bins.iter().enumerate() {
            for (class, here) in here.iter_mut().enumerate() {
                *here = view.load::<W, HIGH>(at, class, from);
            }
            if is_cut_before {
                for k in (1..n_intervals).rev() {
                    start_anywhere(real, k, n_classes);
                    if !bin.is_open() {
                        start_anywhere(at_most, k, n_classes);
                    }
                }
            }
            for k in 0..n_intervals {
                if k > 0 && bin.is_open() {
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
            is_cut_before = bin.is_cut_after();
        }
        for k in 0..n_intervals {
            self.real[k] = largest(&real[k * n_classes..][..n_classes]);
            self.most[k] = largest(&at_most[k * n_classes..][..n_classes]);
        }
    }
}

#[inline(always)]
fn largest<T: Lane, const W: usize>(vectors: &[[T; W]]) -> [T; W] {
    let mut out = vectors[0];
    for &vector in &vectors[1..] {
        out = most(out, vector);
    }
    out
}

#[inline(always)]
fn largest_but<T: Lane, const W: usize>(vectors: &[[T; W]], but: usize) -> [T; W] {
    let mut out = [T::ZERO; W];
    for (at, &vector) in vectors.iter().enumerate() {
        if at != but {
            out = most(out, vector);
        }
    }
    out
}

/// For each vector the largest of the others.
#[inline(always)]
fn largest_others<T: Lane, const W: usize>(vectors: &[[T; W]], others: &mut [[T; W]]) {
    let mut so_far = [T::ZERO; W];
    for (&vector, other) in vectors.iter().zip(&mut *others) {
        *other = so_far;
        so_far = most(so_far, vector);
    }
    let mut so_far = [T::ZERO; W];
    for (&vector, other) in vectors.iter().zip(others).rev() {
        *other = most(*other, so_far);
        so_far = most(so_far, vector);
    }
}

/// The interval `k` may begin here, whatever the class of the one before.
#[inline(always)]
fn start_anywhere<T: Lane, const W: usize>(sums: &mut [[T; W]], k: usize, n_classes: usize) {
    let (before, after) = sums.split_at_mut(k * n_classes);
    let gain = largest(&before[(k - 1) * n_classes..]);
    for sum in &mut after[..n_classes] {
        *sum = most(*sum, gain);
    }
}
