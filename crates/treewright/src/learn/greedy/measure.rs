//! How good a split is, and which of two splits is better.
//!
//! Every criterion for classes is a sum over the children. With the weighted counts `c` of a child and
//! their sum `n`, a child is worth
//!
//! | criterion | worth of a child |
//! |---|---|
//! | gini | `sum c^2 / n` |
//! | entropy | `sum c log2 c - n log2 n` |
//! | error | `max c` |
//!
//! and a split lowers the weighted impurity of its node by `worth of the children - worth of the known
//! rows`. This *drop* is the gain times the weight of the node, so it orders the splits of a node like
//! the gain does.
//!
//! Where all counts are whole numbers the order is decided without rounding: fractions for gini, whole
//! numbers for the others (entropy after `n log2 n` was rounded once, see [`Logs`]).

use std::cmp::Ordering;

use num_bigint::BigUint;

/// The criterion for classes.
#[derive(Debug, Clone)]
pub(super) enum Measure {
    Gini,
    Entropy(Logs),
    /// As entropy, ranked by gain over the information of the split.
    GainRatio(Logs),
    Error,
}

/// A split's drop of weighted impurity, with what is needed to compare it exactly.
#[derive(Debug, Clone)]
pub(super) struct Score {
    /// The drop, rounded.
    pub(super) drop: f64,
    /// What splits are ranked by, rounded: the drop, or the gain ratio.
    rank: f64,
    exact: Exact,
}

#[derive(Debug, Clone)]
enum Exact {
    /// Nothing better than `rank` is known.
    Rounded,
    /// The drop as a whole number of some unit.
    Whole(i128),
    /// The drop and the information of the split, in the same unit.
    Ratio(i128, i128),
    /// The drop is the sum of `worth` minus `before`.
    Fractions { worth: Terms, before: Fraction },
}

/// Numerator and denominator.
type Fraction = (u128, u64);

/// The fractions of a split's children: two or three of them mostly.
#[derive(Debug, Clone)]
enum Terms {
    Few([Fraction; 3], u8),
    Many(Vec<Fraction>),
}

/// What a node's candidates are measured against.
#[derive(Debug, Clone)]
pub(super) struct Baseline {
    /// Counts of the rows that the split is judged on: the known ones, or all with a missing branch.
    pub(super) counts: Vec<f64>,
    /// Their weight.
    pub(super) weight: f64,
    /// Weight of the whole node.
    pub(super) node_weight: f64,
    /// Are all counts whole numbers?
    pub(super) whole: bool,
}

impl Measure {
    /// Worth of rows with these counts, rounded.
    pub(super) fn worth(&self, counts: &[f64], weight: f64) -> f64 {
        match self {
            Self::Gini => counts.iter().map(|count| count * count).sum::<f64>() / weight,
            Self::Entropy(_) | Self::GainRatio(_) => {
                counts.iter().map(|&count| n_log_n(count)).sum::<f64>() - n_log_n(weight)
            }
            Self::Error => counts.iter().copied().fold(0.0, f64::max),
        }
    }

    /// The weighted impurity of rows with these counts, rounded.
    pub(super) fn impurity(&self, counts: &[f64], weight: f64) -> f64 {
        match self {
            Self::Gini | Self::Error => weight - self.worth(counts, weight),
            Self::Entropy(_) | Self::GainRatio(_) => -self.worth(counts, weight),
        }
    }

    /// Scores a split with these counts and weights of the children.
    pub(super) fn score(&self, base: &Baseline, children: &[&[f64]], weights: &[f64]) -> Score {
        let parts = || children.iter().zip(weights);
        let worth: f64 = parts()
            .map(|(counts, &weight)| self.worth(counts, weight))
            .sum();
        let drop = worth - self.worth(&base.counts, base.weight);
        if !base.whole {
            let rank = match self {
                Self::GainRatio(_) => drop / split_information(base, weights),
                _ => drop,
            };
            return Score {
                drop,
                rank,
                exact: Exact::Rounded,
            };
        }
        let exact = match self {
            Self::Gini => Exact::Fractions {
                worth: Terms::new(parts().map(|(counts, &weight)| squares(counts, weight))),
                before: squares(&base.counts, base.weight),
            },
            Self::Error => Exact::Whole(drop as i128),
            Self::Entropy(logs) => Exact::Whole(logs.drop(base, children, weights)),
            Self::GainRatio(logs) => Exact::Ratio(
                logs.drop(base, children, weights),
                logs.split_information(base, weights),
            ),
        };
        let rank = match exact {
            Exact::Ratio(drop, information) => drop as f64 / information as f64,
            _ => drop,
        };
        Score { drop, rank, exact }
    }
}

