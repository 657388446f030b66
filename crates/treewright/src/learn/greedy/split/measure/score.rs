//! How much a split lowers the impurity, and which of two splits lowers it more.
//!
//! Where all counts are whole numbers the order is decided without rounding: fractions for gini, whole numbers for the
//! others.

use std::cmp::Ordering;

use num_bigint::BigUint;

use super::squares::SquareSum;

/// A split's drop of weighted impurity, with what is needed to compare it exactly.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    /// The drop, rounded.
    pub(crate) drop: f64,
    /// What splits are ranked by, rounded: the drop, or the gain ratio.
    pub(super) rank: f64,
    pub(super) exact: Exact,
}

#[derive(Debug, Clone)]
pub(super) enum Exact {
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
    /// A split by squared error, and by how much its rounded drop may be off.
    Squares(SquareSum, f64),
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
pub(super) struct FractionSum {
    pub(super) worth: Vec<Fraction>,
    pub(super) before: Fraction,
}

/// Numerator and denominator.
pub(super) type Fraction = (u128, u64);

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

    /// A drop of squared error, the difference of numbers that are no larger than `size`.
    pub(crate) fn squares(drop: f64, size: f64, squares: SquareSum) -> Self {
        /// Far more than the roundings of a few operations.
        const ROUNDING: f64 = 1e-14;
        Self {
            drop,
            rank: drop,
            exact: Exact::Squares(squares, ROUNDING * size),
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
            Exact::Squares(squares, slack) => self.drop > *slack || squares.is_positive(),
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
            (Exact::Squares(a, a_slack), Exact::Squares(b, b_slack))
                if (self.rank - other.rank).abs() <= a_slack + b_slack =>
            {
                a.compare(b)
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
            Self::Rounded | Self::Whole(_) | Self::Ratio(..) | Self::Squares(..) => {
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

/// Compares `a * b` with `c * d`.
pub(crate) fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    let fits = |x: u128, y: u128| x.leading_zeros() + y.leading_zeros() >= u128::BITS;
    if fits(a, b) && fits(c, d) {
        return (a * b).cmp(&(c * d));
    }
    (BigUint::from(a) * b).cmp(&(BigUint::from(c) * d))
}

/// Compares two sums of fractions. Fractions over the same denominator are added first and what both
/// sides share is dropped. Few are then left to be multiplied out.
pub(super) fn compare_sums(a: &[Fraction], b: &[Fraction]) -> Ordering {
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

pub(super) fn add_up(terms: &[Fraction]) -> (BigUint, BigUint) {
    let mut sum = (BigUint::ZERO, BigUint::from(1_u8));
    for &(p, n) in terms {
        sum.0 = sum.0 * n + &sum.1 * p;
        sum.1 *= n;
    }
    sum
}
