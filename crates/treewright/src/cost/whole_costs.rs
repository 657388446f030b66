//! The cheapest class of some rows, where weights or costs are decimals.
//!
//! Sums of decimals as doubles are rounded: 0.1 + 0.2 is a little more than 0.3. Of two classes that cost exactly the
//! same, either may then seem to be cheaper. Here the decimals are whole numbers of a small unit, and the lower of two
//! such classes is taken, as the searches do.

use super::Loss;
use super::row_losses::tens;
use crate::data::{Dataset, Target};

/// Weights and costs as whole numbers.
#[derive(Debug)]
pub(crate) struct WholeCosts {
    /// What weights are multiplied by to be whole.
    weight: f64,
    /// What each class costs if another one, or itself, is predicted: a row for each class.
    costs: Vec<Vec<u64>>,
}

impl WholeCosts {
    /// `None` where all are whole as they are, so that doubles are exact, and where they have too many digits.
    pub(crate) fn of_decimals(data: &Dataset, loss: &Loss) -> Option<Self> {
        let (weight, cost) = tens(data, loss).filter(|&both| both != (1.0, 1.0))?;
        let n_classes = data.schema().classes().len();
        let whole = |truth, class| (loss.of_class(truth, class) * cost).round() as u64;
        let of_truth = |truth| (0..n_classes).map(|class| whole(truth, class)).collect();
        Some(Self {
            weight,
            costs: (0..n_classes).map(of_truth).collect(),
        })
    }

    /// The class that costs least for some rows; the lowest index on ties.
    pub(crate) fn best_class(&self, data: &Dataset, rows: &[u32]) -> usize {
        let Target::Classes(classes) = data.target() else {
            unreachable!("only classes have costs");
        };
        let mut weights = vec![0_u128; self.costs.len()];
        for &row in rows {
            let row = row as usize;
            weights[classes[row] as usize] += (data.weight(row) * self.weight).round() as u128;
        }
        let cost = |class: &usize| -> u128 {
            let of_truth = |(costs, weight): (&Vec<u64>, &u128)| u128::from(costs[*class]) * weight;
            self.costs.iter().zip(&weights).map(of_truth).sum()
        };
        (0..self.costs.len()).min_by_key(cost).unwrap_or(0)
    }
}
