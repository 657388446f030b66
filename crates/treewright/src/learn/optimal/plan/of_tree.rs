//! The plan of a tree that another learner has made.

use super::TreePlan;
use super::best_plan::between;
use super::rows_of_plan::part;
use crate::data::{Column, Dataset};
use crate::learn::optimal::problem::LeafSize;
use crate::tree::{Closed, NodeId, Split, Tree};

impl TreePlan {
    /// The splits of a tree, with cuts midway between the rows of their nodes and a branch for each category;
    /// where a leaf would have too few rows, there is none.
    pub(crate) fn of(tree: &Tree, data: &Dataset, size: &LeafSize) -> Self {
        let rows: Vec<u32> = (0..data.n_rows() as u32).collect();
        Self::below(tree, NodeId::ROOT, data, &rows, size)
    }

    /// Is no leaf below a split too small?
    pub(crate) fn has_large_leaves(&self, data: &Dataset, size: &LeafSize) -> bool {
        let rows: Vec<u32> = (0..data.n_rows() as u32).collect();
        matches!(self, Self::Leaf) || self.has_large_leaves_for(data, &rows, size)
    }

    fn has_large_leaves_for(&self, data: &Dataset, rows: &[u32], size: &LeafSize) -> bool {
        match self {
            Self::Leaf => size.of(rows.iter().copied()) >= size.least(),
            Self::Split {
                feature,
                cuts,
                children,
            } => {
                let (_, parts, _) = part(*feature, cuts, data, rows);
                let mut both = children.iter().zip(&parts);
                both.all(|(child, rows)| child.has_large_leaves_for(data, rows, size))
            }
        }
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