impl Score {
    /// A drop without anything exact behind it.
    pub(super) fn rounded(drop: f64) -> Self {
        Self {
            drop,
            rank: drop,
            exact: Exact::Rounded,
        }
    }

    /// A drop that is a whole number of the unit of [`Logs`].
    pub(super) fn whole(drop: i128, unit: f64) -> Self {
        let rounded = drop as f64 * unit;
        Self {
            drop: rounded,
            rank: rounded,
            exact: Exact::Whole(drop),
        }
    }

    /// A gini drop of two children, from the sums of their squared counts.
    pub(super) fn squares(low: Fraction, high: Fraction, before: Fraction) -> Self {
        let value = |(squares, n): Fraction| squares as f64 / n as f64;
        let drop = value(low) + value(high) - value(before);
        let worth = Terms::Few([low, high, (0, 1)], 2);
        Self {
            drop,
            rank: drop,
            exact: Exact::Fractions { worth, before },
        }
    }

    /// Is the gain above zero? A rounded drop must be above `floor`.
    pub(super) fn is_positive(&self, floor: f64, tolerance: f64) -> bool {
        match &self.exact {
            Exact::Rounded => self.drop > floor,
            Exact::Whole(drop) | Exact::Ratio(drop, _) => *drop > 0,
            Exact::Fractions { worth, before } => {
                self.drop > tolerance
                    || compare_sums(worth.as_slice(), std::slice::from_ref(before)).is_gt()
            }
        }
    }

    /// Drops of a node of this weight that differ by less may differ by rounding alone.
    pub(super) fn tolerance(node_weight: f64) -> f64 {
        1e-10 * node_weight
    }

    /// Which of two splits of one node gains more.
    pub(super) fn compare(&self, other: &Self, tolerance: f64) -> Ordering {
        match (&self.exact, &other.exact) {
            (Exact::Whole(a), Exact::Whole(b)) => a.cmp(b),
            (Exact::Ratio(a, a_information), Exact::Ratio(b, b_information)) => {
                (a * b_information).cmp(&(b * a_information))
            }
            (
                Exact::Fractions {
                    worth: a,
                    before: a_before,
                },
                Exact::Fractions {
                    worth: b,
                    before: b_before,
                },
            ) if (self.rank - other.rank).abs() <= tolerance => {
                compare_drops(a.as_slice(), *a_before, b.as_slice(), *b_before)
            }
            _ => self.rank.total_cmp(&other.rank),
        }
    }
}

impl Terms {
    fn new(fractions: impl ExactSizeIterator<Item = Fraction>) -> Self {
        let n = fractions.len();
        if n > 3 {
            return Self::Many(fractions.collect());
        }
        let mut few = [(0, 1); 3];
        for (place, fraction) in few.iter_mut().zip(fractions) {
            *place = fraction;
        }
        Self::Few(few, n as u8)
    }

    fn as_slice(&self) -> &[Fraction] {
        match self {
            Self::Few(few, n) => &few[..usize::from(*n)],
            Self::Many(many) => many,
        }
    }
}

fn squares(counts: &[f64], weight: f64) -> Fraction {
    (
        counts
            .iter()
            .map(|&count| u128::from(count as u64).pow(2))
            .sum(),
        weight as u64,
    )
}

/// Compares `sum a - a_before` with `sum b - b_before`.
fn compare_drops(
    a: &[Fraction],
    a_before: Fraction,
    b: &[Fraction],
    b_before: Fraction,
) -> Ordering {
    if let ([a1, a2], [b1, b2]) = (a, b) {
        if a_before == b_before {
            return compare_pairs(*a1, *a2, *b1, *b2);
        }
    }
    let with = |terms: &[Fraction], other: Fraction| [terms, &[other]].concat();
    compare_sums(&with(a, b_before), &with(b, a_before))
}

