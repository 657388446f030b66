//! How a plan splits the rows of the data.

use super::TreePlan;
use crate::cost::{Loss, WholeCosts};
use crate::data::{Column, Dataset, MISSING_CODE, Target};
use crate::learn::exact::{Branching, PlanSource};
use crate::tree::{Closed, Split};

/// All rows of the data, by their numbers.
pub(super) struct RowsOfPlan<'a> {
    data: &'a Dataset,
    costs: Option<WholeCosts>,
}

impl<'a> RowsOfPlan<'a> {
    pub(super) fn new(data: &'a Dataset) -> Self {
        Self { data, costs: None }
    }

    /// These rows, whose predictions have a loss.
    pub(super) fn with_loss(self, loss: &Loss) -> Self {
        let costs = WholeCosts::of_decimals(self.data, loss);
        Self { costs, ..self }
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
        let ((split, parts, has_missing), children) = match plan {
            TreePlan::Leaf => return None,
            TreePlan::Split {
                feature,
                cuts,
                children,
            } => (part(*feature, cuts, self.data, rows), children),
            TreePlan::Groups {
                feature,
                groups,
                children,
            } => (part_in_groups(*feature, groups, self.data, rows), children),
        };
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

    /// As the search has it: of two classes that cost the same, sums of decimals may make either a little cheaper.
    fn class(&self, rows: &Vec<u32>, counts: &[f64], loss: &Loss) -> usize {
        match &self.costs {
            Some(costs) => costs.best_class(self.data, rows.iter().copied()),
            None => loss.best_class(counts),
        }
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

/// The split of categories in groups, the rows of each branch, and whether any rows have no value; their branch is the
/// last.
fn part_in_groups(
    feature: usize,
    groups: &[Vec<u32>],
    data: &Dataset,
    rows: &[u32],
) -> (Split, Vec<Vec<u32>>, bool) {
    let Column::Categorical(codes) = &data.columns()[feature] else {
        unreachable!("only categories are in groups");
    };
    let mut branches = vec![None; data.schema().features[feature].categories().len()];
    for (child, group) in (0..).zip(groups) {
        for &code in group {
            branches[code as usize] = Some(child);
        }
    }
    let n_children = groups.len();
    let split = Split::Categories { feature, branches };
    in_branches(split, n_children, codes, rows)
}

/// The rows of each branch of a split of categories.
fn in_branches(
    split: Split,
    n_children: usize,
    codes: &[u32],
    rows: &[u32],
) -> (Split, Vec<Vec<u32>>, bool) {
    let Split::Categories { branches, .. } = &split else {
        unreachable!("categories have branches");
    };
    let mut parts = vec![Vec::new(); n_children + 1];
    for &row in rows {
        let code = codes[row as usize] as usize;
        let branch = branches.get(code).copied().flatten();
        parts[branch.map_or(n_children, |child| child as usize)].push(row);
    }
    let has_missing = !parts[n_children].is_empty();
    if !has_missing {
        parts.pop();
    }
    (split, parts, has_missing)
}

/// The split, the rows of each branch, and whether any rows have no value; their branch is the last.
pub(super) fn part(
    feature: usize,
    cuts: &[f64],
    data: &Dataset,
    rows: &[u32],
) -> (Split, Vec<Vec<u32>>, bool) {
    match &data.columns()[feature] {
        Column::Numeric(numbers) => in_intervals(feature, cuts, numbers, rows),
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
            in_branches(
                Split::Categories { feature, branches },
                n_children,
                codes,
                rows,
            )
        }
    }
}

/// The rows of each branch of a split of numbers.
fn in_intervals(
    feature: usize,
    cuts: &[f64],
    numbers: &[f64],
    rows: &[u32],
) -> (Split, Vec<Vec<u32>>, bool) {
    let n_children = cuts.len() + 1;
    let mut parts = vec![Vec::new(); n_children + 1];
    for &row in rows {
        let number = numbers[row as usize];
        let interval = cuts.iter().filter(|&&cut| cut <= number).count();
        let place = if number.is_nan() {
            n_children
        } else {
            interval
        };
        parts[place].push(row);
    }
    let has_missing = !parts[n_children].is_empty();
    if !has_missing {
        parts.pop();
    }
    let split = Split::Intervals {
        feature,
        cuts: cuts.to_vec(),
        closed: Closed::Left,
    };
    (split, parts, has_missing)
}
