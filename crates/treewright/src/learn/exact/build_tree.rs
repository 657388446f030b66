//! From a plan to a tree: splits are planned without the data, counts and routes of missing values come from the
//! rows.

use crate::cost::Loss;
use crate::data::Dataset;
use crate::error::Result;
use crate::tree::{MissingRoute, NodeId, Outcome, Split, Tree, TreeBuilder};

/// A plan of some learner, and how it splits rows.
pub(crate) trait PlanSource {
    type Plan;
    /// Rows of a node, in the form of the learner.
    type Rows;

    /// The split of a node and its children; `None` for a leaf.
    fn branch<'p>(
        &mut self,
        plan: &'p Self::Plan,
        rows: &Self::Rows,
    ) -> Option<Branching<'p, Self::Plan, Self::Rows>>;

    /// The weight of each class.
    fn counts(&self, rows: &Self::Rows) -> Vec<f64>;

    /// The class that costs least, the lowest of equal ones. `counts` are those of the rows.
    fn class(&self, _rows: &Self::Rows, counts: &[f64], loss: &Loss) -> usize {
        loss.best_class(counts)
    }
}

/// The split of a node.
pub(crate) struct Branching<'p, P, R> {
    pub(crate) split: Split,
    /// The child to which missing values go.
    pub(crate) missing: u32,
    pub(crate) children: Vec<(&'p P, R)>,
}

/// The tree of a plan, with the class counts of all rows. A node without any weight predicts as its parent.
pub(crate) fn build_tree<S: PlanSource>(
    source: &mut S,
    plan: &S::Plan,
    rows: S::Rows,
    data: &Dataset,
    loss: &Loss,
) -> Result<Tree> {
    let outcome = |source: &S, rows: &S::Rows, inherited: f64| {
        let counts = source.counts(rows);
        let is_empty = counts.iter().all(|&count| count == 0.0);
        let value = if is_empty {
            inherited
        } else {
            source.class(rows, &counts, loss) as f64
        };
        (Outcome::Counts(counts), value)
    };
    let (counts, value) = outcome(source, &rows, 0.0);
    let mut builder = TreeBuilder::new(data.schema().clone(), loss.clone(), counts, value)?;
    let mut open = vec![(NodeId::ROOT, plan, rows, value)];
    while let Some((id, plan, rows, value)) = open.pop() {
        let Some(branching) = source.branch(plan, &rows) else {
            continue;
        };
        let children = branching.children;
        let outcomes = children
            .iter()
            .map(|(_, rows)| outcome(source, rows, value));
        let outcomes: Vec<_> = outcomes.collect();
        let values: Vec<f64> = outcomes.iter().map(|(_, value)| *value).collect();
        let route = MissingRoute::Child(branching.missing);
        let first = builder.split(id, branching.split, route, outcomes)?;
        for (place, (plan, rows)) in children.into_iter().enumerate().rev() {
            let child = NodeId(first.0 + place as u32);
            open.push((child, plan, rows, values[place]));
        }
    }
    Ok(builder.finish())
}
