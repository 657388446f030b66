//! From a plan to a tree with all rows in it.

use super::search::Plan;
use super::table::{Feature, NONE, Table};
use crate::cost::Loss;
use crate::data::{Dataset, Target};
use crate::error::Result;
use crate::tree::{Closed, MissingRoute, NodeId, Outcome, Split, Tree, TreeBuilder};

/// A tree that asks what the plan says, with the class counts of all rows.
pub(super) fn plant(plan: &Plan, table: &Table, data: &Dataset, loss: &Loss) -> Result<Tree> {
    let rows: Vec<u32> = (0..data.n_rows() as u32).collect();
    let (counts, value) = outcome(&rows, data, loss, 0.0);
    let mut builder = TreeBuilder::new(data.schema().clone(), loss.clone(), counts, value)?;
    let mut open = vec![(NodeId::ROOT, plan, rows, value)];
    while let Some((id, plan, rows, value)) = open.pop() {
        let Plan::Split {
            feature,
            cuts,
            children,
        } = plan
        else {
            continue;
        };
        let cells = &table.features[*feature];
        let n_categories = data.schema().features[*feature].categories().len();
        let (split, parts, has_missing) = part(*feature, cells, cuts, n_categories, &rows);
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
    cells: &Feature,
    cuts: &[u32],
    n_categories: usize,
    rows: &[u32],
) -> (Split, Vec<Vec<u32>>, bool) {
    let (split, child_of, n_children) = match cells {
        Feature::Numeric { values, .. } => {
            let threshold = |&cut: &u32| {
                let below = rows
                    .iter()
                    .map(|&row| cells.cell(row))
                    .filter(|&rank| rank < cut);
                between(
                    values[below.max().unwrap_or(cut) as usize],
                    values[cut as usize],
                )
            };
            let split = Split::Intervals {
                feature,
                cuts: cuts.iter().map(threshold).collect(),
                closed: Closed::Left,
            };
            let child_of: Box<dyn Fn(u32) -> usize> =
                Box::new(|rank| cuts.partition_point(|&cut| cut <= rank));
            (split, child_of, cuts.len() + 1)
        }
        Feature::Categorical { .. } => {
            let mut branches = vec![None; n_categories];
            for &row in rows.iter().filter(|&&row| cells.cell(row) != NONE) {
                branches[cells.cell(row) as usize] = Some(0);
            }
            for (place, branch) in branches.iter_mut().flatten().enumerate() {
                *branch = place as u32;
            }
            let n_children = branches.iter().flatten().count();
            let places = branches.clone();
            let split = Split::Categories { feature, branches };
            let child_of: Box<dyn Fn(u32) -> usize> =
                Box::new(move |code| places[code as usize].unwrap_or(0) as usize);
            (split, child_of, n_children)
        }
    };
    let mut parts = vec![Vec::new(); n_children + 1];
    for &row in rows {
        let cell = cells.cell(row);
        let child = if cell == NONE {
            n_children
        } else {
            child_of(cell)
        };
        parts[child].push(row);
    }
    let has_missing = !parts[n_children].is_empty();
    if !has_missing {
        parts.pop();
    }
    (split, parts, has_missing)
}

/// A number above the first and not above the second: midway where there is one.
fn between(below: f64, above: f64) -> f64 {
    let middle = below / 2.0 + above / 2.0;
    if below < middle && middle <= above {
        middle
    } else {
        above
    }
}