/// Compares `a1 + a2` with `b1 + b2`, mostly without leaving the machine's whole numbers.
fn compare_pairs(a1: Fraction, a2: Fraction, b1: Fraction, b2: Fraction) -> Ordering {
    if (a1, a2) == (b1, b2) || (a1, a2) == (b2, b1) {
        return Ordering::Equal;
    }
    let sum = |(p, m): Fraction, (q, n): Fraction| {
        let over = p
            .checked_mul(u128::from(n))?
            .checked_add(q.checked_mul(u128::from(m))?)?;
        Some((over, u128::from(m) * u128::from(n)))
    };
    match (sum(a1, a2), sum(b1, b2)) {
        (Some((p, m)), Some((q, n))) => compare_products(p, n, q, m),
        _ => compare_sums(&[a1, a2], &[b1, b2]),
    }
}

/// Compares `a * b` with `c * d`.
pub(super) fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    let fits = |x: u128, y: u128| x.leading_zeros() + y.leading_zeros() >= u128::BITS;
    if fits(a, b) && fits(c, d) {
        return (a * b).cmp(&(c * d));
    }
    (BigUint::from(a) * b).cmp(&(BigUint::from(c) * d))
}

/// Compares two sums of fractions. Fractions over the same denominator are added first and what both
/// sides share is dropped, so few are left to be multiplied out.
fn compare_sums(a: &[Fraction], b: &[Fraction]) -> Ordering {
    let mut terms: Vec<(u64, i128)> = Vec::with_capacity(a.len() + b.len());
    terms.extend(a.iter().map(|&(p, n)| (n, p as i128)));
    terms.extend(b.iter().map(|&(p, n)| (n, -(p as i128))));
    terms.sort_unstable();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for same in terms.chunk_by(|x, y| x.0 == y.0) {
        let sum: i128 = same.iter().map(|term| term.1).sum();
        match sum.cmp(&0) {
            Ordering::Greater => above.push((sum.unsigned_abs(), same[0].0)),
            Ordering::Less => below.push((sum.unsigned_abs(), same[0].0)),
            Ordering::Equal => {}
        }
    }
    let ((p, m), (q, n)) = (add_up(&above), add_up(&below));
    (p * n).cmp(&(q * m))
}

fn add_up(terms: &[Fraction]) -> (BigUint, BigUint) {
    let mut sum = (BigUint::ZERO, BigUint::from(1_u8));
    for &(p, n) in terms {
        sum.0 = sum.0 * n + &sum.1 * p;
        sum.1 *= n;
    }
    sum
}

fn n_log_n(n: f64) -> f64 {
    if n > 0.0 { n * n.log2() } else { 0.0 }
}

/// The groups that a split makes of its node's rows: the children, and the missing rows if they are not
/// a child already.
fn groups(base: &Baseline, weights: &[f64]) -> impl Iterator<Item = f64> {
    let missing = base.node_weight - base.weight;
    weights
        .iter()
        .copied()
        .chain((missing > 0.0).then_some(missing))
}

fn split_information(base: &Baseline, weights: &[f64]) -> f64 {
    n_log_n(base.node_weight) - groups(base, weights).map(n_log_n).sum::<f64>()
}

/// `n log2 n` in whole numbers: rounded once to a fixed number of binary places.
///
/// Sums of whole numbers do not depend on their order, so the drop of a split is a function of its
/// counts alone and splits with the same counts tie.
#[derive(Debug, Clone)]
pub(super) struct Logs {
    scale: f64,
    table: Vec<i64>,
}

impl Logs {
    /// For totals up to `weight`; numbers up to `tabled` are looked up.
    pub(super) fn new(weight: f64, tabled: usize) -> Self {
        // Sums of a few hundred terms must stay far from 2^63.
        let largest = n_log_n(weight.max(2.0)).log2().ceil() as i32;
        let scale = f64::from(32.min(58 - largest)).exp2();
        let table = (0..=tabled).map(|n| rounded_log(n as f64, scale)).collect();
        Self { scale, table }
    }

    /// The value of one unit.
    pub(super) fn unit(&self) -> f64 {
        1.0 / self.scale
    }

    /// The looked-up values, for scans that know their numbers are covered.
    pub(super) fn table(&self) -> &[i64] {
        &self.table
    }

    fn of(&self, n: f64) -> i128 {
        i128::from(match self.table.get(n as usize) {
            Some(&value) => value,
            None => rounded_log(n, self.scale),
        })
    }

    fn worth(&self, counts: &[f64], weight: f64) -> i128 {
        counts.iter().map(|&count| self.of(count)).sum::<i128>() - self.of(weight)
    }

