//! What a split gains, and which of two splits gains more.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_bigint::BigInt;

use crate::numbers::Ratio;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Criterion {
    Gini,
    Entropy,
    GainRatio,
    Error,
}

impl Criterion {
    pub(crate) fn new(name: &str) -> Result<Self, String> {
        match name {
            "gini" => Ok(Self::Gini),
            "entropy" => Ok(Self::Entropy),
            "gain-ratio" => Ok(Self::GainRatio),
            "error" => Ok(Self::Error),
            _ => Err(format!("params.criterion {name:?} is not known")),
        }
    }
}

/// A split: the class weights of its children.
pub(crate) struct Score {
    children: Vec<Vec<u64>>,
    /// Those of all children together.
    base: Vec<u64>,
    /// The weight of the node, with rows that the split is not judged by.
    weight: f64,
    /// The gain times the weight of the node, rounded.
    drop: f64,
    /// What splits are ranked by, rounded.
    rank: f64,
}

/// A weight beyond which `n log2 n` has fewer than 32 binary places.
pub(crate) const MOST: u64 = 3_000_000;

fn n_log_n(n: u64) -> f64 {
    if n == 0 {
        0.0
    } else {
        n as f64 * (n as f64).log2()
    }
}

impl Score {
    /// `apart` is the weight of the rows without a value, if they are no child.
    pub(crate) fn new(children: Vec<Vec<u64>>, apart: u64, criterion: Criterion) -> Self {
        let n_classes = children.first().map_or(0, Vec::len);
        let base: Vec<u64> = (0..n_classes)
            .map(|class| children.iter().map(|counts| counts[class]).sum())
            .collect();
        let worth = |counts: &Vec<u64>| {
            let all: u64 = counts.iter().sum();
            match criterion {
                Criterion::Gini => {
                    counts
                        .iter()
                        .map(|&count| (count as f64).powi(2))
                        .sum::<f64>()
                        / all as f64
                }
                Criterion::Error => counts.iter().copied().max().unwrap_or(0) as f64,
                _ => counts.iter().copied().map(n_log_n).sum::<f64>() - n_log_n(all),
            }
        };
        let drop = children.iter().map(worth).sum::<f64>() - worth(&base);
        let node = base.iter().sum::<u64>() + apart;
        let rank = if criterion == Criterion::GainRatio {
            let groups = children
                .iter()
                .map(|counts| counts.iter().sum())
                .chain([apart]);
            drop / (n_log_n(node) - groups.map(n_log_n).sum::<f64>())
        } else {
            drop
        };
        Self {
            children,
            base,
            weight: node as f64,
            drop,
            rank,
        }
    }

    /// Is the gain above 0? It is 0 just if all children have the class shares of all; with the error, if no more rows
    /// are answered rightly.
    pub(crate) fn gains(&self, criterion: Criterion) -> bool {
        if criterion == Criterion::Error {
            return self.drop > 0.0;
        }
        let all: u64 = self.base.iter().sum();
        self.children.iter().any(|counts| {
            let own: u64 = counts.iter().sum();
            let pairs = counts.iter().zip(&self.base);
            let mut products = pairs.map(|(&a, &b)| {
                (
                    u128::from(a) * u128::from(all),
                    u128::from(b) * u128::from(own),
                )
            });
            products.any(|(a, b)| a != b)
        })
    }

    /// Is the gain at least this much?
    pub(crate) fn reaches(&self, min_gain: f64) -> Result<bool, String> {
        let gain = self.drop / self.weight;
        if min_gain > 0.0 && (gain - min_gain).abs() < 1e-9 {
            return Err("near tie: a gain at the least gain".into());
        }
        Ok(min_gain <= 0.0 || gain > min_gain)
    }

    /// Classes and children in any order make the same score.
    fn shape(&self) -> Vec<Vec<u64>> {
        let sorted = |counts: &Vec<u64>| {
            let mut counts = counts.clone();
            counts.sort_unstable();
            counts
        };
        let mut shape: Vec<Vec<u64>> = self.children.iter().map(sorted).collect();
        shape.sort_unstable();
        shape.push(sorted(&self.base));
        shape
    }

    /// Which of two splits of the same node gains more.
    pub(crate) fn compare(&self, other: &Self, criterion: Criterion) -> Result<Ordering, String> {
        let gain = (self.gains(criterion), other.gains(criterion));
        if !gain.0 || !gain.1 {
            return Ok(gain.0.cmp(&gain.1));
        }
        let n_terms = (self.children.len() + other.children.len() + 2) * (self.base.len() + 1);
        let near = 1e-9 * (self.weight + n_terms as f64);
        if (self.rank - other.rank).abs() > near {
            return Ok(self.rank.total_cmp(&other.rank));
        }
        if self.shape() == other.shape() {
            return Ok(Ordering::Equal);
        }
        match criterion {
            // Differences of whole numbers.
            Criterion::Error => Ok(Ordering::Equal),
            Criterion::Gini => Ok(self.gini().cmp(&other.gini())),
            Criterion::Entropy => self.compare_entropy(other),
            Criterion::GainRatio => Err(NEAR_TIE.into()),
        }
    }

    /// Which of two splits of the same rows gains more, whatever they are ranked by. Equal counts are a tie; other gains
    /// that are close are not told apart.
    pub(crate) fn compare_drops(&self, other: &Self) -> Result<Ordering, String> {
        if (self.drop - other.drop).abs() > 1e-6 * self.weight {
            return Ok(self.drop.total_cmp(&other.drop));
        }
        if self.shape() == other.shape() {
            return Ok(Ordering::Equal);
        }
        Err(NEAR_TIE.into())
    }

    /// The drop, exactly.
    fn gini(&self) -> Ratio {
        let worth = |counts: &Vec<u64>| {
            let squares: BigInt = counts.iter().map(|&count| BigInt::from(count).pow(2)).sum();
            Ratio::new(squares, counts.iter().sum::<u64>().into())
        };
        self.children.iter().map(worth).sum::<Ratio>() - worth(&self.base)
    }

    /// `n log2 n` counts as rounded to 32 binary places. Where doubles cannot tell how it is rounded, one unit is open; what
    /// such units decide is a near tie.
    fn compare_entropy(&self, other: &Self) -> Result<Ordering, String> {
        let mut terms: BTreeMap<u64, i128> = BTreeMap::new();
        for (score, sign) in [(self, 1), (other, -1)] {
            let parts = score.children.iter().map(|counts| (counts, sign));
            for (counts, sign) in parts.chain([(&score.base, -sign)]) {
                for &count in counts {
                    *terms.entry(count).or_default() += sign;
                }
                *terms.entry(counts.iter().sum()).or_default() -= sign;
            }
        }
        let (mut sum, mut off_by) = (0, 0);
        for (n, times) in terms {
            let log = n_log_n(n) * f64::from(2).powi(32);
            sum += times * log.round() as i128;
            if (log.fract() - 0.5).abs() <= 8.0 * f64::EPSILON * log {
                off_by += times.abs();
            }
        }
        if sum.abs() <= off_by && off_by > 0 {
            return Err(NEAR_TIE.into());
        }
        Ok(sum.cmp(&0))
    }
}

const NEAR_TIE: &str = "near tie of two splits";
