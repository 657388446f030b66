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

pub(crate) mod deviation;

use std::cmp::Ordering;

use num_bigint::BigUint;

/// The criterion for classes.
#[derive(Debug, Clone)]
pub(crate) enum Measure {
    Gini,
    Entropy(Logs),
    /// As entropy, ranked by gain over the information of the split.
    GainRatio(Logs),
    Error,
}

/// A split's drop of weighted impurity, with what is needed to compare it exactly.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    /// The drop, rounded.
    pub(crate) drop: f64,
    /// What splits are ranked by, rounded: the drop, or the gain ratio.
    rank: f64,
    exact: Exact,
}

#[derive(Debug, Clone)]
enum Exact {
    /// Nothing better than `rank` is known.
    Rounded,
    /// The drop as a whole number of some unit.
    Whole(i64),
    /// The drop and the information of the split, in the same unit.
    Ratio(i64, i64),
    /// A gini split in two, from the sums of squared counts below, above and in all.
    Pair(Pair),
    /// Any gini split.
    Sum(Box<FractionSum>),
}

/// Sums of squared counts on both sides of a cut, and in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) all: u64,
    pub(crate) n_low: u32,
    pub(crate) n_high: u32,
}

/// The drop is the sum of `worth` minus `before`.
#[derive(Debug, Clone)]
struct FractionSum {
    worth: Vec<Fraction>,
    before: Fraction,
}

/// Numerator and denominator.
type Fraction = (u128, u64);

/// What a node's candidates are measured against.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
    /// Counts of the rows that the split is judged on: the known ones, or all with a missing branch.
    pub(crate) counts: Vec<f64>,
    /// Their weight.
    pub(crate) weight: f64,
    /// Weight of the whole node.
    pub(crate) node_weight: f64,
    /// Are all counts whole numbers?
    pub(crate) whole: bool,
}

impl Measure {
    /// Worth of rows with these counts, rounded.
    pub(crate) fn worth(&self, counts: &[f64], weight: f64) -> f64 {
        match self {
            Self::Gini => counts.iter().map(|count| count * count).sum::<f64>() / weight,
            Self::Entropy(_) | Self::GainRatio(_) => {
                counts.iter().map(|&count| n_log_n(count)).sum::<f64>() - n_log_n(weight)
            }
            Self::Error => counts.iter().copied().fold(0.0, f64::max),
        }
    }

    /// Worth of rows in two groups: those with counts `low`, and the others of those with counts `all`.
    pub(crate) fn worth_of_two(&self, low: &[f64], all: &[f64], weights: [f64; 2]) -> f64 {
        let pairs = low.iter().zip(all).map(|(&low, &all)| (low, all - low));
        match self {
            Self::Gini => {
                let add = |sum: (f64, f64), (l, h): (f64, f64)| (sum.0 + l * l, sum.1 + h * h);
                let (low, high) = pairs.fold((0.0, 0.0), add);
                low / weights[0] + high / weights[1]
            }
            Self::Entropy(_) | Self::GainRatio(_) => {
                let groups = n_log_n(weights[0]) + n_log_n(weights[1]);
                pairs.map(|(l, h)| n_log_n(l) + n_log_n(h)).sum::<f64>() - groups
            }
            Self::Error => {
                let larger = |max: (f64, f64), (l, h): (f64, f64)| (max.0.max(l), max.1.max(h));
                let (low, high) = pairs.fold((0.0, 0.0), larger);
                low + high
            }
        }
    }

    /// What a split with this drop is ranked by, rounded.
    pub(crate) fn rank(&self, base: &Baseline, drop: f64, weights: &[f64]) -> f64 {
        match self {
            Self::GainRatio(_) => drop / split_information(base, weights),
            _ => drop,
        }
    }

    /// The weighted impurity of rows with these counts, rounded.
    pub(crate) fn impurity(&self, counts: &[f64], weight: f64) -> f64 {
        match self {
            Self::Gini | Self::Error => weight - self.worth(counts, weight),
            Self::Entropy(_) | Self::GainRatio(_) => -self.worth(counts, weight),
        }
    }

