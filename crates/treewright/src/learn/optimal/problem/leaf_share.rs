//! The least share of the predicted class in a leaf.
//!
//! Of the weight of a leaf, the class that it predicts has at least a share `p / q`. So what counts is a sum over rows:
//! `q` times the weight of the class less `p` times all weight must not be negative. More rows can make it so, and fewer
//! rows, too: bounds are about leaves without this rule.

use super::rows::{Label, RowSet};
use crate::cost::{ClassShare, tens_of_weights};
use crate::data::{Dataset, Target};

/// The least share, and what each weighted row has.
#[derive(Debug)]
pub(crate) struct LeafShare {
    share: ClassShare,
    /// The class of each weighted row and its weight. Of several that are one row of the data, the first has it.
    rows: Vec<(u32, u64)>,
    /// Is the class of the most weight always predicted?
    is_by_weight: bool,
}

/// Some rows as a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeafSums {
    /// What each class gains if it is predicted.
    pub(in crate::learn::optimal) gains: Vec<u64>,
    /// The weight of each class.
    pub(in crate::learn::optimal) weights: Vec<u64>,
}

impl LeafShare {
    /// Of weighted rows, each of which is a row of the data.
    pub(crate) fn new(
        share: &ClassShare,
        data: &Dataset,
        real: impl Iterator<Item = u32>,
        is_by_weight: bool,
    ) -> Self {
        let weights = whole_weights(data);
        let Target::Classes(classes) = data.target() else {
            unreachable!("a table is made from classes");
        };
        let mut before = None;
        let row = |row: u32| {
            let is_first = before.replace(row) != Some(row);
            let weight = if is_first { weights[row as usize] } else { 0 };
            (classes[row as usize], weight)
        };
        Self {
            share: share.clone(),
            rows: real.map(row).collect(),
            is_by_weight,
        }
    }

    pub(crate) fn share(&self) -> &ClassShare {
        &self.share
    }

    /// Is the class of the most weight always predicted? Not where wrong predictions have different costs.
    pub(crate) fn is_by_weight(&self) -> bool {
        self.is_by_weight
    }

    /// Is that a leaf?
    pub(crate) fn allows(&self, sums: &LeafSums) -> bool {
        let own = sums.weights[sums.predicted()];
        self.share.allows_whole(own, sums.weights.iter().sum())
    }

    /// Adds a weighted row.
    pub(crate) fn add(&self, sums: &mut LeafSums, id: u32, label: Label) {
        sums.gains[label.class as usize] += u64::from(label.weight);
        let (class, weight) = self.rows[id as usize];
        sums.weights[class as usize] += weight;
    }

    /// A part of some rows, together.
    pub(crate) fn sums<'r>(
        &self,
        rows: &RowSet,
        part: impl IntoIterator<Item = &'r u32>,
    ) -> LeafSums {
        let mut sums = LeafSums::none(rows.sums().len());
        for &row in part {
            let at = row as usize;
            self.add(&mut sums, rows.ids()[at], rows.labels()[at]);
        }
        sums
    }
}

/// The weights of all rows, as whole numbers: decimals times a power of ten. The learner refuses all others.
fn whole_weights(data: &Dataset) -> Vec<u64> {
    let tens = tens_of_weights(data).expect("weights were checked");
    let whole = |row| (data.weight(row) * tens).round() as u64;
    (0..data.n_rows()).map(whole).collect()
}

impl LeafSums {
    /// No rows.
    pub(crate) fn none(n_classes: usize) -> Self {
        Self {
            gains: vec![0; n_classes],
            weights: vec![0; n_classes],
        }
    }

    /// The class that a leaf predicts: the lowest of equal ones.
    pub(crate) fn predicted(&self) -> usize {
        let gains = 0..self.gains.len();
        let better = |best: usize, next: usize| {
            if self.gains[next] > self.gains[best] {
                next
            } else {
                best
            }
        };
        gains.reduce(better).unwrap_or(0)
    }

    /// What these rows lose as a leaf.
    pub(crate) fn loss(&self) -> u64 {
        let most = self.gains.iter().max().copied().unwrap_or(0);
        self.gains.iter().sum::<u64>() - most
    }

    /// These rows without some of them.
    pub(crate) fn without(&self, others: &Self) -> Self {
        let less = |all: &[u64], part: &[u64]| {
            let both = all.iter().zip(part);
            both.map(|(all, part)| all - part).collect()
        };
        Self {
            gains: less(&self.gains, &others.gains),
            weights: less(&self.weights, &others.weights),
        }
    }
}
