//! Values by numbers of leaves.

use crate::values::Value;

/// More than any value.
pub(crate) const INFINITE: Value = 1 << 121;

/// Place `k` is about trees with at most `k` leaves; the last place is about all trees, however many leaves they have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Curve(pub(crate) Vec<Value>);

impl Curve {
    /// No tree at all.
    pub(crate) fn none(last: usize) -> Self {
        Self(vec![INFINITE; last + 1])
    }

    /// No rows: they need no leaf.
    pub(crate) fn free(last: usize) -> Self {
        Self(vec![0; last + 1])
    }

    /// Trees of at least this many leaves that lose nothing.
    pub(crate) fn of_leaves(last: usize, leaves: usize, per_leaf: Value) -> Self {
        let mut curve = Self::none(last);
        curve.lower(leaves, leaves as Value * per_leaf);
        curve
    }

    /// There is a tree with these leaves and this value.
    pub(crate) fn lower(&mut self, leaves: usize, value: Value) {
        let first = leaves.min(self.0.len() - 1);
        for known in &mut self.0[first..] {
            *known = value.min(*known);
        }
    }

    /// The lesser of both at each place.
    pub(crate) fn lower_all(&mut self, other: &Self) {
        for (known, &value) in self.0.iter_mut().zip(&other.0) {
            *known = value.min(*known);
        }
    }

    /// The larger of both at each place.
    pub(crate) fn raise_all(&mut self, other: &Self) {
        for (known, &value) in self.0.iter_mut().zip(&other.0) {
            *known = value.max(*known);
        }
    }

    /// Of trees with a part of each kind.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let last = self.0.len() - 1;
        let least = |leaves: usize| {
            let sums = (0..=leaves).map(|of_self| self.0[of_self] + other.0[leaves - of_self]);
            sums.min().unwrap_or(INFINITE).min(INFINITE)
        };
        let mut sums: Vec<Value> = (0..last).map(least).collect();
        sums.push((self.0[last] + other.0[last]).min(INFINITE));
        Self(sums)
    }

    /// Below which values a part matters, if the whole is to be below `self` and the other part has at least `other`.
    pub(crate) fn wanted(&self, other: &Self) -> Self {
        let last = self.0.len() - 1;
        let most = |leaves: usize| {
            let rests = (leaves..last).map(|all| self.0[all] - other.0[all - leaves]);
            rests.max().unwrap_or(0).max(0)
        };
        let mut wanted: Vec<Value> = (0..last).map(most).collect();
        wanted.push((self.0[last] - other.0[last]).max(0));
        // There is no tree without leaves.
        wanted[0] = INFINITE;
        Self(wanted)
    }

    /// Is it below the other at any place?
    pub(crate) fn is_below(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(own, other)| own < other)
    }

    /// By how much it is above the other at least, where there are trees at all.
    pub(crate) fn above(&self, other: &Self) -> Value {
        let places = self.0.iter().zip(&other.0);
        let places = places.filter(|(own, _)| **own < INFINITE);
        places
            .map(|(own, other)| own - other)
            .min()
            .unwrap_or(INFINITE)
    }

    /// These limits, but nothing is below at places up to `settled`, unless that is the last one.
    pub(crate) fn open_above(&self, settled: usize) -> Self {
        let mut open = self.clone();
        let last = self.0.len() - 1;
        open.0[..last.min(settled + 1)].fill(-INFINITE);
        open
    }

    /// Takes the places above `settled` from another one.
    pub(crate) fn take_above(&mut self, settled: usize, open: &Self) {
        let first = (settled + 1).min(self.0.len() - 1);
        self.0[first..].copy_from_slice(&open.0[first..]);
    }

    /// The value of all trees, however many leaves they have.
    pub(crate) fn of_all(&self) -> Value {
        self.0[self.0.len() - 1]
    }
}

/// The least at each place.
pub(crate) fn least_of_curves(curves: &[Curve]) -> Curve {
    let mut least = curves[0].clone();
    for curve in &curves[1..] {
        least.lower_all(curve);
    }
    least
}
