//! The cost of a finished tree, counted anew.
//!
//! A search works on points, ranks and sums, and knows a tree by what it adds up. What a certificate says is about
//! the rows of the table. So every tree that something is claimed of gets all rows once more, one by one, and what
//! they cost must be what the search has said, in the same whole numbers.

use super::Tree;
use crate::cost::{Counting, SolutionValue};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};

impl Tree {
    /// What the predictions for all rows cost, in units, and the leaves.
    pub(crate) fn recounted(&self, data: &Dataset, counting: &Counting) -> SolutionValue {
        let cost = match data.target() {
            Target::Classes(truths) => {
                let predicted = self.predict(data);
                let rows = predicted.iter().zip(truths).enumerate();
                let loss = |(row, (&class, &truth)): (usize, (&f64, &u32))| {
                    counting.loss(data, self.loss(), row, truth, class as u32)
                };
                rows.map(loss).sum::<u64>() as i64
            }
            Target::Numbers(_) | Target::Absent => 0,
        };
        SolutionValue {
            cost,
            leaves: self.n_leaves(),
        }
    }
}

/// Refuses to hand out a tree that is not what the search has said. Where losses were rounded, a leaf may have a label
/// that costs a little more in units: up to `slack` in all.
pub(crate) fn check_claim(claimed: SolutionValue, found: SolutionValue, slack: u64) -> Result<()> {
    if claimed.leaves == found.leaves && claimed.cost.abs_diff(found.cost) <= slack {
        return Ok(());
    }
    Err(Error::internal(format!(
        "the search has found a tree with {} leaves and a cost of {}, but its rows cost {} in {} leaves",
        claimed.leaves, claimed.cost, found.cost, found.leaves
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_false_claim_is_refused() {
        let value = |cost, leaves| SolutionValue { cost, leaves };
        assert!(check_claim(value(3, 2), value(3, 2), 0).is_ok());
        let error = check_claim(value(0, 2), value(1, 2), 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "internal error: the search has found a tree with 2 leaves and a cost of 0, but its rows cost 1 in \
             2 leaves; please report this with the table"
        );
        assert!(check_claim(value(3, 2), value(3, 3), 9).is_err());
    }
}
