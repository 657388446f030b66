//! The cheapest class of some rows, where weights or costs are decimals.
//!
//! Sums of decimals as doubles are rounded: 0.1 + 0.2 is a little more than 0.3. Of two classes that cost exactly the
//! same, either may then seem to be cheaper. Here the decimals are whole numbers of a small unit, and the lower of two
//! such classes is taken, as the searches do.

use super::Loss;
use super::products::Products;
use super::row_losses::tens;
use crate::data::{Dataset, Target};

/// Weights and costs as whole numbers.
#[derive(Debug)]
pub(crate) struct WholeCosts(Products);

impl WholeCosts {
    /// `None` where all are whole as they are, so that doubles are exact, and where they have too many digits.
    pub(crate) fn of_decimals(data: &Dataset, loss: &Loss) -> Option<Self> {
        if tens(data, loss) == Some((1.0, 1.0)) {
            return None;
        }
        Products::of(data, loss).map(Self)
    }

    /// The class that costs least for some rows; the lowest index on ties.
    pub(crate) fn best_class(&self, data: &Dataset, rows: impl Iterator<Item = u32>) -> usize {
        let Target::Classes(classes) = data.target() else {
            unreachable!("only classes have costs");
        };
        let mut sums = vec![0_u128; data.schema().classes().len()];
        for row in rows {
            self.0
                .add_wide(row as usize, classes[row as usize], &mut sums);
        }
        (0..sums.len())
            .min_by_key(|&class| sums[class])
            .unwrap_or(0)
    }
}
