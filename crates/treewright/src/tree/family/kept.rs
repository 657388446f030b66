//! The members of a family that somebody can ask for.

use super::Family;
use crate::tree::{CrossValidation, FoldErrors};

/// The members of a family whose interval of weights holds a double, smallest first. The others lie
/// between two neighbours that meet in one double: no file or report has them, unless the family is meant
/// to have members that are only as good as their neighbours.
#[derive(Debug, Clone)]
pub struct Kept(Vec<usize>);

impl Kept {
    /// Those of a family. The first and the last member are always among them.
    pub fn of(family: &Family) -> Self {
        let mut high = None;
        let mut holds_a_double = |member: &usize| {
            let Some(low) = family.lambda_low(*member) else {
                // It is there for its size, not for a weight.
                return true;
            };
            let high = high.replace(low);
            high.is_none_or(|high| high > low || family.has_ties() && high == low)
        };
        Self((0..family.len()).filter(&mut holds_a_double).collect())
    }

    /// Their places in the family.
    pub fn members(&self) -> &[usize] {
        &self.0
    }

    /// The place of the largest in the family.
    pub fn largest(&self) -> usize {
        self.0.last().copied().unwrap_or(0)
    }

    /// What is known of them from rows left out.
    #[must_use]
    pub fn validation(&self, all: &CrossValidation) -> CrossValidation {
        let pick = |figures: &[f64]| -> Vec<f64> {
            self.0.iter().map(|&member| figures[member]).collect()
        };
        CrossValidation {
            error: pick(&all.error),
            se: pick(&all.se),
            min: self.place(all.min),
            one_se: self.place(all.one_se),
            folds: (all.folds.iter())
                .map(|fold| FoldErrors {
                    weight: fold.weight,
                    error: pick(&fold.error),
                    trees: None,
                })
                .collect(),
        }
    }

    /// Where a member stands among them: if it was left out, that which took its weights over.
    pub fn place(&self, member: usize) -> usize {
        self.0.partition_point(|&kept| kept <= member) - 1
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cost::{Penalty, Scale, SolutionValue};
    use crate::tree::Tree;

    /// The second and the third border differ by 1e-18.
    fn family() -> Family {
        let n = 1_000_000_000;
        let borders = [(1, 2 * n), (n, n + 1), (n + 1, n + 2), (n, n / 2)];
        let mut value = SolutionValue {
            cost: 10 * n as i64,
            leaves: 1,
        };
        let mut values = vec![value];
        for (leaves, cost) in borders {
            value.leaves += leaves;
            value.cost -= cost as i64;
            values.push(value);
        }
        let scale = Scale::new(1.0, 1.0);
        Family::new(Penalty::Linear, scale, values, Arc::new(Vec::<Tree>::new()))
    }

    #[test]
    fn members_without_a_weight_are_left_out() {
        let kept = Kept::of(&family());
        assert_eq!(kept.members(), [0, 1, 3, 4]);
        assert_eq!(kept.largest(), 4);
        let all = CrossValidation {
            error: vec![0.0, 1.0, 2.0, 3.0, 4.0],
            se: vec![0.5; 5],
            min: 3,
            one_se: 2,
            folds: Vec::new(),
        };
        let found = kept.validation(&all);
        assert_eq!(found.error, [0.0, 1.0, 3.0, 4.0]);
        assert_eq!((found.se.len(), found.min, found.one_se), (4, 2, 1));
    }
}