    /// Scores a split with these counts and weights of the children.
    pub(crate) fn score(&self, base: &Baseline, children: &[&[f64]], weights: &[f64]) -> Score {
        let parts = || children.iter().zip(weights);
        let worth: f64 = parts()
            .map(|(counts, &weight)| self.worth(counts, weight))
            .sum();
        let drop = worth - self.worth(&base.counts, base.weight);
        if !base.whole {
            let rank = self.rank(base, drop, weights);
            return Score {
                drop,
                rank,
                exact: Exact::Rounded,
            };
        }
        match self {
            Self::Gini => Score {
                drop,
                rank: drop,
                exact: Exact::Sum(Box::new(FractionSum {
                    worth: parts()
                        .map(|(counts, &weight)| squares(counts, weight))
                        .collect(),
                    before: squares(&base.counts, base.weight),
                })),
            },
            Self::Error => Score::whole(drop as i64, 1.0),
            Self::Entropy(logs) => Score::whole(logs.drop(base, children, weights), logs.unit()),
            Self::GainRatio(logs) => {
                let drop = logs.drop(base, children, weights);
                let information = logs.split_information(base, weights);
                Score {
                    drop: drop as f64 * logs.unit(),
                    rank: drop as f64 / information as f64,
                    exact: Exact::Ratio(drop, information),
                }
            }
        }
    }
}

impl Score {
    /// A drop without anything exact behind it.
    pub(crate) fn rounded(drop: f64) -> Self {
        Self {
            drop,
            rank: drop,
            exact: Exact::Rounded,
        }
    }

    /// A drop that is a whole number of some unit.
    pub(crate) fn whole(drop: i64, unit: f64) -> Self {
        let rounded = drop as f64 * unit;
        Self {
            drop: rounded,
            rank: rounded,
            exact: Exact::Whole(drop),
        }
    }

    /// A gini drop of two children.
    pub(crate) fn pair(pair: Pair) -> Self {
        let worth = |squares: u64, n: u32| squares as f64 / f64::from(n);
        let n = f64::from(pair.n_low) + f64::from(pair.n_high);
        let drop =
            worth(pair.low, pair.n_low) + worth(pair.high, pair.n_high) - pair.all as f64 / n;
        Self {
            drop,
            rank: drop,
            exact: Exact::Pair(pair),
        }
    }

    /// What splits are ranked by, rounded: the drop, or the gain ratio.
    pub(crate) fn rank(&self) -> f64 {
        self.rank
    }

    /// Is the gain above zero? A rounded drop must be above `floor`.
    pub(crate) fn is_positive(&self, floor: f64, tolerance: f64) -> bool {
        match &self.exact {
            Exact::Rounded => self.drop > floor,
            Exact::Whole(drop) | Exact::Ratio(drop, _) => *drop > 0,
            Exact::Pair(_) | Exact::Sum(_) => {
                self.drop > tolerance || {
                    let sum = self.exact.sum();
                    compare_sums(&sum.worth, &[sum.before]).is_gt()
                }
            }
        }
    }

    /// Drops of a node of this weight that differ by less may differ by rounding alone.
    pub(crate) fn tolerance(node_weight: f64) -> f64 {
        1e-10 * node_weight
    }

    /// Which of two splits of one node gains more.
    pub(crate) fn compare(&self, other: &Self, tolerance: f64) -> Ordering {
        match (&self.exact, &other.exact) {
            (Exact::Whole(a), Exact::Whole(b)) => a.cmp(b),
            (Exact::Ratio(a, a_information), Exact::Ratio(b, b_information)) => {
                let product = |x: i64, y: i64| i128::from(x) * i128::from(y);
                product(*a, *b_information).cmp(&product(*b, *a_information))
            }
            (Exact::Pair(_) | Exact::Sum(_), Exact::Pair(_) | Exact::Sum(_))
                if (self.rank - other.rank).abs() <= tolerance =>
            {
                self.exact.compare(&other.exact)
            }
            _ => self.rank.total_cmp(&other.rank),
        }
    }
}

