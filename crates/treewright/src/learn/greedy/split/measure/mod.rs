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

mod deviation;
mod logs;
mod score;
mod squares;

pub(crate) use self::deviation::{RunningMedian, Weighed, WeightedSum, median};
pub(crate) use self::logs::{Logs, rounding};
pub(crate) use self::score::{Pair, Score, compare_products};
pub(crate) use self::squares::SquareSum;

use self::score::{Exact, Fraction, FractionSum};

/// The criterion for classes.
#[derive(Debug, Clone)]
pub(crate) enum Measure {
    Gini,
    Entropy(Logs),
    /// As entropy, ranked by gain over the information of the split.
    GainRatio(Logs),
    Error,
}

/// What a node's candidates are measured against.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
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

fn squares(counts: &[f64], weight: f64) -> Fraction {
    (
        counts
            .iter()
            .map(|&count| u128::from(count as u64).pow(2))
            .sum(),
        weight as u64,
    )
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

#[cfg(test)]
mod tests {

    use std::cmp::Ordering;

    use super::score::compare_sums;
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
