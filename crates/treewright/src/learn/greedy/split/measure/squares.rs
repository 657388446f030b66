//! Drops of squared error in whole numbers.
//!
//! A group of numbers with the sum `s` and the weight `w` is worth `s^2 / w`. Where sums and weights are whole, drops of
//! splits are sums of fractions, and can be compared without rounding.

use std::cmp::Ordering;

use super::deviation::WeightedSum;
use super::score::{Fraction, compare_products, compare_sums};

/// The drop is the worth of the groups minus that of `before`. All sums and weights are whole numbers.
#[derive(Debug, Clone)]
pub(crate) struct SquareSum {
    groups: Groups,
    /// The missing rows, if they are one more child; else of weight 0.
    missing: WeightedSum,
    before: WeightedSum,
}

#[derive(Debug, Clone)]
enum Groups {
    Two([WeightedSum; 2]),
    Many(Box<[WeightedSum]>),
}

impl SquareSum {
    /// Of a split in two.
    pub(crate) fn of_two(
        groups: [WeightedSum; 2],
        missing: WeightedSum,
        before: WeightedSum,
    ) -> Self {
        Self {
            groups: Groups::Two(groups),
            missing,
            before,
        }
    }

    /// Of any split.
    pub(crate) fn of_many(
        groups: &[&WeightedSum],
        missing: WeightedSum,
        before: WeightedSum,
    ) -> Self {
        Self {
            groups: Groups::Many(groups.iter().map(|&&group| group).collect()),
            missing,
            before,
        }
    }

    /// Is the drop above zero?
    pub(super) fn is_positive(&self) -> bool {
        compare_sums(&self.worth(), &[fraction(self.before)]).is_gt()
    }

    /// Compares two drops.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        if let (Groups::Two(a), Groups::Two(b)) = (&self.groups, &other.groups)
            && is_same(self.before, other.before)
            && is_same(self.missing, other.missing)
            && let Some(order) = compare_cuts(a, b)
        {
            return order;
        }
        let (mut a, mut b) = (self.worth(), other.worth());
        a.push(fraction(other.before));
        b.push(fraction(self.before));
        compare_sums(&a, &b)
    }

    fn worth(&self) -> Vec<Fraction> {
        let groups = match &self.groups {
            Groups::Two(groups) => &groups[..],
            Groups::Many(groups) => groups,
        };
        let all = groups.iter().chain([&self.missing]).copied();
        all.filter(|group| group.weight > 0.0)
            .map(fraction)
            .collect()
    }
}

fn is_same(a: WeightedSum, b: WeightedSum) -> bool {
    a.sum == b.sum && a.weight == b.weight
}

fn fraction(group: WeightedSum) -> Fraction {
    let sum = (group.sum.abs() as u64).into();
    let sum: u128 = sum;
    // A group without rows is worth nothing.
    (sum * sum, (group.weight as u64).max(1))
}

/// Compares two cuts of the same rows, unless numbers get too long: with all rows of sum `S` and weight `W`, and `d = W s -
/// w S` for one of the groups, the groups are worth `d^2 / (W w (W - w))` more than all rows.
fn compare_cuts(a: &[WeightedSum; 2], b: &[WeightedSum; 2]) -> Option<Ordering> {
    if is_same(a[0], b[0]) || is_same(a[0], b[1]) {
        return Some(Ordering::Equal);
    }
    let parts = |[low, high]: &[WeightedSum; 2]| {
        let number = |x: f64| i128::from(x as i64);
        // W s - w S = w_h s_l - w_l s_h
        let d = number(high.weight) * number(low.sum) - number(low.weight) * number(high.sum);
        let square = d.unsigned_abs().checked_mul(d.unsigned_abs())?;
        let under = number(low.weight).checked_mul(number(high.weight))?;
        Some((square, under.unsigned_abs()))
    };
    let ((p, m), (q, n)) = (parts(a)?, parts(b)?);
    Some(compare_products(p, n, q, m))
}