impl Exact {
    /// Compares the drops of two gini splits.
    fn compare(&self, other: &Self) -> Ordering {
        if let (Self::Pair(a), Self::Pair(b)) = (self, other)
            && a.all == b.all
            && a.n_low + a.n_high == b.n_low + b.n_high
        {
            return a.compare(b);
        }
        let (a, b) = (self.sum(), other.sum());
        let with = |terms: &[Fraction], other: Fraction| [terms, &[other]].concat();
        compare_sums(&with(&a.worth, b.before), &with(&b.worth, a.before))
    }

    fn sum(&self) -> FractionSum {
        match self {
            Self::Sum(sum) => (**sum).clone(),
            Self::Pair(pair) => FractionSum {
                worth: vec![
                    (pair.low.into(), pair.n_low.into()),
                    (pair.high.into(), pair.n_high.into()),
                ],
                before: (
                    pair.all.into(),
                    u64::from(pair.n_low) + u64::from(pair.n_high),
                ),
            },
            Self::Rounded | Self::Whole(_) | Self::Ratio(..) => {
                unreachable!("only gini splits are sums of fractions")
            }
        }
    }
}

impl Pair {
    /// Compares the worth of two cuts of the same rows.
    fn compare(&self, other: &Self) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        // low / n_low + high / n_high, over the product of the denominators.
        let fraction = |pair: &Self| {
            let (n_low, n_high) = (u128::from(pair.n_low), u128::from(pair.n_high));
            (
                u128::from(pair.low) * n_high + u128::from(pair.high) * n_low,
                n_low * n_high,
            )
        };
        let ((p, m), (q, n)) = (fraction(self), fraction(other));
        compare_products(p, n, q, m)
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

/// Compares `a * b` with `c * d`.
pub(crate) fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
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
pub(crate) struct Logs {
    scale: f64,
    table: Vec<i64>,
}

impl Logs {
    /// For totals up to `weight`; numbers up to `tabled` are looked up.
    pub(crate) fn new(weight: f64, tabled: usize) -> Self {
        // Sums of a few hundred terms must stay far from 2^63.
        let largest = n_log_n(weight.max(2.0)).log2().ceil() as i32;
        let scale = f64::from(32.min(58 - largest)).exp2();
        let table = (0..=tabled).map(|n| rounded_log(n as f64, scale)).collect();
        Self { scale, table }
    }

    /// The value of one unit.
    pub(crate) fn unit(&self) -> f64 {
        1.0 / self.scale
    }

    /// The looked-up values, for scans that know their numbers are covered.
    pub(crate) fn table(&self) -> &[i64] {
        &self.table
    }

    fn of(&self, n: f64) -> i64 {
        match self.table.get(n as usize) {
            Some(&value) => value,
            None => rounded_log(n, self.scale),
        }
    }

    fn worth(&self, counts: &[f64], weight: f64) -> i64 {
        counts.iter().map(|&count| self.of(count)).sum::<i64>() - self.of(weight)
    }

    fn drop(&self, base: &Baseline, children: &[&[f64]], weights: &[f64]) -> i64 {
        let parts = children.iter().zip(weights);
        let worth: i64 = parts
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

    fn split_information(&self, base: &Baseline, weights: &[f64]) -> i64 {
        let groups: i64 = groups(base, weights).map(|weight| self.of(weight)).sum();
        (self.of(base.node_weight) - groups).max(1)
    }
}

/// How far a sum of so many rounded logarithms may be off, generously.
pub(crate) fn rounding(terms: usize) -> i64 {
    64 * terms as i64
}

/// Do two groups have exactly the same class shares? Whole numbers only.
fn same_shares(a: &[f64], a_weight: f64, b: &[f64], b_weight: f64) -> bool {
    let whole = |x: f64| u128::from(x as u64);
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
