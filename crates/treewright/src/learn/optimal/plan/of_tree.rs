//! The plan of a tree that another learner has made.

use super::TreePlan;
use super::best_plan::between;
use super::rows_of_plan::{RowsOfPlan, part};
use crate::data::{Column, Dataset, MISSING_CODE};
use crate::learn::exact::PlanSource;
use crate::learn::optimal::problem::{LeafSize, RankTable};
use crate::tree::{Closed, NodeId, Split, Tree};

impl TreePlan {
    /// The splits of a tree, with cuts midway between the rows of their nodes; where a leaf would have too few rows,
    /// there is none. If categories are split `multiway`, each has a branch of its own, else those of a branch stay
    /// together.
    pub(crate) fn of(tree: &Tree, data: &Dataset, size: &LeafSize, multiway: bool) -> Self {
        let rows: Vec<u32> = (0..data.n_rows() as u32).collect();
        let source = Source {
            tree,
            data,
            size,
            multiway,
        };
        Self::below(&source, NodeId::ROOT, &rows)
    }

    /// Is every leaf below a split allowed to be one?
    pub(crate) fn is_of_leaves(&self, table: &RankTable<'_>) -> bool {
        let data = table.data();
        let rows: Vec<u32> = (0..data.n_rows() as u32).collect();
        let mut source = RowsOfPlan::new(data);
        matches!(self, Self::Leaf) || self.is_of_leaves_for(&mut source, &rows, table)
    }

    fn is_of_leaves_for(
        &self,
        source: &mut RowsOfPlan<'_>,
        rows: &Vec<u32>,
        table: &RankTable<'_>,
    ) -> bool {
        match source.branch(self, rows) {
            None => table.is_leaf(rows),
            Some(branching) => {
                let mut children = branching.children.iter();
                children.all(|(child, rows)| child.is_of_leaves_for(source, rows, table))
            }
        }
    }

    fn below(source: &Source<'_>, id: NodeId, rows: &[u32]) -> Self {
        let &Source {
            tree,
            data,
            size,
            multiway,
        } = source;
        let Some(branch) = tree.branch(id) else {
            return Self::Leaf;
        };
        let feature = branch.split.feature();
        if let (false, Split::Categories { branches, .. }, Column::Categorical(codes)) =
            (multiway, &branch.split, &data.columns()[feature])
        {
            return Self::together(source, id, branches, codes, rows);
        }
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
            child.map_or(Self::Leaf, |&child| Self::below(source, child, &rows))
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

    /// A split of categories as the tree has it, for those that the rows have.
    fn together(
        source: &Source<'_>,
        id: NodeId,
        branches: &[Option<u32>],
        codes: &[u32],
        rows: &[u32],
    ) -> Self {
        let Some(branch) = source.tree.branch(id) else {
            return Self::Leaf;
        };
        let old: Vec<NodeId> = branch.children().collect();
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); old.len()];
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); old.len()];
        for &row in rows {
            let code = codes[row as usize];
            let place = branches.get(code as usize).copied().flatten();
            // Missing cells are in the last branch.
            let place = place.map_or(old.len() - 1, |place| place as usize);
            parts[place].push(row);
            if code != MISSING_CODE {
                groups[place].push(code);
            }
        }
        for group in &mut groups {
            group.sort_unstable();
            group.dedup();
        }
        let is_small = |rows: &Vec<u32>| source.size.of(rows.iter().copied()) < source.size.least();
        let of_rows = |rows: &&Vec<u32>| !rows.is_empty();
        if parts.iter().filter(of_rows).any(is_small) {
            return Self::Leaf;
        }
        let with_rows = old.iter().zip(&parts).filter(|(_, rows)| !rows.is_empty());
        let mut children: Vec<Self> = with_rows
            .map(|(&child, rows)| Self::below(source, child, rows))
            .collect();
        if children.len() == 1 {
            return children.swap_remove(0);
        }
        groups.retain(|group| !group.is_empty());
        Self::Groups {
            feature: branch.split.feature(),
            groups,
            children,
        }
    }
}

/// A tree of another learner, and what plans are made for.
struct Source<'a> {
    tree: &'a Tree,
    data: &'a Dataset,
    size: &'a LeafSize,
    multiway: bool,
}