    fn drop(&self, base: &Baseline, children: &[&[f64]], weights: &[f64]) -> i128 {
        let parts = children.iter().zip(weights);
        let worth: i128 = parts
            .clone()
            .map(|(counts, &weight)| self.worth(counts, weight))
            .sum();
        let drop = worth - self.worth(&base.counts, base.weight);
        let terms = (children.len() + 1) * (base.counts.len() + 1);
        if drop <= rounding(terms)
            && parts
                .clone()
                .all(|(counts, &weight)| same_shares(counts, weight, &base.counts, base.weight))
        {
            return 0;
        }
        drop.max(1)
    }

    fn split_information(&self, base: &Baseline, weights: &[f64]) -> i128 {
        let groups: i128 = groups(base, weights).map(|weight| self.of(weight)).sum();
        (self.of(base.node_weight) - groups).max(1)
    }
}

/// How far a sum of so many rounded logarithms may be off, generously.
pub(super) fn rounding(terms: usize) -> i128 {
    64 * terms as i128
}

/// Do two groups have exactly the same class shares? Whole numbers only.
fn same_shares(a: &[f64], a_weight: f64, b: &[f64], b_weight: f64) -> bool {
    let whole = |x: f64| x as u64 as u128;
    a.iter()
        .zip(b)
        .all(|(&a, &b)| whole(a) * whole(b_weight) == whole(b) * whole(a_weight))
}

fn rounded_log(n: f64, scale: f64) -> i64 {
    (n_log_n(n) * scale).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-8;

    fn base(counts: &[f64]) -> Baseline {
        let weight = counts.iter().sum();
        Baseline {
            counts: counts.to_vec(),
            weight,
            node_weight: weight,
            whole: true,
        }
    }

    fn score(measure: &Measure, base: &Baseline, children: &[&[f64]]) -> Score {
        let weights: Vec<f64> = children.iter().map(|counts| counts.iter().sum()).collect();
        measure.score(base, children, &weights)
    }

    #[test]
    fn equal_shares_gain_nothing() {
        let base = base(&[30.0, 60.0, 9.0]);
        let logs = Logs::new(99.0, 40);
        for measure in [
            Measure::Gini,
            Measure::Entropy(logs.clone()),
            Measure::GainRatio(logs),
        ] {
            let even = score(&measure, &base, &[&[10.0, 20.0, 3.0], &[20.0, 40.0, 6.0]]);
            assert!(!even.is_positive(0.0, TOLERANCE));
            let uneven = score(&measure, &base, &[&[10.0, 20.0, 4.0], &[20.0, 40.0, 5.0]]);
            assert!(uneven.is_positive(0.0, TOLERANCE));
            assert_eq!(uneven.compare(&even, TOLERANCE), Ordering::Greater);
        }
    }

    #[test]
    fn ties_are_found_among_different_fractions() {
        // 1/2 + 1/3 + 1/6 = 1 = 3/4 + 1/4
        assert_eq!(
            compare_sums(&[(1, 2), (1, 3), (1, 6)], &[(3, 4), (1, 4)]),
            Ordering::Equal
        );
        assert_eq!(
            compare_sums(&[(1, 2), (1, 3)], &[(5, 6), (1, u64::MAX)]),
            Ordering::Less
        );
        let huge = u128::MAX / 4;
        assert_eq!(
            compare_products(huge, huge, huge, huge - 1),
            Ordering::Greater
        );
    }

    #[test]
    fn many_children_compare_with_few() {
        let base = base(&[4.0, 4.0]);
        let many = score(
            &Measure::Gini,
            &base,
            &[&[1.0, 0.0], &[3.0, 0.0], &[0.0, 2.0], &[0.0, 2.0]],
        );
        let two = score(&Measure::Gini, &base, &[&[4.0, 0.0], &[0.0, 4.0]]);
        assert_eq!(many.compare(&two, TOLERANCE), Ordering::Equal);
    }

    #[test]
    fn the_drop_is_gain_times_weight() {
        let base = base(&[2.0, 2.0]);
        let logs = Logs::new(4.0, 4);
        let perfect: [&[f64]; 2] = [&[2.0, 0.0], &[0.0, 2.0]];
        assert_eq!(score(&Measure::Gini, &base, &perfect).drop, 4.0 * 0.5);
        assert_eq!(score(&Measure::Entropy(logs), &base, &perfect).drop, 4.0);
        assert_eq!(score(&Measure::Error, &base, &perfect).drop, 2.0);
    }
}
