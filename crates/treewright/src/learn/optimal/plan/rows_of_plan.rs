//! How a plan splits the rows of the data.

use super::TreePlan;
use crate::data::{Column, Dataset, MISSING_CODE, Target};
use crate::learn::exact::{Branching, PlanSource};
use crate::tree::{Closed, Split};

/// All rows of the data, by their numbers.
pub(super) struct RowsOfPlan<'a> {
    data: &'a Dataset,
}

impl<'a> RowsOfPlan<'a> {
    pub(super) fn new(data: &'a Dataset) -> Self {
        Self { data }
    }
}

impl PlanSource for RowsOfPlan<'_> {
    type Plan = TreePlan;
    type Rows = Vec<u32>;

    fn branch<'p>(
        &mut self,
        plan: &'p TreePlan,
        rows: &Vec<u32>,
    ) -> Option<Branching<'p, TreePlan, Vec<u32>>> {
        let TreePlan::Split {
            feature,
            cuts,
            children,
        } = plan
        else {
            return None;
        };
        let (split, parts, has_missing) = part(*feature, cuts, self.data, rows);
        let missing = if has_missing {
            parts.len() - 1
        } else {
            heaviest(&parts, self.data)
        };
        Some(Branching {
            split,
            missing: missing as u32,
            children: children.iter().zip(parts).collect(),
        })
    }

    fn counts(&self, rows: &Vec<u32>) -> Vec<f64> {
        let Target::Classes(classes) = self.data.target() else {
            unreachable!("a table is made from classes");
        };
        let mut counts = vec![0.0; self.data.schema().classes().len()];
        for &row in rows {
            counts[classes[row as usize] as usize] += self.data.weight(row as usize);
        }
        counts
    }
}

/// The child with the most weight, the first of equals.
fn heaviest(parts: &[Vec<u32>], data: &Dataset) -> usize {
    let weight = |rows: &Vec<u32>| {
        rows.iter()
            .map(|&row| data.weight(row as usize))
            .sum::<f64>()
    };
    let weights: Vec<f64> = parts.iter().map(weight).collect();
    (1..parts.len()).fold(0, |best, next| {
        if weights[next] > weights[best] {
            next
        } else {
            best
        }
    })
}

/// The split, the rows of each branch, and whether any rows have no value; their branch is the last.
pub(super) fn part(
    feature: usize,
    cuts: &[f64],
    data: &Dataset,
    rows: &[u32],
) -> (Split, Vec<Vec<u32>>, bool) {
    let (split, n_children) = match &data.columns()[feature] {
        Column::Numeric(_) => {
            let split = Split::Intervals {
                feature,
                cuts: cuts.to_vec(),
                closed: Closed::Left,
            };
            (split, cuts.len() + 1)
        }
        Column::Categorical(codes) => {
            let n_categories = data.schema().features[feature].categories().len();
            let mut branches = vec![None; n_categories];
            for &row in rows
                .iter()
                .filter(|&&row| codes[row as usize] != MISSING_CODE)
            {
                branches[codes[row as usize] as usize] = Some(0);
            }
            for (place, branch) in branches.iter_mut().flatten().enumerate() {
                *branch = place as u32;
            }
            let n_children = branches.iter().flatten().count();
            (Split::Categories { feature, branches }, n_children)
        }
    };
    let mut parts = vec![Vec::new(); n_children + 1];
    match (&split, &data.columns()[feature]) {
        (Split::Categories { branches, .. }, Column::Categorical(codes)) => {
            for &row in rows {
                let branch = branches
                    .get(codes[row as usize] as usize)
                    .copied()
                    .flatten();
                parts[branch.map_or(n_children, |child| child as usize)].push(row);
            }
        }
        (_, Column::Numeric(numbers)) => {
            for &row in rows {
                let number = numbers[row as usize];
                let interval = cuts.iter().filter(|&&cut| cut <= number).count();
                parts[if number.is_nan() {
                    n_children
                } else {
                    interval
                }]
                .push(row);
            }
        }
        _ => unreachable!("a split is of the kind of its column"),
    }
    let has_missing = !parts[n_children].is_empty();
    if !has_missing {
        parts.pop();
    }
    (split, parts, has_missing)
}
