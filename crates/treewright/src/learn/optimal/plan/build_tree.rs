//! From a plan to a tree with all rows in it.

use super::TreePlan;
use super::best_plan::between;
use crate::cost::Loss;
use crate::data::{Column, Dataset, MISSING_CODE, Target};
use crate::error::Result;
use crate::learn::optimal::problem::LeafSize;
use crate::tree::{Closed, MissingRoute, NodeId, Outcome, Split, Tree, TreeBuilder};

/// A tree that asks what the plan says, with the class counts of all rows.
pub(crate) fn build_tree(plan: &TreePlan, data: &Dataset, loss: &Loss) -> Result<Tree> {
    let rows: Vec<u32> = (0..data.n_rows() as u32).collect();
    let (counts, value) = outcome(&rows, data, loss, 0.0);
    let mut builder = TreeBuilder::new(data.schema().clone(), loss.clone(), counts, value)?;
    let mut open = vec![(NodeId::ROOT, plan, rows, value)];
    while let Some((id, plan, rows, value)) = open.pop() {
        let TreePlan::Split {
            feature,
            cuts,
            children,
        } = plan
        else {
            continue;
        };
        let (split, parts, has_missing) = part(*feature, cuts, data, &rows);
        let route = if has_missing {
            parts.len() - 1
        } else {
            heaviest(&parts, data)
        };
        let outcomes = parts.iter().map(|rows| outcome(rows, data, loss, value));
        let outcomes: Vec<_> = outcomes.collect();
        let values: Vec<f64> = outcomes.iter().map(|(_, value)| *value).collect();
        let first = builder.split(id, split, MissingRoute::Child(route as u32), outcomes)?;
        for (place, rows) in parts.into_iter().enumerate().rev() {
            let child = NodeId(first.0 + place as u32);
            open.push((child, &children[place], rows, values[place]));
        }
    }
    Ok(builder.finish())
}

impl TreePlan {
    /// The questions of a tree, with cuts midway between the rows of their nodes and a branch for each category;
    /// where a leaf would have too few rows, there is none.
    pub(crate) fn of(tree: &Tree, data: &Dataset, size: &LeafSize) -> Self {
        let rows: Vec<u32> = (0..data.n_rows() as u32).collect();
        Self::below(tree, NodeId::ROOT, data, &rows, size)
    }

    fn below(tree: &Tree, id: NodeId, data: &Dataset, rows: &[u32], size: &LeafSize) -> Self {
        let Some(branch) = tree.branch(id) else {
            return Self::Leaf;
        };
        let feature = branch.split.feature();
        let mut cuts = Vec::new();
        if let (
            Split::Intervals {
                cuts: old, closed, ..
            },
            Column::Numeric(numbers),
        ) = (&branch.split, &data.columns()[feature])
        {
            for &cut in old {
                let is_below = |number: f64| match closed {
                    Closed::Left => number < cut,
                    Closed::Right => number <= cut,
                };
                let numbers = rows.iter().map(|&row| numbers[row as usize] + 0.0);
                let numbers: Vec<f64> = numbers.filter(|number| !number.is_nan()).collect();
                let below = numbers.iter().copied().filter(|&number| is_below(number));
                let above = numbers.iter().copied().filter(|&number| !is_below(number));
                let below = below.fold(f64::NEG_INFINITY, f64::max);
                let above = above.fold(f64::INFINITY, f64::min);
                if below.is_finite() && above.is_finite() {
                    cuts.push(between(below, above));
                }
            }
        }
        let (_, parts, has_missing) = part(feature, &cuts, data, rows);
        let is_small = |rows: &Vec<u32>| size.of(rows.iter().copied()) < size.least();
        if parts.iter().any(is_small) {
            return Self::Leaf;
        }
        let old: Vec<NodeId> = branch.children().collect();
        let n_parts = parts.len();
        let below = |(at, rows): (usize, Vec<u32>)| {
            let place = match (&branch.split, &data.columns()[feature]) {
                _ if has_missing && at + 1 == n_parts => Some(old.len() - 1),
                // Categories that the tree has in one branch have one each here.
                (Split::Categories { branches, .. }, Column::Categorical(codes)) => {
                    let code = rows.first().map(|&row| codes[row as usize] as usize);
                    code.and_then(|code| branches[code])
                        .map(|child| child as usize)
                }
                _ => Some(at),
            };
            let child = place.and_then(|place| old.get(place));
            child.map_or(Self::Leaf, |&child| {
                Self::below(tree, child, data, &rows, size)
            })
        };
        let mut children: Vec<Self> = parts.into_iter().enumerate().map(below).collect();
        if n_parts == 1 {
            return children.swap_remove(0);
        }
        Self::Split {
            feature,
            cuts,
            children,
        }
    }
}

/// Class counts and the best class; rows without any weight answer as the node above.
fn outcome(rows: &[u32], data: &Dataset, loss: &Loss, above: f64) -> (Outcome, f64) {
    let Target::Classes(classes) = data.target() else {
        unreachable!("a table is made from classes");
    };
    let mut counts = vec![0.0; data.schema().classes().len()];
    for &row in rows {
        counts[classes[row as usize] as usize] += data.weight(row as usize);
    }
    let value = if counts.iter().all(|&count| count == 0.0) {
        above
    } else {
        loss.best_class(&counts) as f64
    };
    (Outcome::Counts(counts), value)
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

/// The question, and the rows of each answer; those without one come last, if there are any, which is said.
fn part(
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
